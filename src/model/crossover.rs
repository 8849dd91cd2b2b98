//! From where on a remedy pays: the last place where it and the pattern overtake each other.

use std::cmp::Ordering;

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
    let passing = Passing { from: duels[first].x, between: (duels[crossing].x, duels[crossing + 1].x) };
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
            Self::FasterFrom(passing) => format!("{remedy} overtakes {pattern} from {x} = {} on", passing.from),
            Self::SlowerFrom { passing, since: None } => {
                format!("{pattern} overtakes {remedy} from {x} = {} on", passing.from)
            }
            Self::SlowerFrom { passing, since: Some(since) } => {
                let (from, until) = (since.from, passing.from);
                format!(
                    "{remedy} overtakes {pattern} from {x} = {from} on, and {pattern} it again from {x} = {until} on"
                )
            }
            Self::NoDifference => format!("{remedy} and {pattern} are equally fast, within their intervals"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "sorted overtakes divergent from branches = 2 on, and divergent it again from branches = 4 on"
        );
    }

    #[test]
    fn a_remedy_overtakes_where_it_is_faster_from_then_on() {
        let at = |from, between| Some(Crossover::FasterFrom(Passing { from, between }));
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
        let passing = Passing { from: 3.0, between: (2.0, 3.0) };
        assert_eq!(against_50(&[70.0, 60.0, 40.0, 30.0], 1.0), Some(Crossover::SlowerFrom { passing, since: None }));
        assert_eq!(against_50(&[60.0, 70.0], 1.0), Some(Crossover::FasterEverywhere));
        assert_eq!(against_50(&[51.0, 70.0], 1.0), Some(Crossover::FasterWhereDifferent));
        assert_eq!(against_50(&[49.0, 51.0, 40.0], 1.0), Some(Crossover::NeverFaster));
        assert_eq!(against_50(&[49.0, 51.0], 1.0), Some(Crossover::NoDifference));
        assert_eq!(against_50(&[], 1.0), None);
    }

    #[test]
    fn crossovers_read_as_sentences() {
        let say = |crossover: Crossover| crossover.describe("divergent", "sorted", "branches");
        let passing = Passing { from: 3.0, between: (2.0, 3.0) };
        assert_eq!(say(Crossover::FasterFrom(passing)), "sorted overtakes divergent from branches = 3 on");
        assert_eq!(
            say(Crossover::SlowerFrom { passing, since: None }),
            "divergent overtakes sorted from branches = 3 on"
        );
        assert_eq!(say(Crossover::FasterEverywhere), "sorted is faster than divergent everywhere");
        assert_eq!(say(Crossover::NeverFaster), "sorted is never faster than divergent");
    }
}
