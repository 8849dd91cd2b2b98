//! Least squares in a design: any columns, weighted.
//!
//! Well-conditioned designs are decomposed in floating point and refined once by residuals computed to about 32 digits;
//! the others (Björck, section 2.4: errors grow with the condition) are decomposed in 32 digits throughout.
//! Leave-one-out predictions: Weisberg, Applied Linear Regression, 4th edition, chapter 9.

use super::decomposition::{Decomposition, DeficientColumn};
use super::double::{Double, Number};
use super::summary::{Estimated, LEAST_SLACK, ROUNDING, Variation};
use super::{Matrix, Regression, RegressionError};

/// The most that a decomposition in floating point may magnify errors: twelve digits are left, and more after the
/// refinement.
const MOST_CONDITION: f64 = 256.0;

/// Fits `y = design * coefficients`, minimising the sum of `weights * residuals²`.
///
/// R² is about the mean where one column of the design is constant. Residuals that are nothing but rounding (16 units
/// in the last place of the terms, in every observation) count as zero, so that exact data have intervals of no width.
///
/// # Errors
/// [`RegressionError`]: fewer observations than columns and one more, lists of different lengths, figures that are not
/// finite or too far apart, weights that are not positive, and a column that is a combination of others.
pub fn linear(design: &Matrix, y: &[f64], weights: &[f64]) -> Result<Regression, RegressionError> {
    let table = Table { entries: design.entries(), columns: design.column_count() };
    table.fit(design.row_count(), y, weights)
}

/// Checks what every fit asks of its observations.
pub(super) fn check(parameters: usize, rows: usize, y: &[f64], weights: &[f64]) -> Result<(), RegressionError> {
    let shape = |what, actual, expected| Err(RegressionError::Shape { what, actual, expected });
    if y.len() != rows {
        return shape("responses", y.len(), rows);
    }
    if weights.len() != rows {
        return shape("weights", weights.len(), rows);
    }
    if parameters == 0 {
        return shape("parameters", 0, 1);
    }
    if rows <= parameters {
        return Err(RegressionError::TooFew { count: rows, parameters });
    }
    if let Some(index) = y.iter().position(|y| !y.is_finite()) {
        return Err(RegressionError::NotFinite { index });
    }
    if let Some(index) = weights.iter().position(|&weight| !(weight.is_finite() && weight > 0.0)) {
        return Err(RegressionError::BadWeight { index, weight: weights[index] });
    }
    Ok(())
}

/// The roots of weights, the heaviest being 1.
pub(super) fn roots(weights: &[f64]) -> Vec<f64> {
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter().map(|weight| (weight / heaviest).sqrt()).collect()
}

/// The figures of a fit that is not linear, as those of its curve made linear at the estimates: `jacobian` holds the
/// derivatives, column by column.
pub(super) fn linearised(
    jacobian: &[f64],
    parameters: Vec<f64>,
    residuals: Vec<f64>,
    y: &[f64],
    weights: &[f64],
) -> Result<Regression, RegressionError> {
    if !jacobian.iter().chain(&parameters).chain(&residuals).all(|figure| figure.is_finite()) {
        return Err(RegressionError::OutOfRange);
    }
    let table = Table { entries: jacobian, columns: parameters.len() };
    let mut estimated = table.solve(&residuals, &roots(weights))?;
    (estimated.coefficients, estimated.residuals) = (parameters, residuals);
    if table.is_rounding(&estimated, y) {
        estimated.residuals.fill(0.0);
    }
    let left_out = y.iter().zip(&estimated.residuals).zip(&estimated.leverages).map(|((y, residual), leverage)| {
        let slack = 1.0 - leverage;
        (slack >= LEAST_SLACK).then(|| y - residual / slack)
    });
    let left_out = left_out.collect();
    estimated.summary(y, weights, Variation::OfResponses, left_out)
}

/// A design, column by column.
#[derive(Clone, Copy)]
struct Table<'a> {
    entries: &'a [f64],
    columns: usize,
}

