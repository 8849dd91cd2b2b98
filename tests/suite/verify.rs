//! What `apbench verify` checks unless it is told otherwise.

use std::fs;

use crate::common::{H200, Workspace, stderr, stdout};

/// What comes with the program has sizes of GPUs, which a simulated one checks for minutes.
#[test]
fn a_simulated_device_verifies_small_sizes_unless_others_are_asked_for() {
    let workspace = Workspace::new();
    let text = "family = \"transpose\"\nvariants = [\"naive\", \"copy\"]\n[grid]\nwidth = [96, 512]\n[simulated]\nwidth = 64\n";
    fs::write(workspace.path("two.toml"), text).unwrap();
    for (options, points, note) in [
        (&[][..], 2, "note: two has its small sizes: width is 64 instead of 96, 512; --sizes gpu checks the others"),
        (&["--sizes", "gpu"], 4, ""),
        (&["--set", "width=128"], 2, ""),
    ] {
        let arguments = [&["verify", "two.toml", "--device", "sim:h200"], options].concat();
        let assert = workspace.apbench(&arguments).assert().code(0);
        let first = format!("verifying {points} points on NVIDIA H200 (simulated) (sim:h200)\n");
        assert!(stdout(&assert).starts_with(&first), "{options:?}: {}", stdout(&assert));
        assert_eq!(stderr(&assert).trim_end(), note, "{options:?}");
    }
}

/// On one multiprocessor few blocks take many tiles in turn, at sizes that a test can afford: a ring of nine stages goes round twice.
#[test]
fn blocks_that_take_tile_after_tile_are_right() {
    let workspace = Workspace::new();
    fs::write(workspace.path("one.toml"), H200.replace("sm_count = { value = 132", "sm_count = { value = 1")).unwrap();
    for (scenario, elements, points) in [("prefix-sum", "150001", 12), ("histogram", "100003", 21)] {
        let set = format!("elements={elements}");
        let arguments = ["sweep", scenario, "--device", "sim:one.toml", "--set", &set, "--out", scenario];
        workspace.apbench(&arguments).assert().code(0);
        let rows = workspace.read(&format!("{scenario}/points.csv"));
        assert_eq!(rows.matches(",ok,").count(), points, "{rows}");
    }
}
