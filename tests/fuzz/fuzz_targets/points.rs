//! No text is a panic as the points of a run, whether read or held against a scenario's grid, and no time that is not a number gets in.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use apbench::properties::Properties;
use apbench::run::check_grid;
use apbench::run::reader::parse_points;
use apbench::scenario::Scenario;
use gpu_simulator::profile::Profile;
use libfuzzer_sys::fuzz_target;

const SCENARIO: &str = "family = \"branching\"\nvariants = [\"divergent\", \"table_lookup\"]\n\n[grid]\nbranches = [1, 2, 4, 8]\nblock = [128, 256]\n";

static OWN: LazyLock<(Scenario, Properties)> = LazyLock::new(|| {
    let scenario = Scenario::parse("branching.toml", SCENARIO, &[], 1000).expect("a scenario");
    (scenario, Properties::simulated(&Profile::load("h200").expect("an embedded profile")))
});

fuzz_target!(|text: &str| {
    let Ok(points) = parse_points(Path::new("points.csv"), text, &mut Vec::new()) else { return };
    assert!(points.iter().all(|point| point.timing.as_ref().is_none_or(|timing| timing.median.time_us.is_finite())));
    let (scenario, device) = &*OWN;
    let count = scenario.points(device).expect("its own points").len();
    let _ = check_grid(Path::new("no-such-run"), scenario, device, count, &points);
});
