//! The findings of a run, in plain words: its report begins with them.

use crate::model::Model;
use crate::model::fit::{Estimate, LawFit};
use crate::model::group::{GroupFit, Outcome};
use crate::model::law::Form;
use crate::model::verdict::Verdict;
use crate::run::metadata::RunStatus;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

mod cause;
mod conclusion;
mod crossing;
mod document;
mod in_part;
mod known_error;
mod measured_run;
mod one_process;
mod own_kernel;
mod place;
mod simulated_doubts;
pub mod versus;

pub use cause::{Cause, causes, reasons, sentences, without_numbers};
pub use conclusion::{Conclusion, conclusion, is_of_variants, left_out};
pub use crossing::{InSum, Meeting, law_meetings, left_out_meetings, line_meetings};
pub use document::{KEYS, RunDocument};
pub use in_part::{in_part, ok};
pub use known_error::within_known_error;
pub use measured_run::{MeasuredRun, measured_run};
pub use one_process::of_one_process;
pub use own_kernel::of_own_kernel;
pub use place::{by_parameters, held_from, parameter_at, told_verdict};
pub use simulated_doubts::of_simulated_points;

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
    /// What a law describes costs nothing that can be measured, or that matters.
    NoCost,
    /// A law does not hold.
    Fails,
    /// The times cannot tell.
    Undecided,
    /// There is nothing to fit, or nothing to compare.
    NotFitted,
    /// A comparison, which cannot fail.
    Compared,
}

/// The findings of a run.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The overview: a sentence for each kind of finding.
    pub overview: Vec<String>,
    /// How far its times can be believed.
    pub doubts: Vec<String>,
    /// One by one: laws with their verdicts, where remedies overtake the pattern, then ratios.
    pub each: Vec<Finding>,
}

/// Findings of a run.
pub fn summary(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Findings {
    let pattern = scenario.variants.first().map_or("", |variant| variant.name);
    let has_several = fits.iter().any(|group| group.name != fits[0].name);
    let is_ratio = |group: &&GroupFit| matches!(group.model, Model::Slowdown { .. } | Model::Speedup { .. });
    let (ratios, laws): (Vec<_>, Vec<_>) = fits.iter().partition(is_ratio);
    // Of a pair of lines it may also be said that one of them is always the faster.
    let mut meetings = line_meetings(run, scenario);
    meetings.extend(law_meetings(fits, pattern));
    let finding = |group: &&GroupFit| {
        let told = |fit: &LawFit| told_verdict(&run.points, scenario.family, group, fit);
        let mut finding = of_group(group, told);
        if let Some(fit) = group.outcome.law() {
            let by_parameters = |told: &String| by_parameters(told, &run.points, scenario.family, group, fit);
            finding.details = finding.details.iter().map(by_parameters).collect();
        }
        if has_several {
            Finding { heading: format!("{}: {}", group.name, finding.heading), ..finding }
        } else {
            finding
        }
    };
    let mut each: Vec<Finding> = laws.iter().map(finding).collect();
    let Conclusion { shown: mut overview, untold, .. } = conclusion(run, scenario, fits);
    overview.extend(untold);
    let mut doubts = of_own_kernel(run, scenario);
    doubts.extend(of_simulated_points(run, scenario));
    doubts.extend(within_known_error(run, scenario, fits).into_iter().chain(of_one_process(&run.points)));
    each.extend(meetings.iter().map(|meeting| Finding {
        heading: if meeting.crossings() > 0 { "crossover" } else { "no crossover" }.to_owned(),
        sentence: meeting.told(run.metadata.status == RunStatus::Complete),
        details: Vec::new(),
        mark: Mark::Compared,
    }));
    each.extend(ratios.iter().map(finding));
    Findings { overview, doubts, each }
}

/// A group as one speaks of it: its variant, and what else tells it from others.
fn variant_of(group: &GroupFit) -> String {
    let [(_, variant), rest @ ..] = &group.group[..] else { return String::new() };
    if rest.is_empty() { variant.clone() } else { format!("{variant} ({})", with_values(rest)) }
}

/// The values of parameters in words: `with passes=4 and block=128`.
fn with_values(key: &[(String, String)]) -> String {
    let values: Vec<String> = key.iter().map(|(name, value)| format!("{name}={value}")).collect();
    match &values[..] {
        [before @ .., last] if !before.is_empty() => format!("with {} and {last}", before.join(", ")),
        values => format!("with {}", values.concat()),
    }
}

fn of_group(group: &GroupFit, told_verdict: impl Fn(&LawFit) -> String) -> Finding {
    let heading = group.label();
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
        (Outcome::Law(fit), _) => of_law(heading, fit, &told_verdict(fit)),
        (Outcome::Slowdown(slowdown), model) => {
            let digits = unit::ratio_digits(slowdown.interval);
            let ratio = |ratio: f64| unit::significant(ratio, digits);
            let reference = match model {
                Model::Slowdown { reference } => reference,
                _ => "the reference",
            };
            // The mean of many ratios is known better than any of them is near it: how far they spread comes first.
            let [smallest, largest, mean] = [slowdown.smallest, slowdown.largest, slowdown.ratio].map(ratio);
            let ratios = if smallest == largest {
                format!("{mean} times as long as {reference}")
            } else {
                format!("{smallest} to {largest} times as long as {reference}, {mean} in the geometric mean")
            };
            let of_mean =
                interval(slowdown.interval).map(|interval| format!("{interval} of the mean over these points"));
            compared(format!("takes {ratios}: {slowdown}"), of_mean.into_iter().collect())
        }
        (Outcome::Speedup(speedup), _) => compared(
            format!("speedup {}: {speedup}", unit::significant(speedup.ratio, unit::ratio_digits(speedup.interval))),
            interval(speedup.interval).into_iter().collect(),
        ),
        (Outcome::NotFitted(reason), _) => {
            Finding { heading, sentence: reason.clone(), details: Vec::new(), mark: Mark::NotFitted }
        }
        (Outcome::Fails(_), _) => {
            Finding { heading, sentence: group.outcome.verdict(), details: Vec::new(), mark: Mark::Fails }
        }
    }
}

fn of_law(heading: String, fit: &LawFit, verdict: &str) -> Finding {
    let interval = |estimate: &Estimate| {
        let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(|value| estimate.told(value));
        let doubt = estimate.below_zero().map(|doubt| format!("; {doubt}")).unwrap_or_default();
        format!("{} {value}, 95 % interval {low} to {high}{doubt}", estimate.parameter)
    };
    let mut details: Vec<String> = fit.estimates.iter().map(interval).collect();
    let error = unit::error_pct(fit.error_pct);
    // A constant explains no variation, whether it holds or not.
    let r2 = if fit.law.form == Form::Constant { String::new() } else { format!("R² {}, ", unit::r2(fit.r2)) };
    details.push(format!("{r2}leave-one-out error {error} %, {} points", fit.n));
    details.extend(fit.notes.iter().cloned());
    details.push(format!("law {}: {} ({})", fit.law.name, fit.law.equation_of(fit.predictor), fit.law.source));
    let mark = match fit.verdict {
        Verdict::Holds { .. } | Verdict::HoldsFrom { .. } => Mark::Holds,
        Verdict::NoCost { .. } => Mark::NoCost,
        Verdict::Undecided(_) => Mark::Undecided,
        Verdict::Fails(_) => Mark::Fails,
    };
    Finding { heading, sentence: format!("{}: {verdict}", fit.equation()), details, mark }
}

#[cfg(test)]
mod tests;
