//! `apbench fit`: the laws of a finished run, from its files.

use std::path::PathBuf;

use rayon::prelude::*;

use super::analysis::{Analysis, analyse_or_embedded, print_summary, tell_embedded};
use super::failure::{Failure, Status};
use super::findings::print_findings;
use super::output::{line, print_table, table};
use super::run_directory::run_directory;
use crate::model::FitRequest;
use crate::model::fit::Observation;
use crate::model::group::{Key, fit_points, members};
use crate::model::holdout::{Holdout, hold_out};
use crate::model::law::Law;
use crate::model::slowdown::SLOWDOWN;
use crate::model::speedup::SPEEDUP;
use crate::model::{AUTO, counter, near_counter, predictor_names};
use crate::run::embedded::Embedded;
use crate::run::fits::write_fits;
use crate::scenario::Scenario;
use crate::unit;
use located_toml::words::instead;

/// Options of `fit`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directory, or last, last~1, last:SCENARIO. Without options, its fits.csv is written again
    #[arg(value_name = "RUN", value_parser = run_directory())]
    run: PathBuf,
    #[command(flatten)]
    asked: Asked,
    /// Test how well the laws predict: leave this share of each group's points out (25% or 0.25), fit the others, and print
    /// the errors at the points left out
    #[arg(long, value_name = "SHARE", value_parser = share)]
    holdout: Option<f64>,
    /// Seed that chooses the points to leave out
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "holdout")]
    seed: u64,
}

/// A fit that the scenario does not ask for.
#[derive(Debug, clap::Args)]
pub(super) struct Asked {
    /// Fit this law instead of the scenario's: a name from `apbench list`, or auto to choose the best form
    #[arg(long, value_name = "NAME")]
    law: Option<String>,
    /// Fit against this predictor, for a law that takes any predictor [default law with this option: auto]
    #[arg(long, value_name = "NAME")]
    predictor: Option<String>,
    /// Give slowdowns relative to this variant
    #[arg(long, value_name = "VARIANT")]
    reference: Option<String>,
    /// Give outliers less weight (Huber)
    #[arg(long)]
    robust: bool,
}

impl Asked {
    fn is_none(&self) -> bool {
        self.law.is_none() && self.predictor.is_none() && self.reference.is_none() && !self.robust
    }
}

/// A share as `25%` or `0.25`.
fn share(text: &str) -> Result<f64, String> {
    let (number, of) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent, 100.0));
    match number.trim().parse::<f64>().map(|number| number / of) {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a share above 0 and below all, such as 25% or 0.25".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    tell_embedded([arguments.run.as_path()]);
    let mut analysis = analyse_or_embedded(&arguments.run)?;
    ask(&mut analysis, &arguments.asked)?;
    if let Some(share) = arguments.holdout {
        print_summary(&analysis)?;
        print_holdout(&analysis, share, arguments.seed)?;
        return Ok(Status::Success);
    }
    if !arguments.asked.is_none() {
        print_summary(&analysis)?;
        print_findings(&analysis, false)?;
        line("")?;
        line("fits.csv is unchanged: it keeps the fits of the scenario")?;
        return Ok(Status::Success);
    }
    let is_here = Embedded::meant(&analysis.run.directory).is_none();
    let path = is_here.then(|| write_fits(&analysis.run.directory, &analysis.fits)).transpose()?;
    print_summary(&analysis)?;
    print_findings(&analysis, true)?;
    if let Some(path) = path {
        line("")?;
        line(format!("wrote {}", path.display()))?;
    }
    Ok(Status::Success)
}

/// Fits what the options ask for instead of what the scenario does.
pub(super) fn ask(analysis: &mut Analysis, asked: &Asked) -> Result<(), Failure> {
    if asked.is_none() {
        return Ok(());
    }
    let scenario = &mut analysis.scenario;
    if asked.law.is_some() || asked.predictor.is_some() || asked.reference.is_some() {
        // Through a scenario, so that what is wrong is told as it is there.
        let quoted = |text: &str| toml_edit::Value::from(text).to_string();
        let variants: toml_edit::Array = scenario.variants.iter().map(|variant| variant.name).collect();
        let law = asked.law.as_deref().unwrap_or(if asked.reference.is_some() { SLOWDOWN } else { AUTO });
        check_options(asked, law, scenario)?;
        let mut fit = format!("[[fit]]\nlaw = {}\n", quoted(law));
        for (key, value) in [("predictor", &asked.predictor), ("reference", &asked.reference)] {
            if let Some(value) = value {
                fit += &format!("{key} = {}\n", quoted(value));
            }
        }
        if asked.robust {
            fit += "robust = true\n";
        }
        let text = format!("family = {}\nvariants = {variants}\n\n{fit}", quoted(scenario.family.name));
        scenario.fits = match scenario.kernel {
            None => Scenario::parse("the arguments", &text, &[], usize::MAX)?.fits,
            Some(_) => scenario.with_fits(&fit)?.fits,
        };
    } else {
        scenario.fits.iter_mut().for_each(|request| request.model.make_robust());
    }
    analysis.fits = fit_points(&scenario.fits, scenario.family, &analysis.run.points);
    Ok(())
}

