//! How much slower a variant is than another, over pairs of points with the same parameters.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::RandomState;
use rayon::prelude::*;

use super::group::{Numbers, varying};
use super::time::MeasuredTime;
use crate::family::Family;
use crate::parameter::Kind;
use crate::record::{Column, PointRecord};

/// What scenarios and `fits.csv` call it.
pub const SLOWDOWN: &str = "slowdown";

/// A point of a variant and one of the reference that agree in every parameter that both variants depend on.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The variant's.
    pub point: &'a PointRecord,
    /// The reference's.
    pub reference: &'a PointRecord,
}

impl<'a> Pair<'a> {
    /// The parameter's value, of the variant that depends on it; `None` where neither does.
    pub fn value(&self, family: &Family, parameter: &str) -> Option<String> {
        self.depending(family, parameter)?.value(parameter).map(Cow::into_owned)
    }

    /// The first of the two points that depends on the parameter.
    pub(crate) fn depending(&self, family: &Family, parameter: &str) -> Option<&'a PointRecord> {
        [self.point, self.reference].into_iter().find(|point| !family.ignores(&point.variant, parameter))
    }

    /// The ratio of the times, with the ends of its 95 % interval where both times have one; `None` where a time is
    /// not a positive number.
    pub fn ratio(&self) -> Option<Ratio> {
        let (time, reference) = (MeasuredTime::of(self.point)?, MeasuredTime::of(self.reference)?);
        let estimate = time.time_us / reference.time_us;
        if !(estimate.is_finite() && estimate > 0.0) {
            return None;
        }
        let half = time.half_width().zip(reference.half_width()).map(|(own, other)| own.hypot(other));
        Some(Ratio { estimate, interval: half.map(|half| (estimate * (-half).exp(), estimate * half.exp())) })
    }
}

impl Ratio {
    /// Whether it is so near to one that it counts as equal, and known well enough to say so.
    fn is_level(&self) -> bool {
        let is_known = self.interval.is_none_or(|(low, high)| (high / low).ln() / 2.0 <= SMALLEST_DIFFERENCE);
        is_known && (self.estimate - 1.0).abs() <= SMALLEST_DIFFERENCE
    }
}

/// The ratio of two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The estimate.
    pub estimate: f64,
    /// The ends of its 95 % interval.
    pub interval: Option<(f64, f64)>,
}

/// Every point with every point of the reference that it agrees with: one, or all where one of the two variants does not
/// depend on what varies. Points of the reference itself are not compared.
pub fn pairs<'a>(family: &Family, points: &[&'a PointRecord], reference: &str) -> Vec<Pair<'a>> {
    // Columns that do not vary tell no points apart.
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let names: Vec<&str> = varying(family, names, points);
    // What is compared follows from the variant's and the reference's parameters, so that each variant has a map.
    let mut maps: Vec<(&str, Partners<'a, '_>)> = Vec::new();
    let mut pairs = Vec::new();
    let mut last = 0;
    for point in points.iter().filter(|point| point.variant != reference) {
        if maps.get(last).is_none_or(|(variant, _)| *variant != point.variant) {
            last = maps.iter().position(|(variant, _)| *variant == point.variant).unwrap_or(maps.len());
            if last == maps.len() {
                let own = |name: &&&str| !family.ignores(&point.variant, name) && !family.ignores(reference, name);
                let of_reference = points.iter().copied().filter(|own| own.variant == reference);
                maps.push((&point.variant, Partners::of(names.iter().filter(own).copied(), of_reference)));
            }
        }
        pairs.extend(maps[last].1.like(point).map(|reference| Pair { point, reference }));
    }
    pairs
}

/// The same of two variants, which may be the same one in two runs: every point of the one with every point of the other
/// that it agrees with in what both depend on, but for the parameters that are ignored.
pub fn pairs_between<'a>(
    family: &Family,
    points: &[&'a PointRecord],
    references: &[&'a PointRecord],
    ignored: &[String],
) -> Vec<Pair<'a>> {
    let (Some(one), Some(other)) = (points.first(), references.first()) else { return Vec::new() };
    let all: Vec<&PointRecord> = points.iter().chain(references).copied().collect();
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let own = |name: &&str| {
        let is_known = !family.ignores(&one.variant, name) && !family.ignores(&other.variant, name);
        is_known && !ignored.iter().any(|ignored| ignored == name)
    };
    let names = varying(family, names.filter(own), &all);
    let mut partners = Partners::of(names.into_iter(), references.iter().copied());
    let mut pairs = Vec::new();
    for point in points {
        pairs.extend(partners.like(point).map(|reference| Pair { point, reference }));
    }
    pairs
}

