//! Fitting a form of curve to observations, before anything is judged.
//!
//! Fits are relative least squares: each observation is weighted by 1 / time², since times of one sweep span decades and
//! their errors are in proportion to them; unweighted, the largest times alone would set the intercept.

mod kinked;
mod smooth;

use nalgebra::DMatrix;

use super::{FitError, Observation};
use crate::model::law::{Form, Law};
use crate::model::regression::{self, Regression, RegressionError};

/// Huber's constant: 95 % as efficient as least squares where the errors are normal.
const HUBER: f64 = 1.345;

/// Rounds of reweighting at most, and how little weights change when they have settled.
const REWEIGHTINGS: usize = 60;
const SETTLED: f64 = 1e-7;

/// Observations sorted by predictor, with their weights.
#[derive(Debug, Clone)]
pub(super) struct Data<'a> {
    pub(super) observations: &'a [Observation],
    /// In proportion to the smallest time, so that no square leaves the range of floating point needlessly.
    pub(super) weights: Vec<f64>,
    pub(super) smallest_us: f64,
}

impl<'a> Data<'a> {
    pub(super) fn relative(observations: &'a [Observation]) -> Self {
        let smallest_us = observations.iter().fold(f64::INFINITY, |least, one| least.min(one.time_us));
        let weights = observations.iter().map(|one| (smallest_us / one.time_us).powi(2)).collect();
        Self { observations, weights, smallest_us }
    }

    pub(super) fn times_us(&self) -> Vec<f64> {
        self.observations.iter().map(|one| one.time_us).collect()
    }

    /// The weighted sum of the squares of what a curve with these coefficients leaves.
    fn sum_of_squares(&self, form: Form, coefficients: &[f64]) -> f64 {
        let terms = self.observations.iter().zip(&self.weights);
        terms.map(|(one, weight)| weight * (one.time_us - form.time_us(coefficients, one.x)).powi(2)).sum()
    }
}

/// A form fitted to observations.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) form: Form,
    pub(super) coefficients: Vec<f64>,
    pub(super) covariance: DMatrix<f64>,
    /// Of the residuals.
    pub(super) degrees: usize,
    /// The standard deviation of a time, as a share of it.
    pub(super) relative_error: f64,
    /// Each time as predicted by the fit to all the others; kinks stay where they are meanwhile.
    pub(super) left_out: Vec<Option<f64>>,
    /// Akaike's corrected criterion.
    pub(super) aicc: f64,
    /// Where the width of steps may be without any time changing its step.
    pub(super) width: Option<(f64, f64)>,
}

impl Fitted {
    /// Fits a form by relative least squares, or, where `is_robust`, with Huber's weights.
    pub(super) fn new(form: Form, data: &Data<'_>, is_robust: bool) -> Result<Self, RegressionError> {
        if !is_robust {
            return Self::weighted(form, data);
        }
        let mut data = data.clone();
        let full = data.weights.clone();
        let mut fitted = Self::weighted(form, &data)?;
        for _ in 0..REWEIGHTINGS {
            let residuals: Vec<f64> = data
                .observations
                .iter()
                .map(|one| form.time_us(&fitted.coefficients, one.x) / one.time_us - 1.0)
                .collect();
            let scale = median(residuals.iter().map(|residual| residual.abs())) / 0.674_489_750_196_081_7;
            let mut largest_change: f64 = 0.0;
            for ((weight, full), residual) in data.weights.iter_mut().zip(&full).zip(&residuals) {
                let reach = HUBER * scale;
                let next = full * if residual.abs() > reach { (reach / residual.abs()).max(1e-9) } else { 1.0 };
                largest_change = largest_change.max((next - *weight).abs() / full);
                *weight = next;
            }
            if largest_change < SETTLED {
                break;
            }
            fitted = Self::weighted(form, &data)?;
        }
        Ok(fitted)
    }

