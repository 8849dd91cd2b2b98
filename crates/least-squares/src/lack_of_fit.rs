//! Whether a curve misses its data by more than they scatter.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::{Regression, RegressionError};

/// How likely a ratio of two mean squares of so many degrees of freedom is at least `f` where both are of the same scatter, from 0 to 1.
pub fn f_tail(f: f64, degrees: usize, degrees_below: usize) -> f64 {
    if f.is_nan() || f <= 0.0 {
        return 1.0;
    }
    if f.is_infinite() {
        return 0.0;
    }
    FisherSnedecor::new(degrees as f64, degrees_below as f64).map_or(1.0, |distribution| distribution.sf(f))
}

/// A test of a fit against the scatter of its responses (Draper and Smith, Applied Regression Analysis, 3rd edition, section 2.1;
/// Weisberg, Applied Linear Regression, 4th edition, section 8.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LackOfFit {
    /// The mean square that the curve misses by, over that of the scatter.
    pub f: f64,
    /// The degrees of freedom of what the curve misses by.
    pub degrees: usize,
    /// How likely so large an `f` is where the curve is right, from 0 to 1.
    pub p_value: f64,
}

impl LackOfFit {
    /// The test of a fit to means whose variances are known apart from it: `variances` holds that of each response.
    /// The fit must have been weighted by their inverses.
    ///
    /// # Errors
    /// [`RegressionError::Shape`] for lists of different lengths, and [`RegressionError::BadWeight`] for a variance
    /// that is not a positive number.
    pub fn from_variances(fit: &Regression, variances: &[f64]) -> Result<Self, RegressionError> {
        if variances.len() != fit.residuals.len() {
            let (actual, expected) = (variances.len(), fit.residuals.len());
            return Err(RegressionError::Shape { what: "variances", actual, expected });
        }
        if let Some(index) = variances.iter().position(|&variance| !(variance.is_finite() && variance > 0.0)) {
            return Err(RegressionError::BadWeight { index, weight: variances[index] });
        }
        let missed: f64 =
            fit.residuals.iter().zip(variances).map(|(residual, variance)| residual * residual / variance).sum();
        let p_value = ChiSquared::new(fit.degrees as f64).map_or(1.0, |distribution| distribution.sf(missed));
        Ok(Self { f: missed / fit.degrees as f64, degrees: fit.degrees, p_value })
    }
}
