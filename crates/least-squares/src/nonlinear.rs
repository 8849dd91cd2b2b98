//! Least squares in a curve that is not linear in its parameters.
//!
//! Levenberg and Marquardt's method with a trust region, after Moré, The Levenberg-Marquardt algorithm: implementation
//! and theory, Lecture Notes in Mathematics 630 (1978), the damped steps being had from a singular value decomposition;
//! then undamped steps for as long as they shrink, for the last digits.

use super::linear::{check, linearised, roots};
use super::matrix::{dot, norm};
use super::singular::Singular;
use super::{Matrix, Regression, RegressionError};

/// A curve with parameters.
pub trait Curve {
    /// The curve at `x`. Not a number where these parameters give no curve: the search then turns back.
    fn value(&self, parameters: &[f64], x: f64) -> f64;
    /// The derivatives of the curve at `x`, one for each parameter.
    fn gradient(&self, parameters: &[f64], x: f64) -> Vec<f64>;
}

const MOST_STEPS: usize = 1000;
/// The radius of the first step, in parts of the starting parameters' size; the next where a search from one fails.
const FIRST_RADII: [f64; 3] = [1.0, 100.0, 0.1];
/// A model that promises to lessen the sum of squares by less than this share has settled.
const LEAST_GAIN: f64 = 1e-12;
const MOST_POLISHING_STEPS: usize = 200;
/// Undamped steps shrink in proportion to the residuals' curvature; those that shrink less than this are rounding.
const MOST_SHRINKAGE: f64 = 0.95;

/// Fits a curve, minimising the sum of `weights * (y - curve)²`, from one start.
///
/// The covariance of the estimates is that of the curve linearised in all of its parameters at the minimum, and the
/// leave-one-out predictions are those of that linearised curve. R² is one less the unexplained share of the weighted
/// variation about the mean, at least 0.
///
/// # Errors
/// [`RegressionError`]: as for [`super::linear`], where the curve is not finite at the start, does not settle, or where
/// the observations do not determine a parameter.
pub fn nonlinear(
    curve: &dyn Curve,
    x: &[f64],
    y: &[f64],
    weights: &[f64],
    start: &[f64],
) -> Result<Regression, RegressionError> {
    nonlinear_from(curve, x, y, weights, &[start])
}

