//! What the pattern costs: by the laws that hold, and in ratios to a reference.

use std::collections::BTreeSet;

use super::beside;
use super::by_choice::{by_choice, spread};
use super::levels::near_and_far;
use super::{MOST_NAMED, listed, listed_in_order, rest_of, variant_of};
use crate::family::Family;
use crate::finding::place::{held_from, points_of};
use crate::model::fit::{Estimate, LawFit};
use crate::model::group::{GroupFit, Outcome};
use crate::model::law::energy::ENERGY_UNIT;
use crate::model::law::{CostParts, Form};
use crate::model::verdict::Verdict;
use crate::model::{Model, Of};
use crate::parameter::Kind;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// Groups of which each has its figure; of more the smallest and the largest are told.
const MOST_FIGURES: usize = 3;

/// A rate of the bytes that must move below this part of that of all bytes is told beside it.
const MOSTLY_USEFUL: f64 = 0.5;

/// A sentence for each law that holds for the pattern.
pub(super) fn costs(run: &Run, scenario: &Scenario, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    fits.chunk_by(|one, other| one.name == other.name).flat_map(|own| of_pattern(run, scenario, own, pattern)).collect()
}

/// The sentences for a law of the pattern, with what remedies cost by it beside.
fn of_pattern(run: &Run, scenario: &Scenario, groups: &[GroupFit], pattern: &str) -> Vec<String> {
    let (holding, all) = holding(groups, pattern);
    let mut sentences = of_groups(run, scenario, &holding, pattern, all);
    if let ([only], Some(told)) = (&mut sentences[..], beside::others(groups, pattern)) {
        *only = format!("{}; {told}.", only.trim_end_matches('.'));
    }
    sentences
}

/// The sentence about the choice that makes the largest difference to a cost of the pattern, with how many times as much that is; `None` where no choice
/// makes much of one.
pub(super) fn largest_choice(
    run: &Run,
    scenario: &Scenario,
    fits: &[GroupFit],
    pattern: &str,
) -> Option<(f64, String)> {
    let of_fit = |groups: &[GroupFit]| {
        let (holding, _) = holding(groups, pattern);
        let cost = |(group, fit): &(&'_ GroupFit, &LawFit)| {
            let own = fit.estimates.get(fit.law.cost.place)?.estimate;
            Some((group.group.clone(), [own, own]))
        };
        let costs: Vec<_> = holding.iter().map(cost).collect::<Option<_>>()?;
        let costs: Vec<_> = costs.iter().map(|(key, own)| (key, *own)).collect();
        let each = by_choice(scenario.family, &costs).filter(|_| costs.len() > MOST_FIGURES)?;
        let sentence = of_pattern(run, scenario, groups, pattern).into_iter().next()?;
        Some((spread(&each), sentence))
    };
    let known = fits.chunk_by(|one, other| one.name == other.name).filter_map(of_fit);
    known.max_by(|(one, _), (other, _)| one.total_cmp(other))
}

/// The same of the other variants, where a law holds for some of them and not for the pattern.
pub(super) fn costs_of_others(run: &Run, scenario: &Scenario, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let of_fit = |groups: &[GroupFit]| {
        if !holding(groups, pattern).0.is_empty() {
            return Vec::new();
        }
        let mut variants: Vec<&str> = Vec::new();
        for variant in groups.iter().map(variant_of).filter(|own| *own != pattern) {
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
        let of_variant = |variant: &&str| {
            let (holding, all) = holding(groups, variant);
            of_groups(run, scenario, &holding, variant, all)
        };
        variants.iter().flat_map(of_variant).collect::<Vec<_>>()
    };
    fits.chunk_by(|one, other| one.name == other.name).flat_map(of_fit).collect()
}

/// The groups of a variant for which a law holds, and how many it has.
pub(super) fn holding<'a>(groups: &'a [GroupFit], variant: &str) -> (Vec<(&'a GroupFit, &'a LawFit)>, usize) {
    let own = groups.iter().filter(|group| variant_of(group) == variant);
    let laws = own.clone().filter_map(|group| Some((group, group.outcome.law()?)));
    (laws.filter(|(_, fit)| fit.verdict.is_success()).collect(), own.count())
}