    fn weighted(form: Form, data: &Data<'_>) -> Result<Self, RegressionError> {
        let needed = form.parameters() + 1;
        if data.observations.len() < needed {
            return Err(RegressionError::TooFew { count: data.observations.len(), parameters: form.parameters() });
        }
        match form {
            Form::Constant | Form::Proportional | Form::Affine | Form::Reciprocal | Form::Saturation => {
                let rows = data.observations.iter().map(|one| form.design(one.x).unwrap_or_default());
                let regression = regression::linear(&matrix(form.parameters(), rows), &data.times_us(), &data.weights)?;
                Ok(Self::of(form, data, regression, None))
            }
            Form::Power | Form::SmoothOverlap | Form::SmoothHiding => {
                Self::linearised(form, data, &smooth::coefficients(form, data)?)
            }
            Form::Overlap | Form::Hiding => Self::linearised(form, data, &kinked::overlap(form, data)?),
            Form::TwoLines => Self::linearised(form, data, &kinked::two_lines(data)?),
            Form::Steps => {
                let (width, end) = kinked::width(data)?;
                let rows = data.observations.iter().map(|one| vec![1.0, crate::model::law::steps(one.x, width)]);
                let regression = regression::linear(&matrix(2, rows), &data.times_us(), &data.weights)?;
                Ok(Self::of(form, data, regression, Some((width, end))))
            }
        }
    }

    /// The covariance of all parameters, and leave-one-out predictions, of a fit that has been found: those of the linear fit
    /// that it looks like there.
    fn linearised(form: Form, data: &Data<'_>, coefficients: &[f64]) -> Result<Self, RegressionError> {
        let rows: Vec<Vec<f64>> = data.observations.iter().map(|one| form.gradient(coefficients, one.x)).collect();
        let responses: Vec<f64> = data
            .observations
            .iter()
            .zip(&rows)
            .map(|(one, row)| {
                let along: f64 = row.iter().zip(coefficients).map(|(g, c)| g * c).sum();
                one.time_us - form.time_us(coefficients, one.x) + along
            })
            .collect();
        let mut regression =
            regression::linear(&matrix(form.parameters(), rows.into_iter()), &responses, &data.weights)?;
        // Leave-one-out predictions of the responses, back to times.
        for ((left_out, response), one) in regression.left_out.iter_mut().zip(&responses).zip(data.observations) {
            *left_out = left_out.map(|predicted| predicted - response + one.time_us);
        }
        regression.coefficients.copy_from_slice(coefficients);
        Ok(Self::of(form, data, regression, None))
    }

    fn of(form: Form, data: &Data<'_>, regression: Regression, width: Option<(f64, f64)>) -> Self {
        let Regression { mut coefficients, covariance, degrees, residual_error, sum_of_squares, left_out, .. } =
            regression;
        let n = data.observations.len();
        let (mut covariance, mut degrees, mut residual_error) = (covariance, degrees, residual_error);
        if let Some((width, _)) = width {
            // The width was fitted as well: a degree of freedom less, and a parameter that nothing else moves with.
            let fewer = degrees.saturating_sub(1).max(1);
            let factor = degrees as f64 / fewer as f64;
            covariance = (covariance * factor).resize(3, 3, 0.0);
            residual_error *= factor.sqrt();
            degrees = fewer;
            coefficients.push(width);
        }
        // What rounding alone may leave is not told apart: all weighted squares of the times are the same.
        let least = n as f64 * (64.0 * f64::EPSILON * data.smallest_us).powi(2);
        let log_weights = data.weights.iter().map(|weight| weight.ln()).sum();
        Self {
            form,
            aicc: regression::aicc(n, form.parameters() + 1, sum_of_squares.max(least), log_weights),
            coefficients,
            covariance,
            degrees,
            relative_error: residual_error / data.smallest_us,
            left_out,
            width,
        }
    }

