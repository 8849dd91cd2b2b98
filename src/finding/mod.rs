//! What a run came to, in plain words: what its report begins with.

use std::collections::HashMap;

use crate::chart::figure::crossovers;
use crate::model::Model;
use crate::model::crossover::of_laws;
use crate::model::fit::{Estimate, LawFit};
use crate::model::group::{GroupFit, Outcome};
use crate::model::verdict::Verdict;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// Something that a run shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about: `operation=compute`, or `crossover`.
    pub heading: String,
    /// The finding in a sentence.
    pub sentence: String,
    /// What it rests on, a line each.
    pub details: Vec<String>,
    /// How it is marked.
    pub mark: Mark,
}

/// What kind of finding it is, at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A law holds.
    Holds,
    /// A law does not hold.
    Fails,
    /// The times cannot tell, or there is nothing to fit.
    Undecided,
    /// A comparison, which cannot fail.
    Compared,
}

/// Findings of a run: laws with their verdicts, ratios, and where remedies overtake the pattern.
pub fn summary(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = fits.iter().map(of_group).collect();
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    let crossings = crossovers(&scenario.charts, scenario.family, pattern, run).into_iter();
    findings.extend(crossings.chain(law_crossings(fits, pattern)).map(|sentence| Finding {
        heading: "crossover".to_owned(),
        sentence,
        details: Vec::new(),
        mark: Mark::Compared,
    }));
    findings
}

fn of_group(group: &GroupFit) -> Finding {
    let heading = group.label();
    let verdict = group.outcome.verdict();
    let compared = |sentence: String, details: Vec<String>| Finding {
        heading: group.label(),
        sentence,
        details,
        mark: Mark::Compared,
    };
    let interval = |interval: Option<(f64, f64)>| {
        let digits = unit::ratio_digits(interval);
        let ends = interval.map(|(low, high)| [low, high].map(|end| unit::significant(end, digits)));
        ends.map(|[low, high]| format!("95 % interval {low} to {high}"))
    };
    match (&group.outcome, &group.model) {
        (Outcome::Law(fit), _) => of_law(heading, fit),
        (Outcome::Slowdown(slowdown), model) => {
            let digits = unit::ratio_digits(slowdown.interval);
            let ratio = |ratio: f64| unit::significant(ratio, digits);
            let range = format!("smallest {}, largest {}", ratio(slowdown.smallest), ratio(slowdown.largest));
            let reference = match model {
                Model::Slowdown { reference } => reference,
                _ => "the reference",
            };
            let mean = ratio(slowdown.ratio);
            compared(
                format!("takes {mean} times as long as {reference} in the geometric mean: {slowdown}"),
                interval(slowdown.interval).into_iter().chain([range]).collect(),
            )
        }
        (Outcome::Speedup(speedup), _) => compared(
            format!("speedup {}: {speedup}", unit::significant(speedup.ratio, unit::ratio_digits(speedup.interval))),
            interval(speedup.interval).into_iter().collect(),
        ),
        (Outcome::NotFitted(_), _) => {
            let heading = format!("{} {heading}", group.name);
            Finding { heading, sentence: verdict, details: Vec::new(), mark: Mark::Undecided }
        }
        (Outcome::Fails(_), _) => {
            let heading = format!("{} {heading}", group.name);
            Finding { heading, sentence: verdict, details: Vec::new(), mark: Mark::Fails }
        }
    }
}

fn of_law(heading: String, fit: &LawFit) -> Finding {
    let interval = |estimate: &Estimate| {
        let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(|value| estimate.told(value));
        format!("{} {value}, 95 % interval {low} to {high}", estimate.parameter)
    };
    let mut details: Vec<String> = fit.estimates.iter().map(interval).collect();
    let error = unit::error_pct(fit.error_pct);
    details.push(format!("R² {}, leave-one-out error {error} %, {} points", unit::r2(fit.r2), fit.n));
    details.extend(fit.notes.iter().cloned());
    details.push(format!("law {}: {} ({})", fit.law.name, fit.law.equation, fit.law.source));
    let mark = match fit.verdict {
        Verdict::Holds { .. } | Verdict::HoldsFrom { .. } | Verdict::NoCost { .. } => Mark::Holds,
        Verdict::Undecided(_) => Mark::Undecided,
        Verdict::Fails(_) => Mark::Fails,
    };
    Finding { heading, sentence: format!("{}: {}", fit.equation(), fit.verdict), details, mark }
}

/// Where the law of a remedy and that of the pattern cross, both holding, in words.
pub fn law_crossings(fits: &[GroupFit], pattern: &str) -> Vec<String> {
    // What tells a group from others, but for the variant.
    let rest = |group: &GroupFit| -> String {
        let own = group.group.iter().filter(|(name, _)| name != "variant");
        own.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let variant = |group: &GroupFit| group.group.first().map(|(_, variant)| variant.clone()).unwrap_or_default();
    let laws = || fits.iter().filter_map(|group| Some((group, group.outcome.law()?)));
    let patterns: HashMap<(&str, String), &LawFit> = laws()
        .filter(|(group, _)| variant(group) == pattern)
        .map(|(group, fit)| ((group.name.as_str(), rest(group)), fit))
        .collect();
    let mut told = Vec::new();
    for (group, fit) in laws().filter(|(group, _)| variant(group) != pattern) {
        let rest = rest(group);
        let of = if rest.is_empty() { String::new() } else { format!(" ({rest})") };
        let Some(other) = patterns.get(&(group.name.as_str(), rest)) else { continue };
        let Some(crossing) = of_laws(other, fit) else { continue };
        let (own, figure) = (variant(group), |value| unit::significant(value, 3));
        let (first, second) =
            if crossing.second_is_faster_beyond { (own.as_str(), pattern) } else { (pattern, own.as_str()) };
        let (low, high) = crossing.interval;
        told.push(format!(
            "by their laws, {first} overtakes {second} at {} = {}, 95 % interval {} to {}{of}",
            fit.predictor,
            figure(crossing.x),
            figure(low),
            figure(high)
        ));
    }
    told
}
