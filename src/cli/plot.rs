//! `apbench plot`: the charts of finished runs, from their files.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use super::analysis::{Analysis, analyse, analyse_or_embedded, tell_embedded};
use super::failure::{Failure, Status};
use super::output::{line, tell};
use super::pictures::{Format, look, write_pictures};
use super::run_directory::run_directory;
use crate::chart::Theme;
use crate::chart::figure::{Colours, Shown, overlay};
use crate::properties::Origin;
use crate::record;
use crate::run::writer::charts_folder;
use crate::scenario::{ChartOption, ChartRequest};
use located_toml::words::slug;

/// Options of `plot`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directories, baselines, or last, last~1, last:SCENARIO; several runs of the same family are drawn over each other
    #[arg(value_name = "RUN", required = true, value_parser = run_directory())]
    runs: Vec<PathBuf>,
    /// Draw only the scenario's chart of this name
    #[arg(long, value_name = "NAME")]
    chart: Option<String>,
    /// Kind of chart: lines, bars, heat, residuals or ladder
    #[arg(long)]
    kind: Option<String>,
    /// Parameter or predictor on the horizontal axis; without --chart this describes a new chart
    #[arg(long, value_name = "PARAM")]
    x: Option<String>,
    #[arg(
        long,
        value_name = "WHAT",
        help = "Quantity on the vertical axis: time, gb_per_s, gop_per_s, a predictor or a counter"
    )]
    y: Option<String>,
    /// Parameters with a line for each of their values, or a bar beside each other
    #[arg(long, value_name = "PARAM,...", value_delimiter = ',')]
    series: Option<Vec<String>>,
    /// Parameter of the rows of a heat map
    #[arg(long, value_name = "PARAM")]
    rows: Option<String>,
    /// Fit whose residuals are drawn
    #[arg(long, value_name = "NAME")]
    fit: Option<String>,
    /// Logarithmic axes
    #[arg(long, value_name = "AXES", value_parser = ["x", "y", "xy", "none"])]
    log: Option<String>,
    /// Divide every time by the time of this variant at the same parameters
    #[arg(long, value_name = "VARIANT")]
    normalise: Option<String>,
    /// Draw a panel for each value of this parameter
    #[arg(long, value_name = "PARAM")]
    facets: Option<String>,
    /// Draw only points with one of these values; may be given several times
    #[arg(long, value_name = "PARAM=VALUE,...")]
    only: Vec<String>,
    /// Title above the chart
    #[arg(long)]
    title: Option<String>,
    /// Name of the chart's files [default: a name made from the chart and the options]
    #[arg(long)]
    name: Option<String>,
    /// Width and height in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    size: Option<String>,
    /// Colours
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeName,
    /// Kinds of files
    #[arg(long, value_name = "FORMAT,...", value_enum, value_delimiter = ',', default_value = "svg,png")]
    format: Vec<Format>,
    /// Write the charts to this directory instead of the run's charts/; required with several runs
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ThemeName {
    /// Dark on white
    Light,
    /// Light on dark
    Dark,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let folder = match (&arguments.out, &arguments.runs[..]) {
        (Some(folder), _) => folder.clone(),
        (None, [run]) => charts_folder(run)?,
        (None, _) => {
            let message = "charts of several runs need a directory of their own: --out DIR";
            return Err(Failure::Usage(message.to_owned()));
        }
    };
    let read = if arguments.out.is_some() { analyse_or_embedded } else { analyse };
    let analyses = Failure::all_of(arguments.runs.iter().map(|run| read(run)))?;
    tell_embedded(arguments.runs.iter().map(PathBuf::as_path));
    let Some(first) = analyses.first() else { return Ok(Status::Success) };
    one_family(&analyses, &arguments.runs)?;
    let requests = requests(arguments, first)?;
    if let Some(why) = nothing_to_normalise(arguments, first) {
        line(why)?;
        return Ok(Status::Success);
    }
    if requests.is_empty() {
        line("no chart: the scenario has no [[chart]]; describe one with --x")?;
    }
    let labels = labels(&analyses);
    let shown: Vec<Shown<'_>> = analyses
        .iter()
        .zip(&labels)
        .map(|(analysis, label)| Shown { label, run: &analysis.run, fits: &analysis.fits })
        .collect();
    let theme = match arguments.theme {
        ThemeName::Light => Theme::Light,
        ThemeName::Dark => Theme::Dark,
    };
    let mut formats = Vec::new();
    for format in &arguments.format {
        if !formats.contains(format) {
            formats.push(*format);
        }
    }
    let before: HashSet<PathBuf> =
        fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let draw = |request: &ChartRequest| overlay(request, first.scenario.family, first.pattern(), &shown);
    let mut colours = Colours::default();
    if arguments.chart.is_some() {
        // Of one chart they are those that it has among all.
        first.scenario.charts.iter().for_each(|request| colours.keep(&mut draw(request)));
    }
    for request in &requests {
        first.scenario.notes_on(request).into_iter().for_each(|note| tell(format!("note: {note}")));
        let mut pictures = draw(request);
        colours.keep(&mut pictures);
        for file in write_pictures(&pictures, &look(request, theme), &formats, &folder)? {
            let done = if before.contains(&file) { "replaced" } else { "wrote" };
            line(format!("{done} {}", file.display()))?;
        }
    }
    Ok(Status::Success)
}

