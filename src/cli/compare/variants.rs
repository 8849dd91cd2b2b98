//! One variant against another, of one run or of two.

use std::path::Path;

use serde::Serialize;

use super::super::analysis::{Analysis, analyse_or_embedded, tell_embedded};
use super::super::failure::{Failure, Status};
use super::super::output::{is_verbose, json, line};
use super::Arguments;
use super::named::Named;
use super::screen::paragraph;
use super::variants_table::print_points;
use crate::finding::of_one_process;
use crate::finding::versus::{Contender, Question, Versus, versus};
use crate::known_error::{self, known};
use crate::properties::Origin;
use located_toml::words::{count, instead, meant};

/// Points that are shown unless all are asked for.
const POINTS_MAX: usize = 20;

/// How the two are called where their names are long.
pub(super) const MARKS: [&str; 2] = ["first", "second"];

/// The comparison as JSON.
#[derive(Serialize)]
struct Document<'a> {
    family: &'a str,
    first: Facts<'a>,
    second: Facts<'a>,
    #[serde(flatten)]
    versus: &'a Versus,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Facts<'a> {
    run: &'a str,
    variant: &'a str,
    device: String,
    origin: Origin,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let [first, second] = &arguments.variants[..] else {
        let problem = format!("--variants takes two names, FIRST,SECOND, and has {}", arguments.variants.len());
        return Err(Failure::Usage(problem));
    };
    let names: [&String; 2] = match &arguments.runs[..] {
        [_] if first == second => {
            let problem =
                format!("--variants {first},{second}: of one run, give two different variants; or give two runs");
            return Err(Failure::Usage(problem));
        }
        [one] => [one, one],
        [one, other] => [one, other],
        runs => {
            let problem = format!("--variants compares variants of one run or of two, and {} are given", runs.len());
            return Err(Failure::Usage(problem));
        }
    };
    if names.iter().any(|name| matches!(Named::of(name), Named::Published { .. })) {
        return Err(Failure::Usage("--variants needs runs with points; published figures have none".to_owned()));
    }
    tell_embedded(arguments.runs.iter().map(Path::new));
    let runs: Vec<Analysis> = Failure::all_of(arguments.runs.iter().map(|name| analyse_or_embedded(Path::new(name))))?;
    let (Some(one), Some(other)) = (runs.first(), runs.last()) else {
        return Err(Failure::Usage("give a run: apbench compare RUN --variants FIRST,SECOND".to_owned()));
    };
    let [first, second] = [(one, first), (other, second)].map(|(run, variant)| variant_of(run, variant));
    let [first, second] = [&first, &second];
    let parameters: Vec<&str> = one.scenario.family.parameters.iter().map(|parameter| parameter.name).collect();
    let ignored = arguments.ignore.iter().map(|name| meant(name, &parameters).unwrap_or(name).to_owned());
    let ignored: Vec<String> = ignored.collect();
    check(names, [one, other], [first, second], &ignored)?;
    let called = called(names, [one, other], [first, second]);
    let [own, against] = [(one, first, &called[0]), (other, second, &called[1])]
        .map(|(analysis, variant, name)| Contender { run: &analysis.run, variant, name: name.clone() });
    let question = Question {
        family: one.scenario.family,
        ignored: &ignored,
        preferred_axis: one.scenario.charts.first().map(|chart| chart.x.as_str()),
        is_of_two_runs: runs.len() == 2,
    };
    let versus = versus(&own, &against, &question).ok_or_else(|| nothing_in_common(names, [one, other], &called))?;
    let notes = notes(&runs, &called, &versus);
    if arguments.json {
        let [first, second] = [(names[0], one, first), (names[1], other, second)].map(|(run, analysis, variant)| {
            let device = &analysis.run.metadata.device;
            Facts { run, variant, device: device.label(), origin: device.origin }
        });
        let family = question.family.name;
        json(&Document { family, first, second, versus: &versus, notes: &notes })?;
        return Ok(Status::Success);
    }
    let told = print(arguments, &runs, &called, &versus, &notes);
    Status::Success.unless_unheard(told)
}

/// The variant of a run that is meant, which may be written with `-` for `_`.
fn variant_of(analysis: &Analysis, variant: &str) -> String {
    let known: Vec<&str> = analysis.run.points.iter().map(|point| point.variant.as_str()).collect();
    meant(variant, &known).unwrap_or(variant).to_owned()
}

/// Whether both are of one family and have these variants and parameters.
fn check(
    names: [&String; 2],
    analyses: [&Analysis; 2],
    variants: [&String; 2],
    ignored: &[String],
) -> Result<(), Failure> {
    let [one, other] = analyses.map(|analysis| analysis.scenario.family);
    if one.name != other.name {
        return Err(Failure::Usage(format!(
            "{} measured {} and {} measured {}: only runs of the same family can be compared",
            names[1], other.name, names[0], one.name
        )));
    }
    let has = |((name, analysis), variant): ((&String, &Analysis), &String)| {
        let mut known: Vec<&str> = Vec::new();
        for point in &analysis.run.points {
            if !known.contains(&point.variant.as_str()) {
                known.push(&point.variant);
            }
        }
        if known.contains(&variant.as_str()) {
            return Ok(());
        }
        let problem = format!("--variants {variant}: {name} has no such variant; {}", instead(variant, &known));
        Err(Failure::Usage(problem))
    };
    Failure::all_of(names.into_iter().zip(analyses).zip(variants).map(has))?;
    for name in ignored {
        let parameters: Vec<&str> = one.parameters.iter().map(|parameter| parameter.name).collect();
        if !parameters.contains(&name.as_str()) {
            let allowed = instead(name, &parameters);
            return Err(Failure::Usage(format!("--ignore {name}: {} has no such parameter; {allowed}", one.name)));
        }
        for (run, analysis) in names.into_iter().zip(analyses) {
            let values = values(analysis, name);
            if values.len() > 1 {
                return Err(Failure::Usage(format!(
                    "--ignore {name}: {run} has the values {}, but a parameter can be ignored only if each run has one value \
                     of it",
                    values.iter().take(5).cloned().collect::<Vec<_>>().join(", ")
                )));
            }
        }
    }
    Ok(())
}

