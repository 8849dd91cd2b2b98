//! Structures by value, halves, and numbers of 8 and 16 bits.

use std::fs;
use std::path::Path;

use crate::common::{Workspace, column, stderr, stdout};

const SCENARIO: &str = r#"
[kernel]
source = "structures.ptx"
variants = { only = "scale" }
launch = { grid = "ceil(n / 128)", block = 128 }
arguments = [{ struct = ["i32: n", "input", "i8: 0 - 1"], bytes = 24 }, "f16: 0.5", 1, "0 - 3", "output[1]"]

[parameters]
n = { default = 1000, from = 1, to = 1_000_000 }

[buffers]
input = { type = "f32", length = "n", fill = "i" }
output = { type = "f32", length = "n + 1", fill = "zeros", check = "(i - 1) * (0 - 1) - 6 + max(0, 1 - i) * 5" }
"#;

fn workspace(scenario: &str) -> Workspace {
    let workspace = Workspace::new();
    let ptx = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/structures.ptx");
    fs::copy(ptx, workspace.path("structures.ptx")).unwrap();
    fs::write(workspace.path("scale.toml"), scenario).unwrap();
    workspace
}

#[test]
fn a_kernel_gets_structures_halves_and_small_numbers() {
    let workspace = workspace(SCENARIO);
    let sweep = workspace.apbench(&["sweep", "scale.toml", "--device", "sim:h200", "--out", "run"]).assert();
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["ok"], "{:?}\n{}", column(&points, "reason"), stdout(&sweep.code(0)));
    workspace.apbench(&["export", "scale.toml", "--device", "sim:h200", "--out", "points"]).assert().code(0);
    let folder = fs::read_dir(workspace.path("points")).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
    let launch = fs::read_to_string(folder.path().join("launch.json")).unwrap();
    let launch: serde_json::Value = serde_json::from_str(&launch).unwrap();
    let first = &launch["launches"][0]["arguments"][0]["packed"];
    assert_eq!(first["bytes"].as_array().map(Vec::len), Some(24));
    assert_eq!(first["addresses"], serde_json::json!([{ "at": 8, "buffer": 0, "bytes": 0 }]));
}

#[test]
fn structures_that_do_not_fit_are_told() {
    let told = |from: &str, to: &str| {
        let workspace = workspace(&SCENARIO.replace(from, to));
        let refused = workspace.apbench(&["sweep", "scale.toml", "--device", "sim:h200", "--out", "run"]).assert();
        stderr(&refused.code(2))
    };
    insta::assert_snapshot!("structure_without_a_member", told("\"i8: 0 - 1\"], bytes = 24", "]"));
    insta::assert_snapshot!("structure_of_another_size", told("bytes = 24", "bytes = 20"));
    insta::assert_snapshot!("half_without_a_type", told("\"f16: 0.5\"", "0.5"));
    insta::assert_snapshot!("number_beyond_its_type", told("i8: 0 - 1", "i8: n"));
}

/// The PTX that the tests run is of the source beside it.
#[test]
fn the_ptx_is_of_its_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let hash = apbench::kernel::sha256(&fs::read(folder.join("structures.cu")).unwrap());
    let first =
        fs::read_to_string(folder.join("structures.ptx")).unwrap().lines().next().unwrap_or_default().to_owned();
    assert!(first.ends_with(&hash), "structures.ptx is of another structures.cu: {first}, not {hash}");
}
