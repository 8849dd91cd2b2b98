//! The findings of a run in figures: laws, slowdowns, speedups, and from where on remedies pay.

use super::analysis::Analysis;
use super::costs::print_costs;
use super::failure::Failure;
use super::output::{fitting_line, line, print_table, table, width, wrapped};
use super::ratios::{print_slowdowns, print_speedups};
use crate::finding::{
    by_parameters, law_meetings, line_meetings, of_one_process, of_own_kernel, of_simulated_points, told_verdict,
    within_known_error,
};
use crate::model::fit::{Estimate, IntervalMethod, LawFit};
use crate::model::group::{GroupFit, Outcome};
use crate::model::law::Form;
use crate::model::{Model, Of};
use crate::properties::Origin;
use located_toml::words::{capitalised, count};

use crate::model::verdict::Verdict;
use crate::record::Status;
use crate::run::metadata::RunStatus;
use crate::unit;

/// What the intervals of laws of simulated times do not have.
const LAWS_ALONE: &str = "Intervals of laws are those of the fit: the simulation's error comes on top, and is a larger part of a small term, \
                          such as what lies outside the branches.";

/// Groups of one law that are printed each; of more there is a summary.
const MOST_PRINTED: usize = 20;
/// Ratios that are printed each, a line for each.
const MOST_ROWS: usize = 60;
/// Groups that a summary names.
const WORST: usize = 5;
/// A lack of fit is clear below this probability.
const CLEAR_MISFIT_P: f64 = 0.05;
/// Runners-up that are told; fits.csv has all.
const RUNNERS_UP: usize = 3;

/// Prints every fit with its verdict, ratios in a table for each reference, and crossovers.
/// Where a fit has too many groups to print each in full, `is_written` says that fits.csv has them; else each has a line.
pub(super) fn print_findings(analysis: &Analysis, is_written: bool) -> Result<(), Failure> {
    if analysis.scenario.fits.is_empty() {
        line("no law: the scenario has no [[fit]]")?;
    } else if analysis.fits.is_empty() {
        line(without_fits(analysis))?;
    }
    for fits in analysis.fits.chunk_by(|one, other| one.name == other.name) {
        print_fit(analysis, fits, is_written)?;
    }
    let Analysis { run, scenario, fits } = analysis;
    for request in scenario.fits.iter().filter(|_| !fits.is_empty()) {
        if !fits.iter().any(|group| group.name == request.name) {
            line("")?;
            line(format!("{}: nothing to compare, because no point of another variant succeeded", request.name))?;
        }
    }
    if run.metadata.device.origin == Origin::Simulated && fits.iter().any(|group| group.outcome.law().is_some()) {
        line("")?;
        wrapped("", LAWS_ALONE, usize::from(width())).into_iter().try_for_each(line)?;
    }
    let of_one_process = of_one_process(&run.points).filter(|_| !fits.is_empty()).map(|told| capitalised(&told) + ".");
    let of_run = within_known_error(run, scenario, fits).into_iter().chain(of_one_process);
    for sentence in of_own_kernel(run, scenario).into_iter().chain(of_simulated_points(run, scenario)).chain(of_run) {
        line("")?;
        wrapped("", &sentence, usize::from(width())).into_iter().try_for_each(line)?;
    }
    let of_lines = line_meetings(run, scenario);
    if !of_lines.is_empty() {
        line("")?;
        let is_complete = run.metadata.status == RunStatus::Complete;
        of_lines.iter().try_for_each(|meeting| fitting_line("", &meeting.told(is_complete)))?;
    }
    let of_laws = law_meetings(fits, analysis.pattern());
    if !of_laws.is_empty() {
        line("")?;
        of_laws.iter().take(MOST_PRINTED).try_for_each(|meeting| fitting_line("", &meeting.to_string()))?;
    }
    Ok(())
}

/// Why there is nothing, though the scenario asks for something.
fn without_fits(analysis: &Analysis) -> String {
    let good = || analysis.run.points.iter().filter(|point| point.status == Status::Ok);
    let mut references = analysis.scenario.fits.iter().filter_map(|request| match &request.model {
        Model::Slowdown { reference } => Some(reference.as_str()),
        _ => None,
    });
    match references.next_back() {
        _ if good().next().is_none() => "no law: no point succeeded".to_owned(),
        Some(reference) if good().all(|point| point.variant == reference) => {
            format!("nothing to compare: {reference} is the only variant of this run")
        }
        Some(reference) if good().all(|point| point.variant != reference) => {
            format!("nothing to compare: no point of {reference} succeeded")
        }
        _ => "nothing to fit: none of the points to fit succeeded".to_owned(),
    }
}

