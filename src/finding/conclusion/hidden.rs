//! Whether independent work is hidden behind what a variant waits for.

use super::{listed, rest_of, variant_of};
use crate::model::fit::{Estimate, LawFit};
use crate::model::group::GroupFit;
use crate::model::law::Form;
use crate::model::verdict::Verdict;
use crate::model::{Of, OfFit};
use located_toml::words::capitalised;

/// Parameters that are work which needs nothing of what a variant waits for.
const INDEPENDENT: [&str; 2] = ["work", "preamble_multiply_adds"];
/// Costs of a further piece of work that differ by no more than this, as a share, are one.
const SAME: f64 = 0.05;

/// What is hidden of the work in a group of points.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hidden {
    /// The time stays the same as the work grows.
    All,
    /// Each piece, from the first on, costs as much as where nothing is waited for.
    Nothing,
    /// The law does not tell.
    Untold,
}

/// A sentence for each fit against independent work: with which variants all of it is hidden, and with which nothing.
pub(super) fn hidden(fits: &[GroupFit]) -> Vec<String> {
    fits.chunk_by(|one, other| one.name == other.name).filter_map(|groups| of_fit(groups, fits)).collect()
}

fn of_fit(groups: &[GroupFit], fits: &[GroupFit]) -> Option<String> {
    let predictor = groups.first()?.model.predictor().filter(|own| INDEPENDENT.contains(own))?;
    let laws: Vec<(&str, Option<&LawFit>)> =
        groups.iter().map(|group| (variant_of(group), group.outcome.law())).collect();
    let full = laws.iter().filter_map(|(_, fit)| cost((*fit)?)).map(|own| own.estimate).fold(0.0, f64::max);
    let mut variants: Vec<&str> = Vec::new();
    for (variant, _) in &laws {
        if !variants.contains(variant) {
            variants.push(variant);
        }
    }
    let of_variant = |variant: &str, wanted: Hidden| {
        laws.iter().filter(|(own, _)| *own == variant).all(|(_, fit)| hidden_in(*fit, full) == wanted)
    };
    let with =
        |wanted| -> Vec<&str> { variants.iter().copied().filter(|variant| of_variant(variant, wanted)).collect() };
    let (all, nothing) = (with(Hidden::All), with(Hidden::Nothing));
    let mut told = Vec::new();
    if !nothing.is_empty() {
        let costs = laws.iter().filter(|(variant, _)| nothing.contains(variant));
        let mut costs: Vec<Estimate> = costs.filter_map(|(_, fit)| cost((*fit)?)).collect();
        costs.sort_by(|one, other| one.estimate.total_cmp(&other.estimate));
        let (least, most) = (costs.first()?, costs.last()?);
        let [low, high] = [least, most].map(|own| own.told(own.estimate));
        let range = if low == high { low } else { format!("{low} to {high}") };
        told.push(format!(
            "nothing of {predictor} is hidden with {}: each adds {range}, from the first on",
            nothing.join(", ")
        ));
    }
    if !all.is_empty() {
        let of = groups.first()?.of.as_ref().and_then(Of::fit);
        let all: Vec<String> =
            all.into_iter().map(|variant| format!("{variant}{}", but_for(fits, of, variant))).collect();
        told.push(format!("all of {predictor} is hidden with {}: the time stays the same", all.join(", ")));
    }
    (!told.is_empty()).then(|| format!("{}.", capitalised(&told.join("; "))))
}

/// The places that are not among those which a law of figures is fitted to, since a law that gives them does not hold there.
fn but_for(fits: &[GroupFit], of: Option<&OfFit>, variant: &str) -> String {
    let is_left_out = |group: &&GroupFit| {
        let is_of_it = of.is_some_and(|of| group.name == of.fit) && variant_of(group) == variant;
        is_of_it && group.outcome.law().is_none_or(|law| !law.verdict.is_success())
    };
    let left_out: Vec<String> = fits.iter().filter(is_left_out).map(rest_of).collect();
    let whose = if left_out.len() == 1 { "whose law does" } else { "whose laws do" };
    if left_out.is_empty() {
        String::new()
    } else {
        format!(" (but for {}, {whose} not hold)", listed(&left_out, "; "))
    }
}

fn hidden_in(fit: Option<&LawFit>, full: f64) -> Hidden {
    let Some(fit) = fit else { return Hidden::Untold };
    let is_level = matches!(fit.verdict, Verdict::NoCost { .. }) || fit.law.form == Form::Constant;
    match (&fit.verdict, cost(fit)) {
        (verdict, _) if is_level && verdict.is_success() => Hidden::All,
        // A law that holds only from some work on says that the first pieces cost something else.
        (Verdict::Holds { .. }, Some(own)) if own.estimate >= full * (1.0 - SAME) => Hidden::Nothing,
        _ => Hidden::Untold,
    }
}

/// What a further piece of work costs, by a law that is a straight line.
fn cost(fit: &LawFit) -> Option<Estimate> {
    let is_line = fit.law.form == Form::Affine && fit.verdict.is_success();
    fit.estimates.get(fit.law.cost.place).filter(|_| is_line).copied()
}
