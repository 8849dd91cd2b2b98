//! Least squares with what intervals and tests of fit need, and order statistics.
//!
//! Three fits give the same [`Regression`], with the covariance of the estimates, leverages, leave-one-out predictions, R² and
//! Akaike's criterion:
//!
//! - [`linear`]: any design, weighted. Ill-conditioned ones are decomposed in 32 digits.
//! - [`nonlinear`]: a [`Curve`] with derivatives, by Levenberg and Marquardt's method, from one start or several.
//! - [`huber`] and [`huber_curve`]: the same, robust against outliers among the responses.
//!
//! [`plateaus`] finds levels and the breaks between them by search, and [`plateau_intervals`] how well their places are known.
//! [`LackOfFit`] tests a fit against known variances. The second
//! half, [`order_statistics`], supposes nothing about distributions: medians with intervals, quantiles, trimmed means, and the
//! interval of Mann and Whitney for the shift between two samples.
//!
//! Weights are proportional to 1 / variance of a response; only their ratios matter to a fit.
//!
//! ```
//! use least_squares::{Matrix, linear};
//!
//! let x = [1.0, 2.0, 4.0, 8.0];
//! let times_us = [5.1, 7.0, 10.9, 19.1];
//! let design = Matrix::from_fn(x.len(), 2, |row, column| if column == 0 { 1.0 } else { x[row] });
//! let fit = linear(&design, &times_us, &[1.0; 4])?;
//! assert!((fit.coefficients[1] - 2.0).abs() < 0.05);
//! let (low, high) = fit.interval(1);
//! assert!(low < 2.0 && 2.0 < high);
//! # Ok::<(), least_squares::RegressionError>(())
//! ```
//!
//! What it does not do: choose among models, generalised linear models, errors in predictors, and designs that do not fit in memory.
//!
//! Figures are held against the certified ones of the NIST Statistical Reference Datasets (`tests/nist/`), R, scipy and
//! statsmodels. Sources are named at each method; the main ones are Björck, Numerical Methods for Least Squares Problems;
//! Weisberg, Applied Linear Regression; Huber and Ronchetti, Robust Statistics; Conover, Practical Nonparametric Statistics.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod decomposition;
mod double;
mod huber;
mod lack_of_fit;
mod linear;
mod matrix;
mod nonlinear;
pub mod order_statistics;
mod plateaus;
mod singular;
mod summary;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use statrs::distribution::{ContinuousCDF, StudentsT};
use thiserror::Error;

pub use huber::{Robust, huber, huber_curve};
pub use lack_of_fit::{LackOfFit, f_tail};
pub use linear::linear;
pub use matrix::Matrix;
pub use nonlinear::{Curve, nonlinear, nonlinear_from};
pub use plateaus::{MOST_BREAKS, ON_PLATEAU, Plateaus, plateau_intervals, plateaus, risen};

/// A curve fitted by least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// The estimates, in the order of the design's columns or of the curve's parameters.
    pub coefficients: Vec<f64>,
    /// The covariance of all the estimates, scaled by the residual variance.
    pub covariance: Matrix,
    /// The standard deviation of a residual of weight 1, R's "residual standard error".
    pub residual_error: f64,
    /// The degrees of freedom of the residuals: observations less coefficients, at least 1.
    pub degrees: usize,
    /// The weighted sum of the squared residuals.
    pub sum_of_squares: f64,
    /// The share of the weighted variation that is explained, from 0 to 1, as R's `summary(lm(weights =))` gives it:
    /// about the weighted mean where the design has a constant column, about zero where it has none. It is 0 where
    /// nothing is explained, even where there is nothing to explain.
    pub r2: f64,
    /// For each observation, in the order given: the response less the curve.
    pub residuals: Vec<f64>,
    /// For each observation: its own entry of the hat matrix, from 0 to 1. They add up to the number of coefficients.
    pub leverages: Vec<f64>,
    /// For each observation: the response as predicted by the fit to all the others. `None` where the others do not
    /// determine the coefficients.
    pub left_out: Vec<Option<f64>>,
    likelihood: Likelihood,
}

