//! `apbench fit`: the laws of a finished run, from its files.

mod holdout;

use std::path::PathBuf;

use serde::Serialize;

use super::analysis::{Analysis, analyse_or_embedded, print_summary, tell_embedded};
use super::conclusion::{document, print_conclusion, print_sentences};
use super::failure::{Failure, Status};
use super::findings::print_findings;
use super::output::{is_verbose, json, line};
use super::run_directory::run_directory;
use crate::csv_column::Described;
use crate::finding::RunDocument;
use crate::model::group::fit_points;
use crate::model::law::Law;
use crate::model::slowdown::SLOWDOWN;
use crate::model::speedup::SPEEDUP;
use crate::model::{AUTO, FitRequest, Model, Of, PLATEAUS, counter, near_counter, predictor_names};
use crate::run::embedded::Embedded;
use crate::run::fits::write_fits;
use crate::scenario::Scenario;
use located_toml::words::{instead, meant};

/// Options of `fit`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directory, a baseline, or last, last~1, last:SCENARIO. Without options, its fits.csv is written again
    #[arg(value_name = "RUN", value_parser = run_directory())]
    run: PathBuf,
    #[command(flatten)]
    asked: Asked,
    /// Fit to the energies of the points in place of their times: the laws that the options name, or all of the scenario's
    #[arg(long, value_name = "COLUMN", value_parser = [Of::ENERGY], conflicts_with_all = ["holdout", "reference"])]
    of: Option<String>,
    /// Test how well the laws predict: leave this share of each group's points out (25% or 0.25), fit the others, and print
    /// the errors at the points left out
    #[arg(long, value_name = "SHARE", value_parser = share)]
    holdout: Option<f64>,
    /// Seed that chooses the points to leave out
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "holdout")]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Whether the fits are those that the scenario asks for.
    fn is_of_scenario(&self) -> bool {
        self.asked.is_none() && self.of.is_none()
    }
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
    if arguments.of.is_some() {
        ask_of_energies(&mut analysis)?;
    }
    if arguments.json {
        return print_json(arguments, &analysis);
    }
    if let Some(share) = arguments.holdout {
        print_summary(&analysis)?;
        holdout::print(holdout::held_out(&analysis, share, arguments.seed), share, arguments.seed)?;
        return Ok(Status::Success);
    }
    if !arguments.is_of_scenario() {
        print_summary(&analysis)?;
        print_findings(&analysis, false)?;
        line("")?;
        line("fits.csv is unchanged: it keeps the fits of the scenario")?;
        return Ok(Status::Success);
    }
    let path = written(&analysis)?;
    if !is_verbose() {
        let wrote: Vec<_> = path.iter().map(|path| ("wrote ", path.display().to_string())).collect();
        print_conclusion(&analysis, &wrote)?;
        return Ok(Status::Success);
    }
    print_summary(&analysis)?;
    print_sentences(&analysis)?;
    print_findings(&analysis, true)?;
    if let Some(path) = path {
        line("")?;
        line(format!("wrote {}", path.display()))?;
    }
    Ok(Status::Success)
}

/// Writes the scenario's fits into the run; not into one that comes with the program.
fn written(analysis: &Analysis) -> Result<Option<PathBuf>, Failure> {
    let directory = &analysis.run.directory;
    let is_here = Embedded::meant(directory).is_none();
    Ok(is_here.then(|| write_fits(directory, &analysis.fits)).transpose()?)
}

/// What is told of a run, as JSON.
#[derive(Debug, Serialize)]
struct FittedRun {
    #[serde(flatten)]
    run: RunDocument,
    holdout: Option<Vec<holdout::HeldOutDocument>>,
    written: Option<String>,
}

fn print_json(arguments: &Arguments, analysis: &Analysis) -> Result<Status, Failure> {
    let tested = arguments.holdout.map(|share| holdout::documents(holdout::held_out(analysis, share, arguments.seed)));
    let path = if tested.is_none() && arguments.is_of_scenario() { written(analysis)? } else { None };
    let written = path.map(|path| path.display().to_string());
    json(&FittedRun { run: document(analysis)?, holdout: tested, written })?;
    Ok(Status::Success)
}

/// The keys of the document besides those of a run, for the reference.
pub(super) fn keys() -> impl Iterator<Item = Described> {
    let written =
        Described::new("written", "text", "the `fits.csv` that was written; `null` where options ask for other fits");
    holdout::KEYS.iter().copied().chain([written])
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
        let (predictors, names) =
            (predictor_names(scenario.family), scenario.variants.iter().map(|own| own.name).collect());
        for (key, value, names) in
            [("predictor", &asked.predictor, &predictors), ("reference", &asked.reference, &names)]
        {
            if let Some(value) = value.as_deref().map(|own| meant(own, names).unwrap_or(own)) {
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

/// Fits the laws to energies in place of times.
fn ask_of_energies(analysis: &mut Analysis) -> Result<(), Failure> {
    let scenario = &mut analysis.scenario;
    let has_one = |request: &FitRequest| match &request.model {
        Model::Law { law, .. } => law.of_energy().is_some(),
        Model::Auto { .. } => true,
        Model::Slowdown { .. } | Model::Speedup { .. } => false,
    };
    // Those that the scenario has of energies anyway come of those of times.
    scenario.fits.retain(|request| request.of.is_none() && has_one(request));
    if scenario.fits.is_empty() {
        let names = predictor_names(scenario.family).join(", ");
        return Err(Failure::Usage(format!(
            "--of {}: there is no law to fit to energies; name one with --law, such as --law affine --predictor NAME, one of {names}",
            Of::ENERGY
        )));
    }
    scenario.fits.iter_mut().for_each(|request| request.of = Some(Of::Energy));
    analysis.fits = fit_points(&scenario.fits, scenario.family, &analysis.run.points);
    Ok(())
}

/// Refuses options that lack one another, in words of options; all else is told as of a scenario.
fn check_options(asked: &Asked, wanted: &str, scenario: &Scenario) -> Result<(), Failure> {
    let takes_any =
        [AUTO, PLATEAUS, SPEEDUP].contains(&wanted) || Law::find(wanted).is_some_and(|law| law.predictor.is_none());
    let names = predictor_names(scenario.family);
    let variants: Vec<&str> = scenario.variants.iter().map(|variant| variant.name).collect();
    let message = match (&asked.predictor, &asked.reference) {
        (None, _) if takes_any => {
            format!("--law {wanted} takes any predictor: add --predictor NAME, one of {}", names.join(", "))
        }
        (Some(predictor), _)
            if takes_any && meant(predictor, &names).is_none() && counter(scenario.family, predictor).is_none() =>
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
        (_, Some(reference)) if wanted == SLOWDOWN && meant(reference, &variants).is_none() => {
            let help = instead(reference, &variants);
            format!("--reference {reference} is not a variant of this run: {help}")
        }
        _ => return Ok(()),
    };
    Err(Failure::Usage(message))
}
