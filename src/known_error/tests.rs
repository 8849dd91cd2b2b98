use std::collections::BTreeSet;

use super::words::of_sizes;
use super::*;
use crate::family::Family;
use crate::properties::{Origin, ProfileRecord};
use crate::scenario::Sizes;
use gpu_simulator::TIMING_MODEL;
use gpu_simulator::profile::{Profile, embedded};

fn row(family: &str, sizes: SizesOfPoints, points: usize, slowdown_error_pct: Option<f64>) -> KnownError {
    KnownError {
        profile: "sim:h200".to_owned(),
        timing_model: TIMING_MODEL,
        gpu: "NVIDIA H200".to_owned(),
        sizes,
        family: family.to_owned(),
        scenario: None,
        scenarios: 1,
        scenario_names: family.replace('_', "-"),
        points,
        time_error_pct: 7.34,
        time_bias_pct: -6.2,
        time_error_95_pct: 14.96,
        slowdowns: slowdown_error_pct.map_or(0, |_| points),
        slowdown_error_pct,
    }
}

fn device(profile: &str) -> Properties {
    Properties::simulated(&Profile::load(profile).expect("a profile"))
}

#[test]
fn every_row_of_the_file_is_read_and_is_of_a_profile_and_a_family_that_exist() {
    assert_eq!(known().len(), EMBEDDED.lines().count() - 1);
    let header = COLUMNS.map(|column| column.name).join(",");
    assert_eq!(EMBEDDED.lines().next(), Some(header.as_str()));
    let mut keys = BTreeSet::new();
    for own in known() {
        assert!(embedded().iter().any(|profile| own.profile == format!("sim:{}", profile.name)), "{own:?}");
        assert!(Family::find(&own.family).is_some(), "{own:?}");
        assert!(own.points > 0 && own.time_error_95_pct >= own.time_error_pct / 2.0, "{own:?}");
        assert!(keys.insert((&own.profile, own.sizes.name(), &own.family, &own.scenario)), "twice: {own:?}");
        let names: BTreeSet<&str> = own.scenario_names.split(' ').collect();
        assert_eq!(names.len(), own.scenarios, "{own:?}");
        assert!(own.scenario.as_ref().is_none_or(|scenario| *scenario == own.scenario_names), "{own:?}");
    }
}

