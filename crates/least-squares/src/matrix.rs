//! Numbers in rows and columns.

use std::ops::{Index, IndexMut};

/// A matrix of floating-point numbers, stored column by column.
///
/// ```
/// use least_squares::Matrix;
/// let line = Matrix::from_fn(3, 2, |row, column| if column == 0 { 1.0 } else { row as f64 });
/// assert_eq!((line.row_count(), line.column(1)), (3, [0.0, 1.0, 2.0].as_slice()));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// A matrix whose entry in a row and a column is `entry(row, column)`, both counted from 0.
    #[must_use]
    pub fn from_fn(rows: usize, columns: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut entries = Vec::with_capacity(rows * columns);
        for column in 0..columns {
            entries.extend((0..rows).map(|row| entry(row, column)));
        }
        Self { rows, columns, entries }
    }

    /// A matrix of zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// A matrix of so many columns whose rows are given; what a row lacks is 0, and what it has too much is left out.
    #[must_use]
    pub fn from_rows(columns: usize, rows: impl ExactSizeIterator<Item = Vec<f64>>) -> Self {
        let mut matrix = Self::zeros(rows.len(), columns);
        for (index, row) in rows.enumerate() {
            for (column, entry) in row.into_iter().enumerate().take(columns) {
                matrix[(index, column)] = entry;
            }
        }
        matrix
    }

    /// How many rows there are.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn column_count(&self) -> usize {
        self.columns
    }

    /// The entries of a column, or none where there is no such column.
    #[must_use]
    pub fn column(&self, column: usize) -> &[f64] {
        self.entries.get(column * self.rows..(column + 1) * self.rows).unwrap_or_default()
    }

    /// All the entries, column by column.
    #[must_use]
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// Each entry times `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for entry in &mut self.entries {
            *entry *= factor;
        }
        self
    }

    /// A matrix of this size with the same entries; those that are new are 0.
    #[must_use]
    pub fn resized(&self, rows: usize, columns: usize) -> Self {
        let inside = |row, column| row < self.rows && column < self.columns;
        Self::from_fn(rows, columns, |row, column| if inside(row, column) { self[(row, column)] } else { 0.0 })
    }

    pub(crate) fn column_mut(&mut self, column: usize) -> &mut [f64] {
        self.entries.get_mut(column * self.rows..(column + 1) * self.rows).unwrap_or_default()
    }

    /// Two different columns, the left one first.
    pub(crate) fn columns_mut(&mut self, left: usize, right: usize) -> (&mut [f64], &mut [f64]) {
        let (before, after) = self.entries.split_at_mut(right * self.rows);
        (&mut before[left * self.rows..][..self.rows], &mut after[..self.rows])
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    /// The entry in a row and a column.
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[column * self.rows..][..self.rows][row]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[column * self.rows..][..self.rows][row]
    }
}

/// The sum of the products of two columns' entries.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

/// The length of a column.
pub(crate) fn norm(column: &[f64]) -> f64 {
    dot(column, column).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_where_they_are_asked_for() {
        let rows = [vec![1.0, 2.0, 3.0], vec![4.0, 5.0]];
        let matrix = Matrix::from_rows(3, rows.into_iter());
        assert_eq!(matrix.entries(), [1.0, 4.0, 2.0, 5.0, 3.0, 0.0]);
        assert_eq!((matrix.row_count(), matrix.column_count(), matrix[(1, 1)]), (2, 3, 5.0));
        assert_eq!(matrix.column(2), [3.0, 0.0]);
        assert!(matrix.column(3).is_empty());
        let smaller = matrix.scaled(2.0).resized(1, 2);
        assert_eq!(smaller.entries(), [2.0, 4.0]);
        assert_eq!(smaller.resized(2, 2).entries(), [2.0, 0.0, 4.0, 0.0]);
    }
}
