//! `apbench compare BASE OTHER --counters`: what two runs counted of the same points.

use std::path::Path;

use serde::Serialize;

use super::super::analysis::{Analysis, analyse_or_embedded, tell_embedded};
use super::super::failure::{Failure, Status};
use super::super::output::{csv_text, data, json, line, print_table, table, wrapped_line};
use super::Arguments;
use super::named::Named;
use super::variants::why_apart;
use crate::compare::counters::{APART_PCT, CounterComparison, CounterPair, compare_counters, is_count};
use crate::csv_column::{CsvColumn, Described, described};
use crate::record::PointRecord;
use crate::unit::significant;
use located_toml::words::{count, instead, meant};

/// How the cell of a row is made.
type PairCell = fn(&CounterPair) -> String;

/// The columns of the CSV.
static COLUMNS: [CsvColumn<PairCell>; 5] = [
    CsvColumn::new("point_name", "text", "variant and parameters that tell the point from others", |pair| {
        pair.point.clone()
    }),
    CsvColumn::new("counter", "text", "column of points.csv that both runs have", |pair| pair.counter.clone()),
    CsvColumn::new("base", "of the counter", "its value in the base", |pair| pair.base.to_string()),
    CsvColumn::new("other", "of the counter", "its value in the other run", |pair| pair.other.to_string()),
    CsvColumn::new(
        "apart_pct",
        "%",
        "by how much the other run's is larger; empty where the base has 0 and the other has not",
        |pair| pair.apart_pct.map(|apart| significant(apart, 3)).unwrap_or_default(),
    ),
];

/// The columns of the CSV.
pub(in crate::cli) fn columns() -> impl Iterator<Item = Described> {
    described(&COLUMNS)
}

/// The comparison as JSON.
#[derive(Serialize)]
struct Document<'a> {
    family: &'a str,
    base: &'a str,
    other: &'a str,
    #[serde(flatten)]
    compared: &'a CounterComparison,
}

/// Compares the counters that are wanted, or all where none is named.
pub(super) fn run(arguments: &Arguments, wanted: &[String]) -> Result<Status, Failure> {
    let [base, other] = &arguments.runs[..] else {
        let problem = format!("--counters compares two runs, BASE OTHER, and {} are given", arguments.runs.len());
        return Err(Failure::Usage(problem));
    };
    if [base, other].iter().any(|name| matches!(Named::of(name), Named::Published { .. })) {
        return Err(Failure::Usage("--counters needs runs with points; published figures have none".to_owned()));
    }
    tell_embedded(arguments.runs.iter().map(Path::new));
    let mut runs = Failure::all_of(arguments.runs.iter().map(|name| analyse_or_embedded(Path::new(name))))?.into_iter();
    let (Some(one), Some(against)) = (runs.next(), runs.next()) else { return Ok(Status::Success) };
    let family = one.scenario.family;
    if family.name != against.scenario.family.name {
        return Err(Failure::Usage(format!(
            "{other} measured {} and {base} measured {}: only runs of the same family can be compared",
            against.scenario.family.name, family.name
        )));
    }
    let parameters: Vec<&str> = family.parameters.iter().map(|parameter| parameter.name).collect();
    let ignored = arguments.ignore.iter().map(|name| meant(name, &parameters).unwrap_or(name).to_owned());
    let ignored: Vec<String> = ignored.collect();
    if let Some(name) = ignored.iter().find(|name| !parameters.contains(&name.as_str())) {
        let allowed = instead(name, &parameters);
        return Err(Failure::Usage(format!("--ignore {name}: {} has no such parameter; {allowed}", family.name)));
    }
    let mut compared = compare_counters(family, &one.run.points, &against.run.points, &ignored);
    check(&compared, [base, other], [&one, &against])?;
    if !wanted.is_empty() {
        let known: Vec<&str> = compared.counters.iter().map(|own| own.counter.as_str()).collect();
        let names: Vec<String> = wanted.iter().map(|name| meant(name, &known).unwrap_or(name).to_owned()).collect();
        if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let allowed = instead(name, &known);
            return Err(Failure::Usage(format!(
                "--counters={name}: the runs have no such counter in common; {allowed}"
            )));
        }
        compared.counters.retain(|own| names.contains(&own.counter));
        compared.pairs.retain(|own| names.contains(&own.counter));
    }
    let told = if arguments.json {
        json(&Document { family: family.name, base, other, compared: &compared })
    } else if arguments.csv {
        let head = COLUMNS.iter().map(|column| column.name.to_owned()).collect();
        let rows = compared.pairs.iter().map(|pair| COLUMNS.iter().map(|column| (column.cell)(pair)).collect());
        data(csv_text(std::iter::once(head).chain(rows))?).map_err(Failure::from)
    } else {
        print(&compared, [base, other], [&one, &against], arguments.all)
    };
    Status::Success.unless_unheard(told)
}

/// Refuses runs without a counter in common, and says what is missing.
fn check(compared: &CounterComparison, names: [&String; 2], runs: [&Analysis; 2]) -> Result<(), Failure> {
    if !compared.pairs.is_empty() {
        return Ok(());
    }
    let counts = |point: &PointRecord| point.counters.iter().any(|(name, _)| is_count(name));
    // Points apart are told before counters that are not there: these would not help.
    if compared.points == 0 {
        return Err(Failure::Usage(format!(
            "{} and {} have no point in common, so no counts can be compared: {}",
            names[0],
            names[1],
            why_apart(names, runs)
        )));
    }
    let has_counters = |own: &Analysis| own.run.points.iter().any(counts);
    for (name, run) in names.into_iter().zip(runs) {
        if !has_counters(run) {
            return Err(Failure::Usage(format!(
                "{name} has no counters: a sweep on a GPU has them with --counters hardware, one on a simulated GPU always"
            )));
        }
    }
    Err(Failure::Usage("the runs have no counter in common".to_owned()))
}

fn print(compared: &CounterComparison, names: [&String; 2], runs: [&Analysis; 2], all: bool) -> Result<(), Failure> {
    let agreeing = compared.counters.iter().filter(|own| own.agreeing == own.points).count();
    let limit = significant(APART_PCT, 1);
    let known = compared.counters.len();
    wrapped_line(
        "",
        &format!(
            "{agreeing} of {} agree to within {limit} % at all of {}.",
            count(known, "counter"),
            count(compared.points, "point")
        ),
    )?;
    line(format!("base:  {} ({})", names[0], runs[0].run.metadata.device.label()))?;
    line(format!("other: {} ({})", names[1], runs[1].run.metadata.device.label()))?;
    line("")?;
    let mut rows = table(&["counter", "agree", "furthest apart", "at"]);
    for own in &compared.counters {
        let (worst, at) = own.worst.as_ref().map_or_else(Default::default, |pair| (pair.told(), pair.point.clone()));
        rows.add_row([own.counter.clone(), format!("{} of {}", own.agreeing, own.points), worst, at]);
    }
    print_table(&rows)?;
    if all {
        line("")?;
        let mut rows = table(&["point", "counter", "base", "other", "apart"]);
        for pair in compared.pairs.iter().filter(|pair| pair.is_apart()) {
            rows.add_row([
                pair.point.clone(),
                pair.counter.clone(),
                pair.base.to_string(),
                pair.other.to_string(),
                pair.told(),
            ]);
        }
        print_table(&rows)?;
    } else if compared.counters.iter().any(|own| own.agreeing < own.points) {
        line("")?;
        line("--all shows each count that is further apart")?;
    }
    Ok(())
}
