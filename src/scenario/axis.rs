//! The values of one parameter: a scalar, a list or a range.

use toml::de::{DeTable, DeValue};

use super::keys::{Allowed, Key, names};
use crate::parameter::{Kind, Parameter, Value};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Node, Section, noun, whole};
use located_toml::words::{count, instead, near, quote, shorten};

/// Longest repetition of what [`Kind::check`] says, which quotes the value.
const PHRASE_MAX: usize = 160;

/// Most labels of one problem.
const LABELS_MAX: usize = 5;

/// The keys of a range.
pub(super) const RANGE_KEYS: [Key; 4] = [
    Key::new("from", Allowed::Other("a whole number"), "required", "the first value"),
    Key::new(
        "to",
        Allowed::Other("a whole number"),
        "required",
        "no value is larger; the last one where the steps hit it",
    ),
    Key::new(
        "step",
        Allowed::Other("a whole number from 1 on"),
        "this or `times` is required",
        "each value is this much larger",
    ),
    Key::new(
        "times",
        Allowed::Other("a whole number from 2 on"),
        "this or `step` is required",
        "each value is this many times as large",
    ),
];

/// The values of one parameter, in order.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) parameter: &'static str,
    pub(super) values: Vec<Value>,
    /// The place of each value; a range's values share the range's.
    pub(super) places: Vec<Place>,
    /// The place of all values together.
    pub(super) place: Place,
    /// How many values were written, valid or not; `None` where that cannot be told.
    pub(super) count: Option<usize>,
}

/// Reads the values of `parameter`.
pub(super) fn read(
    parameter: &'static Parameter,
    node: Node<'_>,
    max_points: usize,
    problems: &mut Problems,
) -> Column {
    match node.value {
        DeValue::Array(items) => {
            let cells: Vec<Node<'_>> = items
                .iter()
                .map(|item| Node { value: item.get_ref(), place: Place::new(node.place.source, item.span()) })
                .collect();
            let values = scalars(parameter, &cells, problems);
            list(parameter, node.place, cells.len(), values, problems)
        }
        DeValue::Table(table) => range(parameter, table, node.place, max_points, problems),
        _ => {
            let values = scalars(parameter, &[node], problems);
            list(parameter, node.place, 1, values, problems)
        }
    }
}

/// Checks what holds for the values of any parameter.
pub(super) fn check_shape(parameter: &str, node: Node<'_>, problems: &mut Problems) {
    const SHAPES: &str = "a value is a whole number, text, a list of these, or a range of whole numbers";
    let mut scalar = |value: &DeValue<'_>, place: Place| {
        if !matches!(value, DeValue::String(_) | DeValue::Integer(_)) {
            let message = format!("{}: {} is neither a whole number nor text", quote(parameter), noun(value));
            problems.push(Problem::new(message).at(place).help(SHAPES));
        }
    };
    match node.value {
        DeValue::Array(items) => {
            items.iter().for_each(|item| scalar(item.get_ref(), Place::new(node.place.source, item.span())));
            if items.is_empty() {
                let message = format!("{} has no values, so the grid would have no points", quote(parameter));
                problems.push(Problem::new(message).at(node.place).help(SHAPES).absence());
            }
        }
        DeValue::Table(table) => {
            bounds(parameter, &Section::new(table, node.place), problems);
        }
        value => scalar(value, node.place),
    }
}

