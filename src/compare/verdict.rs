//! The rule that says whether one of two measurements is slower than the other.
//!
//! The observations are rounds, each as the logarithm of its trimmed mean: samples of one round share the round's
//! conditions, so that rounds vary more than their samples tell. Trimmed means, because medians of times with two modes
//! jump from one to the other. The 95 % interval of the difference is Student's: of paired rounds within a run, whose
//! points were measured in turns, and Welch's between runs. A difference counts from `delta` on, which is 1 %, or the
//! device's noise floor where that is more.

use std::fmt;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::measure::statistics::median;
use crate::record::RoundRecord;

/// The least difference that counts, in percent.
pub const DIFFERENCE_PCT: f64 = 1.0;
/// Both tails of the intervals.
const TAILS: f64 = 0.05;

/// What comes of comparing a measurement with its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The whole interval is above the least difference that counts.
    Slower,
    /// The whole interval is below it, on the other side.
    Faster,
    /// The whole interval is within it.
    Same,
    /// The interval is above zero, but not all of it counts.
    LikelySlower,
    /// The interval is below zero, but not all of it counts.
    LikelyFaster,
    /// There is no telling from these rounds.
    Unsure,
}

impl Verdict {
    /// Its word in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slower => "SLOWER",
            Self::Faster => "FASTER",
            Self::Same => "SAME",
            Self::LikelySlower => "LIKELY_SLOWER",
            Self::LikelyFaster => "LIKELY_FASTER",
            Self::Unsure => "UNSURE",
        }
    }

    /// Whether it says that there is a difference that counts, and on which side.
    pub fn is_difference(self) -> bool {
        matches!(self, Self::Slower | Self::Faster)
    }

    fn is_definite(self) -> bool {
        matches!(self, Self::Slower | Self::Faster | Self::Same)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// One round of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Its number.
    pub round: usize,
    /// The mean of its samples without the smallest and the largest tenth.
    pub trimmed_us: f64,
    /// Their median.
    pub median_us: f64,
}

impl From<&RoundRecord> for Observation {
    fn from(record: &RoundRecord) -> Self {
        Self { round: record.round, trimmed_us: record.trimmed_us, median_us: record.time_us }
    }
}

/// A measurement compared with its base.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Time over the base's time; absent without rounds to compare.
    pub ratio: Option<f64>,
    /// The lower end of its 95 % interval; absent below two rounds.
    pub low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub high: Option<f64>,
    /// The same ratio by Hodges and Lehmann, which outliers among the rounds do not move.
    pub ratio_robust: Option<f64>,
    /// What comes of it.
    pub verdict: Verdict,
    /// Why it is no more than that; empty where it is definite.
    pub reason: String,
    /// Rounds that were compared: pairs, or those of the side that has fewer.
    pub rounds: usize,
    /// About how many it would take to be sure.
    pub rounds_needed: Option<usize>,
}

/// The difference of two logarithms with its interval.
#[derive(Debug, Clone, Copy)]
struct Difference {
    estimate: f64,
    half_width: f64,
}

/// Compares points that were measured in turns, round by round: rounds of the same number are pairs.
pub fn within_run(base: &[Observation], other: &[Observation], floor_pct: Option<f64>) -> Comparison {
    let pairs: Vec<(&Observation, &Observation)> = other
        .iter()
        .filter_map(|other| base.iter().find(|base| base.round == other.round).map(|base| (base, other)))
        .collect();
    let differences = |value: fn(&Observation) -> f64| -> Vec<f64> {
        pairs.iter().map(|(base, other)| value(other).ln() - value(base).ln()).collect()
    };
    let trimmed = differences(|round| round.trimmed_us);
    let walsh = (0..trimmed.len()).flat_map(|i| (i..trimmed.len()).map(move |j| (i, j)));
    let robust = median(&walsh.map(|(i, j)| f64::midpoint(trimmed[i], trimmed[j])).collect::<Vec<_>>());
    let of_medians = paired(&differences(|round| round.median_us));
    judge(paired(&trimmed), of_medians, robust, mean(&trimmed), pairs.len(), floor_pct)
}

/// Compares points of different runs.
pub fn between_runs(base: &[Observation], other: &[Observation], floor_pct: Option<f64>) -> Comparison {
    let logarithms = |rounds: &[Observation], value: fn(&Observation) -> f64| -> Vec<f64> {
        rounds.iter().map(|round| value(round).ln()).collect()
    };
    let of = |value: fn(&Observation) -> f64| (logarithms(base, value), logarithms(other, value));
    let (base_trimmed, other_trimmed) = of(|round| round.trimmed_us);
    let all = other_trimmed.iter().flat_map(|other| base_trimmed.iter().map(move |base| other - base));
    let robust = median(&all.collect::<Vec<_>>());
    let (base_medians, other_medians) = of(|round| round.median_us);
    let of_means = mean(&other_trimmed).zip(mean(&base_trimmed)).map(|(other, base)| other - base);
    judge(
        welch(&base_trimmed, &other_trimmed),
        welch(&base_medians, &other_medians),
        robust,
        of_means,
        base.len().min(other.len()),
        floor_pct,
    )
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Mean and variance of the mean; `None` below two values.
fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    let mean = mean(values)?;
    let degrees = values.len().checked_sub(1).filter(|degrees| *degrees > 0)? as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / degrees;
    Some((mean, variance / values.len() as f64))
}

