//! The transposition on the host.

use rayon::prelude::*;

/// Rows and columns that are transposed together: a line of the host's cache holds 16 words.
const TILE: usize = 32;

/// The transpose of a square matrix of `width` columns, row by row.
pub(super) fn transposed(matrix: &[u32], width: usize) -> Vec<u32> {
    let mut output = vec![0; matrix.len()];
    output.par_chunks_mut(TILE * width).enumerate().for_each(|(band, rows)| {
        for first in (0..width).step_by(TILE) {
            for (row, output) in rows.chunks_mut(width).enumerate() {
                let columns = first..width.min(first + TILE);
                for (column, word) in columns.clone().zip(&mut output[columns]) {
                    *word = matrix[column * width + band * TILE + row];
                }
            }
        }
    });
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        assert_eq!(transposed(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 3), [1, 4, 7, 2, 5, 8, 3, 6, 9]);
    }

    #[test]
    fn transposing_twice_changes_nothing_and_once_exchanges_indices() {
        for width in [1, 31, 32, 33, 100] {
            let matrix: Vec<u32> = (0..(width * width) as u32).collect();
            let once = transposed(&matrix, width);
            assert!((0..width).all(|row| once[row * width] == matrix[row]), "width {width}");
            assert_eq!(transposed(&once, width), matrix, "width {width}");
        }
    }
}
