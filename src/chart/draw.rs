//! The layout of a chart, from its title down to its notes.

use super::axis::Axis;
use super::crossing::Flags;
use super::data::Data;
use super::legend::legend;
use super::picture::Picture;
use super::plot::Plot;
use super::style::{AXIS_TITLE, MARGIN, NOTE, PLOT_HEIGHT, SUBTITLE, TICK_LABEL, TITLE, WIDTH};
use super::text::printable;
use super::{ChartError, LineChart};

/// The SVG of a chart.
pub(super) fn svg(chart: &LineChart) -> Result<String, ChartError> {
    let data = Data::new(chart)?;
    let mut picture = Picture::default();
    let mut y = MARGIN - 4.0;
    y = picture.paragraph(&chart.title, TITLE, MARGIN, y, WIDTH - 2.0 * MARGIN)?;
    y = picture.paragraph(&chart.subtitle, SUBTITLE, MARGIN, y + 2.0, WIDTH - 2.0 * MARGIN)?;

    let (y_axis, unit) = Axis::vertical(&data.values(), chart.y_scale, chart.quantity)?;
    let y_label = match (printable(&chart.y_label).trim(), unit) {
        ("", Some(unit)) => unit.to_owned(),
        (label, Some(unit)) => format!("{label} ({unit})"),
        (label, None) => label.to_owned(),
    };
    y = picture.paragraph(&y_label, AXIS_TITLE, MARGIN, y + 16.0, WIDTH - 2.0 * MARGIN)? + 10.0;

    let mut left: f64 = 0.0;
    for tick in &y_axis.ticks {
        left = left.max(TICK_LABEL.width(&tick.label)?);
    }
    let left = (MARGIN + left + 9.0).min(WIDTH / 2.0).round();
    let right = WIDTH - MARGIN;
    let (points, lines) = data.xs();
    let x_axis = Axis::horizontal(&points, &lines, chart.x_scale, right - left, &|label| TICK_LABEL.width(label))?;
    let flags = Flags::new(chart, &x_axis, left, right)?;
    y += flags.height();
    let plot = Plot { left, right, top: y, bottom: y + PLOT_HEIGHT, x: x_axis, y: y_axis };
    plot.axes(&mut picture)?;
    y = picture.centered(&chart.x_label, AXIS_TITLE, f64::midpoint(left, right), plot.bottom + 26.0, right - left)?;

    flags.draw(&mut picture, &plot)?;
    for law in &data.laws {
        plot.law(&mut picture, law)?;
    }
    let mut bars = false;
    for series in &data.series {
        bars |= plot.series(&mut picture, series)?;
    }

    y = legend(&mut picture, &data, y + 16.0)?;
    y += 12.0;
    for note in chart.notes.iter().cloned().chain(data.notes(bars)) {
        y = picture.paragraph(&note, NOTE, MARGIN, y, WIDTH - 2.0 * MARGIN)?;
    }
    Ok(picture.finish(chart, &y_label, y + MARGIN - 10.0))
}
