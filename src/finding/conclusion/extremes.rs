//! The fastest and the slowest point, where nothing else is to be concluded.

use super::rest_of;
use crate::family::Family;
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
    let told = |point: &PointRecord| told_of(family, point, &shown, has_variants);
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

/// The values of a point's parameters, behind its variant where there are several.
pub(super) fn told_of(family: &Family, point: &PointRecord, shown: &[&str], has_variants: bool) -> String {
    let variant = has_variants.then(|| point.variant.to_string());
    let own = shown.iter().filter(|name| !family.ignores(&point.variant, name));
    let values = own.filter_map(|name| Some(format!("{name}={}", point.value(name)?)));
    variant.into_iter().chain(values).collect::<Vec<_>>().join(" ")
}

/// Where a predictor makes each variant faster and slower than its smallest value does: a sentence for each fit of speedups.
pub(super) fn speedups(fits: &[GroupFit]) -> Vec<String> {
    let of_fit = |groups: &[GroupFit]| {
        let mut known: Vec<(&str, Vec<(&GroupFit, &Speedup)>)> = Vec::new();
        for group in groups {
            let Outcome::Speedup(speedup) = &group.outcome else { continue };
            let variant = super::variant_of(group);
            match known.iter_mut().find(|(own, _)| *own == variant) {
                Some((_, own)) => own.push((group, speedup)),
                None => known.push((variant, vec![(group, speedup)])),
            }
        }
        let Speedup { predictor, base, .. } = known.first()?.1.first()?.1;
        let told: Vec<String> = known.iter().filter_map(|(variant, own)| of_variant(variant, own)).collect();
        Some(format!("Against {predictor} = {base}: {}.", told.join("; ")))
    };
    fits.chunk_by(|one, other| one.name == other.name).filter_map(of_fit).collect()
}

/// How much faster and slower a variant is at most, and where.
fn of_variant(variant: &str, known: &[(&GroupFit, &Speedup)]) -> Option<String> {
    let by_ratio = |one: &&(&GroupFit, &Speedup), other: &&(&GroupFit, &Speedup)| one.1.ratio.total_cmp(&other.1.ratio);
    let (best, worst) = (known.iter().max_by(by_ratio)?, known.iter().min_by(by_ratio)?);
    let ratio = |ratio: f64| unit::significant(ratio, 3);
    let (times, longer) = (ratio(best.1.ratio), ratio(1.0 / worst.1.ratio));
    let faster: Vec<&GroupFit> = known.iter().filter(|(_, own)| own.is_faster()).map(|(group, _)| *group).collect();
    if faster.is_empty() {
        let least = ratio(1.0 / best.1.ratio);
        return Some(format!("{variant} is nowhere faster, and takes {least} to {longer} times as long"));
    }
    let place = match (faster.len() == known.len(), from(known, &faster)) {
        (true, _) => "everywhere".to_owned(),
        // Where the one point is follows.
        _ if faster.len() == 1 => format!("at 1 of {} points", known.len()),
        (false, Some(from)) => format!("at {} of {} points, all from {from} on", faster.len(), known.len()),
        (false, None) => format!("at {} of {} points", faster.len(), known.len()),
    };
    let slower = if worst.1.ratio < 1.0 {
        format!(", and takes up to {longer} times as long, with {}", rest_of(worst.0))
    } else {
        String::new()
    };
    let times = if faster.len() == 1 { format!("{times} times") } else { format!("up to {times} times") };
    Some(format!("{variant} is faster {place}, {times}, with {}{slower}", rest_of(best.0)))
}

/// The value of a number that all these groups have at least, and others have not: `launched_blocks = 512`.
fn from(known: &[(&GroupFit, &Speedup)], faster: &[&GroupFit]) -> Option<String> {
    let predictor = known.first()?.1.predictor;
    let number = |group: &GroupFit, name: &str| -> Option<f64> {
        group.group.iter().find(|(own, _)| own == name)?.1.parse().ok()
    };
    let names = known.first()?.0.group.iter().map(|(name, _)| name).filter(|name| *name != predictor);
    let least_of = |name: &str, groups: &mut dyn Iterator<Item = &GroupFit>| {
        groups.filter_map(|group| number(group, name)).reduce(f64::min)
    };
    names.into_iter().find_map(|name| {
        let all = least_of(name, &mut known.iter().map(|(group, _)| *group))?;
        let own = least_of(name, &mut faster.iter().copied())?;
        (own > all).then(|| format!("{name} = {own}"))
    })
}
