//! Curves with one parameter that is not linear: a break, an exponent, a corner.
//!
//! For each value of that parameter the others are had exactly (variable projection: Golub and Pereyra, SIAM Journal on
//! Numerical Analysis 10, 1973), so that one-dimensional search finds the minimum even where it has no derivative. The
//! covariance is that of all parameters, the searched one too: with that one held fixed, intervals would be too narrow
//! wherever estimates are correlated with it.

use super::linear::{check, linearised, roots, solved};
use super::{Regression, RegressionError};

/// A curve `sum of coefficient[k] * term[k](shape, x)`.
pub trait Separable {
    /// How many terms, and so coefficients, it has.
    fn terms(&self) -> usize;
    /// The terms at `x`. Not a number where this shape gives no curve: it is passed over.
    fn terms_at(&self, shape: f64, x: f64) -> Vec<f64>;
    /// The derivatives of the terms by the shape, at `x`.
    fn slopes_at(&self, shape: f64, x: f64) -> Vec<f64>;
}

/// So many of the lowest valleys between values of the grid are searched.
const VALLEYS: usize = 4;
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Golden section cannot tell values apart that are nearer than the root of the rounding error.
const GOLDEN_STEPS: usize = 50;
const MOST_POLISHING_STEPS: usize = 30;
/// Sums of squares near a minimum are no nearer to each other than their rounding.
const ROUNDED_COST: f64 = 1e-10;

/// Fits a curve with one nonlinear parameter, its shape, which is searched for over `grid` (ascending, at least 3
/// values) and between its values. The coefficients are those of the terms, then the shape.
///
/// # Errors
/// [`RegressionError`]: as for [`super::nonlinear`], and [`RegressionError::AtEdge`] where the best shape is at an end
/// of the grid.
pub fn profile(
    curve: &dyn Separable,
    x: &[f64],
    y: &[f64],
    weights: &[f64],
    grid: &[f64],
) -> Result<Regression, RegressionError> {
    check(curve.terms() + 1, x.len(), y, weights)?;
    if let Some(index) = x.iter().position(|x| !x.is_finite()) {
        return Err(RegressionError::NotFinite { index });
    }
    if grid.len() < 3 || !grid.is_sorted_by(|a, b| a < b) || !grid.iter().all(|shape| shape.is_finite()) {
        return Err(RegressionError::Shape { what: "ascending values of the grid", actual: grid.len(), expected: 3 });
    }
    let problem = Problem { curve, x, y, roots: &roots(weights) };
    let costs: Vec<f64> = grid.iter().map(|&shape| problem.cost(shape)).collect();
    let last = grid.len() - 1;
    let mut valleys: Vec<usize> =
        (1..last).filter(|&at| costs[at] <= costs[at - 1] && costs[at] <= costs[at + 1]).collect();
    valleys.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
    let found = valleys
        .iter()
        .take(VALLEYS)
        .map(|&at| problem.golden(grid[at - 1], grid[at], grid[at + 1]))
        .min_by(|a, b| a.cost.total_cmp(&b.cost));
    let end = if costs[0] < costs[last] { 0 } else { last };
    let Some(best) = found.filter(|found| found.cost <= costs[end] && found.cost.is_finite()) else {
        return Err(RegressionError::AtEdge { value: grid[end] });
    };
    problem.fit(problem.polished(&best), weights)
}

struct Problem<'a> {
    curve: &'a dyn Separable,
    x: &'a [f64],
    y: &'a [f64],
    roots: &'a [f64],
}

/// The best shape between two others.
struct Valley {
    from: f64,
    shape: f64,
    to: f64,
    cost: f64,
}

impl Problem<'_> {
    /// The terms, column by column.
    fn design(&self, shape: f64) -> Vec<f64> {
        self.by_columns(|x| self.curve.terms_at(shape, x))
    }

    fn by_columns(&self, row: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
        let (rows, terms) = (self.x.len(), self.curve.terms());
        let mut columns = vec![0.0; rows * terms];
        for (index, &x) in self.x.iter().enumerate() {
            for (column, entry) in row(x).into_iter().take(terms).enumerate() {
                columns[column * rows + index] = entry;
            }
        }
        columns
    }

    /// The least weighted sum of squares with this shape, infinite where there is none.
    fn cost(&self, shape: f64) -> f64 {
        let design = self.design(shape);
        if !design.iter().all(|entry| entry.is_finite()) {
            return f64::INFINITY;
        }
        let Some(estimated) = solved(&design, self.curve.terms(), self.y, self.roots) else { return f64::INFINITY };
        estimated.residuals.iter().zip(self.roots).map(|(residual, root)| (residual * root).powi(2)).sum()
    }

    fn golden(&self, from: f64, middle: f64, to: f64) -> Valley {
        let (mut low, mut high) = (from, to);
        let mut best = (self.cost(middle), middle);
        let inner = |low: f64, high: f64| (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut a, mut b) = inner(low, high);
        let (mut at_a, mut at_b) = (self.cost(a), self.cost(b));
        for _ in 0..GOLDEN_STEPS {
            for (cost, shape) in [(at_a, a), (at_b, b)] {
                if cost < best.0 {
                    best = (cost, shape);
                }
            }
            if at_a < at_b {
                (high, b, at_b) = (b, a, at_a);
                a = inner(low, high).0;
                at_a = self.cost(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = inner(low, high).1;
                at_b = self.cost(b);
            }
            if high - low <= f64::EPSILON * (low.abs() + high.abs()) {
                break;
            }
        }
        Valley { from, shape: best.1, to, cost: best.0 }
    }

    /// The last digits, by undamped steps in all parameters for as long as they shrink and do no harm.
    fn polished(&self, valley: &Valley) -> f64 {
        let (mut shape, mut cost, mut last) = (valley.shape, valley.cost, f64::INFINITY);
        for _ in 0..MOST_POLISHING_STEPS {
            let Some((jacobian, _, residuals)) = self.linear_part(shape) else { break };
            let Some(step) = solved(&jacobian, self.curve.terms() + 1, &residuals, self.roots) else { break };
            let change = step.coefficients[self.curve.terms()];
            let next = shape + change;
            let harmless = change.abs() < 0.5 * last && next > valley.from && next < valley.to;
            let next_cost = if harmless { self.cost(next) } else { f64::INFINITY };
            if next_cost > cost * (1.0 + ROUNDED_COST) {
                break;
            }
            (shape, cost, last) = (next, next_cost, change.abs());
            if change == 0.0 {
                break;
            }
        }
        shape
    }

    /// The derivatives by all parameters, the coefficients of the terms, and the residuals.
    fn linear_part(&self, shape: f64) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        let rows = self.x.len();
        let mut jacobian = self.design(shape);
        let estimated = solved(&jacobian, self.curve.terms(), self.y, self.roots)?;
        let slopes = self.by_columns(|x| self.curve.slopes_at(shape, x));
        jacobian.extend((0..rows).map(|row| -> f64 {
            let terms = estimated.coefficients.iter().enumerate();
            terms.map(|(term, coefficient)| coefficient * slopes[term * rows + row]).sum()
        }));
        let is_finite = jacobian.iter().all(|entry| entry.is_finite());
        is_finite.then_some((jacobian, estimated.coefficients, estimated.residuals))
    }

    fn fit(&self, shape: f64, weights: &[f64]) -> Result<Regression, RegressionError> {
        let (jacobian, mut parameters, residuals) = self.linear_part(shape).ok_or(RegressionError::OutOfRange)?;
        parameters.push(shape);
        linearised(&jacobian, parameters, residuals, self.y, weights)
    }
}
