//! Going on with runs that were killed anywhere, and refusing what is not the same run.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::device::GuardOutcome;
use crate::record::{Measured, RoundRecord, TimeSpent};
use crate::run::fixtures::{POINTS, SCENARIO, columns, guard, measured, metadata, round};
use crate::run::metadata::Part;
use crate::run::reader::Run;
use crate::run::writer::write_metadata;

const START: &str = "2026-11-21T02:57:01+00:00";
const LATER: &str = "2026-11-21T03:10:00+00:00";
const END: &str = "2026-11-21T03:11:00+00:00";
const FILES: [&str; 3] = [POINTS_FILE, SAMPLES_FILE, ROUNDS_FILE];

fn resume(directory: &Path) -> Result<(RunWriter, Vec<PointRecord>), RunError> {
    RunWriter::resume(directory, metadata(LATER), SCENARIO, &columns(), |_| Ok(()))
}

fn numbers(records: &[PointRecord]) -> Vec<usize> {
    records.iter().map(|record| record.point).collect()
}

/// A run with these points, measured in groups of two.
fn run_of(directory: &Path, points: &[usize], status: RunStatus) {
    let mut writer = RunWriter::create(directory, metadata(START), SCENARIO, &columns()).unwrap();
    for group in points.chunks(2) {
        writer.append(&group.iter().map(|&point| measured(point)).collect::<Vec<_>>()).unwrap();
    }
    writer.finish(status, END.to_owned(), Vec::new(), TimeSpent::default()).unwrap();
}

fn finish(mut writer: RunWriter, finished: &[PointRecord]) {
    let known = numbers(finished);
    let missing: Vec<Measured> = (0..POINTS).filter(|point| !known.contains(point)).map(measured).collect();
    for group in missing.chunks(2) {
        writer.append(group).unwrap();
    }
    writer.finish(RunStatus::Complete, END.to_owned(), Vec::new(), TimeSpent::default()).unwrap();
}

fn cut(directory: &Path, file: &str, bytes: usize) {
    let path = directory.join(file);
    let contents = fs::read(&path).unwrap();
    fs::write(&path, &contents[..bytes.min(contents.len())]).unwrap();
}

/// The rows of a file, sorted, without its header.
fn sorted_rows(directory: &Path, file: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(directory.join(file)).unwrap();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    rows.sort();
    rows
}

