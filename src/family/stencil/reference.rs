//! What `cuda/stencil.cu` must compute, on the host: the same weights and the same arithmetic.

use rayon::prelude::*;

/// `steps` steps of a closed square sheet of `width` columns.
pub(super) fn compute(sheet: &[u32], width: usize, steps: u64) -> Vec<u32> {
    let mut current = sheet.to_vec();
    let mut next = vec![0; sheet.len()];
    for _ in 0..steps {
        step(&current, &mut next, width);
        std::mem::swap(&mut current, &mut next);
    }
    current
}

fn step(current: &[u32], next: &mut [u32], width: usize) {
    let row_of = |row: usize| &current[row * width..][..width];
    let last = width - 1;
    next.par_chunks_mut(width).enumerate().for_each(|(row, results)| {
        let own = row_of(row);
        let above = row_of(if row == 0 { last } else { row - 1 });
        let below = row_of(if row == last { 0 } else { row + 1 });
        if width > 2 {
            // The inner columns in one go, which the compiler makes vector instructions of.
            let inner = results[1..last].iter_mut().zip(own.windows(3)).zip(&above[1..]).zip(&below[1..]);
            inner.for_each(|(((result, own), above), below)| {
                *result = next_state(own[1], own[0], own[2], *above, *below);
            });
        }
        for column in [0, last] {
            let left = own[if column == 0 { last } else { column - 1 }];
            let right = own[if column == last { 0 } else { column + 1 }];
            results[column] = next_state(own[column], left, right, above[column], below[column]);
        }
    });
}

fn next_state(centre: u32, left: u32, right: u32, above: u32, below: u32) -> u32 {
    [(11, centre), (3, left), (5, right), (7, above), (13, below)]
        .iter()
        .fold(0_u32, |sum, (weight, cell)| sum.wrapping_add(cell.wrapping_mul(*weight)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One cell of 1 becomes the weights that its neighbours give it.
    #[test]
    fn a_single_cell_spreads_by_the_weights_over_the_closed_sheet() {
        let mut sheet = vec![0; 9];
        sheet[4] = 1;
        assert_eq!(compute(&sheet, 3, 1), [0, 13, 0, 5, 11, 3, 0, 7, 0]);
        sheet.rotate_left(4);
        assert_eq!(compute(&sheet, 3, 1), [11, 3, 5, 7, 0, 0, 13, 0, 0]);
    }

    #[test]
    fn small_sheets_are_their_own_neighbours() {
        assert_eq!(compute(&[1], 1, 2), [39 * 39]);
        assert_eq!(compute(&[1, 0, 0, 0], 2, 1), [11, 8, 20, 0]);
    }

    #[test]
    fn steps_follow_each_other() {
        let sheet: Vec<u32> = (0..35 * 35_u32).map(|cell| cell.wrapping_mul(2_654_435_761)).collect();
        assert_eq!(compute(&sheet, 35, 5), compute(&compute(&sheet, 35, 2), 35, 3));
        assert_eq!(compute(&sheet, 35, 0), sheet);
        assert_ne!(compute(&sheet, 35, 1), sheet);
    }
}
