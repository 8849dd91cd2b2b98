//! `--fail-on`: whether points of a comparison meet a condition, for continuous integration.
//!
//! A gate looks at many points at once, and one of twenty intervals misses by chance. So a point counts where its difference from the
//! threshold is significant at 5 % after Holm's correction over all points of the comparison: the probability that the
//! gate is crossed with no point beyond the threshold is 5 % at most, however many points there are.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::side_by_side::{Judged, SideBySide, Standing};
use super::verdict::{Evidence, Verdict, logarithm_pct, rank_levels};

/// The probability of crossing a gate by chance.
pub const SIGNIFICANCE: f64 = 0.05;

/// Rounds of a point from which on that probability is kept to, however the rounds hang together: of fewer, two modes look like a change.
pub const ROUNDS_PROMISED: u32 = 5;

/// A condition of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// What it is about.
    pub kind: Kind,
    /// From how many percent on a difference counts; without one, from where the verdicts are SLOWER and FASTER on.
    pub threshold_pct: Option<f64>,
}

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A point that takes longer than in the base.
    Slower,
    /// A point that takes less time than in the base.
    Faster,
    /// A point that takes longer or less.
    Different,
    /// A point that the base has and that is missing or has no time in another run.
    Missing,
}

impl Kind {
    const ALL: [(&'static str, Self); 4] = [
        ("slower", Self::Slower),
        ("faster", Self::Faster),
        ("different", Self::Different),
        ("missing", Self::Missing),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, threshold) = text.split_once(':').map_or((text, None), |(name, threshold)| (name, Some(threshold)));
        let kind = Kind::ALL.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind);
        let kind =
            kind.ok_or_else(|| format!("`{name}` is not a condition: expected slower, faster, different or missing"))?;
        let Some(threshold) = threshold else { return Ok(Self { kind, threshold_pct: None }) };
        if kind == Kind::Missing {
            return Err("missing takes no threshold".to_owned());
        }
        let number = threshold.strip_suffix('%').unwrap_or(threshold).trim().parse::<f64>().ok();
        match number.filter(|percent| percent.is_finite() && (0.0..=1e6).contains(percent)) {
            Some(percent) => Ok(Self { kind, threshold_pct: Some(percent) }),
            None => Err(format!("`{threshold}` is not a threshold: expected a percentage of at least 0, such as 5%")),
        }
    }
}

impl Condition {
    /// Whether a verdict says what it is about.
    fn is_met_by(&self, verdict: Verdict) -> bool {
        match self.kind {
            Kind::Slower => verdict == Verdict::Slower,
            Kind::Faster => verdict == Verdict::Faster,
            Kind::Different => verdict.is_difference(),
            Kind::Missing => false,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())?;
        self.threshold_pct.map_or(Ok(()), |percent| write!(formatter, ":{percent}%"))
    }
}

/// A point that crosses a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Offence {
    /// The condition that it meets.
    pub condition: Condition,
    /// Its row.
    pub row: usize,
    /// Which of the others it is of.
    pub other: usize,
    /// The probability of that by chance, corrected after Holm; none for points that are missing.
    pub probability: Option<f64>,
}

/// The result of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The points that cross it, in the order of conditions, others and rows.
    pub offences: Vec<Offence>,
    /// The number of points that were tested.
    pub looked_at: usize,
    /// The number of points that have rounds on both sides, which contradict each other.
    pub undecided: usize,
    /// Points of the base that failed in another run; they cross every gate.
    pub failed: Vec<(usize, usize)>,
    /// The number of points whose verdict meets a condition, and whose ratio is beyond its threshold, that do not cross it: after the correction
    /// over all points they are not sure enough.
    pub unsure: usize,
    /// The number of tested points with fewer rounds than [`ROUNDS_PROMISED`].
    pub few_rounds: usize,
    /// The number of tested points of which two processes differ by more than the least difference that counts, and from how many percent on
    /// the gate sees a difference of any of these.
    pub coarse: Option<(usize, f64)>,
    /// The number of points that were not tested, because they have no interval or are of different caches.
    pub not_eligible: usize,
}

