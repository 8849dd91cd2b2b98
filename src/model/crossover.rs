//! From where on a remedy pays: the last place where it and the pattern overtake each other.

use std::cmp::Ordering;

use super::fit::LawFit;
use super::time::MeasuredTime;

/// The pattern's and the remedy's time at one x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// The parameter or predictor.
    pub x: f64,
    /// The pattern's time.
    pub pattern: MeasuredTime,
    /// The remedy's time.
    pub remedy: MeasuredTime,
}

/// Times that differ by a smaller share than this count as equal.
pub const SMALLEST_DIFFERENCE: f64 = 0.01;

impl Duel {
    /// Whether the remedy takes less time or more than the pattern; `Equal` where there is no telling, or hardly a difference.
    fn order(&self) -> Ordering {
        let ratio = self.remedy.time_us / self.pattern.time_us;
        if (ratio - 1.0).abs() < SMALLEST_DIFFERENCE { Ordering::Equal } else { self.remedy.against(&self.pattern) }
    }
}

/// The last place where two lines of times cross.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// The first x from which on the one that overtakes is ahead wherever the two differ.
    pub from: f64,
    /// The last x before at which the other is ahead for certain: they cross somewhere between that and `from`. Times say no
    /// more, as what they are between two x is not known.
    pub after: f64,
    /// The neighbouring x between which the medians cross, as a chart draws them.
    pub between: (f64, f64),
    /// Whether it is ahead at half of the x from there on or more, and not but for a few where nearly all are equal.
    pub is_lasting: bool,
}

/// Where the curves of two laws cross.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LawCrossing {
    /// The predictor.
    pub x: f64,
    /// The ends of its 95 % interval.
    pub interval: (f64, f64),
    /// Whether the second law is the faster one beyond.
    pub second_is_faster_beyond: bool,
}

/// Steps over the range that both laws were fitted to, in each of which they are taken to cross once at most.
const STEPS: u32 = 512;

/// Where the curves of two laws that hold cross, within the range that both were fitted to; the last place if there are
/// several; `None` where its interval leaves that range. The interval is by the delta method: the curves' variances over the square of the difference of their slopes.
pub fn of_laws(first: &LawFit, second: &LawFit) -> Option<LawCrossing> {
    if !(first.verdict.is_success() && second.verdict.is_success() && first.predictor == second.predictor) {
        return None;
    }
    let (from, to) = (first.from.max(second.from), first.to.min(second.to));
    let difference = |x: f64| second.time_us(x) - first.time_us(x);
    let place = |step: u32| from + (to - from) * f64::from(step) / f64::from(STEPS);
    let crosses = |step: &u32| (difference(place(*step)) > 0.0) != (difference(place(step + 1)) > 0.0);
    let step = (0..STEPS).rev().find(crosses).filter(|_| to > from)?;
    let (mut low, mut high) = (place(step), place(step + 1));
    let was_above = difference(low) > 0.0;
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if (difference(middle) > 0.0) == was_above { low = middle } else { high = middle }
    }
    let x = f64::midpoint(low, high);
    let half = |fit: &LawFit| fit.band_us(x).map(|(low, high)| (high - low) / 2.0);
    let steepness = (second.slope_us(x) - first.slope_us(x)).abs();
    let half = half(first)?.hypot(half(second)?) / steepness;
    let interval = (x - half, x + half);
    // Beyond the times that both were fitted to, neither curve is known to hold.
    let is_within = interval.0 >= from && interval.1 <= to;
    is_within.then_some(LawCrossing { x, interval, second_is_faster_beyond: was_above })
}

