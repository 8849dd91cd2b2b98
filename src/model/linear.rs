//! The weighted least squares line, with intervals and leave-one-out predictions.
//!
//! The line is fitted in the closed form about the weighted means, which is as well conditioned as an orthogonal
//! decomposition of the centred and scaled design and leaves nothing to go singular but equal predictors. Formulas:
//! Weisberg, Applied Linear Regression, 4th edition, chapters 2 (the line), 7.1 (weights) and 9 (deletion).

use statrs::distribution::{ContinuousCDF, StudentsT};
use thiserror::Error;

/// One point to fit, in whatever units the caller uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The predictor.
    pub x: f64,
    /// The response.
    pub y: f64,
    /// The weight: proportional to 1 / variance of `y`. Only the ratios of weights matter to the fit.
    pub weight: f64,
}

/// One coefficient of a line, in the unit of `y` (intercept) or of `y` for each unit of `x` (slope).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficient {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The lower end of its 95 % interval (Student's t, `n - 2` degrees of freedom).
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
}

/// The line `y = intercept + slope * x` that minimises `sum of weight * (y - line)²`.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// `y` at `x = 0`.
    pub intercept: Coefficient,
    /// The change of `y` for each unit of `x`.
    pub slope: Coefficient,
    /// The share of the weighted variation of `y` that the line explains, from 0 to 1, as R's
    /// `summary(lm(weights =))` gives it. It is 0 where `y` does not vary at all: then there is nothing to explain,
    /// and a line with a slope explains none of it.
    pub r2: f64,
    /// The standard deviation of a residual of weight 1, R's "residual standard error".
    pub residual_error: f64,
    /// For each point, in the order given: `y` as predicted at its `x` by the line through all the others. `None`
    /// where the others have only one `x` among them, so that there is no such line.
    pub left_out: Vec<Option<f64>>,
}

/// Why there is no line.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum LineError {
    /// Two points leave no residual to estimate an error from.
    #[error("{count} points are too few for a line with an interval, which needs at least 3")]
    TooFew {
        /// The points there are.
        count: usize,
    },
    /// There is no slope.
    #[error("all {count} points have the same predictor {x}")]
    SamePredictor {
        /// The points there are.
        count: usize,
        /// Their predictor.
        x: f64,
    },
    /// A coordinate is infinite or not a number.
    #[error("point {index} is not finite: ({x}, {y})")]
    NotFinite {
        /// Which point, from 0.
        index: usize,
        /// Its predictor.
        x: f64,
        /// Its response.
        y: f64,
    },
    /// A weight is zero, negative, infinite or not a number.
    #[error("the weight {weight} of point {index} is not a positive number")]
    BadWeight {
        /// Which point, from 0.
        index: usize,
        /// Its weight.
        weight: f64,
    },
    /// The figures span more than floating point can square.
    #[error("the figures are too large or too far apart to fit a line")]
    OutOfRange,
}

/// Where one minus a point's leverage is below this, subtraction has eaten the digits of its residual, and the point
/// is really left out instead. The leverages add up to 2, so that is so of two points at most.
const LEAST_SLACK: f64 = 1e-6;

/// Residuals of at most this many rounding errors in all points are the arithmetic's, not the data's.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Line {
    /// Fits the line to the points.
    ///
    /// Residuals that are nothing but rounding (16 units in the last place of the terms, in every point) count as
    /// zero, so that an exact line has intervals of no width and R² = 1.
    ///
    /// # Errors
    /// [`LineError`], for fewer than 3 points, equal predictors, and figures that are not numbers or out of range.
    pub fn fit(points: &[Point]) -> Result<Self, LineError> {
        let count = points.len();
        check(points)?;
        let heaviest = points.iter().fold(0.0, |most: f64, point| most.max(point.weight));
        let points: Vec<Point> =
            points.iter().map(|point| Point { weight: point.weight / heaviest, ..*point }).collect();
        let centre = Centre::of(&points.iter()).ok_or(LineError::OutOfRange)?;
        let slope = centre.slope();
        let intercept = centre.at(0.0);

        let mut residuals: Vec<f64> =
            points.iter().map(|point| (point.y - centre.y) - slope * (point.x - centre.x)).collect();
        let is_rounding = points.iter().zip(&residuals).all(|(point, residual)| {
            residual.abs() <= ROUNDING * (point.y.abs() + intercept.abs() + (slope * point.x).abs())
        });
        if is_rounding {
            residuals.fill(0.0);
        }

        let unexplained: f64 =
            points.iter().zip(&residuals).map(|(point, residual)| point.weight * residual * residual).sum();
        let explained = slope * slope * centre.sxx;
        let r2 = if explained == 0.0 { 0.0 } else { explained / (explained + unexplained) };
        let freedom = (count - 2) as f64;
        let variance = unexplained / freedom;
        let reach = StudentsT::new(0.0, 1.0, freedom).map_err(|_| LineError::OutOfRange)?.inverse_cdf(0.975);
        let coefficient = |estimate: f64, unit_variance: f64| {
            let standard_error = (variance * unit_variance).sqrt();
            let half_width = reach * standard_error;
            Coefficient { estimate, standard_error, low: estimate - half_width, high: estimate + half_width }
        };
        let line = Self {
            intercept: coefficient(intercept, 1.0 / centre.weight + centre.x * centre.x / centre.sxx),
            slope: coefficient(slope, 1.0 / centre.sxx),
            r2,
            residual_error: (variance * heaviest).sqrt(),
            left_out: (0..count).map(|index| left_out(&points, &centre, &residuals, index)).collect(),
        };
        if line.is_finite() { Ok(line) } else { Err(LineError::OutOfRange) }
    }

    /// The line at `x`, in the unit of `y`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept.estimate + self.slope.estimate * x
    }

    fn is_finite(&self) -> bool {
        let ends = [self.intercept, self.slope].into_iter().flat_map(|c| [c.low, c.high]);
        ends.chain([self.r2]).chain(self.left_out.iter().flatten().copied()).all(f64::is_finite)
    }
}

