//! Slopes by the clock of the multiprocessor and by events.

use super::*;

fn tally(readings: &[(&str, &str, [f64; 3])]) -> ClockTally {
    let mut tally = ClockTally::default();
    for (variant, values, [size, time_us, loop_us]) in readings {
        let place = Place { variant: (*variant).to_owned(), values: (*values).to_owned() };
        tally.keep(place, Reading { size: *size, time_us: *time_us, loop_us: *loop_us });
    }
    tally
}

/// Slopes of a variant, so many percent apart each.
fn slopes(variant: &'static str, apart_pct: &[f64]) -> ClockTally {
    let mut all = ClockTally::default();
    for (number, apart) in apart_pct.iter().enumerate() {
        let values = format!("block={number}");
        let own = tally(&[(variant, &values, [1.0, 105.0, 100.0]), (variant, &values, [2.0, 205.0, 200.0 + apart])]);
        all.ends.extend(own.ends);
    }
    all
}

#[test]
fn slopes_are_compared_and_not_what_launches_take() {
    let told = tally(&[
        ("a", "block=32", [1.0, 105.0, 100.0]),
        ("a", "block=32", [2.0, 205.0, 200.5]),
        ("b", "", [4.0, 405.0, 404.0]),
        ("b", "", [3.0, 305.0, 0.0]),
        ("b", "", [2.0, 205.0, 200.0]),
    ]);
    let guard = told.guard().unwrap();
    assert_eq!(guard.outcome, GuardOutcome::Flagged);
    assert_eq!(
        guard.detail,
        "what loops take by the clock of the multiprocessor is 2.00 % from what events say in the median of 2 slopes; more than 1 % apart are 1 of 1 \
         of b; the worst is 2.0 % apart: b"
    );
    let agreed = slopes("a", &[0.5]).guard().unwrap();
    assert_eq!(agreed.outcome, GuardOutcome::Ok);
    assert!(
        agreed.detail.ends_with("; none is more than 1 % apart; the worst is 0.5 % apart: a, block=0"),
        "{}",
        agreed.detail
    );
}

/// The median of all is that of the larger variant, and says nothing of the other.
#[test]
fn a_variant_that_disagrees_is_flagged_beside_a_larger_one_that_agrees() {
    let mut told = slopes("global", &[0.1; 9]);
    told.ends.extend(slopes("shared", &[0.1, 3.0, 4.0]).ends);
    let guard = told.guard().unwrap();
    assert_eq!(guard.outcome, GuardOutcome::Flagged);
    assert!(guard.detail.contains("is 0.10 % from what events say in the median of 12 slopes"), "{}", guard.detail);
    assert!(
        guard.detail.ends_with("more than 1 % apart are 2 of 3 of shared; the worst is 4.0 % apart: shared, block=2"),
        "{}",
        guard.detail
    );
}

#[test]
fn single_slopes_are_named_and_not_flagged() {
    let guard = slopes("global", &[0.1, 0.1, 0.1, 5.0]).guard().unwrap();
    assert_eq!(guard.outcome, GuardOutcome::Ok);
    assert!(
        guard.detail.ends_with("more than 1 % apart are 1 of 4 of global; the worst is 5.0 % apart: global, block=3"),
        "{}",
        guard.detail
    );
}

#[test]
fn no_more_is_kept_than_the_ends_of_a_slope() {
    let mut told = ClockTally::default();
    for size in [5.0, 1.0, 9.0, 3.0] {
        let place = Place { variant: "a".to_owned(), values: String::new() };
        told.keep(place, Reading { size, time_us: size, loop_us: size });
    }
    let ends: Vec<[f64; 2]> = told.ends.values().map(|own| [own.least.size, own.largest.size]).collect();
    assert_eq!(ends, [[1.0, 9.0]]);
}

#[test]
fn one_size_and_short_differences_say_nothing() {
    assert!(ClockTally::default().guard().is_none());
    let short = tally(&[("a", "", [1.0, 105.0, 100.0]), ("a", "", [2.0, 106.0, 300.0]), ("b", "", [1.0, 900.0, 1.0])]);
    assert!(short.guard().is_none());
}
