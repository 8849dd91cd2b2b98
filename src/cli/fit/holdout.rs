//! Whether laws predict points that they were not fitted to: `fit --holdout`.

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::super::analysis::Analysis;
use super::super::failure::Failure;
use super::super::output::{line, print_table, table};
use crate::csv_column::Described;
use crate::model::fit::Observation;
use crate::model::group::{Key, members};
use crate::model::holdout::{Holdout, hold_out};
use crate::model::{FitRequest, Model};
use crate::unit;

/// Groups whose held-out points are told one by one; of more, the worst.
const MOST_PRINTED: usize = 20;

/// What came of each group of a fit.
pub(super) struct HeldOut<'a> {
    request: &'a FitRequest,
    groups: Vec<(Key, Result<Holdout, String>)>,
}

/// Tests every law of the scenario: a share of each group's points is left out and predicted.
pub(super) fn held_out(analysis: &Analysis, share: f64, seed: u64) -> Vec<HeldOut<'_>> {
    let Analysis { run, scenario, .. } = analysis;
    let of_laws = scenario.fits.iter().filter(|request| request.model.predictor().is_some());
    let tested = of_laws.map(|request| {
        let groups = members(request, scenario.family, &run.points);
        let groups = groups.into_par_iter().map(|(key, members)| {
            let observations: Vec<Observation> = members.iter().map(|(_, observation)| *observation).collect();
            (key, hold_out(&request.model, &observations, share, seed))
        });
        HeldOut { request, groups: groups.collect() }
    });
    tested.collect()
}

/// Prints it: a table for each law.
pub(super) fn print(tested: Vec<HeldOut<'_>>, share: f64, seed: u64) -> Result<(), Failure> {
    let percent = unit::significant(share * 100.0, 3);
    if tested.is_empty() {
        line("")?;
        line("no law to test: the scenario fits none; ask for one with --law or --predictor")?;
    }
    for HeldOut { request, groups } in tested {
        line("")?;
        line(format!("fit `{}`: {percent} % of each group's points held out (seed {seed})", request.name))?;
        print_held_out(request, groups)?;
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
    let is_auto = matches!(request.model, Model::Auto { .. });
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

/// A group of a law, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct HeldOutDocument {
    fit: String,
    group: Map<String, Json>,
    law: Option<&'static str>,
    fitted: Option<usize>,
    held_out: Option<usize>,
    median_error_pct: Option<f64>,
    worst_error_pct: Option<f64>,
    worst_at: Option<f64>,
    within_interval: Option<usize>,
    problem: Option<String>,
}

/// All groups of all laws.
pub(super) fn documents(tested: Vec<HeldOut<'_>>) -> Vec<HeldOutDocument> {
    let of_fit = |HeldOut { request, groups }: HeldOut<'_>| -> Vec<HeldOutDocument> {
        groups.into_iter().map(|(key, told)| HeldOutDocument::of(&request.name, key, told)).collect()
    };
    tested.into_iter().flat_map(of_fit).collect()
}

impl HeldOutDocument {
    fn of(fit: &str, key: Key, told: Result<Holdout, String>) -> Self {
        let (told, problem) = match told {
            Ok(told) => (Some(told), None),
            Err(problem) => (None, Some(problem)),
        };
        let told = told.as_ref();
        Self {
            fit: fit.to_owned(),
            group: key.into_iter().map(|(name, value)| (name, Json::from(value))).collect(),
            law: told.map(|own| own.law),
            fitted: told.map(|own| own.fitted),
            held_out: told.map(|own| own.held_out),
            median_error_pct: told.map(|own| own.median_pct),
            worst_error_pct: told.map(|own| own.worst_pct),
            worst_at: told.map(|own| own.worst_at),
            within_interval: told.map(|own| own.within),
            problem,
        }
    }
}

/// The keys of the document, for the reference.
pub(super) static KEYS: &[Described] = &[
    Described::new("holdout", "list", "with `--holdout`: a test for each group of each law; else `null`"),
    Described::new("holdout[].fit", "text", "name of the fit in the scenario"),
    Described::new("holdout[].group", "object", "the variant and the parameters that tell the fits apart, by name"),
    Described::new("holdout[].law", "text", "the law; for `auto` the one that was chosen without the points held out"),
    Described::new("holdout[].fitted", "count", "points that it was fitted to"),
    Described::new("holdout[].held_out", "count", "points that were left out and predicted"),
    Described::new("holdout[].median_error_pct", "%", "median of their errors without sign"),
    Described::new("holdout[].worst_error_pct", "%", "largest of their errors without sign"),
    Described::new("holdout[].worst_at", "of the predictor", "predictor at the largest error"),
    Described::new(
        "holdout[].within_interval",
        "count",
        "points left out that are within their 95 % prediction interval",
    ),
    Described::new("holdout[].problem", "text", "why there was no test; the keys before are `null` then"),
];