/// What the likelihood of a fit needs beside its sum of squares.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Likelihood {
    /// The sum of the logarithms of the weights.
    log_weights: f64,
    /// The sum of squares that rounding alone may leave; smaller ones are not told apart.
    least_sum_of_squares: f64,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RegressionError {
    /// No residual would be left to estimate an error from.
    #[error("{count} observations are too few for {parameters} parameters with intervals")]
    TooFew {
        /// The observations there are.
        count: usize,
        /// The parameters to fit.
        parameters: usize,
    },
    /// Lists that belong together differ in length, or there is nothing to fit.
    #[error("{what}: {actual}, where {expected} were expected")]
    Shape {
        /// Which list.
        what: &'static str,
        /// Its length.
        actual: usize,
        /// The length that the others ask for.
        expected: usize,
    },
    /// A predictor or response is infinite or not a number.
    #[error("observation {index} is not finite")]
    NotFinite {
        /// Which, from 0.
        index: usize,
    },
    /// A weight is zero, negative, infinite or not a number.
    #[error("the weight {weight} of observation {index} is not a positive number")]
    BadWeight {
        /// Which, from 0.
        index: usize,
        /// Its weight.
        weight: f64,
    },
    /// The observations do not determine a coefficient: its column is a combination of the earlier ones.
    #[error("the observations do not determine coefficient {column}")]
    Deficient {
        /// Which, from 0.
        column: usize,
    },
    /// The figures span more than floating point can square.
    #[error("the figures are too large or too far apart to fit")]
    OutOfRange,
    /// The best value of a parameter lies at the end of the range that it may have.
    #[error("the best value lies at or beyond {value}, the end of the range that was searched")]
    AtEdge {
        /// That end.
        value: f64,
    },
    /// An iteration did not settle.
    #[error("the fit did not settle in {iterations} steps")]
    NotConverged {
        /// The steps taken.
        iterations: usize,
    },
}

impl Regression {
    /// The standard error of coefficient `k`.
    pub fn standard_error(&self, k: usize) -> f64 {
        self.covariance[(k, k)].sqrt()
    }

    /// The 95 % interval of coefficient `k` (Student's t with [`Self::degrees`] degrees of freedom).
    pub fn interval(&self, k: usize) -> (f64, f64) {
        let half_width = self.reach() * self.standard_error(k);
        (self.coefficients[k] - half_width, self.coefficients[k] + half_width)
    }

    /// The ends of the interval of coefficient `k` where `places` coefficients like it were looked at and this is the one that stands out
    /// most: all of their intervals together cover with at least 95 % (Bonferroni).
    pub fn interval_among(&self, k: usize, places: usize) -> (f64, f64) {
        let tail = 0.025 / places.max(1) as f64;
        let distribution = StudentsT::new(0.0, 1.0, self.degrees as f64);
        let reach = distribution.map_or(f64::INFINITY, |distribution| -distribution.inverse_cdf(tail));
        let half_width = reach * self.standard_error(k);
        (self.coefficients[k] - half_width, self.coefficients[k] + half_width)
    }

    /// The quantile of Student's distribution that its 95 % intervals reach to.
    pub fn reach(&self) -> f64 {
        student_reach(self.degrees)
    }

    /// The variance of a quantity that changes by `gradient[k]` for each unit of coefficient `k`: `g' C g`.
    pub fn variance_of(&self, gradient: &[f64]) -> f64 {
        let product =
            |row: usize| -> f64 { gradient.iter().enumerate().map(|(k, g)| self.covariance[(row, k)] * g).sum() };
        gradient.iter().enumerate().map(|(row, g)| g * product(row)).sum::<f64>().max(0.0)
    }

    /// Akaike's criterion, corrected for few observations (Burnham and Anderson, Model Selection and Multimodel
    /// Inference, 2nd edition, section 2.4), the variance counted as a parameter. Comparable between fits to the same
    /// responses with the same weights; less is better. Infinite where there are too few observations for it. Fits
    /// that leave nothing but rounding differ by their numbers of parameters only.
    pub fn aicc(&self) -> f64 {
        let sum_of_squares = self.sum_of_squares.max(self.likelihood.least_sum_of_squares);
        aicc(self.residuals.len(), self.coefficients.len() + 1, sum_of_squares, self.likelihood.log_weights)
    }
}

/// Akaike's corrected criterion of a least squares fit to `n` observations with `k` parameters, the variance among
/// them, that leaves `sum_of_squares` (weighted); `log_weights` is the sum of the logarithms of the weights, so that
/// the likelihood is that of R's `logLik(lm(weights =))`.
pub fn aicc(n: usize, k: usize, sum_of_squares: f64, log_weights: f64) -> f64 {
    if n < k + 2 {
        return f64::INFINITY;
    }
    let (n, k) = (n as f64, k as f64);
    let variance = (sum_of_squares / n).max(f64::MIN_POSITIVE);
    let twice_log_likelihood = log_weights - n * ((2.0 * std::f64::consts::PI * variance).ln() + 1.0);
    2.0 * k - twice_log_likelihood + 2.0 * k * (k + 1.0) / (n - k - 1.0)
}

/// The 97.5 % quantile of Student's distribution. Computed once for each number of degrees, as it takes longer than
/// the fit itself.
pub fn student_reach(degrees: usize) -> f64 {
    static KNOWN: [OnceLock<f64>; 256] = [const { OnceLock::new() }; 256];
    let quantile = || {
        StudentsT::new(0.0, 1.0, degrees as f64).map_or(f64::INFINITY, |distribution| distribution.inverse_cdf(0.975))
    };
    KNOWN.get(degrees).map_or_else(quantile, |known| *known.get_or_init(quantile))
}
