//! The conclusion of a run in a few sentences: what the pattern costs, which remedy pays and by how much, and what cannot be told.

use crate::model::group::GroupFit;
use crate::run::reader::Run;
use crate::scenario::Scenario;

mod costs;
mod extremes;
mod remedies;
mod untold;

/// What is told of a kind, at most.
const MOST_NAMED: usize = 4;

/// The conclusion of a run, the most important sentence first. Of a ladder, whose rungs are what there is to find, it is what else there is to say.
pub fn conclusion(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Vec<String> {
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    let mut sentences = costs::costs(fits, pattern);
    if !scenario.family.is_ladder() {
        sentences.extend(costs::ratios(fits, pattern));
        sentences.extend(remedies::remedies(run, scenario, fits, pattern));
        if sentences.is_empty() {
            sentences.extend(extremes::extremes(run, scenario));
        }
    }
    sentences.extend(untold::untold(run, fits));
    sentences
}

/// What tells a group from the others, but for its variant: `operation=compute`; empty where nothing does.
fn rest_of(group: &GroupFit) -> String {
    let rest = group.group.iter().filter(|(name, _)| name != "variant");
    rest.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// The variant that a group is of.
fn variant_of(group: &GroupFit) -> &str {
    group.group.iter().find(|(name, _)| name == "variant").map_or("", |(_, variant)| variant)
}

/// Words with something between them: `a, b, c and 3 more`.
fn listed(words: &[String], between: &str) -> String {
    let named = words.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(between);
    match words.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests;
