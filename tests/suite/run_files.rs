//! Run directories with other things than files in them, and with symbolic links, and without a directory.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, symlink};
use std::path::Path;
use std::time::Duration;

use assert_cmd::assert::Assert;

use crate::common::{Workspace, ended, pipe, stderr, wait_until};

/// Runs a command that must not wait for anybody: it is ended where it does.
fn told(workspace: &Workspace, arguments: &[&str]) -> Assert {
    workspace.apbench(arguments).timeout(Duration::from_secs(60)).assert()
}

const RESUME: [&str; 7] = ["sweep", "small.toml", "--device", "mock:", "--out", "run", "--resume"];

#[test]
fn a_file_of_a_run_that_is_none_is_told_at_once() {
    let workspace = Workspace::new();
    workspace.sweep("", &["--part", "0/2"]).code(0);
    fs::create_dir(workspace.path("laws")).unwrap();
    symlink("../run", workspace.path("laws/branching")).unwrap();
    let readers: [&[&str]; 12] = [
        &["fit", "run"],
        &["plot", "run"],
        &["report", "run"],
        &["ladder", "run"],
        &["predict", "run", "--set", "branches=3"],
        &["compare", "run", "run"],
        &["compare", "--accuracy", "run", "run"],
        &["merge", "run", "--allow-missing", "--out", "whole"],
        &RESUME,
        &["estimate", "prefix-sum", "--laws", "laws"],
        &["diagnose", "small.toml", "--device", "sim:h200", "--laws", "laws"],
        &["diagnose", "small.toml", "--device", "sim:h200", "--run", "run"],
    ];
    let of_rows: [&[&str]; 2] = [readers[7], readers[8]];
    for (name, readers) in
        [("points.csv", &readers[..]), ("run.json", &readers), ("scenario.toml", &readers), ("samples.csv", &of_rows)]
    {
        let kept = workspace.read(&format!("run/{name}"));
        let path = workspace.path(&format!("run/{name}"));
        pipe(&path);
        for reader in readers {
            let told = stderr(&told(&workspace, reader).failure());
            let expected = format!("{name}: is a FIFO (named pipe), not a regular file");
            assert!(told.contains(&expected), "{reader:?} with {name}: {told}");
        }
        fs::remove_file(&path).unwrap();
        fs::write(&path, kept).unwrap();
    }
    workspace.apbench(&["fit", "run"]).assert().code(0);
}

/// Of 3 GiB, none of which is on the disk.
#[test]
fn files_that_claim_more_than_there_is_are_refused_before_they_are_read() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    for (name, expected) in [
        ("run.json", "is larger than 64 MiB, the most that is read"),
        ("scenario.toml", "is larger than 64 MiB, the most that is read"),
        ("points.csv", "is larger than 2048 MiB, the most that is read"),
        ("rounds.csv", "has a row of more than 1 MiB"),
    ] {
        let path = workspace.path(&format!("run/{name}"));
        let kept = workspace.read(&format!("run/{name}"));
        fs::File::options().write(true).open(&path).unwrap().set_len(3 << 30).unwrap();
        let told = stderr(&told(&workspace, &["compare", "run", "run"]).failure());
        assert!(told.contains(&format!("run/{name}")) && told.contains(expected), "{name}: {told}");
        fs::write(&path, kept).unwrap();
    }
    workspace.apbench(&["compare", "run", "run"]).assert().code(0);
}

#[test]
fn devices_and_directories_are_no_files_of_a_run() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let path = workspace.path("run/points.csv");
    fs::remove_file(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    let words = stderr(&told(&workspace, &["fit", "run"]).code(1));
    assert_eq!(words, "error: run/points.csv: is a device, not a regular file\n");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let words = stderr(&told(&workspace, &["fit", "run"]).code(1));
    assert_eq!(words, "error: run/points.csv: is a directory, not a regular file\n");
    for name in ["rounds.csv", "diagnosis.json"] {
        let workspace = Workspace::new();
        workspace.sweep("", &[]).code(0);
        pipe(&workspace.path(&format!("run/{name}")));
        let arguments: &[&str] = if name == "rounds.csv" { &["compare", "run", "run"] } else { &["report", "run"] };
        let words = stderr(&told(&workspace, arguments).code(1));
        assert_eq!(words, format!("error: run/{name}: is a FIFO (named pipe), not a regular file\n"));
    }
}

