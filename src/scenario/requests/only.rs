//! Reads `only = { ... }`: a fit or a chart of some of the points.

use toml::de::DeValue;

use super::Subject;
use crate::family::Family;
use crate::record::Only;
use crate::scenario::axis;
use crate::scenario::keys::{Allowed, Key};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section};
use located_toml::words::{nearest, quote};

/// The key.
pub(super) const ONLY: Key = Key::new(
    "only",
    Allowed::Other("a table: `{ variant = \"divergent\", block = [128, 256] }`"),
    "all points",
    "takes only the points that have one of these values of each of these parameters",
);

/// Reads `only`. Without a family, its keys and values are taken as they are.
pub(super) fn read(field: &Field<'_>, subject: Subject<'_>, problems: &mut Problems) -> Option<Only> {
    let DeValue::Table(table) = field.node.value else {
        field.wrong_type("a table", "{ variant = \"divergent\" }", problems);
        return None;
    };
    let section = Section::new(table, field.node.place);
    if section.fields.is_empty() {
        let problem = Problem::new("`only` is empty").at(field.node.place);
        problems.push(problem.help("leave it out, or choose points: only = { variant = \"divergent\" }").absence());
        return None;
    }
    let mut conditions = Vec::new();
    for condition in &section.fields {
        if condition.key == "variant" {
            conditions.extend(variants(condition, subject, problems).map(|names| ("variant".to_owned(), names)));
        } else if let Some(family) = subject.family {
            conditions.extend(values(condition, family, problems).map(|values| (condition.key.to_owned(), values)));
        }
    }
    Some(Only { conditions })
}

fn variants(field: &Field<'_>, subject: Subject<'_>, problems: &mut Problems) -> Option<Vec<String>> {
    let example = format!("[\"{}\"]", subject.variants.first().map_or("divergent", |variant| variant.name));
    let names: Vec<(String, Place)> = match field.node.value {
        DeValue::String(text) => vec![(text.to_string(), field.node.place)],
        _ => field.texts(&example, problems)?,
    };
    for (name, place) in &names {
        subject.check_variant(name, |problem| problem.at(*place), problems);
    }
    Some(names.into_iter().map(|(name, _)| name).collect())
}

fn values(field: &Field<'_>, family: &'static Family, problems: &mut Problems) -> Option<Vec<String>> {
    let Some(parameter) = family.parameter(field.key) else {
        let mut names = vec!["variant"];
        names.extend(family.parameters.iter().map(|parameter| parameter.name));
        let message = format!("{} is not a parameter of `{}`", quote(field.key), family.name);
        let meant = nearest(field.key, &names).map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let help = format!("{meant}`only` takes: {}", names.join(", "));
        problems.push(Problem::new(message).at(field.key_place).help(help));
        return None;
    };
    match field.node.value {
        DeValue::Table(_) => {
            field.wrong_type("a value or a list of values", "[1, 2]", problems);
            None
        }
        DeValue::Array(items) if items.is_empty() => {
            let message = format!("`{}` has no values, so the chart would have no points", parameter.name);
            let help = format!("leave it out; expected {}", parameter.kind.expectation());
            problems.push(Problem::new(message).at(field.node.place).help(help).absence());
            None
        }
        _ => {
            let column = axis::read(parameter, field.node, usize::MAX, problems);
            Some(column.values.iter().map(ToString::to_string).collect())
        }
    }
}
