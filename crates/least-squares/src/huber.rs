//! Huber's robust regression: least squares near the curve, absolute deviations far from it.
//!
//! Iteratively reweighted least squares with the scale of the median absolute deviation in each step; Huber and
//! Ronchetti, Robust Statistics, 2nd edition, sections 7.3 (the estimate) and 7.6 (its covariance, equation 7.81).

use super::linear::linearised;
use super::nonlinear::at;
use super::order_statistics::median;
use super::summary::ROUNDING;
use super::{Curve, Matrix, Regression, RegressionError, linear, nonlinear};

/// Residuals up to this many standard deviations count in full. The estimate then loses 5 % of the efficiency that
/// least squares have where errors are normal.
const BEND: f64 = 1.345;
/// The median absolute deviation of a normal distribution, in standard deviations: its 75 % quantile.
const NORMAL_DEVIATION: f64 = 0.674_489_750_196_081_7;
const MOST_STEPS: usize = 500;
/// Shares of observations that change by no more than this have settled.
const SETTLED: f64 = 1e-11;

/// A robust fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Robust {
    /// The least squares fit with each weight times the share below, but for its covariance, which is that of the
    /// robust estimate, and its residual error, which is the robust scale. Its [`Regression::aicc`] says nothing, as
    /// its weights follow from the data.
    pub regression: Regression,
    /// How far each observation counts, above 0 to 1.
    pub shares: Vec<f64>,
    /// The covariance for intervals that cover with few observations, too. A curve with `p` coefficients may pass through `p` of them, so that
    /// the scale is the median of the other absolute residuals (Street, Carroll and Ruppert, A note on computing robust regression
    /// estimates via iteratively reweighted least squares, The American Statistician 42, 1988).
    pub covariance_of_few: Matrix,
    /// Student's degrees of freedom for such intervals: the observations that count in full, since only those tell where the curve is, less
    /// the coefficients; at least 1.
    pub degrees_of_few: usize,
}

impl Robust {
    fn exact(regression: Regression, shares: Vec<f64>) -> Self {
        let (covariance_of_few, degrees_of_few) = (regression.covariance.clone(), regression.degrees);
        Self { regression, shares, covariance_of_few, degrees_of_few }
    }
}

/// Fits `y = design * coefficients` so that few outliers among the responses hardly matter.
///
/// # Errors
/// As [`linear`], and [`RegressionError::NotConverged`].
pub fn huber(design: &Matrix, y: &[f64], weights: &[f64]) -> Result<Robust, RegressionError> {
    let refit = |weights: &[f64], _: Option<&Regression>| linear(design, y, weights);
    let unweighted = |robust: &Regression| {
        let (coefficients, residuals) = (robust.coefficients.clone(), robust.residuals.clone());
        linearised(design.entries(), coefficients, residuals, y, weights)
    };
    reweighted(y, weights, &refit, &unweighted)
}

/// Fits a curve as [`huber`] does a design, beginning with the least squares fit from `start`.
///
/// # Errors
/// As [`nonlinear`].
pub fn huber_curve(
    curve: &dyn Curve,
    x: &[f64],
    y: &[f64],
    weights: &[f64],
    start: &[f64],
) -> Result<Robust, RegressionError> {
    let refit = |weights: &[f64], last: Option<&Regression>| {
        nonlinear(curve, x, y, weights, last.map_or(start, |last| &last.coefficients))
    };
    let unweighted = |robust: &Regression| at(curve, x, y, weights, &robust.coefficients);
    reweighted(y, weights, &refit, &unweighted)
}

type Refit<'a> = dyn Fn(&[f64], Option<&Regression>) -> Result<Regression, RegressionError> + 'a;

/// `unweighted` gives the figures of the final curve with the weights as given.
fn reweighted(
    y: &[f64],
    weights: &[f64],
    refit: &Refit,
    unweighted: &dyn Fn(&Regression) -> Result<Regression, RegressionError>,
) -> Result<Robust, RegressionError> {
    let mut fit = refit(weights, None)?;
    let mut shares = vec![1.0; y.len()];
    if fit.sum_of_squares == 0.0 {
        return Ok(Robust::exact(fit, shares));
    }
    let size = y.iter().zip(weights).map(|(y, weight)| y.abs() * weight.sqrt()).fold(0.0, f64::max);
    for _ in 0..MOST_STEPS {
        let deviations = standardised(&fit, weights, size, 0);
        let next: Vec<f64> = deviations.of_scale.iter().map(|u| BEND / u.abs().max(BEND)).collect();
        let change = next.iter().zip(&shares).map(|(next, share)| (next - share).abs()).fold(0.0, f64::max);
        shares = next;
        let reweighted: Vec<f64> = weights.iter().zip(&shares).map(|(weight, share)| weight * share).collect();
        fit = refit(&reweighted, Some(&fit))?;
        if change <= SETTLED {
            let plain = unweighted(&fit)?;
            let covariance = |Deviations { scale, of_scale }: &Deviations| {
                let inflation = inflation(of_scale, fit.degrees) * (scale / plain.residual_error).powi(2);
                inflation.is_finite().then(|| plain.covariance.clone().scaled(inflation))
            };
            let deviations = standardised(&fit, weights, size, 0);
            let parameters = y.len() - fit.degrees;
            let of_few = covariance(&standardised(&fit, weights, size, parameters));
            let own = covariance(&deviations);
            fit.residual_error = deviations.scale;
            if let Some(own) = own {
                fit.covariance = own;
            }
            let covariance_of_few = of_few.unwrap_or_else(|| fit.covariance.clone());
            let in_full = deviations.of_scale.iter().filter(|u| u.abs() <= BEND).count();
            let degrees_of_few = in_full.saturating_sub(parameters).max(1);
            return Ok(Robust { regression: fit, shares, covariance_of_few, degrees_of_few });
        }
    }
    Err(RegressionError::NotConverged { iterations: MOST_STEPS })
}

struct Deviations {
    scale: f64,
    /// The weighted residuals over it.
    of_scale: Vec<f64>,
}

/// The smallest residuals, so many, tell nothing of the scale.
fn standardised(fit: &Regression, weights: &[f64], size: f64, smallest: usize) -> Deviations {
    let residuals: Vec<f64> =
        fit.residuals.iter().zip(weights).map(|(residual, weight)| residual * weight.sqrt()).collect();
    let mut magnitudes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    if smallest > 0 {
        magnitudes.sort_by(f64::total_cmp);
    }
    let median = median(&magnitudes[smallest.min(magnitudes.len())..]).unwrap_or(0.0);
    // Where over half of the observations lie on the curve, what is left of them is rounding.
    let scale = (median / NORMAL_DEVIATION).max(ROUNDING * size);
    Deviations { scale, of_scale: residuals.into_iter().map(|residual| residual / scale).collect() }
}

/// By how much the squared scale times the inverse of `X'WX` is to be multiplied for the covariance.
fn inflation(of_scale: &[f64], degrees: usize) -> f64 {
    let count = of_scale.len() as f64;
    let inside = of_scale.iter().filter(|u| u.abs() <= BEND).count() as f64 / count;
    let squares: f64 = of_scale.iter().map(|u| u.abs().min(BEND).powi(2)).sum();
    let parameters = count - degrees as f64;
    // The derivative of Huber's function is 1 inside and 0 outside: its variance is that of a share.
    let correction = 1.0 + parameters / count * (inside * (1.0 - inside)) / (inside * inside);
    correction * correction * (squares / degrees as f64) / (inside * inside)
}
