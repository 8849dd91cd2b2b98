//! The figures that sources print of the same rungs, on GPUs of their time.

use serde::Serialize;

use super::{LadderTable, Rung};
use crate::family::Family;
use crate::properties::Properties;
use crate::published::Figure;

/// Times whose ratio is nearer to one than this have no order.
const SAME: f64 = 0.01;

/// The time of a rung that corresponds to a published time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    /// That of the kernels.
    Kernels,
    /// That of everything, transfers included.
    Everything,
    /// The source does not have transfers: the whole time.
    Time,
}

/// What sources call the times of rungs.
const METRICS: [(&str, Whole); 4] = [
    ("time", Whole::Time),
    ("kernel time", Whole::Kernels),
    ("total time", Whole::Everything),
    ("transfer and kernel time", Whole::Everything),
];

/// A metric that tells the time of another variant: a rung is so many times as fast as that.
const OVER_ANOTHER: &str = "speedup over the same with ";

/// The rungs that a source prints times of, on one of its GPUs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedLadder {
    /// The document.
    pub source: String,
    /// Its tables, or the places in it.
    pub places: Vec<String>,
    /// The GPU.
    pub device: String,
    /// What the source calls the times.
    pub metric: String,
    /// The times here that they correspond to.
    pub whole: Whole,
    /// What is known of the parameters.
    pub parameters: Vec<(String, String)>,
    /// Whether it is the same GPU as the run's.
    pub is_own_device: bool,
    /// The rungs that it has, in the family's order.
    pub rungs: Vec<PublishedRung>,
    /// The source's references on hosts.
    pub hosts: Vec<PublishedHost>,
}

/// A rung that a source prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedRung {
    /// The variant.
    pub variant: &'static str,
    /// Its time.
    pub time_us: f64,
    /// Whether the source prints a speedup over it in place of the time, which follows from that.
    pub is_derived: bool,
    /// How many times as fast it is as the published rung before.
    pub step: Option<f64>,
    /// How many times as fast it is as the first published rung.
    pub cumulative: f64,
}

/// A reference on a host that a source prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedHost {
    /// The host.
    pub device: String,
    /// The variant.
    pub variant: &'static str,
    /// Its time.
    pub time_us: f64,
}

/// What sources print of a family's rungs: that of the run's own device first, then of the most rungs.
pub fn published_ladders(family: &Family, device: &Properties, figures: &[Figure]) -> Vec<PublishedLadder> {
    let own = || figures.iter().filter(|figure| figure.family == family.name);
    let mut ladders: Vec<PublishedLadder> = Vec::new();
    for figure in own() {
        let Some((_, whole)) = METRICS.iter().find(|(name, _)| *name == figure.metric) else { continue };
        let is_rung = family.variants.iter().any(|variant| variant.name == figure.variant && !variant.is_host);
        if !is_rung || time_us(figure).is_none() {
            continue;
        }
        let is_same = |own: &&mut PublishedLadder| {
            (&own.source, &own.device, &own.metric) == (&figure.source, &figure.device, &figure.metric)
        };
        if let Some(known) = ladders.iter_mut().find(is_same) {
            if !known.places.contains(&figure.table) {
                known.places.push(figure.table.clone());
            }
            known.parameters.retain(|pair| figure.parameters.contains(pair));
            continue;
        }
        ladders.push(PublishedLadder {
            source: figure.source.clone(),
            places: vec![figure.table.clone()],
            device: figure.device.clone(),
            metric: figure.metric.clone(),
            whole: *whole,
            parameters: figure.parameters.clone(),
            is_own_device: is_same_device(&figure.device, device),
            rungs: Vec::new(),
            hosts: Vec::new(),
        });
    }
    for ladder in &mut ladders {
        let of_source: Vec<&Figure> = own().filter(|figure| figure.source == ladder.source).collect();
        ladder.rungs = rungs(family, ladder, &of_source);
        ladder.hosts = hosts(family, &of_source);
    }
    // Stable, so that what is alike stays in the order of the file.
    ladders.sort_by_key(|ladder| (!ladder.is_own_device, std::cmp::Reverse(ladder.rungs.len())));
    ladders
}

