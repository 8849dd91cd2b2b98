use std::collections::BTreeSet;

use super::*;
use crate::family::Family;
use crate::properties::Origin;
use gpu_simulator::profile::{Profile, embedded};

fn row(family: &str, sizes: Sizes, points: usize, slowdown_error_pct: Option<f64>) -> KnownError {
    KnownError {
        profile: "sim:h200".to_owned(),
        gpu: "NVIDIA H200".to_owned(),
        sizes,
        family: family.to_owned(),
        scenarios: 1,
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
        assert!(keys.insert((&own.profile, own.sizes.name(), &own.family)), "twice: {own:?}");
    }
}

#[test]
fn sentences_say_with_what_and_at_which_sizes_times_were_compared() {
    let rows = [
        row("transpose", Sizes::Simulated, 54, Some(10.0)),
        row("branching", Sizes::Simulated, 16, None),
        row("branching", Sizes::Gpu, 1200, None),
    ];
    let of = |profile: &str, family: &str, sizes| sentence(&rows, &device(profile), family, sizes).expect("simulated");
    let told = [
        of("h200", "transpose", Sizes::Simulated),
        of("h200", "transpose", Sizes::Gpu),
        of("h200", "branching", Sizes::Simulated),
        of("h200", "branching", Sizes::Gpu),
        of("h200", "prefix_sum", Sizes::Gpu),
        of("a100", "transpose", Sizes::Simulated),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_profile_has_a_sentence_for_each_choice_of_sizes() {
    let rows = [
        row("transpose", Sizes::Simulated, 50, Some(10.0)),
        KnownError { time_error_pct: 4.34, ..row("atomics", Sizes::Simulated, 50, Some(20.0)) },
        row("branching", Sizes::Gpu, 10, None),
    ];
    insta::assert_snapshot!(of_profile(&rows, "sim:h200", "validated").join("\n"));
    assert_eq!(of_profile(&rows, "sim:a100", "unvalidated: no A100 at hand"), ["unvalidated: no A100 at hand"]);
}

#[test]
fn measured_times_have_no_such_error() {
    let measured = Properties { origin: Origin::Measured, ..device("h200") };
    assert_eq!(sentence(&[], &measured, "transpose", Sizes::Gpu), None);
}
