//! What a run cannot tell: laws that do not hold, or that stay open.

use located_toml::words::count;

use super::{listed, variant_of};
use crate::family::Family;
use crate::finding::place::place_of;
use crate::model::Model;
use crate::model::group::{GroupFit, Outcome};
use crate::model::verdict::Verdict;
use crate::properties::Origin;
use crate::run::reader::Run;
use crate::unit;

/// Whether a group has a law, and not ratios.
fn is_law(group: &GroupFit) -> bool {
    !matches!(group.model, Model::Slowdown { .. } | Model::Speedup { .. })
}

/// Whether the law of a group fails.
fn fails(group: &GroupFit) -> bool {
    match &group.outcome {
        Outcome::Law(fit) => matches!(fit.verdict, Verdict::Fails(_)),
        outcome => matches!(outcome, Outcome::Fails(_)),
    }
}

/// Whether most laws fail.
pub(super) fn most_fail(fits: &[GroupFit]) -> bool {
    let failing = fits.iter().filter(|group| fails(group)).count();
    2 * failing > fits.iter().filter(|group| is_law(group)).count()
}

/// A sentence for laws that fail, and one for laws that stay open.
pub(super) fn untold(run: &Run, family: &Family, fits: &[GroupFit]) -> Vec<String> {
    let origin = run.metadata.device.origin;
    let laws = fits.iter().filter(|group| is_law(group)).count();
    let is_open =
        |group: &&GroupFit| group.outcome.law().is_some_and(|fit| matches!(fit.verdict, Verdict::Undecided(_)));
    let named = |is: &dyn Fn(&&GroupFit) -> bool| {
        let mut names: Vec<String> = Vec::new();
        let own: Vec<&GroupFit> = fits.iter().filter(|group| is(group)).collect();
        for group in &own {
            let name = variant_of(group);
            if !names.iter().any(|own| own == name) {
                names.push(name.to_owned());
            }
        }
        (own.len(), names)
    };
    let mut sentences = Vec::new();
    let why = |group: &GroupFit| match &group.outcome {
        Outcome::Law(fit) => match &fit.verdict {
            Verdict::Fails(reason) if reason.starts_with("leave-one-out error") => {
                let (error_pct, x) = fit.furthest;
                let place = place_of(&run.points, family, group, fit, x);
                let flagged = if reason.contains("a time that the run flags") { ", which the run flags" } else { "" };
                let error = unit::significant(error_pct, 2);
                let what = if fit.law.is_of_energy() { "energy" } else { "time" };
                Some(format!("predicted from its other points, the {what} at {place} is {error} % off{flagged}"))
            }
            Verdict::Fails(reason) => Some(reason.clone()),
            _ => None,
        },
        Outcome::Fails(reason) => Some(reason.clone()),
        _ => None,
    };
    let (failing, of_failing) = named(&|group| fails(group));
    if failing > 0 {
        let verb = if failing == 1 { "does" } else { "do" };
        let which = if failing == laws {
            "No law holds".to_owned()
        } else {
            format!("{failing} of {laws} laws {verb} not hold")
        };
        let first = fits.iter().find(|group| fails(group)).and_then(|group| Some((variant_of(group), why(group)?)));
        let reason =
            first.map(
                |(variant, reason)| {
                    if failing == 1 { format!(": {reason}") } else { format!("; {variant}, for one: {reason}") }
                },
            );
        sentences.push(format!("{which} ({}){}.", listed(&of_failing, ", "), reason.unwrap_or_default()));
    }
    let unfitted = |group: &&GroupFit| match &group.outcome {
        Outcome::NotFitted(reason) if is_law(group) => Some(reason.clone()),
        _ => None,
    };
    // Of some groups it is as it should be: a remedy without conflicts has no law of conflicts.
    let (none, of_none) = named(&|group| unfitted(group).is_some());
    if let Some(reason) = fits.iter().find_map(|group| unfitted(&group)).filter(|_| none == laws) {
        sentences.push(format!("No law is fitted ({}): {reason}.", listed(&of_none, ", ")));
    }
    let (open, of_open) = named(&is_open);
    if open > 0 {
        let which = count(open, "law");
        let (stay, times) = if open == 1 { ("stays", "its") } else { ("stay", "their") };
        sentences.push(format!(
            "{which} {stay} undecided ({}): {times} points are too few{}.",
            listed(&of_open, ", "),
            if origin == Origin::Simulated { "" } else { " or too noisy" }
        ));
    }
    sentences
}