fn assert_whole(directory: &Path, reference: &Path) {
    for file in FILES {
        assert_eq!(sorted_rows(directory, file), sorted_rows(reference, file), "{file}");
    }
    let run = Run::read(directory).unwrap();
    assert_eq!(run.metadata.status, RunStatus::Complete);
    let mut points = numbers(&run.points);
    points.sort_unstable();
    assert_eq!(points, (0..POINTS).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever is cut off any of the files, and wherever: in the end each point is there once, with its samples.
    #[test]
    fn a_run_that_is_cut_anywhere_is_gone_on_with(
        cuts in prop::array::uniform3(prop_oneof![Just(usize::MAX), 0_usize..1600]), running in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (directory, reference) = (folder.path().join("run"), folder.path().join("reference"));
        for place in [&directory, &reference] {
            let status = if running { RunStatus::Running } else { RunStatus::Complete };
            run_of(place, &(0..POINTS).collect::<Vec<_>>(), status);
        }
        for (file, bytes) in FILES.into_iter().zip(cuts) {
            cut(&directory, file, bytes);
        }
        let (writer, finished) = resume(&directory).unwrap();
        let expected = (0..finished.len()).map(|point| measured(point).record).collect::<Vec<_>>();
        prop_assert_eq!(&finished, &expected);
        finish(writer, &finished);
        assert_whole(&directory, &reference);
    }

    /// Killed within a group's write: samples and rounds are whole, or more than whole; points are cut.
    #[test]
    fn no_finished_point_is_lost_by_a_kill(bytes in 0_usize..1600) {
        let folder = tempfile::tempdir().unwrap();
        run_of(folder.path(), &(0..POINTS).collect::<Vec<_>>(), RunStatus::Running);
        cut(folder.path(), POINTS_FILE, bytes);
        let left = Run::read(folder.path()).map(|run| run.points).unwrap_or_default();
        let (writer, finished) = resume(folder.path()).unwrap();
        prop_assert_eq!(&finished, &left);
        drop(writer);
        let (_, again) = resume(folder.path()).unwrap();
        prop_assert_eq!(&again, &left, "going on twice changes nothing");
        let kept = sorted_rows(folder.path(), SAMPLES_FILE);
        prop_assert!(kept.iter().all(|row| left.iter().any(|record| record.point.to_string() == row[0])));
    }
}

/// What a kill leaves at each step of a run's beginning.
#[test]
fn a_run_that_was_killed_while_it_began_is_begun_anew() {
    let folder = tempfile::tempdir().unwrap();
    let header = |columns: &[&str]| String::from_utf8(header_text(columns).unwrap()).unwrap();
    let (samples, rounds, points) = (header(&SAMPLE_COLUMNS), header(&ROUND_COLUMNS), header(&columns()));
    let steps: [&[(&str, &str)]; 9] = [
        &[],
        &[(POINTS_FILE, "")],
        &[(POINTS_FILE, ""), ("scenario.toml.partial", "fam")],
        &[(POINTS_FILE, ""), (SCENARIO_FILE, SCENARIO)],
        &[(POINTS_FILE, ""), (SCENARIO_FILE, SCENARIO), (SAMPLES_FILE, "")],
        &[(POINTS_FILE, ""), (SCENARIO_FILE, SCENARIO), (SAMPLES_FILE, "poi")],
        &[(POINTS_FILE, ""), (SCENARIO_FILE, SCENARIO), (SAMPLES_FILE, &samples), (ROUNDS_FILE, &rounds)],
        &[(POINTS_FILE, &points), (SCENARIO_FILE, SCENARIO), (SAMPLES_FILE, &samples), (ROUNDS_FILE, &rounds)],
        &[(POINTS_FILE, &points), (SCENARIO_FILE, "another = 1"), ("run.json.partial", "{")],
    ];
    for (number, files) in steps.into_iter().enumerate() {
        let directory = folder.path().join(number.to_string());
        fs::create_dir(&directory).unwrap();
        for (name, text) in files {
            fs::write(directory.join(name), text).unwrap();
        }
        let (writer, finished) = resume(&directory).unwrap_or_else(|error| panic!("step {number}: {error}"));
        assert_eq!(finished, []);
        finish(writer, &finished);
        let run = Run::read(&directory).unwrap();
        assert_eq!((run.points.len(), run.scenario.as_str()), (POINTS, SCENARIO), "step {number}");
        assert_eq!(run.metadata.started_at, LATER);
    }
}

#[test]
fn a_directory_that_is_not_there_is_begun() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("new").join("run");
    let (writer, finished) = resume(&directory).unwrap();
    finish(writer, &finished);
    assert_eq!(Run::read(&directory).unwrap().metadata.resumed_at, [""; 0]);
}

#[test]
fn a_directory_with_anything_else_is_left_alone() {
    let header = String::from_utf8(header_text(&columns()).unwrap()).unwrap();
    let measured = format!("{header}0,divergent\n");
    for (name, text) in [("note.txt", "mine"), (POINTS_FILE, &measured), ("fits.csv", "fit\n")] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), text).unwrap();
        assert!(matches!(resume(folder.path()), Err(RunError::NotARun(_))), "{name}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), text);
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(matches!(resume(file.path()), Err(RunError::NotADirectory(_))));
}

