//! From where on remedies pay: crossings of a run's lines, and of its laws, and the words for them.

use std::collections::{HashMap, HashSet};
use std::fmt;

use crate::chart::figure::{ChartCrossovers, LineCrossover, crossovers};
use crate::model::crossover::{Crossover, LawCrossing, Passing, of_laws};
use crate::model::fit::LawFit;
use crate::model::group::{GroupFit, Key, label};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// More pairs of lines on one chart than these are told in sum.
const MOST_TOLD: usize = 20;

/// What became of a remedy against the pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum Meeting {
    /// A remedy's line on a chart, and the pattern's.
    Lines {
        /// The parameter or predictor along the chart's axis.
        x: String,
        /// The lines, their group with what the chart is filtered by in front.
        lines: LineCrossover,
    },
    /// All lines of a remedy on a chart that has many.
    InSum(InSum),
    /// The curves of two laws, which cross.
    Laws {
        /// The pattern's variant.
        pattern: String,
        /// The remedy's variant.
        remedy: String,
        /// What both laws are fitted against.
        predictor: &'static str,
        /// What both groups are of, beside their variants.
        group: Key,
        /// Where they cross.
        crossing: LawCrossing,
    },
}

/// The pairs of a remedy's and the pattern's lines on a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct InSum {
    /// The parameter or predictor along the chart's axis.
    pub x: String,
    /// The pattern's variant.
    pub pattern: String,
    /// The remedy's variant.
    pub remedy: String,
    /// What the chart is filtered by.
    pub filter: Key,
    /// What became of each pair.
    pub crossovers: Vec<Crossover>,
}

impl Meeting {
    /// The remedy's variant.
    pub fn remedy(&self) -> &str {
        match self {
            Self::Lines { lines, .. } => &lines.remedy,
            Self::InSum(sum) => &sum.remedy,
            Self::Laws { remedy, .. } => remedy,
        }
    }

    /// In words, which are of the points so far where the run is not complete.
    pub fn told(&self, is_complete: bool) -> String {
        let told = self.to_string();
        if is_complete { told } else { told.replacen(" everywhere", " at all points so far", 1) }
    }

    /// How many pairs of lines, or of laws, cross.
    pub fn crossings(&self) -> usize {
        match self {
            Self::Lines { lines, .. } => usize::from(lines.crossover.is_crossing()),
            Self::InSum(sum) => sum.crossovers.iter().filter(|own| own.is_crossing()).count(),
            Self::Laws { .. } => 1,
        }
    }
}

/// What became of each remedy against the pattern in the charts of a run. What several charts tell in the same words is told once.
pub fn line_meetings(run: &Run, scenario: &Scenario) -> Vec<Meeting> {
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    told_once(crossovers(&scenario.charts, scenario.family, pattern, run))
}

fn told_once(charts: Vec<ChartCrossovers>) -> Vec<Meeting> {
    let mut seen: HashSet<String> = HashSet::new();
    let meetings = charts.into_iter().flat_map(|ChartCrossovers { x, filter, lines }| {
        if lines.len() > MOST_TOLD {
            return in_sum(&x, &filter, lines);
        }
        let one = |lines: LineCrossover| {
            let group = filter.iter().cloned().chain(lines.group).collect();
            Meeting::Lines { x: x.clone(), lines: LineCrossover { group, ..lines } }
        };
        lines.into_iter().map(one).collect()
    });
    meetings.filter(|meeting| seen.insert(meeting.to_string())).collect()
}

/// The pairs of lines of each remedy together.
fn in_sum(x: &str, filter: &Key, lines: Vec<LineCrossover>) -> Vec<Meeting> {
    let mut sums: Vec<InSum> = Vec::new();
    for LineCrossover { pattern, remedy, crossover, .. } in lines {
        match sums.iter_mut().find(|own| own.remedy == remedy) {
            Some(own) => own.crossovers.push(crossover),
            None => sums.push(InSum {
                x: x.to_owned(),
                pattern,
                remedy,
                filter: filter.clone(),
                crossovers: vec![crossover],
            }),
        }
    }
    sums.into_iter().map(Meeting::InSum).collect()
}

/// Where the law of a remedy and that of the pattern cross, both holding.
pub fn law_meetings(fits: &[GroupFit], pattern: &str) -> Vec<Meeting> {
    // What tells a group from others, but for the variant.
    let rest =
        |group: &GroupFit| -> Key { group.group.iter().filter(|(name, _)| name != "variant").cloned().collect() };
    let variant = |group: &GroupFit| group.group.first().map(|(_, variant)| variant.clone()).unwrap_or_default();
    let laws = || {
        let of_times = fits.iter().filter(|group| group.of.is_none());
        of_times.filter_map(|group| Some((group, group.outcome.law()?)))
    };
    let patterns: HashMap<(&str, Key), &LawFit> = laws()
        .filter(|(group, _)| variant(group) == pattern)
        .map(|(group, fit)| ((group.name.as_str(), rest(group)), fit))
        .collect();
    let of_remedy = |(group, fit): (&GroupFit, &LawFit)| {
        let key = (group.name.as_str(), rest(group));
        let crossing = of_laws(patterns.get(&key)?, fit)?;
        let (pattern, remedy) = (pattern.to_owned(), variant(group));
        Some(Meeting::Laws { pattern, remedy, predictor: fit.predictor, group: key.1, crossing })
    };
    laws().filter(|(group, _)| variant(group) != pattern).filter_map(of_remedy).collect()
}

