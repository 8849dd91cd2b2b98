//! Intervals from resampled residuals, for laws whose kinks and steps take their estimates far from Student's distribution.

use super::Observation;
use super::curve::{Data, Fitted};
use least_squares::{RegressionError, Resampling, residual_bootstrap};

/// How often residuals are drawn anew, always the same ones.
const RESAMPLING: Resampling = Resampling { seed: 1, count: 400 };

/// The 95 % percentile intervals of a law's parameters (Efron and Tibshirani, An Introduction to the Bootstrap, section
/// 13.3): of fits to the curve with its residuals drawn anew.
pub(super) fn percentiles(fitted: &Fitted, data: &Data<'_>, is_robust: bool) -> Vec<(f64, f64)> {
    let mut draws: Vec<Vec<f64>> = Vec::with_capacity(RESAMPLING.count);
    let refit = |responses: &[f64]| {
        let observations: Vec<Observation> = data
            .observations
            .iter()
            .zip(responses)
            .map(|(one, time_us)| Observation { time_us: *time_us, ..*one })
            .collect();
        if observations.iter().any(|one| one.time_us <= 0.0) {
            return Err(RegressionError::OutOfRange);
        }
        let own = Data { observations: &observations, ..data.clone() };
        let draw = Fitted::new(fitted.form, &own, is_robust)?;
        draws.push(fitted.form.read(draw.coefficients()));
        Ok(draw.regression)
    };
    // All parameters at once, from what was fitted on the way to the first.
    let first = residual_bootstrap(&fitted.regression, &data.times_us(), &data.weights, RESAMPLING, refit, |draw| {
        draw.coefficients[0]
    });
    let read = fitted.form.read(fitted.coefficients());
    let interval = |index: usize| {
        if first.is_err() {
            return (f64::NEG_INFINITY, f64::INFINITY);
        }
        let mut values: Vec<f64> = draws.iter().map(|draw| draw[index]).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values[((values.len() as f64 - 1.0) * share).round() as usize];
        let (low, high) = (at(0.025).min(read[index]), at(0.975).max(read[index]));
        match (fitted.width, index) {
            (Some((start, end)), 2) => (low.min(start), high.max(end)),
            _ => (low, high),
        }
    };
    (0..read.len()).map(interval).collect()
}
