//! How much slower a variant is than another, over points that agree in all parameters that both depend on.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use super::time::MeasuredTime;
use crate::family::Family;
use crate::parameter::Kind;
use crate::record::PointRecord;

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

impl Pair<'_> {
    /// The parameter's value, of the variant that depends on it; `None` where neither does.
    pub fn value(&self, family: &Family, parameter: &str) -> Option<String> {
        let depends = |point: &&&PointRecord| !family.ignores(&point.variant, parameter);
        [self.point, self.reference].iter().find(depends)?.value(parameter)
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

/// A time over another.
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
    // What is compared follows from the variant's and the reference's parameters, so that each variant has a map.
    let mut maps: HashMap<&str, HashMap<Vec<String>, Vec<&'a PointRecord>>> = HashMap::new();
    let mut pairs = Vec::new();
    for point in points.iter().filter(|point| point.variant != reference) {
        let key = |of: &PointRecord| -> Vec<String> {
            let parameters = family.parameters.iter().map(|parameter| parameter.name);
            let shared =
                parameters.filter(|name| !family.ignores(&point.variant, name) && !family.ignores(reference, name));
            shared.map(|name| of.value(name).unwrap_or_default()).collect()
        };
        let map = maps.entry(&point.variant).or_insert_with(|| {
            let mut map: HashMap<Vec<String>, Vec<&PointRecord>> = HashMap::new();
            for reference in points.iter().filter(|point| point.variant == reference) {
                map.entry(key(reference)).or_default().push(reference);
            }
            map
        });
        let partners = map.get(&key(point)).into_iter().flatten();
        pairs.extend(partners.map(|reference| Pair { point, reference }));
    }
    pairs
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
    /// Pairs whose intervals lie apart, the variant's above.
    pub slower: usize,
    /// Pairs whose intervals lie apart, the variant's below.
    pub faster: usize,
    /// Pairs.
    pub n: usize,
    /// The part of the range in which it hardly matters which of the two is taken.
    pub negligible: Option<Negligible>,
}

/// A part of the range of a parameter in which no ratio is more than 1 % from one.
#[derive(Debug, Clone, PartialEq)]
pub struct Negligible {
    /// The parameter, a number.
    pub parameter: &'static str,
    /// Where the part begins, or ends.
    pub edge: f64,
    /// Whether it is from there on, and not up to there.
    pub is_from: bool,
}

/// Ratios that are no further from one make no difference.
const SMALLEST_DIFFERENCE: f64 = 0.01;

/// The part of the range in which no pair differs, of the first parameter that has one and that is a number.
pub fn negligible(family: &Family, pairs: &[Pair<'_>]) -> Option<Negligible> {
    let numeric = family.parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Integer { .. }));
    numeric.map(|parameter| parameter.name).find_map(|parameter| {
        let mut ratios: Vec<(f64, f64)> = pairs
            .iter()
            .filter_map(|pair| Some((pair.value(family, parameter)?.parse().ok()?, pair.ratio()?.estimate)))
            .collect();
        ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
        let groups: Vec<&[(f64, f64)]> = ratios.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq()).collect();
        let is_level =
            |group: &&&[(f64, f64)]| group.iter().all(|(_, ratio)| (ratio - 1.0).abs() <= SMALLEST_DIFFERENCE);
        let last = groups.iter().rev().take_while(is_level).count();
        let first = groups.iter().take_while(is_level).count();
        if first == groups.len() || first.max(last) == 0 {
            return None;
        }
        let is_from = last >= first;
        let edge = if is_from { groups[groups.len() - last][0].0 } else { groups[first - 1][0].0 };
        Some(Negligible { parameter, edge, is_from })
    })
}

impl Slowdown {
    /// Over these pairs; `None` where none has a ratio.
    pub fn over(pairs: &[Pair<'_>]) -> Option<Self> {
        let ratios: Vec<(Pair<'_>, f64)> =
            pairs.iter().filter_map(|pair| Some((*pair, pair.ratio()?.estimate))).collect();
        if ratios.is_empty() {
            return None;
        }
        let n = ratios.len();
        let logarithm = ratios.iter().map(|(_, ratio)| ratio.ln()).sum::<f64>() / n as f64;
        let order = |pair: &Pair<'_>| Some(MeasuredTime::of(pair.point)?.against(&MeasuredTime::of(pair.reference)?));
        let count = |wanted| ratios.iter().filter(|(pair, _)| order(pair) == Some(wanted)).count();
        Some(Self {
            ratio: logarithm.exp(),
            interval: half_width(&ratios).map(|half| ((logarithm - half).exp(), (logarithm + half).exp())),
            smallest: ratios.iter().map(|(_, ratio)| *ratio).fold(f64::INFINITY, f64::min),
            largest: ratios.iter().map(|(_, ratio)| *ratio).fold(0.0, f64::max),
            slower: count(Ordering::Greater),
            faster: count(Ordering::Less),
            n,
            negligible: None,
        })
    }
}

/// Half the width of the interval of the mean logarithm. A point that is in several pairs is one measurement: its
/// deviation counts as often as it is used, where those of different points partly cancel.
fn half_width(ratios: &[(Pair<'_>, f64)]) -> Option<f64> {
    let mut uses: HashMap<usize, (f64, f64)> = HashMap::new();
    for (pair, _) in ratios {
        for point in [pair.point, pair.reference] {
            let half = MeasuredTime::of(point)?.half_width()?;
            uses.entry(point.point).or_insert((half, 0.0)).1 += 1.0;
        }
    }
    let square: f64 = uses.values().map(|(half, count)| (half * count / ratios.len() as f64).powi(2)).sum();
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
            Some(Negligible { parameter, edge, is_from }) => {
                let relation = if *is_from { ">=" } else { "<=" };
                write!(formatter, "; no difference of more than 1 % for {parameter} {relation} {edge}")
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
