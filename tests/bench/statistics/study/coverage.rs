//! How often 95 % intervals cover the true values.

use super::noise::{Noise, counted};
use apbench::model::fit::fit_law;
use apbench::model::law::Law;

/// A curve whose parameters are known.
pub(crate) struct Case {
    /// The law's name.
    pub(crate) law: &'static str,
    /// Its parameters in the law's order.
    pub(crate) truth: fn(f64) -> Vec<f64>,
    /// The time at a predictor, among predictors up to the second argument.
    pub(crate) time_us: fn(f64, f64) -> f64,
}

/// Laws with kinks and steps, whose kink is in the middle of the predictors or near their end, and a line beside them.
pub(crate) const CASES: [Case; 6] = [
    Case { law: "affine", truth: |_| vec![20.0, 5.0], time_us: |x, _| 20.0 + 5.0 * x },
    Case {
        law: "two_lines",
        truth: |most| vec![100.0, 2.0, 12.0, most / 2.0 + 0.3],
        time_us: |x, most| 100.0 + 2.0 * x + 10.0 * (x - most / 2.0 - 0.3).max(0.0),
    },
    Case {
        law: "two_lines",
        truth: |most| vec![100.0, 2.0, 12.0, most - 3.4],
        time_us: |x, most| 100.0 + 2.0 * x + 10.0 * (x - most + 3.4).max(0.0),
    },
    Case {
        law: "overlap",
        truth: |most| vec![100.0, 200.0 / (most + 0.6)],
        time_us: |x, most| (200.0 / (most + 0.6) * x).max(100.0),
    },
    Case {
        law: "hiding",
        truth: |most| vec![100.0, 50.0 * (most + 0.6)],
        time_us: |x, most| (50.0 * (most + 0.6) / x).max(100.0),
    },
    Case {
        law: "steps",
        truth: |most| vec![50.0, 30.0, most / 3.0 - 0.2],
        time_us: |x, most| 50.0 + 30.0 * (x / (most / 3.0 - 0.2)).ceil(),
    },
];

/// How often the interval of each parameter covered its value, of the runs that could be fitted.
pub(crate) struct Coverage {
    pub(crate) fitted: u64,
    pub(crate) covered: Vec<u64>,
}

/// That of a case with so many predictors and relative errors of so much, of the usual fit or of one by which outliers count less.
pub(crate) fn coverage(case: &Case, count: usize, error: f64, is_robust: bool, seed: u64, runs: u64) -> Coverage {
    let law = Law::find(case.law).expect("the law is known");
    let predictors = counted(count);
    let truth = (case.truth)(count as f64);
    let mut all = Coverage { fitted: 0, covered: vec![0; truth.len()] };
    for run in 0..runs {
        let times = Noise::new(seed, run).observations(&predictors, error, |x| (case.time_us)(x, count as f64));
        let Ok(fit) = fit_law(law, "work", &times, is_robust, false) else { continue };
        all.fitted += 1;
        for ((covered, own), truth) in all.covered.iter_mut().zip(&fit.estimates).zip(&truth) {
            *covered += u64::from(own.low <= *truth && *truth <= own.high);
        }
    }
    all
}