/// Refuses options that lack one another, in words of options; all else is told as of a scenario.
fn check_options(asked: &Asked, wanted: &str, scenario: &Scenario) -> Result<(), Failure> {
    let takes_any = [AUTO, SPEEDUP].contains(&wanted) || Law::find(wanted).is_some_and(|law| law.predictor.is_none());
    let names = predictor_names(scenario.family);
    let variants: Vec<&str> = scenario.variants.iter().map(|variant| variant.name).collect();
    let message = match (&asked.predictor, &asked.reference) {
        (None, _) if takes_any => {
            format!("--law {wanted} takes any predictor: add --predictor NAME, one of {}", names.join(", "))
        }
        (Some(predictor), _)
            if takes_any && !names.contains(&predictor.as_str()) && counter(scenario.family, predictor).is_none() =>
        {
            let help = near_counter(predictor, &names).unwrap_or_else(|| instead(predictor, &names));
            format!(
                "--predictor {predictor} is not a numeric parameter or predictor of `{}`, nor a counter: {help}",
                scenario.family.name
            )
        }
        (_, None) if wanted == SLOWDOWN => {
            format!(
                "--law {SLOWDOWN} needs a variant to compare with: add --reference VARIANT, one of {}",
                variants.join(", ")
            )
        }
        (_, Some(reference)) if wanted == SLOWDOWN && !variants.contains(&reference.as_str()) => {
            let help = instead(reference, &variants);
            format!("--reference {reference} is not a variant of this run: {help}")
        }
        _ => return Ok(()),
    };
    Err(Failure::Usage(message))
}

/// Groups whose held-out points are told one by one; of more, the worst.
const MOST_PRINTED: usize = 20;

fn print_holdout(analysis: &Analysis, share: f64, seed: u64) -> Result<(), Failure> {
    let Analysis { run, scenario, .. } = analysis;
    let percent = unit::significant(share * 100.0, 3);
    for request in scenario.fits.iter().filter(|request| request.model.predictor().is_some()) {
        let groups = members(request, scenario.family, &run.points);
        let told: Vec<(Key, Result<Holdout, String>)> = groups
            .into_par_iter()
            .map(|(key, members)| {
                let observations: Vec<Observation> = members.iter().map(|(_, observation)| *observation).collect();
                (key, hold_out(&request.model, &observations, share, seed))
            })
            .collect();
        line("")?;
        line(format!("fit `{}`: {percent} % of each group's points held out (seed {seed})", request.name))?;
        print_held_out(request, told)?;
    }
    if scenario.fits.iter().all(|request| request.model.predictor().is_none()) {
        line("")?;
        line("no law to test: the scenario fits none; ask for one with --law or --predictor")?;
    }
    Ok(())
}

fn print_held_out(request: &FitRequest, mut told: Vec<(Key, Result<Holdout, String>)>) -> Result<(), Failure> {
    let count = told.len();
    let all = told.iter().filter_map(|(_, told)| told.as_ref().ok());
    let (held_out, within) =
        all.fold((0, 0), |(held_out, within), told| (held_out + told.held_out, within + told.within));
    if count > MOST_PRINTED {
        let worst = |told: &Result<Holdout, String>| told.as_ref().map_or(0.0, |told| told.worst_pct);
        told.sort_by(|(_, one), (_, other)| worst(other).total_cmp(&worst(one)));
        told.truncate(MOST_PRINTED);
    }
    let is_auto = matches!(request.model, crate::model::Model::Auto { .. });
    let mut rows = table(&["   group", "fitted", "held out", "median error", "worst error", "in 95 % interval", ""]);
    for (key, told) in told {
        let label = key.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        let percent =
            |value: f64| format!("{} %", if value < 1e-6 { "0".to_owned() } else { unit::significant(value, 2) });
        match told {
            Ok(told) => rows.add_row([
                format!("   {label}"),
                told.fitted.to_string(),
                told.held_out.to_string(),
                percent(told.median_pct),
                format!("{} at {}", percent(told.worst_pct), told.worst_at),
                format!("{} of {}", told.within, told.held_out),
                if is_auto { told.law.to_owned() } else { String::new() },
            ]),
            Err(why) => {
                let none = String::new;
                rows.add_row([format!("   {label}"), none(), none(), none(), none(), none(), why])
            }
        };
    }
    print_table(&rows)?;
    let which = if count > MOST_PRINTED {
        format!(", the {MOST_PRINTED} worst of {count} groups above")
    } else {
        String::new()
    };
    line(format!("   {within} of {held_out} held-out points are within their 95 % prediction intervals{which}"))?;
    Ok(())
}