#[test]
fn sentences_say_with_what_and_at_which_sizes_times_were_compared() {
    use SizesOfPoints::{Gpu, Other, Simulated};
    let rows = [
        row("transpose", Simulated, 54, Some(10.0)),
        KnownError {
            scenarios: 2,
            scenario_names: "transpose transpose-rows".to_owned(),
            ..row("transpose", Other, 62, None)
        },
        row("branching", Simulated, 16, None),
        KnownError { scenario_names: "a b c".to_owned(), scenarios: 3, ..row("branching", Gpu, 1200, None) },
        KnownError {
            scenario: Some("b".to_owned()),
            scenario_names: "b".to_owned(),
            ..row("branching", Gpu, 19, Some(3.0))
        },
    ];
    let of_scenario =
        |profile: &str, family: &str, scenario, sizes| of_sizes(&rows, &device(profile), family, scenario, sizes);
    let of = |profile: &str, family: &str, sizes| of_scenario(profile, family, "my-own", sizes);
    let own = Properties { spec: "sim:my-h200.toml".to_owned(), ..device("h200") };
    let told = [
        of("h200", "transpose", Simulated),
        of("h200", "transpose", Gpu),
        of("h200", "transpose", Other),
        of("h200", "branching", Simulated),
        of("h200", "branching", Gpu),
        of("h200", "branching", Other),
        of("h200", "prefix_sum", Gpu),
        of("a100", "transpose", Simulated),
        of_sizes(&rows, &own, "transpose", "my-own", Simulated),
        of_scenario("h200", "branching", "b", Gpu),
        of_scenario("h200", "branching", "b", Simulated),
        of_scenario("h200", "transpose", "transpose", Simulated),
        of_scenario("h200", "transpose", "transpose", Other),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

/// The line and the ratios of a run are its scenario's where that was compared, and say so where they are its family's.
#[test]
fn lines_say_whether_errors_are_of_the_scenario_or_of_its_family() {
    let device = device("h200");
    let family = Family::find("transpose").expect("a family");
    let rows = [
        KnownError {
            scenarios: 2,
            scenario_names: "transpose transpose-rows".to_owned(),
            ..row("transpose", SizesOfPoints::Gpu, 62, Some(10.0))
        },
        KnownError {
            scenario: Some("transpose-rows".to_owned()),
            scenario_names: "transpose-rows".to_owned(),
            time_error_pct: 2.0,
            ..row("transpose", SizesOfPoints::Gpu, 8, Some(1.0))
        },
    ];
    let of = |scenario| Points { scenario, family, device: &device, points: &[], asked: Sizes::Gpu };
    let told = |scenario| (short(&rows, &of(scenario)).expect("a line"), slowdown_error(&rows, &of(scenario)));
    let own = "Simulated: times 2.0 % off the H200's on average (mostly too short), ratios between variants 1.0 %.";
    let of_family = "Simulated: times of this family 7.3 % off the H200's on average (mostly too short), ratios between variants 10 %.";
    assert_eq!(told("transpose-rows"), (own.to_owned(), Some((1.0, "this scenario"))));
    assert_eq!(told("my-own"), (of_family.to_owned(), Some((10.0, "this family"))));
}

#[test]
fn a_profile_has_a_sentence_for_each_choice_of_sizes() {
    let rows = [
        row("transpose", SizesOfPoints::Simulated, 50, Some(10.0)),
        KnownError { time_error_pct: 4.34, ..row("atomics", SizesOfPoints::Simulated, 50, Some(20.0)) },
        row("branching", SizesOfPoints::Gpu, 10, None),
        row("branching", SizesOfPoints::Other, 30, None),
    ];
    insta::assert_snapshot!(of_profile(&rows, "sim:h200", "validated").join("\n"));
    assert_eq!(of_profile(&rows, "sim:a100", "unvalidated: no A100 at hand"), ["unvalidated: no A100 at hand"]);
}

/// Known errors are of the built-in profile. A copy has other constants, or may have.
#[test]
fn a_copy_of_a_built_in_profile_does_not_inherit_that_it_was_validated() {
    let built_in = Profile::load("h200").expect("a profile");
    let device = |spec: &str| Properties { spec: spec.to_owned(), ..device("h200") };
    let of = |spec: &str, words: &str| {
        let profile =
            ProfileRecord { sha256: built_in.sha256.clone(), validation: words.to_owned(), timing_model: TIMING_MODEL };
        let told = validation(&device(spec), &profile);
        assert!(spec == "sim:h200" || of_profile(known(), spec, words) == [told.clone()], "{told}");
        told
    };
    assert_eq!(of("sim:h200", &built_in.validation), built_in.validation);
    for spec in ["sim:h200.toml", "sim:./h200", "sim:profiles/my-h200.toml"] {
        let told = of(spec, &built_in.validation);
        assert!(told.starts_with("not known: ") && !told.contains("validated"), "{told}");
        assert!(told.contains("`apbench compare MEASURED SIMULATED --accuracy`"), "{told}");
    }
    let told = of("sim:my.toml", "validated: by me");
    assert!(told.contains("the profile says \"validated: by me\"") && told.contains("--accuracy"), "{told}");
}

/// A run of no points, which fit everywhere.
fn no_points(device: &Properties, asked: Sizes) -> Points<'_> {
    let family = Family::find("transpose").expect("a family");
    Points { scenario: "transpose", family, device, points: &[], asked }
}

#[test]
fn points_that_are_at_both_sizes_are_at_those_that_were_asked_for_and_are_not_small() {
    let device = device("h200");
    for asked in [Sizes::Gpu, Sizes::Simulated] {
        let none = no_points(&device, asked);
        assert_eq!((SizesOfPoints::of(&none), small(&none)), (asked.into(), None));
    }
}

#[test]
fn measured_times_have_no_such_error() {
    let measured = Properties { origin: Origin::Measured, ..device("h200") };
    let own = no_points(&measured, Sizes::Simulated);
    assert_eq!((sentence(known(), &own), small(&own)), (None, None));
}
