//! Line charts: one plot, or several with the same axes, and the legend below them.

use std::fmt::Write as _;

use super::axis::{Axis, Span};
use super::crossing::Flags;
use super::data::Data;
use super::draw::Content;
use super::legend::{Legend, legend};
use super::notes::{coincidences, notes};
use super::picture::Picture;
use super::plot::{Plot, Seen};
use super::style::{AXIS_TITLE, LABEL, MARGIN, PANEL_TITLE, PLOT_HEIGHT, PLOT_LEAST, TICK_LABEL};
use super::text::printable;
use super::{ChartError, LineChart, Scale};

/// Pixels between two panels.
const GAP: f64 = 22.0;

/// The height of the plot of a panel.
const PANEL_HEIGHT: f64 = 230.0;

/// Draws the charts below `top`.
pub(super) fn draw(
    picture: &mut Picture,
    charts: &[&LineChart],
    top: f64,
    stretch: f64,
) -> Result<Content, ChartError> {
    let Some(first) = charts.first() else { return Err(ChartError::NoPoints) };
    let mut panels = charts.iter().map(|chart| Data::new(chart)).collect::<Result<Vec<_>, _>>()?;
    let values: Vec<f64> = panels.iter().flat_map(Data::values).collect();
    let natural = if charts.len() == 1 { PLOT_HEIGHT } else { PANEL_HEIGHT };
    let (y_axis, unit) = Axis::vertical_within(&values, first.y_scale, first.quantity, natural)?;
    let y_label = axis_title(&first.y_label, unit, first.y_scale);
    let mut y = picture.paragraph(&y_label, AXIS_TITLE, MARGIN, top + 16.0, picture.inner())? + 10.0;

    let mut labels: f64 = 0.0;
    for tick in &y_axis.ticks {
        labels = labels.max(TICK_LABEL.width(&tick.label)?);
    }
    let left = (MARGIN + labels + 9.0).min(picture.look.width / 2.0).round();
    let right = picture.look.width - MARGIN;
    let columns = match charts.len() {
        1 => 1,
        count if count <= 4 || right - left < 700.0 => 2,
        _ => 3,
    };
    let rows = charts.len().div_ceil(columns);
    let width = (right - left - (columns - 1) as f64 * GAP) / columns as f64;
    let height = (natural + stretch / rows as f64).max(PLOT_LEAST);

    let xs: Vec<_> = panels.iter().map(Data::xs).collect();
    let points: Vec<f64> = xs.iter().flat_map(|(points, _)| points.iter().copied()).collect();
    let lines: Vec<f64> = xs.iter().flat_map(|(_, lines)| lines.iter().copied()).collect();
    let span = Span { pixels: width, to_next: (columns > 1).then_some(GAP) };
    let x_axis = Axis::horizontal(&points, &lines, first.x_scale, span, &|label| TICK_LABEL.width(label))?;

    let mut seen = Seen::default();
    let mut coincident = Vec::new();
    for row in 0..rows {
        let mut bottom = y;
        for column in 0..columns {
            let Some(data) = panels.get_mut(row * columns + column) else { continue };
            let left = left + column as f64 * (width + GAP);
            let flags = Flags::new(data.chart, &x_axis, left, left + width)?;
            let mut top = y;
            if charts.len() > 1 {
                top = picture.paragraph(&data.chart.title, PANEL_TITLE, left, y, width)? + 4.0;
            } else {
                top += flags.height();
            }
            let (x, y) = (x_axis.clone(), y_axis.clone());
            let plot = Plot { left, right: left + width, top, bottom: top + height, x, y, labelled: column == 0 };
            for words in coincidences(data, &plot) {
                let words = if charts.len() > 1 { format!("{}: {words}", data.chart.title) } else { words };
                coincident.push(words);
            }
            plot.guides(picture, &data.chart.guides)?;
            plot.axes(picture)?;
            if charts.len() > 1 {
                flags.poles(picture, &plot)?;
            } else {
                flags.draw(picture, &plot)?;
            }
            panel(picture, &plot, data, &mut seen)?;
            bottom = bottom.max(plot.bottom);
        }
        y = bottom + if row + 1 < rows { 34.0 } else { 26.0 };
    }
    let x_label = axis_title(&first.x_label, None, first.x_scale);
    y = picture.centered(&x_label, AXIS_TITLE, f64::midpoint(left, right), y, right - left)?;
    let Legend { bottom, is_short } = legend(picture, &panels, y + 16.0)?;
    let fails = || panels.iter().any(|data| data.laws.iter().any(|law| !law.law.holds));
    let left_out = || {
        if fails() {
            "`apbench fit -v` says why laws fail."
        } else {
            "`apbench fit -v` and fits.csv have the laws in full."
        }
    };
    let short = is_short.then(|| left_out().to_owned());
    let own = if charts.len() == 1 { first.notes.clone() } else { Vec::new() };
    let notes = own.into_iter().chain(few(coincident)).chain(notes(&panels, seen)).chain(short).collect();
    Ok(Content { bottom, about: about(charts, &y_label), notes })
}

/// What coincides, as one note; of many the first.
fn few(coincident: Vec<String>) -> Option<String> {
    const MOST: usize = 6;
    let more = coincident.len().saturating_sub(MOST);
    let mut words = coincident.into_iter().take(MOST).collect::<Vec<_>>().join(" ");
    if more > 0 {
        let _ = write!(words, " {more} more lie on others.");
    }
    (!words.is_empty()).then(|| format!("Where only one can be seen: {words}"))
}

fn panel(picture: &mut Picture, plot: &Plot, data: &Data<'_>, seen: &mut Seen) -> Result<(), ChartError> {
    // Where a law fails, its interval says nothing.
    for law in data.laws.iter().filter(|law| law.law.holds) {
        seen.bands |= plot.law_band(picture, law)?;
    }
    for law in &data.laws {
        plot.law(picture, law)?;
    }
    if data.series.iter().all(|series| series.points.is_empty()) {
        let middle = (f64::midpoint(plot.left, plot.right), f64::midpoint(plot.top, plot.bottom));
        picture.centered("no points", LABEL, middle.0, middle.1, plot.right - plot.left)?;
    }
    data.series.iter().try_for_each(|series| plot.series(picture, series, seen))
}

/// The title of an axis, with its unit and how it is scaled: `median time (µs)`, `throughput (GB/s, log scale)`.
pub(super) fn axis_title(label: &str, unit: Option<&str>, scale: Scale) -> String {
    let log = (scale == Scale::Log).then_some("log scale");
    let aside = unit.into_iter().chain(log).collect::<Vec<_>>().join(", ");
    match (printable(label).trim(), aside.as_str()) {
        ("", aside) => aside.to_owned(),
        (label, "") => label.to_owned(),
        (label, aside) => format!("{label} ({aside})"),
    }
}

fn about(charts: &[&LineChart], y_label: &str) -> String {
    let mut about = String::new();
    for chart in charts {
        if charts.len() > 1 {
            let _ = write!(about, "{}: ", chart.title);
        }
        let _ = write!(about, "{y_label} against {}.", chart.x_label);
        for series in &chart.series {
            let count = series.points.len();
            let _ = write!(about, " {}: {count} point{}.", series.label, if count == 1 { "" } else { "s" });
        }
        for label in chart.laws.iter().map(|law| &law.label).chain(chart.crossings.iter().map(|own| &own.label)) {
            let _ = write!(about, " {label}.");
        }
        about.push(' ');
    }
    about.trim_end().to_owned()
}
