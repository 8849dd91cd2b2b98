//! Parts joined into what the whole sweep would have left, and what is refused.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::device::GuardOutcome;
use crate::record::Measured;
use crate::run::fixtures::{POINTS, SCENARIO, columns, guard, measured, metadata};
use crate::run::reader::Run;
use crate::run::writer::RunWriter;

const START: &str = "2026-11-21T02:57:01+00:00";
const END: &str = "2026-11-21T02:58:01+00:00";

/// A part with the first `points` of its points, as a sweep with `--part` leaves it.
fn part_run(directory: &Path, part: Part, points: usize, metadata: RunMetadata) {
    let metadata = RunMetadata { part: Some(part), ..metadata };
    let mut writer = RunWriter::create(directory, metadata, SCENARIO, &columns()).unwrap();
    let own: Vec<Measured> = (0..POINTS).filter(|point| part.takes(*point)).map(measured).collect();
    let status = if points >= own.len() { RunStatus::Complete } else { RunStatus::Interrupted };
    for point in own.iter().take(points) {
        writer.append(std::slice::from_ref(point)).unwrap();
    }
    writer.finish(status, END.to_owned(), Vec::new(), TimeSpent::default()).unwrap();
}

/// The parts of a sweep that was spread over `of` machines.
fn parts(folder: &Path, of: usize) -> Vec<PathBuf> {
    let one = |index: usize| {
        let directory = folder.join(format!("part{index}"));
        part_run(&directory, Part { index, of }, POINTS, metadata(START));
        directory
    };
    (0..of).map(one).collect()
}

fn whole(directory: &Path) {
    let mut writer = RunWriter::create(directory, metadata(START), SCENARIO, &columns()).unwrap();
    writer.append(&(0..POINTS).map(measured).collect::<Vec<_>>()).unwrap();
    writer.finish(RunStatus::Complete, END.to_owned(), Vec::new(), TimeSpent::default()).unwrap();
}

fn join_all(directories: &[PathBuf]) -> Result<Joined, MergeError> {
    join(directories, false, vec!["apbench".to_owned(), "merge".to_owned()])
}

/// The message without the folder of the test.
fn refusal(folder: &Path, directories: &[PathBuf]) -> String {
    join_all(directories).unwrap_err().to_string().replace(&format!("{}/", folder.display()), "")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn parts_in_any_order_give_the_files_of_the_whole(of in 1_usize..10, turn in 0_usize..10) {
        let folder = tempfile::tempdir().unwrap();
        let mut directories = parts(folder.path(), of);
        directories.rotate_left(turn % of);
        let (joined, expected) = (folder.path().join("joined"), folder.path().join("whole"));
        join_all(&directories).unwrap().write(&joined).unwrap();
        whole(&expected);
        for file in [POINTS_FILE, SAMPLES_FILE, ROUNDS_FILE, SCENARIO_FILE] {
            let texts = [&joined, &expected].map(|directory| fs::read_to_string(directory.join(file)).unwrap());
            prop_assert_eq!(&texts[0], &texts[1], "{}", file);
        }
        let run = Run::read(&joined).unwrap();
        prop_assert_eq!((run.metadata.status, run.metadata.part), (RunStatus::Complete, None));
        prop_assert_eq!(run.metadata.merged_from.iter().map(|own| own.points).sum::<usize>(), POINTS);
    }
}

