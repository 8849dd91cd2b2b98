//! `[buffers]`: the buffers of a kernel of the user's.

use toml::de::DeValue;

use super::super::keys::{Allowed, Key, UNBOUNDED, names};
use super::{expression, expression_of, identifier};
use crate::user_kernel::{BufferDescription, Expression, FileKey, FileName, Fill, Output};
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
            "`\"zeros\"`, `\"iota\"`, `\"uniform\"`, `\"poison\"`, an expression of the parameters and of `i`, or a file: `{ file = \"input.npy\" }`, or its name \
             if that ends in .npy, .bin or .raw",
        ),
        "`\"poison\"` with a check, else `\"zeros\"`",
        "what it holds before: zeros; each element's index; random numbers, floats being from 0 to 1; a pattern that shows elements which no thread \
         wrote; the value of an expression, `i` being the element's index; or the elements of a file beside the scenario, an array of NumPy's (.npy) or raw \
         bytes, the lowest first. `{name}` in a file's name stands for the value of a parameter",
    ),
    Key::new(
        "check",
        Allowed::Other(
            "`\"variants agree\"`, `\"none\"`, an expression of the parameters and of `i`, or a file as of `fill`",
        ),
        "`\"none\"`",
        "what it must hold after the launches: what the first variant leaves there, whatever it will, the value of an expression, or \
         the elements of a file",
    ),
    Key::new(
        "relative",
        Allowed::Number(0.0, 1.0),
        "0",
        "by how much an element may differ, in parts of what is expected",
    ),
    Key::new(
        "absolute",
        Allowed::Number(0.0, UNBOUNDED),
        "0",
        "by how much it may differ besides, in the elements' unit",
    ),
];

pub(super) fn types() -> Vec<&'static str> {
    Element::ALL.iter().map(|(name, _)| *name).collect()
}

/// The words of `fill` that are no expressions.
const FILLS: [(&str, Fill); 4] =
    [("zeros", Fill::Zeros), ("iota", Fill::Iota), ("uniform", Fill::Uniform), ("poison", Fill::Poison)];

/// Endings by which a text is known to be the name of a file.
const ENDINGS: [&str; 3] = [".npy", ".bin", ".raw"];

/// Where each buffer names a file.
pub(in crate::scenario) fn file_places(section: &Section<'_>) -> Vec<(String, FileKey, Place)> {
    let of_buffer = |field: &Field<'_>| {
        let DeValue::Table(_) = field.node.value else { return Vec::new() };
        let own = field.table(&mut Problems::default());
        let place = |key: FileKey| Some((field.key.to_owned(), key, own.as_ref()?.get(key.name())?.node.place));
        [FileKey::Fill, FileKey::Check].into_iter().filter_map(place).collect()
    };
    section.fields.iter().flat_map(of_buffer).collect()
}

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
    let fill = own.get("fill").map(|field| fill(field, &with_index, problems));
    let output = match own.get("check").map(|field| (field, text(field))) {
        None | Some((_, Some("none"))) => Output::Unchecked,
        Some((_, Some("variants agree"))) => Output::VariantsAgree(tolerance),
        Some((field, _)) => match contents(field, &with_index, problems)? {
            Given::File(name) => Output::File(name, tolerance),
            Given::Value(value) => Output::Value(value, tolerance),
        },
    };
    let fill = match fill {
        None if matches!(output, Output::Unchecked) => Fill::Zeros,
        None => Fill::Poison,
        Some(fill) => fill?,
    };
    let buffer = BufferDescription { name: name?, element: element?, length: length?, fill, output };
    Some((buffer, field.key_place))
}

/// What is written to elements, of an expression with these names.
pub(super) fn fill(field: &Field<'_>, names: &[&'static str], problems: &mut Problems) -> Option<Fill> {
    if let Some((_, fill)) = FILLS.iter().find(|(word, _)| text(field) == Some(word)) {
        return Some(fill.clone());
    }
    if is_unknown_word(field, names) {
        let (given, words) = (text(field).unwrap_or_default(), FILLS.map(|(word, _)| word));
        let known: Vec<&str> = words.into_iter().chain(names.iter().copied()).collect();
        let problem = Problem::new(format!("`fill`: {} is not known", quote(given))).at(field.node.place);
        let help = format!("{}, or an expression such as i % 7, or a file such as input.npy", instead(given, &known));
        problems.push(problem.help(help));
        return None;
    }
    contents(field, names, problems).map(|given| match given {
        Given::File(name) => Fill::File(name),
        Given::Value(value) => Fill::Value(value),
    })
}

/// Whether a field is a single word, which is no name that expressions have.
fn is_unknown_word(field: &Field<'_>, names: &[&'static str]) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_word = |own: &str| own.starts_with(|first: char| first.is_ascii_alphabetic()) && own.chars().all(is_letter);
    text(field).is_some_and(|own| is_word(own) && !names.contains(&own))
}

/// What elements come from.
enum Given {
    File(FileName),
    Value(Expression),
}

/// The file or the expression that elements come from.
fn contents(field: &Field<'_>, names: &[&'static str], problems: &mut Problems) -> Option<Given> {
    const EXAMPLE: &str = "{ file = \"input.npy\" }";
    if let DeValue::Table(_) = field.node.value {
        let own = field.table(problems)?;
        own.deny_unknown("a file", &["file"], problems, |_| None);
        let Some(file) = own.get("file") else {
            let problem = Problem::new(format!("`{}` names no `file`", field.key)).at(field.node.place).absence();
            problems.push(problem.help(format!("for example: {} = {EXAMPLE}", field.key)));
            return None;
        };
        return file_name(file, "\"input.npy\"", problems).map(Given::File);
    }
    if text(field).is_some_and(|text| ENDINGS.iter().chain(&[ARCHIVE]).any(|ending| text.ends_with(ending))) {
        return file_name(field, "\"input.npy\"", problems).map(Given::File);
    }
    expression_of(field.key, field.node, names, problems).map(Given::Value)
}

/// How the name of an archive of arrays ends, which is none.
const ARCHIVE: &str = ".npz";

fn file_name(field: &Field<'_>, example: &str, problems: &mut Problems) -> Option<FileName> {
    let name = field.line(example, problems)?;
    if name.ends_with(ARCHIVE) {
        let problem = Problem::new(format!("{} is an archive of several arrays", quote(&name))).at(field.node.place);
        problems.push(problem.help("save the array alone, with numpy.save, and name its .npy file"));
        return None;
    }
    Some(FileName::new(&name))
}

fn text<'doc>(field: &Field<'doc>) -> Option<&'doc str> {
    match field.node.value {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

pub(super) fn element(field: &Field<'_>, problems: &mut Problems) -> Option<Element> {
    let text = field.line("\"f32\"", problems)?;
    let found = Element::ALL.iter().find(|(name, _)| *name == text).map(|(_, element)| *element);
    if found.is_none() {
        let problem = Problem::new(format!("{} is not a type of elements", quote(&text))).at(field.node.place);
        problems.push(problem.help(instead(&text, &types())));
    }
    found
}
