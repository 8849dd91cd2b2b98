//! Heat maps: cells with a colour and, where there is room, their value; a bar that says what the colours are.

use std::fmt::Write as _;

use super::axis::Axis;
use super::bars::value_text;
use super::data::usable;
use super::draw::Content;
use super::panels::axis_title;
use super::picture::{Layer, Picture};
use super::style::{AXIS_TITLE, Drawn, MARGIN, TICK_LABEL};
use super::text::{Face, printable};
use super::theme::{Paint, contrast};
use super::{Cell, ChartError, HeatMap, Quantity, Scale};
use crate::unit;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// The colour bar and the space around it, in pixels.
const BAR_WIDTH: f64 = 16.0;
const BAR_GAP: f64 = 26.0;

/// How high the cells are all together, where nothing else is said.
const HEIGHT: f64 = 390.0;
const CELL_HIGHEST: f64 = 46.0;
const CELL_WIDEST: f64 = 110.0;

/// So many cells have titles of their own.
const TITLED_MAX: usize = 2000;

/// Viridis (van der Walt and Smith 2015): even to the eye, and rising in brightness for those who see fewer colours.
const COLORS: [RGBColor; 11] = [
    RGBColor(0x44, 0x01, 0x54),
    RGBColor(0x48, 0x24, 0x75),
    RGBColor(0x41, 0x44, 0x87),
    RGBColor(0x35, 0x5f, 0x8d),
    RGBColor(0x2a, 0x78, 0x8e),
    RGBColor(0x21, 0x91, 0x8c),
    RGBColor(0x22, 0xa8, 0x84),
    RGBColor(0x44, 0xbf, 0x70),
    RGBColor(0x7a, 0xd1, 0x51),
    RGBColor(0xbd, 0xdf, 0x26),
    RGBColor(0xfd, 0xe7, 0x25),
];

