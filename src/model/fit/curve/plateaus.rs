//! Plateaus and their breaks: what is known of the coefficients of the best ones.

use super::{Data, Form, Matrix, Regression, RegressionError};
use least_squares::{Plateaus, risen};

/// The best plateaus with so many breaks: the first plateau, rises, places, sharpnesses; and the places that were tried.
pub(super) fn best(data: &Data<'_>, breaks: usize) -> Result<(Vec<f64>, usize), RegressionError> {
    let found = least_squares::plateaus(&data.predictors(), &data.times_us(), &data.weights, breaks);
    let Plateaus { level, rises, places, sharpnesses, gaps, .. } =
        found.ok_or(RegressionError::Deficient { column: 1 })?;
    Ok(([vec![level], rises, places, sharpnesses].concat(), gaps))
}

/// The 95 % intervals of the breaks, and behind them those of their sharpnesses: where the best fit leaves no more than chance would.
pub(in crate::model::fit) fn intervals(data: &Data<'_>, coefficients: &[f64]) -> Vec<(f64, f64)> {
    let breaks = (coefficients.len() - 1) / 3;
    let form = Form::Plateaus { breaks };
    let left = data.sum_of_squares(form, coefficients);
    let degrees = data.observations.len().saturating_sub(form.parameters()).max(1);
    let chance = 1.0 + least_squares::student_reach(degrees).powi(2) / degrees as f64;
    let most = (left * chance).max(data.rounding());
    let (x, y) = (data.predictors(), data.times_us());
    let found = coefficients[1 + breaks..].split_at(breaks);
    let each = least_squares::plateau_intervals((&x, &y, &data.weights), found, most);
    [0, 1].into_iter().flat_map(|which| each.iter().map(move |own| own[which])).collect()
}

/// The design of plateaus with these breaks, for which the rises are coefficients.
pub(super) fn on_plateaus(data: &Data<'_>, coefficients: &[f64]) -> Matrix {
    let breaks = (coefficients.len() - 1) / 3;
    let (places, sharpnesses) = coefficients[1 + breaks..].split_at(breaks);
    let ramps = |x: f64| places.iter().zip(sharpnesses).map(move |(place, sharpness)| risen(x, *place, *sharpness));
    let rows = data.observations.iter().map(|one| std::iter::once(1.0).chain(ramps(one.x)).collect());
    Matrix::from_rows(1 + breaks, rows)
}

/// The coefficients, in order, that the times determine together where the others are given: plateaus always, and breaks that have times on their rise.
fn determined(form: Form, data: &Data<'_>, coefficients: &[f64]) -> Vec<usize> {
    let breaks = (coefficients.len() - 1) / 3;
    let changes = |index: &usize| {
        let most = data
            .observations
            .iter()
            .map(|one| form.gradient(coefficients, one.x)[*index].abs() * coefficients[*index] / one.time_us);
        most.fold(0.0, f64::max) > 1e-3
    };
    (0..=breaks).chain((1 + breaks..=2 * breaks).filter(changes)).collect()
}

/// The regression in the coefficients that the times determine, with nothing that is known of the others. Times are left out with breaks where they are.
pub(super) fn regression(form: Form, data: &Data<'_>, coefficients: &[f64]) -> Result<Regression, RegressionError> {
    let breaks = (coefficients.len() - 1) / 3;
    let linear: Vec<usize> = (0..=breaks).collect();
    let mut regression = tangent(form, data, coefficients, &linear)?;
    let kept = determined(form, data, coefficients);
    // Of breaks whose rises have too few times between them nothing is known.
    let (kept, along) = match tangent(form, data, coefficients, &kept) {
        Ok(along) => (kept, along),
        Err(_) => (linear, regression.clone()),
    };
    let count = coefficients.len();
    let place = |index: usize| kept.iter().position(|own| *own == index);
    let entry = |row: usize, column: usize| {
        place(row).zip(place(column)).map_or(0.0, |(row, column)| along.covariance[(row, column)])
    };
    let rows: Vec<Vec<f64>> = (0..count).map(|row| (0..count).map(|column| entry(row, column)).collect()).collect();
    // The same variance of a time for all.
    let factor =
        if along.residual_error > 0.0 { (regression.residual_error / along.residual_error).powi(2) } else { 1.0 };
    regression.covariance = Matrix::from_rows(count, rows.into_iter()).scaled(factor);
    regression.coefficients = coefficients.to_vec();
    Ok(regression)
}

/// The linear fit that the curve looks like in these of its coefficients.
fn tangent(form: Form, data: &Data<'_>, coefficients: &[f64], kept: &[usize]) -> Result<Regression, RegressionError> {
    let rows: Vec<Vec<f64>> = data
        .observations
        .iter()
        .map(|one| {
            let gradient = form.gradient(coefficients, one.x);
            kept.iter().map(|index| gradient[*index]).collect()
        })
        .collect();
    let responses: Vec<f64> = data
        .observations
        .iter()
        .zip(&rows)
        .map(|(one, row)| {
            let along: f64 = row.iter().zip(kept).map(|(own, index)| own * coefficients[*index]).sum();
            one.time_us - form.time_us(coefficients, one.x) + along
        })
        .collect();
    let design = Matrix::from_rows(kept.len(), rows.into_iter());
    let mut regression = least_squares::linear(&design, &responses, &data.weights)?;
    for ((left_out, response), one) in regression.left_out.iter_mut().zip(&responses).zip(data.observations) {
        *left_out = left_out.map(|predicted| predicted - response + one.time_us);
    }
    Ok(regression)
}
