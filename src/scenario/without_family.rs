//! What is wrong whatever the family is: told where the scenario's family is missing or not known.

use super::axis;
use crate::family::FAMILIES;
use located_toml::problem::{Problem, Problems};
use located_toml::section::{self, Section};
use located_toml::words::{nearest, quote};

/// Checks the list of variants, and tables of parameters.
pub(super) fn check<'a, 'doc: 'a>(
    root: &Section<'doc>,
    tables: impl Iterator<Item = &'a Section<'doc>>,
    problems: &mut Problems,
) {
    if let Some(texts) = root.get("variants").and_then(|field| field.texts("[\"divergent\"]", problems)) {
        section::deny_duplicates("the variant", &texts, "name each variant once", problems);
    }
    for field in tables.flat_map(|table| &table.fields) {
        if FAMILIES.iter().all(|family| family.parameter(field.key).is_none()) {
            let problem = Problem::new(format!("{} is not a parameter of any family", quote(field.key)));
            problems.push(problem.at(field.key_place).help(meant(field.key)));
        }
        axis::check_shape(field.key, field.node, problems);
    }
}

/// What was probably meant by a name that is no parameter's.
fn meant(key: &str) -> String {
    if matches!(key, "variant" | "variants") {
        return "variants are not a parameter: list them above [grid], variants = [...]".to_owned();
    }
    let names: Vec<&str> = FAMILIES.iter().flat_map(|family| family.parameters).map(|own| own.name).collect();
    let all = "`apbench list FAMILY` has the parameters of a family";
    nearest(key, &names).map_or_else(|| all.to_owned(), |near| format!("did you mean `{near}`? {all}"))
}
