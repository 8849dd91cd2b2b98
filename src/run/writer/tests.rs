//! What a run leaves, and what it refuses.

use super::*;
use crate::device::GuardOutcome;
use crate::run::fixtures::{SCENARIO, columns, guard, measured, metadata};
use crate::run::reader::Run;
use crate::run::round_times::read_round_times;

const START: &str = "2026-11-21T02:57:01+00:00";
const END: &str = "2026-11-21T02:58:01+00:00";

fn create(directory: &Path) -> Result<RunWriter, RunError> {
    RunWriter::create(directory, metadata(START), SCENARIO, &columns())
}

#[test]
fn what_is_appended_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("run");
    let mut writer = create(&directory).unwrap();
    let group: Vec<Measured> = (0..4).map(measured).collect();
    writer.append(&group[..2]).unwrap();
    writer.append(&group[2..]).unwrap();
    let time_spent = TimeSpent { sampling_s: 1.5, total_s: 2.0, ..TimeSpent::default() };
    let guards = vec![guard("ecc", GuardOutcome::Ok)];
    writer.finish(RunStatus::Interrupted, END.to_owned(), guards.clone(), time_spent).unwrap();

    let run = Run::read(&directory).unwrap();
    assert_eq!(run.points, group.iter().map(|own| own.record.clone()).collect::<Vec<_>>());
    assert_eq!((run.scenario.as_str(), &run.notes[..]), (SCENARIO, &[][..]));
    let expected = RunMetadata {
        ended_at: Some(END.to_owned()),
        status: RunStatus::Interrupted,
        guards,
        time_spent,
        ..metadata(START)
    };
    assert_eq!(run.metadata, expected);
    assert_eq!(
        fs::read_to_string(directory.join(SAMPLES_FILE)).unwrap(),
        "point,round,sample,time_us,clock_mhz,flags,cache,order,repeats,host_us\n\
         0,0,0,10,,,cold,0,1,50.5\n0,0,1,10,,ungated,cold,1,1,50.5\n0,1,2,10,,,cold,2,1,50.5\n\
         1,0,0,11,,,cold,0,1,50.5\n1,0,1,11,,ungated,cold,1,1,50.5\n1,1,2,11,,,cold,2,1,50.5\n\
         2,0,0,12,,,cold,0,1,50.5\n2,0,1,12,,ungated,cold,1,1,50.5\n2,1,2,12,,,cold,2,1,50.5\n"
    );
    let rounds = fs::read_to_string(directory.join(ROUNDS_FILE)).unwrap();
    let rows = (0..3).flat_map(|point| {
        let time_us = 10 + point;
        let first = format!("{point},cold,0,2,{time_us},{time_us},,,,,,,clock throttled");
        let second = format!("{point},cold,1,1,{time_us},{time_us},,41,,1980,3201,power_cap thermal,clock throttled");
        [first, second]
    });
    let rows: Vec<String> = rows.collect();
    assert_eq!(rounds.lines().skip(1).collect::<Vec<_>>(), rows);
}

/// A reader that comes while a run is written sees a run, from its beginning.
#[test]
fn a_run_is_readable_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let _writer = create(folder.path()).unwrap();
    let run = Run::read(folder.path()).unwrap();
    assert_eq!((run.points.len(), run.metadata.status), (0, RunStatus::Running));
    assert!(read_round_times(folder.path(), &mut Vec::new()).unwrap().is_empty());
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note.txt");
    fs::write(&note, "mine").unwrap();
    assert!(matches!(create(folder.path()), Err(RunError::NotEmpty(_))));
    assert!(matches!(create(&note), Err(RunError::NotADirectory(_))));
    assert_eq!(fs::read_to_string(&note).unwrap(), "mine");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn of_many_that_start_at_once_one_gets_the_directory() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("run");
    let made: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| create(&directory))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1);
    assert!(made.iter().all(|made| matches!(made, Ok(_) | Err(RunError::NotEmpty(_)))));
    assert!(Run::read(&directory).is_ok());
}

#[test]
fn a_run_without_a_place_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("run");
    // A scenario's file cannot be made where a folder has its partial name: only the claim comes before it.
    let points = claim(&directory).unwrap();
    fs::create_dir(directory.join("scenario.toml.partial")).unwrap();
    let begun = RunWriter::begin(&directory, points, metadata(START), SCENARIO, &columns());
    assert!(begun.unwrap_err().to_string().contains("scenario.toml.partial: "));
    assert!(!directory.join(METADATA_FILE).exists(), "what was not begun is no run");
}

#[cfg(unix)]
#[test]
fn what_is_removed_while_it_is_written_is_told_and_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("run");
    let finish =
        |writer: RunWriter| writer.finish(RunStatus::Complete, END.to_owned(), Vec::new(), TimeSpent::default());
    let mut writer = create(&directory).unwrap();
    fs::remove_dir_all(&directory).unwrap();
    assert!(matches!(writer.append(&[measured(0)]), Err(RunError::Removed(_))));
    assert!(matches!(finish(writer), Err(RunError::Removed(_))));
    assert!(!directory.exists());

    let mut writer = create(&directory).unwrap();
    fs::remove_file(directory.join(SAMPLES_FILE)).unwrap();
    assert!(matches!(writer.append(&[measured(0)]), Err(RunError::FileRemoved(path)) if path.ends_with(SAMPLES_FILE)));
    fs::remove_dir_all(&directory).unwrap();
    let _other = create(&directory).unwrap();
    assert!(matches!(finish(writer), Err(RunError::FileRemoved(path)) if path.ends_with(POINTS_FILE)));
}

#[test]
fn a_full_disk_is_told_with_what_to_do() {
    let full = RunError::io(Path::new("run/points.csv"))(io::ErrorKind::StorageFull.into());
    let words = full.to_string();
    assert!(words.starts_with("run/points.csv: "), "{words}");
    assert!(
        words.ends_with(
            "free some space. A sweep keeps all complete rows, and the same command with --resume continues it"
        ),
        "{words}"
    );
    let other = RunError::io(Path::new("run/points.csv"))(io::ErrorKind::PermissionDenied.into());
    assert!(!other.to_string().contains("--resume"), "{other}");
}
