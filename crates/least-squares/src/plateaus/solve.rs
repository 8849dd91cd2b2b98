//! What breaks leave: the least squares of their rises and of the first plateau.

use super::{Break, Left, MOST_BREAKS, Search};

/// By which share of its height a plateau is at least lower than the next one, where there are several breaks: a smaller one may be what the addresses of few
/// places differ by.
const LEAST_RISE: f64 = 0.1;

impl Search<'_> {
    /// What these breaks leave, if they are apart and each plateau is higher than the one before.
    pub(super) fn left(&self, breaks: &[Break]) -> Option<Left> {
        let columns: Vec<Vec<f64>> = breaks.iter().map(|own| self.column(own)).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        if self.are_apart(breaks) { self.solved(&columns) } else { None }
    }

    /// The least squares in these columns and a constant, if each plateau is so much higher than the one before.
    pub(super) fn solved(&self, columns: &[&[f64]]) -> Option<Left> {
        const MOST: usize = MOST_BREAKS + 1;
        let count = columns.len() + 1;
        let entry = |column: usize, row: usize| if column == 0 { 1.0 } else { columns[column - 1][row] };
        // The upper triangle of the normal equations, and their right side behind it.
        let mut normal = [[0.0; MOST + 1]; MOST];
        for (row, (y, weight)) in self.y.iter().zip(self.weights).enumerate() {
            for (first, sums) in normal.iter_mut().enumerate().take(count) {
                let weighed = weight * entry(first, row);
                for (second, sum) in sums.iter_mut().enumerate().take(count).skip(first) {
                    *sum += weighed * entry(second, row);
                }
                sums[MOST] += weighed * y;
            }
        }
        let diagonal: [f64; MOST] = std::array::from_fn(|row| normal[row][row]);
        for pivot in 0..count {
            let own = normal[pivot];
            for row in pivot + 1..count {
                let factor = own[row] / own[pivot];
                for column in (row..count).chain([MOST]) {
                    normal[row][column] -= factor * own[column];
                }
                // A rise that is hardly any other than those before it.
                if normal[row][row].is_nan() || normal[row][row] <= 1e-12 * diagonal[row] {
                    return None;
                }
            }
        }
        let mut solution = vec![0.0; count];
        for row in (0..count).rev() {
            let known: f64 = (row + 1..count).map(|column| normal[row][column] * solution[column]).sum();
            solution[row] = (normal[row][MOST] - known) / normal[row][row];
        }
        let mut height = 0.0;
        let is_rising = solution.iter().all(|own| {
            let is_higher = *own > if columns.len() > 1 { LEAST_RISE * height } else { 0.0 };
            height += own;
            is_higher
        });
        let terms = self.y.iter().zip(self.weights).enumerate();
        let squares = terms.map(|(row, (y, weight))| {
            let own: f64 = solution.iter().enumerate().map(|(column, own)| own * entry(column, row)).sum();
            weight * (y - own).powi(2)
        });
        let left = squares.sum();
        is_rising.then_some((left, solution))
    }
}
