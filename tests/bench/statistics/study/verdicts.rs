//! What is said of laws that the times do not follow, and of those that they do.

use super::noise::{Noise, counted};
use apbench::model::fit::{LawFit, Observation, fit_law};
use apbench::model::law::Law;
use apbench::model::verdict::Verdict;

/// A curve with its name.
type Curve = (&'static str, fn(f64) -> f64);

/// Curves that are no lines, and a steep and a shallow line.
pub(crate) const CURVES: [Curve; 7] = [
    ("20 + 30 sqrt(n)", |n| 20.0 + 30.0 * n.sqrt()),
    ("10 n^0.9", |n| 10.0 * n.powf(0.9)),
    ("20 + 5 n + 0.03 n^2", |n| 20.0 + 5.0 * n + 0.03 * n * n),
    ("20 + 5 n log2(n)", |n| 20.0 + 5.0 * n * n.log2()),
    ("10 + 30 log2(1 + n)", |n| 10.0 + 30.0 * (1.0 + n).log2()),
    ("20 + 5 n", |n| 20.0 + 5.0 * n),
    ("1000 + 5 n", |n| 1000.0 + 5.0 * n),
];

/// What became of runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// The law was said to hold, and no other form to be better.
    pub(crate) holds: u64,
    /// The law was said to hold, and another form to be better.
    pub(crate) another_is_better: u64,
    /// The law was said to fail, or it was left open.
    pub(crate) others: u64,
    /// No other form was said to be better, though the misfit is more than noise and another form's leave-one-out error is at most half
    /// as large; where the law fails, a form that holds.
    pub(crate) missed: u64,
}

/// What is said of the law `branches` where times follow a curve.
pub(crate) fn verdicts(time_us: fn(f64) -> f64, count: usize, error: f64, seed: u64, runs: u64) -> Verdicts {
    let law = Law::find("branches").expect("the law is known");
    let mut all = Verdicts::default();
    for run in 0..runs {
        let times = Noise::new(seed, run).observations(&counted(count), error, time_us);
        let Ok(fit) = fit_law(law, "branches_per_warp", &times, false, true) else { continue };
        let names_better = fit.outdone.is_some() || fit.finding().contains("better");
        let place = match (fit.verdict.is_success(), names_better) {
            (true, false) => &mut all.holds,
            (true, true) => &mut all.another_is_better,
            (false, _) => &mut all.others,
        };
        *place += 1;
        let is_alone = !names_better && !matches!(fit.verdict, Verdict::Undecided(_));
        let is_rejected = fit.replication.is_some_and(|known| known.p < 0.05);
        all.missed += u64::from(is_alone && is_rejected && is_halved(&fit, &times));
    }
    all
}

/// Whether the leave-one-out error of another form, fitted to the same times, is at most half that of a fit. Forms are left out
/// that there are too few times for, those whose curve is not above zero at each of them, breaks that may be beyond the times, and
/// smooth maxima above the sum.
fn is_halved(fit: &LawFit, times: &[Observation]) -> bool {
    let used: Vec<Observation> = times.iter().filter(|one| one.x >= fit.from).copied().collect();
    let applies = |other: &&Law| used.len() >= other.form.fewest_for_choice();
    Law::generic().filter(applies).any(|other| {
        fit_law(other, fit.predictor, &used, false, false).is_ok_and(|own| {
            own.from.total_cmp(&fit.from).is_eq()
                && (fit.verdict.is_success() || own.verdict.is_success())
                && own.error_pct <= fit.error_pct / 2.0
                && !own.verdict.to_string().contains("may be beyond")
                && own.estimates.iter().all(|one| one.parameter != "sharpness" || one.estimate >= 1.0)
                && used.iter().all(|one| own.time_us(one.x) > 0.0)
        })
    })
}