const DARK_INK: RGBColor = RGBColor(0, 0, 0);
const LIGHT_INK: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// The colour at a share of the way, from 0 to 1.
fn color(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (COLORS.len() - 1) as f64;
    let index = (place as usize).min(COLORS.len() - 2);
    let (from, to, part) = (COLORS[index], COLORS[index + 1], place - index as f64);
    let mix = |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8;
    RGBColor(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
}

/// The ink that can be read on a colour.
fn ink(ground: RGBColor) -> RGBColor {
    if contrast(DARK_INK, ground) >= contrast(LIGHT_INK, ground) { DARK_INK } else { LIGHT_INK }
}

/// Which colour a value has.
struct Colors {
    axis: Axis,
    low: f64,
    high: f64,
}

impl Colors {
    fn share(&self, value: f64) -> f64 {
        let place = |value| self.axis.fraction(value);
        let span = place(self.high) - place(self.low);
        if span > 0.0 { (place(value) - place(self.low)) / span } else { 0.5 }
    }
}

/// Where the cells are, in pixels.
struct Board {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    columns: usize,
    rows: usize,
}

impl Board {
    fn right(&self) -> f64 {
        self.left + self.width * self.columns as f64
    }

    fn bottom(&self) -> f64 {
        self.top + self.height * self.rows as f64
    }

    /// The upper left corner of a cell; rows are counted from below.
    fn corner(&self, column: usize, row: usize) -> (f64, f64) {
        (self.left + self.width * column as f64, self.bottom() - self.height * (row + 1) as f64)
    }
}

/// Draws the map below `top`.
pub(super) fn draw(picture: &mut Picture, chart: &HeatMap, top: f64, stretch: f64) -> Result<Content, ChartError> {
    let (columns, rows) = (chart.x.len(), chart.y.len());
    let values: Vec<f64> =
        chart.cells.iter().flatten().map(|cell| cell.value).filter(|value| usable(*value, chart.scale)).collect();
    if values.is_empty() || columns == 0 || rows == 0 {
        return Err(ChartError::NoPoints);
    }
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (axis, unit) = Axis::vertical(&values, chart.scale, chart.quantity)?;
    let (size, cell_unit) = cell_unit(chart.quantity, low);
    let colors = Colors { axis, low, high };

    let unit = unit.or(cell_unit.filter(|_| chart.scale == Scale::Linear));
    let label = axis_title(&chart.value_label, unit, chart.scale);
    let top = picture.paragraph(&label, AXIS_TITLE, MARGIN, top + 16.0, picture.inner())? + 4.0;
    let top =
        picture.paragraph(&format!("↑ {}", printable(&chart.y_label)), AXIS_TITLE, MARGIN, top, picture.inner())? + 8.0;
    let names: Vec<String> = chart.y.iter().map(|name| printable(name)).collect();
    let left = MARGIN + widest(&names)?.min(picture.inner() / 3.0) + 10.0;
    let bar_labels: Vec<String> = colors.axis.ticks.iter().map(|tick| tick.label.clone()).collect();
    let bar_room = BAR_GAP + BAR_WIDTH + 8.0 + widest(&bar_labels)?;
    let right = picture.look.width - MARGIN - bar_room;
    let natural = (HEIGHT / rows as f64).clamp(3.0, CELL_HIGHEST) * rows as f64;
    let height = ((natural + stretch) / rows as f64).max(2.0);
    let width = ((right - left) / columns as f64).min(CELL_WIDEST);
    let board = Board { left, top, width, height, columns, rows };

    let numbers = cells(picture, chart, &colors, &board, size)?;
    rows_and_columns(picture, &names, chart, &board)?;
    bar(picture, &colors, &board)?;
    let center = f64::midpoint(board.left, board.right());
    let x_label = format!("{} →", printable(&chart.x_label));
    let bottom = picture.centered(&x_label, AXIS_TITLE, center, board.bottom() + 26.0, picture.inner())?;
    let mut notes = chart.notes.clone();
    if numbers
        && chart.scale == Scale::Log
        && let Some(unit) = cell_unit
    {
        notes.push(format!("Numbers on cells are in {unit}."));
    }
    if chart.scale == Scale::Log {
        notes.push("Equal ratios of values are equally far apart in colour.".to_owned());
    }
    if (0..columns * rows).any(|index| chart.cells.get(index).is_none_or(Option::is_none)) {
        notes.push("Hatched: no value.".to_owned());
    }
    Ok(Content { bottom: bottom + 2.0, about: about(chart), notes })
}

/// The unit that numbers on cells are in, and its size: that of the smallest.
fn cell_unit(quantity: Quantity, smallest: f64) -> (f64, Option<&'static str>) {
    match (quantity, smallest.abs()) {
        (Quantity::Time, size) if size >= 1e6 => (1e6, Some("s")),
        (Quantity::Time, size) if size >= 1e3 => (1e3, Some("ms")),
        (Quantity::Time, size) if size >= 0.1 => (1.0, Some("µs")),
        (Quantity::Time, _) => (1e-3, Some("ns")),
        _ => (1.0, None),
    }
}

fn widest(texts: &[String]) -> Result<f64, ChartError> {
    texts.iter().try_fold(0.0, |widest: f64, text| Ok(widest.max(TICK_LABEL.width(text)?)))
}

/// Draws the cells; whether their values are written on them.
fn cells(
    picture: &mut Picture,
    chart: &HeatMap,
    colors: &Colors,
    board: &Board,
    size: f64,
) -> Result<bool, ChartError> {
    let texts = chart.cells.iter().map(|cell| {
        let own = cell.as_ref().filter(|cell| usable(cell.value, chart.scale))?;
        let is_count = chart.quantity == Quantity::Ratio && own.value.fract() == 0.0;
        Some(if is_count { own.value.to_string() } else { unit::significant(own.value / size, 3) })
    });
    let texts: Vec<Option<String>> = texts.collect();
    let known: Vec<String> = texts.iter().flatten().cloned().collect();
    let numbers = board.height >= 16.0 && widest(&known)? + 6.0 <= board.width;
    let titled = chart.cells.len() <= TITLED_MAX;
    let draw = |picture: &mut Picture, column: usize, row: usize| {
        let index = row * board.columns + column;
        let corner = board.corner(column, row);
        let other = (corner.0 + board.width, corner.1 + board.height);
        let cell = chart.cells.get(index).and_then(Option::as_ref).filter(|cell| usable(cell.value, chart.scale));
        let Some(cell) = cell else {
            return picture.group("", None, |layer| hatch(layer, corner, other));
        };
        let ground = color(colors.share(cell.value));
        let title = titled.then(|| title(chart, column, row, cell));
        picture.group("", title.as_deref(), |layer| {
            // A little over the edge, so that nothing shines through between cells.
            layer.rectangle(corner, (other.0 + 0.1, other.1 + 0.1), Paint::Exact(ground))?;
            match texts[index].as_ref().filter(|_| numbers) {
                Some(text) => {
                    let face = Face { color: Paint::Exact(ink(ground)), ..TICK_LABEL };
                    let middle = f64::midpoint(corner.1, other.1) + 0.36 * face.size;
                    layer.text(text, face, HPos::Center, f64::midpoint(corner.0, other.0), middle)
                }
                None => Ok(()),
            }
        })
    };
    for row in 0..board.rows {
        for column in 0..board.columns {
            draw(picture, column, row)?;
        }
    }
    Ok(numbers)
}

fn title(chart: &HeatMap, column: usize, row: usize, cell: &Cell) -> String {
    let value = value_text(cell.value, chart.quantity);
    format!("{} {}, {} {}: {value}", chart.x_label, chart.x[column], chart.y_label, chart.y[row])
}

/// Slanted strokes, and the cell's edge: there is no value here.
fn hatch(layer: &mut Layer<'_>, (left, top): (f64, f64), (right, bottom): (f64, f64)) -> Drawn {
    const APART: f64 = 9.0;
    let (width, height) = (right - left, bottom - top);
    let count = ((width + height) / APART).floor() as usize;
    for step in 1..=count {
        // From the left or the lower edge upwards to the upper or the right one.
        let reach = step as f64 * APART;
        let from = if reach <= height { (left, top + reach) } else { (left + reach - height, bottom) };
        let to = if reach <= width { (left + reach, top) } else { (right, top + reach - width) };
        layer.line(from, to, Paint::Axis.mix(0.4), 0.8)?;
    }
    layer.path(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], Paint::Axis.mix(0.4), 0.8)
}