/// Which of two variants is faster, and where. If the intervals of their times overlap, neither is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossover {
    /// The remedy is faster at every x.
    FasterEverywhere,
    /// The remedy is faster wherever the two differ.
    FasterWhereDifferent,
    /// The remedy is nowhere faster, and the pattern is faster at some x.
    NeverFaster,
    /// The remedy is faster at the first x and at the last ones, and slower in between: from `first` to `last`.
    FasterExcept {
        /// The first x at which the pattern is faster.
        first: f64,
        /// The last one.
        last: f64,
    },
    /// The remedy is faster from some x on.
    FasterFrom(Passing),
    /// The same, and it is faster at some x before, too.
    FasterAlsoBefore {
        /// Where it overtakes for good.
        passing: Passing,
        /// The first x before at which it is faster, and the last one.
        earlier: (f64, f64),
        /// Whether the pattern is ahead nowhere between these two.
        is_one_part: bool,
    },
    /// The pattern is faster from some x on. Before, the remedy is faster: from `since` on, or from the first x on if that is `None`.
    SlowerFrom {
        /// Where the pattern overtakes for good.
        passing: Passing,
        /// Where the remedy had overtaken before.
        since: Option<Passing>,
    },
    /// Neither is faster at any x.
    NoDifference,
}

/// Differences at single x among so many are looked at twice.
const FEW: usize = 4;

impl Duel {
    /// Whether the intervals of the two times are apart by as much again as they are wide: of equal times one pair in thousands is.
    fn is_clear(&self) -> bool {
        let half = |time: &MeasuredTime| time.interval_us.map_or(0.0, |(low, high)| 0.5 * (high - low));
        (self.remedy.time_us - self.pattern.time_us).abs() > 2.0 * (half(&self.remedy) + half(&self.pattern))
    }
}

/// Which is faster at each x: `Less` is the remedy. Of many equal times a pair differs by chance, so that a side which has a single x must have it clearly.
pub fn orders(duels: &[Duel]) -> Vec<Ordering> {
    let mut orders: Vec<Ordering> = duels.iter().map(Duel::order).collect();
    for side in [Ordering::Less, Ordering::Greater] {
        let own: Vec<usize> = (0..orders.len()).filter(|index| orders[*index] == side).collect();
        if let [index] = own[..]
            && orders.len() >= FEW
            && !duels[index].is_clear()
        {
            orders[index] = Ordering::Equal;
        }
    }
    orders
}

/// Decides which is faster, and where, from the times in rising order of x; `None` with less than two, where no line is.
pub fn crossover(duels: &[Duel]) -> Option<Crossover> {
    let orders = orders(duels);
    if orders.len() < 2 {
        return None;
    }
    let Some(last) = orders.iter().rposition(|order| order.is_ne()).map(|index| orders[index]) else {
        return Some(Crossover::NoDifference);
    };
    let Some(before) = orders.iter().rposition(|order| *order == last.reverse()) else {
        let ties = orders.iter().any(|order| order.is_eq());
        return Some(match last {
            Ordering::Less if ties => Crossover::FasterWhereDifferent,
            Ordering::Less => Crossover::FasterEverywhere,
            _ => Crossover::NeverFaster,
        });
    };
    if last.is_lt() {
        let passing = || {
            let passing = passing(duels, &orders, before, last)?;
            Some(earlier(duels, &orders[..before], passing).unwrap_or(Crossover::FasterFrom(passing)))
        };
        return exception(duels, &orders, before).or_else(passing);
    }
    let overtaken = orders[..=before].iter().rposition(|order| order.is_gt());
    let since = overtaken.and_then(|second| passing(&duels[..=before], &orders[..=before], second, Ordering::Less));
    Some(Crossover::SlowerFrom { passing: passing(duels, &orders, before, last)?, since })
}

/// Where the one that is ahead at the end overtakes for good; `before` is the last place at which it is not.
fn passing(duels: &[Duel], orders: &[Ordering], before: usize, last: Ordering) -> Option<Passing> {
    let first = before + 1 + orders[before + 1..].iter().position(|order| *order == last)?;
    // Before it the median is on the other side, at it on this one: somewhere between it changes sides for good.
    let ahead = |duel: &Duel| duel.remedy.time_us.total_cmp(&duel.pattern.time_us) == last;
    let crossing = (before..first).rev().find(|index| !ahead(&duels[*index])).unwrap_or(before);
    let between = (duels[crossing].x, duels[crossing + 1].x);
    let leads = orders[first..].iter().filter(|order| **order == last).count();
    let is_lasting = 2 * leads >= orders.len() - first;
    Some(Passing { from: duels[first].x, after: duels[before].x, between, is_lasting })
}