#[test]
fn files_that_are_given_may_be_pipes_but_not_endless() {
    let workspace = Workspace::new();
    let sweep = ["sweep", "/dev/stdin", "--device", "mock:", "--out", "run"];
    workspace.apbench(&sweep).write_stdin(workspace.read("small.toml")).assert().code(0);
    let script = "\"$0\" sweep <(cat small.toml) --device mock: --out substituted";
    let mut bash = assert_cmd::Command::new("bash");
    bash.args(["-c", script, env!("CARGO_BIN_EXE_apbench")]).current_dir(workspace.path(".")).assert().code(0);

    let words = stderr(&told(&workspace, &["sweep", "/dev/zero", "--dry-run"]).code(2));
    assert!(words.contains("/dev/zero is larger than 1 MiB"), "{words}");
    let words = stderr(&told(&workspace, &["devices", "--device", "sim:/dev/zero"]).code(2));
    assert!(words.contains("/dev/zero is larger than 1 MiB"), "{words}");
    let ladder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/simulated-h200/prefix-sum");
    let ladder = ["ladder", ladder.to_str().unwrap(), "--estimate", "/dev/zero"];
    let words = stderr(&told(&workspace, &ladder).code(1));
    assert_eq!(words, "error: /dev/zero: is larger than 16 MiB, the most that is read\n");
    pipe(&workspace.path("published.csv"));
    let words = stderr(&told(&workspace, &["compare", "published.csv", "run"]).code(1));
    assert!(words.contains("published.csv: is a FIFO (named pipe), not a regular file"), "{words}");
    pipe(&workspace.path("kernel.cu"));
    let words = stderr(&told(&workspace, &["new", "kernel.cu"]).failure());
    assert!(words.contains("is a FIFO (named pipe), not a regular file"), "{words}");
}

#[test]
fn noise_floors_that_are_no_file_are_not_waited_for() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("apbench")).unwrap();
    pipe(&workspace.path("apbench/noise-floors.json"));
    let mut sweep = workspace.apbench(&RESUME);
    let sweep = sweep.env("XDG_STATE_HOME", workspace.path(".")).timeout(Duration::from_secs(60)).assert().code(0);
    let words = stderr(&sweep);
    assert!(words.contains("noise-floors.json: is a FIFO (named pipe), not a regular file"), "{words}");
}

#[test]
fn texts_that_are_too_long_are_refused_in_short_words() {
    let workspace = Workspace::new();
    let long = "A".repeat(1_000_000);
    let scenario = workspace.read("small.toml");
    for (known, text, told) in [
        ("Runtime against branches", "title", "`title` has 1000000 characters, and at most 2000 are allowed"),
        ("branching", "family", "`family` has 1000000 characters, and at most 2000 are allowed"),
    ] {
        fs::write(workspace.path("long.toml"), scenario.replace(known, &long)).unwrap();
        let words = stderr(&workspace.apbench(&["sweep", "long.toml", "--device", "mock:"]).assert().code(2));
        assert!(words.contains(told) && words.len() < 1000, "{text}: {words}");
    }
    let title = ["plot", "run", "--title", &"A".repeat(100_000), "--chart", "runtime"];
    workspace.sweep("", &[]).code(0);
    let words = stderr(&workspace.apbench(&title).assert().code(2));
    assert!(words.contains("has 100000 characters, and at most 2000 are allowed") && words.len() < 1000, "{words}");
}

