//! Which remedy pays, from where on, and by how much.

use super::listed;
use crate::finding::{Meeting, line_meetings};
use crate::model::Model;
use crate::model::crossover::{Crossover, Passing};
use crate::model::group::{GroupFit, label};
use crate::model::slowdown::{Slowdown, pairs};
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// A variant that takes this many times as long as the pattern somewhere is slower there.
const WORTH_TELLING: f64 = 1.01;

/// Where a variant is faster than the pattern.
#[derive(Debug, Clone, PartialEq)]
enum Where {
    Everywhere,
    Nowhere,
    Same,
    /// In words that follow the variant's name.
    Partly(String),
}

/// What became of the pattern's remedies: in one sentence each those that are faster everywhere, in some places, and nowhere.
pub(super) fn remedies(run: &Run, scenario: &Scenario, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let good: Vec<&PointRecord> =
        run.points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    let all = pairs(scenario.family, &good, pattern);
    let is_reference = |name: &str| {
        fits.iter().any(|group| matches!(&group.model, Model::Slowdown { reference } if reference == name))
    };
    let meetings = line_meetings(run, scenario);
    let (mut faster, mut partly, mut same, mut slower) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for variant in &scenario.variants {
        let name = variant.name;
        let own: Vec<_> = all.iter().copied().filter(|pair| pair.point.variant == name).collect();
        // What the others are measured against is no remedy, but the least that there is to do.
        let Some(slowdown) = Slowdown::over(&own).filter(|_| !is_reference(name)) else { continue };
        let of_remedy: Vec<&Meeting> = meetings.iter().filter(|meeting| meeting.remedy() == name).collect();
        match of_meetings(&of_remedy).unwrap_or_else(|| of_points(&slowdown)) {
            Where::Everywhere => faster.push((slowdown.ratio, format!("{name} {}", times(&slowdown, true)))),
            Where::Partly(places) => {
                partly.push((slowdown.ratio, format!("{name} {places}, {}", at_most(&slowdown))));
            }
            Where::Same => same.push((slowdown.ratio, name.to_owned())),
            Where::Nowhere => slower.push((1.0 / slowdown.ratio, format!("{name} {}", times(&slowdown, false)))),
        }
    }
    let sentence = |(what, between, mut own): (&str, &str, Vec<(f64, String)>)| {
        own.sort_by(|one, other| one.0.total_cmp(&other.0));
        let own: Vec<String> = own.into_iter().map(|(_, told)| told).collect();
        (!own.is_empty()).then(|| format!("{}: {}.", what.replace("{}", pattern), listed(&own, between)))
    };
    let kinds = [
        ("Faster than {} everywhere", ", ", faster),
        ("Faster than {}", "; ", partly),
        ("As fast as {}", ", ", same),
        ("Never faster than {}", ", ", slower),
    ];
    kinds.into_iter().filter_map(sentence).collect()
}

/// Where the variant's lines on charts are below the pattern's; `None` without lines.
fn of_meetings(meetings: &[&Meeting]) -> Option<Where> {
    let mut found: Vec<(Where, Vec<String>)> = Vec::new();
    for meeting in meetings {
        let (place, group) = match meeting {
            Meeting::Lines { x, lines } => (of_lines(x, &lines.crossover), label(&lines.group)),
            Meeting::InSum(sum) => {
                let each: Vec<Where> = sum.crossovers.iter().map(|own| of_lines(&sum.x, own)).collect();
                let first = each.first().filter(|first| each.iter().all(|own| own == *first));
                let faster = each.iter().filter(|own| !matches!(own, Where::Nowhere | Where::Same)).count();
                let partly = || Where::Partly(format!("in {faster} of {} pairs of lines", each.len()));
                (first.cloned().unwrap_or_else(partly), label(&sum.filter))
            }
            Meeting::Laws { .. } => continue,
        };
        match found.iter_mut().find(|(own, _)| *own == place) {
            Some((_, groups)) => groups.push(group),
            None => found.push((place, vec![group])),
        }
    }
    match &found[..] {
        [] => None,
        [(place, _)] => Some(place.clone()),
        several if several.iter().all(|(place, _)| matches!(place, Where::Nowhere | Where::Same)) => {
            Some(Where::Nowhere)
        }
        several => {
            let each = several.iter().map(|(place, groups)| {
                let words = match place {
                    Where::Everywhere => "everywhere",
                    Where::Nowhere | Where::Same => "nowhere",
                    Where::Partly(words) => words,
                };
                let groups: Vec<String> = groups.iter().filter(|group| !group.is_empty()).cloned().collect();
                if groups.is_empty() { words.to_owned() } else { format!("{words} ({})", listed(&groups, ", ")) }
            });
            Some(Where::Partly(each.collect::<Vec<_>>().join(" and ")))
        }
    }
}

fn of_lines(x: &str, crossover: &Crossover) -> Where {
    match crossover {
        Crossover::FasterEverywhere => Where::Everywhere,
        Crossover::NeverFaster => Where::Nowhere,
        Crossover::NoDifference => Where::Same,
        Crossover::FasterWhereDifferent => Where::Partly("wherever they differ".to_owned()),
        Crossover::FasterExcept { first, last } if first.total_cmp(last).is_eq() => {
            Where::Partly(format!("except at {x} = {first}"))
        }
        Crossover::FasterExcept { first, last } => Where::Partly(format!("except from {x} = {first} to {last}")),
        Crossover::FasterFrom(Passing { from, .. }) => Where::Partly(format!("from {x} = {from} on")),
        Crossover::SlowerFrom { passing, since: None } => Where::Partly(format!("below {x} = {}", passing.from)),
        Crossover::SlowerFrom { passing, since: Some(since) } => {
            Where::Partly(format!("from {x} = {} to below {}", since.from, passing.from))
        }
    }
}

/// The same by the number of points alone, where no chart has lines.
fn of_points(slowdown: &Slowdown) -> Where {
    match (slowdown.faster, slowdown.slower) {
        (faster, _) if faster == slowdown.n => Where::Everywhere,
        (0, 0) => Where::Same,
        (0, _) => Where::Nowhere,
        (faster, _) => Where::Partly(format!("at {faster} of {} points", slowdown.n)),
    }
}

/// How many times as fast a variant is at most, and how slow it is at other points.
fn at_most(slowdown: &Slowdown) -> String {
    let [most, least] = [slowdown.smallest, slowdown.largest].map(|ratio| unit::significant(1.0 / ratio, 3));
    if slowdown.largest > WORTH_TELLING {
        format!("up to {most} times as fast, {least} times where it is slowest")
    } else {
        format!("up to {most} times as fast")
    }
}

/// How many times as fast a variant is, or takes as long, from the least to the most.
fn times(slowdown: &Slowdown, is_speed: bool) -> String {
    let ratios = if is_speed {
        [1.0 / slowdown.largest, 1.0 / slowdown.smallest]
    } else {
        [slowdown.smallest, slowdown.largest]
    };
    let [least, most] = ratios.map(|ratio| unit::significant(ratio, 3));
    let range = if least == most { least } else { format!("{least} to {most}") };
    format!("{range} times as {}", if is_speed { "fast" } else { "long" })
}
