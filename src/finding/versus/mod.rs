//! Two variants against each other, of one run or of two: which is faster, where, and by how much.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde::Serialize;

use crate::compare::run_to_run_pct;
use crate::compare::verdict::logarithm_pct;
use crate::family::Family;
use crate::model::crossover::{Duel, SMALLEST_DIFFERENCE, orders};
use crate::model::group::Key;
use crate::model::slowdown::{Pair, pairs_between};
use crate::model::time::MeasuredTime;
use crate::parameter::Kind;
use crate::record::{Flag, PointRecord, Status};
use crate::run::reader::Run;

mod places;
#[cfg(test)]
mod tests;
mod words;

/// One of the two.
#[derive(Debug, Clone)]
pub struct Contender<'a> {
    /// The run that it is of.
    pub run: &'a Run,
    /// The variant.
    pub variant: &'a str,
    /// What the sentence calls it.
    pub name: String,
}

/// What is asked about two variants.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The family of both.
    pub family: &'static Family,
    /// Parameters across which points are matched.
    pub ignored: &'a [String],
    /// What the places where one is faster are told by, if it varies and nothing else tells them in fewer words.
    pub preferred_axis: Option<&'a str>,
    /// Whether the two were measured by different processes, which differ with nothing changed.
    pub is_of_two_runs: bool,
}

/// Which of the two is faster at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The first.
    Faster,
    /// The second.
    Slower,
    /// Neither: their times differ by less than 1 %, and their intervals are as narrow.
    Equal,
    /// Their intervals overlap.
    Untold,
}

/// A point of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VersusPoint {
    /// What tells it from the others, in the order of the family's parameters.
    #[serde(serialize_with = "as_map")]
    pub parameters: Key,
    /// The first's time.
    pub first_us: f64,
    /// The second's time.
    pub second_us: f64,
    /// How many times as fast the first is: the second's time over the first's.
    pub times_as_fast: f64,
    /// The ends of its 95 % interval, what processes differ by included; `None` for times that repeat exactly.
    pub interval: Option<(f64, f64)>,
    /// Which is faster.
    pub outcome: Outcome,
}

/// Two variants against each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Versus {
    /// The answer.
    pub sentence: String,
    /// The parameter that tells the places where one of them is faster; `None` where no number varies.
    pub axis: Option<&'static str>,
    /// Points at which the first is faster.
    pub faster: usize,
    /// Points at which it is slower.
    pub slower: usize,
    /// Points at which the two are equally fast, within 1 %.
    pub equal: usize,
    /// Points at which it cannot be told.
    pub untold: usize,
    /// Points of the first, and of the second, that the other one has no time for.
    pub unmatched: (usize, usize),
    /// The points of both.
    pub points: Vec<VersusPoint>,
}

/// Holds the first against the second; `None` where they have no point in common.
pub fn versus(first: &Contender<'_>, second: &Contender<'_>, question: &Question<'_>) -> Option<Versus> {
    let (own, other) = (timed(first), timed(second));
    let pairs = pairs_between(question.family, &own, &other, question.ignored);
    let compared: Vec<Compared<'_>> = pairs.iter().filter_map(|pair| Compared::of(*pair, question)).collect();
    if compared.is_empty() {
        return None;
    }
    let columns = varying(question, &compared);
    let (axis, groups) = places::grouped(question, &columns, &compared);
    let mut points: Vec<(usize, VersusPoint)> =
        groups.iter().flat_map(|group| &group.stands).map(|stand| stand.point(question, &columns, &compared)).collect();
    points.sort_by_key(|(place, _)| *place);
    let points: Vec<VersusPoint> = points.into_iter().map(|(_, point)| point).collect();
    let count = |outcome| points.iter().filter(|point| point.outcome == outcome).count();
    let matched = |all: &[&PointRecord], of: fn(&Pair<'_>) -> usize| {
        let found: HashSet<usize> = compared.iter().map(|own| of(&own.pair)).collect();
        all.len().saturating_sub(found.len())
    };
    Some(Versus {
        sentence: words::sentence(&first.name, &second.name, axis, &groups),
        axis,
        faster: count(Outcome::Faster),
        slower: count(Outcome::Slower),
        equal: count(Outcome::Equal),
        untold: count(Outcome::Untold),
        unmatched: (matched(&own, |pair| pair.point.point), matched(&other, |pair| pair.reference.point)),
        points,
    })
}

/// The points of a contender that have a time.
fn timed<'a>(own: &Contender<'a>) -> Vec<&'a PointRecord> {
    let is_own = |point: &&PointRecord| point.variant == own.variant && point.status == Status::Ok;
    own.run.points.iter().filter(is_own).filter(|point| point.timing.is_some()).collect()
}

/// Of the parameters those that tell pairs apart.
fn varying(question: &Question<'_>, compared: &[Compared<'_>]) -> Vec<&'static str> {
    let value = |own: &Compared<'_>, name: &str| own.pair.value(question.family, name);
    let varies = |name: &&'static str| {
        let first = compared.first().and_then(|own| value(own, name));
        compared.iter().any(|own| value(own, name) != first)
    };
    let names = question.family.parameters.iter().map(|parameter| parameter.name);
    names.filter(|name| !question.ignored.iter().any(|own| own == name)).filter(varies).collect()
}

/// Of these columns those that are numbers at every point.
fn numeric(question: &Question<'_>, columns: &[&'static str], compared: &[Compared<'_>]) -> Vec<&'static str> {
    let is_number = |name: &&&'static str| {
        let parameter = question.family.parameters.iter().find(|parameter| parameter.name == **name);
        parameter.is_some_and(|own| matches!(own.kind, Kind::Integer { .. }))
            && compared.iter().all(|own| own.number(question.family, name).is_some())
    };
    columns.iter().filter(is_number).copied().collect()
}

