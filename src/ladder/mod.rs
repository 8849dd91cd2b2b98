//! Ladders: families whose variants are the rungs from a naive kernel to the limit of the device, each of which removes a
//! pattern from the rung before it.

use serde::Serialize;

use crate::device::Phases;
use crate::family::{Family, Variant};
use crate::model::group::varying;
use crate::model::slowdown::Pair;
use crate::properties::{Origin, Properties};
use crate::published::Figure;
use crate::record::{PointRecord, Status};
use gpu_simulator::profile::{Profile, embedded};

mod beside;
mod conclusion;
pub mod estimates;
mod join;

pub use beside::{Beside, Order, PublishedHost, PublishedLadder, PublishedRung, Whole, beside, published_ladders};
use join::{Key, join};

/// Sizes that differ by less than this part are not worth a word.
const ABOUT_THE_SAME: f64 = 0.1;
/// Fewer bytes than these are no limit to anything.
const BYTES_LEAST: u64 = 1 << 12;

/// What a law, or anything else that is not the device, says of a rung's time.
#[derive(Debug, Clone, PartialEq)]
pub struct StepEstimate {
    /// The rung.
    pub variant: String,
    /// Values that its points must have; it is of every point where there are none.
    pub parameters: Vec<(String, String)>,
    /// The estimated time.
    pub time_us: f64,
}

/// The ladder of a run: a table for each combination of the parameters that are not the rung.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ladder {
    /// The family.
    pub family: &'static str,
    /// The device, as charts label it.
    pub device: String,
    /// Where the times come from.
    pub origin: Origin,
    /// The device memory's peak bandwidth, two transfers a clock; of a simulated device that of its profile; `None` where neither is known.
    pub peak_gb_per_s: Option<f64>,
    /// What that is called.
    pub peak_name: &'static str,
    /// The parameters that are the same in all tables, with their values.
    #[serde(skip)]
    pub fixed: Vec<(String, String)>,
    /// The tables, in the order of the grid.
    pub tables: Vec<LadderTable>,
    /// What sources print of the same rungs.
    pub published: Vec<PublishedLadder>,
}

/// The rungs at the same values of all other parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LadderTable {
    /// The parameters that tell it from the others, with their values.
    pub parameters: Vec<(String, String)>,
    /// Bytes that must move through device memory; 0 where no rung was built.
    pub bytes: u64,
    /// The rungs, in the family's order.
    pub rungs: Vec<Rung>,
    /// What the host does for comparison.
    pub hosts: Vec<Rung>,
    /// What moving the bytes takes at the memory's peak bandwidth; `None` where there are hardly any.
    pub limit_us: Option<f64>,
}

/// A rung, or a reference on the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rung {
    /// The variant.
    pub variant: &'static str,
    /// The patterns that are removed between the last rung before it that has a time and this one: its own, and those of rungs between them that
    /// have none. Empty of the first one.
    pub removes: String,
    /// Its point; `None` where the run has none.
    pub point: Option<usize>,
    /// How the point ended; `None` where the run has none.
    pub status: Option<Status>,
    /// Why it has no time; empty where it has one.
    pub reason: String,
    /// Its time: all phases together, where it has any.
    pub time_us: Option<f64>,
    /// The ends of the time's 95 % interval.
    pub interval_us: Option<(f64, f64)>,
    /// What the time went into.
    pub phases: Option<Phases>,
    /// The bytes that must move over the time, in 10^9 bytes a second.
    pub gb_per_s: Option<f64>,
    /// How many times as fast it is as the last rung before it that has a time.
    pub step: Option<Speedup>,
    /// How many times as fast it is as the first rung that has a time.
    pub cumulative: Option<Speedup>,
    /// What is estimated for it.
    pub estimate_us: Option<f64>,
    /// The speedup of the step as estimated, over the last rung before it that has an estimate.
    pub estimate_step: Option<f64>,
}

