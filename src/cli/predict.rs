//! `apbench predict`: what the laws of a run say about points that it does not have.

use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::analysis::{Analysis, analyse_or_embedded, print_known_error, tell_embedded};
use super::failure::{Failure, Status};
use super::fit::{Asked, ask};
use super::output::{json as print_json, line, print_with_remarks, table, tell, width, wrapped, wrapped_line};
use super::run_directory::run_directory;
use super::shell::quoted;
use crate::family::Family;
use crate::finding::{of_one_process, parameter_at, told_verdict};
use crate::model::fit::LawFit;
use crate::model::group::GroupFit;
use crate::model::predict::{self, Prediction, Subject};
use crate::parameter::{Kind, Value};
use crate::properties::Origin;
use crate::scenario::Scenario;
use crate::unit;
use located_toml::words::{instead, meant};

/// Options of `predict`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directory, a baseline, or last, last~1, last:SCENARIO
    #[arg(value_name = "RUN", value_parser = run_directory())]
    run: PathBuf,
    /// Values of a parameter, as for sweep: branches=24, branches=3,24, operation=compute
    #[arg(long = "set", value_name = "PARAM=VALUES", required = true)]
    set: Vec<String>,
    /// Use only the laws of this variant
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    #[command(flatten)]
    asked: Asked,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the known error of a simulated run's times does not cover.
const BOUNDS_OF_ERROR: &str = "That is the error of the run's own points. The prediction intervals below are those of the law alone: the error of the \
                               simulation comes on top, and at values that the run does not have it is not known.";

/// Combinations that may be asked for at once.
const COMBINATIONS_MAX: usize = 100_000;

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    tell_embedded([arguments.run.as_path()]);
    let mut analysis = analyse_or_embedded(&arguments.run)?;
    ask(&mut analysis, &arguments.asked)?;
    let family = analysis.scenario.family;
    let names: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
    let asked_variant = arguments.variant.as_ref().and_then(|variant| meant(variant, &names));
    if let Some(variant) = arguments.variant.as_ref().filter(|_| asked_variant.is_none()) {
        return Err(Failure::Usage(format!(
            "`{variant}` is not a variant of `{}`; {}",
            family.name,
            instead(variant, &names)
        )));
    }
    let asked = combinations(&analysis.scenario, &arguments.set)?;
    let metadata = &analysis.run.metadata;
    let subject =
        Subject { family, device: &metadata.device, points: &analysis.run.points, seed: metadata.measure.seed };
    let (found, refusals) = predict::predict(subject, &analysis.scenario.fits, &analysis.fits, &asked, asked_variant)
        .map_err(|why| {
        Failure::Usage(why.replace(" RUN", &format!(" {}", quoted(&arguments.run.display().to_string()))))
    })?;
    refusals.into_iter().for_each(|refusal| tell(format!("note: {refusal}")));
    let is_simulated = metadata.device.origin == Origin::Simulated;
    if arguments.json {
        let rows: Vec<Json> = found.iter().map(as_json).collect();
        let device = metadata.device.label();
        let mut document = json!({"device": device, "origin": metadata.device.origin.name(), "predictions": rows});
        if let Some(note) = of_one_process(&analysis.run.points) {
            document["notes"] = json!([note]);
        }
        print_json(&document)?;
        return Ok(Status::Success);
    }
    line(metadata.device.label())?;
    print_known_error(&analysis)?;
    if is_simulated {
        wrapped("", BOUNDS_OF_ERROR, usize::from(width())).into_iter().try_for_each(line)?;
    }
    print_rows(&analysis, &found, is_simulated, of_one_process(&analysis.run.points))?;
    Ok(Status::Success)
}