impl Outcome {
    /// Whether no point of both runs could be compared. A gate that passes there would hide that nothing is tested any more.
    pub fn is_empty_handed(&self, conditions: &[Condition]) -> bool {
        let looks_at_times = conditions.iter().any(|condition| condition.kind != Kind::Missing);
        looks_at_times && self.looked_at == 0 && self.undecided == 0
    }
}

/// Tests which points of a comparison meet the conditions.
pub fn check(compared: &SideBySide, conditions: &[Condition]) -> Outcome {
    let mut outcome = Outcome {
        offences: Vec::new(),
        looked_at: 0,
        undecided: 0,
        unsure: 0,
        failed: Vec::new(),
        few_rounds: 0,
        coarse: None,
        not_eligible: 0,
    };
    let of_times = || conditions.iter().filter(|condition| condition.kind != Kind::Missing);
    let cells = || {
        let rows = compared.rows.iter().enumerate();
        rows.flat_map(|(row, own)| own.others.iter().enumerate().map(move |(other, cell)| (row, other, cell)))
    };
    for (row, other, cell) in cells() {
        let has_failed = compared.rows[row].base.is_some() && cell.standing == Standing::Failed;
        outcome.failed.extend(has_failed.then_some((row, other)));
        match &cell.judged {
            Some(Judged { evidence: Some(evidence), .. }) => {
                outcome.looked_at += 1;
                let fewest = compared.rows[row].base.iter().chain(&cell.time).map(|time| time.rounds).min();
                let is_few = evidence.error > 0.0 && fewest.is_some_and(|rounds| rounds < ROUNDS_PROMISED);
                outcome.few_rounds += usize::from(is_few);
                let from_pct = |condition: &Condition| cell.judged.as_ref()?.coarse_from_pct(condition.threshold_pct);
                if let Some(from_pct) = of_times().filter_map(from_pct).reduce(f64::min) {
                    let (count, most) = outcome.coarse.unwrap_or((0, f64::INFINITY));
                    outcome.coarse = Some((count + 1, from_pct.min(most)));
                }
            }
            Some(judged) if judged.is_contradicted => outcome.undecided += 1,
            Some(_) => outcome.not_eligible += 1,
            None => {}
        }
    }
    // Of several conditions, each point once.
    let mut unsure: BTreeSet<(usize, usize)> = BTreeSet::new();
    let levels = rank_levels(compared.rows.len() * compared.others.len());
    for condition in conditions {
        if condition.kind == Kind::Missing {
            let missing = cells().filter(|(row, _, cell)| {
                let had_time = compared.rows[*row].base.is_some();
                had_time && (cell.standing == Standing::Removed || cell.time.is_none())
            });
            outcome.offences.extend(missing.map(|(row, other, _)| Offence {
                condition: *condition,
                row,
                other,
                probability: None,
            }));
            continue;
        }
        let tested = cells().filter_map(|(row, other, cell)| {
            let judged = cell.judged.as_ref()?;
            Some((row, other, judged, probability(judged, *condition, levels)?))
        });
        let tested: Vec<(usize, usize, &Judged, f64)> = tested.collect();
        let probabilities: Vec<f64> = tested.iter().map(|(.., probability)| *probability).collect();
        let corrected = holm(&probabilities);
        let crosses = |judged: &Judged, corrected: f64| corrected < SIGNIFICANCE && is_beyond(judged, *condition);
        let with_corrected = || tested.iter().zip(&corrected).map(|(own, corrected)| (own, *corrected));
        let is_unsure = |((_, _, judged, _), corrected): &(&(usize, usize, &Judged, f64), f64)| {
            let is_told = condition.is_met_by(judged.verdict)
                && (condition.threshold_pct.is_none() || is_beyond(judged, *condition));
            is_told && !crosses(judged, *corrected)
        };
        unsure.extend(with_corrected().filter(is_unsure).map(|((row, other, ..), _)| (*row, *other)));
        let crossing = with_corrected().filter(|((_, _, judged, _), corrected)| crosses(judged, *corrected));
        outcome.offences.extend(crossing.map(|((row, other, ..), corrected)| Offence {
            condition: *condition,
            row: *row,
            other: *other,
            probability: Some(corrected),
        }));
    }
    outcome.unsure = unsure.len();
    outcome
}

