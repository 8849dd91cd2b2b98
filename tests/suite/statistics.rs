//! A short form of the study of the program's statistics: `cargo run --release --example statistics` has all of it.

#[path = "../bench/statistics/study/mod.rs"]
mod study;

use study::coverage::{self, Coverage};
use study::gates::{self, Template};
use study::verdicts::{self, Verdicts};
use study::{choices, percent};

/// A seed that nothing was tuned at.
const SEED: u64 = 77;

/// Whether a part of runs is at least so large, but for three standard errors of chance.
fn at_least(count: u64, runs: u64, part: f64) -> bool {
    let chance = 3.0 * (part * (1.0 - part) / runs as f64).sqrt();
    count as f64 / runs as f64 >= part - chance
}

#[test]
fn intervals_cover_the_true_values() {
    for case in &coverage::CASES {
        for (count, is_robust, runs) in [(8, false, 800), (16, false, 200), (8, true, 200), (16, true, 200)] {
            let Coverage { fitted, covered } = coverage::coverage(case, count, 0.01, is_robust, SEED, runs);
            assert!(fitted == runs, "{} {count}: {fitted} of {runs} fitted", case.law);
            for own in covered {
                let told = percent(own, fitted);
                // A searched break costs robust intervals of few times one or two percent.
                assert!(
                    at_least(own, fitted, if is_robust { 0.93 } else { 0.95 }),
                    "{} {count}, robust {is_robust}: {told}",
                    case.law
                );
            }
        }
    }
}

#[test]
fn the_better_law_is_named_where_another_holds() {
    let runs = 40;
    for (name, time_us) in verdicts::CURVES {
        let own = verdicts::verdicts(time_us, 32, 0.001, SEED, runs);
        let expected = if matches!(name, "20 + 5 n" | "1000 + 5 n") {
            Verdicts { holds: runs, ..Verdicts::default() }
        } else if name.contains("log2") {
            // A line fails there, and the form that holds is named.
            Verdicts { others: runs, ..Verdicts::default() }
        } else {
            Verdicts { another_is_better: runs, ..Verdicts::default() }
        };
        assert_eq!(own, expected, "{name}");
        for error in [0.001, 0.01] {
            let of_few = verdicts::verdicts(time_us, 8, error, SEED, runs);
            assert_eq!(of_few.missed, 0, "{name}: {of_few:?}");
        }
    }
}

#[test]
fn lines_are_found_and_breaks_only_where_there_are_some() {
    let runs = 100;
    let [shallow, steep, broken, late, stepped] = &choices::CASES;
    for (case, count, error) in [
        (shallow, 16, 0.01),
        (shallow, 32, 0.01),
        (steep, 8, 0.01),
        (steep, 32, 0.01),
        (broken, 7, 0.001),
        (broken, 8, 0.001),
        (broken, 32, 0.01),
        (stepped, 16, 0.01),
    ] {
        let right = choices::choices(case, count, error, SEED, runs).remove(case.form).unwrap_or(0);
        assert!(at_least(right, runs, 0.95), "{} {count}: {}", case.name, percent(right, runs));
    }
    for count in [8, 32] {
        let breaks = choices::breaks(steep, count, 0.01, SEED, runs);
        assert!(at_least(runs - breaks, runs, 0.95), "{count}: {}", percent(breaks, runs));
    }
    assert!(at_least(choices::breaks(broken, 8, 0.01, SEED, runs), runs, 0.95));
    for count in [8, 16] {
        let breaks = choices::breaks(late, count, 0.001, SEED, runs);
        assert!(at_least(runs - breaks, runs, 0.95), "{count}: {}", percent(breaks, runs));
    }
}

#[test]
fn equal_runs_cross_the_gate_once_in_twenty_at_most_and_slower_ones_do() {
    // Enough of one point that 8 in a hundred would be told from 5.
    for (template, runs) in [(Template::new(1), 1000), (Template::new(24), 100)] {
        for case in &gates::CASES {
            let crossed = gates::crossed(&template, case, SEED, runs);
            let told = format!("{} of {} rounds: {}", case.name, case.count, percent(crossed, runs));
            if !case.is_promised {
                continue;
            }
            if case.slower <= 0.0 {
                assert!(at_least(runs - crossed, runs, 0.95), "{told}");
            } else {
                let found = if case.slower >= 0.05 { 0.85 } else { 0.6 };
                assert!(at_least(crossed, runs, found), "{told}");
            }
        }
    }
}
