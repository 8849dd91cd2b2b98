//! Intervals by resampling, for what has no formula (Efron and Tibshirani, An Introduction to the Bootstrap, chapters 9
//! and 13; Davison and Hinkley, Bootstrap Methods and their Application, section 6.2, for weighted residuals).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::order_statistics::sorted_quantile;
use super::{Regression, RegressionError};

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    /// The seed: the same one gives the same interval.
    pub seed: u64,
    /// How many resamples to draw; 2000 for an interval.
    pub count: usize,
}

/// A 95 % interval of a statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentiles {
    /// The 2.5 % quantile of the statistic over the resamples.
    pub low: f64,
    /// The 97.5 % quantile.
    pub high: f64,
    /// The resamples that could be fitted.
    pub resamples: usize,
}

/// Resamples residuals: the predictors stay, the responses are those of `fit` with residuals drawn from all of them,
/// each made as wide as an observation's of its weight and freed of the share that its leverage took. `refit` fits such
/// responses as `fit` was fitted to `y`; `statistic` is the figure that the interval is of.
///
/// # Errors
/// [`RegressionError::Shape`] for lists of different lengths or no resamples, [`RegressionError::NotConverged`] where
/// fewer than half of the resamples can be fitted.
pub fn residual_bootstrap(
    fit: &Regression,
    y: &[f64],
    weights: &[f64],
    resampling: Resampling,
    mut refit: impl FnMut(&[f64]) -> Result<Regression, RegressionError>,
    statistic: impl Fn(&Regression) -> f64,
) -> Result<Percentiles, RegressionError> {
    let expected = fit.residuals.len();
    for (what, actual) in [("responses", y.len()), ("weights", weights.len())] {
        if actual != expected {
            return Err(RegressionError::Shape { what, actual, expected });
        }
    }
    let mut studentised: Vec<f64> = (0..expected)
        .map(|index| fit.residuals[index] * (weights[index] / (1.0 - fit.leverages[index]).max(1e-6)).sqrt())
        .collect();
    let mean = studentised.iter().sum::<f64>() / expected as f64;
    studentised.iter_mut().for_each(|residual| *residual -= mean);
    let mut responses = vec![0.0; expected];
    percentiles(resampling, |random| {
        for (index, response) in responses.iter_mut().enumerate() {
            *response = y[index] - fit.residuals[index] + studentised[below(expected, random)] / weights[index].sqrt();
        }
        refit(&responses).ok().map(|fit| statistic(&fit))
    })
}

/// A uniform number below `count`, which is far below 2^64.
fn below(count: usize, random: &mut ChaCha8Rng) -> usize {
    ((u128::from(random.next_u64()) * count as u128) >> 64) as usize
}

fn percentiles(
    resampling: Resampling,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> Option<f64>,
) -> Result<Percentiles, RegressionError> {
    if resampling.count == 0 {
        return Err(RegressionError::Shape { what: "resamples", actual: 0, expected: 1 });
    }
    let mut random = ChaCha8Rng::seed_from_u64(resampling.seed);
    let mut drawn: Vec<f64> =
        (0..resampling.count).filter_map(|_| draw(&mut random)).filter(|figure| figure.is_finite()).collect();
    if drawn.len() * 2 < resampling.count.max(2) {
        return Err(RegressionError::NotConverged { iterations: resampling.count });
    }
    drawn.sort_by(f64::total_cmp);
    let quantile = |share: f64| sorted_quantile(&drawn, share);
    match (quantile(0.025), quantile(0.975)) {
        (Some(low), Some(high)) => Ok(Percentiles { low, high, resamples: drawn.len() }),
        _ => Err(RegressionError::NotConverged { iterations: resampling.count }),
    }
}
