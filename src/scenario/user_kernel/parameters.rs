//! `[parameters]`: the parameters of a kernel of the user's.

use toml::de::DeValue;

use super::super::keys::{Allowed, Key, names};
use super::{c_identifier_of, identifier};
use crate::parameter::{Default, Kind, Parameter, Value};
use crate::user_kernel::interned;
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section};

/// The keys of a parameter.
pub(in crate::scenario) const KEYS: [Key; 7] = [
    Key::new(
        "default",
        Allowed::Other("a whole number, or one of `one_of`"),
        "required",
        "its value where the grid is silent",
    ),
    Key::new("from", Allowed::Whole(0, i64::MAX), "0", "the least value"),
    Key::new("to", Allowed::Whole(0, i64::MAX), "2^40", "the largest value"),
    Key::new("multiple_of", Allowed::Whole(1, i64::MAX), "1", "every value is a multiple of this"),
    Key::new(
        "one_of",
        Allowed::Other("a list of text"),
        "none",
        "the values of a parameter that is a choice; expressions cannot have it",
    ),
    Key::new(
        "define",
        Allowed::Text,
        "none",
        "the name that the compiler gets its value as: each value is compiled apart",
    ),
    Key::new("summary", Allowed::Text, "the name", "what it is, with its unit"),
];

/// The largest value where the scenario says none.
const LARGEST: i64 = 1 << 40;

/// The parameters that a scenario describes.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) all: Vec<Parameter>,
    pub(super) places: Vec<(&'static str, Place)>,
    /// The names of all that are no choices, wrong ones among them, so that one mistake is told once.
    pub(super) numbers: Vec<&'static str>,
    /// Those that are compiled in, with the name that the source has for them.
    pub(super) defined: Vec<(&'static str, String)>,
}

pub(super) fn read(section: &Section<'_>, problems: &mut Problems) -> Parameters {
    let mut parameters = Parameters::default();
    for field in &section.fields {
        let named = identifier(field, "a parameter", problems);
        let own = field.table(problems);
        if own.as_ref().is_none_or(|own| own.get("one_of").is_none()) {
            parameters.numbers.push(interned(field.key));
        }
        let (Some(name), Some(own)) = (named, own) else { continue };
        own.deny_unknown("a parameter", &names(&KEYS), problems, |_| None);
        if let Some(define) = own.get("define")
            && let Some(text) = define.line("\"TILE\"", problems)
            && let Some(text) = c_identifier_of(&text, define.node.place, problems)
        {
            parameters.defined.push((name, text));
        }
        let summary = own.get("summary").and_then(|field| field.line("\"elements of a row\"", problems));
        let summary = interned(summary.as_deref().unwrap_or(name));
        let kind = if own.get("one_of").is_some() { choice(&own, problems) } else { whole(&own, problems) };
        let default = own.get("default").map(|field| (field, default(field, problems)));
        if default.is_none() {
            let problem = Problem::new(format!("the parameter `{name}` has no `default`")).at(own.place).absence();
            problems.push(problem.help(format!("for example: {name} = {{ default = 1024, from = 1, to = 65536 }}")));
        }
        let (Some(kind), Some((field, Some((value, default))))) = (kind, default) else { continue };
        if let Err(phrase) = kind.check(&value) {
            let problem = Problem::new(format!("`default` of `{name}`: {phrase}")).at(field.node.place);
            problems.push(problem.help(format!("expected {}", kind.expectation())));
            continue;
        }
        parameters.places.push((name, field.key_place));
        parameters.all.push(Parameter { name, summary, kind, default });
    }
    parameters
}

fn default(field: &Field<'_>, problems: &mut Problems) -> Option<(Value, Default)> {
    if let DeValue::String(_) = field.node.value {
        let text = interned(&field.line("\"row\"", problems)?);
        return Some((Value::from(text), Default::Text(text)));
    }
    let number = field.integer(0, i64::MAX, problems)?;
    Some((Value::Integer(number), Default::Integer(number)))
}

fn whole(section: &Section<'_>, problems: &mut Problems) -> Option<Kind> {
    let mut number = |key: &Key, default: i64| match section.get(key.name) {
        Some(_) => key.whole(section, problems),
        None => Some(default),
    };
    let (min, max, multiple_of) = (number(&KEYS[1], 0)?, number(&KEYS[2], LARGEST)?, number(&KEYS[3], 1)?);
    if min > max {
        let mut problem = Problem::new(format!("`from` is {min}, above `to`, which is {max}"));
        for field in ["from", "to"].into_iter().filter_map(|key| section.get(key)) {
            problem = problem.label(field.node.place, "");
        }
        problems.push(problem.help("the least value comes first"));
        return None;
    }
    Some(Kind::Integer { min, max, multiple_of })
}

fn choice(section: &Section<'_>, problems: &mut Problems) -> Option<Kind> {
    let texts = section.get("one_of")?.texts("[\"row\", \"column\"]", problems)?;
    for key in ["from", "to", "multiple_of"] {
        if let Some(field) = section.get(key) {
            let problem = Problem::new(format!("a choice has no `{key}`")).at(field.key_place);
            problems.push(problem.help("leave it out, or leave `one_of` out"));
        }
    }
    let names: Vec<&'static str> = texts.iter().map(|(text, _)| interned(text)).collect();
    Some(Kind::Choice(names.leak()))
}
