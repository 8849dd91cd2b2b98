use std::fmt::Write as _;
use std::path::Path;

use super::conclusion;
use crate::ladder::ladder;
use crate::model::group::fit_points;
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// The conclusion of a run that was measured on an H200.
fn of_run(name: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/nvidia-h200").join(name);
    let run = Run::read(&directory).expect("a run");
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
    let fits = fit_points(&scenario.fits, scenario.family, &run.points);
    let of_ladder = ladder(scenario.family, &scenario.variants, &run.metadata.device, &run.points, &[], &[]);
    let of_ladder = of_ladder.map(|ladder| ladder.conclusion()).unwrap_or_default();
    let own = conclusion(&run, &scenario, &fits);
    of_ladder.into_iter().chain(own.shown).chain(own.untold).collect()
}

#[test]
fn measured_runs_are_concluded_in_a_few_sentences() {
    let names = [
        "atomics",
        "bank-conflicts",
        "block-size-1d",
        "block-size-square",
        "block-sync",
        "branching",
        "branching-remedies",
        "branching-unequal",
        "branching-weighted",
        "data-layout",
        "elements-per-thread",
        "global-access",
        "global-stride",
        "global-sync",
        "partition-camping",
        "prefix-sum",
        "reduction",
        "reduction-sizes",
        "select-sum",
        "shared-access",
        "stencil-halo",
        "synchronisation-cost",
        "transpose",
        "trapezoid",
    ];
    let mut text = String::new();
    for name in names {
        let _ = writeln!(text, "{name}");
        for sentence in of_run(name) {
            let _ = writeln!(text, "  {sentence}");
        }
    }
    insta::assert_snapshot!(text);
}