/// A pair of points with what is known of their times.
struct Compared<'a> {
    pair: Pair<'a>,
    duel: Duel,
    /// Whether a time has no interval although it does not repeat exactly.
    is_open: bool,
    /// Whether the caches before both were the same.
    is_alike: bool,
}

impl<'a> Compared<'a> {
    fn of(pair: Pair<'a>, question: &Question<'_>) -> Option<Self> {
        let (own, other) = (pair.point.timing.as_ref()?, pair.reference.timing.as_ref()?);
        let exact = [pair.point, pair.reference].map(PointRecord::repeats_exactly);
        let is_any = |of: fn(&PointRecord) -> bool| of(pair.point) || of(pair.reference);
        let least = run_to_run_pct(is_any(is_of_host), is_any(is_short));
        let floor = |run: f64| if question.is_of_two_runs && exact != [true; 2] { run } else { 0.0 };
        // Each time takes half of what processes differ by, so that the ratio takes all of it.
        let half = logarithm_pct(floor(least)) / 2.0;
        let time = |point: &PointRecord| -> Option<MeasuredTime> {
            let time = MeasuredTime::of(point)?;
            let (low, high) = time.interval_us.unwrap_or((time.time_us, time.time_us));
            let is_known = time.interval_us.is_some() || half > 0.0;
            Some(MeasuredTime { interval_us: is_known.then(|| (low * (-half).exp(), high * half.exp())), ..time })
        };
        let (remedy, pattern) = (time(pair.point)?, time(pair.reference)?);
        let ratio = pattern.time_us / remedy.time_us;
        let has_interval = [pair.point, pair.reference].map(has_interval);
        (ratio.is_finite() && ratio > 0.0).then_some(Self {
            pair,
            duel: Duel { x: 0.0, pattern, remedy },
            is_open: (0..2).any(|side| !exact[side] && !has_interval[side]),
            is_alike: own.cache == other.cache,
        })
    }

    fn number(&self, family: &Family, name: &str) -> Option<f64> {
        self.pair.depending(family, name)?.number(name)
    }

    /// How many times as fast the first is.
    fn times_as_fast(&self) -> f64 {
        self.duel.pattern.time_us / self.duel.remedy.time_us
    }

    fn interval(&self) -> Option<(f64, f64)> {
        let half = |time: &MeasuredTime| {
            if time.interval_us.is_none() { Some(0.0) } else { time.half_width() }
        };
        let Duel { pattern, remedy, .. } = &self.duel;
        if pattern.interval_us.is_none() && remedy.interval_us.is_none() {
            return None;
        }
        let half = half(pattern)?.hypot(half(remedy)?);
        let ratio = self.times_as_fast();
        Some((ratio * (-half).exp(), ratio * half.exp()))
    }

    fn outcome(&self, order: Ordering) -> Outcome {
        let is_level = |ratio: f64| ratio.ln().abs() <= SMALLEST_DIFFERENCE.ln_1p();
        let (low, high) = self.interval().unwrap_or((self.times_as_fast(), self.times_as_fast()));
        match order {
            _ if self.is_open || !self.is_alike => Outcome::Untold,
            Ordering::Less => Outcome::Faster,
            Ordering::Greater => Outcome::Slower,
            Ordering::Equal if is_level(low) && is_level(high) => Outcome::Equal,
            Ordering::Equal => Outcome::Untold,
        }
    }
}

fn has_interval(point: &PointRecord) -> bool {
    MeasuredTime::of(point).is_some_and(|time| time.interval_us.is_some())
}

fn is_short(point: &PointRecord) -> bool {
    point.timing.as_ref().is_some_and(|timing| timing.flags.contains(&Flag::Short))
}

fn is_of_host(point: &PointRecord) -> bool {
    point.timing.as_ref().is_some_and(|timing| timing.phases.is_some())
}

/// A pair in its group, by its place among all.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stand {
    place: usize,
    x: f64,
    times_as_fast: f64,
    outcome: Outcome,
}

impl Stand {
    fn point(&self, question: &Question<'_>, columns: &[&'static str], all: &[Compared<'_>]) -> (usize, VersusPoint) {
        let own = &all[self.place];
        let value = |name: &&str| Some(((*name).to_owned(), own.pair.value(question.family, name)?));
        let point = VersusPoint {
            parameters: columns.iter().filter_map(value).collect(),
            first_us: own.duel.remedy.time_us,
            second_us: own.duel.pattern.time_us,
            times_as_fast: self.times_as_fast,
            interval: own.interval(),
            outcome: self.outcome,
        };
        (self.place, point)
    }
}

fn as_map<S: serde::Serializer>(parameters: &Key, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(parameters.iter().map(|(name, value)| (name, value)))
}

/// The pairs of a group along the axis, and which of the two is faster at each.
fn stands(members: &[(usize, f64)], compared: &[Compared<'_>]) -> Vec<Stand> {
    let duel = |(place, x): &(usize, f64)| Duel { x: *x, ..compared[*place].duel };
    let duels: Vec<Duel> = members.iter().map(duel).collect();
    let one = |((place, x), order): (&(usize, f64), Ordering)| {
        let own = &compared[*place];
        Stand { place: *place, x: *x, times_as_fast: own.times_as_fast(), outcome: own.outcome(order) }
    };
    members.iter().zip(orders(&duels)).map(one).collect()
}
