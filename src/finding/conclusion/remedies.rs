//! Which remedy pays, from where on, and by how much.

use super::{listed, listed_in_order};
use crate::family::Family;
use crate::finding::crossing::part_before;
use crate::finding::{Meeting, left_out_meetings, line_meetings, with_values};
use crate::model::Model;
use crate::model::crossover::{Crossover, Passing};
use crate::model::group::{GroupFit, Key, Outcome};
use crate::model::slowdown::{Pair, Slowdown, pairs};
use crate::parameter::Kind;
use crate::record::{PointRecord, Status};
use crate::run::metadata::RunStatus;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// A variant that takes this many times as long as the pattern somewhere is slower there, and one that it takes so many times as long as is faster.
const WORTH_TELLING: f64 = 1.01;

/// Values of a choice that are told apart, at most.
const VALUES_MOST: usize = 3;

/// What sentences about several variants begin with.
pub(super) const BEGINNINGS: [&str; 3] = ["Faster than ", "As fast as ", "Nowhere clearly faster than "];

/// Groups of lines that are named, at most.
const GROUPS_MOST: usize = 3;

/// Where a variant is faster than the pattern.
#[derive(Debug, Clone, PartialEq)]
enum Where {
    Everywhere,
    Nowhere,
    Same,
    /// In words that follow the variant's name.
    Partly(String),
}

impl Where {
    fn words(&self) -> &str {
        match self {
            Self::Everywhere => "everywhere",
            Self::Nowhere | Self::Same => "nowhere",
            Self::Partly(words) => words,
        }
    }
}

/// What became of the pattern's remedies: in one sentence each those that are faster everywhere, in some places, and nowhere.
pub(super) fn remedies(run: &Run, scenario: &Scenario, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let good: Vec<&PointRecord> =
        run.points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    let all = pairs(scenario.family, &good, pattern);
    let is_reference = |name: &str| {
        fits.iter().any(|group| matches!(&group.model, Model::Slowdown { reference } if reference == name))
    };
    let mut meetings = line_meetings(run, scenario);
    meetings.extend(left_out_meetings(run, scenario));
    let (mut faster, mut partly, mut same, mut slower) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for variant in &scenario.variants {
        let name = variant.name;
        let own: Vec<_> = all.iter().copied().filter(|pair| pair.point.variant == name).collect();
        // What the others are measured against is no remedy, but the least that there is to do.
        // Where there is nothing else, it is the remedy.
        let is_remedy = !is_reference(name) || scenario.variants.len() == 2;
        let Some(slowdown) = Slowdown::over(&own).filter(|_| is_remedy) else { continue };
        let of_remedy: Vec<&Meeting> = meetings.iter().filter(|meeting| meeting.remedy() == name).collect();
        match of_meetings(&of_remedy, scenario.family, &own).unwrap_or_else(|| of_points(&slowdown)) {
            Where::Everywhere => {
                faster.push((slowdown.ratio, format!("{name}{}", speeds(scenario.family, &own, &slowdown))));
            }
            // Faster by less than the figures show is not faster.
            Where::Partly(_) if is_as_fast_at_best(&slowdown) => {
                if slowdown.largest > WORTH_TELLING {
                    slower.push((1.0 / slowdown.ratio, format!("{name} {}", range(&slowdown, false))));
                } else {
                    same.push((slowdown.ratio, name.to_owned()));
                }
            }
            Where::Partly(places) => {
                let told = format!("{name} {places}, {}", at_most(scenario.family, &own, &slowdown));
                partly.push((slowdown.smallest, told));
            }
            Where::Same => same.push((slowdown.ratio, name.to_owned())),
            Where::Nowhere => slower.push((1.0 / slowdown.ratio, format!("{name} {}", range(&slowdown, false)))),
        }
    }
    // What all figures are is said of the first.
    let sentence = |(what, between, unit, mut own): (&str, &str, &str, Vec<(f64, String)>)| {
        own.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut own: Vec<String> = own.into_iter().map(|(_, told)| told).collect();
        *own.first_mut()? += unit;
        Some(format!("{}: {}.", what.replace("{}", pattern), listed_in_order(&own, between)))
    };
    let everywhere = if run.metadata.status == RunStatus::Complete {
        "Faster than {} everywhere"
    } else {
        "Faster than {} at all points so far"
    };
    let kinds = [
        (everywhere, "; ", " times as fast", faster),
        ("Faster than {}", "; ", "", partly),
        ("As fast as {}", "; ", "", same),
        ("Nowhere clearly faster than {}", "; ", " times as long", slower),
    ];
    kinds.into_iter().filter_map(sentence).collect()
}

/// How many times as fast or as slow as the pattern another variant is at most, where a scenario asks for times beside it.
pub(super) fn largest_gain(fits: &[GroupFit], pattern: &str) -> f64 {
    let ratio = |group: &GroupFit| match (&group.model, &group.outcome) {
        (Model::Slowdown { reference }, Outcome::Slowdown(own)) if reference == pattern => {
            Some(own.largest.max(1.0 / own.smallest))
        }
        _ => None,
    };
    fits.iter().filter_map(ratio).fold(1.0, f64::max)
}