#[test]
fn starts_guards_and_times_of_both_stretches_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = RunWriter::create(folder.path(), metadata(START), SCENARIO, &columns()).unwrap();
    writer.append(&[measured(0)]).unwrap();
    let spent = TimeSpent { sampling_s: 1.5, total_s: 2.0, ..TimeSpent::default() };
    let guards = vec![guard("clock", GuardOutcome::Flagged), guard("ecc", GuardOutcome::Ok)];
    writer.finish(RunStatus::Interrupted, END.to_owned(), guards, spent).unwrap();

    let now = RunMetadata { command_line: vec!["another".to_owned()], ..metadata(LATER) };
    let (writer, finished) = RunWriter::resume(folder.path(), now, SCENARIO, &columns(), |_| Ok(())).unwrap();
    assert_eq!(finished, [measured(0).record]);
    let going_on = Run::read(folder.path()).unwrap().metadata;
    assert_eq!((going_on.status, &going_on.ended_at), (RunStatus::Running, &None), "a reader sees that it goes on");
    let guards = vec![guard("clock", GuardOutcome::Ok), guard("ecc", GuardOutcome::Unknown)];
    writer.finish(RunStatus::Complete, END.to_owned(), guards, spent).unwrap();
    let expected = RunMetadata {
        ended_at: Some(END.to_owned()),
        status: RunStatus::Complete,
        guards: vec![guard("clock", GuardOutcome::Flagged), guard("ecc", GuardOutcome::Unknown)],
        time_spent: TimeSpent { sampling_s: 3.0, total_s: 4.0, ..TimeSpent::default() },
        resumed_at: vec![LATER.to_owned()],
        ..metadata(START)
    };
    assert_eq!(Run::read(folder.path()).unwrap().metadata, expected);
}

#[test]
fn a_complete_run_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &(0..POINTS).collect::<Vec<_>>(), RunStatus::Complete);
    let contents = || FILES.map(|file| fs::read(folder.path().join(file)).unwrap());
    let (before, before_metadata) = (contents(), Run::read(folder.path()).unwrap().metadata);
    let (writer, finished) = resume(folder.path()).unwrap();
    assert_eq!(numbers(&finished), (0..POINTS).collect::<Vec<_>>());
    assert_eq!(writer.notes(), [""; 0]);
    let spent = TimeSpent { total_s: 2.0, ..TimeSpent::default() };
    writer.finish(RunStatus::Complete, LATER.to_owned(), Vec::new(), spent).unwrap();
    assert_eq!(contents(), before);
    assert_eq!(Run::read(folder.path()).unwrap().metadata, before_metadata);
}

/// A complete run that lacks something is none until it is there again, even where nothing is measured any more.
#[test]
fn a_complete_run_that_is_repaired_is_not_complete_any_more() {
    const WITHOUT: &str = "\n6,";
    let damages: [(&[&str], Option<&str>, usize); 3] = [
        (&[POINTS_FILE], Some(WITHOUT), 6),
        (&[SAMPLES_FILE, ROUNDS_FILE], Some(WITHOUT), 6),
        (&[POINTS_FILE], None, 7),
    ];
    for (files, last, left) in damages {
        let folder = tempfile::tempdir().unwrap();
        run_of(folder.path(), &(0..POINTS).collect::<Vec<_>>(), RunStatus::Complete);
        for file in files {
            let text = fs::read_to_string(folder.path().join(file)).unwrap();
            cut(folder.path(), file, last.map_or(text.len() - 1, |last| text.find(last).unwrap() + 1));
        }
        let (writer, finished) = resume(folder.path()).unwrap();
        drop(writer);
        assert_eq!(finished.len(), left, "{files:?}");
        assert_eq!(Run::read(folder.path()).unwrap().metadata.status, RunStatus::Running, "{files:?}");
    }
}

/// Hot rounds are a point's too, where it has a hot time beside the cold one.
#[test]
fn a_point_without_its_hot_rounds_is_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut both = measured(0);
    if let Some(timing) = &mut both.record.timing {
        timing.hot = Some(Box::new(timing.median));
    }
    both.rounds.push(RoundRecord { cache: Cache::Hot, ..round(0) });
    let mut writer = RunWriter::create(folder.path(), metadata(START), SCENARIO, &columns()).unwrap();
    writer.append(&[both]).unwrap();
    drop(writer);
    assert_eq!(numbers(&resume(folder.path()).unwrap().1), [0]);
    let rounds = fs::read_to_string(folder.path().join(ROUNDS_FILE)).unwrap();
    let cold: String = rounds.split_inclusive('\n').filter(|line| !line.contains(",hot,")).collect();
    assert!(cold.len() < rounds.len());
    fs::write(folder.path().join(ROUNDS_FILE), cold).unwrap();
    assert_eq!(numbers(&resume(folder.path()).unwrap().1), [0; 0]);
}

