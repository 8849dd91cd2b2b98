//! From where on a remedy pays: the last place where it and the pattern overtake each other.

use std::cmp::Ordering;

use super::fit::LawFit;
use super::time::MeasuredTime;
use crate::unit;

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

/// Times that differ by less count as equal: a hundredth decides for no remedy.
const SMALLEST_DIFFERENCE: f64 = 0.01;

impl Duel {
    /// Whether the remedy takes less time or more than the pattern; `Equal` where there is no telling, or hardly a difference.
    fn order(&self) -> Ordering {
        let ratio = self.remedy.time_us / self.pattern.time_us;
        if (ratio - 1.0).abs() < SMALLEST_DIFFERENCE { Ordering::Equal } else { self.remedy.against(&self.pattern) }
    }
}

/// Where two lines of times meet for the last time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passing {
    /// The first x from which on the one that overtakes is ahead wherever the two differ.
    pub from: f64,
    /// The neighbouring x between which the medians cross.
    pub between: (f64, f64),
    /// Where they cross, the logarithm of their ratio taken as straight between the two.
    pub at: f64,
    /// The 95 % interval of that, which follows from the intervals of the four times; `None` where one has none.
    pub interval: Option<(f64, f64)>,
}

impl Passing {
    fn new(from: f64, [before, after]: [&Duel; 2]) -> Self {
        let ratio = |duel: &Duel| (duel.remedy.time_us / duel.pattern.time_us).ln();
        let (d0, d1) = (ratio(before), ratio(after));
        let (width, drop) = (after.x - before.x, d0 - d1);
        let at = before.x + width * d0 / drop;
        let error = |duel: &Duel| Some(duel.remedy.half_width()?.hypot(duel.pattern.half_width()?));
        let half = error(before).zip(error(after)).map(|(e0, e1)| width * (d1 * e0).hypot(d0 * e1) / (drop * drop));
        let at = if at.is_finite() { at } else { before.x };
        Self {
            from,
            between: (before.x, after.x),
            at,
            interval: half.filter(|half| half.is_finite()).map(|half| (at - half, at + half)),
        }
    }

    /// Where they cross, in words: `3.42 (95 % interval 3.40 to 3.44)`.
    fn told(&self) -> String {
        let figure = |value| unit::significant(value, 3);
        match self.interval {
            Some((low, high)) if high > low => {
                format!("{} (95 % interval {} to {})", figure(self.at), figure(low), figure(high))
            }
            _ => figure(self.at),
        }
    }
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
/// several. Its interval is by the delta method: the curves' variances over the square of the difference of their slopes.
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
    half.is_finite().then_some(LawCrossing { x, interval, second_is_faster_beyond: was_above })
}

/// Which of the two is faster, and where. Where the intervals of their times overlap, neither is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossover {
    /// The remedy, at every x.
    FasterEverywhere,
    /// The remedy, wherever the two differ.
    FasterWhereDifferent,
    /// Nowhere the remedy, and at some x the pattern.
    NeverFaster,
    /// The remedy, from some x on.
    FasterFrom(Passing),
    /// The pattern, from some x on; the remedy before, which had overtaken it where `since` says, or was ahead from the start.
    SlowerFrom {
        /// Where the pattern overtakes for good.
        passing: Passing,
        /// Where the remedy had overtaken before.
        since: Option<Passing>,
    },
    /// Neither, at any x.
    NoDifference,
}

