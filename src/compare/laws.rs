//! The laws of two runs side by side: what a branch costs here against there.

use std::collections::HashMap;

use rayon::prelude::*;
use serde::Serialize;

use super::matching::Ignored;
use super::ratio::{Known, Ratio, ratio};
use super::side::Side;
use crate::model::fit::Estimate;
use crate::model::group::{GroupFit, Outcome};

/// A parameter of a law, of one group of points, in the base and in another run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LawRow {
    /// The fit's name in the scenario.
    pub fit: String,
    /// The law.
    pub law: String,
    /// What the group's points have in common: `variant=divergent operation=compute`.
    pub group: String,
    /// The parameter's name.
    pub parameter: String,
    /// Its unit.
    pub unit: String,
    /// In the base; `None` where the law could not be fitted there.
    pub base: Option<Known>,
    /// In the other run.
    pub other: Option<Known>,
    /// The other's over the base's.
    pub ratio: Option<Ratio>,
    /// Whether the law holds in the base.
    pub base_verdict: String,
    /// Whether it holds in the other run.
    pub other_verdict: String,
}

/// What tells a fitted law from the others of its run, as text.
type LawKey = (String, String, String);

/// Every law that both runs have, in the base's order. What is ignored does not tell groups apart.
pub(super) fn law_rows(base: &Side, other: &Side, ignored: &[Ignored]) -> Vec<LawRow> {
    let of_other: HashMap<LawKey, &GroupFit> = other.fits.par_iter().map(|fit| (key(fit, ignored), fit)).collect();
    let partner = |fit: &GroupFit| of_other.get(&key(fit, ignored)).copied();
    base.fits
        .par_iter()
        .flat_map_iter(|fit| partner(fit).map(|other| rows_of(fit, other)).unwrap_or_default())
        .collect()
}

/// The rows of one law, a parameter each.
fn rows_of(fit: &GroupFit, partner: &GroupFit) -> Vec<LawRow> {
    let (Some(own), Some(others)) = (estimates(fit), estimates(partner)) else { return Vec::new() };
    let find =
        |estimates: &[Estimate], name: &str| estimates.iter().find(|estimate| estimate.parameter == name).copied();
    let in_other_alone = others.iter().filter(|estimate| find(own, estimate.parameter).is_none());
    let names = own.iter().chain(in_other_alone).map(|estimate| estimate.parameter);
    let row = |name: &'static str| {
        let (in_base, in_other) = (find(own, name), find(others, name));
        let known = |estimate: Estimate| Known { estimate: estimate.estimate, low: estimate.low, high: estimate.high };
        let (base_known, other_known) = (in_base.map(known), in_other.map(known));
        LawRow {
            fit: fit.name.clone(),
            law: fit.model.name().to_owned(),
            group: fit.label(),
            parameter: name.to_owned(),
            unit: in_base.or(in_other).map_or("", |estimate| estimate.unit).to_owned(),
            base: base_known,
            other: other_known,
            // What may be nothing, such as a fixed cost that the times do not show, is no multiple of anything.
            ratio: base_known
                .zip(other_known)
                .filter(|(base, other)| base.low > 0.0 && other.low > 0.0)
                .and_then(|(base, other)| ratio(other, base)),
            base_verdict: fit.outcome.verdict(),
            other_verdict: partner.outcome.verdict(),
        }
    };
    names.map(row).collect()
}

fn key(fit: &GroupFit, ignored: &[Ignored]) -> LawKey {
    let group = fit.group.iter().filter(|(name, _)| !ignored.iter().any(|ignored| ignored.parameter == *name));
    let group: Vec<String> = group.map(|(name, value)| format!("{name}={value}")).collect();
    (fit.name.clone(), fit.model.name().to_owned(), group.join(" "))
}

fn estimates(fit: &GroupFit) -> Option<&[Estimate]> {
    match &fit.outcome {
        Outcome::Law(fit) => Some(&fit.estimates),
        _ => None,
    }
}
