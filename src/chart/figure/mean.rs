//! One value for several points.

use std::collections::HashSet;

use super::values::Valued;
use crate::chart::Bar;
use crate::family::Family;
use crate::model::group::varying;
use crate::model::slowdown::{Pair, Slowdown};
use crate::record::PointRecord;

/// The geometric mean of these values with its interval and the range that it is of; the arithmetic one where a value is not
/// positive. `None` where there are none.
pub(super) fn mean(values: &[Valued<'_>]) -> Option<Bar> {
    let first = values.first()?;
    let mut points: Vec<usize> = values.iter().map(|own| own.point.point).collect();
    points.sort_unstable();
    points.dedup();
    if values.len() == 1 {
        return Some(Bar {
            value: first.value,
            low: first.low,
            high: first.high,
            range: None,
            points,
            label: String::new(),
        });
    }
    // Of slowdowns a point may be in several pairs, which the interval must know.
    let pairs: Option<Vec<Pair<'_>>> = values.iter().map(Valued::pair).collect();
    if let Some(slowdown) = pairs.and_then(|pairs| Slowdown::over(&pairs)) {
        let (low, high) = slowdown.interval.unwrap_or((slowdown.ratio, slowdown.ratio));
        let range = Some((slowdown.smallest, slowdown.largest));
        return Some(Bar { value: slowdown.ratio, low, high, range, points, label: String::new() });
    }
    let count = values.len() as f64;
    let smallest = values.iter().map(|own| own.value).fold(f64::INFINITY, f64::min);
    let largest = values.iter().map(|own| own.value).fold(f64::NEG_INFINITY, f64::max);
    let range = Some((smallest, largest));
    if smallest <= 0.0 {
        let value = values.iter().map(|own| own.value).sum::<f64>() / count;
        return Some(Bar { value, low: value, high: value, range, points, label: String::new() });
    }
    let logarithm = values.iter().map(|own| own.value.ln()).sum::<f64>() / count;
    // Half the width of the interval of each logarithm: the points are measured apart.
    let half = values.iter().map(|own| ((own.high / own.low).ln() / 2.0 / count).powi(2)).sum::<f64>().sqrt();
    let half = if half.is_finite() { half } else { 0.0 };
    let (low, high) = ((logarithm - half).exp(), (logarithm + half).exp());
    Some(Bar { value: logarithm.exp(), low, high, range, points, label: String::new() })
}

/// The parameters that vary beside these, over which means are taken.
pub(super) fn others<'a>(family: &'a Family, points: &[&PointRecord], taken: &[&str]) -> Vec<&'a str> {
    let explained: HashSet<&str> = taken
        .iter()
        .filter_map(|name| family.predictor(name))
        .flat_map(|predictor| predictor.parameters.iter().copied())
        .collect();
    let names = std::iter::once("variant").chain(family.parameters.iter().map(|parameter| parameter.name));
    varying(family, names.filter(|name| !taken.contains(name) && !explained.contains(name)), points)
}
