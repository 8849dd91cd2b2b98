//! How far simulated times are off: a simulated run against one of a GPU, point by point.
//!
//! An error is simulated / measured - 1. Of a workload with transfers or work of the host the time of its kernels is taken. A
//! slowdown is a time over that of the first variant with the same parameters; parameters that one of the two does not depend on
//! are left aside.

use std::collections::HashMap;

use ecow::EcoString;
use serde::Serialize;

use crate::family::Family;
use crate::properties::Properties;
use crate::record::{PointRecord, Status};

mod by_family;
mod of_peak;
mod order;
#[cfg(test)]
mod tests;

pub use by_family::{Compared, by_family};
pub use of_peak::{OfPeak, Resource};
pub use order::{Order, rank_correlation};

/// Two variants whose measured times differ by less than this part are in no order.
pub const IN_ORDER_FROM: f64 = 0.05;

/// Those whose measured times differ by this part or more are told apart from the rest.
pub const APART_FROM: f64 = 0.2;

/// A number of a GPU and of a simulated one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Pair {
    /// The GPU's.
    pub measured: f64,
    /// The simulated one's.
    pub simulated: f64,
}

impl Pair {
    /// simulated / measured - 1
    pub fn error(self) -> f64 {
        self.simulated / self.measured - 1.0
    }
}

/// What many errors come to, as parts of the measured number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Errors {
    /// How many there are.
    pub count: usize,
    /// The mean of their sizes.
    pub mean: f64,
    /// The median of their sizes.
    pub median: f64,
    /// Their mean, signs kept: above zero where the simulated GPU is too slow.
    pub bias: f64,
    /// What 95 % of them are at most, signs left aside.
    pub of_95_pct: f64,
    /// The part of them that is at most 0.2.
    pub within_fifth: f64,
}

impl Errors {
    /// What these pairs come to; `None` of none.
    pub fn of<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Option<Self> {
        let errors: Vec<f64> = pairs.into_iter().map(|pair| pair.error()).collect();
        let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let count = sizes.len();
        let middle = f64::midpoint(*sizes.get(count.checked_sub(1)? / 2)?, *sizes.get(count / 2)?);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count as f64;
        // The least of them that 95 % do not exceed.
        let of_95_pct = *sizes.get((95 * count).div_ceil(100).checked_sub(1)?)?;
        let within = sizes.iter().filter(|size| **size <= 0.2).count();
        Some(Self {
            count,
            mean: mean(&sizes),
            median: middle,
            bias: mean(&errors),
            of_95_pct,
            within_fifth: within as f64 / count as f64,
        })
    }
}

/// A point that both runs have a time of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedPoint {
    /// Its variant.
    pub variant: EcoString,
    /// The parameters that tell it from others here, with their values.
    pub parameters: Vec<(EcoString, EcoString)>,
    /// Its times, in microseconds.
    pub time_us: Pair,
    /// Its slowdowns; `None` of the first variant, and where that has no such point.
    pub slowdown: Option<Pair>,
    /// What bounds it on the simulated GPU, by its counter `bound`.
    pub bound: EcoString,
    /// What is known of what bounds it on the GPU.
    pub measured_of_peak: Option<OfPeak>,
    /// Bytes that must move over the measured time.
    pub measured_gb_per_s: Option<f64>,
}

/// A simulated run against one of a GPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Accuracy {
    /// The scenario.
    pub scenario: String,
    /// The family of its kernels.
    pub family: &'static str,
    /// The points, in the order of the measured run.
    pub points: Vec<ComparedPoint>,
    /// Points that only one of the runs has a time of; those of the host, which is not simulated, are not among them.
    pub alone: usize,
    /// Spearman's rank correlation of the times; `None` of fewer than three points, or equal times.
    pub rank_correlation: Option<f64>,
    /// Variants in their order at the same parameters.
    pub order: Order,
}

