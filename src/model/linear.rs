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
    /// How well the line is known along its length.
    pub spread: Spread,
    /// The quantile of Student's distribution that its 95 % intervals reach to.
    pub reach: f64,
    /// For each point, in the order given: `y` as predicted at its `x` by the line through all the others. `None`
    /// where the others have only one `x` among them, so that there is no such line.
    pub left_out: Vec<Option<f64>>,
}

/// How well a line is known along its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The variance of a residual of weight 1, the heaviest weight being 1.
    variance: f64,
    weight: f64,
    x: f64,
    sxx: f64,
}

impl Spread {
    /// The variance of the line at `x`.
    pub fn variance_at(&self, x: f64) -> f64 {
        self.variance * (1.0 / self.weight + (x - self.x).powi(2) / self.sxx)
    }
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
            spread: Spread { variance, weight: centre.weight, x: centre.x, sxx: centre.sxx },
            reach,
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
pub(super) mod tests;
