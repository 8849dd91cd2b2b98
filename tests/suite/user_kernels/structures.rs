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

/// Of 1 + 2 + ... + 9 = 45 times the input, the beginning and the step of the row, and a half of the table.
const BLUR: &str = r#"
[kernel]
source = "blur.ptx"
variants = { only = "blur" }
launch = { grid = ["ceil(width / 32)", "ceil(height / 8)"], block = [32, 8] }
arguments = [
    "input",
    "output",
    { struct = [
        "i32: min(9, width)",
        { array = "f32: i + 1", length = 9 },
        { array = { struct = ["i32: 100 * i", "i32: width * i"] }, length = 2 },
        "table",
        "f64: 0.25",
    ], bytes = 72 },
    { struct = ["i32: width", "i32: height"], align = 8 },
    "f16: 0.5",
]

[parameters]
width = { default = 100, from = 1, to = 1000 }
height = { default = 20, from = 1, to = 1000 }

[buffers]
input = { type = "f32", length = "width * height", fill = "i % 7" }
output = { type = "f32", length = "width * height", check = "(0.25 + 45 * (i % 7) + if(floor(i / width) % 2 == 1, 100 + width, 0)) * (i % width)" }
table = { type = "f32", length = "width", fill = "2 * i" }
"#;

#[test]
fn a_kernel_gets_arrays_and_structures_within_structures() {
    let workspace = Workspace::new();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels/blur.ptx"), workspace.path("blur.ptx")).unwrap();
    fs::write(workspace.path("blur.toml"), BLUR).unwrap();
    let verify = workspace.apbench(&["verify", "blur.toml", "--device", "sim:h200"]).assert();
    assert!(stdout(&verify).contains("1 passed, 0 failed"), "{}", stdout(&verify));
    fs::write(workspace.path("blur.toml"), BLUR.replace("f32: i + 1", "f32: 2")).unwrap();
    let verify = workspace.apbench(&["verify", "blur.toml", "--device", "sim:h200"]).assert().code(4);
    assert!(stdout(&verify).contains("output has 1"), "{}", stdout(&verify));
}

/// The PTX that the tests run is of the source beside it.
#[test]
fn the_ptx_is_of_its_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    for name in ["structures", "blur"] {
        let hash = apbench::kernel::sha256(&fs::read(folder.join(format!("{name}.cu"))).unwrap());
        let text = fs::read_to_string(folder.join(format!("{name}.ptx"))).unwrap();
        let first = text.lines().next().unwrap_or_default();
        assert!(first.ends_with(&hash), "{name}.ptx is of another {name}.cu: {first}, not {hash}");
    }
}
