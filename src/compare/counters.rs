//! What two runs counted of the same points: by hardware and in simulation, or before a change and after it.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::device::energy::ENERGY_COLUMNS;
use crate::family::Family;
use crate::measure::device_clock::CLOCK_COLUMNS;
use crate::record::{PointRecord, Status};
use crate::unit::significant;

/// Whether a column beside a point's time has counts, and neither energies nor cycles of a loop.
pub fn is_count(column: &str) -> bool {
    !ENERGY_COLUMNS.contains(&column) && !CLOCK_COLUMNS.contains(&column)
}

/// Counts that differ by a larger part than this are told apart, in percent.
pub const APART_PCT: f64 = 1.0;

/// What rounding may add to a difference.
const ROUNDING_PCT: f64 = 1e-9;

/// A counter of a point in both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterPair {
    /// The point: its variant, and the parameters that tell it from others.
    pub point: String,
    /// The counter: a column of `points.csv`.
    pub counter: String,
    /// The base's count.
    pub base: f64,
    /// The other run's.
    pub other: f64,
    /// By how much the other run's is larger, in percent; `None` where the base's is zero and the other's is not.
    pub apart_pct: Option<f64>,
}

/// A counter over all points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterSummary {
    /// The counter.
    pub counter: String,
    /// Points that have it in both runs.
    pub points: usize,
    /// Points at which the two differ by at most [`APART_PCT`].
    pub agreeing: usize,
    /// The point at which they differ most, where they differ by more.
    pub worst: Option<CounterPair>,
}

/// The counters of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CounterComparison {
    /// Points of both runs.
    pub points: usize,
    /// Each counter that both have, in the order of the base's columns.
    pub counters: Vec<CounterSummary>,
    /// Every counter of every point.
    pub pairs: Vec<CounterPair>,
}

impl CounterPair {
    /// Whether the counts differ by more than [`APART_PCT`].
    pub fn is_apart(&self) -> bool {
        self.apart_pct.is_none_or(|apart| apart.abs() > APART_PCT + ROUNDING_PCT)
    }

    fn size(&self) -> f64 {
        self.apart_pct.map_or(f64::INFINITY, f64::abs)
    }

    /// By how much they differ, in words.
    pub fn told(&self) -> String {
        self.apart_pct.map_or_else(
            || format!("{} and not 0", significant(self.other, 3)),
            |apart| format!("{}{} %", if apart > 0.0 { "+" } else { "" }, significant(apart, 2)),
        )
    }
}

/// Holds what two runs of a family counted against each other, point by point; `ignored` parameters may differ.
pub fn compare_counters(
    family: &Family,
    base: &[PointRecord],
    other: &[PointRecord],
    ignored: &[String],
) -> CounterComparison {
    let key = |point: &PointRecord| -> Vec<String> {
        let depends = family.parameters.iter().map(|own| own.name).filter(|name| !family.ignores(&point.variant, name));
        let values = depends.filter(|name| !ignored.iter().any(|ignored| ignored == name));
        let values = values.map(|name| format!("{name}={}", point.value(name).unwrap_or_default()));
        std::iter::once(point.variant.to_string()).chain(values).collect()
    };
    let timed = |point: &&PointRecord| point.status == Status::Ok;
    let others: HashMap<Vec<String>, &PointRecord> = other.iter().filter(timed).map(|own| (key(own), own)).collect();
    let matched: Vec<(Vec<String>, &PointRecord, &PointRecord)> = base
        .iter()
        .filter(timed)
        .filter_map(|own| {
            let key = key(own);
            let other = *others.get(&key)?;
            Some((key, own, other))
        })
        .collect();
    let varying = varying(&matched);
    let mut pairs = Vec::new();
    for (key, own, against) in &matched {
        let told = key.iter().enumerate().filter(|(place, text)| *place == 0 || varying.contains(&name_of(text)));
        let point = told.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
        for (counter, text) in own.counters.iter().filter(|(name, _)| is_count(name)) {
            let both =
                text.parse::<f64>().ok().zip(against.counters.get(counter).and_then(|own| own.parse::<f64>().ok()));
            let Some((base, other)) = both else { continue };
            let apart_pct =
                if base == 0.0 { (other == 0.0).then_some(0.0) } else { Some((other / base - 1.0) * 100.0) };
            pairs.push(CounterPair { point: point.clone(), counter: counter.to_owned(), base, other, apart_pct });
        }
    }
    CounterComparison { points: matched.len(), counters: summaries(&pairs), pairs }
}