/// Points of the reference by their values of some columns.
struct Partners<'a, 'n> {
    columns: Vec<Column<'n>>,
    points: Vec<&'a PointRecord>,
    /// The first point of each key, as its place in `points`.
    first: HashMap<Numbers, u32, RandomState>,
    /// The place of the next point of the same key; its own where there is none.
    next: Vec<u32>,
}

impl<'a, 'n> Partners<'a, 'n> {
    fn of(names: impl Iterator<Item = &'n str>, points: impl Iterator<Item = &'a PointRecord>) -> Self {
        let mut partners = Self {
            columns: names.map(Column::new).collect(),
            points: points.collect(),
            first: HashMap::default(),
            next: Vec::new(),
        };
        partners.next = (0..partners.points.len() as u32).collect();
        for place in (0..partners.points.len()).rev() {
            let key = partners.key(partners.points[place]);
            if let Some(next) = partners.first.insert(key, place as u32) {
                partners.next[place] = next;
            }
        }
        partners
    }

    fn key(&mut self, point: &PointRecord) -> Numbers {
        Numbers::of(self.columns.iter_mut().map(|column| column.word(point)))
    }

    /// Those that agree with this one, in their order.
    fn like(&mut self, point: &PointRecord) -> impl Iterator<Item = &'a PointRecord> {
        let key = self.key(point);
        let first = self.first.get(&key).copied();
        let next = |place: &u32| self.next.get(*place as usize).copied().filter(|next| next != place);
        std::iter::successors(first, next).map(|place| self.points[place as usize])
    }
}

/// How much slower a variant is than the reference over several pairs of points.
#[derive(Debug, Clone, PartialEq)]
pub struct Slowdown {
    /// The geometric mean of the ratios of times, above 1 where the variant is slower.
    pub ratio: f64,
    /// The ends of its 95 % interval, which follows from the intervals of the times; `None` where one has none.
    pub interval: Option<(f64, f64)>,
    /// The smallest of the ratios.
    pub smallest: f64,
    /// The largest of the ratios.
    pub largest: f64,
    /// Pairs in which the variant is slower: its interval is above the reference's.
    pub slower: usize,
    /// Pairs in which the variant is faster: its interval is below the reference's.
    pub faster: usize,
    /// Pairs.
    pub n: usize,
    /// The part of a parameter's range in which the two variants are equally fast; `None` if there is none.
    pub negligible: Option<Negligible>,
}

/// A part of a parameter's range in which all ratios are within 1 % of one, with intervals of no more than 1 % at either side.
#[derive(Debug, Clone, PartialEq)]
pub struct Negligible {
    /// The parameter, a number.
    pub parameter: &'static str,
    /// Where the part begins, or ends.
    pub edge: f64,
    /// Whether the part begins at `edge`; otherwise it ends there.
    pub is_from: bool,
    /// Whether the edge is the only value of the part.
    pub is_single: bool,
}

/// Ratios at most this far from one count as equal.
const SMALLEST_DIFFERENCE: f64 = 0.01;

/// The part of the range in which no pair differs, of the first parameter that has one and that is a number.
pub fn negligible(family: &Family, pairs: &[Pair<'_>]) -> Option<Negligible> {
    let ratios: Vec<Option<Ratio>> = pairs.par_iter().map(Pair::ratio).collect();
    let numeric = family.parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Integer { .. }));
    numeric.map(|parameter| parameter.name).find_map(|parameter| {
        let mut column = Column::new(parameter);
        let value = |pair: &Pair<'_>| column.number(pair.depending(family, parameter)?);
        let values = pairs.iter().map(value).zip(&ratios);
        let mut ratios: Vec<(f64, Ratio)> = values.filter_map(|(value, ratio)| value.zip(*ratio)).collect();
        ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
        let groups: Vec<&[(f64, Ratio)]> = ratios.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq()).collect();
        let is_level = |group: &&&[(f64, Ratio)]| group.iter().all(|(_, ratio)| ratio.is_level());
        let last = groups.iter().rev().take_while(is_level).count();
        let first = groups.iter().take_while(is_level).count();
        if first == groups.len() || first.max(last) == 0 {
            return None;
        }
        let is_from = last >= first;
        let edge = if is_from { groups[groups.len() - last][0].0 } else { groups[first - 1][0].0 };
        Some(Negligible { parameter, edge, is_from, is_single: first.max(last) == 1 })
    })
}

