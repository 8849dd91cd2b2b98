//! Which of several remedies is the fastest.

use super::variant_of;
use crate::model::group::{GroupFit, Outcome};
use crate::model::slowdown::{Slowdown, pairs};
use crate::model::{Model, Of};
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// Beside the pattern there are so many variants at least, where the fastest has a sentence of its own.
const LEAST_VARIANTS: usize = 3;

/// What is said first of a scenario that asks for times beside those of one of its remedies.
pub(super) enum Fastest {
    /// The fastest is another variant.
    Told(String),
    /// The others are slower than that remedy: how much they are is the answer.
    Reference,
}

/// The fastest variant by the mean over all points that the pattern has, too; `None` where there are few variants, or none is asked to be compared
/// with another one than the pattern.
pub(super) fn fastest(run: &Run, scenario: &Scenario, fits: &[GroupFit], pattern: &str) -> Option<Fastest> {
    let reference = fits.iter().find_map(|group| match &group.model {
        Model::Slowdown { reference } if !matches!(group.of, Some(Of::Fit(_))) => Some(reference.as_str()),
        _ => None,
    });
    let reference = reference.filter(|own| *own != pattern && scenario.variants.len() > LEAST_VARIANTS)?;
    let good: Vec<&PointRecord> =
        run.points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
    let all = pairs(scenario.family, &good, pattern);
    let of_variant = |name: &'static str| {
        let own: Vec<_> = all.iter().copied().filter(|pair| pair.point.variant == name).collect();
        Some((name, Slowdown::over(&own)?))
    };
    let known = scenario.variants.iter().filter(|variant| variant.name != pattern);
    let known = known.filter_map(|variant| of_variant(variant.name));
    let (name, slowdown) = known.min_by(|(_, one), (_, other)| one.ratio.total_cmp(&other.ratio))?;
    if slowdown.ratio >= 1.0 {
        return None;
    }
    if name == reference {
        return Some(Fastest::Reference);
    }
    let of_reference = fits.iter().find_map(|group| match (&group.model, &group.outcome) {
        (Model::Slowdown { reference: own }, Outcome::Slowdown(slowdown))
            if own == reference && variant_of(group) == name && group.group.len() == 1 =>
        {
            Some(slowdown)
        }
        _ => None,
    });
    let range = |own: &Slowdown| {
        let [least, most] = [own.largest, own.smallest].map(|ratio| unit::significant(1.0 / ratio, 3));
        format!("({least} to {most})")
    };
    let mean = |own: &Slowdown| unit::significant(1.0 / own.ratio, 3);
    let beside = of_reference.map(|own| format!(", {} times as fast as {reference} {}", mean(own), range(own)));
    Some(Fastest::Told(format!(
        "Fastest: {name}, in the geometric mean {} times as fast as {pattern} {}{}.",
        mean(&slowdown),
        range(&slowdown),
        beside.unwrap_or_default()
    )))
}
