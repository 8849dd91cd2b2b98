//! Disks that fill up and directories that cannot be written: what was measured stays readable.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::common::{Workspace, column, stdout};

/// Runs `apbench` in the workspace with files limited to so many blocks of 512 bytes, so that a write fails in its
/// middle as it does on a full disk.
fn with_limit(workspace: &Workspace, blocks: u32, arguments: &[&str]) -> Output {
    let script = format!("ulimit -f {blocks} || exit 99; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_apbench")])
        .args(arguments)
        .current_dir(workspace.path("."))
        .output()
        .unwrap()
}

/// Blocks of the shell's `ulimit` have 512 bytes in some shells, 1024 in others.
fn bytes_of_a_block() -> usize {
    let folder = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; ulimit -f 4; head -c 8192 /dev/zero > file";
    let _ = Command::new("sh").args(["-c", script]).current_dir(folder.path()).output().unwrap();
    usize::try_from(fs::metadata(folder.path().join("file")).unwrap().len()).unwrap() / 4
}

#[test]
fn a_full_disk_stops_the_sweep_with_an_error_and_a_readable_run() {
    let block = bytes_of_a_block();
    let workspace = Workspace::new();
    let grid = "branches={ from = 1, to = 16, step = 1 }";
    workspace.sweep("noise_pct=0.5", &["--set", grid]).code(0);
    let sweep = ["sweep", "small.toml", "--device", "mock:noise_pct=0.5", "--out", "full", "--set", grid];
    let largest = |names: &[&str]| {
        let length = |name: &&str| workspace.read(&format!("run/{name}")).len();
        names.iter().map(length).max().unwrap()
    };
    // What is written before the first point fits, all points do not.
    let (smallest, most) = (largest(&["run.json", "scenario.toml"]), largest(&["points.csv", "samples.csv"]));
    let limits: Vec<usize> = (smallest.div_ceil(block) + 1..most / block).step_by(2).take(3).collect();
    assert!(!limits.is_empty(), "{smallest} to {most} bytes leave room for no limit");
    for limit in limits {
        let _ = fs::remove_dir_all(workspace.path("full"));
        let output = with_limit(&workspace, u32::try_from(limit).unwrap(), &sweep);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        let named = ["points.csv: ", "samples.csv: "].iter().any(|file| errors.contains(&format!("full/{file}")));
        let remedy = "raise the limit on the size of files (ulimit -f). A sweep keeps all complete rows, and the same command with --resume continues";
        assert!(named && errors.contains(remedy), "{errors}");

        let points = column(&workspace.read("full/points.csv"), "point");
        assert!(points.len() < 32, "the limit was not met");
        for file in ["points.csv", "samples.csv", "rounds.csv"] {
            assert!(workspace.read(&format!("full/{file}")).ends_with('\n'), "{file} ends in a whole row");
        }
        let mut of_samples = column(&workspace.read("full/samples.csv"), "point");
        of_samples.dedup();
        assert_eq!(of_samples, points, "each point has its samples, and there are no others");
        assert!(!workspace.path("full/run.json.partial").exists());
        let fit = workspace.apbench(&["fit", "full"]).assert().code(0);
        assert!(stdout(&fit).contains(&format!("{} of 32 points", points.len())), "{}", stdout(&fit));

        let resumed = [&sweep[..], &["--resume"]].concat();
        workspace.apbench(&resumed).assert().code(0);
        for file in ["points.csv", "samples.csv", "rounds.csv"] {
            assert_eq!(workspace.read(&format!("full/{file}")), workspace.read(&format!("run/{file}")), "{file}");
        }
    }
}

#[test]
fn a_disk_that_is_full_from_the_start_leaves_nothing_behind() {
    let workspace = Workspace::new();
    let output = with_limit(&workspace, 0, &["sweep", "small.toml", "--device", "mock", "--out", "full"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("full/scenario.toml.partial: "), "{errors}");
    assert_eq!(fs::read_dir(workspace.path("full")).unwrap().count(), 0);
}

#[test]
fn a_read_only_directory_is_an_error_that_names_it() {
    use std::os::unix::process::CommandExt;
    let workspace = Workspace::new();
    fs::create_dir(workspace.path("run")).unwrap();
    // The place of the build need not be open to the user that the program runs as below.
    let binary = workspace.path("apbench");
    fs::copy(env!("CARGO_BIN_EXE_apbench"), &binary).unwrap();
    let set_mode = |name: &str, mode: u32| {
        fs::set_permissions(workspace.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(".", 0o755);
    set_mode("apbench", 0o755);
    set_mode("run", 0o555);
    let mut command = Command::new(&binary);
    command.args(["sweep", "small.toml", "--device", "mock", "--out", "run"]).current_dir(workspace.path("."));
    // Permissions do not bind root.
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if is_root {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    set_mode("run", 0o755);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("run/points.csv: Permission denied"), "{errors}");
    // Where the program makes up the place, another one can be named.
    fs::write(workspace.path("results"), "").unwrap();
    let output = Command::new(&binary)
        .args(["sweep", "small.toml", "--device", "mock"])
        .current_dir(workspace.path("."))
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("results: this directory cannot be made: "), "{errors}");
    assert!(errors.contains("give another one to --out"), "{errors}");
    assert_eq!(fs::read_dir(workspace.path("run")).unwrap().count(), 0);
}
