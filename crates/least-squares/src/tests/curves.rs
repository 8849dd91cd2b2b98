//! Curves: nonlinear and robust.

use super::*;

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

const GROWTH: [(f64, f64); 7] =
    [(1.0, 2.1), (2.0, 3.3), (3.0, 4.0), (5.0, 5.9), (8.0, 8.4), (13.0, 11.7), (21.0, 16.9)];

// p, c = curve_fit(lambda x, a, b: a*x**b, x, y, p0=[1, 1], sigma=y, jac=..., xtol=1e-15, ftol=1e-15, gtol=1e-15)
#[test]
fn a_power_law_gives_the_figures_of_scipy() {
    let (x, y): (Vec<f64>, Vec<f64>) = GROWTH.into_iter().unzip();
    let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    let fit = nonlinear(&Power, &x, &y, &weights, &[1.0, 1.0]).unwrap();
    near(fit.coefficients[0], 2.005_383_725_071_461_7, 1e-8);
    near(fit.coefficients[1], 0.687_792_843_854_026_3, 1e-8);
    near(fit.covariance[(0, 0)], 0.003_900_844_376_829_256_7, 1e-6);
    near(fit.covariance[(0, 1)], -0.000_895_618_574_589_799, 1e-6);
    near(fit.covariance[(1, 1)], 0.000_281_798_137_620_006_7, 1e-6);
}

/// The linearised curve predicts what is left out nearly as a fit without it does.
#[test]
fn what_is_left_out_of_a_curve_is_predicted_as_by_a_fit_without_it() {
    let (x, y): (Vec<f64>, Vec<f64>) = GROWTH.into_iter().unzip();
    let weights: Vec<f64> = y.iter().map(|y| 1.0 / (y * y)).collect();
    let fit = nonlinear(&Power, &x, &y, &weights, &[1.0, 1.0]).unwrap();
    for index in 0..x.len() {
        let without = |values: &[f64]| [&values[..index], &values[index + 1..]].concat();
        let others = nonlinear(&Power, &without(&x), &without(&y), &without(&weights), &[1.0, 1.0]).unwrap();
        near(fit.left_out[index].unwrap(), Power.value(&others.coefficients, x[index]), 2e-3);
    }
}

/// `sin(b x)`: many minima.
struct Wave;

impl Curve for Wave {
    fn value(&self, parameters: &[f64], x: f64) -> f64 {
        (parameters[0] * x).sin()
    }

    fn gradient(&self, parameters: &[f64], x: f64) -> Vec<f64> {
        vec![x * (parameters[0] * x).cos()]
    }
}

#[test]
fn the_best_of_several_starts_is_kept() {
    let x: Vec<f64> = (1..=40).map(|step| f64::from(step) * 0.25).collect();
    let y: Vec<f64> = x.iter().map(|x| (2.0 * x).sin() + 0.01 * (7.0 * x).cos()).collect();
    let weights = [1.0; 40];
    let starts: [&[f64]; 3] = [&[5.0], &[1.9], &[3.3]];
    let best = nonlinear_from(&Wave, &x, &y, &weights, &starts).unwrap();
    near(best.coefficients[0], 2.0, 1e-3);
    let local = nonlinear(&Wave, &x, &y, &weights, &[5.0]).unwrap();
    assert!(local.sum_of_squares > 100.0 * best.sum_of_squares);
    assert_eq!(
        nonlinear(&Wave, &x, &y, &weights, &[f64::NAN]).map(|fit| fit.coefficients),
        Err(RegressionError::OutOfRange)
    );
    assert!(matches!(nonlinear_from(&Wave, &x, &y, &weights, &[]), Err(RegressionError::Shape { .. })));
}

/// Figures of every kind, the tame ones often enough for fits to succeed.
fn any_figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => -1e3..1e3_f64,
        5 => (0..5).prop_map(f64::from),
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e150]),
    ]
}

fn is_whole(fit: &Regression) -> bool {
    let lists = fit.coefficients.iter().chain(fit.covariance.entries()).chain(&fit.residuals).chain(&fit.leverages);
    lists.chain([&fit.r2, &fit.residual_error]).chain(fit.left_out.iter().flatten()).all(|figure| figure.is_finite())
        && (0.0..=1.0).contains(&fit.r2)
        && !fit.aicc().is_nan()
        && (0..fit.coefficients.len()).all(|k| fit.interval(k).0 <= fit.interval(k).1)
}

proptest! {
    #[test]
    fn nothing_that_can_be_written_panics_or_gives_what_is_no_number(
        rows in prop::collection::vec((any_figure(), any_figure(), any_figure()), 0..12),
        start in (any_figure(), any_figure()),
    ) {
        let x: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let y: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2.abs()).collect();
        let fits = [
            linear(&line(&x), &y, &weights),
            linear(&row(&x, 4), &y, &weights),
            nonlinear(&Power, &x, &y, &weights, &[start.0, start.1]),
            huber(&line(&x), &y, &weights).map(|robust| robust.regression),
        ];
        for fit in fits.iter().flatten() {
            prop_assert!(is_whole(fit), "{:?}", fit);
            if let Ok(test) = LackOfFit::from_variances(fit, &weights) {
                prop_assert!((0.0..=1.0).contains(&test.p_value) && !test.f.is_nan(), "{:?}", test);
            }
        }
    }
}
