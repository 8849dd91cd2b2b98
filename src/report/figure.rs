//! Charts on a page: a static picture of each, in light and dark, what it takes to draw it anew, and its data as a table.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::interactive::Interactive;
use super::thin::thinned;
use super::{PageTheme, Report};
use crate::chart::{self, Bar, BarSeries, Chart, Dot, LawLine, LineChart, Look, Quantity, Series, Theme};
use crate::properties::Origin;
use crate::unit;

/// Points of an interactive chart at most, and of a static picture.
const DOTS_MAX: usize = 20_000;
const DOTS_IN_PICTURE_MAX: usize = 1_500;
/// Rows of a chart's table at most.
const ROWS_MAX: usize = 200;

/// What the scripts draw, and where.
pub(super) struct Figures {
    pub(super) interactive: Vec<Interactive>,
    /// Points of each interactive chart at most.
    dots_max: usize,
}

impl Figures {
    pub(super) fn new(charts: &[&(String, Chart)]) -> Self {
        let panels = charts.iter().map(|(_, chart)| line_charts(chart).len()).sum::<usize>();
        let dots_max = DOTS_MAX.min(2 * DOTS_MAX / panels.max(1));
        let mut interactive = Vec::new();
        for (name, chart) in charts {
            for (place, lines) in line_charts(chart).iter().enumerate() {
                let thin = thinned(lines, dots_max).map_or(Cow::Borrowed(*lines), Cow::Owned);
                interactive.push(Interactive::new(id(name, place), &thin));
            }
        }
        Self { interactive, dots_max }
    }
}

/// The line charts that a chart consists of; none where it is of another kind.
fn line_charts(chart: &Chart) -> Vec<&LineChart> {
    match chart {
        Chart::Lines(lines) => vec![lines],
        Chart::Panels(panels) => panels.panels.iter().collect(),
        Chart::Bars(_) | Chart::Heat(_) => Vec::new(),
    }
}

fn id(name: &str, place: usize) -> String {
    format!("chart-{name}-{place}")
}

/// All charts.
pub(super) fn section(report: &Report<'_>, figures: &Figures) -> Markup {
    html! {
        section #charts aria-labelledby="charts-heading" {
            h2 #charts-heading { "Charts" }
            @if report.charts.is_empty() { p { "The scenario asks for no chart." } }
            @for (place, (name, chart)) in report.charts.iter().enumerate() {
                (figure(report, name, chart, figures, &[report.run.metadata.device.origin]))
                @if place == 0 { p.scripted.quiet {
                    "Point at a chart, or go through it with the arrow keys, to see the figures behind a point; click or press Enter "
                    "for all of them. Drag to zoom, double click for the whole range."
                } }
            }
        }
    }
}

/// A chart, with the origins of its values.
pub(super) fn figure(report: &Report<'_>, name: &str, chart: &Chart, figures: &Figures, origins: &[Origin]) -> Markup {
    let dots_max = figures.dots_max;
    let lines = line_charts(chart);
    let label = format!("figure-{name}");
    html! {
        figure aria-labelledby=(label) {
            figcaption {
                h3 #(label) { (chart.title()) }
                p { @for origin in origins { (origin_label(*origin)) " " } span.of { (chart.subtitle()) } }
            }
            @for (place, panel) in lines.iter().enumerate() {
                div.panel #(id(name, place)) {
                    @if lines.len() > 1 { h4 { (panel.title) } }
                    // The static picture has all panels in one.
                    @if place == 0 { div.static { (pictures(report, chart)) } } @else { div.static {} }
                }
            }
            @if lines.is_empty() { div.static { (pictures(report, chart)) } }
            @for note in notes(chart, &lines, dots_max) { p.note { (note) } }
            (data_table(chart))
        }
    }
}

/// `MEASURED` or `SIMULATED`, so that the two are never taken for each other.
pub(super) fn origin_label(origin: Origin) -> Markup {
    html! { strong class=(format!("origin {}", origin.name())) { (origin.name().to_uppercase()) } }
}

/// The picture in the colours of the page: in both, if those are the reader's choice.
fn pictures(report: &Report<'_>, chart: &Chart) -> Markup {
    // Paper is white.
    let themes: &[(Theme, &str)] = match report.theme {
        PageTheme::Light => &[(Theme::Light, "light always")],
        PageTheme::Auto | PageTheme::Dark => &[(Theme::Light, "light"), (Theme::Dark, "dark")],
    };
    let thin = match chart {
        Chart::Lines(lines) => thinned(lines, DOTS_IN_PICTURE_MAX).map(Chart::Lines),
        _ => None,
    };
    html! {
        @for (theme, class) in themes {
            @match chart::svg(thin.as_ref().unwrap_or(chart), &Look { theme: *theme, ..Look::default() }) {
                Ok(svg) => div class=(format!("picture {class}")) { (PreEscaped(svg)) },
                Err(error) => p class=(format!("picture {class}")) { "No picture: " (error) "." },
            }
        }
    }
}

