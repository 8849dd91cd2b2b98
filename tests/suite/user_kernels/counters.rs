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
