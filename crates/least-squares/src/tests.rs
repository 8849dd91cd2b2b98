//! Known answers and properties of the regressions.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

mod curves;
mod inference;

use super::*;
use proptest::prelude::*;

/// Branches and microseconds, as a divergence sweep gives them.
const SWEEP: [(f64, f64); 10] = [
    (1.0, 32.9),
    (2.0, 55.1),
    (3.0, 79.8),
    (4.0, 101.7),
    (6.0, 149.9),
    (8.0, 195.0),
    (12.0, 291.2),
    (16.0, 380.6),
    (24.0, 570.3),
    (32.0, 752.9),
];

#[track_caller]
fn near(actual: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(f64::MIN_POSITIVE);
    assert!((actual - expected).abs() <= tolerance * scale, "{actual:?} is not {expected:?}");
}

/// A constant column and one more.
fn line(x: &[f64]) -> Matrix {
    Matrix::from_fn(x.len(), 2, |row, column| if column == 0 { 1.0 } else { x[row] })
}

fn sweep() -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (x, y): (Vec<f64>, Vec<f64>) = SWEEP.into_iter().unzip();
    let weights = y.iter().map(|y| 1.0 / (y * y)).collect();
    (x, y, weights)
}

// import numpy as np, statsmodels.api as sm
// m = sm.WLS(t, sm.add_constant(x), weights=1/t**2).fit(); m.params, m.bse, m.conf_int(), m.rsquared, m.scale**.5
// for each i: sm.WLS(..., without i).fit().params @ [1, x[i]]        (statsmodels 0.15.0)
#[test]
fn relative_weights_give_the_figures_of_statsmodels() {
    let (x, y, weights) = sweep();
    let fit = linear(&line(&x), &y, &weights).unwrap();
    near(fit.coefficients[0], 9.381_086_546_416_277, 1e-12);
    near(fit.coefficients[1], 23.280_804_416_785_926, 1e-13);
    near(fit.standard_error(0), 0.274_537_432_458_810_35, 1e-11);
    near(fit.standard_error(1), 0.088_156_766_129_746_53, 1e-11);
    near(fit.interval(0).0, 8.748_002_091_897_927, 1e-10);
    near(fit.interval(0).1, 10.014_171_000_934_628, 1e-10);
    near(fit.interval(1).0, 23.077_514_549_544_503, 1e-10);
    near(fit.interval(1).1, 23.484_094_284_027_35, 1e-10);
    near(fit.r2, 0.999_885_302_089_086_3, 1e-12);
    near(fit.residual_error, 0.008_236_255_176_459_035, 1e-11);
    near(fit.left_out[0].unwrap(), 32.116_570_412_693_21, 1e-11);
    near(fit.left_out[9].unwrap(), 754.693_755_427_258_6, 1e-11);
    near(fit.leverages.iter().sum(), 2.0, 1e-12);
}

// As above, with x = [1, 2, 4, 7, 11], t = [3, 5.5, 9, 16, 27] and weights=[1, 2, .5, 3, .25]
#[test]
fn uneven_weights_give_the_figures_of_statsmodels() {
    let (x, y, weights) = ([1.0, 2.0, 4.0, 7.0, 11.0], [3.0, 5.5, 9.0, 16.0, 27.0], [1.0, 2.0, 0.5, 3.0, 0.25]);
    let fit = linear(&line(&x), &y, &weights).unwrap();
    near(fit.coefficients[0], 0.796_923_076_923_080_8, 1e-12);
    near(fit.coefficients[1], 2.207_179_487_179_486, 1e-12);
    near(fit.interval(0).0, -0.827_544_314_526_152_7, 1e-11);
    near(fit.interval(0).1, 2.421_390_468_372_314_4, 1e-11);
    near(fit.interval(1).0, 1.904_361_010_309_069_3, 1e-11);
    near(fit.interval(1).1, 2.509_997_964_049_903, 1e-11);
    near(fit.r2, 0.994_455_354_123_160_7, 1e-13);
    near(fit.residual_error, 0.700_305_183_778_723_5, 1e-12);
    let expected = [
        3.006_633_499_170_815_2,
        4.875_831_485_587_585,
        9.677_777_777_777_777,
        17.100_456_621_004_575,
        24.505_319_148_936_16,
    ];
    for (actual, expected) in fit.left_out.iter().zip(expected) {
        near(actual.unwrap(), expected, 1e-11);
    }
}

// scipy.stats.t.ppf(.975, 1) = 12.706204736174694: the widest quantile used.
#[test]
fn three_observations_of_a_line_have_one_degree_of_freedom() {
    let fit = linear(&line(&[0.0, 1.0, 2.0]), &[1.0, 2.0, 4.0], &[1.0; 3]).unwrap();
    near(fit.reach(), 12.706_204_736_174_694, 1e-10);
    near((fit.interval(1).1 - fit.coefficients[1]) / fit.standard_error(1), 12.706_204_736_174_694, 1e-10);
}

fn row(x: &[f64], count: usize) -> Matrix {
    Matrix::from_fn(x.len(), count, |row, column| x[row].powi(column as i32))
}

