//! Curves without kinks that are not linear in their coefficients: Gauss-Newton steps, halved until they help, in the
//! logarithms of coefficients that must be positive.

use super::kinked::overlap;
use super::{Data, Form, RegressionError, matrix};
use crate::model::regression;

/// Sharpnesses to begin with: hardly any overlap, some, and almost all.
const SHARPNESSES: [f64; 3] = [1.5, 4.0, 16.0];
/// A sharpness beyond this cannot be told from a maximum.
const SHARPEST: f64 = 100.0;
/// Steps at most, and how little they change when they have settled.
const STEPS: usize = 200;
const SETTLED: f64 = 1e-12;

/// The coefficients that leave the least squares.
pub(super) fn coefficients(form: Form, data: &Data<'_>) -> Result<Vec<f64>, RegressionError> {
    if form == Form::Power {
        return improve(form, data, power_on_logarithms(data)?);
    }
    let hard = overlap(if form == Form::SmoothOverlap { Form::Overlap } else { Form::Hiding }, data)?;
    let tries = SHARPNESSES.map(|sharpness| improve(form, data, vec![hard[0], hard[1], sharpness]));
    let settled = tries.into_iter().flatten().map(|found| (data.sum_of_squares(form, &found), found));
    let (_, best) = settled
        .filter(|(left, found)| left.is_finite() && found[2] < SHARPEST)
        .min_by(|(one, _), (other, _)| one.total_cmp(other))
        .ok_or(RegressionError::NotConverged { iterations: STEPS })?;
    Ok(best)
}

/// The line through the logarithms, near enough to begin with.
fn power_on_logarithms(data: &Data<'_>) -> Result<Vec<f64>, RegressionError> {
    let rows = data.observations.iter().map(|one| vec![1.0, one.x.ln()]);
    let logarithms: Vec<f64> = data.observations.iter().map(|one| one.time_us.ln()).collect();
    let line = regression::linear(&matrix(2, rows), &logarithms, &vec![1.0; logarithms.len()])?;
    Ok(vec![line.coefficients[0].exp(), line.coefficients[1]])
}

fn improve(form: Form, data: &Data<'_>, start: Vec<f64>) -> Result<Vec<f64>, RegressionError> {
    // The exponent of a power may have any sign.
    let is_positive = |index: usize| !(form == Form::Power && index == 1);
    let mut at = start;
    let mut left = data.sum_of_squares(form, &at);
    for _ in 0..STEPS {
        let rows = data.observations.iter().map(|one| {
            let gradient = form.gradient(&at, one.x);
            gradient
                .iter()
                .zip(&at)
                .enumerate()
                .map(|(index, (g, c))| if is_positive(index) { g * c } else { *g })
                .collect()
        });
        let rows: Vec<Vec<f64>> = rows.collect();
        let residuals: Vec<f64> = data.observations.iter().map(|one| one.time_us - form.time_us(&at, one.x)).collect();
        let step = regression::linear(&matrix(at.len(), rows.into_iter()), &residuals, &data.weights)?.coefficients;
        let size = step.iter().fold(0.0, |most: f64, change| most.max(change.abs()));
        let mut share = 1.0_f64.min(1.0 / size);
        let next = loop {
            let moved: Vec<f64> = at
                .iter()
                .zip(&step)
                .enumerate()
                .map(|(index, (c, d))| if is_positive(index) { c * (share * d).exp() } else { c + share * d })
                .collect();
            let leaves = data.sum_of_squares(form, &moved);
            if leaves <= left {
                break Some((leaves, moved));
            }
            share /= 2.0;
            if share < 1e-10 {
                break None;
            }
        };
        let Some((leaves, moved)) = next else { return Ok(at) };
        (at, left) = (moved, leaves);
        if size < SETTLED || left == 0.0 {
            return Ok(at);
        }
    }
    Ok(at)
}
