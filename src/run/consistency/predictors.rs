//! Whether the predictors of rows are those of their parameters.

use rayon::prelude::*;

use crate::family::{Family, Request};
use crate::kernel::Provenance;
use crate::parameter::ParameterSet;
use crate::record::PointRecord;
use crate::run::metadata::RunMetadata;

/// Rows that are looked at. Of more, as many as this are, spread over the run: some families count thousands of warps for each.
const ROWS_MOST: usize = 1024;

/// How far a cell with six decimals is from its number, and a little for the digits of floats.
const ROUNDED: f64 = 0.000_000_51;
const ROUNDED_SHARE: f64 = 1e-12;

/// The first row with a predictor that its parameters do not give, and what is wrong with it.
pub(super) fn wrong(
    family: &'static Family,
    metadata: &RunMetadata,
    points: &[PointRecord],
) -> Option<(usize, String)> {
    // Another version may have counted otherwise, and older ones do not tell enough of the device.
    if metadata.apbench_version != env!("CARGO_PKG_VERSION") || metadata.device.blocks_per_sm == 0 {
        return None;
    }
    let rests_on_registers = family.predictors.iter().any(|predictor| predictor.rests_on_registers);
    let predicting = Predicting {
        family,
        metadata,
        has_these_registers: rests_on_registers && metadata.kernels == Provenance::of(family.ptx),
    };
    let rows = points.par_iter().enumerate().step_by(points.len().div_ceil(ROWS_MOST).max(1));
    let timed = rows.filter(|(_, point)| point.timing.is_some());
    timed.find_map_first(|(row, point)| Some((row, predicting.wrong(point)?)))
}

/// What predictors follow from beside the parameters.
struct Predicting<'a> {
    family: &'static Family,
    metadata: &'a RunMetadata,
    /// Whether the kernels of the run have as many registers as those of this program.
    has_these_registers: bool,
}

impl Predicting<'_> {
    fn wrong(&self, point: &PointRecord) -> Option<String> {
        let parameters = self.parameters(point)?;
        if let Err(conflict) = self.family.check(&parameters) {
            return Some(format!("no kernel has these parameters: {}", conflict.problem));
        }
        let RunMetadata { device, measure, .. } = self.metadata;
        let request = Request { variant: &point.variant, parameters: &parameters, device, seed: measure.seed };
        let expected = self.family.predictors(&request).ok()?;
        expected.into_iter().find_map(|(name, expected)| {
            let found = point.predictors.get(name)?;
            let is_known = self.has_these_registers || !self.family.predictor(name)?.rests_on_registers;
            let is_other = (found - expected).abs() > ROUNDED + ROUNDED_SHARE * expected.abs();
            (is_known && is_other).then(|| format!("{name} is {found}, and the row's parameters give {expected}"))
        })
    }

    /// The parameters of a row; defaults where it has none, as in rows of older runs.
    fn parameters(&self, point: &PointRecord) -> Option<ParameterSet> {
        let mut parameters = ParameterSet::defaults(self.family.parameters, &self.metadata.device);
        for parameter in self.family.parameters {
            let Some(text) = point.value(parameter.name).filter(|text| !text.is_empty()) else { continue };
            parameters.set(parameter.name, parameter.kind.value(&text)).ok()?;
        }
        Some(parameters)
    }
}
