//! Reads `[[chart]]`, with everything that is wrong with it.

use toml::de::DeValue;

use super::super::fit::{OF, read_of};
use super::super::{Subject, choice, only, reference};
use super::keys::{CHART_KEYS, ChartKey, Kind, NAMED_VALUES, SCALES, SIZES};
use super::names;
use super::{ChartKind, ChartRequest, Scale, Vertical};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section, deny_duplicates, whole};
use located_toml::words::{instead, quote};

/// Reads every `[[chart]]`. Without a family, its axis and series are not checked against the parameters. `fits` are the names of the
/// laws that residuals can be of.
pub(in crate::scenario) fn charts(
    sections: &[Section<'_>],
    subject: Subject<'_>,
    fits: &[&str],
    title: &str,
    problems: &mut Problems,
) -> Vec<ChartRequest> {
    let mut charts = Vec::new();
    let mut names: Vec<(String, Place)> = Vec::new();
    for section in sections {
        let name_field = section.get("name");
        let place = name_field.map_or(section.place, |field| field.node.place);
        if let Some(chart) = chart(section, subject, fits, title, problems) {
            names.push((chart.name.clone(), place));
            charts.push(chart);
        }
    }
    deny_duplicates("the chart", &names, "give one of them another `name` (without one it is \"runtime\")", problems);
    charts
}

fn chart(
    section: &Section<'_>,
    subject: Subject<'_>,
    fits: &[&str],
    title: &str,
    problems: &mut Problems,
) -> Option<ChartRequest> {
    let family = subject.family;
    let keys = CHART_KEYS.map(|own| own.key.name);
    section.deny_unknown("[[chart]]", &keys, problems, |_| None);
    let name = section.get("name").map_or(Some("runtime".to_owned()), |field| field.file_name("\"runtime\"", problems));
    let title = section.get("title").and_then(|field| field.line("\"Runtime\"", problems)).unwrap_or(title.to_owned());
    let kind = match section.get("kind") {
        Some(field) => choice(field, &Kind::ALL, problems),
        None => Some(Kind::Lines),
    };
    let Some(kind) = kind else {
        // Which keys go with a kind that there is not is not known; what all kinds have in common can be wrong besides.
        if section.get("x").is_some() {
            names::x(section, true, family, problems);
        }
        for key in ["x_scale", "y_scale"] {
            scale(section, key, problems);
        }
        size(section, problems);
        return None;
    };
    deny_keys_of_others(section, kind, problems);
    let text_is_allowed = matches!(kind, Kind::Bars | Kind::Heat);
    let x = match (kind, section.get("x")) {
        (Kind::Bars, None) => Some("variant".to_owned()),
        (Kind::Residuals, None) => Some(String::new()),
        (Kind::Ladder, _) => Some(names::rungs(section, family, problems)),
        _ => names::x(section, text_is_allowed, family, problems),
    };
    let series = section.get("series").and_then(|field| {
        let texts = field.texts("[\"variant\"]", problems)?;
        names::check_series(&texts, family, x.as_deref(), problems);
        Some(texts.into_iter().map(|(text, _)| text).collect::<Vec<_>>())
    });
    let facets = section
        .get("facets")
        .and_then(|field| names::facets(field, x.as_deref(), series.as_deref().unwrap_or_default(), family, problems));
    let (y, is_speedup) = match kind {
        Kind::Ladder => (Vertical::Time, shows_speedup(section, problems)),
        _ => (vertical(section, subject, problems), false),
    };
    let chart_kind = match kind {
        Kind::Lines => Some(ChartKind::Lines),
        Kind::Bars => Some(ChartKind::Bars),
        Kind::Heat => {
            let rows = section.get("rows");
            if rows.is_none() {
                let problem = Problem::new("a heat map without `rows`").at(section.place);
                let help = "name the parameter that its rows are of: rows = \"block_height\"";
                problems.push(problem.help(help).absence());
            }
            let rows = rows.and_then(|field| names::rows(field, x.as_deref(), family, problems));
            rows.map(|rows| ChartKind::Heat { rows })
        }
        Kind::Residuals => Some(ChartKind::Residuals { fit: fit(section, fits, problems) }),
        Kind::Ladder => Some(ChartKind::Ladder { is_speedup }),
    };
    let x_scale = scale(section, "x_scale", problems);
    // From the first rung to the last there are decades.
    let y_scale = match (kind, section.get("y_scale")) {
        (Kind::Ladder, None) => Scale::Log,
        _ => scale(section, "y_scale", problems),
    };
    let only = section.get("only").and_then(|field| only::read(field, subject, problems)).unwrap_or_default();
    let of = section.get(OF.name).and_then(|field| read_of(field, problems));
    if let (Some(_), Some(field)) = (&of, section.get("y").or_else(|| section.get("normalise"))) {
        let problem = Problem::new(format!("a chart with `of` has no `{}`", field.key)).at(field.key_place);
        problems.push(problem.help("leave it out: what `of` says is its vertical axis"));
    }
    let size = size(section, problems);
    Some(ChartRequest {
        kind: chart_kind?,
        name: name?,
        title,
        x: x.unwrap_or_default(),
        x_scale,
        y,
        y_scale,
        series,
        facets,
        only,
        of,
        size,
    })
}

/// Reports keys that charts of this kind do not have.
fn deny_keys_of_others(section: &Section<'_>, kind: Kind, problems: &mut Problems) {
    for ChartKey { key, kinds } in CHART_KEYS.iter().filter(|own| !own.kinds.contains(&kind)) {
        if let Some(field) = section.get(key.name) {
            let names: Vec<String> = kinds.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
            let message = format!("a chart of kind = \"{}\" has no `{}`", kind.name(), key.name);
            let help = format!("leave it out; charts of kind {} have it", names.join(" or "));
            problems.push(Problem::new(message).at(field.key_place).help(help));
        }
    }
}

fn scale(section: &Section<'_>, key: &str, problems: &mut Problems) -> Scale {
    section.get(key).and_then(|field| choice(field, &SCALES, problems)).unwrap_or_default()
}

/// What the bars of a ladder are: times, or speedups.
fn shows_speedup(section: &Section<'_>, problems: &mut Problems) -> bool {
    let choices = [("time", false), ("speedup", true)];
    section.get("y").and_then(|field| choice(field, &choices, problems)).unwrap_or_default()
}

fn vertical(section: &Section<'_>, subject: Subject<'_>, problems: &mut Problems) -> Vertical {
    let wanted = match section.get("y") {
        Some(field) => match field.line("\"time\"", problems) {
            Some(wanted) => wanted,
            // What is wrong with `y` is told; whether it needs a reference is not known then.
            None => return Vertical::Time,
        },
        None => "time".to_owned(),
    };
    if let Some(field) = section.get("normalise") {
        return normalised(section, field, &wanted, subject, problems);
    }
    if let Some(field) = section.get("y") {
        let columns = names::values(subject.family);
        if !NAMED_VALUES.contains(&wanted.as_str()) && !columns.contains(&wanted.as_str()) {
            let all: Vec<&str> = NAMED_VALUES.into_iter().chain(columns).collect();
            let message = format!("`y` cannot be {}", quote(&wanted));
            problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &all)));
            return Vertical::Time;
        }
    }
    let names = ("[[chart]]", "y = \"slowdown\"");
    let reference = reference(section, wanted == "slowdown", names, subject, problems);
    match wanted.as_str() {
        "time" => Vertical::Time,
        "gb_per_s" => Vertical::Throughput,
        "gop_per_s" => Vertical::Operations,
        "energy_mj" => Vertical::Energy,
        "power_w" => Vertical::Power,
        "slowdown" => Vertical::Slowdown { reference: reference.unwrap_or_default() },
        _ => Vertical::Column(wanted),
    }
}