/// Who is faster where, from the times at each x, in rising order of x; `None` without any.
pub fn crossover(duels: &[Duel]) -> Option<Crossover> {
    let orders: Vec<Ordering> = duels.iter().map(Duel::order).collect();
    if orders.is_empty() {
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
    let first = before + 1 + orders[before + 1..].iter().position(|order| *order == last)?;
    // Before it the median is on the other side, at it on this one: somewhere between it changes sides for good.
    let ahead = |duel: &Duel| duel.remedy.time_us.total_cmp(&duel.pattern.time_us) == last;
    let crossing = (before..first).rev().find(|index| !ahead(&duels[*index])).unwrap_or(before);
    let passing = Passing::new(duels[first].x, [&duels[crossing], &duels[crossing + 1]]);
    if last.is_lt() {
        return Some(Crossover::FasterFrom(passing));
    }
    let since = match crossover(&duels[..=before]) {
        Some(Crossover::FasterFrom(since)) => Some(since),
        _ => None,
    };
    Some(Crossover::SlowerFrom { passing, since })
}

impl Crossover {
    /// In words: `dynamic_reordering overtakes divergent from branches = 3 on`.
    pub fn describe(&self, pattern: &str, remedy: &str, x: &str) -> String {
        match self {
            Self::FasterEverywhere => format!("{remedy} is faster than {pattern} everywhere"),
            Self::FasterWhereDifferent => format!("{remedy} is faster than {pattern} wherever they differ"),
            Self::NeverFaster => format!("{remedy} is never faster than {pattern}"),
            Self::FasterFrom(passing) => {
                format!("{remedy} overtakes {pattern} from {x} = {} on; they cross at {}", passing.from, passing.told())
            }
            Self::SlowerFrom { passing, since: None } => {
                format!("{pattern} overtakes {remedy} from {x} = {} on; they cross at {}", passing.from, passing.told())
            }
            Self::SlowerFrom { passing, since: Some(since) } => {
                let (from, until) = (since.from, passing.from);
                let (first, second) = (since.told(), passing.told());
                format!(
                    "{remedy} overtakes {pattern} from {x} = {from} on, and {pattern} it again from {x} = {until} on; \
                     they cross at {first} and {second}"
                )
            }
            Self::NoDifference => format!("{remedy} and {pattern} are equally fast, within their intervals"),
        }
    }
}

#[cfg(test)]
mod tests {
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
        let told = against_50(&[40.0, 60.0, 70.0, 45.0], 1.0).unwrap().describe("divergent", "sorted", "branches");
        assert_eq!(
            told,
            "sorted overtakes divergent from branches = 2 on, and divergent it again from branches = 4 on; \
             they cross at 1.55 (95 % interval 1.50 to 1.60) and 3.76 (95 % interval 3.71 to 3.81)"
        );
    }

    #[test]
    fn a_remedy_overtakes_where_it_is_faster_from_then_on() {
        let at = |from, between| Some((from, between));
        let against_50 = |pattern: &[f64], half_us| match against_50(pattern, half_us)? {
            Crossover::FasterFrom(passing) => Some((passing.from, passing.between)),
            _ => None,
        };
        assert_eq!(against_50(&[30.0, 40.0, 60.0, 70.0], 1.0), at(3.0, (2.0, 3.0)));
        // Of several crossings the last.
        assert_eq!(against_50(&[30.0, 60.0, 40.0, 60.0, 70.0], 1.0), at(4.0, (3.0, 4.0)));
        // 49 and 51 are no difference when the times are uncertain by 1, so it is not overtaken again at 4.
        assert_eq!(against_50(&[30.0, 60.0, 70.0, 49.0, 60.0], 1.0), at(2.0, (1.0, 2.0)));
        // 51 at 3 is on the other side but not clearly: the lines cross before it, the remedy is faster from 4 on.
        assert_eq!(against_50(&[30.0, 40.0, 51.0, 60.0], 1.0), at(4.0, (2.0, 3.0)));
        assert_eq!(against_50(&[30.0, 40.0, 51.0, 60.0], 0.1), at(3.0, (2.0, 3.0)));
        // The end within the intervals takes nothing back.
        assert_eq!(against_50(&[30.0, 60.0, 51.0], 1.0), at(2.0, (1.0, 2.0)));
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

    // import numpy as np; rng = np.random.default_rng(1); g = lambda m, h: rng.lognormal(np.log(m), h / 1.96, 1_000_000)
    // d0 = np.log(g(50, .02) / g(40, .02)); d1 = np.log(g(50, .02) / g(60, .02)); x = 1 + d0 / (d0 - d1)
    // x.mean(), np.quantile(x, [.025, .975])         (numpy 2.4.6: 1.55045, 1.50104, 1.60075)
    #[test]
    fn the_interval_of_a_crossing_is_that_of_a_simulation() {
        let time = |time_us: f64| MeasuredTime {
            time_us,
            interval_us: Some((time_us * (-0.02_f64).exp(), time_us * 0.02_f64.exp())),
        };
        let duels =
            [(1.0, 40.0), (2.0, 60.0)].map(|(x, pattern)| Duel { x, pattern: time(pattern), remedy: time(50.0) });
        let Some(Crossover::FasterFrom(passing)) = crossover(&duels) else { panic!() };
        let (low, high) = passing.interval.unwrap();
        assert!((passing.at - 1.550_339).abs() < 1e-6, "{passing:?}");
        assert!((low - 1.501_04).abs() < 2e-3 && (high - 1.600_75).abs() < 2e-3, "{passing:?}");
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

    #[test]
    fn crossovers_read_as_sentences() {
        let say = |crossover: Crossover| crossover.describe("divergent", "sorted", "branches");
        let passing = Passing { from: 3.0, between: (2.0, 3.0), at: 2.5, interval: None };
        assert_eq!(
            say(Crossover::FasterFrom(passing)),
            "sorted overtakes divergent from branches = 3 on; they cross at 2.50"
        );
        assert_eq!(
            say(Crossover::SlowerFrom { passing, since: None }),
            "divergent overtakes sorted from branches = 3 on; they cross at 2.50"
        );
        assert_eq!(say(Crossover::FasterEverywhere), "sorted is faster than divergent everywhere");
        assert_eq!(say(Crossover::NeverFaster), "sorted is never faster than divergent");
    }
}
