//! The rule that says whether one of two measurements is slower than the other.
//!
//! The observations are rounds, each as the logarithm of its trimmed mean: samples of one round share the round's
//! conditions, so that rounds vary more than their samples tell; where rounds are like those before them they count for fewer. Trimmed means, because medians of times with two modes
//! jump from one to the other. The 95 % interval of the difference is Student's: of paired rounds within a run, whose
//! points were measured in turns, and Welch's between runs. A difference counts from `delta` on, which is 1 %, or the
//! device's noise floor where that is more.

use std::fmt;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::following::Following;
use crate::record::RoundRecord;
use least_squares::order_statistics::{median, shift_interval, shift_interval_at};

/// The least difference that counts, in percent.
pub const DIFFERENCE_PCT: f64 = 1.0;
/// Both tails of the intervals.
const TAILS: f64 = 0.05;
/// Standard deviations of a normal distribution from its mean to where the upper tail begins.
const NORMAL_REACH: f64 = 1.959_963_984_540_054;

/// Whether a measurement is slower than its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The whole interval is above the least difference that counts.
    Slower,
    /// The whole interval is below it, on the other side.
    Faster,
    /// The whole interval is within it; without what processes differ by, where that is more than counts.
    Same,
    /// The interval is above zero, but not all of it counts.
    LikelySlower,
    /// The interval is below zero, but not all of it counts.
    LikelyFaster,
    /// These rounds do not decide.
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
    /// Whether the measurement is slower than the base.
    pub verdict: Verdict,
    /// Why the verdict is not definite; empty for SLOWER, FASTER and SAME.
    pub reason: String,
    /// Rounds that were compared: pairs, or those of the side that has fewer.
    pub rounds: usize,
    /// About how many rounds would give a definite verdict; absent if no number would, or if the verdict is definite.
    pub rounds_needed: Option<usize>,
}

/// What is known of the difference of two points of different processes: the logarithm of the ratio of their times.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The comparison, its interval widened by what processes differ by.
    pub comparison: Comparison,
    /// The ends of the interval of Mann and Whitney around `ratio_robust`, as exact as ranks are; not widened.
    pub robust: Option<(f64, f64)>,
    /// The least difference that counted, in percent.
    pub delta_pct: f64,
    /// The estimate for significance tests; absent if there is no interval, or if the rounds contradict
    /// each other.
    pub evidence: Option<Evidence>,
    /// Whether the rounds contradict each other, so that they decide nothing.
    pub is_contradicted: bool,
}

/// An estimate as a significance test needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The logarithm of the ratio.
    pub estimate: f64,
    /// Its standard error; 0 where times repeat exactly.
    pub error: f64,
    /// Degrees of freedom of that; infinite where it is known.
    pub degrees: f64,
    /// How much two processes may differ with nothing changed.
    pub allowance: f64,
    /// The interval of the shift by ranks at each of [`rank_levels`]; none where there are too few rounds, or where they follow each other.
    pub ranks: [Option<(f32, f32)>; 3],
}

/// Both tails of the intervals by ranks that significance tests use, where so many points are compared: that of verdicts, and what a gate of 5 %
/// needs after Holm's correction, and since the better of two tests counts, if a point differs alone and if most do.
pub fn rank_levels(points: usize) -> [f64; 3] {
    let of_one = TAILS / 2.0 * JUST_BELOW;
    [TAILS, of_one / (points.max(1) as f64).sqrt(), of_one / points.max(1) as f64]
}

/// What is at a level is not below it.
const JUST_BELOW: f64 = 0.999;

fn ranked_at(base: &[f64], other: &[f64], levels: [f64; 3]) -> [Option<(f64, f64)>; 3] {
    levels.map(|tails| shift_interval_at(base, other, tails))
}

fn narrow(interval: Option<(f64, f64)>) -> Option<(f32, f32)> {
    interval.map(|(low, high)| (low as f32, high as f32))
}

/// What all points of two runs tell together of the rounds of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Together {
    /// How much rounds of each run are like those before them.
    pub(super) following: [Following; 2],
    /// How many points are compared.
    pub(super) points: usize,
    /// The variance of a point's rounds in each run, in the median; 0 where there are too few points to tell.
    pub(super) usual_variances: [f64; 2],
}

impl Together {
    /// The standard error of a difference that a gate goes by, of so many rounds of each run and with this one by themselves. Of many points some have by
    /// chance rounds that hardly vary, as where a device that jumps between two modes was in one of them each time. So the variance is the mean of their
    /// own and of what is usual, where that is more (after Smyth 2004, Linear models and empirical Bayes methods, section 4, with as many degrees of
    /// freedom for the usual one).
    fn error(&self, rounds: [usize; 2], own: f64) -> f64 {
        let usual = |side: usize| {
            let (factor, _) = self.following[side].factor_and_degrees(rounds[side]);
            self.usual_variances[side] * factor / rounds[side].max(1) as f64
        };
        own.max((0.5 * (own.powi(2) + usual(0) + usual(1))).sqrt())
    }
}

/// The difference of two logarithms with its interval.
#[derive(Debug, Clone, Copy)]
struct Difference {
    estimate: f64,
    half_width: f64,
}

