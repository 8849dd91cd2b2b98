//! Conditions and choices in the contents of buffers and in what they must hold.

use std::fs;

use super::{SCENARIO, workspace};
use crate::common::stdout;

/// Each point holds what the conditions say, and a wrong one is told with the element at which it is wrong.
#[test]
fn contents_are_chosen_by_conditions_of_the_index() {
    let workspace = workspace("3F800000");
    let with = |check: &str| {
        let buffer = format!("fill = \"if(i < 8 || i % 6 == 4, 2, i >= n - 8)\", check = \"{check}\"");
        fs::write(
            workspace.path("add.toml"),
            SCENARIO.replace("fill = \"iota\", check = \"variants agree\", relative = 1e-6", &buffer),
        )
        .unwrap();
        workspace.apbench(&["verify", "add.toml", "--device", "sim:h200", "--set", "n=1000,5000"]).assert()
    };
    let told = stdout(&with("1 + if(!(i >= 8 && i % 6 != 4), 2, i > n - 9)").code(0));
    assert!(told.contains("4 passed, 0 failed"), "{told}");
    let told = stdout(&with("if(i < 8 || i % 6 == 4, 3, 1)").code(4));
    assert!(told.contains("element 992: 2, 1 was expected"), "{told}");
}