/// What one law says of those groups of a variant for which it holds; the variant has `all` of them.
fn of_groups(
    run: &Run,
    scenario: &Scenario,
    groups: &[(&GroupFit, &LawFit)],
    variant: &str,
    all: usize,
) -> Vec<String> {
    let (none, some): (Vec<_>, Vec<_>) =
        groups.iter().copied().partition(|(_, fit)| matches!(fit.verdict, Verdict::NoCost { .. }));
    let mut sentences = Vec::new();
    if let Some((_, first)) = some.first() {
        // Groups of `auto` may follow laws of different forms.
        let alike: Vec<_> = some.iter().copied().filter(|(_, fit)| fit.law == first.law).collect();
        let step = Step::of(&alike);
        sentences.extend(figures(scenario.family, &alike, step, all).map(|figures| {
            let levels = if let [(group, fit)] = &alike[..] { levels(group, fit) } else { None };
            let (words, better) =
                (levels.unwrap_or_else(|| worded(scenario.family, &alike, &figures, step)), better(&alike));
            let useful = useful(run, &alike).unwrap_or_default();
            let told = furthest(run, scenario.family, &alike);
            format!("{variant}: {words}{useful}{better} ({told}{}).", fitted_to(run, scenario, &alike))
        }));
    }
    if let Some((_, first)) = none.first() {
        let which: Vec<String> = none.iter().map(|(group, _)| rest_of(group)).filter(|rest| !rest.is_empty()).collect();
        let which = if which.is_empty() { String::new() } else { format!(" ({})", listed(&which, ", ")) };
        let (from, to) = (first.from, first.to);
        let predictor = first.predictor;
        sentences.push(format!(
            "{variant}: its {} does not depend on {predictor}, which goes from {from} to {to}{which}.",
            if first.law.is_of_energy() { "energy" } else { "time" }
        ));
    }
    sentences
}

/// How much of the predictor a cost is told of: that of one may be far less than anyone measures.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) of: f64,
    word: Option<&'static str>,
}

/// The steps beside one.
const STEPS: [(f64, &str); 3] = [(1e3, "thousand"), (1e6, "million"), (1e9, "billion")];
/// The least cost that is told of one, in microseconds ...
const LEAST_OF_ONE_US: f64 = 1e-3;
/// ... or in millijoules.
const LEAST_OF_ONE_MJ: f64 = 1e-6;

impl Step {
    const ONE: Self = Self { of: 1.0, word: None };

    /// The smallest one of which all groups have a cost that can be told, none being larger than the predictor.
    pub(super) fn of(groups: &[(&GroupFit, &LawFit)]) -> Self {
        if !groups.iter().all(|(_, fit)| fit.law.cost.has_step()) {
            return Self::ONE;
        }
        let cost = |(_, fit): &(&GroupFit, &LawFit)| {
            fit.estimates.get(fit.law.cost.place).map(|own| (own.unit, own.estimate.abs()))
        };
        let costs: Option<Vec<(&str, f64)>> = groups.iter().map(cost).collect();
        let costs = costs.unwrap_or_default();
        let least_of_one = match costs.first() {
            Some((ENERGY_UNIT, _)) => LEAST_OF_ONE_MJ,
            Some(("us", _)) => LEAST_OF_ONE_US,
            _ => return Self::ONE,
        };
        if costs.iter().any(|(unit, cost)| *unit != costs[0].0 || *cost <= 0.0) {
            return Self::ONE;
        }
        let least = costs.into_iter().map(|(_, cost)| cost).fold(f64::INFINITY, f64::min);
        let most = groups.iter().map(|(_, fit)| fit.to).fold(f64::INFINITY, f64::min);
        if least >= least_of_one {
            return Self::ONE;
        }
        let steps = || STEPS.into_iter().filter(|(of, _)| *of <= most);
        let step = steps().find(|(of, _)| of * least >= least_of_one).or_else(|| steps().next_back());
        step.map_or(Self::ONE, |(of, word)| Self { of, word: Some(word) })
    }
}

