//! Known answers and properties of the regressions.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::*;
use crate::model::linear::{Line, Point, tests::SWEEP};
use proptest::prelude::*;

#[track_caller]
pub(super) fn near(actual: f64, expected: f64, tolerance: f64) {
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
