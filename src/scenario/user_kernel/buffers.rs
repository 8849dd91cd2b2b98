//! `[buffers]`: the buffers of a kernel of the user's.

use toml::de::DeValue;

use super::super::keys::{Allowed, Key, names};
use super::{expression, expression_of, identifier};
use crate::user_kernel::{BufferDescription, Fill, Output};
use crate::workload::{Element, Tolerance};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section};
use located_toml::words::{instead, quote};

/// The keys of a buffer.
pub(in crate::scenario) const KEYS: [Key; 6] = [
    Key::new("type", Allowed::OneOf(types), "required", "the type of its elements"),
    Key::new("length", Allowed::Other("an expression"), "required", "how many elements it has"),
    Key::new(
        "fill",
        Allowed::Other(
            "`\"zeros\"`, `\"iota\"`, `\"uniform\"`, `\"poison\"`, or an expression of the parameters and of `i`",
        ),
        "`\"poison\"` with a check, else `\"zeros\"`",
        "what it holds before: zeros; each element's index; random numbers, floats being from 0 to 1; a pattern that shows elements which no thread \
         wrote; or the value of an expression, `i` being the element's index",
    ),
    Key::new(
        "check",
        Allowed::Other("`\"variants agree\"`, `\"none\"`, or an expression of the parameters and of `i`"),
        "`\"none\"`",
        "what it must hold after the launches: what the first variant leaves there, whatever it will, or the value of an expression",
    ),
    Key::new(
        "relative",
        Allowed::Number(0.0, 1.0),
        "0",
        "by how much an element may differ, in parts of what is expected",
    ),
    Key::new("absolute", Allowed::Number(0.0, 1e300), "0", "by how much it may differ besides, in the elements' unit"),
];

fn types() -> Vec<&'static str> {
    Element::ALL.iter().map(|(name, _)| *name).collect()
}

/// The words of `fill` that are no expressions.
const FILLS: [(&str, Fill); 4] =
    [("zeros", Fill::Zeros), ("iota", Fill::Iota), ("uniform", Fill::Uniform), ("poison", Fill::Poison)];

pub(super) fn read(
    section: &Section<'_>,
    numbers: &[&'static str],
    problems: &mut Problems,
) -> Vec<(BufferDescription, Place)> {
    section.fields.iter().filter_map(|field| buffer(field, numbers, problems)).collect()
}

fn buffer(field: &Field<'_>, numbers: &[&'static str], problems: &mut Problems) -> Option<(BufferDescription, Place)> {
    let name = identifier(field, "a buffer", problems);
    let own = field.table(problems)?;
    own.deny_unknown("a buffer", &names(&KEYS), problems, |_| None);
    for key in ["type", "length"] {
        if own.get(key).is_none() {
            let problem =
                Problem::new(format!("the buffer {} has no `{key}`", quote(field.key))).at(own.place).absence();
            problems.push(problem.help("for example: { type = \"f32\", length = \"width * width\" }"));
        }
    }
    let element = own.get("type").and_then(|field| element(field, problems));
    let length = own.get("length").and_then(|field| expression(field, numbers, problems));
    let with_index: Vec<&'static str> = numbers.iter().copied().chain(["i"]).collect();
    let tolerance = Tolerance {
        relative: KEYS[4].number(&own, problems).unwrap_or(0.0),
        absolute: KEYS[5].number(&own, problems).unwrap_or(0.0),
    };
    let output = match own.get("check").map(|field| (field, text(field))) {
        None | Some((_, Some("none"))) => Output::Unchecked,
        Some((_, Some("variants agree"))) => Output::VariantsAgree(tolerance),
        Some((field, _)) => Output::Value(expression_of("check", field.node, &with_index, problems)?, tolerance),
    };
    let fill = match own.get("fill") {
        None if matches!(output, Output::Unchecked) => Fill::Zeros,
        None => Fill::Poison,
        Some(field) => match FILLS.iter().find(|(word, _)| text(field) == Some(word)) {
            Some((_, fill)) => fill.clone(),
            None => Fill::Value(expression_of("fill", field.node, &with_index, problems)?),
        },
    };
    let buffer = BufferDescription { name: name?, element: element?, length: length?, fill, output };
    Some((buffer, field.key_place))
}

fn text<'doc>(field: &Field<'doc>) -> Option<&'doc str> {
    match field.node.value {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

fn element(field: &Field<'_>, problems: &mut Problems) -> Option<Element> {
    let text = field.line("\"f32\"", problems)?;
    let found = Element::ALL.iter().find(|(name, _)| *name == text).map(|(_, element)| *element);
    if found.is_none() {
        let problem = Problem::new(format!("{} is not a type of elements", quote(&text))).at(field.node.place);
        problems.push(problem.help(instead(&text, &types())));
    }
    found
}