/// The figure of each of a variant's groups, of which there are `all`, or the smallest and the largest.
fn figures(family: &Family, groups: &[(&GroupFit, &LawFit)], step: Step, all: usize) -> Option<String> {
    let cost = |(group, fit): &(&GroupFit, &LawFit)| Some((rest_of(group), *fit.estimates.get(fit.law.cost.place)?));
    let mut known: Vec<(String, Estimate)> = groups.iter().filter_map(cost).collect();
    let is_of_energy = groups.iter().all(|(_, fit)| fit.law.is_of_energy());
    let told = |(rest, estimate): &(String, Estimate)| {
        let value = estimate.told(estimate.estimate * step.of);
        let value = if rest.is_empty() || all == 1 { value } else { format!("{value} with {rest}") };
        estimate.below_zero().map_or(value.clone(), |doubt| format!("{value} ({doubt})"))
    };
    if known.len() <= MOST_FIGURES {
        let mut each: Vec<String> = known.iter().map(told).collect();
        // Of energies, which take much more care to measure than times, how they compare is what is asked for.
        if let ([(_, first), (_, second)], true) = (&known[..], is_of_energy) {
            each[1] += &format!(", {} times as much", unit::significant(second.estimate / first.estimate, 3));
        }
        return (!each.is_empty()).then(|| each.join(", "));
    }
    known.sort_by(|one, other| one.1.estimate.total_cmp(&other.1.estimate));
    if let Some(told) = near_and_far(&known) {
        return Some(told);
    }
    let unit = known.first()?.1;
    let value = |own: f64| unit.told(own * step.of);
    let mut costs = Vec::new();
    for (group, fit) in groups {
        let own = fit.estimates.get(fit.law.cost.place)?.estimate;
        costs.push((&group.group, [own, own]));
    }
    let by_choice = by_choice(family, &costs);
    let told_of = |(name, [low, high]): (String, [f64; 2])| {
        let [low, high] = [low, high].map(value);
        if low == high { format!("{low} with {name}") } else { format!("{low} to {high} with {name}") }
    };
    by_choice
        .map(|own| own.into_iter().map(told_of).collect::<Vec<_>>().join(", "))
        .or_else(|| Some(format!("{} to {}", told(known.first()?), told(known.last()?))))
}

/// How well the law holds: the verdict of the group in which it is furthest off, and where it holds in part of the range only in others.
fn furthest(run: &Run, family: &Family, groups: &[(&GroupFit, &LawFit)]) -> String {
    let off_pct = |fit: &LawFit| match fit.verdict {
        Verdict::Holds { within_pct } | Verdict::HoldsFrom { within_pct, .. } => within_pct,
        _ => 0.0,
    };
    let place = |(group, fit): &(&GroupFit, &LawFit)| match fit.verdict {
        Verdict::HoldsFrom { from, .. } => {
            Some(held_from(&run.points, family, group, fit).unwrap_or_else(|| format!("{} = {from} on", fit.predictor)))
        }
        _ => None,
    };
    let worst = groups.iter().max_by(|one, other| off_pct(one.1).total_cmp(&off_pct(other.1)));
    let Some(worst) = worst else { return String::new() };
    let of_worst = place(worst);
    let told = format!("the law {}", worst.1.verdict.told_from(of_worst.as_deref()));
    // Of the same place it is said once.
    let others = groups.iter().filter(|own| place(own) != of_worst).map(|own| match place(own) {
        Some(place) => format!("from {place} with {}", rest_of(own.0)),
        None => format!("everywhere with {}", rest_of(own.0)),
    });
    let others: Vec<String> = others.collect();
    if others.is_empty() { told } else { format!("{told}, {}", listed(&others, ", ")) }
}

