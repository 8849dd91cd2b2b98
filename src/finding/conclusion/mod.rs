//! The conclusion of a run in a few sentences: what the pattern costs, which remedy pays and by how much, and what cannot be told.

use fastest::Fastest;

use crate::model::Of;
use crate::model::group::GroupFit;
use crate::run::reader::Run;
use crate::scenario::Scenario;

mod beside;
mod by_choice;
mod choices;
mod costs;
mod energy;
mod extremes;
mod fastest;
mod hidden;
mod levels;
mod remedies;
mod together;
mod untold;

pub(super) use together::one_of;

/// What is told of a kind, at most.
const MOST_NAMED: usize = 5;

/// What is said of words between the first and the last of a list that are not named.
const LEFT_OUT: &str = "more in between";

/// The conclusion of a run.
#[derive(Debug, Clone, Default)]
pub struct Conclusion {
    /// What it shows, the most important sentence first.
    pub shown: Vec<String>,
    /// What it cannot tell.
    pub untold: Vec<String>,
    /// Whether most laws do not hold: the first of what cannot be told says so, and belongs to what is shown.
    pub is_mostly_untold: bool,
}

/// The conclusion of a run. Of a ladder, whose rungs are what there is to find, it is what else there is to say.
pub fn conclusion(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Conclusion {
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    let untold = untold::untold(run, scenario.family, fits);
    let is_mostly_untold = untold::most_fail(fits);
    let mut fits = together::together(fits);
    // Who asks for energies asks for them first: times take no asking.
    fits.sort_by_key(|group| !matches!(group.of, Some(Of::Energy)));
    let fits = &fits[..];
    let mut shown = Vec::new();
    // Variants that are compared by their cost are no remedies.
    let has_remedies = !scenario.family.is_ladder() && !fits.iter().any(|group| costs::compares_costs(group, pattern));
    let remedies = || remedies::remedies(run, scenario, fits, pattern);
    // Where a scenario asks how others compare with the pattern, that is its question.
    let begins_with_remedies = has_remedies && costs::compares_times(fits, pattern);
    if begins_with_remedies {
        shown.extend(remedies());
    }
    let fastest = if has_remedies { fastest::fastest(run, scenario, fits, pattern) } else { None };
    let begins_with_ratios = matches!(fastest, Some(Fastest::Reference));
    match fastest {
        Some(Fastest::Told(sentence)) => shown.push(sentence),
        Some(Fastest::Reference) => shown.extend(costs::ratios(scenario.family, fits, pattern)),
        None => {}
    }
    if !scenario.family.is_ladder() {
        // Ratios between values of a parameter are as much a question of the scenario.
        shown.extend(choices::choices(run, scenario));
        shown.extend(extremes::speedups(fits));
        shown.extend(hidden::hidden(fits));
    }
    shown.extend(levels::of_failed_plateaus(fits, pattern));
    if !scenario.family.is_ladder() {
        shown.extend(costs::largest_ratios_of_costs(scenario.family, fits, pattern));
    }
    shown.extend(costs::costs(run, scenario, fits, pattern));
    if !scenario.family.is_ladder() {
        if !begins_with_ratios {
            shown.extend(costs::ratios(scenario.family, fits, pattern));
        }
        shown.extend(costs::ratios_of_costs(scenario.family, fits, pattern));
        if has_remedies && !begins_with_remedies {
            shown.extend(remedies());
        }
        shown.extend(costs::costs_of_others(run, scenario, fits, pattern));
    }
    // A choice that matters more than any other variant is the answer.
    let of_choice = costs::largest_choice(run, scenario, fits, pattern).filter(|_| begins_with_remedies);
    if let Some((_, sentence)) = of_choice.filter(|(spread, _)| *spread > remedies::largest_gain(fits, pattern)) {
        shown.retain(|own| *own != sentence);
        shown.insert(0, sentence);
    }
    // A ladder of one rung has no steps, and what costs of a part of the points say is not all that there is to say of one variant.
    let is_open = shown.is_empty() || scenario.variants.len() == 1 && !untold.is_empty();
    if is_open && (!scenario.family.is_ladder() || scenario.variants.len() < 2) {
        shown.splice(0..0, extremes::extremes(run, scenario));
    }
    shown.splice(0..0, energy::of_energies(run, scenario, fits));
    Conclusion { shown, untold, is_mostly_untold }
}

/// Whether a sentence of a conclusion is about a variant in each of its parts, which `; ` separates.
pub fn is_of_variants(sentence: &str) -> bool {
    remedies::BEGINNINGS.iter().any(|beginning| sentence.starts_with(beginning))
}

/// How many variants a part of a sentence stands for that are not named; `None` of a part about a variant.
pub fn left_out(part: &str) -> Option<usize> {
    part.strip_suffix(LEFT_OUT)?.trim_end().parse().ok()
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

/// Words in no order with something between them: `a, b, c and 3 more`.
fn listed(words: &[String], between: &str) -> String {
    match cut(words) {
        None => words.join(between),
        Some(named) => format!("{} and {} more", named.join(between), words.len() - named.len()),
    }
}

/// Words of what is ranked, such as variants from the fastest on; the first and the last are always named: `a, b, c, 3 more in between, z`.
fn listed_in_order(words: &[String], between: &str) -> String {
    match (cut(words), words.last()) {
        (Some([named @ .., _]), Some(last)) => {
            let left = words.len() - named.len() - 1;
            format!("{}{between}{left} {LEFT_OUT}{between}{last}", named.join(between))
        }
        _ => words.join(between),
    }
}

/// Those of many words that are named; `None` where all are: in place of one that is left out its name fits.
fn cut(words: &[String]) -> Option<&[String]> {
    words.get(..MOST_NAMED).filter(|named| words.len() > named.len() + 1)
}

#[cfg(test)]
mod tests;
