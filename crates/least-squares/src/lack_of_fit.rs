//! Whether a curve misses its data by more than they scatter.

use std::collections::HashMap;
use std::hash::Hash;

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::summary::ROUNDING;
use super::{Regression, RegressionError};

/// A test of a fit against the scatter of its responses (Weisberg, Applied Linear Regression, 4th edition, section
/// 8.3; Draper and Smith, Applied Regression Analysis, 3rd edition, section 2.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LackOfFit {
    /// The mean square that the curve misses by, over that of the scatter. Infinite where there is no scatter at all
    /// and the curve misses.
    pub f: f64,
    /// The degrees of freedom of what the curve misses by.
    pub degrees: usize,
    /// The degrees of freedom of the scatter; `None` where it is known.
    pub pure_error_degrees: Option<usize>,
    /// How likely so large an `f` is where the curve is right.
    pub p_value: f64,
}

impl LackOfFit {
    /// The classical test, of a fit to raw replicates: `groups` says of each observation which others share its
    /// predictors. The scatter is that within groups.
    ///
    /// `y` and `weights` are those of the fit.
    ///
    /// # Errors
    /// [`RegressionError::Shape`] for lists of different lengths, and [`RegressionError::TooFew`] where no group has a
    /// second observation, or there are no more groups than coefficients.
    pub fn from_replicates<G: Eq + Hash>(
        fit: &Regression,
        y: &[f64],
        weights: &[f64],
        groups: &[G],
    ) -> Result<Self, RegressionError> {
        let count = fit.residuals.len();
        for (what, actual) in [("responses", y.len()), ("weights", weights.len()), ("groups", groups.len())] {
            if actual != count {
                return Err(RegressionError::Shape { what, actual, expected: count });
            }
        }
        // Of residuals rather than responses: they scatter alike within a group, and are not small differences.
        let mut sums: HashMap<&G, (f64, f64)> = HashMap::new();
        for ((group, residual), weight) in groups.iter().zip(&fit.residuals).zip(weights) {
            let (total, sum) = sums.entry(group).or_default();
            *total += weight;
            *sum += weight * residual;
        }
        let parameters = fit.coefficients.len();
        let (distinct, pure_error_degrees) = (sums.len(), count - sums.len());
        if distinct <= parameters || pure_error_degrees == 0 {
            return Err(RegressionError::TooFew { count: distinct, parameters });
        }
        let mean = |group: &G| sums.get(group).map_or(0.0, |(total, sum)| sum / total);
        let (mut scatter, mut missed, mut size) = (0.0, 0.0, 0.0);
        for (index, (group, weight)) in groups.iter().zip(weights).enumerate() {
            let mean = mean(group);
            scatter += weight * (fit.residuals[index] - mean).powi(2);
            missed += weight * mean * mean;
            size += weight * y[index] * y[index];
        }
        let least = ROUNDING * ROUNDING * size;
        let (scatter, missed) =
            (if scatter <= least { 0.0 } else { scatter }, if missed <= least { 0.0 } else { missed });
        let degrees = distinct - parameters;
        let f = ratio(missed / degrees as f64, scatter / pure_error_degrees as f64);
        Ok(Self {
            f,
            degrees,
            pure_error_degrees: Some(pure_error_degrees),
            p_value: fisher(f, degrees, pure_error_degrees),
        })
    }

    /// The test of a fit to means whose variances are known apart from it: `variances` holds that of each response.
    /// The fit must have been weighted by their inverses. Where they are themselves estimates, `pure_error_degrees` is
    /// how many degrees of freedom they rest on together, and `None` where they are as good as exact.
    ///
    /// # Errors
    /// [`RegressionError::Shape`] for lists of different lengths, and [`RegressionError::BadWeight`] for a variance
    /// that is not a positive number.
    pub fn from_variances(
        fit: &Regression,
        variances: &[f64],
        pure_error_degrees: Option<usize>,
    ) -> Result<Self, RegressionError> {
        if variances.len() != fit.residuals.len() {
            let (actual, expected) = (variances.len(), fit.residuals.len());
            return Err(RegressionError::Shape { what: "variances", actual, expected });
        }
        if let Some(index) = variances.iter().position(|&variance| !(variance.is_finite() && variance > 0.0)) {
            return Err(RegressionError::BadWeight { index, weight: variances[index] });
        }
        let missed: f64 =
            fit.residuals.iter().zip(variances).map(|(residual, variance)| residual * residual / variance).sum();
        let f = missed / fit.degrees as f64;
        let p_value = match pure_error_degrees {
            Some(pure_error_degrees) => fisher(f, fit.degrees, pure_error_degrees),
            None => ChiSquared::new(fit.degrees as f64).map_or(1.0, |distribution| distribution.sf(missed)),
        };
        Ok(Self { f, degrees: fit.degrees, pure_error_degrees, p_value })
    }
}

fn ratio(missed: f64, scatter: f64) -> f64 {
    if missed == 0.0 { 0.0 } else { missed / scatter }
}

/// How likely a larger ratio of mean squares is by chance.
fn fisher(f: f64, degrees: usize, pure_error_degrees: usize) -> f64 {
    if f.is_infinite() {
        return 0.0;
    }
    FisherSnedecor::new(degrees as f64, pure_error_degrees as f64).map_or(1.0, |distribution| distribution.sf(f))
}