impl fmt::Display for Meeting {
    /// In words: `dynamic_reordering overtakes divergent from branches = 3 on (operation=compute)`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = match self {
            Self::Lines { x, lines } => {
                write_lines(formatter, lines, x)?;
                &lines.group
            }
            Self::InSum(sum) => {
                write_sum(formatter, sum)?;
                &sum.filter
            }
            Self::Laws { pattern, remedy, predictor, group, crossing } => {
                let LawCrossing { x, interval: (low, high), second_is_faster_beyond } = crossing;
                let (first, second) = if *second_is_faster_beyond { (remedy, pattern) } else { (pattern, remedy) };
                let [x, low, high] = [x, low, high].map(|figure| unit::significant(*figure, 3));
                let interval = format!("95 % interval {low} to {high}");
                write!(formatter, "by their laws, {first} overtakes {second} at {predictor} = {x}, {interval}")?;
                group
            }
        };
        if group.is_empty() { Ok(()) } else { write!(formatter, " ({})", label(group)) }
    }
}

fn write_lines(formatter: &mut fmt::Formatter<'_>, lines: &LineCrossover, x: &str) -> fmt::Result {
    let LineCrossover { pattern, remedy, crossover, .. } = lines;
    match crossover {
        Crossover::FasterEverywhere => write!(formatter, "{remedy} is faster than {pattern} everywhere"),
        Crossover::FasterWhereDifferent => write!(formatter, "{remedy} is faster than {pattern} wherever they differ"),
        Crossover::NeverFaster => write!(formatter, "{remedy} is never faster than {pattern}"),
        Crossover::FasterExcept { first, last } if first.total_cmp(last).is_eq() => {
            write!(formatter, "{remedy} is faster than {pattern}, except at {x} = {first}")
        }
        Crossover::FasterExcept { first, last } => {
            write!(formatter, "{remedy} is faster than {pattern}, except from {x} = {first} to {last}")
        }
        Crossover::FasterFrom(Passing { from, after, .. }) => write!(
            formatter,
            "{remedy} overtakes {pattern} from {x} = {from} on; they cross between {x} = {after} and {from}"
        ),
        Crossover::FasterAlsoBefore { passing: Passing { from, after, .. }, earlier, is_one_part } => {
            let earlier = part_before(x, *earlier, *is_one_part);
            write!(
                formatter,
                "{remedy} is faster than {pattern} {earlier} and from {x} = {from} on; they cross for the last time between \
                 {x} = {after} and {from}"
            )
        }
        Crossover::SlowerFrom { passing: Passing { from, after, .. }, since: None } => write!(
            formatter,
            "{pattern} overtakes {remedy} from {x} = {from} on; they cross between {x} = {after} and {from}"
        ),
        Crossover::SlowerFrom { passing: Passing { from: until, after: second, .. }, since: Some(since) } => {
            let Passing { from, after: first, .. } = since;
            write!(
                formatter,
                "{remedy} overtakes {pattern} from {x} = {from} on, and {pattern} it again from {x} = {until} on; \
                 they cross between {x} = {first} and {from} and between {second} and {until}"
            )
        }
        Crossover::NoDifference => write!(formatter, "{remedy} and {pattern} are equally fast, within their intervals"),
    }
}

/// Where a remedy is faster before it overtakes for good: `at stride = 2`.
pub(super) fn part_before(x: &str, (first, last): (f64, f64), is_one_part: bool) -> String {
    match (first.total_cmp(&last).is_eq(), is_one_part) {
        (true, _) => format!("at {x} = {first}"),
        (false, true) => format!("from {x} = {first} to {last}"),
        (false, false) => format!("at some {x} from {first} to {last}"),
    }
}

/// How many pairs of lines came to what.
fn write_sum(formatter: &mut fmt::Formatter<'_>, sum: &InSum) -> fmt::Result {
    let InSum { x, pattern, remedy, crossovers, .. } = sum;
    let count = |is: fn(&Crossover) -> bool| crossovers.iter().filter(|own| is(own)).count();
    let from: Vec<f64> = crossovers.iter().filter_map(faster_from).collect();
    let least = from.iter().copied().fold(f64::INFINITY, f64::min);
    let most = from.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let counts = [
        (count(|own| matches!(own, Crossover::FasterEverywhere)), "it is faster everywhere".to_owned()),
        (count(|own| matches!(own, Crossover::FasterWhereDifferent)), "it is faster wherever they differ".to_owned()),
        (count(|own| matches!(own, Crossover::FasterExcept { .. })), format!("it is faster except in a part of {x}")),
        (from.len(), format!("it overtakes, from {x} = {least} to {most} on")),
        (count(|own| matches!(own, Crossover::SlowerFrom { .. })), format!("it falls behind from some {x} on")),
        (count(|own| matches!(own, Crossover::NeverFaster)), "it is never faster".to_owned()),
        (count(|own| matches!(own, Crossover::NoDifference)), "there is no difference".to_owned()),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("in {count} {what}")).collect();
    let pairs = crossovers.len();
    write!(formatter, "{remedy} against {pattern} along {x}, {pairs} pairs of lines: {}", counts.join(", "))
}

/// The x from which on the remedy is faster, if it is from some x on.
fn faster_from(crossover: &Crossover) -> Option<f64> {
    match crossover {
        Crossover::FasterFrom(passing) | Crossover::FasterAlsoBefore { passing, .. } => Some(passing.from),
        _ => None,
    }
}

mod left_out;
#[cfg(test)]
mod tests;

pub use left_out::left_out_meetings;