/// Prints all groups of one fit.
fn print_fit(analysis: &Analysis, fits: &[GroupFit], is_written: bool) -> Result<(), Failure> {
    match &fits[0].model {
        Model::Slowdown { .. } | Model::Speedup { .. } if fits.len() > MOST_ROWS => print_summary(fits, is_written),
        Model::Law { .. } | Model::Auto { .. } if fits.len() > MOST_PRINTED => print_summary(fits, is_written),
        Model::Law { .. } | Model::Auto { .. } => match same_reason(fits) {
            Some(reason) => print_not_fitted(fits, reason),
            None => fits.iter().try_for_each(|group| print_law(analysis, group)),
        },
        Model::Slowdown { reference } => print_slowdowns(reference, fits),
        Model::Speedup { predictor } => print_speedups(predictor, fits),
    }
}

/// Why none of several groups is fitted, where all have the same reason.
fn same_reason(fits: &[GroupFit]) -> Option<&str> {
    let Outcome::NotFitted(first) = &fits.first()?.outcome else { return None };
    let has_it = |group: &GroupFit| matches!(&group.outcome, Outcome::NotFitted(own) if own == first);
    (fits.len() > 1 && fits.iter().all(has_it)).then_some(first)
}

fn print_not_fitted(fits: &[GroupFit], reason: &str) -> Result<(), Failure> {
    line("")?;
    fitting_line("", &format!("{}: none of {} is fitted: {reason}", fits[0].name, count(fits.len(), "group")))?;
    Ok(())
}

fn print_law(analysis: &Analysis, group: &GroupFit) -> Result<(), Failure> {
    line("")?;
    let law = match (&group.outcome, &group.model) {
        (Outcome::Law(fit), _) => Some(fit.law),
        (_, Model::Law { law, .. }) if group.of == Some(Of::Energy) => law.of_energy(),
        (_, Model::Law { law, .. }) => Some(*law),
        _ => None,
    };
    let predictor = group.model.predictor().unwrap_or_default();
    match law {
        Some(law) => {
            let from = if law.predictor.is_some() { law.source } else { law.name };
            fitting_line("", &format!("{} ({from}), {}", law.equation_of(predictor), group.label()))?;
        }
        None => fitting_line("", &format!("{} of {predictor}, {}", group.model.name(), group.label()))?,
    }
    match &group.outcome {
        Outcome::Law(fit) => {
            let (points, family) = (&analysis.run.points, analysis.scenario.family);
            let notes =
                fit.notes.iter().map(|note| by_parameters(note, points, family, group, fit)).collect::<Vec<_>>();
            print_figures(fit, &told_verdict(points, family, group, fit), &notes)?;
        }
        Outcome::NotFitted(reason) | Outcome::Fails(reason) => fitting_line("   ", &format!("no fit: {reason}"))?,
        Outcome::Slowdown(slowdown) => fitting_line("   ", &slowdown.to_string())?,
        Outcome::Speedup(speedup) => fitting_line("   ", &speedup.to_string())?,
    }
    Ok(())
}