/// Whether a variant is at best `1.00 times as fast`.
fn is_as_fast_at_best(slowdown: &Slowdown) -> bool {
    unit::significant(1.0 / slowdown.smallest, 3) == "1.00"
}

/// Whether lines are of a part of these points: charts show some values of a parameter, and the run has others.
fn is_part(meetings: &[&Meeting], family: &Family, pairs: &[Pair<'_>]) -> bool {
    let groups = || {
        meetings.iter().filter_map(|meeting| match meeting {
            Meeting::Lines { lines, .. } => Some(&lines.group),
            Meeting::InSum(sum) => Some(&sum.filter),
            Meeting::Laws { .. } => None,
        })
    };
    let is_told = |name: &str, value: &str| {
        groups().any(|group| {
            group.iter().any(|(own, text)| own == name && text == value) || group.iter().all(|(own, _)| own != name)
        })
    };
    let mut names = groups().flatten().map(|(name, _)| name.as_str());
    names.any(|name| pairs.iter().filter_map(|pair| pair.value(family, name)).any(|value| !is_told(name, &value)))
}

/// Where the variant's lines on charts are below the pattern's; `None` without lines.
fn of_meetings(meetings: &[&Meeting], family: &Family, pairs: &[Pair<'_>]) -> Option<Where> {
    // Charts may show a part of the points, and all of them are clearly faster.
    let is_faster = |own: Slowdown| own.faster == own.n && own.largest * WORTH_TELLING < 1.0;
    if !meetings.is_empty() && Slowdown::over(pairs).is_some_and(is_faster) {
        return Some(Where::Everywhere);
    }
    let mut found: Vec<(Where, Vec<&Key>)> = Vec::new();
    for meeting in meetings {
        let (place, group) = match meeting {
            Meeting::Lines { x, lines } => (of_lines(x, &lines.crossover), &lines.group),
            Meeting::InSum(sum) => {
                let each: Vec<Where> = sum.crossovers.iter().map(|own| of_lines(&sum.x, own)).collect();
                let first = each.first().filter(|first| each.iter().all(|own| own == *first));
                let faster = each.iter().filter(|own| !matches!(own, Where::Nowhere | Where::Same)).count();
                let partly = || Where::Partly(format!("in {faster} of {} pairs of lines", each.len()));
                (first.cloned().unwrap_or_else(partly), &sum.filter)
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
        [(place, _)] if !is_part(meetings, family, pairs) || matches!(place, Where::Nowhere | Where::Same) => {
            Some(place.clone())
        }
        several if several.iter().all(|(place, _)| matches!(place, Where::Nowhere | Where::Same)) => {
            Some(Where::Nowhere)
        }
        several if several.len() <= GROUPS_MOST && own_conditions(several).is_some() => {
            let each = several.iter().zip(own_conditions(several).unwrap_or_default());
            let each = each.map(|((place, _), condition)| format!("{} with {condition}", place.words()));
            Some(Where::Partly(each.collect::<Vec<_>>().join(" and ")))
        }
        // Of many lines nobody reads where each is: the points are counted.
        several if several.iter().map(|(_, groups)| groups.len()).sum::<usize>() > GROUPS_MOST => {
            let slowdown = Slowdown::over(pairs)?;
            let Where::Partly(counted) = of_points(&slowdown) else { return Some(of_points(&slowdown)) };
            Some(Where::Partly(format!("{counted}{}", always(family, pairs).unwrap_or_default())))
        }
        several => {
            let each = several.iter().map(|(place, groups)| {
                let words = place.words();
                let groups: Vec<String> =
                    groups.iter().filter(|group| !group.is_empty()).map(|own| with_values(own)).collect();
                if groups.is_empty() { words.to_owned() } else { format!("{words} ({})", listed(&groups, ", ")) }
            });
            Some(Where::Partly(each.collect::<Vec<_>>().join(" and ")))
        }
    }
}

/// For each place a condition that all of its several groups of lines share and no other has: `block=128`; `None` where one has none.
fn own_conditions(found: &[(Where, Vec<&Key>)]) -> Option<Vec<String>> {
    let of_place = |(index, (_, groups)): (usize, &(Where, Vec<&Key>))| {
        let mut others = found.iter().enumerate().filter(|(other, _)| *other != index).flat_map(|(_, own)| &own.1);
        let is_own = |condition: &&(String, String)| groups.iter().all(|group| group.contains(condition));
        let mut shared = groups.first()?.iter().filter(is_own);
        let (name, value) = shared.find(|condition| !others.clone().any(|group| group.contains(condition)))?;
        others.next().map(|_| format!("{name}={value}"))
    };
    let is_many = found.iter().map(|(_, groups)| groups.len()).sum::<usize>() > found.len();
    found.iter().enumerate().map(of_place).collect::<Option<Vec<_>>>().filter(|_| is_many)
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
        Crossover::FasterAlsoBefore { passing: Passing { from, .. }, earlier, is_one_part } => {
            Where::Partly(format!("{} and from {x} = {from} on", part_before(x, *earlier, *is_one_part)))
        }
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

/// The parameter of the fewest values of which one is enough for the variant to be faster: `, among them all with answer=used`.
fn always(family: &Family, pairs: &[Pair<'_>]) -> Option<String> {
    let of_parameter = |name: &str| {
        let mut values: Vec<(String, bool)> = Vec::new();
        for pair in pairs {
            let (value, is_faster) = (pair.value(family, name)?, Slowdown::over(&[*pair])?.faster == 1);
            match values.iter_mut().find(|(own, _)| *own == value) {
                Some((_, all)) => *all &= is_faster,
                None => values.push((value, is_faster)),
            }
        }
        let (value, _) = values.iter().find(|(_, all)| *all)?;
        Some((values.len(), format!(", among them all with {name}={value}")))
    };
    let each = family.parameters.iter().filter_map(|parameter| of_parameter(parameter.name));
    each.min_by_key(|(values, _)| *values).map(|(_, told)| told)
}

/// How many times as fast a variant is at most, and how slow it is at other points: by the choice on which that depends most, if any has much to do with it.
fn at_most(family: &Family, pairs: &[Pair<'_>], slowdown: &Slowdown) -> String {
    let [most, longest] = [1.0 / slowdown.smallest, slowdown.largest].map(|ratio| unit::significant(ratio, 3));
    let most = match by_choice(family, pairs).as_deref() {
        Some([(first, _), others @ ..]) => {
            // With the others it is slower everywhere.
            let others = others.iter().filter(|(_, most)| *most > 1.0);
            let others = others.map(|(label, most)| format!(", {} with {label}", unit::significant(*most, 3)));
            format!("up to {most} times as fast with {first}{}", others.collect::<String>())
        }
        _ => format!("up to {most} times as fast"),
    };
    if slowdown.largest > WORTH_TELLING { format!("{most}, at worst {longest} times as long") } else { most }
}

/// From how many times as fast as with another choice on a choice is told.
const CHOICE_MATTERS: f64 = 3.0;

/// How many times as fast a variant is at most with each value of the choice, such as an ordering, that makes the largest difference, the fastest
/// first; `None` where none makes much of one, or there are many values.
fn by_choice(family: &Family, pairs: &[Pair<'_>]) -> Option<Vec<(String, f64)>> {
    let choices = family.parameters.iter().filter(|own| matches!(own.kind, Kind::Choice(_)));
    let of_choice = choices.map(|parameter| {
        let mut values: Vec<String> = pairs.iter().filter_map(|pair| pair.value(family, parameter.name)).collect();
        values.sort_unstable();
        values.dedup();
        let most = |value: &String| {
            let is_it = |pair: &&Pair<'_>| pair.value(family, parameter.name).as_ref() == Some(value);
            let own: Vec<Pair<'_>> = pairs.iter().filter(is_it).copied().collect();
            Some((format!("{}={value}", parameter.name), 1.0 / Slowdown::over(&own)?.smallest))
        };
        let mut each: Vec<(String, f64)> = values.iter().filter_map(most).collect();
        each.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        each
    });
    let spread =
        |own: &Vec<(String, f64)>| own.first().zip(own.last()).map_or(1.0, |((_, most), (_, least))| most / least);
    let told = of_choice.filter(|own| (2..=VALUES_MOST).contains(&own.len()) && spread(own) >= CHOICE_MATTERS);
    told.max_by(|one, other| spread(one).total_cmp(&spread(other)))
}

/// How many blocks are one cluster.
const OF_CLUSTERS: &str = "cluster_blocks";

/// How many times as fast a variant is, from the least to the most: by itself where blocks are alone, which is no cluster.
fn speeds(family: &Family, pairs: &[Pair<'_>], slowdown: &Slowdown) -> String {
    let is_alone = |pair: &&Pair<'_>| pair.value(family, OF_CLUSTERS).as_deref() == Some("1");
    let (alone, clusters): (Vec<Pair<'_>>, Vec<Pair<'_>>) = pairs.iter().copied().partition(|pair| is_alone(&pair));
    match (Slowdown::over(&alone), Slowdown::over(&clusters)) {
        (Some(alone), Some(clusters)) => {
            let [alone, clusters] = [alone, clusters].map(|own| range(&own, true));
            format!(", in clusters of several blocks {clusters} and in clusters of one block {alone}")
        }
        _ => format!(" {}", range(slowdown, true)),
    }
}

/// How many times as fast a variant is, or takes as long, from the least to the most.
fn range(slowdown: &Slowdown, is_speed: bool) -> String {
    let ratios = if is_speed {
        [1.0 / slowdown.largest, 1.0 / slowdown.smallest]
    } else {
        [slowdown.smallest, slowdown.largest]
    };
    let [least, most] = ratios.map(|ratio| unit::significant(ratio, 3));
    if least == most { least } else { format!("{least} to {most}") }
}