fn check(points: &[Point]) -> Result<(), LineError> {
    for (index, &Point { x, y, weight }) in points.iter().enumerate() {
        if !(x.is_finite() && y.is_finite()) {
            return Err(LineError::NotFinite { index, x, y });
        }
        if !(weight.is_finite() && weight > 0.0) {
            return Err(LineError::BadWeight { index, weight });
        }
    }
    let count = points.len();
    if count < 3 {
        return Err(LineError::TooFew { count });
    }
    if same_predictor(points.iter()) {
        return Err(LineError::SamePredictor { count, x: points[0].x });
    }
    Ok(())
}

#[expect(clippy::float_cmp, reason = "only predictors that are exactly equal leave no slope")]
fn same_predictor<'a>(mut points: impl Iterator<Item = &'a Point>) -> bool {
    points.next().is_none_or(|first| points.all(|point| point.x == first.x))
}

/// The weighted means, and the sums of squares and products about them.
struct Centre {
    weight: f64,
    x: f64,
    y: f64,
    sxx: f64,
    sxy: f64,
}

impl Centre {
    /// `None` where the sums cannot be told from zero or infinity.
    fn of<'a>(points: &(impl Iterator<Item = &'a Point> + Clone)) -> Option<Self> {
        let sum = |term: &dyn Fn(&Point) -> f64| points.clone().map(|p| p.weight * term(p)).sum::<f64>();
        // The mean of what is left after a first mean takes away that one's rounding.
        let mean = |of: &dyn Fn(&Point) -> f64, weight: f64| {
            let rough = sum(of) / weight;
            rough + sum(&|p| of(p) - rough) / weight
        };
        let weight = sum(&|_| 1.0);
        let x = mean(&|p| p.x, weight);
        // Responses that do not vary have no slope, not even one of rounding.
        let first = points.clone().next()?.y;
        let y = first + mean(&|p| p.y - first, weight);
        let sxx = sum(&|p| (p.x - x) * (p.x - x));
        let sxy = sum(&|p| (p.x - x) * (p.y - y));
        (sxx.is_normal() && sxy.is_finite()).then_some(Self { weight, x, y, sxx, sxy })
    }

    fn slope(&self) -> f64 {
        self.sxy / self.sxx
    }

    fn at(&self, x: f64) -> f64 {
        self.y + self.slope() * (x - self.x)
    }
}

/// The prediction of one point from the others: `y - residual / (1 - leverage)`, the leverage being the point's own
/// entry of the hat matrix, `weight * (1 / sum of weights + (x - mean)² / sxx)`.
fn left_out(points: &[Point], centre: &Centre, residuals: &[f64], index: usize) -> Option<f64> {
    let point = points[index];
    let others = points.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, point)| point);
    if same_predictor(others.clone()) {
        return None;
    }
    let offset = point.x - centre.x;
    let slack = 1.0 - point.weight * (1.0 / centre.weight + offset * offset / centre.sxx);
    if slack < LEAST_SLACK {
        return Centre::of(&others).map(|rest| rest.at(point.x));
    }
    Some(point.y - residuals[index] / slack)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::float_cmp, reason = "a test may panic, and means the very digits")]
mod tests {
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
}
