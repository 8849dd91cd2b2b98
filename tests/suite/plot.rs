//! `plot`: other views of runs, overlays, and what is told where they cannot be had.

use std::fs;

use crate::common::{Workspace, stderr, stdout};

/// A run of the small scenario on the mock.
fn with_run() -> Workspace {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).success();
    workspace
}

/// The standard error of a `plot` that is refused.
fn refusal(workspace: &Workspace, arguments: &[&str]) -> String {
    let assert = workspace.apbench(&[&["plot"], arguments].concat()).assert().code(2);
    stderr(&assert)
}

#[test]
fn a_view_that_the_scenario_does_not_have_is_a_file_of_its_own() {
    let workspace = with_run();
    let before = workspace.read("run/charts/runtime.svg");
    let arguments = ["plot", "run", "--x", "branches", "--facets", "operation", "--log", "xy", "--size", "1000x600"];
    let assert = workspace.apbench(&arguments).assert().success();
    let file = "run/charts/time-by-branches-facets-operation-log-xy";
    assert_eq!(stdout(&assert), format!("wrote {file}.svg\nwrote {file}.png\n"));
    let svg = workspace.read(&format!("{file}.svg"));
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"600\""),
        "{}",
        &svg[..200]
    );
    assert!(svg.contains("operation compute") && svg.contains("operation convolution"), "a panel each");
    assert_eq!(workspace.read("run/charts/runtime.svg"), before);
}

#[test]
fn the_scenarios_charts_can_be_changed() {
    let workspace = with_run();
    let arguments = ["plot", "run", "--theme", "dark", "--format", "svg", "--title", "By night", "--out", "dark"];
    let assert = workspace.apbench(&arguments).assert().success();
    assert_eq!(stdout(&assert), "wrote dark/runtime.svg\n");
    let svg = workspace.read("dark/runtime.svg");
    assert!(svg.contains("<title>By night</title>") && !svg.contains("fill=\"#FFFFFF\""), "{svg}");
    assert!(svg.contains("compute") && svg.contains("R² ="), "what was not changed stays: series and laws");
    let arguments =
        ["plot", "run", "--chart", "runtime", "--only", "operation=compute", "--only", "branches=1,2", "--out", "less"];
    workspace.apbench(&arguments).assert().success();
    assert!(workspace.read("less/runtime.svg").contains("compute: 2 points."), "two branches of one operation");
}

#[test]
fn a_view_of_a_chart_does_not_take_its_place() {
    let workspace = with_run();
    let before = workspace.read("run/charts/runtime.svg");
    let written = |arguments: &[&str]| {
        let all = [&["plot", "run", "--chart", "runtime", "--format", "svg"], arguments].concat();
        stdout(&workspace.apbench(&all).assert().success())
    };
    let only = ["--only", "operation=compute"];
    let view = "run/charts/runtime-only-operation-compute.svg\n";
    assert_eq!(written(&only), format!("wrote {view}"));
    assert_eq!(written(&only), format!("replaced {view}"));
    assert_eq!(written(&["--title", "Anew"]), "wrote run/charts/runtime-view.svg\n");
    assert_eq!(written(&["--theme", "dark"]), "wrote run/charts/runtime-dark.svg\n");
    assert_eq!(workspace.read("run/charts/runtime.svg"), before);
    assert_eq!(written(&["--title", "Anew", "--name", "runtime"]), "replaced run/charts/runtime.svg\n");
    assert_ne!(workspace.read("run/charts/runtime.svg"), before);
}

#[test]
fn times_of_one_variant_are_relative_to_none() {
    let workspace = with_run();
    let arguments = ["plot", "run", "--x", "branches", "--normalise", "divergent"];
    let assert = workspace.apbench(&arguments).assert().success();
    assert_eq!(stdout(&assert), "nothing to normalise: divergent is the only variant of this run\n");
    let assert = workspace.apbench(&["fit", "run", "--reference", "divergent"]).assert().success();
    let told = "nothing to compare: divergent is the only variant of this run";
    assert!(stdout(&assert).contains(told), "{}", stdout(&assert));
}

#[test]
fn options_of_fit_that_lack_one_another_are_told_as_options() {
    let workspace = with_run();
    for (arguments, words) in [
        (&["--law", "affine"][..], "add --predictor NAME, one of branches_per_warp"),
        (&["--law", "auto"], "add --predictor NAME"),
        (&["--law", "slowdown"], "add --reference VARIANT, one of divergent"),
        (&["--predictor", "branchs"], "did you mean `branches`"),
        (&["--reference", "divergnt"], "did you mean `divergent`"),
    ] {
        let message = stderr(&workspace.apbench(&[&["fit", "run"], arguments].concat()).assert().code(2));
        assert!(message.contains(words) && !message.contains("[[fit]]"), "{arguments:?}: {message}");
    }
}

