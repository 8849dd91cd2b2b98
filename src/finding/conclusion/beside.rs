//! What remedies cost by the law that says what the pattern costs: a cost is read beside another one.

use super::costs::{Step, holding};
use super::variant_of;
use crate::model::fit::{Estimate, LawFit};
use crate::model::group::GroupFit;
use crate::model::verdict::Verdict;

/// Variants that are told beside the pattern, at most: of more, ratios are told.
const OTHERS_MOST: usize = 2;

/// The costs of the other variants of a fit, from the smallest to the largest, where the law holds in all of their groups: `b 192.0 ns to 481.0 ns`. Nothing
/// where the law of the `pattern`'s groups is not one of times, or does not hold in all of them.
pub(super) fn others(groups: &[GroupFit], pattern: &str) -> Option<String> {
    let (own, all) = holding(groups, pattern);
    let (_, first) = own.first().filter(|_| own.len() == all)?;
    let is_alike =
        |(_, fit): &&(&GroupFit, &LawFit)| fit.law == first.law && !matches!(fit.verdict, Verdict::NoCost { .. });
    let cost = |fit: &LawFit| fit.estimates.get(fit.law.cost.place).copied().filter(|own| own.unit == "us");
    if !own.iter().all(|own| is_alike(&own) && cost(own.1).is_some()) {
        return None;
    }
    let step = Step::of(&own);
    let mut variants: Vec<&str> = Vec::new();
    for variant in groups.iter().map(variant_of).filter(|own| *own != pattern) {
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    let of_variant = |variant: &&str| {
        let (own, all) = holding(groups, variant);
        let costs: Option<Vec<Estimate>> = own.iter().filter(is_alike).map(|(_, fit)| cost(fit)).collect();
        let costs = costs.filter(|costs| !costs.is_empty() && costs.len() == all)?;
        let least = costs.iter().min_by(|one, other| one.estimate.total_cmp(&other.estimate))?;
        let most = costs.iter().max_by(|one, other| one.estimate.total_cmp(&other.estimate))?;
        // A cost below nothing is one that nobody measured.
        least.below_zero().is_none().then_some(())?;
        let [low, high] = [least, most].map(|own| own.told(own.estimate * step.of));
        Some(if low == high { format!("{variant} {low}") } else { format!("{variant} {low} to {high}") })
    };
    let told: Vec<String> = variants.iter().filter_map(of_variant).collect();
    (!told.is_empty() && variants.len() <= OTHERS_MOST).then(|| told.join(", "))
}
