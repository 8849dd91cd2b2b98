//! The fastest and the slowest point, where nothing else is to be concluded.

use super::rest_of;
use crate::model::group::{GroupFit, Outcome, varying};
use crate::model::speedup::Speedup;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::{Scenario, Vertical};
use crate::unit;

/// The fastest and the slowest of several points, or the time of the only one; `None` where there is none.
pub(super) fn extremes(run: &Run, scenario: &Scenario) -> Option<String> {
    let family = scenario.family;
    let timed = |point: &&PointRecord| point.status == Status::Ok && point.timing.is_some();
    let good: Vec<&PointRecord> = run.points.iter().filter(timed).collect();
    let time_us = |point: &PointRecord| point.timing.as_ref().map_or(f64::NAN, |timing| timing.median.time_us);
    let by_time = |one: &&&PointRecord, other: &&&PointRecord| time_us(one).total_cmp(&time_us(other));
    if let [only] = &good[..] {
        return Some(format!("{} takes {}.", only.variant, unit::time_us(time_us(only))));
    }
    let (fastest, slowest) = (good.iter().min_by(by_time)?, good.iter().max_by(by_time)?);
    let names = family.parameters.iter().map(|parameter| parameter.name);
    let shown: Vec<&str> = varying(family, names, &good);
    let has_variants = good.iter().any(|point| point.variant != fastest.variant);
    let told = |point: &PointRecord| {
        let variant = has_variants.then(|| point.variant.to_string());
        let own = shown.iter().filter(|name| !family.ignores(&point.variant, name));
        let values = own.filter_map(|name| Some(format!("{name}={}", point.value(name)?)));
        variant.into_iter().chain(values).collect::<Vec<_>>().join(" ")
    };
    // Where the scenario is about a rate, the rates are what is asked for.
    let is_of_rate = scenario.charts.iter().any(|chart| chart.y == Vertical::Throughput);
    let rate =
        |point: &PointRecord| point.bytes.filter(|_| is_of_rate).map(|bytes| bytes as f64 / time_us(point) / 1e3);
    let time = |point: &PointRecord| {
        let rate = rate(point).map(|rate| format!(" ({})", unit::of_law(rate, "gb_per_s")));
        format!("{}{}", unit::time_us(time_us(point)), rate.unwrap_or_default())
    };
    Some(format!(
        "Fastest: {} with {}; slowest: {}, {} times as long, with {}.",
        time(fastest),
        told(fastest),
        time(slowest),
        unit::significant(time_us(slowest) / time_us(fastest), 3),
        told(slowest)
    ))
}

/// The values of a predictor at which the pattern is fastest and slowest, a sentence for each fit of speedups: against the smallest value.
pub(super) fn speedups(fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let of_fit = |groups: &[GroupFit]| {
        let own = groups.iter().filter(|group| super::variant_of(group) == pattern);
        let known = own.filter_map(|group| match &group.outcome {
            Outcome::Speedup(speedup) => Some((rest_of(group), speedup)),
            _ => None,
        });
        let known: Vec<(String, &Speedup)> = known.collect();
        let by_ratio = |one: &&(String, &Speedup), other: &&(String, &Speedup)| one.1.ratio.total_cmp(&other.1.ratio);
        let (best, worst) = (known.iter().max_by(by_ratio)?, known.iter().min_by(by_ratio)?);
        let Speedup { predictor, base, .. } = best.1;
        let ratio = |ratio: f64| unit::significant(ratio, 3);
        let (times, longer) = (ratio(best.1.ratio), ratio(1.0 / worst.1.ratio));
        Some(match (best.1.ratio > 1.0, worst.1.ratio < 1.0) {
            (true, true) => format!(
                "{pattern}, against {predictor} = {base}: {times} times as fast with {}, {longer} times as long with {}.",
                best.0, worst.0
            ),
            (true, false) => {
                format!("{pattern}, against {predictor} = {base}: up to {times} times as fast, with {}.", best.0)
            }
            (false, _) => format!(
                "{pattern}, against {predictor} = {base}: nowhere faster, {longer} times as long with {}.",
                worst.0
            ),
        })
    };
    fits.chunk_by(|one, other| one.name == other.name).filter_map(of_fit).collect()
}
