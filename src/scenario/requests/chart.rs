//! `[[chart]]`: what to draw.

use super::only::{self, Only};
use super::{Subject, choice, reference};
use crate::document::problem::{Place, Problem, Problems};
use crate::document::section::{Section, deny_duplicates};
use crate::document::words::{instead, nearest, quote};
use crate::family::Family;
use crate::parameter::Kind;

const KEYS: [&str; 9] = ["name", "title", "x", "x_scale", "y", "y_scale", "reference", "series", "only"];

/// How an axis places its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal differences are equally far apart; the vertical axis starts at zero.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; ticks at powers of two if the integers x begin and end at such, else of ten.
    Log,
}

/// What lies along a chart's vertical axis.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Vertical {
    /// The median time.
    #[default]
    Time,
    /// What must move through device memory, in 10^9 bytes a second.
    Throughput,
    /// The time as a multiple of another variant's.
    Slowdown {
        /// The variant that times are divided by.
        reference: String,
    },
}

/// A chart to draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChartRequest {
    /// The chart's name, unique in the scenario, and that of its files.
    pub name: String,
    /// The words above it.
    pub title: String,
    /// The parameter or predictor along the horizontal axis.
    pub x: String,
    /// How the horizontal axis is scaled.
    pub x_scale: Scale,
    /// What lies along the vertical axis.
    pub y: Vertical,
    /// How the vertical axis is scaled.
    pub y_scale: Scale,
    /// The parameters, or `variant`, that tell its lines apart; `None` leaves the choice to the chart.
    pub series: Option<Vec<String>>,
    /// The points it shows.
    pub only: Only,
}

/// Reads every `[[chart]]`. Without a family, its axis and series are not held against the parameters.
pub(in crate::scenario) fn charts(
    sections: &[Section<'_>],
    subject: Subject<'_>,
    title: &str,
    problems: &mut Problems,
) -> Vec<ChartRequest> {
    let family = subject.family;
    let mut charts = Vec::new();
    let mut names: Vec<(String, Place)> = Vec::new();
    for section in sections {
        section.deny_unknown("[[chart]]", &KEYS, problems, |_| None);
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
        let x_scale = scale(section, "x_scale", problems);
        let y = vertical(section, subject, problems);
        let y_scale = scale(section, "y_scale", problems);
        let only = section.get("only").and_then(|field| only::read(field, subject, problems)).unwrap_or_default();
        if let Some(name) = name {
            names.push((name.clone(), name_field.map_or(section.place, |field| field.node.place)));
            let x = x.unwrap_or_default();
            charts.push(ChartRequest { name, title, x, x_scale, y, y_scale, series, only });
        }
    }
    deny_duplicates("the chart", &names, "give one of them another `name` (without one it is \"runtime\")", problems);
    charts
}

fn scale(section: &Section<'_>, key: &str, problems: &mut Problems) -> Scale {
    let choices = [("linear", Scale::Linear), ("log", Scale::Log)];
    section.get(key).and_then(|field| choice(field, &choices, problems)).unwrap_or_default()
}

fn vertical(section: &Section<'_>, subject: Subject<'_>, problems: &mut Problems) -> Vertical {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Time,
        Throughput,
        Slowdown,
    }
    let choices = [("time", Kind::Time), ("gb_per_s", Kind::Throughput), ("slowdown", Kind::Slowdown)];
    let wanted = match section.get("y") {
        // What is wrong with `y` is told; whether it needs a reference is not known then.
        Some(field) => match choice(field, &choices, problems) {
            Some(kind) => kind,
            None => return Vertical::Time,
        },
        None => Kind::Time,
    };
    let names = ("[[chart]]", "y = \"slowdown\"");
    let reference = reference(section, wanted == Kind::Slowdown, names, subject, problems);
    match wanted {
        Kind::Time => Vertical::Time,
        Kind::Throughput => Vertical::Throughput,
        Kind::Slowdown => Vertical::Slowdown { reference: reference.unwrap_or_default() },
    }
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
