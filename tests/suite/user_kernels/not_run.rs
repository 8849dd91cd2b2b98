//! Kernels of the user's that a simulated device does not take, or would take too long for.

use std::fs;

use serde_json::Value as Json;

use crate::common::{H200, Workspace, column, stdout, unwrapped};

use super::{ADD, SCENARIO};

/// Adds one to each element; the second kernel reads it from a texture.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let second = ADD.lines().skip_while(|line| !line.starts_with(".visible")).collect::<Vec<_>>().join("\n");
    let second = second.replace("add_one", "add_two").replace(
        "add.f32 %f2, %f1, 0f3F800000;",
        "tex.1d.v4.f32.s32 {%f1, %f2, %f1, %f2}, [%rd1, {%r1}];\n    tex.1d.v4.f32.s32 {%f1, %f2, %f1, %f2}, [%rd1, {%r1}];",
    );
    fs::write(workspace.path("add.ptx"), format!("{ADD}{second}")).unwrap();
    fs::write(workspace.path("add.toml"), SCENARIO).unwrap();
    workspace
}

const WHY: &str = "add.ptx:45: textures and surfaces are not simulated: `tex.1d.v4.f32.s32 {%f1, %f2, %f1, %f2}, \
                   [%rd1, {%r1}];`, and 1 more instruction; no simulated device runs this kernel, a GPU may";

#[test]
fn a_kernel_that_is_not_simulated_is_not_run_and_does_not_fail() {
    let workspace = workspace();
    let sweep = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().success();
    let told = unwrapped(&stdout(&sweep));
    assert!(told.contains("10 of 10 points: 5 ok, 5 not run"), "{told}");
    assert!(told.contains(&format!("5 of 5 points of `other` were not run, n = 1000 to 300000: {WHY}")), "{told}");
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["ok", "not run"].repeat(5));
    let verify = workspace.apbench(&["verify", "add.toml", "--device", "sim:h200"]).assert().success();
    let told = unwrapped(&stdout(&verify));
    assert!(told.contains(&format!("not run add/other n=1000 block=128: {WHY}")), "{told}");
    assert!(told.contains("add/other: the same reason as at n=1000 block=128 at 4 more points"), "{told}");
    assert!(told.contains("5 passed, 0 failed, 5 not run"), "{told}");
    let verify = workspace.apbench(&["verify", "add.toml", "--device", "sim:h200", "--json"]).assert().success();
    let verify: Json = serde_json::from_str(&stdout(&verify)).unwrap();
    assert_eq!((&verify["checks"][1]["verdict"], &verify["checks"][1]["problem"]), (&"not run".into(), &WHY.into()));
}

/// Then nothing was measured, and nothing checked.
#[test]
fn where_no_point_is_run_that_is_a_failure() {
    let workspace = workspace();
    let only = ["--device", "sim:h200", "--variant", "other"];
    workspace.apbench(&[&["sweep", "add.toml", "--out", "run"], &only[..]].concat()).assert().code(4);
    let text = workspace.read("add.toml").replace("straight = \"add_one\", ", "");
    fs::write(workspace.path("add.toml"), text).unwrap();
    let verify = workspace.apbench(&["verify", "add.toml", "--device", "sim:h200"]).assert().code(4);
    let told = stdout(&verify);
    assert!(
        told.contains("0 passed, 0 failed, 5 not run") && told.contains("nothing was checked: no point was run"),
        "{told}"
    );
}

/// A loop that waits for what never comes, and changes memory while it does, on a simulated device of endless patience.
#[test]
fn a_point_whose_simulation_takes_too_long_is_not_run_and_does_not_fail() {
    let workspace = workspace();
    let waits = ADD.replace(
        "add.f32 %f2, %f1, 0f3F800000;",
        "$again:\n    atom.global.add.u64 %rd2, [%rd1], 1;\n    setp.ne.u64 %p1, %rd2, -1;\n    @%p1 bra $again;",
    );
    fs::write(workspace.path("add.ptx"), waits).unwrap();
    let text = SCENARIO.replace(", other = \"add_two\"", "").replace("length = \"n\"", "length = \"2 * n\"");
    fs::write(workspace.path("add.toml"), text.replace("1000, 5000, 20_000, 100_000, 300_000", "64")).unwrap();
    let profile = H200.replace("sm_count =", "step_limit = 1_000_000_000_000_000\nsm_count =");
    fs::write(workspace.path("patient.toml"), profile).unwrap();
    let device = ["--device", "sim:patient.toml", "--point-timeout", "1s", "--out", "run"];
    workspace.apbench(&[&["sweep", "add.toml"], &device[..]].concat()).assert().code(4);
    let points = workspace.read("run/points.csv");
    assert_eq!(column(&points, "status"), ["not run"]);
    assert_eq!(column(&points, "reason"), ["simulating it takes longer than 1s (--point-timeout)"]);
}
