//! Which forms `auto` chooses.

use std::collections::BTreeMap;

use super::noise::{Noise, counted};
use apbench::model::fit::{fit_best, fit_law};
use apbench::model::law::Law;

/// A curve with the form that it is.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) form: &'static str,
    /// The time at a predictor, among predictors up to the second argument.
    pub(crate) time_us: fn(f64, f64) -> f64,
}

pub(crate) const CASES: [Case; 5] = [
    Case { name: "1000 + 5 x", form: "affine", time_us: |x, _| 1000.0 + 5.0 * x },
    Case { name: "20 + 5 x", form: "affine", time_us: |x, _| 20.0 + 5.0 * x },
    Case {
        name: "two lines of slopes 2 and 12",
        form: "two_lines",
        time_us: |x, most| 100.0 + 2.0 * x + 10.0 * (x - most / 2.0).max(0.0),
    },
    Case {
        name: "two lines, two times on the second",
        form: "two_lines",
        time_us: |x, most| 100.0 + 2.0 * x + 10.0 * (x - most + 1.6).max(0.0),
    },
    Case { name: "three steps of 30 on 50", form: "steps", time_us: |x, most| 50.0 + 30.0 * (x / (most / 3.0)).ceil() },
];

/// How often each form is chosen.
pub(crate) fn choices(case: &Case, count: usize, error: f64, seed: u64, runs: u64) -> BTreeMap<&'static str, u64> {
    let mut all = BTreeMap::new();
    for run in 0..runs {
        let times = Noise::new(seed, run).observations(&counted(count), error, |x| (case.time_us)(x, count as f64));
        if let Ok(fit) = fit_best("work", &times, false) {
            *all.entry(fit.law.name).or_default() += 1;
        }
    }
    all
}

/// How often the law `two_lines` is said to hold.
pub(crate) fn breaks(case: &Case, count: usize, error: f64, seed: u64, runs: u64) -> u64 {
    let law = Law::find("two_lines").expect("the law is known");
    let is_found = |run: &u64| {
        let times = Noise::new(seed, *run).observations(&counted(count), error, |x| (case.time_us)(x, count as f64));
        fit_law(law, "work", &times, false, false).is_ok_and(|fit| fit.verdict.is_success())
    };
    (0..runs).filter(is_found).count() as u64
}
