//! Whether the rows of a run can be those of its scenario, before anything is concluded from them.

use std::path::Path;

use rayon::prelude::*;

use super::reader::{Run, read_text};
use super::table::lines_where;
use super::{METADATA_FILE, POINTS_FILE, RunError};
use crate::family::Family;
use crate::parameter::Parameter;
use crate::properties::Origin;
use crate::record::{Column, PointRecord, Status};

mod grid;
mod predictors;
mod rounds;
mod timing;

pub use grid::check_grid;
pub use rounds::{Expected, check_rounds};

impl Run {
    /// Looks whether every point is one of the family's and of the run's grid, and has a time that can be one.
    ///
    /// # Errors
    /// The first row that cannot be of this run, with its line.
    pub fn check(&self, family: &'static Family) -> Result<(), RunError> {
        let path = self.directory.join(POINTS_FILE);
        let Some(first) = self.points.first() else { return Ok(()) };
        let names = family.parameters.iter().map(|parameter| parameter.name);
        if let Some(foreign) =
            first.parameters.iter().map(|(name, _)| name).find(|name| family.parameter(name).is_none())
        {
            let names = names.collect::<Vec<_>>().join(", ");
            let problem =
                format!("has the column {foreign}, which `{}` has not: its parameters are {names}", family.name);
            return Err(RunError::malformed(&path, Some(1), problem));
        }
        let parts = self.points.par_chunks(ROWS_AT_ONCE).enumerate();
        let wrong = parts.find_map_first(|(part, points)| {
            let mut values: Vec<Known<'_>> = family.parameters.iter().map(Known::new).collect();
            let problem =
                |point| self.wrong(family, point).or_else(|| values.iter_mut().find_map(|known| known.wrong(point)));
            let (row, problem) =
                points.iter().map(problem).enumerate().find_map(|(row, problem)| Some((row, problem?)))?;
            Some((part * ROWS_AT_ONCE + row, problem))
        });
        let wrong = wrong.or_else(|| predictors::wrong(family, &self.metadata, &self.points));
        wrong.map_or(Ok(()), |(row, problem)| Err(RunError::malformed(&path, line_of(&path, row), problem)))
    }

    /// The problem of a point's row; `None` if it has none.
    fn wrong(&self, family: &Family, point: &PointRecord) -> Option<String> {
        let points = self.metadata.points;
        if point.point >= points {
            return Some(format!("point is {}, and the run has {points} points, from 0 on", point.point));
        }
        if !family.variants.iter().any(|variant| variant.name == point.variant) {
            let names: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
            let (variant, family) = (&point.variant, family.name);
            return Some(format!("`{variant}` is not a variant of `{family}`: {}", names.join(", ")));
        }
        let own = self.metadata.device.origin;
        let spec = &self.metadata.device.spec;
        if own == Origin::Measured && (spec.starts_with("sim:") || spec.starts_with("mock")) {
            return Some(format!("{METADATA_FILE} says that times of {spec} were measured: it has none of a GPU"));
        }
        if point.origin != own {
            let (origin, own) = (point.origin.name(), own.name());
            return Some(format!("origin is {origin}, and the times of the run's device are {own}"));
        }
        let (status, is_ok) = (point.status.name(), point.status == Status::Ok);
        if point.timing.is_none() && is_ok {
            return Some("status is ok, but there is no time".to_owned());
        }
        if point.timing.is_some() && matches!(point.status, Status::Failed | Status::NotRun | Status::Skipped) {
            return Some(format!("status is {status}, but there is a time"));
        }
        if point.reason.trim().is_empty() != is_ok {
            return Some(format!("status is {status}, but there is {} reason", if is_ok { "a" } else { "no" }));
        }
        timing::wrong(point.timing.as_ref()?, &self.metadata.measure)
    }
}

/// Rows that one thread looks at, at a time.
const ROWS_AT_ONCE: usize = 1 << 15;

/// A parameter, and which of its values were looked at before.
struct Known<'f> {
    parameter: &'f Parameter,
    column: Column<'f>,
    is_right: Vec<bool>,
}

impl<'f> Known<'f> {
    fn new(parameter: &'f Parameter) -> Self {
        Self { parameter, column: Column::new(parameter.name), is_right: Vec::new() }
    }

    /// A value that the parameter cannot have.
    fn wrong(&mut self, point: &PointRecord) -> Option<String> {
        let word = self.column.word(point)? as usize;
        if self.is_right.get(word).copied().unwrap_or_default() {
            return None;
        }
        let text = point.value(self.parameter.name)?.to_string();
        let kind = self.parameter.kind;
        // Variants that do not depend on it leave it empty.
        if !text.is_empty() && kind.check(&kind.value(&text)).is_err() {
            return Some(format!("{} is `{text}`, expected {}", self.parameter.name, kind.expectation()));
        }
        if self.is_right.len() <= word {
            self.is_right.resize(word + 1, false);
        }
        self.is_right[word] = true;
        None
    }
}

/// The line of a row, from 0 behind the header.
fn line_of(path: &Path, row: usize) -> Option<u64> {
    lines_where(&read_text(path).ok()?, |own| own == row).first().copied()
}