/// To which points the law was fitted alone, where the scenario asks for a part of those that the run has.
fn fitted_to(run: &Run, scenario: &Scenario, groups: &[(&GroupFit, &LawFit)]) -> String {
    let request = groups.first().and_then(|(group, _)| scenario.fits.iter().find(|own| own.name == group.name));
    let conditions = request.map(|own| own.only.conditions.as_slice()).unwrap_or_default();
    let is_part = |name: &str, allowed: &[String]| {
        run.points
            .iter()
            .filter_map(|point| point.value(name))
            .any(|own| !allowed.iter().any(|allowed| *allowed == own))
    };
    let own = conditions.iter().filter(|(name, allowed)| name != "variant" && is_part(name, allowed));
    // A scenario names values of all its sizes, and a run has some of them.
    let is_there =
        |name: &str, value: &str| run.points.iter().any(|point| point.value(name).is_some_and(|own| own == value));
    let told = own.map(|(name, allowed)| {
        let there: Vec<&str> = allowed.iter().map(String::as_str).filter(|own| is_there(name, own)).collect();
        match &there[..] {
            [first, .., last] if there.len() > MOST_FIGURES => format!("{name}={first} to {last}"),
            there => format!("{name}={}", there.join(", ")),
        }
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!(", among points with {}", listed(&told, " and ")) }
}

/// That another form fits better in a group, where one does: the figures are then those of a curve that is not the best.
fn better(groups: &[(&GroupFit, &LawFit)]) -> String {
    let mut outdone = groups.iter().filter_map(|(group, fit)| Some((group, fit.outdone.as_ref()?)));
    let Some((group, better)) = outdone.next() else { return String::new() };
    let rest = rest_of(group);
    let of = if rest.is_empty() || groups.len() == 1 { String::new() } else { format!(" with {rest}") };
    // Its equation is with the laws.
    let better = better.split(": t = ").next().unwrap_or_default();
    format!(", but{of} {better}")
}

/// The rate of the bytes that must move, where that of all bytes has much in it that is wasted: at the largest point of the first group.
fn useful(run: &Run, groups: &[(&GroupFit, &LawFit)]) -> Option<String> {
    let (group, fit) = groups.first().filter(|(_, fit)| fit.law.form == Form::Saturation)?;
    let rate = fit.estimates.get(fit.law.cost.place)?.estimate;
    let (_, largest) = points_of(&run.points, group)
        .filter_map(|point| Some((point.number(fit.predictor)?, point)))
        .max_by(|one, other| one.0.total_cmp(&other.0))?;
    let own = largest.bytes? as f64 / largest.timing.as_ref()?.median.time_us / 1e3;
    (own < MOSTLY_USEFUL * rate)
        .then(|| format!(", most of it wasted: {} GB/s are the bytes that must move", unit::significant(own, 3)))
}

/// A family whose waits are rounds: each has stores, loads or work in it, and a store that releases is no fence.
const OF_ROUNDS: &str = "fences";
/// What a wait is, and what it is in that family.
const ONE_WAIT: [&str; 2] = ["barrier or fence", "round"];

/// The law's words with the figures.
fn worded(family: &Family, groups: &[(&GroupFit, &LawFit)], figures: &str, step: Step) -> String {
    let Some((_, fit)) = groups.first() else { return String::new() };
    let is_beyond = groups.iter().any(|(_, fit)| matches!(fit.verdict, Verdict::HoldsFrom { .. }));
    let parts = CostParts { figure: figures, predictor: fit.predictor, step: step.word, wait: wait_of(family) };
    fit.law.cost.told(is_beyond, parts)
}

/// The plateaus of a law that has them, each with where it ends.
fn levels(group: &GroupFit, fit: &LawFit) -> Option<String> {
    let Form::Plateaus { breaks } = fit.law.form else { return None };
    let (heights, rest) = fit.estimates.split_at_checked(breaks + 1)?;
    let height = |own: &Estimate| unit::of_law(own.estimate, own.unit);
    let end = |own: &Estimate| {
        let end = unit::of_predictor(fit.predictor, own.estimate);
        if fit.predictor.ends_with("_bytes") { end } else { format!("{} = {end}", fit.predictor) }
    };
    let (last, before) = heights.split_last()?;
    let told: Vec<String> =
        before.iter().zip(rest).map(|(own, until)| format!("{} up to {}", height(own), end(until))).collect();
    let what = match group.of.as_ref().and_then(Of::fit) {
        Some(of) => of.parameter,
        None => "the time",
    };
    Some(format!("{what} is {}, and towards {} beyond", listed_in_order(&told, ", "), height(last)))
}

/// Ratios to the pattern that a sentence of the largest ones has of each value of a choice.
const LARGEST: usize = 2;
/// From how many lists of ratios on the largest ones are told before them.
const MANY_LISTS: usize = 3;

/// The largest of the ratios that [`ratios_of_costs`] has lists of, where there are many lists: a sentence for each parameter of a law, in which each
/// value of the first choice that tells the lists apart has its own.
pub(super) fn largest_ratios_of_costs(family: &Family, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let own: Vec<(&GroupFit, &str, f64)> = fits
        .iter()
        .filter(|group| compares_costs(group, pattern))
        .filter_map(|group| match (&group.of, &group.outcome) {
            (Some(Of::Fit(of)), Outcome::Slowdown(slowdown)) => Some((group, of.parameter, slowdown.ratio)),
            _ => None,
        })
        .collect();
    let of_parameter = |own: &[(&GroupFit, &str, f64)]| {
        let lists: BTreeSet<String> = own.iter().map(|(group, ..)| rest_of(group)).collect();
        if lists.len() < MANY_LISTS || own.len() <= LARGEST * lists.len() {
            return None;
        }
        let is_choice = |name: &str| family.parameter(name).is_some_and(|own| matches!(own.kind, Kind::Choice(_)));
        let value = |group: &GroupFit, name: &str| {
            group.group.iter().find(|(own, _)| own == name).map_or_else(String::new, |(_, value)| value.clone())
        };
        let first = &own.first()?.0.group;
        let choice = first.iter().map(|(name, _)| name.as_str()).find(|name| {
            is_choice(name) && own.iter().any(|(group, ..)| value(group, name) != value(own[0].0, name))
        })?;
        let mut values: Vec<String> = Vec::new();
        for (group, ..) in own {
            let value = value(group, choice);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let of_value = |wanted: &String| {
            let mut all: Vec<_> = own.iter().filter(|(group, ..)| value(group, choice) == *wanted).collect();
            all.sort_by(|one, other| other.2.total_cmp(&one.2));
            all.truncate(LARGEST);
            let told = all.chunk_by(|one, other| rest_of(one.0) == rest_of(other.0)).map(|alike| {
                let each: Vec<String> = alike
                    .iter()
                    .map(|(group, _, ratio)| format!("{} {}", variant_of(group), unit::significant(*ratio, 3)))
                    .collect();
                format!("with {} {}", alike.first().map_or_else(String::new, |own| rest_of(own.0)), each.join(", "))
            });
            told.collect::<Vec<_>>().join(", ")
        };
        let (_, parameter, _) = own.first()?;
        let told: Vec<String> = values.iter().map(of_value).collect();
        let what = priced(family, fits, parameter);
        Some(format!("{what} at most, as multiples of {pattern}'s: {}.", told.join("; ")))
    };
    own.chunk_by(|one, other| one.1 == other.1).filter_map(of_parameter).collect()
}

/// The cost of a law beside that of the pattern, where a scenario asks for slowdowns of it: a sentence for each group.
pub(super) fn ratios_of_costs(family: &Family, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let mut told: Vec<(String, &str, Vec<String>)> = Vec::new();
    for group in fits.iter().filter(|group| compares_costs(group, pattern)) {
        let (Some(Of::Fit(of)), Outcome::Slowdown(slowdown)) = (&group.of, &group.outcome) else { continue };
        let rest = rest_of(group);
        let own = format!("{} {}", variant_of(group), unit::significant(slowdown.ratio, 3));
        match told.iter_mut().find(|(before, parameter, _)| *before == rest && *parameter == of.parameter) {
            Some((_, _, variants)) => variants.push(own),
            None => told.push((rest, of.parameter, vec![own])),
        }
    }
    let sentence = |(rest, parameter, variants): (String, &str, Vec<String>)| {
        let with = if rest.is_empty() { rest } else { format!(" with {rest}") };
        let what = priced(family, fits, parameter);
        format!("{what}, as a multiple of {pattern}'s{with}: {}.", variants.join(", "))
    };
    told.into_iter().map(sentence).collect()
}

/// How a sentence begins that is about a parameter of a law, in the law's own words: `Every further addition of each thread costs`; with its name where
/// these are not of one thing alone.
fn priced(family: &Family, fits: &[GroupFit], parameter: &str) -> String {
    let is_its_cost =
        |fit: &&LawFit| fit.estimates.get(fit.law.cost.place).is_some_and(|own| own.parameter == parameter);
    let words = fits.iter().filter_map(|group| group.outcome.law()).find(is_its_cost).and_then(|fit| {
        let parts = CostParts { figure: "", predictor: fit.predictor, step: None, wait: wait_of(family) };
        let told = fit.law.cost.told(true, parts);
        told.strip_prefix("every ")?.strip_suffix(" costs ").map(|what| format!("Every {what} costs"))
    });
    words.unwrap_or_else(|| format!("The parameter {parameter} is"))
}

/// What a wait is in a family.
fn wait_of(family: &Family) -> &'static str {
    ONE_WAIT[usize::from(family.name == OF_ROUNDS)]
}

/// Whether it is the cost of a law beside that of the pattern.
pub(super) fn compares_costs(group: &GroupFit, pattern: &str) -> bool {
    let is_of_pattern = matches!(&group.model, Model::Slowdown { reference } if reference == pattern);
    is_of_pattern && matches!(group.of, Some(Of::Fit(_)))
}

/// Whether the scenario asks for times beside those of the pattern.
pub(super) fn compares_times(fits: &[GroupFit], pattern: &str) -> bool {
    let is_of_times = |group: &GroupFit| !matches!(group.of, Some(Of::Fit(_)));
    fits.iter().any(|group| {
        is_of_times(group) && matches!(&group.model, Model::Slowdown { reference } if reference == pattern)
    })
}

/// How many times as long as the reference the variants take, a sentence for each reference, the pattern first.
pub(super) fn ratios(family: &Family, fits: &[GroupFit], pattern: &str) -> Vec<String> {
    let of_reference = |groups: &[GroupFit]| {
        let Model::Slowdown { reference } = &groups.first()?.model else { return None };
        if reference == pattern {
            return None;
        }
        let own = |group: &GroupFit| match &group.outcome {
            Outcome::Slowdown(slowdown) => {
                Some((crate::finding::variant_of(group), slowdown.clone(), variant_of(group) == pattern))
            }
            _ => None,
        };
        if let Some(told) = ratios_by_choice(family, groups, pattern) {
            return Some(format!("In comparison with {reference}, {told}."));
        }
        let mut known: Vec<_> = groups.iter().filter_map(own).collect();
        known.sort_by(|one, other| other.2.cmp(&one.2).then(other.1.ratio.total_cmp(&one.1.ratio)));
        let ratio = |ratio: f64| unit::significant(ratio, 3);
        let told = known.iter().enumerate().map(|(place, (name, slowdown, _))| {
            let [smallest, largest] = [slowdown.smallest, slowdown.largest].map(ratio);
            let range = if smallest == largest { smallest } else { format!("{smallest} to {largest}") };
            if place == 0 { format!("{name} takes {range} times as long") } else { format!("{name} {range}") }
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| format!("In comparison with {reference}, {}.", listed_in_order(&told, ", ")))
    };
    fits.chunk_by(|one, other| one.name == other.name).filter_map(of_reference).collect()
}

/// The same by the choice that makes the largest difference, where there are more groups than can be named.
fn ratios_by_choice(family: &Family, groups: &[GroupFit], pattern: &str) -> Option<String> {
    let own = groups.iter().filter_map(|group| match &group.outcome {
        Outcome::Slowdown(own) => Some((group, [own.smallest, own.largest])),
        _ => None,
    });
    let mut known: Vec<(&GroupFit, [f64; 2])> = own.collect();
    if known.len() <= MOST_NAMED {
        return None;
    }
    known.sort_by_key(|(group, _)| variant_of(group) != pattern);
    let of_variants = known.chunk_by(|one, other| variant_of(one.0) == variant_of(other.0));
    let of_variants = of_variants.map(|own| variant_by_choice(family, own));
    let told = of_variants.collect::<Option<Vec<_>>>()?.into_iter().enumerate().map(|(place, (variant, figures))| {
        // What all figures are is said of the first.
        let figures = figures.into_iter().enumerate().map(|(of_variant, (figure, name))| {
            let is_first = place == 0 && of_variant == 0;
            if is_first { format!("takes {figure} times as long with {name}") } else { format!("{figure} with {name}") }
        });
        format!("{variant} {}", figures.collect::<Vec<_>>().join(", "))
    });
    Some(told.collect::<Vec<_>>().join("; "))
}

/// A variant, and its smallest and its largest figure with each value of that choice.
fn variant_by_choice<'a>(
    family: &Family,
    own: &[(&'a GroupFit, [f64; 2])],
) -> Option<(&'a str, Vec<(String, String)>)> {
    let groups: Vec<_> = own.iter().map(|(group, range)| (&group.group, *range)).collect();
    let each = by_choice(family, &groups)?.into_iter().map(|(name, range)| {
        let [low, high] = range.map(|own| unit::significant(own, 3));
        (if low == high { low } else { format!("{low} to {high}") }, name)
    });
    Some((variant_of(own.first()?.0), each.collect()))
}
