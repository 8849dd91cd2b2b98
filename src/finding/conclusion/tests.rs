use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{conclusion, left_out, listed, listed_in_order};
use crate::finding::line_meetings;
use crate::ladder::ladder;
use crate::model::group::fit_points;
use crate::record::PointRecord;
use crate::run::metadata::RunStatus;
use crate::run::reader::Run;
use crate::scenario::{EMBEDDED, Scenario};

/// A run that was measured on an H200, or else on an H100.
fn directory(name: &str) -> PathBuf {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let [first, other] = ["nvidia-h200", "nvidia-h100"].map(|gpu| results.join(gpu).join(name));
    if first.join("run.json").is_file() { first } else { other }
}

/// Its conclusion.
fn of_run(name: &str) -> Vec<String> {
    let run = Run::read(&directory(name)).expect("a run");
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
    let fits = fit_points(&scenario.fits, scenario.family, &run.points);
    let of_ladder = ladder(scenario.family, &scenario.variants, &run.metadata.device, &run.points, &[], &[]);
    let of_ladder = of_ladder.map(|ladder| ladder.conclusion()).unwrap_or_default();
    let own = conclusion(&run, &scenario, &fits);
    of_ladder.into_iter().chain(own.shown).chain(own.untold).collect()
}

/// One is named and not counted; of a list in order both ends are named.
#[test]
fn lists_never_leave_out_one_word_nor_an_end() {
    let words = |most: usize| ["a", "b", "c", "d", "e", "f", "g", "h"].map(str::to_owned)[..most].to_vec();
    let told = |most: usize| [listed(&words(most), ", "), listed_in_order(&words(most), "; ")];
    assert_eq!(told(1), ["a", "a"]);
    assert_eq!(told(6), ["a, b, c, d, e, f", "a; b; c; d; e; f"]);
    assert_eq!(told(7), ["a, b, c, d, e and 2 more", "a; b; c; d; 2 more in between; g"]);
    assert_eq!(told(8), ["a, b, c, d, e and 3 more", "a; b; c; d; 3 more in between; h"]);
    assert_eq!((left_out("3 more in between"), left_out("shared 2.58")), (Some(3), None));
}

/// Seven variants beside a copy: the fastest is among those that are named.
#[test]
fn the_fastest_of_many_variants_is_named() {
    let told = of_run("whole-sectors/transpose").join("\n");
    assert!(told.contains(", shared_padded") && told.contains("whole_sectors"), "{told}");
    assert!(!told.contains("and 1 more"), "{told}");
}

/// The scope of a cluster costs what the device's does, and both are told together.
#[test]
fn scopes_that_cost_the_same_are_told_together() {
    let told = of_run("scopes/fences").join("\n");
    let costs = "every further round costs 17.64 ns to 44.95 ns with scope=block, 147.5 ns to 401.7 ns with scope=cluster or device, ";
    assert!(told.contains(costs) && !told.contains("scope=device"), "{told}");
    let told = of_run("scopes/fences-release").join("\n");
    assert!(
        told.contains("acquire_load (with scope=cluster or device) 0.630, acquire_load (with scope=system) 0.312."),
        "{told}"
    );
    let multiples = told.lines().filter(|sentence| sentence.starts_with("Every further round costs, as a multiple"));
    assert_eq!(multiples.count(), 3, "{told}");
}

/// Where they do not cost the same, each is told by itself.
#[test]
fn scopes_that_cost_something_else_are_told_apart() {
    let mut run = Run::read(&directory("scopes/fences-release")).expect("a run");
    let is_of_cluster = |point: &&mut PointRecord| {
        point.variant == "release_store" && point.value("scope").as_deref() == Some("cluster")
    };
    for point in run.points.iter_mut().filter(is_of_cluster) {
        point.timing.as_mut().expect("a time").median.time_us *= 1.1;
    }
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
    let fits = fit_points(&scenario.fits, scenario.family, &run.points);
    let told = conclusion(&run, &scenario, &fits).shown.join("\n");
    assert!(told.contains("fence_and_store's with scope=cluster: ") && told.contains("with scope=device: "), "{told}");
}

/// What was not measured yet may be otherwise.
#[test]
fn an_interrupted_run_is_concluded_at_its_points_so_far() {
    let mut run = Run::read(&directory("transpose")).expect("a run");
    run.metadata.status = RunStatus::Interrupted;
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
    let fits = fit_points(&scenario.fits, scenario.family, &run.points);
    let told = conclusion(&run, &scenario, &fits).shown.join("\n");
    assert!(told.contains("Faster than naive at all points so far: ") && !told.contains("everywhere"), "{told}");
    let meetings: Vec<String> = line_meetings(&run, &scenario).iter().map(|own| own.told(false)).collect();
    assert!(meetings.contains(&"shared is faster than naive at all points so far".to_owned()), "{meetings:?}");
}