impl Table<'_> {
    fn fit(&self, rows: usize, y: &[f64], weights: &[f64]) -> Result<Regression, RegressionError> {
        check(self.columns, rows, y, weights)?;
        if let Some(entry) = self.entries.iter().position(|entry| !entry.is_finite()) {
            return Err(RegressionError::NotFinite { index: entry % rows });
        }
        let mut estimated = self.solve(y, &roots(weights))?;
        if self.is_rounding(&estimated, y) {
            estimated.residuals.fill(0.0);
        }
        let left_out = (0..rows)
            .map(|index| {
                let slack = 1.0 - estimated.leverages[index];
                if slack < LEAST_SLACK {
                    return self.predicted_without(index, y, weights);
                }
                Some(y[index] - estimated.residuals[index] / slack)
            })
            .collect();
        let variation = if self.constant_column(rows).is_some() { Variation::AboutMean } else { Variation::AboutZero };
        estimated.summary(y, weights, variation, left_out)
    }

    fn column(&self, column: usize, rows: usize) -> &[f64] {
        &self.entries[column * rows..][..rows]
    }

    #[expect(clippy::float_cmp, reason = "a constant column is exactly that")]
    fn constant_column(&self, rows: usize) -> Option<usize> {
        (0..self.columns).find(|&column| {
            let entries = self.column(column, rows);
            entries[0] != 0.0 && entries.iter().all(|&entry| entry == entries[0])
        })
    }

    fn is_rounding(&self, estimated: &Estimated, y: &[f64]) -> bool {
        let rows = y.len();
        estimated.residuals.iter().enumerate().all(|(index, residual)| {
            let terms = estimated.coefficients.iter().enumerate();
            let size: f64 = terms.map(|(k, coefficient)| (coefficient * self.entries[k * rows + index]).abs()).sum();
            residual.abs() <= ROUNDING * (y[index].abs() + size)
        })
    }

    /// The response of one observation as the fit to all the others predicts it.
    fn predicted_without(&self, index: usize, y: &[f64], weights: &[f64]) -> Option<f64> {
        let rows = y.len();
        let without = |values: &[f64]| -> Vec<f64> {
            let kept = values.iter().enumerate().filter(|(entry, _)| entry % rows != index);
            kept.map(|(_, &value)| value).collect()
        };
        let entries = without(self.entries);
        let others = Table { entries: &entries, columns: self.columns };
        let solved = others.solve(&without(y), &roots(&without(weights))).ok()?;
        let row = (0..self.columns).map(|column| self.entries[column * rows + index]);
        let predicted: f64 = row.zip(&solved.coefficients).map(|(entry, coefficient)| entry * coefficient).sum();
        predicted.is_finite().then_some(predicted)
    }

    fn solve(&self, y: &[f64], roots: &[f64]) -> Result<Estimated, RegressionError> {
        let rows = y.len();
        // Responses that do not vary then have no coefficient but the constant's, not even one of rounding.
        let constant = self.constant_column(rows);
        let offset = if constant.is_some() { y[0] } else { 0.0 };
        let response: Vec<Double> = y.iter().map(|&y| Double::sum(y, -offset)).collect();
        let shift = constant.map(|column| (column, Double::from(offset) / Double::from(self.entries[column * rows])));
        let mut work = Vec::with_capacity(rows * (self.columns + 1));
        for column in 0..self.columns {
            work.extend(self.column(column, rows).iter().zip(roots).map(|(entry, root)| entry * root));
        }
        work.extend(response.iter().zip(roots).map(|(response, root)| response.high * root));
        // Deficient columns are judged in the higher precision.
        if let Ok(decomposition) = Decomposition::of(work, rows, self.columns)
            && decomposition.condition() <= MOST_CONDITION
        {
            return Ok(self.refined(&decomposition, response, roots, shift));
        }
        let mut work = Vec::with_capacity(rows * (self.columns + 1));
        for column in 0..self.columns {
            let entries = self.column(column, rows).iter().zip(roots);
            work.extend(entries.map(|(&entry, &root)| Double::product(entry, root)));
        }
        work.extend(response.iter().zip(roots).map(|(&response, &root)| response * Double::from(root)));
        if work.iter().any(|entry| !(entry.high.is_finite() && entry.low.is_finite())) {
            return Err(RegressionError::OutOfRange);
        }
        let decomposition = Decomposition::of(work, rows, self.columns).map_err(|DeficientColumn(column)| {
            let all_zero = self.column(column, rows).iter().all(|entry| *entry == 0.0);
            let vanished = !all_zero && decomposed_to_nothing(self.column(column, rows), roots);
            if vanished { RegressionError::OutOfRange } else { RegressionError::Deficient { column } }
        })?;
        Ok(self.precise(&decomposition, response, shift))
    }

    fn refined(
        &self,
        decomposition: &Decomposition<f64>,
        mut response: Vec<Double>,
        roots: &[f64],
        shift: Option<(usize, Double)>,
    ) -> Estimated {
        let rows = response.len();
        let first = decomposition.solution();
        for (column, &coefficient) in first.iter().enumerate() {
            for (rest, &entry) in response.iter_mut().zip(self.column(column, rows)) {
                let term = Double::product(entry, coefficient);
                let high = Double::sum(rest.high, -term.high);
                *rest = Double { high: high.high, low: rest.low + (high.low - term.low) };
            }
        }
        let mut residuals: Vec<f64> = response.iter().map(|rest| rest.high + rest.low).collect();
        let weighted: Vec<f64> = residuals.iter().zip(roots).map(|(residual, root)| residual * root).collect();
        let correction = decomposition.solve(&weighted);
        for (column, &coefficient) in correction.iter().enumerate() {
            for (residual, &entry) in residuals.iter_mut().zip(self.column(column, rows)) {
                *residual -= entry * coefficient;
            }
        }
        let coefficients = first.iter().zip(&correction).map(|(&first, &correction)| Double::sum(first, correction));
        Estimated::new(decomposition, coefficients.collect(), residuals, shift)
    }

    fn precise(
        &self,
        decomposition: &Decomposition<Double>,
        mut response: Vec<Double>,
        shift: Option<(usize, Double)>,
    ) -> Estimated {
        let rows = response.len();
        let coefficients = decomposition.solution();
        for (column, &coefficient) in coefficients.iter().enumerate() {
            for (rest, &entry) in response.iter_mut().zip(self.column(column, rows)) {
                *rest = *rest - Double::from(entry) * coefficient;
            }
        }
        let residuals = response.iter().map(|rest| rest.rounded()).collect();
        Estimated::new(decomposition, coefficients, residuals, shift)
    }
}

/// Whether the squares of a column that is not zero are.
fn decomposed_to_nothing(column: &[f64], roots: &[f64]) -> bool {
    column.iter().zip(roots).all(|(entry, root)| (entry * root).powi(2) == 0.0)
}

impl Estimated {
    fn new<T: Number>(
        decomposition: &Decomposition<T>,
        mut coefficients: Vec<Double>,
        residuals: Vec<f64>,
        shift: Option<(usize, Double)>,
    ) -> Self {
        if let Some((column, offset)) = shift {
            coefficients[column] = coefficients[column] + offset;
        }
        let columns = coefficients.len();
        Self {
            coefficients: coefficients.iter().map(|coefficient| coefficient.rounded()).collect(),
            unit_covariance: Matrix::from_fn(columns, columns, |a, b| decomposition.unit_covariance(a, b)),
            residuals,
            leverages: decomposition.leverages(),
        }
    }
}