/// The values that a run has of a parameter.
fn values(analysis: &Analysis, name: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in analysis.run.points.iter().filter_map(|point| point.value(name)) {
        if !values.iter().any(|own| *own == value) {
            values.push(value.into_owned());
        }
    }
    values
}

/// What the sentence calls the two: by their variants, and their devices or runs where these are two.
fn called(names: [&String; 2], analyses: [&Analysis; 2], variants: [&String; 2]) -> [String; 2] {
    if std::ptr::eq(analyses[0], analyses[1]) {
        return variants.map(Clone::clone);
    }
    let devices = analyses.map(|analysis| analysis.run.metadata.device.name.clone());
    let is_apart = devices[0] != devices[1];
    let name = |side: usize| {
        if is_apart {
            format!("{} on {}", variants[side], devices[side])
        } else {
            format!("{} of {}", variants[side], names[side])
        }
    };
    [name(0), name(1)]
}

/// Why no points belong together: parameters of which the two have no value in common.
fn nothing_in_common(names: [&String; 2], analyses: [&Analysis; 2], called: &[String; 2]) -> Failure {
    let why = why_apart(names, analyses);
    Failure::Usage(format!("{} and {} have no point in common: {why}", called[0], called[1]))
}

/// Why two runs of these names have no point in common: their values of the parameters that keep them apart, and what to do.
pub(super) fn why_apart(names: [&String; 2], analyses: [&Analysis; 2]) -> String {
    let differs = |name: &str| {
        let [one, other] = analyses.map(|analysis| values(analysis, name));
        (!one.is_empty() && !other.is_empty() && !one.iter().any(|value| other.contains(value)))
            .then(|| format!("{name} is {} in {} and {} in {}", one.join(", "), names[0], other.join(", "), names[1]))
    };
    let all = analyses[0].scenario.family.parameters.iter().filter_map(|parameter| differs(parameter.name));
    let all: Vec<String> = all.collect();
    if all.is_empty() {
        "no point of one has a time where the other has one".to_owned()
    } else {
        format!("{}; --ignore matches points across a parameter", all.join("; "))
    }
}

fn notes(runs: &[Analysis], called: &[String; 2], versus: &Versus) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for (side, unmatched) in [versus.unmatched.0, versus.unmatched.1].into_iter().enumerate() {
        if unmatched > 0 {
            let (own, other) = (&called[side], &called[1 - side]);
            let have = if unmatched == 1 { "has" } else { "have" };
            notes.push(format!("{} of {own} {have} no counterpart in {other}", count(unmatched, "point")));
        }
    }
    if let [only] = runs {
        notes.extend(of_one_process(&only.run.points));
    }
    let is_simulated = |run: &&Analysis| run.run.metadata.device.origin == Origin::Simulated;
    let simulated = runs.iter().filter(is_simulated).count();
    if simulated > 0 && simulated < runs.len() {
        notes.push("one of the two is simulated: part of the difference is the simulation's error".to_owned());
    }
    for Analysis { run, scenario, .. } in runs {
        let points = run.for_known_errors(scenario.family);
        let own = [known_error::short(known(), &points), known_error::small_in_short(&points)];
        for note in own.into_iter().flatten() {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

fn print(
    arguments: &Arguments,
    runs: &[Analysis],
    called: &[String; 2],
    versus: &Versus,
    notes: &[String],
) -> Result<(), Failure> {
    for (mark, (name, Analysis { run, scenario, .. })) in MARKS.iter().zip(arguments.runs.iter().zip(runs)) {
        let first = if runs.len() == 1 { String::new() } else { format!("{mark:<6} ") };
        paragraph(&first, &format!("{name}: {}, {}", scenario.title, run.metadata.device.label()))?;
    }
    line("")?;
    paragraph("", &versus.sentence)?;
    line("")?;
    notes.iter().try_for_each(|note| paragraph("note: ", note))?;
    let points = if arguments.all || is_verbose() {
        &versus.points[..]
    } else {
        &versus.points[..POINTS_MAX.min(versus.points.len())]
    };
    // Of two runs the names are too long for the head of a column.
    let heads: [&str; 2] = if runs.len() == 1 { [&called[0], &called[1]] } else { MARKS };
    print_points(points, heads, versus.axis)?;
    if points.len() < versus.points.len() {
        line(format!("   and {} more; --all shows all", versus.points.len() - points.len()))?;
    }
    Ok(())
}