/// A time over another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Speedup {
    /// The ratio: below 1 where it is slower.
    pub ratio: f64,
    /// The ends of its 95 % interval, where both times have one.
    pub interval: Option<(f64, f64)>,
}

/// The ladder of these points, of the family's variants that `variants` names; `None` where the family is none.
pub fn ladder(
    family: &Family,
    variants: &[&'static Variant],
    device: &Properties,
    points: &[PointRecord],
    figures: &[Figure],
    estimates: &[StepEstimate],
) -> Option<Ladder> {
    if !family.is_ladder() {
        return None;
    }
    let all: Vec<&PointRecord> = points.iter().collect();
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let names: Vec<&'static str> = varying(family, names, &all);
    let chosen = || family.variants.iter().filter(|own| variants.iter().any(|wanted| wanted.name == own.name));
    let key = |point: &PointRecord| -> Key {
        let value = |name: &&&str| point.value(name).map(|value| value.as_ref().into());
        names
            .iter()
            .map(|name| Some(name).filter(|name| !family.ignores(&point.variant, name)).and_then(|name| value(&name)))
            .collect()
    };
    let keyed: Vec<(Key, &PointRecord)> = points.iter().map(|point| (key(point), point)).collect();
    let of = |variant: &Variant| keyed.iter().filter(|(_, point)| point.variant == variant.name).collect::<Vec<_>>();
    let by_variant: Vec<(&'static Variant, Vec<&(Key, &PointRecord)>)> = chosen().map(|own| (own, of(own))).collect();
    let keys: Vec<Vec<Key>> =
        by_variant.iter().map(|(_, own)| own.iter().map(|(key, _)| key.clone()).collect()).collect();
    let fixed = family.parameters.iter().map(|parameter| parameter.name).filter(|name| !names.contains(name));
    let value = |name: &'static str| Some((name.to_owned(), points.first()?.value(name)?.into_owned()));
    let fixed = fixed.filter_map(value).collect();
    let (peak, peak_name) = memory_bandwidth(device);
    let tables = join(&keys).into_iter().map(|table| {
        let rows = by_variant.iter().map(|(variant, own)| {
            let found = own.iter().find(|(key, _)| join::is_compatible(&table, key));
            (*variant, found.map(|(_, point)| *point))
        });
        let parameters = names
            .iter()
            .zip(&table)
            .filter_map(|(name, value)| Some(((*name).to_owned(), value.as_ref()?.to_string())));
        table_of(family, rows.collect(), parameters.collect(), peak, estimates)
    });
    Some(Ladder {
        family: family.name,
        device: device.label(),
        origin: device.origin,
        peak_gb_per_s: peak,
        peak_name,
        fixed,
        tables: tables.collect(),
        published: published_ladders(family, device, figures),
    })
}

/// What no kernel can beat on this device, in 10^9 bytes a second, and its name. That of a profile of one's own is not known here.
fn memory_bandwidth(device: &Properties) -> (Option<f64>, &'static str) {
    let of_profile = || {
        let name = device.spec.strip_prefix("sim:").filter(|_| device.origin == Origin::Simulated)?;
        let own = embedded().iter().find(|own| own.name == name)?;
        Some(Profile::parse(own.name, own.text).ok()?.global.gb_per_s)
    };
    match (device.peak_gb_per_s(), of_profile()) {
        (None, Some(rate)) => (Some(rate), "bandwidth of the profile's memory"),
        (peak, _) => (peak, "peak memory bandwidth"),
    }
}

fn table_of(
    family: &Family,
    rows: Vec<(&'static Variant, Option<&PointRecord>)>,
    parameters: Vec<(String, String)>,
    peak_gb_per_s: Option<f64>,
    estimates: &[StepEstimate],
) -> LadderTable {
    let bytes = rows.iter().filter(|(variant, _)| !variant.is_host).find_map(|(_, point)| (*point)?.bytes).unwrap_or(0);
    let (mut rungs, mut hosts): (Vec<Rung>, Vec<Rung>) = (Vec::new(), Vec::new());
    let (mut first, mut last): (Option<&PointRecord>, Option<&PointRecord>) = (None, None);
    let mut last_estimate_us: Option<f64> = None;
    for (variant, point) in rows {
        let mut rung = Rung::of(variant, point);
        if variant.is_host {
            hosts.push(rung);
            continue;
        }
        let before = last.map(|before| before.variant.as_str());
        if rung.time_us.is_some() {
            rung.removes = before.map_or_else(String::new, |before| removed(family, before, variant.name));
        }
        if let Some(own) = point.filter(|_| rung.time_us.is_some()) {
            rung.step = last.and_then(|before| speedup(before, own));
            rung.cumulative = first.and_then(|before| speedup(before, own));
            first = first.or(point);
            last = point;
        }
        rung.estimate_us = point.and_then(|point| estimate_of(point, estimates));
        rung.estimate_step = last_estimate_us.zip(rung.estimate_us).map(|(before, own)| before / own);
        last_estimate_us = rung.estimate_us.or(last_estimate_us);
        rungs.push(rung);
    }
    let limit_us = peak_gb_per_s.filter(|_| bytes >= BYTES_LEAST).map(|peak| bytes as f64 / peak / 1e3);
    LadderTable { parameters, bytes, rungs, hosts, limit_us }
}

/// What the rungs after one of a family up to another remove, one pattern after the other.
fn removed(family: &Family, before: &str, until: &str) -> String {
    let place = |name: &str| family.variants.iter().position(|own| own.name == name);
    let between = place(before).zip(place(until)).and_then(|(before, until)| family.variants.get(before + 1..=until));
    let patterns = between.unwrap_or_default().iter().filter(|own| !own.is_host).filter_map(|own| own.removes);
    let patterns: Vec<&str> = patterns.collect();
    match &patterns[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        patterns => patterns.concat(),
    }
}

impl Rung {
    fn of(variant: &'static Variant, point: Option<&PointRecord>) -> Self {
        let timing = point.and_then(|point| point.timing.as_ref()).filter(|timing| timing.median.time_us > 0.0);
        let time_us = timing.map(|timing| timing.median.time_us);
        let bytes = point.and_then(|point| point.bytes);
        let reason = match (point, time_us) {
            (None, _) => "not measured".to_owned(),
            (Some(point), None) => {
                let why = point.reason.strip_prefix("this device cannot run it: ").unwrap_or(&point.reason);
                format!("{}: {why}", point.status.name())
            }
            _ => String::new(),
        };
        Self {
            variant: variant.name,
            removes: variant.removes.unwrap_or_default().to_owned(),
            point: point.map(|point| point.point),
            status: point.map(|point| point.status),
            reason,
            time_us,
            interval_us: timing.and_then(|timing| timing.median.low_us.zip(timing.median.high_us)),
            phases: timing.and_then(|timing| timing.phases.as_deref().copied()),
            gb_per_s: bytes
                .zip(time_us)
                .filter(|(bytes, _)| *bytes >= BYTES_LEAST)
                .map(|(bytes, us)| bytes as f64 / us / 1e3),
            step: None,
            cumulative: None,
            estimate_us: None,
            estimate_step: None,
        }
    }

    /// The time of its kernels: all of its time, where it has no phases.
    pub fn kernel_us(&self) -> Option<f64> {
        self.phases.map_or(self.time_us, |phases| Some(phases.kernel_us).filter(|time_us| *time_us > 0.0))
    }
}

impl Ladder {
    /// The table whose sizes are nearest to those of a published ladder; the first where nothing tells them apart.
    pub fn nearest(&self, published: &PublishedLadder) -> Option<&LadderTable> {
        let distance = |table: &LadderTable| {
            let apart = table.parameters.iter().filter_map(|(name, value)| {
                let (_, printed) = published.parameters.iter().find(|(own, _)| own == name)?;
                match (value.parse::<f64>(), printed.parse::<f64>()) {
                    (Ok(own), Ok(printed)) if own > 0.0 && printed > 0.0 => Some((own / printed).ln().abs()),
                    _ => Some(f64::from(u8::from(value != printed))),
                }
            });
            apart.sum::<f64>()
        };
        self.tables.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))
    }

    /// The table that stands for all: of those that move the most bytes the one with the fastest rung.
    pub fn chief(&self) -> Option<&LadderTable> {
        let most_bytes = self.tables.iter().map(|own| own.bytes).max()?;
        let best_us = |own: &&LadderTable| own.best().and_then(|rung| rung.time_us).unwrap_or(f64::MAX);
        let largest = self.tables.iter().filter(|own| own.bytes == most_bytes);
        largest.min_by(|one, other| best_us(one).total_cmp(&best_us(other)))
    }

    /// What a source has of other sizes than a table, so that their times are not of the same work, in words.
    pub fn other_sizes(&self, published: &PublishedLadder, table: &LadderTable) -> Option<String> {
        let differing = self.other_values(published, table);
        let told = differing.iter().map(|(name, here, printed)| format!("{name} is {here} here and {printed} there"));
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| told.join(", "))
    }

    /// The parameters of which a source has quite another value than a table: each with the value here and the printed one.
    fn other_values<'a>(
        &'a self,
        published: &'a PublishedLadder,
        table: &'a LadderTable,
    ) -> Vec<(&'a str, &'a str, &'a str)> {
        let own = |name: &str| {
            let all = table.parameters.iter().chain(&self.fixed);
            all.clone().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
        };
        let printed = published.parameters.iter();
        let both = printed.filter_map(|(name, printed)| Some((name.as_str(), own(name)?, printed.as_str())));
        let is_same = |own: &str, printed: &str| match (own.parse::<f64>(), printed.parse::<f64>()) {
            (Ok(own), Ok(printed)) => (own - printed).abs() <= ABOUT_THE_SAME * printed.abs(),
            _ => own == printed,
        };
        both.filter(|(_, own, printed)| !is_same(own, printed)).collect()
    }
}