/// Checks a list of values that were written one by one.
pub(super) fn list(
    parameter: &'static Parameter,
    place: Place,
    count: usize,
    cells: Vec<(Value, Place)>,
    problems: &mut Problems,
) -> Column {
    if count == 0 {
        problems.push(
            Problem::new(format!("`{}` has no values, so the grid would have no points", parameter.name))
                .at(place)
                .help(format!("expected {}", parameter.kind.expectation()))
                .absence(),
        );
    }
    let wrong: Vec<(&Value, Place, String)> = cells
        .iter()
        .filter_map(|(value, place)| Some((value, *place, parameter.kind.check(value).err()?)))
        .map(|(value, place, phrase)| (value, place, shorten(&phrase, PHRASE_MAX)))
        .collect();
    if let [(value, place, phrase), others @ ..] = wrong.as_slice() {
        let help = match parameter.kind {
            Kind::Choice(names) => meant(names, wrong.iter().map(|(value, ..)| *value)),
            kind => correction(kind, value),
        };
        let problem = if others.is_empty() {
            Problem::new(format!("`{}`: {phrase}", parameter.name)).at(*place)
        } else {
            let message =
                format!("`{}`: {} are not allowed", parameter.name, located_toml::words::count(wrong.len(), "value"));
            wrong
                .iter()
                .take(LABELS_MAX)
                .fold(Problem::new(message), |problem, (_, place, phrase)| problem.label(*place, phrase.as_str()))
        };
        problems.push(problem.help(help));
    }
    let (values, places) = cells.into_iter().unzip();
    Column { parameter: parameter.name, values, places, place, count: (count > 0).then_some(count) }
}

/// The scalars among the values; what is no scalar is reported.
fn scalars(parameter: &Parameter, cells: &[Node<'_>], problems: &mut Problems) -> Vec<(Value, Place)> {
    cells
        .iter()
        .filter_map(|cell| {
            let problem = match cell.value {
                DeValue::String(text) => return Some((Value::Text(text.to_string()), cell.place)),
                DeValue::Integer(integer) => match whole(cell.value) {
                    Some(number) => return Some((Value::Integer(number), cell.place)),
                    None => {
                        format!("`{}`: {} is out of range", parameter.name, shorten(&integer.to_string(), 40))
                    }
                },
                DeValue::Float(float) => {
                    let float = shorten(float.as_str(), 40);
                    format!("`{}`: {float} is a decimal number, not {}", parameter.name, nature(parameter.kind))
                }
                other => {
                    format!("`{}`: {} is not {}", parameter.name, noun(other), nature(parameter.kind))
                }
            };
            let problem = Problem::new(problem).at(cell.place);
            problems.push(problem.help(format!("expected {}", parameter.kind.expectation())));
            None
        })
        .collect()
}

/// What a single value of this kind is.
fn nature(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer { .. } => "a whole number",
        Kind::Choice(_) | Kind::Weights { .. } => "text",
    }
}

/// What is allowed, and what the value was probably meant to be.
fn correction(kind: Kind, value: &Value) -> String {
    let expected = format!("expected {}", kind.expectation());
    match (kind, value) {
        (Kind::Weights { .. }, Value::Integer(number)) => format!("write it in quotes, \"{number}\"; {expected}"),
        (Kind::Integer { .. }, Value::Text(text)) => match text.trim().parse::<i64>() {
            Ok(number) => format!("write {number} without quotes; {expected}"),
            Err(_) => match located_toml::words::multiplied(text.trim()) {
                Some(number) if kind.check(&Value::Integer(number)).is_ok() => {
                    format!("write {number}: a number has no unit; {expected}")
                }
                Some(_) => format!("a number has no unit; {expected}"),
                None if text.contains("..") || text.contains(':') => {
                    format!("a range is {{ from = 1, to = 32, step = 1 }}; {expected}")
                }
                None if text.trim().starts_with(|letter: char| letter.is_ascii_digit()) => {
                    format!("a number has no unit; {expected}")
                }
                None => expected,
            },
        },
        _ => expected,
    }
}

/// The names that values were probably meant to be, and all that are allowed.
fn meant<'v>(names: &'static [&'static str], values: impl Iterator<Item = &'v Value>) -> String {
    let expected = format!("expected {}", Kind::Choice(names).expectation());
    let mut told: Vec<String> = Vec::new();
    for value in values {
        let Value::Text(text) = value else { continue };
        let near = scope_in_ptx(text, names).map_or_else(|| near(text, names), |scope| vec![scope]);
        let near = near.iter().map(|near| format!("\"{near}\"")).collect::<Vec<_>>().join(" or ");
        if !near.is_empty() && !told.contains(&near) {
            told.push(near);
        }
    }
    if told.is_empty() { expected } else { format!("did you mean {}? {expected}", told.join(", ")) }
}