/// What is written below a chart where the picture, which has it inside, is not shown.
fn notes<'a>(chart: &'a Chart, lines: &[&'a LineChart], dots_max: usize) -> Vec<Cow<'a, str>> {
    let own: &[String] = match chart {
        Chart::Panels(panels) => &panels.notes,
        _ => &[],
    };
    let mut notes: Vec<Cow<'_, str>> = own.iter().map(|note| note.as_str().into()).collect();
    for panel in lines {
        for note in &panel.notes {
            if !notes.iter().any(|known| known == note) {
                notes.push(note.as_str().into());
            }
        }
        let begins = |law: &LawLine| law.path.first().map_or(f64::INFINITY, |(x, _)| *x);
        if panel.laws.iter().any(|law| !law.holds || law.holds_from_x.is_some_and(|from| begins(law) < from)) {
            notes.push("Dotted: the law does not hold there.".into());
        }
        let dots: usize = panel.series.iter().map(|series| series.points.len()).sum();
        if dots > dots_max {
            notes.push(
                format!("Thinned: about {dots_max} of {dots} points, with the lowest and the highest of each stretch.")
                    .into(),
            );
        }
    }
    notes.dedup();
    notes
}

/// A value with its unit.
fn with_unit(value: f64, quantity: Quantity) -> String {
    match quantity {
        Quantity::Time => unit::time_us_to(value, 5),
        Quantity::Throughput => format!("{} GB/s", unit::significant(value, 4)),
        Quantity::Operations => format!("{} Gop/s", unit::significant(value, 4)),
        Quantity::Energy => unit::energy_mj(value),
        Quantity::Power => format!("{} W", unit::significant(value, 4)),
        Quantity::Ratio => unit::significant(value, 4),
        Quantity::Percent => format!("{} %", unit::significant(value, 3)),
    }
}

fn interval(low: f64, high: f64, quantity: Quantity) -> String {
    if low < high { format!("{} to {}", with_unit(low, quantity), with_unit(high, quantity)) } else { String::new() }
}

/// The chart's values as rows: what its series or groups are, where they are, the value, its interval.
fn rows(chart: &Chart) -> Vec<[String; 4]> {
    match chart {
        Chart::Lines(_) | Chart::Panels(_) => {
            let of_panel = |panel: &LineChart, with_title: bool| -> Vec<[String; 4]> {
                let row = |series: &Series, dot: &Dot| {
                    let label =
                        if with_title { format!("{}: {}", panel.title, series.label) } else { series.label.clone() };
                    let x = if series.is_level { "every".to_owned() } else { dot.x.to_string() };
                    [label, x, with_unit(dot.value, panel.quantity), interval(dot.low, dot.high, panel.quantity)]
                };
                panel
                    .series
                    .iter()
                    .flat_map(|series| series.points.iter().map(move |dot| row(series, dot)))
                    .take(ROWS_MAX + 1)
                    .collect()
            };
            let panels = line_charts(chart);
            panels.iter().flat_map(|panel| of_panel(panel, panels.len() > 1)).collect()
        }
        Chart::Bars(bars) => {
            let row = |label: &str, group: &str, bar: &Bar| {
                let interval = interval(bar.low, bar.high, bars.quantity);
                [label.to_owned(), group.to_owned(), with_unit(bar.value, bars.quantity), interval]
            };
            let of = |series: &BarSeries| -> Vec<[String; 4]> {
                let bars = series.bars.iter().zip(&bars.groups);
                bars.filter_map(|(bar, group)| Some(row(&series.label, group, bar.as_ref()?))).collect()
            };
            bars.series.iter().flat_map(of).collect()
        }
        Chart::Heat(heat) => {
            let places = (0..heat.y.len()).flat_map(|row| (0..heat.x.len()).map(move |column| (column, row)));
            let row = |(column, row): (usize, usize)| {
                let cell = heat.cell(column, row)?;
                let interval = interval(cell.low, cell.high, heat.quantity);
                Some([heat.y[row].clone(), heat.x[column].clone(), with_unit(cell.value, heat.quantity), interval])
            };
            places.filter_map(row).collect()
        }
    }
}

/// The same figures for those who do not see the picture.
fn data_table(chart: &Chart) -> Markup {
    let (first, second, value) = match chart {
        Chart::Lines(lines) => ("series", lines.x_label.as_str(), lines.y_label.as_str()),
        Chart::Panels(panels) => {
            let panel = panels.panels.first();
            ("series", panel.map_or("x", |panel| &panel.x_label), panel.map_or("value", |panel| &panel.y_label))
        }
        Chart::Bars(bars) => ("series", bars.x_label.as_str(), bars.y_label.as_str()),
        Chart::Heat(heat) => (heat.y_label.as_str(), heat.x_label.as_str(), heat.value_label.as_str()),
    };
    let rows = rows(chart);
    html! {
        details {
            summary { "The figures of this chart" }
            div.table tabindex="0" role="region" aria-label=(format!("Figures of {}", chart.title())) {
                table {
                    caption { (chart.title()) @if rows.len() > ROWS_MAX { ", the first " (ROWS_MAX) " figures" } }
                    thead { tr {
                        th scope="col" { (first) } th.number scope="col" { (second) }
                        th.number scope="col" { (value) } th.number scope="col" { "95 % interval" }
                    } }
                    tbody { @for [series, x, value, interval] in rows.iter().take(ROWS_MAX) { tr {
                        th scope="row" { (series) } td.number { (x) } td.number { (value) } td.number { (interval) }
                    } } }
                }
            }
        }
    }
}
