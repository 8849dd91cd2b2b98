//! The fastest and the slowest point, where nothing else is to be concluded.

use crate::model::group::varying;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// The fastest and the slowest of several points; `None` where there are no two.
pub(super) fn extremes(run: &Run, scenario: &Scenario) -> Option<String> {
    let family = scenario.family;
    let timed = |point: &&PointRecord| point.status == Status::Ok && point.timing.is_some();
    let good: Vec<&PointRecord> = run.points.iter().filter(timed).collect();
    let time_us = |point: &PointRecord| point.timing.as_ref().map_or(f64::NAN, |timing| timing.median.time_us);
    let by_time = |one: &&&PointRecord, other: &&&PointRecord| time_us(one).total_cmp(&time_us(other));
    let (fastest, slowest) = (good.iter().min_by(by_time)?, good.iter().max_by(by_time)?);
    if good.len() < 2 {
        return None;
    }
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let shown: Vec<&str> = varying(family, names, &good);
    let has_variants = good.iter().any(|point| point.variant != fastest.variant);
    let told = |point: &PointRecord| {
        let variant = has_variants.then(|| point.variant.to_string());
        let own = shown.iter().filter(|name| !family.ignores(&point.variant, name));
        let values = own.filter_map(|name| Some(format!("{name}={}", point.value(name)?)));
        variant.into_iter().chain(values).collect::<Vec<_>>().join(" ")
    };
    Some(format!(
        "Fastest: {} with {}; slowest: {}, {} times as long, with {}.",
        unit::time_us(time_us(fastest)),
        told(fastest),
        unit::time_us(time_us(slowest)),
        unit::significant(time_us(slowest) / time_us(fastest), 3),
        told(slowest)
    ))
}
