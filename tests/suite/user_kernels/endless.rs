//! Kernels of the user's that do not end.

use std::fs;

use serde_json::Value as Json;

use crate::common::{Workspace, column, stdout, unwrapped};

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
    let sweep = workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(4);
    let told = unwrapped(&stdout(&sweep));
    assert!(told.contains("20 of 20 points: 10 ok, 1 failed, 9 not run"), "{told}");
    assert!(told.contains("9 of 10 points of `other` were not run, n = 1000 to 300000; block = 64, 128. The first: the same variant did"), "{told}");
    let page = workspace.read("run/report.html");
    assert!(
        page.contains("20 of 20 points of the grid: 10 ok, 1 failed, 9 not run."),
        "the page tells them apart, too"
    );
    let points = workspace.read("run/points.csv");
    let rows = column(&points, "variant").into_iter().zip(column(&points, "n")).zip(column(&points, "block"));
    for ((((variant, n), block), reason), status) in rows.zip(column(&points, "reason")).zip(column(&points, "status"))
    {
        let expected = match (variant.as_str(), n.as_str(), block.as_str()) {
            ("straight", _, _) => ("ok", ""),
            (_, "1000", "64") => ("failed", "add.ptx:4"),
            (_, "1000", "128") => ("not run", "the same variant did not end at the smaller block=64"),
            (_, _, "64") => ("not run", "the same variant did not end at the smaller n=1000"),
            _ => ("not run", "the same variant did not end at the smaller n=1000 block=64"),
        };
        let is_told = reason.starts_with(expected.1) && reason.is_empty() == expected.1.is_empty();
        assert!(is_told && status == expected.0, "{variant} n={n} block={block}: {status}: {reason}");
    }
    let fit: Json = serde_json::from_str(&stdout(&workspace.apbench(&["fit", "run", "--json"]).assert())).unwrap();
    assert_eq!((&fit["points"]["failed"], &fit["points"]["not_run"]), (&Json::from(1), &Json::from(9)));
    let diagnosis = workspace.apbench(&["diagnose", "add.toml", "--device", "sim:h200"]).assert().code(4);
    let told = unwrapped(&stdout(&diagnosis));
    assert!(told.contains("other: not diagnosed: add.ptx:4") && told.contains("; found at n=1000 block=128"), "{told}");
}
