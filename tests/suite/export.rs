//! Exported points, as another harness finds them.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::common::{Workspace, column, files_below, stderr, stdout};

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

#[test]
fn every_point_has_its_launches_and_buffers() {
    let workspace = Workspace::new();
    let assert = workspace.apbench(&["export", "small.toml", "--device", "mock", "--out", "launches"]).assert().code(0);
    assert_eq!(stdout(&assert).lines().count(), 8, "a line for each point");
    assert!(stderr(&assert).contains("8 points into launches, at most 384 KiB"), "{}", stderr(&assert));
    let index = json(&workspace.path("launches/export.json"));
    assert_eq!(index["points"].as_object().unwrap().len(), 8);
    let kernels = workspace.read("launches/kernels.ptx");
    let sha256: String = Sha256::digest(&kernels).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(index["kernels"]["ptx_sha256"], sha256);
    workspace.sweep("", &[]).code(0);
    let points = workspace.read("run/points.csv");
    for (number, branches) in column(&points, "branches").iter().enumerate() {
        let folder = workspace.path(&format!("launches/point-{number}"));
        let launch = json(&folder.join("launch.json"));
        assert_eq!(launch["parameters"]["branches"].to_string(), *branches);
        assert_eq!(launch["parameters"]["operation"].as_str().unwrap(), column(&points, "operation")[number]);
        assert_eq!(launch["bytes"].to_string(), column(&points, "bytes")[number]);
        assert_eq!(launch["operations"].to_string(), column(&points, "operations")[number]);
        let entry = launch["launches"][0]["entry"].as_str().unwrap();
        assert!(kernels.contains(&format!(".entry {entry}(")), "{entry} is not in the kernels");
        for buffer in launch["buffers"].as_array().unwrap() {
            let files: Vec<_> = ["file", "expected_file"].iter().filter_map(|key| buffer[key].as_str()).collect();
            assert!(!files.is_empty(), "{buffer}");
            for file in files {
                assert_eq!(fs::metadata(folder.join(file)).unwrap().len(), buffer["bytes"].as_u64().unwrap(), "{file}");
            }
        }
    }
}

#[test]
fn what_points_share_is_written_once() {
    let workspace = Workspace::new();
    workspace.apbench(&["export", "small.toml", "--device", "mock", "--out", "launches"]).assert().code(0);
    let files = files_below(&workspace.path("launches/data"));
    let contents: HashSet<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    assert_eq!(contents.len(), files.len(), "two files are equal");
    // Operands for each operation, a map for each number of branches, an output for each point.
    assert_eq!(files.len(), 2 + 4 + 8);
    let file = |point: usize, buffer: usize| {
        json(&workspace.path(&format!("launches/point-{point}/launch.json")))["buffers"][buffer]["file"].to_string()
    };
    assert_eq!(file(0, 0), file(3, 0), "both compute on the same operands");
    assert_ne!(file(0, 1), file(3, 1), "one follows another number of branches");
    assert_eq!(file(0, 1), file(4, 1), "both follow the same number of branches");
}

#[test]
fn some_points_only() {
    let workspace = Workspace::new();
    let arguments = ["export", "small.toml", "--device", "mock", "--out", "launches", "--point", "6", "--point", "1"];
    workspace.apbench(&arguments).assert().code(0);
    let index = json(&workspace.path("launches/export.json"));
    assert_eq!(index["points"].to_string(), r#"{"1":"point-1","6":"point-6"}"#);
    assert_eq!(json(&workspace.path("launches/point-6/launch.json"))["parameters"]["operation"], "convolution");
    assert!(!workspace.path("launches/point-0").exists());
}

#[test]
fn overrides_reach_the_launches() {
    let workspace = Workspace::new();
    let arguments =
        ["export", "small.toml", "--device", "mock", "--out", "launches", "--set", "width=33", "--point", "0"];
    workspace.apbench(&arguments).assert().code(0);
    let launch = json(&workspace.path("launches/point-0/launch.json"));
    assert_eq!(launch["launches"][0]["arguments"][3]["word"], 33);
    assert_eq!(launch["buffers"][0]["bytes"], 33 * 33 * 4);
}

#[test]
fn a_point_that_is_not_there_is_told_and_nothing_is_written() {
    let workspace = Workspace::new();
    let arguments = ["export", "small.toml", "--device", "mock", "--out", "launches", "--point", "8"];
    let assert = workspace.apbench(&arguments).assert().code(2);
    assert!(stderr(&assert).contains("--point 8: no such point; the grid has points 0 to 7"));
    assert!(!workspace.path("launches").exists());
}

#[test]
fn nothing_is_overwritten() {
    let workspace = Workspace::new();
    let export = |out: &str| workspace.apbench(&["export", "small.toml", "--device", "mock", "--out", out]).assert();
    fs::create_dir(workspace.path("taken")).unwrap();
    fs::write(workspace.path("taken/notes.txt"), "mine").unwrap();
    let assert = export("taken").code(2);
    assert!(stderr(&assert).contains("taken: is not empty"), "{}", stderr(&assert));
    assert_eq!(files_below(&workspace.path("taken")).len(), 1);
    let assert = export("small.toml").code(2);
    assert!(stderr(&assert).contains("small.toml: is a file"), "{}", stderr(&assert));
}

/// A limit on the size of files stands for a full disk, which takes privileges to make.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let workspace = Workspace::new();
    let program = workspace.apbench(&[]).get_program().to_owned();
    let mut limited = assert_cmd::Command::new("bash");
    limited.current_dir(workspace.path("")).env("NO_COLOR", "1").arg("-c");
    limited.arg("trap '' XFSZ; ulimit -f 24; exec \"$0\" export small.toml --device mock --out launches");
    let assert = limited.arg(program).assert().code(1);
    let told = stderr(&assert);
    assert!(told.contains("error: launches/") && told.contains("File too large"), "{told}");
}

#[test]
fn a_launch_that_the_gpu_repeats_is_not_exported() {
    let workspace = Workspace::new();
    let scenario =
        "title = \"Turns\"\nfamily = \"launch_overlap\"\nvariants = [\"conditional\"]\n[grid]\nchain_launches = 3\n";
    fs::write(workspace.path("turns.toml"), scenario).unwrap();
    let export = ["export", "turns.toml", "--device", "sim:h200", "--out", "turns"];
    let told = stderr(&workspace.apbench(&export).assert().code(2));
    assert!(told.contains("point 0 has a launch that the GPU repeats, which cannot be exported"), "{told}");
}