#[test]
fn nothing_is_written_through_a_link() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    fs::create_dir(workspace.path("outside")).unwrap();
    for name in ["points.csv", "samples.csv", "rounds.csv", "run.json", "scenario.toml", "fits.csv", "report.html"] {
        fs::rename(workspace.path(&format!("run/{name}")), workspace.path(&format!("outside/{name}"))).unwrap();
        symlink(format!("../outside/{name}"), workspace.path(&format!("run/{name}"))).unwrap();
    }
    // The sweep has something to add.
    let points = workspace.read("outside/points.csv");
    let (but_one, _) = points.trim_end().rsplit_once('\n').unwrap();
    fs::write(workspace.path("outside/points.csv"), format!("{but_one}\n")).unwrap();
    let outside = || -> Vec<(String, String)> {
        let names = fs::read_dir(workspace.path("outside")).unwrap();
        let mut names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.into_iter().map(|name| (name.clone(), workspace.read(&format!("outside/{name}")))).collect()
    };
    let before = outside();
    for (name, kept) in [("points.csv", format!("{but_one}\n")), ("samples.csv", workspace.read("outside/samples.csv"))]
    {
        let words = stderr(&told(&workspace, &RESUME).code(1));
        assert_eq!(words, format!("error: run/{name}: is a symbolic link, not a regular file\n"));
        assert_eq!(outside(), before);
        fs::remove_file(workspace.path(&format!("run/{name}"))).unwrap();
        fs::write(workspace.path(&format!("run/{name}")), kept).unwrap();
    }
    fs::remove_file(workspace.path("run/rounds.csv")).unwrap();
    fs::write(workspace.path("run/rounds.csv"), workspace.read("outside/rounds.csv")).unwrap();
    symlink("../outside/partial", workspace.path("run/fits.csv.partial")).unwrap();
    // What is replaced as a whole takes the place of the link.
    told(&workspace, &RESUME).code(0);
    assert_eq!(outside(), before);
    for name in ["run.json", "fits.csv", "report.html"] {
        assert!(!workspace.path(&format!("run/{name}")).is_symlink(), "{name}");
    }

    fs::remove_dir_all(workspace.path("run/charts")).unwrap();
    symlink("../outside", workspace.path("run/charts")).unwrap();
    for arguments in [&["plot", "run"][..], &RESUME] {
        let words = stderr(&told(&workspace, arguments).code(2));
        assert!(words.contains("run/charts: is a symbolic link, and charts are not written through it"), "{words}");
    }
    assert_eq!(outside(), before);
}

#[test]
fn pipes_and_devices_are_neither_replaced_nor_waited_for() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    for (name, arguments) in [
        ("fits.csv", &["fit", "run"][..]),
        ("report.html", &["report", "run"]),
        ("charts/runtime.svg", &["plot", "run"]),
    ] {
        let path = workspace.path(&format!("run/{name}"));
        fs::remove_file(&path).unwrap();
        pipe(&path);
        let words = stderr(&told(&workspace, arguments).code(1));
        assert_eq!(words, format!("error: run/{name}: is a FIFO (named pipe), not a regular file\n"));
        assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo(), "{name}");
        fs::remove_file(&path).unwrap();
        symlink("/dev/null", &path).unwrap();
        let words = stderr(&told(&workspace, arguments).code(1));
        assert_eq!(words, format!("error: run/{name}: is a device, not a regular file\n"));
        assert!(path.is_symlink(), "{name}");
        fs::remove_file(&path).unwrap();
    }
    // Names of what this process has open: nothing happens to the machine's own where they are replaced.
    for out in ["/dev/fd/1", "/proc/self/fd/1"] {
        let words = stderr(&told(&workspace, &["report", "run", "--out", out]).code(1));
        assert_eq!(words, format!("error: {out}: is a name of what a process has open, not a regular file\n"));
    }
}

#[test]
fn a_run_directory_may_be_a_link_itself() {
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("elsewhere")).unwrap();
    symlink("elsewhere", workspace.path("run")).unwrap();
    workspace.sweep("", &[]).code(0);
    workspace.apbench(&["plot", "run"]).assert().code(0);
    assert!(workspace.path("elsewhere/charts/runtime.svg").exists());
}

#[test]
fn a_run_that_is_removed_while_it_is_swept_does_not_come_back() {
    let workspace = Workspace::new();
    let sweep = workspace.start(&["sweep", "small.toml", "--device", "mock:delay_ms=100", "--out", "run"]);
    wait_until("a row", || workspace.rows("run") > 0);
    // In one step: a removal file by file is seen while some are still there, and is then told of a file.
    fs::rename(workspace.path("run"), workspace.path("removed")).unwrap();
    fs::remove_dir_all(workspace.path("removed")).unwrap();
    let (status, errors) = ended(sweep);
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(errors.contains("run: this run directory was removed while the sweep ran"), "{errors}");
    assert!(!errors.contains("to continue"), "{errors}");
    assert!(!workspace.path("run").exists());
}