#[test]
fn every_kind_is_drawn() {
    let workspace = with_run();
    for (kind, more, words) in [
        ("bars", &["--x", "operation"][..], "geometric means over branches"),
        ("heat", &["--x", "branches", "--rows", "operation"], "↑ "),
        ("residuals", &[], "not leave-one-out"),
        ("lines", &["--x", "branches", "--y", "branches_per_warp"], "branches"),
    ] {
        let arguments =
            [&["plot", "run", "--kind", kind, "--name", kind, "--out", "kinds", "--format", "svg"], more].concat();
        workspace.apbench(&arguments).assert().success();
        let svg = workspace.read(&format!("kinds/{kind}.svg"));
        assert!(svg.contains(words), "{kind}: {svg}");
        assert!(svg.contains("mock"), "{kind} says where its values are from");
    }
}

#[test]
fn runs_are_overlaid_with_a_stroke_each() {
    let workspace = with_run();
    let simulated = ["sweep", "small.toml", "--device", "sim:gtx280", "--set", "branches=1,2", "--out", "other"];
    workspace.apbench(&simulated).assert().success();
    let message = refusal(&workspace, &["run", "other"]);
    assert!(message.contains("--out DIR"), "{message}");
    workspace.apbench(&["plot", "run", "other", "--out", "both", "--format", "svg"]).assert().success();
    let svg = workspace.read("both/runtime.svg");
    for words in ["compute · NVIDIA GeForce GTX 280", "mock", "sim:gtx280"] {
        assert!(svg.contains(words), "{words}: {svg}");
    }
}

#[test]
fn runs_of_different_families_are_no_chart() {
    let workspace = with_run();
    let other = "family = \"global_access\"\n[grid]\nwidth = 64\n[[chart]]\nx = \"width\"\n";
    fs::write(workspace.path("other.toml"), other).unwrap();
    workspace.apbench(&["sweep", "other.toml", "--device", "mock:", "--out", "other"]).assert().success();
    let message = refusal(&workspace, &["run", "other", "--out", "both"]);
    assert!(message.contains("run measured `branching` and other measured `global_access`"), "{message}");
}

#[test]
fn names_that_there_are_not_are_told_with_those_that_there_are() {
    let workspace = with_run();
    for (arguments, words) in [
        (&["--chart", "runtme"][..], &["no chart `runtme`", "did you mean `runtime`"][..]),
        (&["--x", "branchs"], &["`branchs` is neither a parameter nor a predictor", "did you mean `branches`"]),
        (&["--kind", "pie"], &["`kind` cannot be `pie`", "lines, bars, heat, residuals"]),
        (&["--x", "branches", "--y", "speed"], &["`y` cannot be `speed`", "gb_per_s"]),
        (&["--kind", "bars", "--normalise", "divrgent"], &["not a variant of `branching`", "did you mean `divergent`"]),
        (&["--x", "branches", "--facets", "branches"], &["is the chart's `x`"]),
        (&["--kind", "heat", "--x", "branches"], &["a heat map without `rows`"]),
        (&["--kind", "residuals", "--fit", "other"], &["not a law that the scenario fits", "branches"]),
        (&["--kind", "residuals", "--y", "time"], &["a chart of kind = \"residuals\" has no `y`"]),
        (&["--size", "big"], &["`size` must be a width and a height"]),
        (&["--size", "10x10"], &["from 300 to 4000"]),
        (&["--only", "operation"], &["write a parameter, `=` and values"]),
        (&["--only", "operation=add"], &["compute"]),
        (&["--log", "z"], &["possible values: x, y, xy, none"]),
    ] {
        let message = refusal(&workspace, &[&["run"], arguments].concat());
        for words in words {
            assert!(message.contains(words), "{arguments:?}: {message}");
        }
    }
}

#[test]
fn errors_in_options_look_like_those_of_scenarios() {
    let workspace = with_run();
    insta::assert_snapshot!(refusal(&workspace, &["run", "--x", "operation", "--series", "branches,width,wdth"]));
}

#[test]
fn values_that_the_grid_does_not_have_are_told_when_the_scenario_is_read() {
    let workspace = Workspace::new();
    let text = crate::common::SCENARIO.to_owned() + "only = { branches = [2, 3] }\n";
    fs::write(workspace.path("small.toml"), text).unwrap();
    let assert = workspace.apbench(&["sweep", "small.toml", "--device", "mock:", "--dry-run"]).assert().success();
    let note = "note: chart runtime: `only` asks for branches = 3, which the grid does not have; it has 1, 2, 4, 8";
    assert!(stderr(&assert).contains(note), "{}", stderr(&assert));
}