/// The one part in which the pattern is faster, up to `before`, where the remedy is the faster one before it.
fn exception(duels: &[Duel], orders: &[Ordering], before: usize) -> Option<Crossover> {
    let first = orders.iter().position(|order| order.is_gt())?;
    let is_one = orders[first..=before].iter().all(|order| !order.is_lt());
    let is_faster_before = orders[..first].iter().any(|order| order.is_lt());
    (is_one && is_faster_before).then(|| Crossover::FasterExcept { first: duels[first].x, last: duels[before].x })
}

/// What a remedy that overtakes for good has before that, where these orders say that it was ahead there, too.
fn earlier(duels: &[Duel], orders: &[Ordering], passing: Passing) -> Option<Crossover> {
    let first = orders.iter().position(|order| order.is_lt())?;
    let last = orders.iter().rposition(|order| order.is_lt())?;
    let is_one_part = orders[first..=last].iter().all(|order| !order.is_gt());
    Some(Crossover::FasterAlsoBefore { passing, earlier: (duels[first].x, duels[last].x), is_one_part })
}

impl Crossover {
    /// Whether one overtakes the other somewhere.
    pub fn is_crossing(&self) -> bool {
        matches!(
            self,
            Self::FasterExcept { .. } | Self::FasterFrom(_) | Self::FasterAlsoBefore { .. } | Self::SlowerFrom { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::model::fit::{Observation, fit_law};
    use crate::model::law::Law;

    fn time(time_us: f64, half_us: f64) -> MeasuredTime {
        MeasuredTime { time_us, interval_us: Some((time_us - half_us, time_us + half_us)) }
    }

    /// A remedy that takes 50 at each x = 1, 2, 3, ..., give or take `half_us`, against these times.
    fn against_50(pattern: &[f64], half_us: f64) -> Option<Crossover> {
        let duel = |(index, time_us): (usize, &f64)| Duel {
            x: index as f64 + 1.0,
            pattern: time(*time_us, half_us),
            remedy: time(50.0, half_us),
        };
        crossover(&pattern.iter().enumerate().map(duel).collect::<Vec<_>>())
    }

    #[test]
    fn a_remedy_that_is_faster_in_between_overtakes_and_is_overtaken() {
        let since = Passing { from: 2.0, after: 1.0, between: (1.0, 2.0), is_lasting: true };
        let passing = Passing { from: 4.0, after: 3.0, between: (3.0, 4.0), is_lasting: true };
        let expected = Crossover::SlowerFrom { passing, since: Some(since) };
        assert_eq!(against_50(&[40.0, 60.0, 70.0, 45.0], 1.0), Some(expected));
        assert!(expected.is_crossing() && !Crossover::NeverFaster.is_crossing());
    }

    #[test]
    fn a_lead_that_is_followed_by_ties_does_not_last() {
        let is_lasting = |pattern: &[f64]| match against_50(pattern, 1.0) {
            Some(Crossover::FasterFrom(passing) | Crossover::FasterAlsoBefore { passing, .. }) => passing.is_lasting,
            other => panic!("{other:?}"),
        };
        assert!(is_lasting(&[40.0, 40.0, 60.0, 60.0, 50.0]));
        assert!(is_lasting(&[40.0, 40.0, 60.0, 50.0]));
        assert!(!is_lasting(&[40.0, 40.0, 60.0, 50.0, 50.0]));
    }

    #[test]
    fn a_remedy_that_is_slower_in_one_part_alone_is_faster_except_there() {
        let except = |first, last| Some(Crossover::FasterExcept { first, last });
        assert_eq!(against_50(&[60.0, 60.0, 40.0, 60.0, 70.0], 1.0), except(3.0, 3.0));
        // A tie within the part belongs to it, one at its end does not.
        assert_eq!(against_50(&[60.0, 40.0, 50.0, 40.0, 50.0, 70.0], 1.0), except(2.0, 4.0));
    }

    #[test]
    fn where_a_remedy_is_faster_before_it_overtakes_for_good_is_told() {
        let before = |pattern: &[f64]| match against_50(pattern, 1.0) {
            Some(Crossover::FasterAlsoBefore { passing, earlier, is_one_part }) => {
                Some((passing.from, earlier, is_one_part))
            }
            _ => None,
        };
        assert_eq!(before(&[40.0, 60.0, 40.0, 60.0, 70.0]), Some((4.0, (2.0, 2.0), true)));
        assert_eq!(before(&[40.0, 60.0, 50.0, 70.0, 40.0, 60.0]), Some((6.0, (2.0, 4.0), true)));
        assert_eq!(before(&[60.0, 40.0, 60.0, 40.0, 60.0]), Some((5.0, (1.0, 3.0), false)));
        assert_eq!(before(&[40.0, 40.0, 50.0, 60.0]), None);
    }

    #[test]
    fn a_remedy_overtakes_where_it_is_faster_from_then_on() {
        let at = |from, after, between| Some((from, after, between));
        let against_50 = |pattern: &[f64], half_us| match against_50(pattern, half_us)? {
            Crossover::FasterFrom(passing) | Crossover::FasterAlsoBefore { passing, .. } => {
                Some((passing.from, passing.after, passing.between))
            }
            _ => None,
        };
        assert_eq!(against_50(&[30.0, 40.0, 60.0, 70.0], 1.0), at(3.0, 2.0, (2.0, 3.0)));
        // Of several crossings the last.
        assert_eq!(against_50(&[30.0, 60.0, 40.0, 60.0, 70.0], 1.0), at(4.0, 3.0, (3.0, 4.0)));
        // 49 and 51 are no difference when the times are uncertain by 1, so it is not overtaken again at 4.
        assert_eq!(against_50(&[30.0, 60.0, 70.0, 49.0, 60.0], 1.0), at(2.0, 1.0, (1.0, 2.0)));
        // 51 at 3 is on the other side but not clearly: the lines cross before it, the remedy is faster from 4 on.
        assert_eq!(against_50(&[30.0, 40.0, 51.0, 60.0], 1.0), at(4.0, 2.0, (2.0, 3.0)));
        assert_eq!(against_50(&[30.0, 40.0, 51.0, 60.0], 0.1), at(3.0, 2.0, (2.0, 3.0)));
        // The end within the intervals takes nothing back.
        assert_eq!(against_50(&[30.0, 60.0, 51.0], 1.0), at(2.0, 1.0, (1.0, 2.0)));
    }

    #[test]
    fn one_difference_among_many_must_be_clear() {
        let among = |time_us| against_50(&[50.0, 50.1, time_us, 49.9, 50.0], 1.0);
        assert_eq!(among(52.5), Some(Crossover::NoDifference), "it may be chance");
        assert_eq!(among(55.0), Some(Crossover::FasterWhereDifferent));
        assert_eq!(
            against_50(&[50.0, 52.5, 52.5, 49.9], 1.0),
            Some(Crossover::FasterWhereDifferent),
            "twice is no chance"
        );
        assert_eq!(against_50(&[60.0, 61.0, 47.5, 62.0], 1.0), Some(Crossover::FasterWhereDifferent));
    }

    #[test]
    fn a_remedy_may_be_overtaken_or_not_meet_the_pattern_at_all() {
        let Some(Crossover::SlowerFrom { passing, since: None }) = against_50(&[70.0, 60.0, 40.0, 30.0], 1.0) else {
            panic!()
        };
        assert_eq!((passing.from, passing.between), (3.0, (2.0, 3.0)));
        assert_eq!(against_50(&[60.0, 70.0], 1.0), Some(Crossover::FasterEverywhere));
        assert_eq!(against_50(&[51.0, 70.0], 1.0), Some(Crossover::FasterWhereDifferent));
        assert_eq!(against_50(&[49.0, 51.0, 40.0], 1.0), Some(Crossover::NeverFaster));
        assert_eq!(against_50(&[49.0, 51.0], 1.0), Some(Crossover::NoDifference));
        assert_eq!(against_50(&[], 1.0), None);
    }

    #[test]
    fn what_is_told_of_curves_contains_their_crossing() {
        // 20 + 2000/m and 60 + 1200/m meet at m = 20.
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        let optional = [12.0, 16.0, 20.0, 24.0];
        for left_in in 0..16_u32 {
            let kept = optional.iter().enumerate().filter(|(index, _)| left_in & (1 << index) != 0);
            let mut grid: Vec<f64> =
                [1.0, 2.0, 5.0, 10.0, 50.0, 100.0].into_iter().chain(kept.map(|(_, m)| *m)).collect();
            grid.sort_by(f64::total_cmp);
            for _ in 0..50 {
                let mut noisy = |time_us: f64| {
                    let deviate: f64 =
                        (0..12).map(|_| f64::from(rng.next_u32()) / f64::from(u32::MAX)).sum::<f64>() - 6.0;
                    let measured = time_us * (1.0 + 0.002 * deviate);
                    time(measured, 1.96 * 0.002 * measured)
                };
                let duels: Vec<Duel> = grid
                    .iter()
                    .map(|m| Duel { x: *m, pattern: noisy(20.0 + 2000.0 / m), remedy: noisy(60.0 + 1200.0 / m) })
                    .collect();
                let Some(Crossover::SlowerFrom { passing, since: None }) = crossover(&duels) else {
                    panic!("{duels:?}")
                };
                assert!(passing.after <= 20.0 && passing.from >= 20.0, "{passing:?} of {grid:?}");
            }
        }
    }

    #[test]
    fn a_crossing_of_laws_at_the_end_of_their_range_is_not_told() {
        let line = |a: f64, b: f64| {
            let noise = [0.02, -0.02, -0.01, 0.02, 0.01, -0.02];
            let at = |(index, noise): (usize, &f64)| {
                let x = index as f64 + 1.0;
                Observation::exact(x, (a + b * x) * (1.0 + noise))
            };
            let all: Vec<Observation> = noise.iter().enumerate().map(at).collect();
            fit_law(Law::find("branches").unwrap(), "branches_per_warp", &all, false, false).unwrap()
        };
        let (first, second) = (line(100.0, 110.0), line(181.0, 95.0));
        assert!(first.verdict.is_success() && second.verdict.is_success());
        assert!((first.time_us(5.9) - second.time_us(5.9)) * (first.time_us(1.0) - second.time_us(1.0)) < 0.0);
        assert_eq!(of_laws(&first, &second), None);
    }

    #[test]
    fn the_crossing_of_two_lines_is_where_they_meet() {
        let line = |a: f64, b: f64, noise: f64| {
            let at = |x: u32| {
                let sign = if x.is_multiple_of(2) { 1.0 } else { -1.0 };
                Observation::exact(f64::from(x), (a + b * f64::from(x)) * (1.0 + sign * noise))
            };
            let all: Vec<Observation> = (1..=12).map(at).collect();
            fit_law(Law::find("branches").unwrap(), "branches_per_warp", &all, false, false).unwrap()
        };
        let exact = of_laws(&line(10.0, 20.0, 0.0), &line(75.0, 7.0, 0.0)).unwrap();
        assert!((exact.x - 5.0).abs() < 1e-9 && exact.second_is_faster_beyond, "{exact:?}");
        assert!(exact.interval.1 - exact.interval.0 < 1e-9);
        let noisy = of_laws(&line(10.0, 20.0, 0.01), &line(75.0, 7.0, 0.01)).unwrap();
        assert!(
            noisy.interval.0 < 5.0 && noisy.interval.1 > 5.0 && noisy.interval.1 - noisy.interval.0 < 0.5,
            "{noisy:?}"
        );
        assert_eq!(of_laws(&line(10.0, 20.0, 0.0), &line(9.0, 7.0, 0.0)), None);
    }
}
