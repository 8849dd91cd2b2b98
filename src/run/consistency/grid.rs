//! Whether rows are those of the scenario's grid: the number of a point says which variant it is of, and which values its parameters have.

use std::path::Path;

use rayon::prelude::*;

use super::{ROWS_AT_ONCE, RunError, line_of};
use crate::family::Variant;
use crate::properties::{Origin, Properties};
use crate::record::{Column, PointRecord};
use crate::run::{METADATA_FILE, POINTS_FILE};
use crate::scenario::{Axis, Grid, Scenario};

mod expanded;

/// Holds the rows of a run in `directory` against its scenario's grid on its device. `points` is how many the run has. Variants that no row has may
/// be of a later version than the run: the grid is that of the others then.
///
/// # Errors
/// The first row that is not of the grid, with its line; or that so many points are of no grid of the scenario.
pub fn check_grid(
    directory: &Path,
    scenario: &Scenario,
    device: &Properties,
    points: usize,
    rows: &[PointRecord],
) -> Result<(), RunError> {
    let grids: Vec<&Grid> =
        scenario.simulated_grid.iter().filter(|_| device.origin == Origin::Simulated).chain([&scenario.grid]).collect();
    let all = &scenario.variants;
    let found: Vec<&'static Variant> =
        all.iter().copied().filter(|own| rows.iter().any(|row| row.variant == own.name)).collect();
    let fits = |variants: &[&Variant]| {
        let combined = |grid: &Grid| grid.len().saturating_mul(variants.len());
        grids.iter().any(|grid| combined(grid) == points)
    };
    let variants = if !fits(all) && fits(&found) { &found } else { all };
    let combined = |grid: &Grid| grid.len().saturating_mul(variants.len());
    let mut fitting = grids.iter().filter(|grid| combined(grid) == points);
    let path = directory.join(POINTS_FILE);
    let of_row = |(row, problem)| Err(RunError::malformed(&path, line_of(&path, row), problem));
    match (fitting.next(), fitting.next()) {
        (Some(grid), None) => wrong_of((scenario, variants), grid, rows).map_or(Ok(()), of_row),
        // Where both grids have as many points, it cannot be told which of them was meant.
        (Some(_), Some(_)) => Ok(()),
        (None, _) => match expanded::wrong((scenario, &found), &grids, device, points, rows) {
            None => Ok(()),
            Some(Wrong::Row(row, problem)) => of_row((row, problem)),
            Some(Wrong::Points(problem)) => Err(RunError::malformed(&directory.join(METADATA_FILE), None, problem)),
        },
    }
}

/// What is wrong with rows.
enum Wrong {
    /// One of them, from 0, is not of the grid.
    Row(usize, String),
    /// So many are of no grid.
    Points(String),
}

/// The first row that is not of a grid, in which each variant has each combination.
fn wrong_of(
    (scenario, variants): (&Scenario, &[&Variant]),
    grid: &Grid,
    rows: &[PointRecord],
) -> Option<(usize, String)> {
    let fixed = fixed(scenario, grid, rows);
    let parts = rows.par_chunks(ROWS_AT_ONCE).enumerate();
    parts.find_map_first(|(part, rows)| {
        let mut axes: Vec<Steps<'_>> = grid.axes().iter().flat_map(Steps::of).collect();
        let mut known: Vec<(Column<'_>, &Fixed)> = fixed.iter().map(|own| (Column::new(own.name), own)).collect();
        let mut problem = |point| {
            let of_axes = problem((scenario, variants), grid, &mut axes, point);
            of_axes.or_else(|| known.iter_mut().find_map(|(column, own)| own.problem(scenario, column, point)))
        };
        let (row, problem) = rows.iter().enumerate().find_map(|(row, point)| Some((row, problem(point)?)))?;
        Some((part * ROWS_AT_ONCE + row, problem))
    })
}

/// A parameter that no axis varies, so that all rows have the same value of it: that of the first one.
struct Fixed {
    name: &'static str,
    value: String,
    point: usize,
}

/// The parameters of a run that its grid does not name. Their values are the program's defaults, which may change with its versions.
fn fixed(scenario: &Scenario, grid: &Grid, rows: &[PointRecord]) -> Vec<Fixed> {
    let is_varied = |name: &str| grid.axes().iter().any(|axis| axis.parameters().any(|own| own == name));
    let names = scenario.family.parameters.iter().map(|parameter| parameter.name).filter(|name| !is_varied(name));
    let first = |name| {
        let own =
            |point: &PointRecord| point.value(name).filter(|value| !value.is_empty()).map(|value| value.to_string());
        rows.iter().find_map(|point| Some(Fixed { name, value: own(point)?, point: point.point }))
    };
    names.filter_map(first).collect()
}

impl Fixed {
    fn problem<'p>(&'p self, scenario: &Scenario, column: &mut Column<'p>, point: &PointRecord) -> Option<String> {
        let found = column.word(point)?;
        let (name, expected) = (self.name, column.word_of(&self.value));
        if found == expected || scenario.family.ignores(&point.variant, name) {
            return None;
        }
        let found = point.value(name).filter(|value| !value.is_empty())?;
        Some(format!(
            "{name} is {found}, and that of point {} is {}: the grid does not vary it",
            self.point, self.value
        ))
    }
}

/// A parameter that an axis varies, with its value at each step as the words of a column.
struct Steps<'a> {
    axis: &'a Axis,
    name: &'static str,
    column: Column<'a>,
    words: Vec<u32>,
}

impl<'a> Steps<'a> {
    fn of(axis: &'a Axis) -> impl Iterator<Item = Self> {
        axis.parameters().map(move |name| {
            let mut column = Column::new(name);
            let value = |step| axis.row(step).find(|(own, _)| *own == name).map(|(_, value)| value.to_string());
            let words = (0..axis.len()).map(|step| column.word_of(&value(step).unwrap_or_default())).collect();
            Self { axis, name, column, words }
        })
    }
}

/// What a row has that the point of its number has not.
fn problem(
    (scenario, variants): (&Scenario, &[&Variant]),
    grid: &Grid,
    axes: &mut [Steps<'_>],
    point: &PointRecord,
) -> Option<String> {
    let combinations = grid.len().max(1);
    let variant = variants.get(point.point / combinations)?;
    if point.variant != variant.name {
        return Some(format!("variant is {}, and point {} is of {}", point.variant, point.point, variant.name));
    }
    let mut rest = point.point % combinations;
    let mut latest: Option<(&Axis, usize)> = None;
    for own in axes.iter_mut().rev() {
        let step = match latest {
            Some((last, step)) if std::ptr::eq(last, own.axis) => step,
            _ => {
                let step = rest % own.axis.len().max(1);
                rest /= own.axis.len().max(1);
                step
            }
        };
        latest = Some((own.axis, step));
        let Some(word) = own.column.word(point) else { continue };
        if own.words.get(step) != Some(&word) && !scenario.family.ignores(variant.name, own.name) {
            let (name, found) = (own.name, point.value(own.name)?);
            let expected = own.axis.row(step).find(|(own, _)| *own == name)?.1;
            return Some(format!("{name} is {found}, and that of point {} is {expected}", point.point));
        }
    }
    None
}