impl Accuracy {
    /// Compares the points of two runs of one family, the measured ones of this GPU.
    pub fn of(
        scenario: &str,
        family: &'static Family,
        gpu: &Properties,
        measured: &[PointRecord],
        simulated: &[PointRecord],
    ) -> Self {
        let mut by_key: HashMap<String, &PointRecord> = simulated
            .iter()
            .filter(|point| time_us(point).is_some())
            .map(|point| (key(family, point), point))
            .collect();
        let mut points = Vec::new();
        let mut records = Vec::new();
        let mut alone = 0;
        for own in measured.iter().filter(|point| time_us(point).is_some() && !is_of_host(family, point)) {
            let pair = by_key.remove(&key(family, own)).and_then(|other| Some((other, time_us(own)?, time_us(other)?)));
            let Some((other, measured, simulated)) = pair else {
                alone += 1;
                continue;
            };
            records.push(own);
            points.push(ComparedPoint {
                variant: own.variant.clone(),
                parameters: Vec::new(),
                time_us: Pair { measured, simulated },
                slowdown: None,
                bound: other.counters.get("bound").cloned().unwrap_or_default(),
                measured_of_peak: OfPeak::of(own, measured, gpu),
                measured_gb_per_s: own.bytes.map(|bytes| bytes as f64 / measured / 1e3),
            });
        }
        alone += by_key.len();
        let varying: Vec<&str> = family
            .parameters
            .iter()
            .map(|parameter| parameter.name)
            .filter(|name| records.windows(2).any(|two| two[0].parameters.get(name) != two[1].parameters.get(name)))
            .collect();
        for (point, record) in points.iter_mut().zip(&records) {
            let told = varying.iter().filter(|name| !family.ignores(&record.variant, name));
            point.parameters =
                told.filter_map(|name| Some(((*name).into(), record.parameters.get(name)?.clone()))).collect();
        }
        slow_down(family, &mut points, &records);
        let times: Vec<Pair> = points.iter().map(|point| point.time_us).collect();
        Self {
            scenario: scenario.to_owned(),
            family: family.name,
            rank_correlation: rank_correlation(&times),
            order: order::of(family, &records, &times),
            points,
            alone,
        }
    }

    /// The times.
    pub fn times(&self) -> impl Iterator<Item = &Pair> {
        self.points.iter().map(|point| &point.time_us)
    }

    /// The slowdowns.
    pub fn slowdowns(&self) -> impl Iterator<Item = &Pair> {
        self.points.iter().filter_map(|point| point.slowdown.as_ref())
    }
}

/// The time of a point's kernels, in microseconds.
fn time_us(point: &PointRecord) -> Option<f64> {
    let timing = point.timing.as_ref().filter(|_| point.status == Status::Ok)?;
    let time = timing.phases.as_ref().map_or(timing.median.time_us, |phases| phases.kernel_us);
    (time > 0.0).then_some(time)
}

fn is_of_host(family: &Family, point: &PointRecord) -> bool {
    family.variants.iter().any(|variant| variant.name == point.variant && variant.is_host)
}

/// The variant with the parameters that it depends on.
fn key(family: &Family, point: &PointRecord) -> String {
    let mut key = point.variant.to_string();
    for name in family.parameters.iter().map(|parameter| parameter.name) {
        if !family.ignores(&point.variant, name) {
            key.push('\n');
            key += point.parameters.get(name).map_or("", EcoString::as_str);
        }
    }
    key
}

/// The parameters that both variants depend on.
fn shared(family: &Family, variants: [&str; 2], point: &PointRecord) -> String {
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let both = names.filter(|name| variants.iter().all(|variant| !family.ignores(variant, name)));
    both.map(|name| point.parameters.get(name).map_or("", EcoString::as_str)).collect::<Vec<_>>().join("\n")
}

/// The first variant's point with the same parameters, where there is one and no more.
fn slow_down(family: &Family, points: &mut [ComparedPoint], records: &[&PointRecord]) {
    let Some(first) = records.first().map(|record| record.variant.clone()) else { return };
    let times: Vec<Pair> = points.iter().map(|point| point.time_us).collect();
    let mut of_variant: HashMap<&str, HashMap<String, Vec<usize>>> = HashMap::new();
    for (index, record) in records.iter().enumerate().filter(|(_, record)| record.variant != first) {
        let bases = of_variant.entry(&record.variant).or_insert_with(|| {
            let mut bases: HashMap<String, Vec<usize>> = HashMap::new();
            for (base, own) in records.iter().enumerate().filter(|(_, own)| own.variant == first) {
                bases.entry(shared(family, [&first, &record.variant], own)).or_default().push(base);
            }
            bases
        });
        if let Some([base]) = bases.get(&shared(family, [&first, &record.variant], record)).map(Vec::as_slice) {
            let base = times[*base];
            let own = times[index];
            points[index].slowdown =
                Some(Pair { measured: own.measured / base.measured, simulated: own.simulated / base.simulated });
        }
    }
}