/// Fits a curve as [`nonlinear`] does, from each of several starts, and keeps the fit with the least sum of squares.
///
/// # Errors
/// As [`nonlinear`]; the first start's where none has a fit.
pub fn nonlinear_from(
    curve: &dyn Curve,
    x: &[f64],
    y: &[f64],
    weights: &[f64],
    starts: &[&[f64]],
) -> Result<Regression, RegressionError> {
    let parameters = starts.first().map_or(0, |start| start.len());
    check(parameters, x.len(), y, weights)?;
    if let Some(other) = starts.iter().find(|start| start.len() != parameters) {
        return Err(RegressionError::Shape { what: "starting values", actual: other.len(), expected: parameters });
    }
    if let Some(index) = x.iter().position(|x| !x.is_finite()) {
        return Err(RegressionError::NotFinite { index });
    }
    let problem = Problem { curve, x, y, roots: &roots(weights) };
    let mut best: Option<Optimum> = None;
    let mut first_error = None;
    for start in starts {
        for radius in FIRST_RADII {
            match problem.minimise(start, radius) {
                Ok(found) => {
                    if best.as_ref().is_none_or(|best| found.sum_of_squares < best.sum_of_squares) {
                        best = Some(found);
                    }
                    break;
                }
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
    }
    let best = best.ok_or(first_error.unwrap_or(RegressionError::OutOfRange))?;
    problem.fit(best.parameters, weights)
}

/// The figures of a curve at given parameters, as if they were its best.
pub(super) fn at(
    curve: &dyn Curve,
    x: &[f64],
    y: &[f64],
    weights: &[f64],
    parameters: &[f64],
) -> Result<Regression, RegressionError> {
    Problem { curve, x, y, roots: &[] }.fit(parameters.to_vec(), weights)
}

struct Problem<'a> {
    curve: &'a dyn Curve,
    x: &'a [f64],
    y: &'a [f64],
    roots: &'a [f64],
}

struct Optimum {
    parameters: Vec<f64>,
    sum_of_squares: f64,
}

impl Problem<'_> {
    /// The weighted residuals, if they have a finite sum of squares.
    fn residuals(&self, parameters: &[f64]) -> Option<Vec<f64>> {
        let residual = |index: usize| self.roots[index] * (self.y[index] - self.curve.value(parameters, self.x[index]));
        let residuals: Vec<f64> = (0..self.y.len()).map(residual).collect();
        dot(&residuals, &residuals).is_finite().then_some(residuals)
    }

    /// The weighted derivatives.
    fn jacobian(&self, parameters: &[f64]) -> Option<Matrix> {
        let mut jacobian = Matrix::zeros(self.y.len(), parameters.len());
        for (index, (&x, root)) in self.x.iter().zip(self.roots).enumerate() {
            for (column, derivative) in self.curve.gradient(parameters, x).into_iter().enumerate() {
                jacobian[(index, column)] = derivative * root;
            }
        }
        dot(jacobian.entries(), jacobian.entries()).is_finite().then_some(jacobian)
    }

    fn minimise(&self, start: &[f64], first_radius: f64) -> Result<Optimum, RegressionError> {
        let mut parameters = start.to_vec();
        let mut residuals = self.residuals(start).ok_or(RegressionError::OutOfRange)?;
        let mut jacobian = self.jacobian(start).ok_or(RegressionError::OutOfRange)?;
        let mut scales = vec![0.0; start.len()];
        let mut radius = None;
        for _ in 0..MOST_STEPS {
            for (column, scale) in scales.iter_mut().enumerate() {
                *scale = norm(jacobian.column(column)).max(*scale);
            }
            let model = Model::of(&jacobian, &residuals, &scales).ok_or(RegressionError::OutOfRange)?;
            let mut reach: f64 = radius.unwrap_or_else(|| {
                let size = parameters.iter().zip(&scales).map(|(p, scale)| (p * scale).powi(2)).sum::<f64>().sqrt();
                first_radius * if size > 0.0 { size } else { 1.0 }
            });
            let current = dot(&residuals, &residuals);
            // Until a step is good enough to take a new model at.
            loop {
                let step = model.step(reach);
                let promised = step.gain / current;
                if current == 0.0 || promised < LEAST_GAIN {
                    return Ok(self.polished(parameters, current));
                }
                let next: Vec<f64> = parameters.iter().zip(&step.change).map(|(p, change)| p + change).collect();
                if next == parameters || reach.is_nan() || reach < f64::MIN_POSITIVE {
                    return Ok(self.polished(parameters, current));
                }
                let tried = self.residuals(&next).and_then(|found| Some((found, self.jacobian(&next)?)));
                let gain = tried.as_ref().map_or(f64::NEG_INFINITY, |(found, _)| 1.0 - dot(found, found) / current);
                let ratio = gain / promised;
                if ratio < 0.25 {
                    reach = step.length.min(reach) * if gain > -9.0 { 0.5 } else { 0.1 };
                } else if step.damping == 0.0 || ratio > 0.75 {
                    reach = 2.0 * step.length;
                }
                if ratio > 1e-4
                    && let Some((found, derivatives)) = tried
                {
                    (parameters, residuals, jacobian) = (next, found, derivatives);
                    break;
                }
            }
            radius = Some(reach);
        }
        Err(RegressionError::NotConverged { iterations: MOST_STEPS })
    }

    /// Undamped steps for as long as they shrink.
    fn polished(&self, start: Vec<f64>, sum_of_squares: f64) -> Optimum {
        let mut best = Optimum { parameters: start, sum_of_squares };
        let mut last = f64::INFINITY;
        for _ in 0..MOST_POLISHING_STEPS {
            let Some((residuals, jacobian)) = self.residuals(&best.parameters).zip(self.jacobian(&best.parameters))
            else {
                break;
            };
            let scales: Vec<f64> = (0..jacobian.column_count()).map(|column| norm(jacobian.column(column))).collect();
            let Some(step) = Model::of(&jacobian, &residuals, &scales).map(|model| model.step(f64::INFINITY)) else {
                break;
            };
            let next: Vec<f64> = best.parameters.iter().zip(&step.change).map(|(p, change)| p + change).collect();
            let Some(sum_of_squares) = self.residuals(&next).map(|residuals| dot(&residuals, &residuals)) else {
                break;
            };
            let worse = sum_of_squares > best.sum_of_squares * (1.0 + 1e-9) + f64::MIN_POSITIVE;
            if step.length.is_nan() || step.length > MOST_SHRINKAGE * last || worse {
                break;
            }
            last = step.length;
            best = Optimum { parameters: next, sum_of_squares };
            if last == 0.0 {
                break;
            }
        }
        best
    }

    fn fit(&self, parameters: Vec<f64>, weights: &[f64]) -> Result<Regression, RegressionError> {
        let rows = self.y.len();
        let mut jacobian = vec![0.0; rows * parameters.len()];
        for (index, &x) in self.x.iter().enumerate() {
            for (column, derivative) in self.curve.gradient(&parameters, x).into_iter().enumerate() {
                jacobian[column * rows + index] = derivative;
            }
        }
        let residuals = self.x.iter().zip(self.y).map(|(&x, y)| y - self.curve.value(&parameters, x)).collect();
        linearised(&jacobian, parameters, residuals, self.y, weights)
    }
}