/// Scenarios that ask what others take beside the pattern.
#[test]
fn a_conclusion_begins_with_what_the_scenario_asks_for() {
    for (name, begins) in [
        ("l2-residency", "Faster than plain everywhere: streaming_loads 1.03 to 1.25 times as fast."),
        ("launch-overlap-blocks", "Faster than stream everywhere: dependent_graph 1.10 to 3.90 times as fast"),
        (
            "cluster-barrier",
            "Faster than grid_barrier everywhere: cluster_barrier, in clusters of several blocks 3.21 to 6.36 and in clusters of one block 6.88 to 27.9 times as fast.",
        ),
        // The layout costs four times as much, the instruction 1 %.
        ("matrix-fragments", "plain: raising fragments by one costs 64.77 ns to 64.90 ns with layout=padded, "),
        (
            "atomic-types",
            "Every further addition of each thread costs at most, as multiples of u32's: with memory=global sharers=thread f32x4 4.00, ",
        ),
        ("energy-of-branching", "Least energy of a launch: "),
        ("energy-of-data", "global: raising read_bytes by a thousand costs an energy of 77.57 nJ with data=zeros, "),
    ] {
        let told = of_run(name);
        assert!(told[0].starts_with(begins), "{told:?}");
    }
    for (name, begins) in [
        ("atomic-aggregation", "aggregation=warp against aggregation=none with memory=global scope=device"),
        ("cluster-aggregation", "Against cluster_blocks = 1: u32 is nowhere faster"),
        (
            "fences-work",
            "Nothing of work is hidden with sequential_fence, acquire_release_fence, fence_and_store, release_store: each adds 2.46",
        ),
    ] {
        let told = of_run(name);
        assert!(told[0].starts_with(begins), "{told:?}");
    }
    for (name, begins) in [
        (
            "asynchronous-copies",
            "Fastest: bulk_specialised, in the geometric mean 2.01 times as fast as loads (0.897 to 4.60), 1.06 times as fast as async_copies (0.736 to 1.34).",
        ),
        ("copy-stages", "Fastest: async_copies, in the geometric mean 2.00 times as fast as loads (1.07 to 3.47)."),
        ("matrix-tiles", "In comparison with tile_copies, loads takes 1.16 to 3.85 times as long"),
    ] {
        assert!(of_run(name)[0].starts_with(begins), "{:?}", of_run(name));
    }
    let told = of_run("cluster-aggregation");
    assert!(told[0].contains("f32 is faster at 4 of 24 points, all from launched_blocks = 512 on"), "{told:?}");
    let told = of_run("fences");
    let is_in_order =
        ["with scope=block, ", "with scope=device, ", "with scope=system"].map(|scope| told[0].find(scope));
    assert!(is_in_order.iter().all(Option::is_some) && is_in_order.is_sorted(), "{told:?}");
    let told = of_run("l2-residency").join("\n");
    assert!(
        told.contains(
            "persisting_window wherever they differ (with passes=4 and block=128) and nowhere (with passes=4 and block=1024)"
        ),
        "{told}"
    );
}

/// A GPU without a counter of energy, and a simulated one, measure times alone.
#[test]
fn a_run_without_energies_says_so_first() {
    let mut run = Run::read(&directory("energy-of-branching")).expect("a run");
    for point in &mut run.points {
        point.counters = crate::record::Texts::default();
    }
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
    let told = |run: &Run| {
        let fits = fit_points(&scenario.fits, scenario.family, &run.points);
        conclusion(run, &scenario, &fits).shown
    };
    assert_eq!(told(&run)[0], "No energy was measured. The times alone say this:");
    run.metadata.device.origin = crate::properties::Origin::Simulated;
    assert_eq!(told(&run)[0], "No energy was measured: a simulated GPU has none. The times alone say this:");
    assert!(
        told(&run)[1].starts_with("divergent: every further branch costs as much as the first: "),
        "{:?}",
        told(&run)
    );
}

/// A choice with which a variant is slower everywhere is told as that, not as so many times as fast.
#[test]
fn nothing_below_one_is_told_as_how_much_faster() {
    for name in ["cluster-exchange", "atomic-rate"] {
        for sentence in of_run(name) {
            let most = sentence.match_indices(" with ").filter_map(|(at, _)| {
                let told = sentence[..at].rsplit([' ', ',']).next()?;
                told.parse::<f64>().ok().filter(|_| sentence.contains("up to") && sentence.starts_with("Faster than"))
            });
            assert!(most.into_iter().all(|ratio| ratio > 1.0), "{sentence}");
        }
    }
    let told = of_run("cluster-exchange").join("\n");
    assert!(
        told.contains("nowhere with loads_are=wide, up to 1.43 times as fast, at worst 3.44 times as long"),
        "{told}"
    );
}