/// Probabilities corrected after Holm for being looked at together: rejecting those below a level errs once with that probability, at most.
/// Source: Holm 1979, A simple sequentially rejective multiple test procedure; `statsmodels.stats.multitest.multipletests(method="holm")`.
pub fn holm(probabilities: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|one, other| probabilities[*one].total_cmp(&probabilities[*other]));
    let mut corrected = vec![0.0; probabilities.len()];
    let mut largest = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        largest = largest.max((probabilities.len() - rank) as f64 * probabilities[index]);
        corrected[index] = largest.min(1.0);
    }
    corrected
}

/// The threshold of a point on the scale of logarithms.
fn threshold(judged: &Judged, condition: Condition) -> f64 {
    logarithm_pct(condition.threshold_pct.unwrap_or(judged.delta_pct))
}

/// The probability, of both tails, that a difference no larger than the threshold looks like this.
fn probability(judged: &Judged, condition: Condition, levels: [f64; 3]) -> Option<f64> {
    let evidence = judged.evidence?;
    let threshold = threshold(judged, condition);
    let slower = || evidence.beyond(threshold, 1.0);
    let faster = || evidence.beyond(threshold, -1.0);
    let of_one_tail = match condition.kind {
        Kind::Slower => slower(),
        Kind::Faster => faster(),
        Kind::Different | Kind::Missing => slower().min(faster()),
    };
    let by_ranks = |sign: f32| evidence.by_ranks(levels, threshold + evidence.allowance, sign);
    let of_ranks = match condition.kind {
        Kind::Slower => by_ranks(1.0),
        Kind::Faster => by_ranks(-1.0),
        Kind::Different | Kind::Missing => by_ranks(1.0).min(by_ranks(-1.0)),
    };
    // The better of two tests errs twice as often as either.
    let of_means = 2.0 * of_one_tail;
    let either = if of_ranks < of_means / 2.0 { 2.0 * of_ranks } else { of_means };
    Some(either.min(1.0))
}

/// Whether the estimate that outlying rounds do not move is beyond the threshold too.
fn is_beyond(judged: &Judged, condition: Condition) -> bool {
    let robust = judged.ratio_robust.unwrap_or(judged.ratio).ln();
    let threshold = threshold(judged, condition);
    match condition.kind {
        Kind::Slower => robust > threshold,
        Kind::Faster => robust < -threshold,
        Kind::Different | Kind::Missing => robust.abs() > threshold,
    }
}

impl Evidence {
    /// The level at which ranks say that the difference is beyond a threshold, on the side of `sign`; 1 where they do not.
    fn by_ranks(&self, levels: [f64; 3], threshold: f64, sign: f32) -> f64 {
        let is_beyond = |interval: Option<(f32, f32)>| {
            interval.is_some_and(|(low, high)| f64::from(if sign > 0.0 { low } else { -high }) > threshold)
        };
        let beyond = levels.iter().zip(self.ranks).filter(|(_, interval)| is_beyond(*interval));
        beyond.map(|(level, _)| *level).fold(1.0, f64::min)
    }

    /// The probability of an estimate so far above `threshold` (of one so far below its negative, where `sign` is -1) if the true
    /// difference is no more than the threshold and what processes differ by.
    fn beyond(&self, threshold: f64, sign: f64) -> f64 {
        let distance = sign * self.estimate - threshold - self.allowance;
        if self.error <= 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        let reach = -distance / self.error;
        let of_normal = || Normal::new(0.0, 1.0).map_or(1.0, |normal| normal.cdf(reach));
        if self.degrees.is_infinite() {
            return of_normal();
        }
        StudentsT::new(0.0, 1.0, self.degrees).map_or(1.0, |student| student.cdf(reach))
    }
}

#[cfg(test)]
mod tests;