/// `normalise = "V"`, which is what `y = "slowdown"` with `reference = "V"` says.
fn normalised(
    section: &Section<'_>,
    field: &Field<'_>,
    y: &str,
    subject: Subject<'_>,
    problems: &mut Problems,
) -> Vertical {
    if let Some(twice) = section.get("reference") {
        let problem = Problem::new("`normalise` and `reference` say the same").at(twice.key_place);
        problems.push(problem.label(field.key_place, "as here").help("leave one of them out"));
    } else if !matches!(y, "time" | "slowdown") {
        let problem = Problem::new("`normalise` divides times, so `y` cannot be another quantity").at(field.key_place);
        problems.push(problem.help("leave `y` out: the chart shows each time over that variant's"));
    }
    let example = format!("\"{}\"", subject.variants.first().map_or("divergent", |variant| variant.name));
    let Some(reference) = field.line(&example, problems) else { return Vertical::Time };
    subject.check_variant(&reference, |problem| problem.at(field.node.place), problems);
    Vertical::Slowdown { reference }
}

/// The law that residuals are of.
fn fit(section: &Section<'_>, fits: &[&str], problems: &mut Problems) -> Option<String> {
    let Some(field) = section.get("fit") else {
        if fits.is_empty() {
            let problem = Problem::new("a chart of residuals, but the scenario fits no law").at(section.place);
            problems.push(problem.help("write a [[fit]] with the law whose residuals are drawn").absence());
        }
        return None;
    };
    let wanted = field.line("\"branches\"", problems)?;
    if !fits.contains(&wanted.as_str()) {
        let message = format!("{} is not a law that the scenario fits", quote(&wanted));
        let help = if fits.is_empty() {
            "write a [[fit]] with the law whose residuals are drawn".to_owned()
        } else {
            instead(&wanted, fits)
        };
        problems.push(Problem::new(message).at(field.node.place).help(help));
    }
    Some(wanted)
}

fn size(section: &Section<'_>, problems: &mut Problems) -> Option<(u32, u32)> {
    let field = section.get("size")?;
    let (least, most) = SIZES;
    let sizes = match field.node.value {
        DeValue::Array(items) if items.len() == 2 => {
            let pixels = |index: usize| {
                let value = whole(items.get(index)?.get_ref())?;
                u32::try_from(value).ok().filter(|_| (least..=most).contains(&value))
            };
            pixels(0).zip(pixels(1))
        }
        _ => None,
    };
    if sizes.is_none() {
        let problem = Problem::new("`size` must be a width and a height in pixels").at(field.node.place);
        problems
            .push(problem.help(format!("two whole numbers from {least} to {most}, for example: size = [1200, 700]")));
    }
    sizes
}
