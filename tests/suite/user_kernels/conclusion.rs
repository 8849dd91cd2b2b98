//! What a sweep concludes of kernels of the user's.

use std::fs;

use crate::common::{Workspace, stdout, unwrapped};

use super::{ADD, SCENARIO};

/// What a sweep of one kernel prints, at sizes that say little; `n` goes from 1 to `to`.
fn told(grid: &str, to: &str) -> String {
    let workspace = Workspace::new();
    fs::write(workspace.path("add.ptx"), ADD).unwrap();
    let text = SCENARIO.replace(", other = \"add_two\"", "").replace("to = 1_000_000", &format!("to = {to}"));
    fs::write(workspace.path("add.toml"), text.replace("1000, 5000, 20_000, 100_000, 300_000", grid)).unwrap();
    unwrapped(&stdout(&workspace.apbench(&["sweep", "add.toml", "--device", "sim:h200"]).assert().code(0)))
}

#[test]
fn a_parameter_at_the_end_of_its_range_is_not_asked_to_be_larger() {
    let of_grid = told("1000, 5000", "1_000_000");
    assert!(of_grid.contains("what patterns cost; larger values in [grid] say more."), "{of_grid}");
    let at_end = told("1000, 5000", "5000");
    let expected = "what patterns cost; `n` is as large as [parameters] allows: a larger `to` there says more.";
    assert!(at_end.contains(expected), "{at_end}");
}

#[test]
fn a_cost_far_below_a_nanosecond_is_told_of_a_thousand() {
    let of_thousand = told("1000, 5000, 20_000, 100_000, 300_000", "1_000_000");
    assert!(of_thousand.contains("straight: raising blocks_needed by a thousand costs 5"), "{of_thousand}");
    assert!(of_thousand.contains(" ns (the law holds") && !of_thousand.contains("by one"), "{of_thousand}");
}
