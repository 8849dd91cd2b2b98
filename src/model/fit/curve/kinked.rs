//! The best kink: where a maximum changes sides, where two lines meet, how wide steps are. Sums of squares have many
//! valleys there, so that every place is tried at which the assignment of observations changes.

use super::{Data, Form, Matrix, RegressionError};
use crate::model::fit::Observation;
use crate::model::law::steps;

/// Widths that are tried at most.
const WIDTHS_MAX: usize = 8192;

/// The coefficients of `max(a, b x)` or `max(a, b / x)`: for each split of the observations both sides' best.
pub(super) fn overlap(form: Form, data: &Data<'_>) -> Result<Vec<f64>, RegressionError> {
    let is_hiding = form == Form::Hiding;
    let along = |x: f64| if is_hiding { 1.0 / x } else { x };
    // Sums up to each observation: of the floor, and of what grows.
    let mut sums = vec![[0.0; 4]];
    for (one, weight) in data.observations.iter().zip(&data.weights) {
        let grown = along(one.x);
        let terms = [*weight, weight * one.time_us, weight * grown * grown, weight * grown * one.time_us];
        let before = sums[sums.len() - 1];
        sums.push([0, 1, 2, 3].map(|index| before[index] + terms[index]));
    }
    let all = sums[sums.len() - 1];
    let mut best: Option<(f64, Vec<f64>)> = None;
    for split in splits(data.observations, 1) {
        let before = sums[split];
        let after = [0, 1, 2, 3].map(|index| all[index] - before[index]);
        let (floor, rising) = if is_hiding { (after, before) } else { (before, after) };
        let coefficients = vec![floor[1] / floor[0], rising[3] / rising[2]];
        let left = data.sum_of_squares(form, &coefficients);
        if left.is_finite() && best.as_ref().is_none_or(|(least, _)| left < *least) {
            best = Some((left, coefficients));
        }
    }
    best.map(|(_, coefficients)| coefficients).ok_or(RegressionError::Deficient { column: 1 })
}

/// The coefficients of two lines that meet (Hudson, Fitting segmented curves whose join points have to be estimated, JASA 61,
/// 1966): between each two neighbouring predictors the meeting point of the best lines on both sides, where it
/// lies between them, else one of the predictors themselves.
pub(super) fn two_lines(data: &Data<'_>) -> Result<Vec<f64>, RegressionError> {
    let observations = data.observations;
    let mut breaks = Vec::new();
    // A piece through two predictors would have nothing that it could miss.
    for split in splits(observations, 3) {
        let (before, after) = observations.split_at(split);
        let (left, right) = (line(before, &data.weights[..split]), line(after, &data.weights[split..]));
        let (start, end) = (before[split - 1].x, after[0].x);
        breaks.push(start);
        if let (Some((a, b)), Some((c, d))) = (left, right) {
            let meeting = (a - c) / (d - b);
            if meeting > start && meeting < end {
                breaks.push(meeting);
            }
        }
        breaks.push(end);
    }
    breaks.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let largest = observations[observations.len() - 1].x;
    let mut best: Option<(f64, Vec<f64>)> = None;
    for at in breaks.into_iter().filter(|at| *at < largest) {
        let rows = observations.iter().map(|one| vec![1.0, one.x, (one.x - at).max(0.0)]);
        let Ok(regression) = least_squares::linear(&Matrix::from_rows(3, rows), &data.times_us(), &data.weights) else {
            continue;
        };
        if best.as_ref().is_none_or(|(least, _)| regression.sum_of_squares < *least) {
            let mut coefficients = regression.coefficients;
            coefficients.push(at);
            best = Some((regression.sum_of_squares, coefficients));
        }
    }
    best.map(|(_, coefficients)| coefficients).ok_or(RegressionError::Deficient { column: 3 })
}

/// The best width of steps, and up to which width every time stays on its step.
pub(super) fn width(data: &Data<'_>) -> Result<(f64, f64), RegressionError> {
    let mut distinct: Vec<f64> = data.observations.iter().map(|one| one.x).collect();
    distinct.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let largest = distinct[distinct.len() - 1];
    // With two predictors on each step on average, or steps are no different from a line.
    let most_steps = (distinct.len() / 2).max(2).min(WIDTHS_MAX / distinct.len().max(1)).max(2);
    let mut widths: Vec<f64> = distinct
        .iter()
        .flat_map(|x| (1..=most_steps).map(move |count| x / count as f64))
        .filter(|width| *width < largest && steps(largest, *width) <= most_steps as f64)
        .collect();
    widths.sort_by(f64::total_cmp);
    widths.dedup_by(|a, b| (*a / *b - 1.0).abs() < 1e-9);
    let mut best: Option<(f64, usize)> = None;
    for (index, width) in widths.iter().enumerate() {
        let left = unexplained(data, *width);
        if left.is_finite() && best.is_none_or(|(least, _)| left < least) {
            best = Some((left, index));
        }
    }
    let Some((_, index)) = best else { return Err(RegressionError::Deficient { column: 2 }) };
    Ok((widths[index], widths.get(index + 1).copied().unwrap_or(largest)))
}

/// The weighted squares that the best steps of this width leave.
fn unexplained(data: &Data<'_>, width: f64) -> f64 {
    let stepped: Vec<Observation> =
        data.observations.iter().map(|one| Observation { x: steps(one.x, width), ..*one }).collect();
    match line(&stepped, &data.weights) {
        Some((a, b)) => {
            let terms = stepped.iter().zip(&data.weights);
            terms.map(|(one, weight)| weight * (one.time_us - a - b * one.x).powi(2)).sum()
        }
        None => f64::NAN,
    }
}

/// Where the predictor changes, with at least so many distinct predictors on both sides.
fn splits(observations: &[Observation], least: usize) -> impl Iterator<Item = usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut end = 0;
    for group in observations.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()) {
        end += group.len();
        ends.push(end);
    }
    let count = ends.len().saturating_sub(least);
    ends.into_iter().take(count).skip(least - 1)
}

/// The intercept and the slope of the weighted line; `None` where the predictors do not differ.
fn line(observations: &[Observation], weights: &[f64]) -> Option<(f64, f64)> {
    let pairs = || observations.iter().zip(weights);
    let total: f64 = weights.iter().sum();
    let x = pairs().map(|(one, weight)| weight * one.x).sum::<f64>() / total;
    let y = pairs().map(|(one, weight)| weight * one.time_us).sum::<f64>() / total;
    let sxx: f64 = pairs().map(|(one, weight)| weight * (one.x - x).powi(2)).sum();
    let sxy: f64 = pairs().map(|(one, weight)| weight * (one.x - x) * (one.time_us - y)).sum();
    let slope = sxy / sxx;
    (sxx > 0.0 && slope.is_finite()).then_some((y - slope * x, slope))
}