fn print_figures(fit: &LawFit, verdict: &str, notes: &[String]) -> Result<(), Failure> {
    let mut rows = table(&[]);
    let by = match fit.interval {
        IntervalMethod::Student => "",
        IntervalMethod::Huber => " (robust)",
    };
    for estimate in &fit.estimates {
        let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(|value| estimate.told(value));
        let doubt = estimate.below_zero().map(|doubt| format!("; {doubt}")).unwrap_or_default();
        rows.add_row([format!("  {}", estimate.parameter), value, format!("95 % interval {low} to {high}{by}{doubt}")]);
    }
    print_table(&rows)?;
    let noise = fit.replication.map(|known| {
        let chance = if known.p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {:.3}", known.p) };
        // A law that holds may still miss by more than the times are uncertain.
        let is_small = fit.verdict.is_success() && fit.outdone.is_none() && known.p < CLEAR_MISFIT_P;
        let small = if is_small { ": the misfit is real but small" } else { "" };
        let what = if fit.law.is_of_energy() { "energies" } else { "times" };
        format!("; {what} known to {} %, lack of fit {chance}{small}", unit::significant(known.noise_pct, 2))
    });
    let error_pct = unit::error_pct(fit.error_pct);
    let quality =
        format!("{}leave-one-out error {error_pct} %, {} points{}", r2(fit), fit.n, noise.unwrap_or_default());
    fitting_line("   ", &quality)?;
    fitting_line("   ", verdict)?;
    notes.iter().try_for_each(|note| fitting_line("   ", note))?;
    if let Some(selection) = &fit.selection {
        let others: Vec<String> = selection
            .runners_up
            .iter()
            .take(RUNNERS_UP)
            .map(|other| {
                let (name, error) = (other.law.name, unit::error_pct(other.error_pct));
                format!("{name} (AICc {:+.1}, error {error} %)", other.delta_aicc)
            })
            .collect();
        let tried = count(selection.runners_up.len() + 1, "form");
        let next = if others.is_empty() { String::new() } else { format!("; next: {}", others.join(", ")) };
        fitting_line("   ", &format!("chosen from {tried}{next}"))?;
    }
    Ok(())
}

/// R², but for a constant: it explains no variation, whether it holds or not.
fn r2(fit: &LawFit) -> String {
    if fit.law.form == Form::Constant { String::new() } else { format!("R² {}, ", unit::r2(fit.r2)) }
}

/// Prints the verdicts of a fit's many groups by their number, the ranges of the parameters, and the worst groups.
fn print_summary(fits: &[GroupFit], is_written: bool) -> Result<(), Failure> {
    line("")?;
    let mut words: Vec<(&str, usize)> = Vec::new();
    for group in fits {
        let word = match &group.outcome {
            Outcome::Law(fit) => match fit.verdict {
                Verdict::Holds { .. } => "hold",
                Verdict::HoldsFrom { .. } => "hold except at the smallest predictors",
                Verdict::NoCost { .. } => "have no measurable cost",
                Verdict::Undecided(_) => "are undecided",
                Verdict::Fails(_) => "fail",
            },
            Outcome::Slowdown(_) | Outcome::Speedup(_) => "are ratios",
            Outcome::NotFitted(_) => "are not fitted",
            Outcome::Fails(_) => "fail",
        };
        match words.iter_mut().find(|(own, _)| *own == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    let counts: Vec<String> = words.iter().map(|(word, count)| format!("{count} {word}")).collect();
    line(format!("{}: {} groups: {}", fits[0].name, fits.len(), counts.join(", ")))?;
    let mut rows = table(&[]);
    let mut ranges: Vec<(Estimate, f64, f64)> = Vec::new();
    for estimate in fits.iter().filter_map(|group| group.outcome.law()).flat_map(|fit| &fit.estimates) {
        let value = estimate.estimate;
        match ranges.iter_mut().find(|(own, ..)| own.parameter == estimate.parameter) {
            Some((_, low, high)) => (*low, *high) = (low.min(value), high.max(value)),
            None => ranges.push((*estimate, value, value)),
        }
    }
    for (estimate, low, high) in &ranges {
        rows.add_row([
            format!("  {}", estimate.parameter),
            format!("{} to {}", estimate.told(*low), estimate.told(*high)),
        ]);
    }
    print_table(&rows)?;
    print_costs(fits, MOST_ROWS)?;
    let mut worst: Vec<(&GroupFit, f64)> = fits
        .iter()
        .filter_map(|group| group.outcome.law().map(|fit| (group, fit.error_pct)))
        .filter(|(group, _)| group.outcome.law().is_some_and(|fit| !fit.verdict.is_success()))
        .collect();
    worst.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (group, _) in worst.iter().take(WORST) {
        line(format!("   {}: {}", group.label(), group.outcome.verdict()))?;
    }
    if is_written {
        return Ok(line("   fits.csv has all of them")?);
    }
    match &fits[0].model {
        Model::Slowdown { reference } => print_slowdowns(reference, fits),
        Model::Speedup { predictor } => print_speedups(predictor, fits),
        Model::Law { .. } | Model::Auto { .. } => {
            for group in fits {
                let equation = group.outcome.law().map(|fit| format!("{}: ", fit.equation())).unwrap_or_default();
                line(format!("   {}: {equation}{}", group.label(), group.outcome.verdict()))?;
            }
            Ok(())
        }
    }
}
