//! Known answers and properties of the regressions.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::*;
use crate::model::linear::{Line, Point, tests::SWEEP};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

#[track_caller]
fn near(actual: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(f64::MIN_POSITIVE);
    assert!((actual - expected).abs() <= tolerance * scale, "{actual:?} is not {expected:?}");
}

/// A constant column and one more.
fn line(x: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(x.len(), 2, |row, column| if column == 0 { 1.0 } else { x[row] })
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

proptest! {
    /// The closed form is another way to the same figures.
    #[test]
    fn a_line_agrees_with_the_closed_form(
        rows in prop::collection::vec((-1e3..1e3_f64, -1e3..1e3_f64, 0.01..100.0_f64), 3..40),
    ) {
        let points: Vec<Point> = rows.iter().map(|&(x, y, weight)| Point { x, y, weight }).collect();
        let closed = Line::fit(&points).unwrap();
        let x: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let y: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let fit = linear(&line(&x), &y, &weights).unwrap();
        let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-9 * scale.abs().max(b.abs());
        prop_assert!(close(fit.coefficients[0], closed.intercept.estimate, closed.intercept.standard_error));
        prop_assert!(close(fit.coefficients[1], closed.slope.estimate, closed.slope.standard_error));
        prop_assert!(close(fit.standard_error(0), closed.intercept.standard_error, 0.0));
        prop_assert!(close(fit.standard_error(1), closed.slope.standard_error, 0.0));
        prop_assert!(close(fit.residual_error, closed.residual_error, 0.0));
        prop_assert!((fit.r2 - closed.r2).abs() < 1e-9);
        for (a, b) in fit.left_out.iter().zip(&closed.left_out) {
            prop_assert_eq!(a.is_some(), b.is_some());
            prop_assert!(a.zip(*b).is_none_or(|(a, b)| (a - b).abs() < 1e-6 * b.abs().max(1e3)));
        }
    }
}

fn row(x: &[f64], count: usize) -> DMatrix<f64> {
    DMatrix::from_fn(x.len(), count, |row, column| x[row].powi(column as i32))
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
    let fit = linear(&DMatrix::from_column_slice(10, 1, &x), &y, &weights).unwrap();
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
    assert_eq!(linear(&DMatrix::zeros(4, 1), &y, &weights), Err(Deficient { column: 0 }));
    assert_eq!(linear(&line(&x), &[1.0, f64::NAN, 2.0, 3.0], &weights), Err(NotFinite { index: 1 }));
    assert_eq!(linear(&line(&[1.0, 2.0, f64::INFINITY, 0.0]), &y, &weights), Err(NotFinite { index: 2 }));
    assert_eq!(linear(&line(&x), &y, &[1.0, 0.0, 1.0, 1.0]), Err(BadWeight { index: 1, weight: 0.0 }));
    assert!(matches!(linear(&line(&x), &y[..3], &weights), Err(Shape { what: "responses", .. })));
    assert!(matches!(linear(&DMatrix::zeros(4, 0), &y, &weights), Err(Shape { what: "parameters", .. })));
    assert_eq!(linear(&line(&[1e-200, 2e-200, 3e-200, 5e-200]), &y, &weights), Err(OutOfRange));
    assert_eq!(linear(&line(&[1e200, 2e200, 3e200, 5e200]), &y, &weights), Err(OutOfRange));
    assert_eq!(linear(&line(&x), &[1e200, -1e200, 1.0, 0.0], &weights), Err(OutOfRange));
    assert_eq!(polynomial(&[1e200, 1.0, 2.0, 3.0], 2, &y, &weights), Err(OutOfRange));
}

// sm.RLM(t, sm.add_constant(x), M=sm.robust.norms.HuberT(t=1.345)).fit(tol=1e-14, maxiter=2000, conv='coefs') with
// t[3] = 140, t[8] = 700: params, bse, scale, weights; then the same with both multiplied by 1/t
#[test]
fn the_robust_fit_gives_the_figures_of_statsmodels() {
    let (x, mut y, _) = sweep();
    (y[3], y[8]) = (140.0, 700.0);
    let plain = huber(&line(&x), &y, &[1.0; 10]).unwrap();
    near(plain.regression.coefficients[0], 10.344_494_416_632_585, 1e-9);
    near(plain.regression.coefficients[1], 23.268_238_807_014_95, 1e-9);
    near(plain.regression.standard_error(0), 1.383_052_728_108_882_2, 1e-9);
    near(plain.regression.standard_error(1), 0.094_765_211_439_637_31, 1e-9);
    near(plain.regression.residual_error, 2.533_479_514_593_788, 1e-9);
    near(plain.shares[3], 0.093_146_320_145_344_35, 1e-9);
    near(plain.shares[8], 0.025_968_508_973_069_48, 1e-9);
    assert_eq!(plain.shares[0], 1.0);
    let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    let weighted = huber(&line(&x), &y, &weights).unwrap();
    near(weighted.regression.coefficients[0], 9.400_188_609_742_62, 1e-9);
    near(weighted.regression.standard_error(1), 0.161_107_789_481_399_42, 1e-9);
    near(weighted.regression.residual_error, 0.009_653_397_346_450_758, 1e-9);
    near(weighted.shares[1], 0.683_327_874_367_533_5, 1e-9);
    // A curve that is a line must have the same fit.
    let curve = huber_curve(&Line2, &x, &y, &weights, &[0.0, 1.0]).unwrap();
    near(curve.regression.coefficients[0], 9.400_188_609_742_62, 1e-8);
    near(curve.regression.standard_error(1), 0.161_107_789_481_399_42, 1e-8);
}

struct Line2;

impl Curve for Line2 {
    fn value(&self, parameters: &[f64], x: f64) -> f64 {
        parameters[0] + parameters[1] * x
    }

    fn gradient(&self, _: &[f64], x: f64) -> Vec<f64> {
        vec![1.0, x]
    }
}

struct Power;

impl Curve for Power {
    fn value(&self, parameters: &[f64], x: f64) -> f64 {
        parameters[0] * x.powf(parameters[1])
    }

    fn gradient(&self, parameters: &[f64], x: f64) -> Vec<f64> {
        vec![x.powf(parameters[1]), parameters[0] * x.powf(parameters[1]) * x.ln()]
    }
}

impl Separable for Power {
    fn terms(&self) -> usize {
        1
    }

    fn terms_at(&self, shape: f64, x: f64) -> Vec<f64> {
        vec![x.powf(shape)]
    }

    fn slopes_at(&self, shape: f64, x: f64) -> Vec<f64> {
        vec![x.powf(shape) * x.ln()]
    }
}

const GROWTH: [(f64, f64); 7] =
    [(1.0, 2.1), (2.0, 3.3), (3.0, 4.0), (5.0, 5.9), (8.0, 8.4), (13.0, 11.7), (21.0, 16.9)];

// p, c = curve_fit(lambda x, a, b: a*x**b, x, y, p0=[1, 1], sigma=y, jac=..., xtol=1e-15, ftol=1e-15, gtol=1e-15)
#[test]
fn a_power_law_gives_the_figures_of_scipy_both_ways() {
    let (x, y): (Vec<f64>, Vec<f64>) = GROWTH.into_iter().unzip();
    let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    let grid: Vec<f64> = (-12..=12).map(|step| f64::from(step) * 0.25).collect();
    let searched = nonlinear(&Power, &x, &y, &weights, &[1.0, 1.0]).unwrap();
    let profiled = profile(&Power, &x, &y, &weights, &grid).unwrap();
    for fit in [&searched, &profiled] {
        near(fit.coefficients[0], 2.005_383_725_071_461_7, 1e-8);
        near(fit.coefficients[1], 0.687_792_843_854_026_3, 1e-8);
        near(fit.covariance[(0, 0)], 0.003_900_844_376_829_256_7, 1e-6);
        near(fit.covariance[(0, 1)], -0.000_895_618_574_589_799, 1e-6);
        near(fit.covariance[(1, 1)], 0.000_281_798_137_620_006_7, 1e-6);
    }
    near(searched.coefficients[1], profiled.coefficients[1], 1e-12);
    let narrow = [-1.0, 0.0, 0.5];
    assert_eq!(profile(&Power, &x, &y, &weights, &narrow), Err(RegressionError::AtEdge { value: 0.5 }));
}

/// Two straight pieces that meet at a break.
struct Hinge;

impl Separable for Hinge {
    fn terms(&self) -> usize {
        3
    }

    fn terms_at(&self, shape: f64, x: f64) -> Vec<f64> {
        vec![1.0, x, (x - shape).max(0.0)]
    }

    fn slopes_at(&self, shape: f64, x: f64) -> Vec<f64> {
        vec![0.0, 0.0, if x > shape { -1.0 } else { 0.0 }]
    }
}

// p, c = curve_fit(lambda x, a, b, c, k: a+b*x+c*np.maximum(0, x-k), x, y, p0=[1, 2, 3, 6.2], jac=...)
#[test]
fn a_break_gives_the_figures_of_scipy() {
    let x: Vec<f64> = (1..=12).map(f64::from).collect();
    let y = [3.1, 5.0, 6.9, 9.1, 11.0, 13.2, 18.1, 22.9, 28.0, 33.1, 37.8, 43.2];
    let grid: Vec<f64> = (4..=22).map(|step| f64::from(step) * 0.5).collect();
    let fit = profile(&Hinge, &x, &y, &[1.0; 12], &grid).unwrap();
    for (k, (estimate, variance)) in [
        (0.98, 0.016_796_825_396_825_72),
        (2.02, 0.001_107_482_993_197_299_3),
        (2.988_571_428_571_429_3, 0.002_214_965_986_394_595),
        (6.037_922_243_467_176, 0.003_008_202_838_661_810_8),
    ]
    .into_iter()
    .enumerate()
    {
        near(fit.coefficients[k], estimate, 1e-12);
        near(fit.covariance[(k, k)], variance, 1e-11);
    }
    near(fit.covariance[(1, 3)], 0.000_940_484_706_447_382_3, 1e-11);
    near(fit.sum_of_squares, 0.155_047_619_047_621_7, 1e-11);
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    let uniform = |random: &mut ChaCha8Rng| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    (-2.0 * (1.0 - uniform(random)).ln()).sqrt() * (2.0 * std::f64::consts::PI * uniform(random)).cos()
}

#[test]
fn the_interval_of_a_break_covers_it_as_often_as_it_says() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let x: Vec<f64> = (1..=40).map(f64::from).collect();
    let grid: Vec<f64> = (4..=76).map(|step| f64::from(step) * 0.5).collect();
    let (mut covered, runs) = (0, 500);
    for _ in 0..runs {
        let curve = x.iter().map(|x| 4.0 + 0.5 * x + 1.5 * (x - 17.3).max(0.0));
        let y: Vec<f64> = curve.map(|y| y * (1.0 + 0.02 * normal(&mut random))).collect();
        let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
        let (low, high) = profile(&Hinge, &x, &y, &weights, &grid).unwrap().interval(3);
        covered += usize::from(low <= 17.3 && 17.3 <= high);
    }
    // 475 are expected, with a standard deviation of 5.
    assert!((460..=488).contains(&covered), "{covered} of {runs}");
}

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
