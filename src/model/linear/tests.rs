//! Known answers and properties of `linear`.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::*;
use proptest::prelude::*;

fn points(rows: &[(f64, f64, f64)]) -> Vec<Point> {
    rows.iter().map(|&(x, y, weight)| Point { x, y, weight }).collect()
}

/// Weighted as times are: relatively.
fn relative(rows: &[(f64, f64)]) -> Vec<Point> {
    rows.iter().map(|&(x, y)| Point { x, y, weight: 1.0 / (y * y) }).collect()
}

#[track_caller]
fn near(actual: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(f64::MIN_POSITIVE);
    assert!((actual - expected).abs() <= tolerance * scale, "{actual:?} is not {expected:?}");
}

/// Branches and microseconds, as a divergence sweep gives them.
pub(in crate::model) const SWEEP: [(f64, f64); 10] = [
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

const UNEVEN: [(f64, f64, f64); 5] =
    [(1.0, 3.0, 1.0), (2.0, 5.5, 2.0), (4.0, 9.0, 0.5), (7.0, 16.0, 3.0), (11.0, 27.0, 0.25)];

// NIST StRD, https://www.itl.nist.gov/div898/strd/lls/data/Norris.shtml: certified values, all weights equal.
const NORRIS: [(f64, f64); 36] = [
    (0.2, 0.1),
    (337.4, 338.8),
    (118.2, 118.1),
    (884.6, 888.0),
    (10.1, 9.2),
    (226.5, 228.1),
    (666.3, 668.5),
    (996.3, 998.5),
    (448.6, 449.1),
    (777.0, 778.9),
    (558.2, 559.2),
    (0.4, 0.3),
    (0.6, 0.1),
    (775.5, 778.1),
    (666.9, 668.8),
    (338.0, 339.3),
    (447.5, 448.9),
    (11.6, 10.8),
    (556.0, 557.7),
    (228.1, 228.3),
    (995.8, 998.0),
    (887.6, 888.8),
    (120.2, 119.6),
    (0.3, 0.3),
    (0.3, 0.6),
    (556.8, 557.6),
    (339.1, 339.3),
    (887.2, 888.0),
    (999.0, 998.5),
    (779.0, 778.9),
    (11.1, 10.2),
    (118.3, 117.6),
    (229.2, 228.9),
    (669.1, 668.4),
    (448.9, 449.2),
    (0.5, 0.2),
];

#[test]
fn the_norris_reference_data_give_the_certified_values() {
    // A weight that is the same everywhere must not matter, so it is not 1.
    let rows: Vec<_> = NORRIS.iter().map(|&(x, y)| (x, y, 0.04)).collect();
    let line = Line::fit(&points(&rows)).unwrap();
    near(line.intercept.estimate, -0.262_323_073_774_029, 1e-12);
    near(line.slope.estimate, 1.002_116_818_020_45, 1e-13);
    near(line.intercept.standard_error, 0.232_818_234_301_152, 1e-12);
    near(line.slope.standard_error, 0.429_796_848_199_937e-3, 1e-12);
    near(line.r2, 0.999_993_745_883_712, 1e-14);
    near(line.residual_error, 0.884_796_396_144_373 * 0.04_f64.sqrt(), 1e-12);
}

// import numpy as np, statsmodels.api as sm
// m = sm.WLS(t, sm.add_constant(x), weights=1/t**2).fit(); m.params, m.bse, m.conf_int(), m.rsquared, m.scale**.5
// for each i: sm.WLS(..., without i).fit().params @ [1, x[i]]        (statsmodels 0.15.0)
#[test]
fn relative_weights_give_the_figures_of_statsmodels() {
    let line = Line::fit(&relative(&SWEEP)).unwrap();
    near(line.intercept.estimate, 9.381_086_546_416_277, 1e-11);
    near(line.slope.estimate, 23.280_804_416_785_926, 1e-11);
    near(line.intercept.standard_error, 0.274_537_432_458_810_35, 1e-10);
    near(line.slope.standard_error, 0.088_156_766_129_746_53, 1e-10);
    near(line.intercept.low, 8.748_002_091_897_927, 1e-10);
    near(line.intercept.high, 10.014_171_000_934_628, 1e-10);
    near(line.slope.low, 23.077_514_549_544_503, 1e-10);
    near(line.slope.high, 23.484_094_284_027_35, 1e-10);
    near(line.r2, 0.999_885_302_089_086_3, 1e-12);
    near(line.residual_error, 0.008_236_255_176_459_035, 1e-10);
    let expected = [
        32.116_570_412_693_21,
        56.161_108_697_172_104,
        79.149_371_436_619_3,
        102.595_690_980_518_16,
        148.966_071_291_699_2,
        195.715_285_355_407_3,
        288.349_275_577_430_5,
        382.112_976_721_747_94,
        567.669_325_316_347_8,
        754.693_755_427_258_6,
    ];
    for (actual, expected) in line.left_out.iter().zip(expected) {
        near(actual.unwrap(), expected, 1e-11);
    }
}

// As above, with weights=[1, 2, .5, 3, .25].
#[test]
fn any_weights_give_the_figures_of_statsmodels() {
    let line = Line::fit(&points(&UNEVEN)).unwrap();
    near(line.intercept.estimate, 0.796_923_076_923_080_8, 1e-12);
    near(line.slope.estimate, 2.207_179_487_179_486, 1e-12);
    near(line.intercept.low, -0.827_544_314_526_152_7, 1e-11);
    near(line.intercept.high, 2.421_390_468_372_314_4, 1e-11);
    near(line.slope.low, 1.904_361_010_309_069_3, 1e-11);
    near(line.slope.high, 2.509_997_964_049_903, 1e-11);
    near(line.r2, 0.994_455_354_123_160_7, 1e-13);
    near(line.residual_error, 0.700_305_183_778_723_5, 1e-12);
    let expected = [
        3.006_633_499_170_815_2,
        4.875_831_485_587_585,
        9.677_777_777_777_777,
        17.100_456_621_004_575,
        24.505_319_148_936_16,
    ];
    for (actual, expected) in line.left_out.iter().zip(expected) {
        near(actual.unwrap(), expected, 1e-11);
    }
}

// scipy.stats.t.ppf(.975, 1) = 12.706204736174694: the widest quantile used.
#[test]
fn three_points_have_one_degree_of_freedom() {
    let line = Line::fit(&points(&[(0.0, 1.0, 1.0), (1.0, 2.0, 1.0), (2.0, 4.0, 1.0)])).unwrap();
    near((line.slope.high - line.slope.estimate) / line.slope.standard_error, 12.706_204_736_174_694, 1e-10);
}

#[test]
fn an_exact_line_has_intervals_of_no_width() {
    let line = Line::fit(&relative(&[(1.0, 32.1), (2.0, 55.2), (3.0, 78.3), (10.0, 240.0)])).unwrap();
    near(line.intercept.estimate, 9.0, 1e-14);
    near(line.slope.estimate, 23.1, 1e-14);
    for coefficient in [line.intercept, line.slope] {
        assert_eq!((coefficient.low, coefficient.high), (coefficient.estimate, coefficient.estimate));
    }
    assert_eq!(line.r2, 1.0);
    assert_eq!(line.left_out, [Some(32.1), Some(55.2), Some(78.3), Some(240.0)]);
}

#[test]
fn times_that_do_not_vary_have_no_slope_and_nothing_explained() {
    for time in [0.1, 7.3, 1e9 / 3.0] {
        let line = Line::fit(&relative(&[(0.1, time), (0.7, time), (3.3, time), (9.1, time)])).unwrap();
        assert_eq!((line.slope.estimate, line.slope.low, line.slope.high), (0.0, 0.0, 0.0));
        assert_eq!((line.intercept.estimate, line.r2), (time, 0.0));
    }
}

#[test]
fn a_slope_of_zero_through_scatter_explains_nothing() {
    let rows = [(1.0, 2.0, 1.0), (2.0, 1.0, 1.0), (3.0, 2.0, 1.0)];
    let line = Line::fit(&points(&rows)).unwrap();
    assert!(line.slope.estimate.abs() < 1e-15 && line.r2 < 1e-15);
}

#[test]
fn what_cannot_be_fitted_is_refused_with_its_reason() {
    let reason = |rows: &[(f64, f64, f64)]| Line::fit(&points(rows)).unwrap_err();
    assert_eq!(reason(&[]), LineError::TooFew { count: 0 });
    assert_eq!(reason(&[(1.0, 1.0, 1.0), (2.0, 2.0, 1.0)]), LineError::TooFew { count: 2 });
    assert_eq!(reason(&[(4.0, 1.0, 1.0); 3]), LineError::SamePredictor { count: 3, x: 4.0 });
    let bad = [(1.0, 1.0, 1.0), (2.0, f64::NAN, 1.0), (3.0, 1.0, 1.0)];
    assert!(matches!(reason(&bad), LineError::NotFinite { index: 1, .. }));
    let bad = [(1.0, 1.0, 1.0), (2.0, 1.0, 1.0), (f64::INFINITY, 1.0, 1.0)];
    assert!(matches!(reason(&bad), LineError::NotFinite { index: 2, .. }));
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let bad = [(1.0, 1.0, weight), (2.0, 1.0, 1.0), (3.0, 1.0, 1.0)];
        assert!(matches!(reason(&bad), LineError::BadWeight { index: 0, .. }));
    }
    assert_eq!(reason(&[(1e200, 1.0, 1.0), (2.0, 1.0, 1.0), (3e300, 1.0, 1.0)]), LineError::OutOfRange);
}

