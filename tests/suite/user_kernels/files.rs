//! Buffers that are filled with files and compared with them.

use std::fs;

use super::{SCENARIO, workspace};
use crate::common::{Workspace, column, stderr, stdout};

/// A `.npy` file of one dimension.
fn npy(descr: &str, count: usize, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}

fn floats(count: usize, value: impl Fn(usize) -> f32) -> Vec<u8> {
    (0..count).flat_map(|index| value(index).to_le_bytes()).collect()
}

/// Adds one to the elements of files, and compares with files: one for each length.
fn with_files() -> Workspace {
    let workspace = workspace("3F800000");
    for count in [100, 3000] {
        let input = npy("<f4", count, &floats(count, |index| index as f32 * 0.5));
        fs::write(workspace.path(&format!("input_{count}.npy")), input).unwrap();
        let expected = floats(count, |index| index as f32 * 0.5 + 1.0);
        fs::write(workspace.path(&format!("expected_{count}.bin")), expected).unwrap();
    }
    let scenario = SCENARIO
        .replace(
            "fill = \"iota\", check = \"variants agree\"",
            "fill = \"input_{n}.npy\", check = { file = \"expected_{n}.bin\" }",
        )
        .replace("[1000, 5000, 20_000, 100_000, 300_000]", "[100, 3000]");
    fs::write(workspace.path("add.toml"), scenario).unwrap();
    workspace
}

fn sweep(workspace: &Workspace, code: i32) -> String {
    let sweep = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(code);
    stdout(&sweep) + &stderr(&sweep)
}

#[test]
fn a_kernel_is_measured_on_files_and_checked_against_files() {
    let workspace = with_files();
    sweep(&workspace, 0);
    let kernel = workspace.read("run/kernel.json");
    let kept: serde_json::Value = serde_json::from_str(&kernel).unwrap();
    let files = kept["files"].as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|file| file["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["expected_100.bin", "expected_3000.bin", "input_100.npy", "input_3000.npy"]);
    assert_eq!((files[0]["bytes"].as_u64(), files[0]["sha256"].as_str().unwrap().len()), (Some(400), 64));
    let verify = workspace.apbench(&["verify", "add.toml", "--device", "sim:h200"]).assert().code(0);
    assert!(stdout(&verify).contains("4 passed, 0 failed"), "{}", stdout(&verify));
    let export = ["export", "add.toml", "--device", "sim:h200", "--out", "points"];
    workspace.apbench(&export).assert().code(0);
    // A run is read back without them, and is not gone on with where they are others.
    let input = fs::read(workspace.path("input_100.npy")).unwrap();
    fs::remove_file(workspace.path("input_100.npy")).unwrap();
    workspace.apbench(&["fit", "run"]).assert().code(0);
    let again = ["sweep", "add.toml", "--device", "sim:h200", "--out", "run", "--resume"];
    let refused = workspace.apbench(&again).assert().code(2);
    insta::assert_snapshot!("a_file_that_is_gone", stderr(&refused));
    let mut other = input.clone();
    *other.last_mut().unwrap() = 7;
    fs::write(workspace.path("input_100.npy"), other).unwrap();
    let refused = workspace.apbench(&again).assert().code(2);
    assert!(stderr(&refused).contains("own_files"), "{}", stderr(&refused));
    fs::write(workspace.path("input_100.npy"), input).unwrap();
    workspace.apbench(&again).assert().code(0);
}

#[test]
fn a_result_that_is_not_the_file_s_is_wrong() {
    let workspace = with_files();
    let mut expected = fs::read(workspace.path("expected_100.bin")).unwrap();
    expected[80..84].copy_from_slice(&99_f32.to_le_bytes());
    fs::write(workspace.path("expected_100.bin"), expected).unwrap();
    sweep(&workspace, 4);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["wrong", "wrong", "ok", "ok"]);
    assert_eq!(
        column(&points, "reason")[0],
        "data has 1 wrong of 100 elements; the first is element 20: 11, 99 was expected (off by 8.9e-1 of it, 1.0e-6 is allowed)"
    );
}

#[test]
fn all_that_is_wrong_with_files_is_told_with_its_place() {
    let workspace = with_files();
    let data = floats(100, |index| index as f32);
    for (name, contents) in [
        ("input_100.npy", npy("<f8", 50, &data)),
        ("input_3000.npy", npy("<f4", 100, &data)),
        ("expected_100.bin", data[..399].to_vec()),
    ] {
        fs::write(workspace.path(name), contents).unwrap();
    }
    fs::remove_file(workspace.path("expected_3000.bin")).unwrap();
    let scenario = fs::read_to_string(workspace.path("add.toml")).unwrap();
    // What is wrong with the arguments is told with it.
    fs::write(workspace.path("add.toml"), scenario.replace("[\"data\", \"n\"]", "[\"data\"]")).unwrap();
    insta::assert_snapshot!("files_that_do_not_fit", sweep(&workspace, 2));
    assert!(!workspace.path("run").exists());
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let workspace = with_files();
    crate::common::pipe(&workspace.path("input_100.npy"));
    let told = sweep(&workspace, 2);
    assert!(told.contains("input_100.npy is a FIFO (named pipe), not a regular file"), "{told}");
}

/// Workers read the files themselves, from a folder of their own.
#[test]
fn files_are_found_beside_a_scenario_that_is_elsewhere() {
    let workspace = with_files();
    fs::create_dir(workspace.path("below")).unwrap();
    let sweep = ["sweep", "../add.toml", "--device", "sim:h200", "--out", "run"];
    let mut command = workspace.apbench(&sweep);
    command.current_dir(workspace.path("below")).assert().code(0);
    assert!(workspace.path("below/run/points.csv").exists());
}

#[test]
fn a_kernel_in_place_of_a_scenario_leads_to_one() {
    let workspace = with_files();
    for command in ["sweep", "verify"] {
        let told = stderr(&workspace.apbench(&[command, "add.ptx"]).assert().code(2));
        assert_eq!(
            told, "error: add.ptx is a kernel, not a scenario; write a scenario of it: apbench new add.ptx\n",
            "{command}"
        );
    }
}

#[test]
fn a_run_in_place_of_a_scenario_says_how_to_go_on() {
    let workspace = with_files();
    workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(0);
    let told = stderr(&workspace.apbench(&["sweep", "run", "--resume"]).assert().code(2));
    assert!(told.starts_with("error: run is a run, not a scenario; apbench fit run "), "{told}");
    assert!(told.contains("--out run --resume continues it"), "{told}");
}
