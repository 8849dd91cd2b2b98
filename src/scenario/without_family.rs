//! What is wrong whatever the family is: told where the scenario's family is missing or not known.

use toml::de::DeValue;

use super::axis;
use crate::family::FAMILIES;
use located_toml::problem::{Problem, Problems};
use located_toml::section::{self, Section};
use located_toml::words::{meant as same, nearest, quote};

/// Checks the list of variants, tables of parameters, and what lies along the axes of charts.
pub(super) fn check<'a, 'doc: 'a>(
    root: &Section<'doc>,
    tables: impl Iterator<Item = &'a Section<'doc>>,
    charts: &[Section<'doc>],
    problems: &mut Problems,
) {
    if let Some(texts) = root.get("variants").and_then(|field| field.texts("[\"divergent\"]", problems)) {
        section::deny_duplicates("the variant", &texts, "name each variant once", problems);
        let names: Vec<&str> = FAMILIES.iter().flat_map(|family| family.variants).map(|own| own.name).collect();
        for (text, place) in texts.iter().filter(|(text, _)| same(text, &names).is_none()) {
            let problem = Problem::new(format!("{} is not a variant of any family", quote(text))).at(*place);
            problems.push(problem.help(near(text, &names, "`apbench list FAMILY` has the variants of a family")));
        }
    }
    for field in charts.iter().filter_map(|chart| chart.get("x")) {
        let DeValue::String(text) = field.node.value else { continue };
        let parameters = FAMILIES.iter().flat_map(|family| family.parameters).map(|own| own.name);
        let predictors = FAMILIES.iter().flat_map(|family| family.predictors).map(|own| own.name);
        let names: Vec<&str> = parameters.chain(predictors).chain(["variant"]).collect();
        if !names.contains(&text.as_ref()) {
            let message = format!("{} is neither a parameter nor a predictor of any family", quote(text));
            let all = "`apbench list FAMILY` has the parameters and predictors of a family";
            problems.push(Problem::new(message).at(field.node.place).help(near(text, &names, all)));
        }
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
    near(key, &names, "`apbench list FAMILY` has the parameters of a family")
}

/// The nearest of the names, if one is near, and where all of them are.
fn near(name: &str, names: &[&str], all: &str) -> String {
    nearest(name, names).map_or_else(|| all.to_owned(), |near| format!("did you mean `{near}`? {all}"))
}
