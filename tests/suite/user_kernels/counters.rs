//! Laws in what a simulated device counts.

use std::fs;

use super::{SCENARIO, workspace};
use crate::common::{column, stderr, stdout};

#[test]
fn a_counter_may_be_a_predictor() {
    let workspace = workspace("3F800000");
    let scenario = SCENARIO.replace("predictor = \"blocks_needed\"", "predictor = \"global_store_transactions\"");
    fs::write(workspace.path("add.toml"), scenario).unwrap();
    workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200", "--out", "run"]).assert().code(0);
    let fits = workspace.read("run/fits.csv");
    assert!(column(&fits, "predictor").iter().all(|own| own == "global_store_transactions"), "{fits}");
    assert!(column(&fits, "verdict").iter().all(|own| !own.starts_with("not fitted")), "{fits}");
    // Another one can be asked for afterwards.
    let fit = workspace.apbench(&["fit", "run", "--law", "affine", "--predictor", "ptx_instructions"]).assert().code(0);
    assert!(stdout(&fit).contains("ptx_instructions"), "{}", stdout(&fit));
    let refused = workspace.apbench(&["fit", "run", "--law", "affine", "--predictor", "ptx_instruction"]).assert();
    insta::assert_snapshot!("no_such_counter", stderr(&refused.code(2)));
    let predict = workspace.apbench(&["predict", "run", "--set", "n=7000"]).assert().code(2);
    assert!(stderr(&predict).contains("is known at the run's own points alone"), "{}", stderr(&predict));
    let mut predict =
        workspace.apbench(&["predict", "run", "--set", "n=7000", "--law", "affine", "--predictor", "blocks_needed"]);
    let told = stdout(&predict.assert().code(0));
    assert_eq!(told.matches("n=7000").count(), 2, "{told}");
    let refused = workspace.apbench(&["predict", "run", "--set", "m=7000"]).assert().code(2);
    assert!(stderr(&refused).contains("is not a parameter of `add`"), "{}", stderr(&refused));
}

/// A parameter of the kernel goes before a counter of its name.
#[test]
fn a_parameter_may_be_called_as_a_counter() {
    let workspace = workspace("3F800000");
    let scenario = SCENARIO
        .replace("block = {", "blocks = {")
        .replace("n / block)", "n / blocks)")
        .replace("block = \"block\"", "block = \"blocks\"")
        .replace("blocks_needed", "waves_per_sm");
    fs::write(workspace.path("add.toml"), scenario).unwrap();
    let sweep = ["sweep", "add.toml", "--device", "sim:h200", "--out", "run"];
    workspace.apbench(&sweep).assert().code(0);
    let points = workspace.read("run/points.csv");
    let header: Vec<&str> = points.lines().next().unwrap().split(',').collect();
    for name in ["blocks", "waves_per_sm"] {
        assert_eq!(header.iter().filter(|own| **own == name).count(), 1, "{header:?}");
    }
    assert!(column(&points, "blocks").iter().all(|own| own == "128"), "{points}");
    assert!(column(&points, "ptx_instructions").iter().all(|own| own.parse::<u64>().is_ok()), "{points}");
    workspace.apbench(&["fit", "run"]).assert().code(0);
    workspace.apbench(&[&sweep[..], &["--resume"]].concat()).assert().code(0);
}

#[test]
fn a_device_that_does_not_count_says_so() {
    let workspace = workspace("3F800000");
    let scenario = SCENARIO.replace("predictor = \"blocks_needed\"", "predictor = \"global_store_transactions\"");
    fs::write(workspace.path("add.toml"), scenario).unwrap();
    workspace.apbench(&["sweep", "add.toml", "--device", "mock", "--out", "run"]).assert().code(0);
    let fits = workspace.read("run/fits.csv");
    let expected = "not fitted: this device does not count global_store_transactions; simulated devices do";
    assert_eq!(column(&fits, "verdict"), [expected, expected]);
}