/// Why times cannot be had relative to a variant, if they cannot: the first run has nothing else, or nothing of it.
fn nothing_to_normalise(arguments: &Arguments, first: &Analysis) -> Option<String> {
    let reference = arguments.normalise.as_deref()?;
    let mut others =
        first.run.points.iter().filter(|point| point.status == record::Status::Ok).map(|point| &point.variant);
    if others.clone().all(|variant| variant == reference) {
        Some(format!("nothing to normalise: {reference} is the only variant of this run"))
    } else if others.all(|variant| variant != reference) {
        Some(format!("nothing to normalise: no point of {reference} succeeded"))
    } else {
        None
    }
}

/// Refuses runs whose points are not of the same kind.
fn one_family(analyses: &[Analysis], runs: &[PathBuf]) -> Result<(), Failure> {
    let family = |analysis: &Analysis| analysis.scenario.family.name;
    let Some(first) = analyses.first() else { return Ok(()) };
    let Some(other) = analyses.iter().position(|analysis| family(analysis) != family(first)) else { return Ok(()) };
    Err(Failure::Usage(format!(
        "{} measured `{}` and {} measured `{}`: only runs of the same family can be drawn over each other",
        runs[0].display(),
        family(first),
        runs[other].display(),
        family(&analyses[other]),
    )))
}

/// The charts that the arguments ask for.
fn requests(arguments: &Arguments, first: &Analysis) -> Result<Vec<ChartRequest>, Failure> {
    let anew = arguments.chart.is_none() && (arguments.x.is_some() || arguments.kind.is_some());
    let mut options = options(arguments)?;
    if anew && arguments.name.is_none() {
        options.push(("name", text(&default_name(arguments))));
    }
    let mut requests =
        first.scenario.charts_with(arguments.chart.as_deref(), anew, &options).map_err(Failure::Document)?;
    // A view of a chart is not the chart, and must not take its place unasked.
    if !anew && arguments.out.is_none() && arguments.name.is_none() {
        let changed = changes(arguments);
        for request in requests.iter_mut().filter(|_| !changed.is_empty()) {
            request.name = file_name(&format!("{}-{changed}", request.name));
        }
    }
    let one = |option: &str| {
        let names: Vec<&str> = first.scenario.charts.iter().map(|chart| chart.name.as_str()).collect();
        let message = format!("{option} changes one chart only: choose it with --chart, one of {}", names.join(", "));
        Err(Failure::Usage(message))
    };
    match (requests.len(), &arguments.name, &arguments.title) {
        (0 | 1, ..) | (_, None, None) => Ok(requests),
        (_, Some(_), _) => one("--name"),
        (_, None, Some(_)) => one("--title"),
    }
}

/// The options as keys of a `[[chart]]`, with their values as TOML.
fn options(arguments: &Arguments) -> Result<Vec<ChartOption>, Failure> {
    let mut options: Vec<ChartOption> = Vec::new();
    let texts = [
        ("kind", &arguments.kind),
        ("name", &arguments.name),
        ("title", &arguments.title),
        ("x", &arguments.x),
        ("y", &arguments.y),
        ("normalise", &arguments.normalise),
        ("rows", &arguments.rows),
        ("fit", &arguments.fit),
        ("facets", &arguments.facets),
    ];
    options.extend(texts.into_iter().filter_map(|(key, value)| Some((key, text(value.as_deref()?)))));
    if let Some(series) = &arguments.series {
        options.push(("series", list(series.iter().map(|name| text(name)))));
    }
    match arguments.log.as_deref() {
        Some("x") => options.push(("x_scale", text("log"))),
        Some("y") => options.push(("y_scale", text("log"))),
        Some("xy") => options.extend([("x_scale", text("log")), ("y_scale", text("log"))]),
        Some(_) => options.extend([("x_scale", String::new()), ("y_scale", String::new())]),
        None => {}
    }
    if !arguments.only.is_empty() {
        let mut conditions = Vec::new();
        for condition in &arguments.only {
            let Some((name, values)) = condition.split_once('=') else {
                let message =
                    format!("--only {condition}: write a parameter, `=` and values, such as operation=compute");
                return Err(Failure::Usage(message));
            };
            let value = |value: &str| if value.parse::<i64>().is_ok() { value.to_owned() } else { text(value) };
            conditions.push(format!(
                "{} = {}",
                text(name.trim()),
                list(values.split(',').map(|own| value(own.trim())))
            ));
        }
        options.push(("only", format!("{{ {} }}", conditions.join(", "))));
    }
    if let Some(size) = &arguments.size {
        let pixels: Option<Vec<u32>> = size.split('x').map(|part| part.trim().parse().ok()).collect();
        let pixels = pixels.filter(|pixels| pixels.len() == 2);
        options.push(("size", pixels.map_or_else(|| text(size), |own| list(own.iter().map(ToString::to_string)))));
    }
    Ok(options)
}