/// What PTX calls scopes, and what they are called here.
const SCOPES_IN_PTX: [(&str, &str); 3] = [("cta", "block"), ("gpu", "device"), ("sys", "system")];

/// The scope that a word of PTX means (`cta`, `.gpu`), where it is one of these names.
fn scope_in_ptx(word: &str, names: &[&'static str]) -> Option<&'static str> {
    let word = word.trim().trim_start_matches('.').to_lowercase();
    let (_, scope) = SCOPES_IN_PTX.iter().find(|(own, _)| *own == word)?;
    names.iter().find(|name| *name == scope).copied()
}

/// How a range goes on.
#[derive(Debug, Clone, Copy)]
enum Progress {
    Step(i64),
    Times(i64),
}

impl Progress {
    fn next(self, value: i64) -> Option<i64> {
        match self {
            Self::Step(step) => value.checked_add(step),
            Self::Times(factor) => value.checked_mul(factor),
        }
    }
}

/// Reads `{ from, to, step }` or `{ from, to, times }`. The end is included where the steps hit it.
fn range(
    parameter: &'static Parameter,
    table: &DeTable<'_>,
    place: Place,
    max_points: usize,
    problems: &mut Problems,
) -> Column {
    let mut column = Column { parameter: parameter.name, values: vec![], places: vec![], place, count: None };
    if !matches!(parameter.kind, Kind::Integer { .. }) {
        problems.push(
            Problem::new(format!("`{}` takes text, which has no range", parameter.name))
                .at(place)
                .help(format!("give a list; expected {}", parameter.kind.expectation())),
        );
        return column;
    }
    let section = Section::new(table, place);
    let Some((from, to, progress)) = bounds(parameter.name, &section, problems) else { return column };
    let wrong = |value: i64| parameter.kind.check(&Value::Integer(value)).err();
    let blame = |key: &str, phrase: String, problems: &mut Problems| {
        let at = section.get(key).map_or(place, |field| field.node.place);
        problems.push(
            Problem::new(format!("`{}`: {phrase}", parameter.name))
                .at(at)
                .help(format!("expected {}", parameter.kind.expectation())),
        );
    };
    if let Some(phrase) = wrong(from) {
        blame("from", phrase, problems);
        return column;
    }
    let mut values = vec![from];
    while let Some(value) = progress.next(values[values.len() - 1]).filter(|value| *value <= to) {
        if let Some(phrase) = wrong(value) {
            let key = match (parameter.kind, progress) {
                (Kind::Integer { min, max, .. }, _) if !(min..=max).contains(&value) => "to",
                (_, Progress::Step(_)) => "step",
                (_, Progress::Times(_)) => "times",
            };
            let phrase = match (key, parameter.kind) {
                ("to", Kind::Integer { max, .. }) => {
                    format!("the range ends at {to}, and the largest value allowed is {max}")
                }
                _ => format!("the range reaches {value}: {phrase}"),
            };
            blame(key, phrase, problems);
            return column;
        }
        if values.len() >= max_points {
            problems.push(
                Problem::new(format!(
                    "`{}` alone has more values than the {max_points} points allowed",
                    parameter.name
                ))
                .at(place)
                .help("take longer steps, or allow more points with --max-points"),
            );
            return column;
        }
        values.push(value);
    }
    column.count = Some(values.len());
    column.places = vec![place; values.len()];
    column.values = values.into_iter().map(Value::Integer).collect();
    column
}

/// The ends and the progress of a range that can be walked.
fn bounds(parameter: &str, section: &Section<'_>, problems: &mut Problems) -> Option<(i64, i64, Progress)> {
    const SHAPE: &str =
        "a range is { from = 1, to = 8, step = 1 } (adds) or { from = 1, to = 8, times = 2 } (multiplies)";
    const KEYS: [&str; 4] = names(&RANGE_KEYS);
    let before = problems.list.len();
    section.deny_unknown("a range", &KEYS, problems, |key| match key {
        "start" | "min" => Some("did you mean `from`? ".to_owned() + SHAPE),
        "end" | "stop" | "max" => Some("did you mean `to`? ".to_owned() + SHAPE),
        "factor" | "multiply" => Some("did you mean `times`? ".to_owned() + SHAPE),
        _ => Some(format!("{}; {SHAPE}", instead(key, &KEYS))),
    });
    let mut number = |key: &str| -> Option<(i64, Field<'_>)> {
        let field = section.get(key)?;
        let value = match field.node.value {
            DeValue::Integer(_) => field.integer(i64::MIN, i64::MAX, problems)?,
            other => {
                problems.push(
                    Problem::new(format!("{} must be a whole number, not {}", quote(key), noun(other)))
                        .at(field.node.place)
                        .help(SHAPE),
                );
                return None;
            }
        };
        Some((value, *field))
    };
    let ends = (number("from"), number("to"));
    let (step, times) = (number("step"), number("times"));
    let missing: Vec<&str> = ["from", "to"].into_iter().filter(|key| section.get(key).is_none()).collect();
    let mut refuse = |problem: Problem| problems.push(problem.help(SHAPE));
    if !missing.is_empty() {
        let missing = located_toml::words::and_list(&missing);
        refuse(Problem::new(format!("the range of `{parameter}` has no {missing}")).at(section.place).absence());
    }
    let progress = match (section.get("step"), section.get("times")) {
        (Some(step), Some(times)) => {
            let message = format!("the range of `{parameter}` has both `step` and `times`");
            refuse(Problem::new(message).label(step.key_place, "adds").label(times.key_place, "multiplies"));
            None
        }
        (None, None) => {
            let message = format!("the range of `{parameter}` has neither `step` nor `times`");
            refuse(Problem::new(message).at(section.place).absence());
            None
        }
        (Some(_), None) => step.and_then(|(step, field)| {
            if step < 1 {
                refuse(Problem::new(format!("`step` must be 1 or more, not {step}")).at(field.node.place));
            }
            (step >= 1).then_some(Progress::Step(step))
        }),
        (None, Some(_)) => times.and_then(|(times, field)| {
            if times < 2 {
                refuse(Problem::new(format!("`times` must be 2 or more, not {times}")).at(field.node.place));
            }
            (times >= 2).then_some(Progress::Times(times))
        }),
    };
    if let (Some((from, start)), Some((to, end))) = &ends
        && from > to
    {
        let message = format!("the range of `{parameter}` starts at {from}, above its end {to}");
        refuse(Problem::new(message).label(start.node.place, "start").label(end.node.place, "end"));
    }
    if let (Some(Progress::Times(_)), Some((from, start))) = (progress, &ends.0)
        && *from < 1
    {
        let message = format!("a range that multiplies must start at 1 or more, not {from}");
        refuse(Problem::new(message).at(start.node.place));
    }
    if problems.list.len() > before {
        return None;
    }
    Some((ends.0?.0, ends.1?.0, progress?))
}

/// Reports values that a list has twice.
pub(super) fn deny_repeats(column: &Column, problems: &mut Problems) {
    // A value's first place; a list may be long, so this does not compare all with all.
    let mut first = std::collections::HashMap::new();
    let repeats: Vec<(&Value, Place, Place)> = column
        .values
        .iter()
        .zip(&column.places)
        .filter_map(|(value, place)| {
            let before = *first.entry(value).or_insert(*place);
            (before != *place).then_some((value, before, *place))
        })
        .collect();
    let Some((value, before, again)) = repeats.first() else { return };
    let more = repeats.len() - 1;
    let tail = if more > 0 { format!(", and {}", count(more, "more repetition")) } else { String::new() };
    problems.push(
        Problem::new(format!("`{}` has {} twice{tail}", column.parameter, quote(&value.to_string())))
            .label(*again, "again")
            .label(*before, "first")
            .help("every point is measured as often as its precision needs: give each value once"),
    );
}
