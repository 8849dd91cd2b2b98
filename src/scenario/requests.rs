//! `[[fit]]` and `[[chart]]`: what to make of the measurements.

use crate::document::problem::{Place, Problem, Problems};
use crate::document::section::{Section, deny_duplicates};
use crate::document::words::{instead, nearest, quote};
use crate::family::Family;
use crate::model::law::{LAWS, Law};
use crate::parameter::Kind;

/// A law to fit to the times.
#[derive(Debug, Clone)]
pub struct FitRequest {
    /// The fit's name, unique in the scenario.
    pub name: String,
    /// The law.
    pub law: &'static Law,
}

/// A chart to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartRequest {
    /// The chart's name, unique in the scenario, and that of its files.
    pub name: String,
    /// The words above it.
    pub title: String,
    /// The parameter or predictor along the horizontal axis.
    pub x: String,
    /// The parameters, or `variant`, that tell its lines apart; `None` leaves the choice to the chart.
    pub series: Option<Vec<String>>,
}

/// Reads every `[[fit]]`. Without a family, laws are not held against its predictors.
pub(super) fn fits(
    sections: &[Section<'_>],
    family: Option<&'static Family>,
    problems: &mut Problems,
) -> Vec<FitRequest> {
    let mut fits = Vec::new();
    let mut names: Vec<(String, Place)> = Vec::new();
    for section in sections {
        section.deny_unknown("[[fit]]", &["name", "law"], problems, |key| {
            matches!(key, "model" | "laws").then(|| "did you mean `law`? Allowed: name, law".to_owned())
        });
        let name_field = section.get("name");
        let name = name_field.and_then(|field| field.line("\"per-branch\"", problems));
        let Some(field) = section.get("law") else {
            let help = format!("give its law: {}", law_names(family).join(", "));
            problems.push(Problem::new("a [[fit]] without `law`").at(section.place).help(help).absence());
            continue;
        };
        let Some(wanted) = field.line("\"branches\"", problems) else { continue };
        let Some(law) = Law::find(&wanted) else {
            let message = format!("{} is not a law", quote(&wanted));
            problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &law_names(family))));
            continue;
        };
        if let Some(family) = family
            && family.predictor(law.predictor).is_none()
        {
            let message =
                format!("the law `{wanted}` needs the predictor `{}`, which `{}` has not", law.predictor, family.name);
            let help = format!("laws for this family: {}", law_names(Some(family)).join(", "));
            problems.push(Problem::new(message).at(field.node.place).help(help));
            continue;
        }
        let place = name_field.map_or(field.node.place, |field| field.node.place);
        let name = name.unwrap_or_else(|| law.name.to_owned());
        names.push((name.clone(), place));
        fits.push(FitRequest { name, law });
    }
    deny_duplicates("the fit", &names, "give one of them another `name` (without one it has its law's)", problems);
    fits
}

/// The laws whose predictor the family has.
fn law_names(family: Option<&Family>) -> Vec<&'static str> {
    let fits = |law: &&Law| family.is_none_or(|family| family.predictor(law.predictor).is_some());
    LAWS.iter().filter(fits).map(|law| law.name).collect()
}

/// Reads every `[[chart]]`. Without a family, its axis and series are not held against the parameters.
pub(super) fn charts(
    sections: &[Section<'_>],
    family: Option<&'static Family>,
    title: &str,
    problems: &mut Problems,
) -> Vec<ChartRequest> {
    let mut charts = Vec::new();
    let mut names: Vec<(String, Place)> = Vec::new();
    for section in sections {
        section.deny_unknown("[[chart]]", &["name", "title", "x", "series"], problems, |key| {
            matches!(key, "y").then(|| "y is always the time. Allowed: name, title, x, series".to_owned())
        });
        let name_field = section.get("name");
        let name = name_field.map_or(Some("runtime".to_owned()), |field| field.file_name("\"runtime\"", problems));
        let title =
            section.get("title").and_then(|field| field.line("\"Runtime\"", problems)).unwrap_or(title.to_owned());
        let x = x(section, family, problems);
        let series = section.get("series").and_then(|field| {
            let texts = field.texts("[\"variant\"]", problems)?;
            check_series(&texts, family, x.as_deref(), problems);
            Some(texts.into_iter().map(|(text, _)| text).collect())
        });
        if let Some(name) = name {
            names.push((name.clone(), name_field.map_or(section.place, |field| field.node.place)));
            charts.push(ChartRequest { name, title, x: x.unwrap_or_default(), series });
        }
    }
    deny_duplicates("the chart", &names, "give one of them another `name` (without one it is \"runtime\")", problems);
    charts
}

/// What a chart can have along its axis: parameters that are numbers, and predictors.
fn x_names(family: &Family) -> Vec<&'static str> {
    let numeric = family.parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Integer { .. }));
    let predictors = family.predictors.iter().map(|predictor| predictor.name);
    numeric.map(|parameter| parameter.name).chain(predictors).collect()
}

fn x(section: &Section<'_>, family: Option<&Family>, problems: &mut Problems) -> Option<String> {
    let Some(field) = section.get("x") else {
        let help = match family {
            Some(family) => format!("give what lies along the chart's axis: {}", x_names(family).join(", ")),
            None => "give what lies along the chart's axis: x = \"branches\"".to_owned(),
        };
        problems.push(Problem::new("a [[chart]] without `x`").at(section.place).help(help).absence());
        return None;
    };
    let wanted = field.line("\"branches\"", problems)?;
    if let Some(family) = family {
        let names = x_names(family);
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

fn check_series(texts: &[(String, Place)], family: Option<&Family>, x: Option<&str>, problems: &mut Problems) {
    deny_duplicates("the series", texts, "name each parameter once", problems);
    let Some(family) = family else { return };
    let mut names = vec!["variant"];
    names.extend(family.parameters.iter().map(|parameter| parameter.name));
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
