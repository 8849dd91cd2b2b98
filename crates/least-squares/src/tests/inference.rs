//! Lack of fit, and intervals by resampling.

use super::*;
use rand_chacha::rand_core::SeedableRng;

// scipy: q = sum(resid**2/v) = 5.42687194653986; chi2.sf(q, 8) = 0.7111278021139824
#[test]
fn lack_of_fit_from_known_variances_is_a_chi_squared_test() {
    let (x, y, _) = sweep();
    let variances: Vec<f64> = y.iter().map(|y| (0.01 * y) * (0.01 * y)).collect();
    let weights: Vec<f64> = variances.iter().map(|variance| 1.0 / variance).collect();
    let fit = linear(&line(&x), &y, &weights).unwrap();
    let known = LackOfFit::from_variances(&fit, &variances).unwrap();
    near(known.f, 5.426_871_946_539_86 / 8.0, 1e-11);
    near(known.p_value, 0.711_127_802_113_982_4, 1e-10);
    assert!(LackOfFit::from_variances(&fit, &[0.0; 10]).is_err());
}

#[test]
fn resampled_intervals_are_near_those_of_the_formula_and_repeat() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let x: Vec<f64> = (1..=60).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| (5.0 + 2.0 * x) * (1.0 + 0.05 * normal(&mut random))).collect();
    let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    let fit = linear(&line(&x), &y, &weights).unwrap();
    let resampling = Resampling { seed: 1, count: 2000 };
    let slope = |fit: &Regression| fit.coefficients[1];
    let refit = |y: &[f64]| linear(&line(&x), y, &weights);
    let residual = residual_bootstrap(&fit, &y, &weights, resampling, refit, slope).unwrap();
    assert_eq!(residual, residual_bootstrap(&fit, &y, &weights, resampling, refit, slope).unwrap());
    let (low, high) = fit.interval(1);
    let width = high - low;
    assert_eq!(residual.resamples, 2000);
    assert!((residual.low - low).abs() < 0.15 * width && (residual.high - high).abs() < 0.15 * width, "{residual:?}");
    let failing = |_: &[f64]| Err(RegressionError::OutOfRange);
    assert!(residual_bootstrap(&fit, &y, &weights, resampling, failing, slope).is_err());
}
