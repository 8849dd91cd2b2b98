//! The newest runs by name, as commands take them: `last`, `last~1`, `last:SCENARIO`.

use std::fs;
use std::time::Duration;

use crate::common::{SCENARIO, Workspace, stderr, stdout};

/// Sweeps `small.toml` twice and `other.toml` once, in this order, each into its own directory under `results/`.
fn swept() -> Workspace {
    let workspace = Workspace::new();
    fs::write(workspace.path("other.toml"), SCENARIO).unwrap();
    for (scenario, slope_us) in [("small.toml", 1), ("small.toml", 2), ("other.toml", 3)] {
        let device = format!("mock:outside_us=10,slope_us={slope_us}");
        workspace.apbench(&["sweep", scenario, "--device", &device]).assert().code(0);
        // A start is kept to the second, and runs of one second are in the order of their names.
        std::thread::sleep(Duration::from_millis(1100));
    }
    workspace
}

#[test]
fn names_mean_the_runs_of_real_sweeps() {
    let workspace = swept();
    for (name, slope) in [
        ("last", "3.000 µs"),
        ("last~1", "2.000 µs"),
        ("last~2", "1.000 µs"),
        ("last:small", "2.000 µs"),
        ("last~1:small", "1.000 µs"),
        ("last:other", "3.000 µs"),
    ] {
        let told = stdout(&workspace.apbench(&["fit", name]).assert().code(0));
        let has = ["1.000 µs", "2.000 µs", "3.000 µs"].map(|own| (own, told.contains(own)));
        assert_eq!(
            has.map(|(own, is_told)| is_told.then_some(own)).iter().flatten().collect::<Vec<_>>(),
            [&slope],
            "{name}: {told}"
        );
    }
    workspace.apbench(&["compare", "last~1:small", "last:small"]).assert().code(0);
}

#[test]
fn a_run_that_there_is_not_is_a_usage_error_with_what_there_is() {
    let workspace = Workspace::new();
    let nothing = stderr(&workspace.apbench(&["fit", "last"]).assert().code(2));
    assert!(nothing.contains("no run in results/"), "{nothing}");
    let workspace = swept();
    let beyond = stderr(&workspace.apbench(&["fit", "last~3"]).assert().code(2));
    assert!(beyond.contains("results/ has 3 runs; the oldest is last~2"), "{beyond}");
    let unknown = stderr(&workspace.apbench(&["fit", "last:smal"]).assert().code(2));
    assert!(unknown.contains("did you mean `small`?"), "{unknown}");
}
