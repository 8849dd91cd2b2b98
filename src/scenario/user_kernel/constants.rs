//! `[constants]`: variables of the source that the scenario fills.

use super::super::keys::{Allowed, Key, names};
use super::buffers::{self, element};
use crate::user_kernel::{ConstantDescription, Fill};
use located_toml::problem::{Problem, Problems};
use located_toml::section::{Field, Section};
use located_toml::words::quote;

/// The keys of a variable.
pub(in crate::scenario) const KEYS: [Key; 2] = [
    Key::new("type", Allowed::OneOf(buffers::types), "required", "the type of its elements"),
    Key::new(
        "fill",
        Allowed::Other("`\"zeros\"`, `\"iota\"`, `\"uniform\"`, or an expression of `i`"),
        "required",
        "what it holds, as of a buffer. It has as many elements as the source says",
    ),
];

pub(super) fn read(section: &Section<'_>, problems: &mut Problems) -> Vec<ConstantDescription> {
    section.fields.iter().filter_map(|field| constant(field, problems)).collect()
}

fn constant(field: &Field<'_>, problems: &mut Problems) -> Option<ConstantDescription> {
    let own = field.table(problems)?;
    own.deny_unknown("a variable of [constants]", &names(&KEYS), problems, |_| None);
    for key in ["type", "fill"] {
        if own.get(key).is_none() {
            let problem =
                Problem::new(format!("the variable {} has no `{key}`", quote(field.key))).at(own.place).absence();
            problems.push(problem.help("for example: { type = \"f32\", fill = \"uniform\" }"));
        }
    }
    let element = own.get("type").and_then(|field| element(field, problems));
    let given = own.get("fill")?;
    let fill = buffers::fill(given, &["i"], problems)?;
    if matches!(fill, Fill::File(_) | Fill::Poison) {
        let problem = Problem::new(format!("`fill`: the variable {} cannot have this", quote(field.key)));
        let help = "\"zeros\", \"iota\", \"uniform\", or an expression of i, such as 1 / 9";
        problems.push(problem.at(given.node.place).help(help));
        return None;
    }
    Some(ConstantDescription { name: field.key.to_owned(), element: element?, fill, place: field.key_place })
}