/// The name of `name=value`.
fn name_of(text: &str) -> &str {
    text.split_once('=').map_or("", |(name, _)| name)
}

/// The parameters of which the points have several values.
fn varying<'a>(matched: &'a [(Vec<String>, &PointRecord, &PointRecord)]) -> Vec<&'a str> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for text in matched.iter().flat_map(|(key, ..)| key.iter().skip(1)) {
        let own = values.entry(name_of(text)).or_default();
        if !own.contains(&text.as_str()) {
            own.push(text);
        }
    }
    values.into_iter().filter(|(_, own)| own.len() > 1).map(|(name, _)| name).collect()
}

fn summaries(pairs: &[CounterPair]) -> Vec<CounterSummary> {
    let mut found: Vec<CounterSummary> = Vec::new();
    for pair in pairs {
        let place = found.iter().position(|own| own.counter == pair.counter).unwrap_or_else(|| {
            found.push(CounterSummary { counter: pair.counter.clone(), points: 0, agreeing: 0, worst: None });
            found.len() - 1
        });
        let own = &mut found[place];
        own.points += 1;
        if !pair.is_apart() {
            own.agreeing += 1;
        } else if own.worst.as_ref().is_none_or(|worst| worst.size() < pair.size()) {
            own.worst = Some(pair.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures;

    fn point(variant: &'static str, branches: u32, counters: &[(&'static str, &str)]) -> PointRecord {
        let counters = counters.iter().map(|(name, text)| (*name, (*text).into())).collect();
        PointRecord { counters, ..fixtures::point(variant, branches, "compute", 10.0, 0.1) }
    }

    #[test]
    fn counts_of_the_same_point_are_held_against_each_other() {
        let base = [
            point(
                "divergent",
                1,
                &[("warp_instructions", "1000"), ("global_load_requests", "64"), ("hw_dram_pct", "3.5")],
            ),
            point("divergent", 2, &[("warp_instructions", "2000"), ("global_load_requests", "0"), ("hw_dram_pct", "")]),
        ];
        let other = [
            point("divergent", 2, &[("warp_instructions", "1940"), ("global_load_requests", "5"), ("profile", "h200")]),
            point(
                "divergent",
                1,
                &[("warp_instructions", "1010"), ("global_load_requests", "64"), ("profile", "h200")],
            ),
            point("divergent", 4, &[("warp_instructions", "9")]),
        ];
        let family = Family::find("branching").unwrap();
        let compared = compare_counters(family, &base, &other, &[]);
        assert_eq!((compared.points, compared.pairs.len()), (2, 4));
        let told: Vec<_> =
            compared.counters.iter().map(|own| (own.counter.as_str(), own.points, own.agreeing)).collect();
        assert_eq!(told, [("warp_instructions", 2, 1), ("global_load_requests", 2, 1)]);
        let worst = |place: usize| compared.counters[place].worst.as_ref().map(|own| (own.point.clone(), own.told()));
        assert_eq!(worst(0), Some(("divergent branches=2".to_owned(), "-3.0 %".to_owned())));
        assert_eq!(worst(1), Some(("divergent branches=2".to_owned(), "5.00 and not 0".to_owned())));
    }

    #[test]
    fn equal_counts_agree_also_where_they_are_zero() {
        let own = [point("divergent", 1, &[("bank_conflicts", "0")])];
        let family = Family::find("branching").unwrap();
        let compared = compare_counters(family, &own, &own, &[]);
        assert_eq!(
            compared.counters[0],
            CounterSummary { counter: "bank_conflicts".to_owned(), points: 1, agreeing: 1, worst: None }
        );
    }
}
