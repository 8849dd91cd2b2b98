//! The names that the keys of a chart take, and the messages for other names.

use crate::device::cuda::hardware_counters;
use crate::device::sim;
use crate::family::Family;
use crate::parameter::Kind;
use crate::record::PHASES;
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section, deny_duplicates};
use located_toml::words::{instead, nearest, quote};

/// What a line chart can have along its axis: parameters that are numbers, and predictors.
fn numbers(family: &Family) -> Vec<&'static str> {
    let numeric = family.parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Integer { .. }));
    let predictors = family.predictors.iter().map(|predictor| predictor.name);
    numeric.map(|parameter| parameter.name).chain(predictors).collect()
}

/// What tells points apart: the variant, and every parameter.
fn parts(family: &Family) -> Vec<&'static str> {
    std::iter::once("variant").chain(family.parameters.iter().map(|parameter| parameter.name)).collect()
}

/// What points can be sorted into the columns and rows of a heat map, or into bars, by.
fn any(family: &Family) -> Vec<&'static str> {
    parts(family).into_iter().chain(family.predictors.iter().map(|predictor| predictor.name)).collect()
}

/// The columns of `points.csv`, beside times, whose values a chart can show.
pub(super) fn values(family: Option<&Family>) -> Vec<&'static str> {
    let predictors = family.into_iter().flat_map(|family| family.predictors).map(|predictor| predictor.name);
    let counters = sim::numbers()
        .chain(hardware_counters::names().iter().copied().filter(|name| !sim::numbers().any(|own| own == *name)));
    predictors.chain(PHASES.iter().map(|phase| phase.name)).chain(counters).collect()
}

/// Reads the `x` that a chart of this kind must have. Parameters that are text do for some.
pub(super) fn x(
    section: &Section<'_>,
    text_is_allowed: bool,
    family: Option<&Family>,
    problems: &mut Problems,
) -> Option<String> {
    let names = |family: &Family| if text_is_allowed { any(family) } else { numbers(family) };
    let Some(field) = section.get("x") else {
        let help = match family {
            Some(family) => format!("give what lies along the chart's axis: {}", names(family).join(", ")),
            None => "give what lies along the chart's axis: x = \"branches\"".to_owned(),
        };
        problems.push(Problem::new("a [[chart]] without `x`").at(section.place).help(help).absence());
        return None;
    };
    let wanted = field.line("\"branches\"", problems)?;
    if let Some(family) = family {
        let names = names(family);
        if !names.contains(&wanted.as_str()) {
            let message = if family.parameter(&wanted).is_some() {
                format!("`{wanted}` is text and cannot be a chart's `x`")
            } else {
                format!("{} is neither a parameter nor a predictor of `{}`", quote(&wanted), family.name)
            };
            problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
        }
    }
    Some(wanted)
}

/// What the bars of a ladder are of: its rungs, which the family must have.
pub(super) fn rungs(section: &Section<'_>, family: Option<&Family>, problems: &mut Problems) -> String {
    if let Some(family) = family.filter(|family| !family.is_ladder()) {
        let place = section.get("kind").map_or(section.place, |field| field.node.place);
        let problem = Problem::new(format!("`{}` is not a ladder", family.name)).at(place);
        problems.push(problem.help("draw them as kind = \"bars\""));
    }
    "variant".to_owned()
}

/// Reads the parameter that a heat map's rows are of.
pub(super) fn rows(
    field: &Field<'_>,
    x: Option<&str>,
    family: Option<&Family>,
    problems: &mut Problems,
) -> Option<String> {
    let wanted = field.line("\"block_height\"", problems)?;
    if Some(wanted.as_str()) == x {
        let message = format!("`{wanted}` is the chart's `x` and cannot be its rows too");
        problems.push(Problem::new(message).at(field.node.place).help("name another parameter"));
    } else if let Some(family) = family {
        let names = any(family);
        if !names.contains(&wanted.as_str()) {
            let message = format!("{} is neither a parameter nor a predictor of `{}`", quote(&wanted), family.name);
            problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
        }
    }
    Some(wanted)
}

/// Holds the parameters that tell lines apart, each with its place, against the family.
pub(super) fn check_series(
    texts: &[(String, Place)],
    family: Option<&Family>,
    x: Option<&str>,
    problems: &mut Problems,
) {
    deny_duplicates("the series", texts, "name each parameter once", problems);
    let Some(family) = family else { return };
    let names = parts(family);
    for (text, place) in texts {
        if !names.contains(&text.as_str()) {
            let message = format!("{} is not a parameter of `{}`", quote(text), family.name);
            let meant = nearest(text, &names).map_or(String::new(), |near| format!("did you mean `{near}`? "));
            let help = format!("{meant}a chart's lines differ in: {}", names.join(", "));
            problems.push(Problem::new(message).at(*place).help(help));
        } else if Some(text.as_str()) == x {
            let message = format!("`{text}` is the chart's `x` and cannot tell its lines apart");
            problems.push(Problem::new(message).at(*place).help("leave it out"));
        }
    }
}

/// Reads the parameter whose values get a panel each.
pub(super) fn facets(
    field: &Field<'_>,
    x: Option<&str>,
    series: &[String],
    family: Option<&Family>,
    problems: &mut Problems,
) -> Option<String> {
    let wanted = field.line("\"operation\"", problems)?;
    let taken = if Some(wanted.as_str()) == x {
        Some("is the chart's `x`")
    } else if series.contains(&wanted) {
        Some("tells the chart's lines apart")
    } else {
        None
    };
    if let Some(taken) = taken {
        let message = format!("`{wanted}` {taken} and cannot tell its panels apart too");
        problems.push(Problem::new(message).at(field.node.place).help("name it once"));
    } else if let Some(family) = family {
        let names = parts(family);
        if !names.contains(&wanted.as_str()) {
            let message = format!("{} is not a parameter of `{}`", quote(&wanted), family.name);
            problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
        }
    }
    Some(wanted)
}