/// Text as TOML.
fn text(value: &str) -> String {
    toml_edit::Value::from(value).to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// What the files of a chart are called that the scenario does not have: what is on its axes.
fn default_name(arguments: &Arguments) -> String {
    let kind = arguments.kind.as_deref().filter(|kind| *kind != "lines");
    let y = arguments.y.as_deref().or(arguments.normalise.as_ref().map(|_| "slowdown"));
    let what = match (kind, y) {
        (Some("residuals"), _) => "residuals".to_owned(),
        (Some(kind), Some(y)) => format!("{kind}-{y}"),
        (Some(kind), None) => kind.to_owned(),
        (None, y) => y.unwrap_or("time").to_owned(),
    };
    let by = |name: &Option<String>| name.as_ref().map(|name| format!("-by-{name}")).unwrap_or_default();
    let mut parts = vec![format!("{what}{}{}", by(&arguments.x), by(&arguments.rows))];
    parts.extend(selected(arguments));
    file_name(&parts.join("-"))
}

/// Characters of a chart's file name at most: names of files may have 255 bytes.
const NAME_MAX: usize = 120;

fn file_name(text: &str) -> String {
    slug(text).chars().take(NAME_MAX).collect::<String>().trim_end_matches('-').to_owned()
}

/// What is different in a scenario's chart, in short, for the name of its files; nothing where nothing is.
fn changes(arguments: &Arguments) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(arguments.kind.clone());
    parts.extend(arguments.y.clone());
    for (word, value) in
        [("by", &arguments.x), ("rows", &arguments.rows), ("fit", &arguments.fit), ("over", &arguments.normalise)]
    {
        parts.extend(value.as_ref().map(|value| format!("{word}-{value}")));
    }
    parts.extend(selected(arguments));
    if parts.is_empty() && (arguments.title.is_some() || arguments.size.is_some()) {
        parts.push("view".to_owned());
    }
    parts.join("-")
}

/// Lines, panels, axes, points and colours that were asked for.
fn selected(arguments: &Arguments) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(arguments.series.as_ref().map(|series| format!("series-{}", series.join("-"))));
    parts.extend(arguments.facets.as_ref().map(|facets| format!("facets-{facets}")));
    parts.extend(arguments.log.as_ref().map(|log| format!("log-{log}")));
    parts.extend((!arguments.only.is_empty()).then(|| format!("only-{}", arguments.only.join("-"))));
    parts.extend((arguments.theme == ThemeName::Dark).then(|| "dark".to_owned()));
    parts
}

/// What the lines of each run are called: its device, and its directory too where devices are the same. Nothing where there is one run.
pub(super) fn labels(analyses: &[Analysis]) -> Vec<String> {
    if analyses.len() == 1 {
        return vec![String::new()];
    }
    let device = |analysis: &Analysis| {
        let device = &analysis.run.metadata.device;
        if device.origin == Origin::Measured { device.name.clone() } else { device.label() }
    };
    let directory = |analysis: &Analysis| {
        let directory = &analysis.run.directory;
        directory
            .file_name()
            .map_or_else(|| directory.display().to_string(), |name| name.to_string_lossy().into_owned())
    };
    let labels: Vec<String> = analyses.iter().map(device).collect();
    let are_distinct = |labels: &[String]| labels.iter().collect::<HashSet<_>>().len() == labels.len();
    if are_distinct(&labels) {
        return labels;
    }
    let with_directory: Vec<String> =
        labels.iter().zip(analyses).map(|(label, own)| format!("{label}, {}", directory(own))).collect();
    if are_distinct(&with_directory) {
        return with_directory;
    }
    labels.iter().enumerate().map(|(index, label)| format!("{label}, run {}", index + 1)).collect()
}