/// Every combination of the values that `--set` gives. Whole numbers beyond what the kernels take are let through: a law
/// may be asked about them all the same.
fn combinations(of_run: &Scenario, set: &[String]) -> Result<Vec<predict::Asked>, Failure> {
    let family = of_run.family;
    let mut beyond = Vec::new();
    let mut checked = Vec::new();
    for text in set {
        match whole_numbers(family, text) {
            Some(values) => beyond.push(values),
            None => checked.push(text.clone()),
        }
    }
    let scenario = of_run.of_same_family(&checked, COMBINATIONS_MAX)?;
    let grid = &scenario.grid;
    let combination = |index: usize| {
        let steps = grid.steps(index);
        let rows = grid.axes().iter().zip(steps).flat_map(|(axis, step)| axis.row(step).collect::<Vec<_>>());
        rows.map(|(name, value): (&'static str, &Value)| (name, value.clone())).collect::<predict::Asked>()
    };
    let mut all: Vec<predict::Asked> = (0..grid.len()).map(combination).collect();
    for (name, values) in beyond {
        if all.iter().flatten().any(|(own, _)| *own == name) {
            return Err(Failure::Usage(format!("--set {name} is given more than once")));
        }
        if all.len().saturating_mul(values.len()) > COMBINATIONS_MAX {
            return Err(Failure::Usage(format!("too many combinations of values: more than {COMBINATIONS_MAX}")));
        }
        all = all
            .into_iter()
            .flat_map(|asked| {
                let with = |value: &i64| asked.iter().cloned().chain([(name, Value::Integer(*value))]).collect();
                values.iter().map(with).collect::<Vec<predict::Asked>>()
            })
            .collect();
    }
    Ok(all)
}

/// The parameter and its values, where they are whole numbers and one of them is out of its range.
fn whole_numbers(family: &'static Family, text: &str) -> Option<(&'static str, Vec<i64>)> {
    let (name, values) = text.split_once('=')?;
    let parameter = family.parameter(name.trim())?;
    let Kind::Integer { .. } = parameter.kind else { return None };
    let values: Vec<i64> = values.split(',').map(|value| value.trim().parse().ok()).collect::<Option<_>>()?;
    let is_beyond = |value: &i64| parameter.kind.check(&Value::Integer(*value)).is_err();
    values.iter().any(is_beyond).then_some((parameter.name, values))
}

fn print_rows(
    analysis: &Analysis,
    found: &[Prediction<'_>],
    is_simulated: bool,
    of_one_process: Option<String>,
) -> Result<(), Failure> {
    let time = if is_simulated { "simulated time" } else { "time" };
    let mut notes: Vec<String> = Vec::new();
    for of_group in found.chunk_by(|one, other| std::ptr::eq(one.group, other.group)) {
        let fit = of_group[0].fit;
        line("")?;
        line(format!("{} ({}), {}", fit.equation(), fit.law.name, of_group[0].group.label()))?;
        let of_run = OfRun { analysis, group: of_group[0].group, fit };
        let mut rows = table(&["  ", fit.predictor, time, "95 % prediction interval"]);
        let mut remarks = Vec::new();
        for prediction in of_group {
            let interval = prediction
                .interval_us()
                .map(|(low, high)| format!("{} to {}", unit::time_us_to(low, 4), unit::time_us_to(high, 4)));
            let outside = prediction.is_extrapolated().then(|| format!("extrapolated: fitted from {}", of_run.range()));
            let none = prediction.time_us().is_none().then(|| "by the law it would be below zero".to_owned());
            let fails = (!fit.verdict.is_success()).then(|| "the law does not hold".to_owned());
            let below =
                prediction.holds_from().map(|from| format!("the law does not hold below {}", of_run.place(from)));
            let beyond: Vec<String> =
                none.into_iter().chain(fails).chain(below).chain(outside).chain(prediction.beyond.clone()).collect();
            rows.add_row([
                format!("  {}", asked_label(prediction)),
                format!("{}", prediction.x),
                prediction.time_us().map_or_else(|| "none".to_owned(), |own| unit::time_us_to(own, 4)),
                interval.unwrap_or_default(),
            ]);
            remarks.push(beyond.join("; "));
        }
        print_with_remarks(&rows, &remarks)?;
        let verdict = told_verdict(&analysis.run.points, analysis.scenario.family, of_group[0].group, fit);
        line(format!("   the law: {verdict}"))?;
        if !fit.verdict.is_success() {
            let label = of_group[0].group.label();
            notes.push(format!(
                "the law of {label} does not hold: its predictions may be far off, and have no interval"
            ));
        }
    }
    if found.iter().any(|own| own.is_extrapolated() && own.interval_us().is_some()) {
        notes.push("intervals of extrapolated points hold only if the law does there".to_owned());
    }
    notes.extend(of_one_process.filter(|_| found.iter().any(|own| own.interval_us().is_some())));
    if !notes.is_empty() {
        line("")?;
    }
    notes.iter().try_for_each(|note| wrapped_line("note: ", note))?;
    Ok(())
}

/// A law and the points that it was fitted to.
struct OfRun<'a> {
    analysis: &'a Analysis,
    group: &'a GroupFit,
    fit: &'a LawFit,
}

impl OfRun<'_> {
    /// A value of the predictor, by the parameter from which it follows where that has another: `width = 1024`.
    fn place(&self, x: f64) -> String {
        match self.parameter(x) {
            Some((name, value)) => format!("{name} = {value}"),
            None => x.to_string(),
        }
    }

    /// The range that the law was fitted to.
    fn range(&self) -> String {
        let LawFit { from, to, .. } = *self.fit;
        match (self.parameter(from), self.parameter(to)) {
            (Some((name, one)), Some((_, other))) => format!("{name} = {} to {}", one.min(other), one.max(other)),
            _ => format!("{from} to {to}"),
        }
    }

    fn parameter(&self, x: f64) -> Option<(&'static str, f64)> {
        let Analysis { run, scenario, .. } = self.analysis;
        let known = parameter_at(&run.points, scenario.family, self.group, self.fit, x);
        known.filter(|(_, value)| value.total_cmp(&x).is_ne())
    }
}

fn asked_label(prediction: &Prediction<'_>) -> String {
    prediction.asked.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

fn as_json(prediction: &Prediction<'_>) -> Json {
    let Prediction { group, fit, asked, x, beyond } = prediction;
    let pairs = |pairs: Vec<(String, String)>| -> Json {
        pairs.into_iter().map(|(name, value)| (name, Json::from(value))).collect::<serde_json::Map<_, _>>().into()
    };
    let (low, high) = prediction.interval_us().unzip();
    json!({
        "fit": group.name,
        "law": fit.law.name,
        "equation": fit.equation(),
        "group": pairs(group.group.clone()),
        "set": pairs(asked.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())).collect()),
        "predictor": fit.predictor,
        "x": x,
        "time_us": prediction.time_us(),
        "time_us_low": low,
        "time_us_high": high,
        "extrapolated": prediction.is_extrapolated(),
        "fitted_from": fit.from,
        "fitted_to": fit.to,
        "no_kernel": beyond,
        "holds": prediction.holds(),
        "verdict": fit.finding(),
    })
}