/// Points that failed or were skipped are not tried again.
#[test]
fn a_point_that_failed_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[3], RunStatus::Interrupted);
    let (_, finished) = resume(folder.path()).unwrap();
    assert_eq!(finished, [measured(3).record]);
    assert!(finished[0].timing.is_none());
}

#[test]
fn what_is_repaired_is_said() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[0, 1], RunStatus::Running);
    let bytes = fs::read(folder.path().join(POINTS_FILE)).unwrap().len();
    cut(folder.path(), POINTS_FILE, bytes - 1);
    let (writer, finished) = resume(folder.path()).unwrap();
    assert_eq!(numbers(&finished), [0]);
    let expected = [
        "points.csv: removed the last row, which was cut off",
        "samples.csv: removed 3 rows of points that have no row in points.csv",
        "rounds.csv: removed 2 rows of points that have no row in points.csv",
    ];
    assert_eq!(writer.notes(), expected);
}

/// A foreign order of rows: those of a point without a row are in the middle, so that the file is made anew.
#[test]
fn samples_without_a_point_are_removed_wherever_they_are() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[0, 1, 2], RunStatus::Running);
    let points = fs::read_to_string(folder.path().join(POINTS_FILE)).unwrap();
    let lines: Vec<&str> = points.split_inclusive('\n').collect();
    fs::write(folder.path().join(POINTS_FILE), [lines[0], lines[1], lines[3]].concat()).unwrap();
    let (writer, finished) = resume(folder.path()).unwrap();
    assert_eq!(numbers(&finished), [0, 2]);
    finish(writer, &finished);
    let reference = tempfile::tempdir().unwrap();
    run_of(reference.path(), &(0..POINTS).collect::<Vec<_>>(), RunStatus::Complete);
    assert_whole(folder.path(), reference.path());
}

#[test]
fn a_run_that_is_being_written_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let writer = RunWriter::create(folder.path(), metadata(START), SCENARIO, &columns()).unwrap();
    let busy = resume(folder.path()).unwrap_err();
    assert!(matches!(busy, RunError::Busy(_)));
    assert!(
        busy.to_string()
            .ends_with(": another process is writing this run; wait until it ends, or give another directory")
    );
    drop(writer);
    let (writer, _) = resume(folder.path()).unwrap();
    assert!(matches!(resume(folder.path()), Err(RunError::Busy(_))));
    drop(writer);
}

fn differences(now: RunMetadata, scenario: &str, columns: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[0, 1], RunStatus::Interrupted);
    let before = fs::read(folder.path().join(METADATA_FILE)).unwrap();
    let error = RunWriter::resume(folder.path(), now, scenario, columns, |_| Ok(())).unwrap_err();
    assert_eq!(fs::read(folder.path().join(METADATA_FILE)).unwrap(), before, "nothing is changed");
    match error {
        RunError::Different { differences, .. } => differences,
        other => panic!("{other}"),
    }
}

#[test]
fn every_difference_is_said_at_once() {
    let mut now = metadata(LATER);
    now.device.driver_version = Some("580.2".to_owned());
    now.device.sm_count = 132;
    now.device.uuid = Some("GPU-1".to_owned());
    now.kernels.ptx_sha256 = "0".repeat(64);
    now.kernels.compiler = "nvcc 13.1".to_owned();
    now.apbench_version = "0.2.0".to_owned();
    now.measure.seed = 2;
    now.part = Some(Part { index: 1, of: 4 });
    let compiler = metadata(START).kernels.compiler;
    let hash = metadata(START).kernels.ptx_sha256;
    let expected = [
        "apbench_version: 0.1.0 in the run, 0.2.0 now".to_owned(),
        "device.sm_count: 1 in the run, 132 now".to_owned(),
        format!("kernels.compiler: {compiler} in the run, nvcc 13.1 now"),
        format!("kernels.ptx_sha256: {hash} in the run, {} now", "0".repeat(64)),
        "measure.seed: 1 in the run, 2 now".to_owned(),
        "device.uuid: nothing in the run, GPU-1 now".to_owned(),
        "device.driver_version: nothing in the run, 580.2 now".to_owned(),
        "part.index: nothing in the run, 1 now".to_owned(),
        "part.of: nothing in the run, 4 now".to_owned(),
    ];
    assert_eq!(differences(now, SCENARIO, &columns()), expected);
}

