//! What a chart shows of each point: a value with its interval, or a ratio of two points.

use std::borrow::Cow;

use std::collections::HashSet;

use crate::chart::Quantity;
use crate::family::Family;
use crate::model::slowdown::{Pair, pairs};
use crate::model::time::MeasuredTime;
use crate::properties::Origin;
use crate::record::{PHASES, PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::{ChartRequest, Vertical};

/// A point of a run, or two that are compared, and what a chart shows of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Valued<'a> {
    pub(super) point: &'a PointRecord,
    /// The point whose time it is divided by.
    pub(super) reference: Option<&'a PointRecord>,
    pub(super) time: MeasuredTime,
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl<'a> Valued<'a> {
    /// The parameter as text, of the point that depends on it; `None` where neither does.
    pub(super) fn text(&self, family: &Family, name: &str) -> Option<String> {
        match self.reference {
            None => (!ignores(family, &self.point.variant, name)).then(|| text(self.point, name)).flatten(),
            Some(_) if name == "variant" => Some(self.point.variant.to_string()),
            Some(reference) => {
                let depends = |point: &&&PointRecord| !ignores(family, &point.variant, name);
                [self.point, reference].iter().find(depends).and_then(|point| text(point, name))
            }
        }
    }

    /// The two points, where it is a ratio.
    pub(super) fn pair(&self) -> Option<Pair<'a>> {
        Some(Pair { point: self.point, reference: self.reference? })
    }
}

/// A column of a point as text.
pub(super) fn text(point: &PointRecord, name: &str) -> Option<String> {
    point.value(name).map(Cow::into_owned)
}

/// Points of a run that ended well, and those of them that a chart shows.
pub(super) struct Good<'a> {
    pub(super) all: Vec<&'a PointRecord>,
    pub(super) shown: Vec<&'a PointRecord>,
}

impl<'a> Good<'a> {
    pub(super) fn of(request: &ChartRequest, family: &Family, run: &'a Run) -> Self {
        let good = run.points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some());
        let all: Vec<&PointRecord> = good.collect();
        let shown = all.iter().copied().filter(|point| request.only.admits(family, point)).collect();
        Self { all, shown }
    }
}

/// What a chart shows of the points of a run. Points that have no such value are left out.
pub(super) fn valued<'a>(y: &Vertical, request: &ChartRequest, family: &Family, points: &Good<'a>) -> Vec<Valued<'a>> {
    if let Vertical::Slowdown { reference } = y {
        let shown = |pair: &Pair<'a>| request.only.admits(family, pair.point);
        return pairs(family, &points.all, reference).into_iter().filter(shown).filter_map(ratio).collect();
    }
    points.shown.iter().filter_map(|point| of_point(y, point)).collect()
}

fn of_point<'a>(y: &Vertical, point: &'a PointRecord) -> Option<Valued<'a>> {
    let time = MeasuredTime::of(point)?;
    let (low_us, high_us) = time.interval_us.unwrap_or((time.time_us, time.time_us));
    let (value, low, high) = match y {
        Vertical::Time | Vertical::Slowdown { .. } => (time.time_us, low_us, high_us),
        Vertical::Throughput => rate(point.bytes, &time, low_us, high_us)?,
        Vertical::Operations => rate(point.operations, &time, low_us, high_us)?,
        Vertical::Energy => point.energy().map(|own| (own.energy_mj, own.low_mj, own.high_mj))?,
        Vertical::Power => point.energy().map(|own| (own.power_w, own.power_w, own.power_w))?,
        Vertical::Column(name) => point.number(name).map(|value| (value, value, value))?,
    };
    Some(Valued { point, reference: None, time, value, low, high })
}

/// 10^9 a second; `None` where there is nothing to count.
fn rate(amount: Option<u64>, time: &MeasuredTime, low_us: f64, high_us: f64) -> Option<(f64, f64, f64)> {
    let amount = amount.filter(|amount| *amount > 0)? as f64;
    let rate = |time_us: f64| amount / time_us / 1e3;
    Some((rate(time.time_us), rate(high_us), rate(low_us)))
}

fn ratio(pair: Pair<'_>) -> Option<Valued<'_>> {
    let (ratio, time) = (pair.ratio()?, MeasuredTime::of(pair.point)?);
    let (low, high) = ratio.interval.unwrap_or((ratio.estimate, ratio.estimate));
    Some(Valued { point: pair.point, reference: Some(pair.reference), time, value: ratio.estimate, low, high })
}

/// Whether the variant does not depend on this: a parameter, or a predictor all of whose parameters it ignores.
pub(super) fn ignores(family: &Family, variant: &str, name: &str) -> bool {
    match family.predictor(name) {
        Some(predictor) => {
            !predictor.parameters.is_empty() && predictor.parameters.iter().all(|name| family.ignores(variant, name))
        }
        None => family.ignores(variant, name),
    }
}

/// What the values are, in words without a unit, and what kind of number that makes them.
pub(super) fn measure(y: &Vertical, family: &Family, origins: &HashSet<Origin>) -> (String, Quantity) {
    // What is of several origins is told by its line.
    let is_simulated = origins.len() == 1 && origins.contains(&Origin::Simulated);
    let is_mixed = origins.len() > 1;
    let time = if is_simulated { "simulated time" } else { "median time" };
    let time = if is_mixed { "time" } else { time };
    let rate = |of: &str| if is_simulated { format!("simulated {of}") } else { of.to_owned() };
    match y {
        Vertical::Time => (time.to_owned(), Quantity::Time),
        Vertical::Throughput => (rate("throughput"), Quantity::Throughput),
        Vertical::Operations => (rate("arithmetic"), Quantity::Operations),
        Vertical::Energy => ("energy of a launch".to_owned(), Quantity::Energy),
        Vertical::Power => ("power of the board".to_owned(), Quantity::Power),
        Vertical::Slowdown { reference } => (format!("{time}, relative to {reference}"), Quantity::Ratio),
        Vertical::Column(name) if PHASES.iter().any(|phase| phase.name == name) => {
            // `kernel_hidden_us` is the time of `kernel hidden`.
            let phase = name.trim_end_matches("_us").replace('_', " ");
            (if phase == "total" { time.to_owned() } else { format!("{time}, {phase}") }, Quantity::Time)
        }
        Vertical::Column(name) => {
            let summary = family.predictor(name).map_or(name.as_str(), |predictor| predictor.summary);
            (summary.to_owned(), Quantity::Ratio)
        }
    }
}