/// What is taken from a pair, looked up once: its points are all over the memory.
struct Taken {
    ratio: f64,
    order: Ordering,
    /// The number of each of its points, with half the width of its interval.
    half_widths: [(usize, Option<f64>); 2],
}

impl Taken {
    /// From this pair; `None` where it has no ratio.
    fn of(pair: &Pair<'_>) -> Option<Self> {
        let ratio = pair.ratio()?.estimate;
        let (time, reference) = (MeasuredTime::of(pair.point)?, MeasuredTime::of(pair.reference)?);
        let half_widths = [(pair.point.point, time.half_width()), (pair.reference.point, reference.half_width())];
        Some(Self { ratio, order: time.against(&reference), half_widths })
    }
}

impl Slowdown {
    /// Over these pairs; `None` where none has a ratio.
    pub fn over(pairs: &[Pair<'_>]) -> Option<Self> {
        let ratios: Vec<Taken> = pairs.par_iter().filter_map(Taken::of).collect();
        if ratios.is_empty() {
            return None;
        }
        let n = ratios.len();
        let logarithm = ratios.iter().map(|own| own.ratio.ln()).sum::<f64>() / n as f64;
        let count = |wanted| ratios.iter().filter(|own| own.order == wanted).count();
        Some(Self {
            ratio: logarithm.exp(),
            interval: half_width(&ratios).map(|half| ((logarithm - half).exp(), (logarithm + half).exp())),
            smallest: ratios.iter().map(|own| own.ratio).fold(f64::INFINITY, f64::min),
            largest: ratios.iter().map(|own| own.ratio).fold(0.0, f64::max),
            slower: count(Ordering::Greater),
            faster: count(Ordering::Less),
            n,
            negligible: None,
        })
    }
}

/// Half the width of the interval of the mean logarithm. A point that is in several pairs is one measurement: its
/// deviation counts as often as it is used, where those of different points partly cancel.
fn half_width(ratios: &[Taken]) -> Option<f64> {
    let mut uses: Vec<(usize, f64)> = Vec::with_capacity(2 * ratios.len());
    for (point, half_width) in ratios.iter().flat_map(|own| own.half_widths) {
        uses.push((point, half_width?));
    }
    uses.par_sort_by_key(|(point, _)| *point);
    let points = uses.chunk_by(|one, other| one.0 == other.0);
    let square: f64 = points.map(|uses| (uses[0].1 * uses.len() as f64 / ratios.len() as f64).powi(2)).sum();
    Some(square.sqrt())
}

impl fmt::Display for Slowdown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { slower, faster, n, .. } = *self;
        let points = if n == 1 { "the only point".to_owned() } else { format!("all {n} points") };
        match (slower, faster) {
            (0, 0) => write!(formatter, "no slower and no faster at {points}, within the intervals")?,
            (slower, _) if slower == n => write!(formatter, "slower at {points}")?,
            (_, faster) if faster == n => write!(formatter, "faster at {points}")?,
            (slower, 0) => write!(formatter, "slower at {slower} of {n} points, never faster")?,
            (0, faster) => write!(formatter, "faster at {faster} of {n} points, never slower")?,
            (slower, faster) => write!(formatter, "slower at {slower} and faster at {faster} of {n} points")?,
        }
        match &self.negligible {
            Some(Negligible { parameter, edge, is_from, is_single }) => {
                let relation = match (is_single, is_from) {
                    (true, _) => "=",
                    (false, true) => ">=",
                    (false, false) => "<=",
                };
                write!(formatter, "; by at most 1 % for {parameter} {relation} {edge}")
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