/// The curve linearised at some parameters, these scaled so that each column of derivatives counts alike.
struct Model {
    singular: Vec<f64>,
    /// The residuals in the directions of the singular values.
    projected: Vec<f64>,
    /// The directions, a column each.
    directions: Matrix,
    scales: Vec<f64>,
}

struct Step {
    change: Vec<f64>,
    length: f64,
    /// By how much the model lessens the sum of squares.
    gain: f64,
    damping: f64,
}

impl Model {
    fn of(jacobian: &Matrix, residuals: &[f64], scales: &[f64]) -> Option<Self> {
        let scales: Vec<f64> = scales.iter().map(|&scale| if scale > 0.0 { scale } else { 1.0 }).collect();
        let mut even = jacobian.clone();
        for (column, scale) in scales.iter().enumerate() {
            even.column_mut(column).iter_mut().for_each(|entry| *entry /= scale);
        }
        let Singular { values, left, directions } = Singular::of(even)?;
        let projected = (0..values.len()).map(|column| dot(left.column(column), residuals)).collect();
        Some(Self { singular: values, projected, directions, scales })
    }

    /// The step that lessens the sum of squares most within `radius` (to a tenth of it), in scaled parameters.
    fn step(&self, radius: f64) -> Step {
        let undamped = self.damped(0.0);
        if undamped.length <= 1.1 * radius {
            return undamped;
        }
        // The length falls with the damping from above the radius to below it; the upper end is by Moré, section 5.
        let gradient = self.singular.iter().zip(&self.projected).map(|(s, p)| (s * p).powi(2)).sum::<f64>().sqrt();
        let (mut low, mut high) = (0.0, gradient / radius);
        let mut damping = 1e-3 * high;
        let mut step = self.damped(damping);
        for _ in 0..100 {
            let excess = step.length - radius;
            if excess.abs() <= 0.1 * radius {
                break;
            }
            if excess > 0.0 {
                low = damping;
            } else {
                high = damping;
            }
            // Newton's iteration on 1 / radius - 1 / length, which is nearly linear in the damping.
            let slope: f64 = self
                .singular
                .iter()
                .zip(&self.projected)
                .map(|(s, p)| (s * p).powi(2) / (s * s + damping).powi(3))
                .sum();
            let newton = damping + step.length * step.length / slope * excess / radius;
            damping = if newton > low && newton < high { newton } else { f64::midpoint(low, high).max(0.001 * high) };
            step = self.damped(damping);
        }
        step
    }

    fn damped(&self, damping: f64) -> Step {
        // Directions in which the curve does not change are not followed.
        let least = self.singular.iter().copied().fold(0.0, f64::max) * f64::EPSILON;
        let in_direction = |(&singular, projected): (&f64, &f64)| {
            if singular <= least { 0.0 } else { singular * projected / (singular * singular + damping) }
        };
        let along: Vec<f64> = self.singular.iter().zip(&self.projected).map(in_direction).collect();
        let gain = (0..along.len())
            .map(|k| {
                let rest = self.projected[k] - self.singular[k] * along[k];
                (self.projected[k] - rest) * (self.projected[k] + rest)
            })
            .sum();
        let turned = |row: usize| (0..along.len()).map(|k| self.directions[(row, k)] * along[k]).sum::<f64>();
        let change = self.scales.iter().enumerate().map(|(row, scale)| turned(row) / scale).collect();
        Step { change, length: norm(&along), gain, damping }
    }
}