#[test]
fn circumstances_of_the_parts_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let directories = [folder.path().join("one"), folder.path().join("two")];
    let spent = TimeSpent { sampling_s: 1.5, total_s: 2.0, ..TimeSpent::default() };
    // The second began earlier, in another time zone, and ended later.
    let started = ["2026-11-21T02:57:01+00:00", "2026-11-21T03:56:59+01:00"];
    let outcomes = [GuardOutcome::Ok, GuardOutcome::Flagged];
    let floor = |index: usize| NoiseFloor {
        floor_pct: [0.25, 0.5][index],
        comparisons: 40,
        measured_at: "2026-11-20T12:00:00+00:00".to_owned(),
    };
    for (index, directory) in directories.iter().enumerate() {
        let mut own = metadata(started[index]);
        own.part = Some(Part { index, of: 2 });
        own.device.uuid = Some(format!("GPU-{index}"));
        own.device.spec = format!("cuda:{index}");
        own.host.name = Some(format!("node{index}"));
        own.noise_floor = Some(floor(index));
        let mut writer = RunWriter::create(directory, own, SCENARIO, &columns()).unwrap();
        let points: Vec<Measured> = (0..POINTS).filter(|point| point % 2 == index).map(measured).collect();
        writer.append(&points).unwrap();
        let ended = format!("2026-11-21T02:59:0{index}+00:00");
        writer.finish(RunStatus::Complete, ended, vec![guard("clock", outcomes[index])], spent).unwrap();
    }
    let joined = join_all(&directories).unwrap();
    let told = joined.metadata();
    assert_eq!(told.started_at, "2026-11-21T03:56:59+01:00");
    assert_eq!(told.ended_at.as_deref(), Some("2026-11-21T02:59:01+00:00"));
    assert_eq!(told.guards, [guard("clock", GuardOutcome::Flagged)]);
    assert_eq!(told.time_spent, TimeSpent { sampling_s: 3.0, total_s: 4.0, ..TimeSpent::default() });
    assert_eq!(told.noise_floor, Some(floor(1)), "that of the GPU with the most noise");
    assert_eq!(told.command_line, ["apbench", "merge"]);
    assert_eq!((&told.device.uuid, &told.host.name), (&None, &None), "what differs is that of no part");
    let of_second = &told.merged_from[1];
    assert_eq!((of_second.device_uuid.as_deref(), of_second.device_spec.as_str()), (Some("GPU-1"), "cuda:1"));
    assert_eq!((of_second.host.name.as_deref(), of_second.points), (Some("node1"), 4));
    assert_eq!(
        (of_second.part, of_second.directory.clone()),
        (Part { index: 1, of: 2 }, directories[1].display().to_string())
    );
}

#[test]
fn runs_that_do_not_belong_together_are_refused_with_each_difference() {
    let folder = tempfile::tempdir().unwrap();
    let directories = parts(folder.path(), 2);
    let other = folder.path().join("other");
    let mut own = metadata(START);
    own.device.name = "another device".to_owned();
    own.device.driver_version = Some("580.1".to_owned());
    own.measure.seed = 7;
    part_run(&other, Part { index: 1, of: 3 }, POINTS, own);
    fs::write(other.join(SCENARIO_FILE), SCENARIO.replace("256", "512")).unwrap();
    fs::remove_file(other.join(ROUNDS_FILE)).unwrap();
    let expected = "other does not belong to part0:
  device.name: mock device in part0, another device in other
  measure.seed: 1 in part0, 7 in other
  part.of: 2 in part0, 3 in other
  device.driver_version: nothing in part0, 580.1 in other
  --- scenario.toml in part0
  +++ scenario.toml in other
  @@ -4,3 +4,3 @@
   [grid]
   branches = [1, 2, 4, 8]
  -block = [128, 256]
  +block = [128, 512]
  rounds.csv: is missing in other";
    assert_eq!(refusal(folder.path(), &[directories[0].clone(), other]), expected);
}

#[test]
fn the_same_part_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = <[PathBuf; 2]>::try_from(parts(folder.path(), 2)).unwrap();
    let again = folder.path().join("again");
    part_run(&again, Part { index: 1, of: 2 }, POINTS, metadata(START));
    assert_eq!(refusal(folder.path(), &[one.clone(), two, again]), "part1 and again: both are part 1/2");
    assert_eq!(refusal(folder.path(), &[one.clone(), one]), "part0 and part0: both are part 0/2");
}