impl LadderTable {
    /// The parameters that tell it from the others, in words.
    pub fn label(&self) -> String {
        self.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    /// The rung with the shortest time.
    pub fn best(&self) -> Option<&Rung> {
        let timed = self.rungs.iter().filter(|rung| rung.time_us.is_some());
        timed.min_by(|one, other| one.time_us.unwrap_or(f64::MAX).total_cmp(&other.time_us.unwrap_or(f64::MAX)))
    }

    /// The rung whose kernels take the shortest time.
    pub fn best_kernel(&self) -> Option<&Rung> {
        let timed = self.rungs.iter().filter(|rung| rung.kernel_us().is_some());
        timed.min_by(|one, other| one.kernel_us().unwrap_or(f64::MAX).total_cmp(&other.kernel_us().unwrap_or(f64::MAX)))
    }

    /// The part of the memory's peak bandwidth that the kernels of the best rung reach.
    pub fn share_of_peak(&self) -> Option<f64> {
        Some(self.limit_us? / self.best_kernel()?.kernel_us()?)
    }

    /// Whether the times have phases: transfers, kernels, work of the host.
    pub fn has_phases(&self) -> bool {
        self.rungs.iter().any(|rung| rung.phases.is_some())
    }
}

fn speedup(before: &PointRecord, own: &PointRecord) -> Option<Speedup> {
    let ratio = Pair { point: before, reference: own }.ratio()?;
    Some(Speedup { ratio: ratio.estimate, interval: ratio.interval })
}

fn estimate_of(point: &PointRecord, estimates: &[StepEstimate]) -> Option<f64> {
    let has = |(name, value): &(String, String)| point.value(name).is_some_and(|own| own == value.as_str());
    let own = estimates.iter().find(|own| own.variant == point.variant && own.parameters.iter().all(has));
    own.map(|own| own.time_us).filter(|time_us| time_us.is_finite() && *time_us > 0.0)
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