fn rungs(family: &Family, ladder: &PublishedLadder, figures: &[&Figure]) -> Vec<PublishedRung> {
    let of_device = || figures.iter().filter(|figure| figure.device == ladder.device);
    let mut rungs: Vec<PublishedRung> = Vec::new();
    for variant in family.variants.iter().filter(|variant| !variant.is_host) {
        let printed = of_device().find(|figure| figure.metric == ladder.metric && figure.variant == variant.name);
        let derived = || {
            let over = of_device().find(|figure| figure.metric.strip_prefix(OVER_ANOTHER) == Some(variant.name))?;
            let faster = of_device().find(|own| own.metric == ladder.metric && own.variant == over.variant)?;
            Some(time_us(faster)? * over.value)
        };
        let Some((time_us, is_derived)) =
            printed.and_then(|figure| Some((time_us(figure)?, false))).or_else(|| Some((derived()?, true)))
        else {
            continue;
        };
        let step = rungs.last().map(|before| before.time_us / time_us);
        let cumulative = rungs.first().map_or(1.0, |first| first.time_us / time_us);
        rungs.push(PublishedRung { variant: variant.name, time_us, is_derived, step, cumulative });
    }
    rungs
}

fn hosts(family: &Family, figures: &[&Figure]) -> Vec<PublishedHost> {
    let mut hosts = Vec::new();
    for variant in family.variants.iter().filter(|variant| variant.is_host) {
        let own = figures.iter().filter(|figure| figure.variant == variant.name && figure.metric == "time");
        hosts.extend(own.filter_map(|figure| {
            Some(PublishedHost { device: figure.device.clone(), variant: variant.name, time_us: time_us(figure)? })
        }));
    }
    hosts
}

fn time_us(figure: &Figure) -> Option<f64> {
    let scale = match figure.unit.as_str() {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        _ => return None,
    };
    Some(figure.value * scale).filter(|time_us| *time_us > 0.0)
}

/// Drivers say `NVIDIA GeForce GTX 280`, sources leave the maker out; simulated devices say what they are.
fn is_same_device(printed: &str, device: &Properties) -> bool {
    let bare = |name: &str| {
        let name = name.to_lowercase();
        let name = name.trim_end_matches("(simulated)").trim();
        name.strip_prefix("nvidia ").unwrap_or(name).trim().to_owned()
    };
    bare(printed) == bare(&device.name)
}

/// A published ladder beside a table of a run: rungs that both have a time of.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside<'a> {
    /// Each published rung with its speedups here: over the published rung before, and over the first one.
    pub rungs: Vec<(&'a PublishedRung, Option<f64>, Option<f64>)>,
    /// The rungs that have a time in both: the published one, and the one here.
    pub common: Vec<(&'static str, f64, f64)>,
    /// Whether the rungs have the same order by their times.
    pub order: Order,
}

/// Whether rungs have the published order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// There are not two rungs to tell by.
    Unknown,
    /// They have.
    Same,
    /// Of these pairs the first is faster as published, and the second here.
    Differs(Vec<(&'static str, &'static str)>),
}

/// Puts published rungs beside a table. `None` where they have no rung in common, or the source times transfers and the run does not.
pub fn beside<'a>(published: &'a PublishedLadder, table: &LadderTable) -> Option<Beside<'a>> {
    if published.whole == Whole::Everything && !table.has_phases() {
        return None;
    }
    let here_us = |rung: &Rung| if published.whole == Whole::Kernels { rung.kernel_us() } else { rung.time_us };
    let time_of = |variant: &str| table.rungs.iter().find(|rung| rung.variant == variant).and_then(here_us);
    let first = published.rungs.first().and_then(|rung| time_of(rung.variant));
    let mut before: Option<f64> = None;
    let mut rungs = Vec::new();
    let mut both: Vec<(&'static str, f64, f64)> = Vec::new();
    for rung in &published.rungs {
        let own = time_of(rung.variant);
        let over = |other: Option<f64>| other.zip(own).map(|(other, own)| other / own);
        rungs.push((rung, over(before), over(first)));
        before = own;
        both.extend(own.map(|own| (rung.variant, rung.time_us, own)));
    }
    if both.is_empty() {
        return None;
    }
    let mut swapped = Vec::new();
    for (index, (variant, published_us, here_us)) in both.iter().enumerate() {
        for (other, other_published_us, other_here_us) in &both[index + 1..] {
            let (printed, own) = (published_us / other_published_us, here_us / other_here_us);
            if printed > 1.0 + SAME && own < 1.0 / (1.0 + SAME) {
                swapped.push((*other, *variant));
            } else if printed < 1.0 / (1.0 + SAME) && own > 1.0 + SAME {
                swapped.push((*variant, *other));
            }
        }
    }
    let order = match (both.len(), swapped.is_empty()) {
        (..=1, _) => Order::Unknown,
        (_, true) => Order::Same,
        _ => Order::Differs(swapped),
    };
    Some(Beside { rungs, common: both, order })
}