#[test]
fn a_point_that_alone_gives_the_slope_has_no_prediction_without_itself() {
    let rows = [(1.0, 3.0, 1.0), (1.0, 5.0, 1.0), (2.0, 7.0, 1.0)];
    let left_out = Line::fit(&points(&rows)).unwrap().left_out;
    near(left_out[0].unwrap(), 5.0, 1e-14);
    near(left_out[1].unwrap(), 3.0, 1e-14);
    assert_eq!(left_out[2], None);
}

#[test]
fn times_over_twelve_decades_keep_their_digits() {
    // The first time outweighs the last by 24 decades, and the second by 12: their leverages are 1 to rounding.
    let rows: Vec<_> = [0.0, 1.0, 10.0, 1e3, 1e5, 1e6].map(|x| (x, 1e-3 + 1e3 * x)).to_vec();
    let line = Line::fit(&relative(&rows)).unwrap();
    near(line.intercept.estimate, 1e-3, 1e-9);
    near(line.slope.estimate, 1e3, 1e-12);
    for ((_, time), left_out) in rows.iter().zip(&line.left_out).skip(1) {
        near(left_out.unwrap(), *time, 1e-9);
    }
    // Without the first point nothing but the others' digits says that the intercept is small.
    assert!((line.left_out[0].unwrap() - 1e-3).abs() < 1e-6);
}

