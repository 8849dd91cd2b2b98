//! `--set PARAM=VALUES`: overrides of the grid on the command line.

use toml::de::DeValue;

use super::axis::{self, Column};
use super::options::is_option;
use crate::family::Family;
use crate::parameter::{Kind, Parameter, Value};
use located_toml::problem::{Place, Problem, Problems, Source};
use located_toml::section::{self, Section};
use located_toml::words::{instead, quote, same_name};

/// What is accepted, for help.
const SHAPE: &str = "for example: --set branches=1,2,4 or --set 'branches={ from = 1, to = 8, step = 1 }'";

/// Keys of a scenario that are no parameters, and that people try to set.
const SCENARIO_KEYS: [&str; 9] =
    ["name", "title", "source", "family", "variants", "precision_pct", "budget_s", "samples_min", "samples_max"];

/// The new values of a parameter.
#[derive(Debug, Clone)]
pub(super) struct Override {
    pub(super) column: Column,
    /// The values as TOML, to put into the scenario's text.
    pub(super) toml: String,
}

/// Reads all overrides. Without a family, because the scenario names none or an unknown one, only their form is checked.
pub(super) fn read(
    arguments: &[String],
    family: Option<&'static Family>,
    max_points: usize,
    problems: &mut Problems,
) -> Vec<Override> {
    let mut overrides: Vec<Override> = Vec::new();
    let mut names: Vec<(String, Place)> = Vec::new();
    for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| !is_option(argument)) {
        let source = Source::Override(index);
        let Some((name, values)) = argument.split_once('=') else {
            let whole = Place::new(source, 0..argument.len());
            problems.push(Problem::new("an override needs a parameter, `=` and values").at(whole).help(SHAPE));
            continue;
        };
        let start = name.len() - name.trim_start().len();
        let place = Place::new(source, start..start + name.trim().len());
        let name = name.trim();
        let values_start = argument.len() - values.len();
        names.push((name.to_owned(), place));
        let Some(family) = family else { continue };
        let same = || family.parameters.iter().find(|parameter| same_name(parameter.name, name));
        let Some(parameter) = family.parameter(name).or_else(same) else {
            let parameters: Vec<&str> = family.parameters.iter().map(|parameter| parameter.name).collect();
            let message = if name.is_empty() {
                "an override needs a parameter before `=`".to_owned()
            } else {
                format!("{} is not a parameter of `{}`", quote(name), family.name)
            };
            let help = if SCENARIO_KEYS.contains(&name) {
                "it is a key of the scenario file and is set there; --set is for parameters".to_owned()
            } else {
                instead(name, &parameters)
            };
            problems.push(Problem::new(message).at(place).help(help));
            continue;
        };
        let written = values.trim_start();
        let given = if written.starts_with(['[', '{', '"', '\'']) {
            toml_values(parameter, argument, source, max_points, problems)
        } else {
            Some(bare_values(parameter, argument, values_start, source, problems))
        };
        overrides.extend(given);
    }
    section::deny_duplicates("the override of", &names, "give all values of a parameter in one --set", problems);
    overrides
}

/// Values written as TOML: the argument as a whole is a line of TOML then.
fn toml_values(
    parameter: &'static Parameter,
    argument: &str,
    source: Source,
    max_points: usize,
    problems: &mut Problems,
) -> Option<Override> {
    let before = problems.list.len();
    let (table, _) = section::parse(argument, source, problems);
    for problem in problems.list.iter_mut().skip(before) {
        problem.help = Some(format!("several values need brackets, text needs quotes; {SHAPE}"));
    }
    if problems.list.len() > before {
        return None;
    }
    let section = Section::new(table.get_ref(), Place::new(source, 0..argument.len()));
    let [field] = section.fields.as_slice() else {
        let at = section.fields.get(1).map_or(section.place, |field| field.key_place);
        problems.push(Problem::new("an override sets one parameter").at(at).help("give a --set for each"));
        return None;
    };
    let column = axis::read(parameter, field.node, max_points, problems);
    let toml = argument.get(field.node.place.start..field.node.place.end)?.to_owned();
    Some(Override { column, toml })
}

/// Values written as `a,b,c`.
fn bare_values(
    parameter: &'static Parameter,
    argument: &str,
    start: usize,
    source: Source,
    problems: &mut Problems,
) -> Override {
    let mut cells: Vec<(Value, Place)> = Vec::new();
    let mut number = 0;
    let mut offset = start;
    let values = argument.get(start..).unwrap_or_default();
    let place = Place::new(source, start..argument.len());
    for item in values.split(',').filter(|_| !values.trim().is_empty()) {
        let item_start = offset + item.len() - item.trim_start().len();
        let item_place = Place::new(source, item_start..item_start + item.trim().len());
        offset += item.len() + 1;
        number += 1;
        let item = item.trim();
        if item.is_empty() {
            problems.push(Problem::new("a value is missing between the commas").at(item_place).help(SHAPE));
        } else if matches!(parameter.kind, Kind::Integer { .. }) {
            match DeValue::parse(item).as_ref().map(|value| (section::whole(value.get_ref()), value.get_ref())) {
                Ok((Some(whole), _)) => cells.push((Value::Integer(whole), item_place)),
                Ok((None, DeValue::Integer(_) | DeValue::Float(_))) => problems.push(
                    Problem::new(format!("`{}`: {} is not a whole number that fits", parameter.name, quote(item)))
                        .at(item_place)
                        .help(format!("expected {}", parameter.kind.expectation())),
                ),
                _ => cells.push((Value::Text(item.to_owned()), item_place)),
            }
        } else {
            cells.push((Value::Text(item.to_owned()), item_place));
        }
    }
    let scalars: Vec<String> = cells.iter().map(|(value, _)| as_toml(value)).collect();
    let toml = match scalars.as_slice() {
        [scalar] => scalar.clone(),
        scalars => format!("[{}]", scalars.join(", ")),
    };
    Override { column: axis::list(parameter, place, number, cells, problems), toml }
}

fn as_toml(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => toml_edit::Value::from(text.as_str()).to_string(),
    }
}