// sm.WLS(t, np.column_stack([np.ones(10), i, i**2]), weights=1/t**2).fit() for i = 1..10; params, bse, rsquared, scale**.5
#[test]
fn three_columns_give_the_figures_of_statsmodels() {
    let (_, y, weights) = sweep();
    let index: Vec<f64> = (1..=10).map(f64::from).collect();
    let fit = linear(&row(&index, 3), &y, &weights).unwrap();
    for (k, (estimate, error)) in [
        (37.100_247_973_872_71, 9.387_175_931_523_846),
        (-8.316_465_243_806_206, 7.473_683_296_214_461),
        (6.595_772_614_433_272_5, 1.060_140_350_730_682_8),
    ]
    .into_iter()
    .enumerate()
    {
        near(fit.coefficients[k], estimate, 1e-12);
        near(fit.standard_error(k), error, 1e-12);
    }
    near(fit.r2, 0.973_364_982_863_735_4, 1e-13);
    near(fit.residual_error, 0.134_175_895_770_145_08, 1e-12);
}

// sm.WLS(t, x[:, None], weights=1/t**2).fit(): R² is then about zero, as summary(lm(t ~ 0 + x, weights =)) has it
#[test]
fn without_a_constant_column_r_squared_is_about_zero() {
    let (x, y, weights) = sweep();
    let fit = linear(&Matrix::from_fn(10, 1, |row, _| x[row]), &y, &weights).unwrap();
    near(fit.coefficients[0], 25.274_293_570_867_126, 1e-13);
    near(fit.standard_error(0), 0.755_371_396_468_242_1, 1e-12);
    near(fit.r2, 0.992_025_046_376_597_5, 1e-13);
}

// m = sm.WLS(t, sm.add_constant(x), weights=1/(0.01*t)**2).fit(); k = 3; n = 10
// -2*m.llf + 2*k + 2*k*(k+1)/(n-k-1) = 42.909135748795904
#[test]
fn akaikes_criterion_is_that_of_the_weighted_likelihood() {
    let (x, y, weights) = sweep();
    let scaled: Vec<f64> = weights.iter().map(|weight| weight * 1e4).collect();
    near(linear(&line(&x), &y, &scaled).unwrap().aicc(), 42.909_135_748_795_904, 1e-12);
    // Only the ratios of weights matter.
    near(linear(&line(&x), &y, &weights).unwrap().aicc(), 42.909_135_748_795_904, 1e-12);
    assert_eq!(linear(&line(&x[..4]), &y[..4], &weights[..4]).unwrap().aicc(), f64::INFINITY);
}

#[test]
fn exact_data_have_intervals_of_no_width_and_the_simpler_curve_is_preferred() {
    let x: Vec<f64> = (0..12).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|x| 4.1 + 0.3 * x).collect();
    let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    let simple = linear(&row(&x, 2), &y, &weights).unwrap();
    let curved = linear(&row(&x, 3), &y, &weights).unwrap();
    for fit in [&simple, &curved] {
        assert_eq!((fit.r2, fit.residual_error), (1.0, 0.0));
        assert_eq!(fit.interval(1).0, fit.interval(1).1);
    }
    near(simple.coefficients[1], 0.3, 1e-14);
    assert!(simple.aicc() < curved.aicc());
}

#[test]
fn responses_that_do_not_vary_have_no_slope_and_nothing_is_explained() {
    let x = [0.1, 0.7, 2.3, 5.9];
    let fit = linear(&line(&x), &[0.3; 4], &[1.0, 2.0, 0.1, 7.0]).unwrap();
    assert_eq!(fit.coefficients, [0.3, 0.0]);
    assert_eq!((fit.r2, fit.residual_error), (0.0, 0.0));
}

#[test]
fn an_observation_that_alone_determines_a_coefficient_is_not_predicted() {
    // The last alone has another predictor.
    let fit = linear(&line(&[1.0, 1.0, 1.0, 4.0]), &[2.0, 2.1, 1.9, 9.0], &[1.0; 4]).unwrap();
    assert_eq!(fit.left_out[3], None);
    // Without the first: the mean of 2.1 and 1.9.
    near(fit.left_out[0].unwrap(), 2.0, 1e-13);
}

#[test]
fn what_cannot_be_fitted_is_an_error() {
    use RegressionError::*;
    let x = [1.0, 2.0, 3.0, 4.0];
    let (y, weights) = ([1.0, 2.0, 4.0, 3.0], [1.0; 4]);
    assert_eq!(linear(&line(&x[..2]), &y[..2], &weights[..2]), Err(TooFew { count: 2, parameters: 2 }));
    assert_eq!(linear(&line(&[3.0; 4]), &y, &weights), Err(Deficient { column: 1 }));
    assert_eq!(linear(&Matrix::zeros(4, 1), &y, &weights), Err(Deficient { column: 0 }));
    assert_eq!(linear(&line(&x), &[1.0, f64::NAN, 2.0, 3.0], &weights), Err(NotFinite { index: 1 }));
    assert_eq!(linear(&line(&[1.0, 2.0, f64::INFINITY, 0.0]), &y, &weights), Err(NotFinite { index: 2 }));
    assert_eq!(linear(&line(&x), &y, &[1.0, 0.0, 1.0, 1.0]), Err(BadWeight { index: 1, weight: 0.0 }));
    assert!(matches!(linear(&line(&x), &y[..3], &weights), Err(Shape { what: "responses", .. })));
    assert!(matches!(linear(&Matrix::zeros(4, 0), &y, &weights), Err(Shape { what: "parameters", .. })));
    assert_eq!(linear(&line(&[1e-200, 2e-200, 3e-200, 5e-200]), &y, &weights), Err(OutOfRange));
    assert_eq!(linear(&line(&[1e200, 2e200, 3e200, 5e200]), &y, &weights), Err(OutOfRange));
    assert_eq!(linear(&line(&x), &[1e200, -1e200, 1.0, 0.0], &weights), Err(OutOfRange));
}