/// The quantile of Student's distribution at which the upper tail begins.
fn student(degrees: f64) -> Option<f64> {
    Some(StudentsT::new(0.0, 1.0, degrees).ok()?.inverse_cdf(1.0 - TAILS / 2.0))
}

fn paired(differences: &[f64]) -> Option<Difference> {
    let (estimate, error) = mean_and_error(differences)?;
    let half_width = student(differences.len() as f64 - 1.0)? * error.sqrt();
    (estimate.is_finite() && half_width.is_finite()).then_some(Difference { estimate, half_width })
}

fn welch(base: &[f64], other: &[f64]) -> Option<Difference> {
    let (base_mean, base_error) = mean_and_error(base)?;
    let (other_mean, other_error) = mean_and_error(other)?;
    let error = base_error + other_error;
    let estimate = other_mean - base_mean;
    // Where nothing varies, there is nothing to weigh the degrees of freedom by.
    let half_width = if error > 0.0 {
        let weight = |error: f64, count: usize| error.powi(2) / (count as f64 - 1.0);
        let degrees = error.powi(2) / (weight(base_error, base.len()) + weight(other_error, other.len()));
        student(degrees)? * error.sqrt()
    } else {
        0.0
    };
    (estimate.is_finite() && half_width.is_finite()).then_some(Difference { estimate, half_width })
}

/// The verdict of an interval alone.
fn verdict(Difference { estimate, half_width }: Difference, delta: f64) -> Verdict {
    let (low, high) = (estimate - half_width, estimate + half_width);
    if low > delta {
        Verdict::Slower
    } else if high < -delta {
        Verdict::Faster
    } else if low >= -delta && high <= delta {
        Verdict::Same
    } else if low > 0.0 {
        Verdict::LikelySlower
    } else if high < 0.0 {
        Verdict::LikelyFaster
    } else {
        Verdict::Unsure
    }
}

fn judge(
    trimmed: Option<Difference>,
    of_medians: Option<Difference>,
    robust: Option<f64>,
    estimate: Option<f64>,
    rounds: usize,
    floor_pct: Option<f64>,
) -> Comparison {
    let delta_pct =
        floor_pct.filter(|floor| floor.is_finite()).map_or(DIFFERENCE_PCT, |floor| floor.max(DIFFERENCE_PCT));
    let delta = (delta_pct / 100.0).ln_1p();
    let exp = |value: Option<f64>| value.map(f64::exp).filter(|ratio| ratio.is_finite());
    let unsure = |reason: String| Comparison {
        ratio: exp(estimate),
        low: exp(trimmed.map(|difference| difference.estimate - difference.half_width)),
        high: exp(trimmed.map(|difference| difference.estimate + difference.half_width)),
        ratio_robust: exp(robust),
        verdict: Verdict::Unsure,
        reason,
        rounds,
        rounds_needed: None,
    };
    let Some(difference) = trimmed else {
        return unsure(format!("{rounds} rounds to compare, and no interval below 2 with times above zero"));
    };
    let verdict_of_means = verdict(difference, delta);
    let verdict_of_medians = of_medians.map(|difference| verdict(difference, delta));
    if let Some(of_medians) = verdict_of_medians
        && verdict_of_means.is_definite()
        && of_medians.is_definite()
        && of_medians != verdict_of_means
    {
        return unsure(format!(
            "multimodal: {verdict_of_means} by means, {of_medians} by medians; the times have more than one mode"
        ));
    }
    // Rounds that are outliers can move a mean beyond the boundary, but not the estimate that they do not count in.
    if verdict_of_means.is_difference() && robust.is_none_or(|robust| robust.abs() <= delta) {
        return unsure("a few rounds make the difference".to_owned());
    }
    let (reason, rounds_needed) = if verdict_of_means.is_definite() {
        (String::new(), None)
    } else {
        let needed = rounds_needed(difference, delta, rounds);
        let words = needed
            .map_or("no number of rounds would tell".to_owned(), |needed| format!("about {needed} rounds would tell"));
        let about = if verdict_of_means == Verdict::Unsure { "may be none" } else { "may be too small to count" };
        (format!("the difference {about} at {delta_pct:.2} %; {words}"), needed)
    };
    Comparison { verdict: verdict_of_means, rounds_needed, ..unsure(reason) }
}

/// About how many rounds would bring the interval to one side of the nearest boundary; `None` on the boundary itself.
fn rounds_needed(Difference { estimate, half_width }: Difference, delta: f64, rounds: usize) -> Option<usize> {
    let distance = (estimate.abs() - delta).abs();
    let needed = rounds as f64 * (half_width / distance).powi(2);
    (needed < 1e6).then(|| (needed.ceil() as usize).max(rounds + 1))
}

#[cfg(test)]
mod tests;
