//! The orthogonal decomposition of a design, in either precision.

use super::double::Number;

/// A column of which less than this share is left, once the earlier columns are taken out of it, is a combination of
/// them: what is left is rounding of the figures given.
const LEAST_SHARE: f64 = 1e-14;

/// `A = Q R` by modified Gram-Schmidt, the response carried along as a last column (Björck, Numerical Methods for Least
/// Squares Problems, section 2.4): the coefficients are then as accurate as by Householder's transformations.
pub(super) struct Decomposition<T> {
    rows: usize,
    columns: usize,
    /// `Q`, column by column.
    orthogonal: Vec<T>,
    /// The inverse of `R`, upper triangular, row by row.
    inverse: Vec<T>,
    /// `Q'` times the response.
    projected: Vec<T>,
    condition: f64,
}

/// The column that is a combination of the earlier ones.
pub(super) struct DeficientColumn(pub(super) usize);

impl<T: Number> Decomposition<T> {
    /// Decomposes `columns` columns of `rows` entries each, followed by the response.
    pub(super) fn of(mut work: Vec<T>, rows: usize, columns: usize) -> Result<Self, DeficientColumn> {
        let zero = T::from(0.0);
        let mut triangle = vec![zero; columns * columns];
        let mut projected = vec![zero; columns];
        let mut norms = vec![0.0; columns];
        for (column, norm) in norms.iter_mut().enumerate() {
            *norm = dot(&work[column * rows..][..rows], &work[column * rows..][..rows]).rounded().sqrt();
        }
        for column in 0..columns {
            let (done, rest) = work.split_at_mut((column + 1) * rows);
            let current = &mut done[column * rows..];
            let norm = dot(current, current).sqrt();
            if norm.rounded() <= LEAST_SHARE * norms[column] {
                return Err(DeficientColumn(column));
            }
            triangle[column * columns + column] = norm;
            let reciprocal = T::from(1.0) / norm;
            for entry in &mut *current {
                *entry = *entry * reciprocal;
            }
            for (offset, other) in rest.chunks_exact_mut(rows).enumerate() {
                let share = dot(current, other);
                for (entry, &unit) in other.iter_mut().zip(&*current) {
                    *entry = *entry - share * unit;
                }
                let target = column + 1 + offset;
                if target < columns {
                    triangle[column * columns + target] = share;
                } else {
                    projected[column] = share;
                }
            }
        }
        work.truncate(rows * columns);
        let inverse = inverse_of(&triangle, columns);
        let condition = (0..columns)
            .flat_map(|row| (row..columns).map(move |column| (row, column)))
            .map(|(row, column)| (inverse[row * columns + column].rounded() * norms[row]).powi(2))
            .sum::<f64>()
            .sqrt();
        Ok(Self { rows, columns, orthogonal: work, inverse, projected, condition })
    }

    /// About how much the decomposition magnifies relative errors, however the columns are scaled.
    pub(super) fn condition(&self) -> f64 {
        self.condition
    }

    /// The coefficients.
    pub(super) fn solution(&self) -> Vec<T> {
        self.back_substituted(&self.projected)
    }

    /// The coefficients of another response.
    pub(super) fn solve(&self, response: &[T]) -> Vec<T> {
        let projected: Vec<T> = self.orthogonal.chunks_exact(self.rows).map(|column| dot(column, response)).collect();
        self.back_substituted(&projected)
    }

    fn back_substituted(&self, projected: &[T]) -> Vec<T> {
        (0..self.columns)
            .map(|row| dot(&self.inverse[row * self.columns + row..(row + 1) * self.columns], &projected[row..]))
            .collect()
    }

    /// Entry `(row, column)` of the inverse of `A'A`.
    pub(super) fn unit_covariance(&self, row: usize, column: usize) -> f64 {
        let from = row.max(column);
        let part = |row: usize| &self.inverse[row * self.columns + from..(row + 1) * self.columns];
        dot(part(row), part(column)).rounded()
    }

    /// The entry of the hat matrix for each row.
    pub(super) fn leverages(&self) -> Vec<f64> {
        let mut leverages = vec![0.0; self.rows];
        for column in self.orthogonal.chunks_exact(self.rows) {
            for (leverage, entry) in leverages.iter_mut().zip(column) {
                *leverage += entry.rounded() * entry.rounded();
            }
        }
        for leverage in &mut leverages {
            *leverage = leverage.min(1.0);
        }
        leverages
    }
}

fn dot<T: Number>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::from(0.0), |sum, (&a, &b)| sum + a * b)
}

/// The inverse of an upper triangular matrix, both row by row.
fn inverse_of<T: Number>(triangle: &[T], size: usize) -> Vec<T> {
    let mut inverse = vec![T::from(0.0); size * size];
    for column in 0..size {
        inverse[column * size + column] = T::from(1.0) / triangle[column * size + column];
        for row in (0..column).rev() {
            let sum = (row + 1..=column)
                .fold(T::from(0.0), |sum, k| sum + triangle[row * size + k] * inverse[k * size + column]);
            inverse[row * size + column] = (T::from(0.0) - sum) / triangle[row * size + row];
        }
    }
    inverse
}