/// A time as the logarithm's half width tells it; 0 where it repeats exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoneTime {
    /// The median.
    pub time_us: f64,
    /// Half the width of the 95 % interval of its logarithm.
    pub half_width: f64,
    /// Rounds it is of.
    pub rounds: usize,
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
    judge(paired(&trimmed), of_medians, robust, mean(&trimmed), pairs.len(), floor_pct, 0.0)
}

/// Compares points of two processes. Rounds within a process do not tell what differs from one process to the next, such as where
/// buffers lie: `allowance_pct` says how much that may be, and the interval is so much wider at either end. `together` is what all
/// points tell of the rounds of each.
pub(super) fn between_processes(
    base: &[Observation],
    other: &[Observation],
    floor_pct: Option<f64>,
    allowance_pct: f64,
    together: Together,
) -> Judgement {
    let Together { following, points, .. } = together;
    let logarithms = |rounds: &[Observation], value: fn(&Observation) -> f64| -> Vec<f64> {
        rounds.iter().map(|round| value(round).ln()).collect()
    };
    let of = |value: fn(&Observation) -> f64| (logarithms(base, value), logarithms(other, value));
    let (base_trimmed, other_trimmed) = of(|round| round.trimmed_us);
    let all = other_trimmed.iter().flat_map(|other| base_trimmed.iter().map(move |base| other - base));
    let all: Vec<f64> = all.collect();
    let robust = median(&all);
    let ranked = shift_interval(&base_trimmed, &other_trimmed);
    let (base_medians, other_medians) = of(|round| round.median_us);
    let of_means = mean(&other_trimmed).zip(mean(&base_trimmed)).map(|(other, base)| other - base);
    let allowance = logarithm_pct(allowance_pct);
    let wider = |(difference, _): (Difference, Evidence)| difference.wider(allowance);
    let means = welch(&base_trimmed, &other_trimmed, following);
    let medians = welch(&base_medians, &other_medians, following);
    let rounds = base.len().min(other.len());
    let mut comparison = judge(means.map(wider), medians.map(wider), robust, of_means, rounds, floor_pct, allowance);
    // Ranks that do not even exclude that there is no difference contradict means that say it counts.
    if comparison.verdict.is_difference() && ranked.is_some_and(|(low, high)| low <= 0.0 && high >= 0.0) {
        comparison.verdict = Verdict::Unsure;
        "the means of the rounds differ, but their ranks do not".clone_into(&mut comparison.reason);
    }
    // Ranks suppose that rounds could have come in any order.
    let ranks = if following.iter().any(|own| own.is_any()) {
        [None; 3]
    } else {
        ranked_at(&base_trimmed, &other_trimmed, rank_levels(points))
    };
    let delta = logarithm_pct(delta_pct(floor_pct));
    let is_open = means.map(wider).is_some_and(|own| !verdict(own, delta, allowance).is_definite());
    if is_open && let Some((low, high)) = ranks[0].map(|(low, high)| (low - allowance, high + allowance)) {
        // Outlying rounds widen the interval of means, and hardly that of ranks.
        let by_ranks = verdict(
            Difference { estimate: f64::midpoint(low, high), half_width: 0.5 * (high - low) },
            delta,
            allowance,
        );
        if by_ranks.is_difference() {
            comparison = Comparison { verdict: by_ranks, reason: String::new(), rounds_needed: None, ..comparison };
        }
    }
    let is_contradicted = comparison.verdict == Verdict::Unsure && !is_open;
    let error = |own: f64| together.error([base.len(), other.len()], own);
    let evidence = means.map(|(_, evidence)| Evidence {
        error: error(evidence.error),
        allowance,
        ranks: ranks.map(narrow),
        ..evidence
    });
    let evidence = evidence.filter(|_| !is_contradicted);
    let robust = ranked.map(|(low, high)| (low.exp(), high.exp()));
    Judgement { comparison, robust, delta_pct: delta_pct(floor_pct), evidence, is_contradicted }
}

/// Compares points whose rounds are not known by the intervals of their medians, on the scale of logarithms.
pub fn of_medians(base: LoneTime, other: LoneTime, floor_pct: Option<f64>, allowance_pct: f64) -> Judgement {
    let allowance = logarithm_pct(allowance_pct);
    let estimate = (other.time_us / base.time_us).ln();
    let half_width = base.half_width.hypot(other.half_width);
    let known = estimate.is_finite() && half_width.is_finite();
    let difference = known.then_some(Difference { estimate, half_width }.wider(allowance));
    let estimate = estimate.is_finite().then_some(estimate);
    let rounds = base.rounds.min(other.rounds);
    let comparison = judge(difference, None, estimate, estimate, rounds, floor_pct, allowance);
    let evidence = estimate.filter(|_| known).map(|estimate| Evidence {
        estimate,
        error: half_width / NORMAL_REACH,
        degrees: f64::INFINITY,
        allowance,
        ranks: [None; 3],
    });
    Judgement {
        comparison: Comparison { ratio_robust: None, ..comparison },
        robust: None,
        delta_pct: delta_pct(floor_pct),
        evidence,
        is_contradicted: false,
    }
}

