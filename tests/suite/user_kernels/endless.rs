//! Kernels of the user's that do not end.

use std::fs;

use crate::common::{Workspace, column, stdout};

use super::{ADD, SCENARIO};

/// Adds one to each element; from the second kernel on, threads add until a number is reached that is none of theirs.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let second = ADD.lines().skip_while(|line| !line.starts_with(".visible")).collect::<Vec<_>>().join("\n");
    let second = second.replace("add_one", "add_two").replace(
        "add.f32 %f2, %f1, 0f3F800000;",
        "$again:\n    add.f32 %f1, %f1, %f1;\n    setp.lt.u32 %p1, %r5, %r1;\n    @%p1 bra $again;",
    );
    fs::write(workspace.path("add.ptx"), format!("{ADD}{second}").replace("%f<3>", "%f<4>")).unwrap();
    fs::write(workspace.path("add.toml"), SCENARIO.replace("300_000]", "300_000]\nblock = [64, 128]")).unwrap();
    workspace
}

#[test]
fn verify_leaves_a_variant_that_has_no_end() {
    let workspace = workspace();
    let few = ["--set", "n=1000,5000,20_000", "--set", "block=128"];
    let verify =
        workspace.apbench(&[&["verify", "add.toml", "--device", "sim:h200"], &few[..]].concat()).assert().code(4);
    insta::assert_snapshot!("endless", stdout(&verify));
    // The reference of the others.
    let text = workspace
        .read("add.toml")
        .replace("straight = \"add_one\", other = \"add_two\"", "a = \"add_two\", b = \"add_one\"");
    fs::write(workspace.path("add.toml"), text).unwrap();
    let verify =
        workspace.apbench(&[&["verify", "add.toml", "--device", "sim:h200"], &few[..]].concat()).assert().code(4);
    insta::assert_snapshot!("endless_reference", stdout(&verify));
}

#[test]
fn a_sweep_leaves_the_larger_points_of_a_variant_that_has_no_end() {
    let workspace = workspace();
    workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(4);
    let points = workspace.read("run/points.csv");
    let rows = column(&points, "variant").into_iter().zip(column(&points, "n")).zip(column(&points, "block"));
    for (((variant, n), block), reason) in rows.zip(column(&points, "reason")) {
        let expected = match (variant.as_str(), n.as_str(), block.as_str()) {
            ("straight", _, _) => "",
            (_, "1000", "64") => "add.ptx:4",
            (_, "1000", "128") => "not run: the same variant did not end at the smaller block=64",
            (_, _, "64") => "not run: the same variant did not end at the smaller n=1000",
            _ => "not run: the same variant did not end at the smaller n=1000 block=64",
        };
        assert!(
            reason.starts_with(expected) && reason.is_empty() == expected.is_empty(),
            "{variant} n={n} block={block}: {reason}"
        );
    }
    let diagnosis = workspace.apbench(&["diagnose", "add.toml", "--device", "sim:h200"]).assert().code(4);
    assert!(stdout(&diagnosis).contains("other: not diagnosed: add.ptx:4"), "{}", stdout(&diagnosis));
}