/// The values along both sides, as many as there is room for.
fn rows_and_columns(picture: &mut Picture, names: &[String], chart: &HeatMap, board: &Board) -> Result<(), ChartError> {
    let columns: Vec<String> = chart.x.iter().map(|name| printable(name)).collect();
    let every_column = ((widest(&columns)? + 10.0) / board.width).ceil().max(1.0) as usize;
    let every_row = ((TICK_LABEL.size + 3.0) / board.height).ceil().max(1.0) as usize;
    picture.group("", None, |layer| {
        for (row, name) in names.iter().enumerate().step_by(every_row) {
            let (_, top) = board.corner(0, row);
            let baseline = top + board.height / 2.0 + 0.36 * TICK_LABEL.size;
            layer.text(name, TICK_LABEL, HPos::Right, board.left - 8.0, baseline)?;
        }
        for (column, name) in columns.iter().enumerate().step_by(every_column) {
            let (left, _) = board.corner(column, 0);
            layer.text(name, TICK_LABEL, HPos::Center, left + board.width / 2.0, board.bottom() + 18.0)?;
        }
        Ok(())
    })
}

/// The bar of all colours, with the ticks of its axis.
fn bar(picture: &mut Picture, colors: &Colors, board: &Board) -> Result<(), ChartError> {
    const STEPS: u32 = 64;
    let (left, right) = (board.right() + BAR_GAP, board.right() + BAR_GAP + BAR_WIDTH);
    // It is as high as the cells, but of few rows higher.
    let (top, bottom) = (board.top, board.bottom());
    let place = |share: f64| bottom - share * (bottom - top);
    picture.group("", None, |layer| {
        for step in 0..STEPS {
            let (from, to) = (f64::from(step) / f64::from(STEPS), f64::from(step + 1) / f64::from(STEPS));
            let paint = Paint::Exact(color(f64::midpoint(from, to)));
            layer.rectangle((left, place(to)), (right, place(from) + 0.1), paint)?;
        }
        let mut above = f64::INFINITY;
        for tick in &colors.axis.ticks {
            let share = colors.share(tick.at);
            let y = place(share);
            if !(-1e-9..=1.0 + 1e-9).contains(&share) || y > above - TICK_LABEL.size {
                continue;
            }
            above = y;
            layer.line((right, y), (right + 4.0, y), Paint::Axis, 1.0)?;
            layer.text(&tick.label, TICK_LABEL, HPos::Left, right + 7.0, y + 0.36 * TICK_LABEL.size)?;
        }
        Ok(())
    })
}

fn about(chart: &HeatMap) -> String {
    let mut about = format!("{} for each {} and {}.", chart.value_label, chart.x_label, chart.y_label);
    let known = || (0..chart.cells.len()).filter_map(|index| Some((index, chart.cells[index].as_ref()?)));
    let extreme =
        |order: fn(&f64, &f64) -> std::cmp::Ordering| known().min_by(|one, other| order(&one.1.value, &other.1.value));
    for (what, found) in
        [("smallest", extreme(f64::total_cmp)), ("largest", extreme(|one, other| other.total_cmp(one)))]
    {
        if let Some((index, cell)) = found {
            let (column, row) = (index % chart.x.len().max(1), index / chart.x.len().max(1));
            let (x, y) = (chart.x.get(column).map_or("", String::as_str), chart.y.get(row).map_or("", String::as_str));
            let value = value_text(cell.value, chart.quantity);
            let _ = write!(about, " The {what} is {value}, at {x} and {y}.");
        }
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read_on_every_colour() {
        for step in 0..=100 {
            let ground = color(f64::from(step) / 100.0);
            assert!(contrast(ink(ground), ground) >= 4.5, "{step}: {ground:?}");
        }
    }

    #[test]
    fn colours_go_from_end_to_end_and_brighten() {
        assert_eq!((color(0.0), color(1.0), color(0.5)), (COLORS[0], COLORS[10], COLORS[5]));
        let luminances: Vec<f64> =
            (0..=50).map(|step| super::super::theme::luminance(color(f64::from(step) / 50.0))).collect();
        assert!(luminances.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
