//! Runs beside the figures that the sources print.

use std::collections::HashMap;

use serde::Serialize;

use super::key::{NOTHING, Values};
use super::ratio::{Known, Ratio, ratio};
use super::side::{Side, SidePoint};
use crate::properties::Origin;
use crate::published::printed::{PrintedRow, PrintedTable, Quantity, Selector};

/// A printed table with a column for each device of the source and each run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureTable {
    /// Where it is printed.
    pub place: String,
    /// The family.
    pub family: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<FigureRow>,
}

/// A device of the source, or a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// The device's name.
    pub device: String,
    /// Where its figures come from.
    pub origin: FigureOrigin,
    /// The run directory; `None` of published ones.
    pub run: Option<String>,
}

/// Where figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureOrigin {
    /// A source prints them.
    Published,
    /// A run on a GPU.
    Measured,
    /// A run on a simulated device.
    Simulated,
    /// A run on the mock.
    Mock,
}

impl FigureOrigin {
    /// The word that every output labels it with.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Measured => "measured",
            Self::Simulated => "simulated",
            Self::Mock => "mock",
        }
    }
}

impl From<Origin> for FigureOrigin {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Measured => Self::Measured,
            Origin::Simulated => Self::Simulated,
            Origin::Mock => Self::Mock,
        }
    }
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureRow {
    /// The figure in the source's words.
    pub label: String,
    /// `ms`, or `ratio`.
    pub unit: String,
    /// Why no run can have the figure; empty if a run can.
    pub reason: String,
    /// Its cells, one for each column.
    pub cells: Vec<FigureCell>,
}

/// A figure, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureCell {
    /// The figure, in the row's unit.
    pub value: Option<f64>,
    /// The ends of the range that the source prints, or of the 95 % interval of a run.
    pub interval: Option<(f64, f64)>,
    /// Points that a run's figure is taken over.
    pub points: usize,
    /// The figure over that of the base column, where there is a base.
    pub ratio: Option<Ratio>,
    /// Why there is no figure; empty where there is one.
    pub reason: String,
}

/// A column for each device that the source prints figures of (or for `device` alone), and one for each run.
pub fn figure_table(printed: &PrintedTable, device: Option<&str>, sides: &[Side], values: &Values) -> FigureTable {
    let mut columns: Vec<Column> = Vec::new();
    for (name, ..) in printed.rows.iter().flat_map(|row| &row.printed) {
        if device.is_none_or(|device| device == name) && !columns.iter().any(|column| column.device == *name) {
            columns.push(Column { device: name.clone(), origin: FigureOrigin::Published, run: None });
        }
    }
    let published = columns.len();
    columns.extend(sides.iter().map(|side| Column {
        device: side.device.name.clone(),
        origin: side.device.origin.into(),
        run: Some(side.facts.name.clone()),
    }));
    let row = |row: &PrintedRow| {
        let of_source = columns[..published].iter().map(|column| {
            let own = row.printed.iter().find(|(device, ..)| *device == column.device);
            own.map_or_else(
                || FigureCell::none(format!("{} does not print this figure", printed.place)),
                |(_, value, plus_minus)| FigureCell {
                    value: Some(*value),
                    interval: plus_minus.map(|range| (value - range, value + range)),
                    points: 0,
                    ratio: None,
                    reason: String::new(),
                },
            )
        });
        let of_runs = sides.iter().map(|side| match &row.quantity {
            Ok(quantity) => of_side(side, values, quantity, &row.unit).unwrap_or_else(FigureCell::none),
            Err(reason) => FigureCell::none(reason.clone()),
        });
        let reason = row.quantity.as_ref().err().cloned().unwrap_or_default();
        FigureRow {
            label: row.label.clone(),
            unit: row.unit.clone(),
            reason,
            cells: of_source.chain(of_runs).collect(),
        }
    };
    let rows = printed.rows.iter().map(row).collect();
    FigureTable { place: printed.place.clone(), family: printed.family.clone(), columns, rows }
}

impl FigureCell {
    fn none(reason: String) -> Self {
        Self { value: None, interval: None, points: 0, ratio: None, reason }
    }

    fn known(&self) -> Option<Known> {
        let estimate = self.value?;
        let (low, high) = self.interval.unwrap_or((estimate, estimate));
        Some(Known { estimate, low, high })
    }
}

impl FigureTable {
    /// Puts the column `base` first, and gives every other cell its ratio to that.
    pub fn against(&mut self, base: usize) {
        if base >= self.columns.len() {
            return;
        }
        let column = self.columns.remove(base);
        self.columns.insert(0, column);
        for row in &mut self.rows {
            let cell = row.cells.remove(base);
            let known = cell.known();
            for other in &mut row.cells {
                other.ratio = other.known().zip(known).and_then(|(other, base)| ratio(other, base)).map(|own| {
                    // Without an interval on either side there is none to give.
                    let has_interval = cell.interval.is_some() || other.interval.is_some();
                    Ratio { interval: own.interval.filter(|_| has_interval), ..own }
                });
            }
            row.cells.insert(0, cell);
        }
    }

