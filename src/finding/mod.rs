//! What a run came to, in plain words: what its report begins with.

use crate::chart::figure::crossovers;
use crate::model::Model;
use crate::model::group::{GroupFit, Outcome};
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
    /// A law does not hold, or there is nothing to fit.
    Fails,
    /// A comparison, which cannot fail.
    Compared,
}

/// Findings of a run: laws with their verdicts, slowdowns, and where remedies overtake the pattern.
pub fn summary(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = fits.iter().map(of_group).collect();
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    for sentence in crossovers(&scenario.charts, scenario.family, pattern, run) {
        let heading = "crossover".to_owned();
        findings.push(Finding { heading, sentence, details: Vec::new(), mark: Mark::Compared });
    }
    findings
}

fn of_group(group: &GroupFit) -> Finding {
    let heading = group.label();
    let verdict = group.outcome.verdict();
    match &group.outcome {
        Outcome::Line(fit) => {
            let mut details: Vec<String> = fit
                .estimates
                .iter()
                .map(|estimate| {
                    let [value, low, high] =
                        [estimate.estimate, estimate.low, estimate.high].map(|value| estimate.told(value));
                    format!("{} {value}, 95 % interval {low} to {high}", estimate.parameter)
                })
                .collect();
            let error = unit::significant(fit.error_pct, 2);
            details.push(format!("R² {}, leave-one-out error {error} %, {} points", unit::r2(fit.r2), fit.n));
            details.push(format!("law {}: {} ({})", fit.law.name, fit.law.equation, fit.law.source));
            let mark = if fit.verdict.is_success() { Mark::Holds } else { Mark::Fails };
            Finding { heading, sentence: format!("{}: {verdict}", fit.equation()), details, mark }
        }
        Outcome::Slowdown(slowdown) => {
            let Model::Slowdown { reference } = &group.model else { return unfitted(heading, verdict) };
            let ratio = |ratio: f64| unit::significant(ratio, 3);
            let (low, high) = (ratio(slowdown.smallest), ratio(slowdown.largest));
            let mut details = vec![format!("smallest {low}, largest {high}, {} pairs of points", slowdown.n)];
            if let Some((low, high)) = slowdown.interval {
                let [low, high] = [low, high].map(|end| unit::significant(end, 4));
                details.insert(0, format!("95 % interval of the geometric mean {low} to {high}"));
            }
            let mean = ratio(slowdown.ratio);
            let sentence = format!("takes {mean} times as long as {reference} in the geometric mean: {slowdown}");
            Finding { heading, sentence, details, mark: Mark::Compared }
        }
        Outcome::Speedup(_) => Finding { heading, sentence: verdict, details: Vec::new(), mark: Mark::Compared },
        Outcome::NotFitted(_) | Outcome::Fails(_) => unfitted(format!("{} {heading}", group.name), verdict),
    }
}

fn unfitted(heading: String, verdict: String) -> Finding {
    Finding { heading, sentence: verdict, details: Vec::new(), mark: Mark::Fails }
}