/// Where the place of the only point is told, its number is not from where on.
#[test]
fn one_point_that_gains_is_told_by_itself() {
    let mut run = Run::read(&directory("cluster-aggregation")).expect("a run");
    let is = |point: &PointRecord, name: &str, value: &str| point.value(name).as_deref() == Some(value);
    let is_kept = |point: &PointRecord| {
        is(point, "aggregation", "cluster_atomics")
            && (is(point, "cluster_blocks", "1") || is(point, "cluster_blocks", "2"))
            && !is(point, "launched_blocks", "512")
    };
    run.points.retain(is_kept);
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario).expect("a scenario");
    let fits = fit_points(&scenario.fits, scenario.family, &run.points);
    let told = conclusion(&run, &scenario, &fits).shown.join("\n");
    let one =
        "f32 is faster at 1 of 3 points, 1.55 times, with launched_blocks=1024 cluster_blocks=2, and takes up to ";
    assert!(told.contains(one), "{told}");
}

/// Neither faster nor slower everywhere is not as fast.
#[test]
fn a_choice_that_gains_at_some_points_only_is_told_with_its_range() {
    let mut run = Run::read(&directory("atomic-aggregation")).expect("a run");
    let text = run.scenario.replace(", additions = [2048, 128]", "");
    let scenario = Scenario::of_run(&run.metadata.scenario, "scenario.toml", &text).expect("a scenario");
    for point in run.points.iter_mut().filter(|point| point.variant == "u32") {
        let is = |name: &str, value: &str| point.value(name).as_deref() == Some(value);
        if is("aggregation", "block") && is("additions", "256") && is("memory", "global") {
            let median = &mut point.timing.as_mut().expect("a time").median;
            median.time_us /= 100.0;
            median.low_us = median.low_us.map(|low_us| low_us / 100.0);
            median.high_us = median.high_us.map(|high_us| high_us / 100.0);
        }
    }
    let told = super::choices::choices(&run, &scenario).join("\n");
    assert!(told.contains("; u32 0.636 to 64.9 times as fast, depending on the point."), "{told}");
    assert!(!told.contains("as fast for u32"), "{told}");
}

#[test]
fn measured_runs_are_concluded_in_a_few_sentences() {
    let measured = |name: &&str| directory(name).join("run.json").is_file();
    let names: Vec<&str> = EMBEDDED.iter().map(|own| own.name).filter(measured).collect();
    assert!(names.len() > 20, "{names:?}");
    let mut text = String::new();
    for name in names {
        let _ = writeln!(text, "{name}");
        for sentence in of_run(name) {
            let _ = writeln!(text, "  {sentence}");
        }
    }
    insta::assert_snapshot!(text);
}

/// A remedy's cost is read beside the pattern's, and that of a fence beside none.
#[test]
fn costs_of_few_others_stand_beside_the_patterns() {
    for (run, beside) in [
        ("cluster-barrier", "(the law holds to within 0.34 %); cluster_barrier 28.15 ns to 481.4 ns."),
        ("cluster-exchange", "; distributed 106.6 ns to 659.0 ns, own_shared 14.37 ns to 65.73 ns."),
        ("fences", "none 16.62 ns to 75.84 ns."),
    ] {
        let told = of_run(run).join("\n");
        assert!(told.contains(beside), "{told}");
    }
}

/// A variant that is `1.00 times as fast` at best is faster nowhere.
#[test]
fn what_is_as_fast_at_best_is_not_faster() {
    let told = of_run("fences").join("\n");
    assert!(told.contains("Nowhere clearly faster than sequential_fence: acquire_release_fence 0.99"), "{told}");
    assert!(!told.contains("up to 1.00 times"), "{told}");
    let told = of_run("fences-work").join("\n");
    assert!(told.contains("As fast as sequential_fence: acquire_release_fence."), "{told}");
}

/// A scenario names values of all its sizes, and a run at small ones has some of them.
#[test]
fn a_law_of_some_points_names_values_that_the_run_has() {
    let told = of_run("asynchronous-copies").join("\n");
    assert!(told.contains("among points with set_bytes=536870912)"), "{told}");
    assert!(!told.contains("set_bytes=100663296"), "{told}");
}
