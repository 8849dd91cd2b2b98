//! What a sweep concludes of kernels of the user's.

use std::fs;
use std::path::Path;

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
    let of_thousand = told("200_000, 400_000, 600_000, 800_000, 1_000_000", "1_000_000");
    assert!(of_thousand.contains("straight: raising blocks_needed by a thousand costs 6"), "{of_thousand}");
    assert!(of_thousand.contains(" ns (the law holds") && !of_thousand.contains("by one"), "{of_thousand}");
}

/// What a sweep of a kernel of `tests/kernels` prints, with a text of its scenario replaced.
fn told_of(name: &str, (old, new): (&str, &str)) -> (String, String) {
    let workspace = Workspace::new();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let text = |extension: &str| fs::read_to_string(kernels.join(name).with_extension(extension)).unwrap();
    fs::write(workspace.path(&format!("{name}.ptx")), text("ptx")).unwrap();
    let scenario = text("toml").replace(&format!("{name}.cu"), &format!("{name}.ptx")).replace(old, new);
    fs::write(workspace.path("own.toml"), scenario).unwrap();
    let arguments = ["sweep", "own.toml", "--device", "sim:h200", "--out", "run"];
    let told = stdout(&workspace.apbench(&arguments).assert().code(0));
    (unwrapped(&told), fs::read_to_string(workspace.path("run/run.json")).unwrap())
}

#[test]
fn what_blocks_hand_to_each_other_is_said_to_have_no_time() {
    let left_out = "`spin_lock` waits in a loop for what other blocks write; simulated times leave out most of what it takes to hand a value \
                    from one multiprocessor to another, so they may be far too short.";
    let known = "Simulated: times of kernels that the simulator was not made with are";
    let (told, metadata) = told_of("spin_lock", ("", ""));
    assert!(told.contains(left_out) && told.contains(known), "{told}");
    assert!(metadata.contains("\"hand_over\""), "{metadata}");
    // A block alone hands nothing on, and who only adds waits for nobody.
    for (name, replaced) in [("spin_lock", ("blocks = [256]", "blocks = [1]")), ("histogram", ("", ""))] {
        let (told, metadata) = told_of(name, replaced);
        assert!(!told.contains("leave out most") && told.contains(known), "{told}");
        assert!(!metadata.contains("\"hand_over\""), "{metadata}");
    }
}