    /// Rows that a column has a figure for.
    pub fn figures_of(&self, column: usize) -> usize {
        self.rows.iter().filter(|row| row.cells.get(column).is_some_and(|cell| cell.value.is_some())).count()
    }
}

/// Computes a figure from the points of a run. The error says why that is not possible.
fn of_side(side: &Side, values: &Values, quantity: &Quantity, unit: &str) -> Result<FigureCell, String> {
    match quantity {
        Quantity::Time(selector) => {
            let chosen: Vec<&SidePoint> = select(side, values, selector)?.into_iter().map(|(_, point)| point).collect();
            let [point] = chosen[..] else {
                return Err(format!("{} points match, exactly one is needed", chosen.len()));
            };
            let time = point.time.ok_or_else(|| "the point has no time".to_owned())?;
            let scale = match unit {
                "ms" => 1e-3,
                "us" => 1.0,
                unit => return Err(format!("runs have no time in {unit}")),
            };
            Ok(FigureCell {
                value: Some(time.time_us * scale),
                interval: time.interval_us.map(|(low, high)| (low * scale, high * scale)),
                points: 1,
                ratio: None,
                reason: String::new(),
            })
        }
        Quantity::Ratio(own, reference) => mean_of_ratios(side, values, own, reference),
    }
}

fn mean_of_ratios(side: &Side, values: &Values, own: &Selector, reference: &Selector) -> Result<FigureCell, String> {
    // What one of the two has a value of, or does not depend on, does not tell pairs apart.
    let free: Vec<usize> = side
        .family
        .parameters
        .iter()
        .enumerate()
        .filter(|(_, parameter)| {
            let is_given = |selector: &Selector| selector.parameters.iter().any(|(name, _)| name == parameter.name);
            let is_ignored = |selector: &Selector| side.family.ignores(&selector.variant, parameter.name);
            ![own, reference].into_iter().any(|selector| is_given(selector) || is_ignored(selector))
        })
        .map(|(index, _)| index + 1)
        .collect();
    let key = |cells: &[u32]| -> Vec<u32> { free.iter().filter_map(|column| cells.get(*column).copied()).collect() };
    let time = |point: &SidePoint| {
        let time = point.time.filter(|time| time.time_us.is_finite() && time.time_us > 0.0)?;
        let half = match time.interval_us {
            Some((low, high)) if low > 0.0 => Some((high / low).ln() / 2.0),
            _ => time.exact.then_some(0.0),
        };
        Some((time.time_us, half, time.exact))
    };
    // Its own points first, so that what is told to be missing is what was asked for.
    let over = select(side, values, own)?;
    let under: HashMap<Vec<u32>, (f64, Option<f64>, bool)> = select(side, values, reference)?
        .into_iter()
        .filter_map(|(cells, point)| Some((key(cells), time(point)?)))
        .collect();
    let mut logarithms = Vec::new();
    let (mut squares, mut exact) = (Some(0.0), true);
    for (cells, point) in over {
        let Some(((over_us, over_half, over_exact), (under_us, under_half, under_exact))) =
            time(point).zip(under.get(&key(cells)).copied())
        else {
            continue;
        };
        logarithms.push((over_us / under_us).ln());
        // The reference over itself is 1, whatever its interval.
        let square = if own == reference {
            Some(0.0)
        } else {
            over_half.zip(under_half).map(|(one, two)| one * one + two * two)
        };
        squares = squares.zip(square).map(|(sum, square): (f64, f64)| sum + square);
        exact &= over_exact && under_exact;
    }
    let count = logarithms.len();
    let mean = super::summary::mean_ratio(logarithms.into_iter());
    let mean = mean.ok_or_else(|| "no two of its points agree in all other parameters".to_owned())?;
    let half = squares.map(|squares| squares.sqrt() / count as f64).filter(|_| !exact);
    let interval = half.map(|half| (mean * (-half).exp(), mean * half.exp()));
    Ok(FigureCell { value: Some(mean), interval, points: count, ratio: None, reason: String::new() })
}

/// The points that a selector means, with their keys.
fn select<'a>(side: &'a Side, values: &Values, selector: &Selector) -> Result<Vec<(&'a [u32], &'a SidePoint)>, String> {
    let points = side.keys.iter().zip(&side.points);
    let of_variant: Vec<_> = points
        .filter(|(key, point)| {
            key.first().is_some_and(|cell| values.text(*cell) == selector.variant) && point.time.is_some()
        })
        .collect();
    if of_variant.is_empty() {
        return Err(format!("no point of variant {} has a time", selector.variant));
    }
    let mut chosen = of_variant;
    for (name, value) in &selector.parameters {
        let Some(column) = side.family.parameters.iter().position(|parameter| parameter.name == name) else {
            return Err(format!("{} has no parameter {name}", side.family.name));
        };
        chosen
            .retain(|(key, _)| key.get(column + 1).is_some_and(|cell| *cell == NOTHING || values.text(*cell) == value));
        if chosen.is_empty() {
            return Err(format!("no point of {} with {name}={value}", selector.variant));
        }
    }
    Ok(chosen)
}