#[test]
fn a_point_that_outweighs_all_others_is_really_left_out() {
    // 1 - leverage of the first point is about 1e-15 here, and its residual is rounding.
    let rows = [(0.0, 1e-5), (1.0, 1010.0), (2.0, 1990.0), (3.0, 3030.0), (5.0, 4960.0), (9.0, 9100.0)];
    let line = Line::fit(&relative(&rows)).unwrap();
    let without = Line::fit(&relative(&rows[1..])).unwrap();
    near(line.left_out[0].unwrap(), without.intercept.estimate, 1e-9);
}

#[test]
fn predictors_far_from_zero_keep_their_digits() {
    let rows = [0.0, 1.0, 2.0, 3.0, 4.0].map(|step| (1e6 + step, 5.0 + 0.25 * step, 1.0));
    let line = Line::fit(&points(&rows)).unwrap();
    near(line.slope.estimate, 0.25, 1e-13);
    near(line.intercept.estimate, 5.0 - 0.25e6, 1e-13);
    assert_eq!(line.r2, 1.0);
}

fn some_rows() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
    prop::collection::vec((0.0..1e6_f64, 1.0..1e3_f64, 0.01..100.0_f64), 4..24)
}

proptest! {
    #[test]
    fn an_exact_line_is_recovered(
        intercept in 0.01..1e4_f64,
        slope in 1e-4..1e4_f64,
        predictors in prop::collection::btree_set(0_u32..1_000_000, 3..40),
    ) {
        let rows: Vec<_> = predictors.iter().map(|&x| (f64::from(x), intercept + slope * f64::from(x))).collect();
        let line = Line::fit(&relative(&rows)).unwrap();
        for &(x, y) in &rows {
            prop_assert!((line.at(x) - y).abs() <= 1e-9 * y);
        }
        prop_assert!((line.slope.estimate - slope).abs() <= 1e-9 * rows[rows.len() - 1].1 / rows[rows.len() - 1].0);
        prop_assert!((line.r2 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn leaving_out_by_formula_is_leaving_out(rows in some_rows()) {
        let all = points(&rows);
        let line = Line::fit(&all).unwrap();
        for index in 0..all.len() {
            let mut rest = all.clone();
            let removed = rest.remove(index);
            let expected = Line::fit(&rest).unwrap().at(removed.x);
            let actual = line.left_out[index].unwrap();
            let scale = expected.abs() + removed.y;
            prop_assert!((actual - expected).abs() <= 1e-7 * scale, "{actual} is not {expected}");
        }
    }

    #[test]
    fn only_the_ratios_of_weights_matter(rows in some_rows(), factor in 1e-9..1e9_f64) {
        let line = Line::fit(&points(&rows)).unwrap();
        let scaled: Vec<_> = rows.iter().map(|&(x, y, weight)| (x, y, weight * factor)).collect();
        let scaled = Line::fit(&points(&scaled)).unwrap();
        prop_assert!((line.slope.estimate - scaled.slope.estimate).abs() <= 1e-9 * line.slope.standard_error);
        prop_assert!((line.slope.high - scaled.slope.high).abs() <= 1e-9 * line.slope.standard_error);
        prop_assert!((line.r2 - scaled.r2).abs() < 1e-9);
    }
}
