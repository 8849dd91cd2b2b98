//! Lack of fit, and intervals by resampling.

use super::*;
use rand_chacha::rand_core::SeedableRng;

const REPLICATED: [(f64, f64); 15] = [
    (1.0, 3.1),
    (1.0, 2.9),
    (1.0, 3.3),
    (2.0, 5.2),
    (2.0, 5.0),
    (2.0, 4.7),
    (4.0, 9.6),
    (4.0, 9.1),
    (4.0, 9.3),
    (8.0, 18.2),
    (8.0, 17.1),
    (8.0, 17.9),
    (16.0, 33.0),
    (16.0, 34.1),
    (16.0, 33.2),
];

// statsmodels: anova_lm(OLS of a line, OLS of a mean for each x): F = 1.341648745519722, p = 0.3155842257674904;
// with WLS of weights 1/t**2 : F = 0.9277051612702707, p = 0.4626306314640723
#[test]
fn lack_of_fit_is_that_of_the_analysis_of_variance() {
    let (x, y): (Vec<f64>, Vec<f64>) = REPLICATED.into_iter().unzip();
    let groups: Vec<u64> = x.iter().map(|x| x.to_bits()).collect();
    let relative: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    for (weights, f, p_value) in [
        (vec![1.0; 15], 1.341_648_745_519_722, 0.315_584_225_767_490_4),
        (relative, 0.927_705_161_270_270_7, 0.462_630_631_464_072_3),
    ] {
        let fit = linear(&line(&x), &y, &weights).unwrap();
        let test = LackOfFit::from_replicates(&fit, &y, &weights, &groups).unwrap();
        assert_eq!((test.degrees, test.pure_error_degrees), (3, Some(10)));
        near(test.f, f, 1e-10);
        near(test.p_value, p_value, 1e-9);
    }
    let fit = linear(&line(&x), &y, &[1.0; 15]).unwrap();
    let single: Vec<usize> = (0..15).collect();
    assert!(LackOfFit::from_replicates(&fit, &y, &[1.0; 15], &single).is_err());
}

#[test]
fn a_curve_that_replicates_without_scatter_miss_does_not_fit_at_all() {
    let x = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
    let groups: Vec<u64> = x.iter().map(|x: &f64| x.to_bits()).collect();
    let test = |y: &[f64]| {
        let fit = linear(&line(&x), y, &[1.0; 6]).unwrap();
        LackOfFit::from_replicates(&fit, y, &[1.0; 6], &groups).unwrap()
    };
    let missed = test(&[1.0, 1.0, 2.0, 2.0, 5.0, 5.0]);
    assert_eq!((missed.f, missed.p_value), (f64::INFINITY, 0.0));
    let met = test(&[1.1, 1.1, 2.2, 2.2, 3.3, 3.3]);
    assert_eq!((met.f, met.p_value), (0.0, 1.0));
}

// scipy: q = sum(resid**2/v) = 5.42687194653986; chi2.sf(q, 8) = 0.7111278021139824; f.sf(q/8, 8, 40) = 0.7075566066442005
#[test]
fn lack_of_fit_from_known_variances_is_a_chi_squared_test() {
    let (x, y, _) = sweep();
    let variances: Vec<f64> = y.iter().map(|y| (0.01 * y) * (0.01 * y)).collect();
    let weights: Vec<f64> = variances.iter().map(|variance| 1.0 / variance).collect();
    let fit = linear(&line(&x), &y, &weights).unwrap();
    let known = LackOfFit::from_variances(&fit, &variances, None).unwrap();
    near(known.f, 5.426_871_946_539_86 / 8.0, 1e-11);
    near(known.p_value, 0.711_127_802_113_982_4, 1e-10);
    near(LackOfFit::from_variances(&fit, &variances, Some(40)).unwrap().p_value, 0.707_556_606_644_200_5, 1e-9);
    assert!(LackOfFit::from_variances(&fit, &[0.0; 10], None).is_err());
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
    let picked = |values: &[f64], drawn: &[usize]| -> Vec<f64> { drawn.iter().map(|&index| values[index]).collect() };
    let refit = |drawn: &[usize]| linear(&line(&picked(&x, drawn)), &picked(&y, drawn), &picked(&weights, drawn));
    let case = case_bootstrap(60, resampling, refit, slope).unwrap();
    let (low, high) = fit.interval(1);
    let width = high - low;
    for interval in [residual, case] {
        assert_eq!(interval.resamples, 2000);
        assert!(
            (interval.low - low).abs() < 0.15 * width && (interval.high - high).abs() < 0.15 * width,
            "{interval:?}"
        );
    }
    let failing = |_: &[usize]| Err(RegressionError::OutOfRange);
    assert!(case_bootstrap(60, resampling, failing, slope).is_err());
}