#[test]
fn scenarios_and_columns_that_differ_are_shown() {
    let scenario = SCENARIO.replace("[1, 2, 4, 8]", "[1, 2]");
    let diff = "--- scenario.toml in the run\n+++ scenario.toml now\n@@ -3,4 +3,4 @@\n \n [grid]\n-branches = [1, 2, 4, 8]\n\
                +branches = [1, 2]\n block = [128, 256]";
    assert_eq!(differences(metadata(LATER), &scenario, &columns()), [diff]);

    let mut more = columns();
    more.push("warp_instructions");
    let words = "points.csv: columns that are only in the run: none; only now: warp_instructions";
    assert_eq!(differences(metadata(LATER), SCENARIO, &more), [words]);
    more.pop();
    more.swap(2, 3);
    assert_eq!(differences(metadata(LATER), SCENARIO, &more), ["points.csv: the columns are in another order"]);
}

#[test]
fn the_error_shows_the_differences_as_lines() {
    let differences = vec!["device.name: a in the run, b now".to_owned(), "--- x\n+++ y\n \n-z".to_owned()];
    let error = RunError::Different { path: "run".into(), differences };
    assert_eq!(
        error.to_string(),
        "run: cannot continue this run, because something differs:\n  device.name: a in the run, b now\n  --- x\n  +++ y\n\n  -z\n\
         give a new directory to start a new run"
    );
}

/// The same GPU can have another number in the next job, and the next container another name: that is said, no more.
#[test]
fn the_same_gpu_under_another_number_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[0], RunStatus::Interrupted);
    let of_gpu = |spec: &str| {
        let mut own = metadata(LATER);
        own.device.uuid = Some("GPU-1".to_owned());
        own.device.spec = spec.to_owned();
        own
    };
    write_metadata(folder.path(), &of_gpu("cuda:0")).unwrap();
    let mut now = of_gpu("cuda:1");
    now.host.name = Some("node2".to_owned());
    let (writer, finished) = RunWriter::resume(folder.path(), now, SCENARIO, &columns(), |_| Ok(())).unwrap();
    assert_eq!(numbers(&finished), [0]);
    let expected = ["cuda:1 was cuda:0 when the run started", "started on node1, continued on node2"];
    assert_eq!(writer.notes(), expected);
    // Without an identifier nobody knows.
    let mut now = metadata(LATER);
    now.device.spec = "mock2".to_owned();
    assert_eq!(differences(now, SCENARIO, &columns()), ["device.spec: mock in the run, mock2 now"]);
}

#[test]
fn points_that_cannot_be_are_errors_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[0, 1], RunStatus::Interrupted);
    let path = folder.path().join(POINTS_FILE);
    let good = fs::read_to_string(&path).unwrap();
    let error = |to: &str| {
        fs::write(&path, good.replacen("\n1,divergent", to, 1)).unwrap();
        resume(folder.path()).unwrap_err().to_string()
    };
    assert!(error("\n0,divergent").ends_with("points.csv:3: point 0 is there twice"));
    assert!(error("\n8,divergent").ends_with("points.csv:3: point 8 is not in the grid, which has 8"));
    fs::write(&path, &good).unwrap();
    fs::remove_file(folder.path().join(SAMPLES_FILE)).unwrap();
    assert!(resume(folder.path()).unwrap_err().to_string().contains("samples.csv: "));
}

#[test]
fn rows_that_are_refused_leave_the_run_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    run_of(folder.path(), &[0, 1], RunStatus::Interrupted);
    let read = |file: &str| fs::read(folder.path().join(file)).unwrap();
    let files = || FILES.into_iter().chain([METADATA_FILE]).map(read);
    let before: Vec<Vec<u8>> = files().collect();
    let refuse = |rows: &[PointRecord]| {
        assert_eq!(numbers(rows), [0, 1]);
        Err(RunError::malformed(Path::new(POINTS_FILE), Some(3), "is not of the grid"))
    };
    let error = RunWriter::resume(folder.path(), metadata(LATER), SCENARIO, &columns(), refuse).unwrap_err();
    assert_eq!(error.to_string(), "points.csv:3: is not of the grid");
    assert_eq!(files().collect::<Vec<_>>(), before);
}