#[test]
fn a_run_that_is_no_part_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("whole");
    whole(&own);
    let words = "whole: is a whole run, not a part of one";
    assert_eq!(refusal(folder.path(), std::slice::from_ref(&own)), words);
    let begun = folder.path().join("begun");
    drop(RunWriter::create(&begun, metadata(START), SCENARIO, &columns()).unwrap());
    let words = "begun: is a whole run, not a part of one; it is not finished: continue it with the command that started \
                 it and --resume";
    assert_eq!(refusal(folder.path(), &[begun]), words);
    let missing = refusal(folder.path(), &[folder.path().join("nowhere")]);
    assert_eq!(missing, "nowhere: there is no such run directory");
}

#[test]
fn missing_and_unfinished_parts_are_named_with_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let directories = [folder.path().join("a"), folder.path().join("b")];
    part_run(&directories[0], Part { index: 0, of: 3 }, 1, metadata(START));
    part_run(&directories[1], Part { index: 2, of: 3 }, POINTS, metadata(START));
    let expected = "parts or points are missing:
  part 0/3 in a lacks 2 points; continue it with apbench sweep ... --part 0/3 --out a --resume
  part 1/3 was not given; measure it with apbench sweep ... --part 1/3 --out DIR
--allow-missing joins the others";
    assert_eq!(refusal(folder.path(), &directories), expected);

    let joined = join(&directories, true, Vec::new()).unwrap();
    assert_eq!(joined.notes().len(), 2);
    let directory = folder.path().join("joined");
    joined.write(&directory).unwrap();
    let run = Run::read(&directory).unwrap();
    assert_eq!(run.metadata.status, RunStatus::Interrupted);
    assert_eq!(run.points.iter().map(|point| point.point).collect::<Vec<_>>(), [0, 2, 5]);
    let samples = fs::read_to_string(directory.join(SAMPLES_FILE)).unwrap();
    let mut points: Vec<&str> = samples.lines().skip(1).filter_map(|row| row.split(',').next()).collect();
    points.dedup();
    assert_eq!(points, ["0", "2", "5"]);
}

#[test]
fn samples_of_points_without_a_row_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let directories = parts(folder.path(), 2);
    let path = directories[0].join(POINTS_FILE);
    let points = fs::read_to_string(&path).unwrap();
    fs::write(&path, &points[..=points.find("\n6,").unwrap()]).unwrap();
    let joined = join(&directories, true, Vec::new()).unwrap();
    for text in [joined.samples.unwrap(), joined.rounds.unwrap()] {
        assert!(text.contains("\n4,") && !text.contains("\n6,"), "{text}");
    }
}

/// Of more parts than points some have nothing to measure: nobody needs them.
#[test]
fn a_part_without_points_may_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    let directories = parts(folder.path(), POINTS + 2);
    assert_eq!(join_all(&directories[..POINTS]).unwrap().metadata().status, RunStatus::Complete);
}

/// Reference runs are kept without their samples.
#[test]
fn parts_without_samples_are_joined_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let directories = parts(folder.path(), 2);
    for directory in &directories {
        fs::remove_file(directory.join(SAMPLES_FILE)).unwrap();
    }
    let directory = folder.path().join("joined");
    join_all(&directories).unwrap().write(&directory).unwrap();
    assert!(!directory.join(SAMPLES_FILE).exists());
    assert_eq!(Run::read(&directory).unwrap().points.len(), POINTS);
}

#[test]
fn points_that_are_not_of_the_part_are_errors_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let directories = parts(folder.path(), 2);
    let path = directories[1].join(POINTS_FILE);
    let good = fs::read_to_string(&path).unwrap();
    for (to, problem) in [("\n4,", "point 4 is not of part 1/2"), ("\n1,", "point 1 is there twice")] {
        fs::write(&path, good.replacen("\n5,", to, 1)).unwrap();
        // The reason of point 3, the row before, has two lines.
        assert_eq!(refusal(folder.path(), &directories), format!("part1/points.csv:5: {problem}"));
    }
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let directories = parts(folder.path(), 2);
    let joined = join_all(&directories).unwrap();
    assert!(matches!(joined.write(&directories[0]), Err(RunError::NotEmpty(_))));
    assert!(join_all(&directories).is_ok(), "the part is as it was");
}