    pub(super) fn time_us(&self, x: f64) -> f64 {
        self.form.time_us(&self.coefficients, x)
    }

    /// The 95 % interval of a coefficient, by Student's distribution.
    pub(super) fn interval(&self, index: usize) -> (f64, f64) {
        let half = regression::student_reach(self.degrees) * self.covariance[(index, index)].sqrt();
        (self.coefficients[index] - half, self.coefficients[index] + half)
    }

    /// The root mean square of the leave-one-out errors in percent, and the largest without its sign with where it is.
    pub(super) fn errors(&self, observations: &[Observation]) -> (f64, (f64, usize)) {
        let errors: Vec<(f64, usize)> = observations
            .iter()
            .zip(&self.left_out)
            .enumerate()
            .filter_map(|(index, (one, left_out))| {
                left_out.map(|predicted| ((predicted - one.time_us) / one.time_us * 100.0, index))
            })
            .collect();
        let mean_square = errors.iter().map(|(error, _)| error * error).sum::<f64>() / errors.len().max(1) as f64;
        let larger = |known: (f64, usize), next: (f64, usize)| if next.0 > known.0 { next } else { known };
        let largest = errors.iter().map(|&(error, index)| (error.abs(), index)).fold((0.0, 0), larger);
        (mean_square.sqrt(), largest)
    }

    /// The most that a time is from the curve, in percent of the time.
    pub(super) fn within_pct(&self, observations: &[Observation]) -> f64 {
        let apart = observations.iter().map(|one| (self.time_us(one.x) / one.time_us - 1.0).abs() * 100.0);
        apart.fold(0.0, f64::max)
    }

    /// The share of the weighted variation of the times about their mean that the curve explains.
    pub(super) fn r2(&self, data: &Data<'_>) -> f64 {
        let first = data.observations[0].time_us;
        let total: f64 = data.weights.iter().sum();
        let pairs = || data.observations.iter().zip(&data.weights);
        let mean = pairs().map(|(one, weight)| weight * (one.time_us - first)).sum::<f64>() / total;
        let variation: f64 = pairs().map(|(one, weight)| weight * (one.time_us - first - mean).powi(2)).sum();
        let unexplained = (self.relative_error * data.smallest_us).powi(2) * self.degrees as f64;
        if variation > 0.0 { (1.0 - unexplained / variation).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// What a regression's refusal means for a law.
pub(super) fn refusal(
    error: &RegressionError,
    law: &'static Law,
    symbol: &'static str,
    observations: &[Observation],
) -> FitError {
    let distinct = observations.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()).count();
    let (parameters, count) = (law.form.parameters(), observations.len());
    match error {
        RegressionError::TooFew { .. } => FitError::TooFew { law: law.name, least: parameters + 1, count },
        _ if distinct == 1 => FitError::SamePredictor { law: law.name, symbol, x: observations[0].x, count },
        _ if distinct < parameters => FitError::TooFewPredictors { law: law.name, symbol, parameters, distinct },
        RegressionError::OutOfRange | RegressionError::NotFinite { .. } | RegressionError::BadWeight { .. } => {
            FitError::OutOfRange { law: law.name }
        }
        _ => FitError::Undetermined { law: law.name },
    }
}

/// The variance of what changes by `gradient` with the coefficients.
pub(super) fn variance(covariance: &DMatrix<f64>, gradient: &[f64]) -> f64 {
    let product = |row: usize| -> f64 { gradient.iter().enumerate().map(|(k, g)| covariance[(row, k)] * g).sum() };
    gradient.iter().enumerate().map(|(row, g)| g * product(row)).sum::<f64>().max(0.0)
}

fn matrix(columns: usize, rows: impl ExactSizeIterator<Item = Vec<f64>>) -> DMatrix<f64> {
    let count = rows.len();
    DMatrix::from_row_iterator(count, columns, rows.flatten())
}

/// The middle of some numbers; of an even number of them, the mean of the middle two.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}
