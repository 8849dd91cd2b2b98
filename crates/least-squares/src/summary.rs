//! What follows from estimates and residuals, however they were found.

use super::{Likelihood, Matrix, Regression, RegressionError};

/// Where one minus a leverage is below this, subtraction has eaten the digits of a residual, and the observation is
/// really left out instead. Leverages add up to the number of coefficients, so that few can be so large.
pub(super) const LEAST_SLACK: f64 = 1e-6;

/// Residuals of at most this many rounding errors in all observations are the arithmetic's, not the data's.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The variation that R² is a share of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Variation {
    /// That of the curve about its mean, and the residuals'.
    AboutMean,
    /// That of the curve about zero, and the residuals'.
    AboutZero,
    /// That of the responses about their mean, for curves whose residuals need not be orthogonal to them.
    OfResponses,
}

/// Estimates with all that depends on the design.
pub(super) struct Estimated {
    pub(super) coefficients: Vec<f64>,
    /// The covariance where the heaviest weight is 1 and a residual of that weight has a variance of 1.
    pub(super) unit_covariance: Matrix,
    pub(super) residuals: Vec<f64>,
    pub(super) leverages: Vec<f64>,
}

impl Estimated {
    /// All figures of the fit.
    pub(super) fn summary(
        self,
        y: &[f64],
        weights: &[f64],
        variation: Variation,
        left_out: Vec<Option<f64>>,
    ) -> Result<Regression, RegressionError> {
        let Self { coefficients, unit_covariance, residuals, leverages } = self;
        let heaviest = weights.iter().copied().fold(0.0, f64::max);
        let relative = || weights.iter().map(|weight| weight / heaviest);
        let unexplained: f64 = relative().zip(&residuals).map(|(weight, residual)| weight * residual * residual).sum();
        let explained = match variation {
            Variation::AboutMean => about_mean(y, &residuals, relative()),
            Variation::AboutZero => about_zero(y, &residuals, relative()),
            Variation::OfResponses => (about_mean(y, &vec![0.0; y.len()], relative()) - unexplained).max(0.0),
        };
        let degrees = y.len() - coefficients.len();
        let variance = unexplained / degrees as f64;
        let size: f64 = relative().zip(y).map(|(weight, y)| weight * y * y).sum();
        let regression = Regression {
            residual_error: (variance * heaviest).sqrt(),
            degrees,
            sum_of_squares: unexplained * heaviest,
            r2: if explained == 0.0 { 0.0 } else { explained / (explained + unexplained) },
            likelihood: Likelihood {
                log_weights: weights.iter().map(|weight| weight.ln()).sum(),
                least_sum_of_squares: ROUNDING * ROUNDING * size * heaviest,
            },
            coefficients,
            covariance: unit_covariance.scaled(variance),
            residuals,
            leverages,
            left_out,
        };
        if regression.is_finite() { Ok(regression) } else { Err(RegressionError::OutOfRange) }
    }
}

/// The weighted variation of the fitted responses about zero.
fn about_zero(y: &[f64], residuals: &[f64], weights: impl Iterator<Item = f64>) -> f64 {
    weights.zip(y.iter().zip(residuals)).map(|(weight, (y, residual))| weight * (y - residual).powi(2)).sum()
}

/// The weighted variation of the fitted responses about their mean. The first response is taken away first, so that
/// the mean's rounding is not in it.
fn about_mean(y: &[f64], residuals: &[f64], weights: impl Iterator<Item = f64> + Clone) -> f64 {
    let first = y.first().copied().unwrap_or(0.0);
    let from_first = || y.iter().zip(residuals).map(|(y, residual)| (y - first) - residual);
    let total: f64 = weights.clone().sum();
    let mean = weights.clone().zip(from_first()).map(|(weight, fitted)| weight * fitted).sum::<f64>() / total;
    weights.zip(from_first()).map(|(weight, fitted)| weight * (fitted - mean).powi(2)).sum()
}

impl Regression {
    fn is_finite(&self) -> bool {
        let figures = [self.residual_error, self.sum_of_squares, self.r2, self.likelihood.log_weights];
        let lists =
            self.coefficients.iter().chain(self.covariance.entries()).chain(&self.residuals).chain(&self.leverages);
        figures.iter().chain(lists).chain(self.left_out.iter().flatten()).all(|figure| figure.is_finite())
    }
}