/// The least difference that counts, in percent: the device's noise floor, but never below [`DIFFERENCE_PCT`].
pub fn delta_pct(floor_pct: Option<f64>) -> f64 {
    floor_pct.filter(|floor| floor.is_finite()).map_or(DIFFERENCE_PCT, |floor| floor.max(DIFFERENCE_PCT))
}

/// The logarithm of a ratio that is so many percent above 1.
pub fn logarithm_pct(percent: f64) -> f64 {
    (percent / 100.0).ln_1p()
}

impl Difference {
    fn wider(self, allowance: f64) -> Self {
        Self { half_width: self.half_width + allowance, ..self }
    }
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

fn welch(base: &[f64], other: &[f64], following: [Following; 2]) -> Option<(Difference, Evidence)> {
    let (base_mean, base_error) = mean_and_error(base)?;
    let (other_mean, other_error) = mean_and_error(other)?;
    let [(base_factor, base_degrees), (other_factor, other_degrees)] =
        [(following[0], base), (following[1], other)].map(|(own, rounds)| own.factor_and_degrees(rounds.len()));
    let (base_error, other_error) = (base_error * base_factor, other_error * other_factor);
    let error = base_error + other_error;
    let estimate = other_mean - base_mean;
    // Where nothing varies, there is nothing to weigh the degrees of freedom by.
    let (half_width, degrees) = if error > 0.0 {
        let weight = |error: f64, degrees: f64| error.powi(2) / degrees;
        let degrees = error.powi(2) / (weight(base_error, base_degrees) + weight(other_error, other_degrees));
        (student(degrees)? * error.sqrt(), degrees)
    } else {
        (0.0, f64::INFINITY)
    };
    let evidence = Evidence { estimate, error: error.sqrt(), degrees, allowance: 0.0, ranks: [None; 3] };
    (estimate.is_finite() && half_width.is_finite()).then_some((Difference { estimate, half_width }, evidence))
}

/// The verdict of an interval alone, which is wider by `allowance`. Where processes differ by more than what counts, no interval is within that:
/// two are the same there if they are without the allowance.
fn verdict(Difference { estimate, half_width }: Difference, delta: f64, allowance: f64) -> Verdict {
    let (low, high) = (estimate - half_width, estimate + half_width);
    let same = same_within(delta, allowance);
    if low > delta {
        Verdict::Slower
    } else if high < -delta {
        Verdict::Faster
    } else if low >= -same && high <= same {
        Verdict::Same
    } else if low > 0.0 {
        Verdict::LikelySlower
    } else if high < 0.0 {
        Verdict::LikelyFaster
    } else {
        Verdict::Unsure
    }
}

/// How far from zero all of an interval may be that is wider by `allowance`, for two to be the same.
fn same_within(delta: f64, allowance: f64) -> f64 {
    if allowance < delta { delta } else { delta + allowance }
}

fn judge(
    trimmed: Option<Difference>,
    of_medians: Option<Difference>,
    robust: Option<f64>,
    estimate: Option<f64>,
    rounds: usize,
    floor_pct: Option<f64>,
    allowance: f64,
) -> Comparison {
    let delta_pct = delta_pct(floor_pct);
    let delta = logarithm_pct(delta_pct);
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
        return unsure(format!(
            "no interval: it needs at least 2 rounds with times above zero, and {rounds} can be compared"
        ));
    };
    let verdict_of_means = verdict(difference, delta, allowance);
    let verdict_of_medians = of_medians.map(|difference| verdict(difference, delta, allowance));
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
        return unsure("the difference comes from a few outlying rounds".to_owned());
    }
    let (reason, rounds_needed) = if verdict_of_means.is_definite() {
        (String::new(), None)
    } else {
        let needed = rounds_needed(difference, delta, rounds, allowance);
        let words = needed
            .map_or("more rounds would not decide".to_owned(), |needed| format!("about {needed} rounds would decide"));
        let about = if verdict_of_means == Verdict::Unsure { "may be zero" } else { "may be too small to count" };
        // What processes differ by must be exceeded, too.
        let from_pct = (delta + allowance).exp_m1() * 100.0;
        (format!("the difference {about} (it counts from {from_pct:.2} % on); {words}"), needed)
    };
    Comparison { verdict: verdict_of_means, rounds_needed, ..unsure(reason) }
}

/// About how many rounds would bring the interval to one side of the nearest boundary; `None` on the boundary itself, and nearer to
/// it than processes are to each other.
fn rounds_needed(
    Difference { estimate, half_width }: Difference,
    delta: f64,
    rounds: usize,
    allowance: f64,
) -> Option<usize> {
    let (to_same, to_different) = (same_within(delta, allowance) - estimate.abs(), estimate.abs() - delta);
    let distance = to_same.max(to_different) - allowance;
    let needed = rounds as f64 * ((half_width - allowance) / distance).powi(2);
    (distance > 0.0 && needed < 1e6).then(|| (needed.ceil() as usize).max(rounds + 1))
}

#[cfg(test)]
mod tests;
