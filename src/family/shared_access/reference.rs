//! What `cuda/shared_access.cu` must compute, on the host.

use rayon::prelude::*;

use super::{COLUMNS, TILE};
use gpu_simulator::hardware::lanes::LANES;

/// The copies: `input` as it is, or with each tile of 16 by 16 elements transposed, zeros standing for what lies outside.
pub(super) fn copy(input: &[u32], width: usize, transposed: bool) -> Vec<u32> {
    if !transposed {
        return input.to_vec();
    }
    let mut output = vec![0; width * width];
    output.par_chunks_mut(width).enumerate().for_each(|(row, elements)| {
        for (column, element) in elements.iter_mut().enumerate() {
            let source_row = row / TILE * TILE + column % TILE;
            let source_column = column / TILE * TILE + row % TILE;
            if source_row < width && source_column < width {
                *element = input[source_row * width + source_column];
            }
        }
    });
    output
}

/// The reads: a thread's element is its index plus the sum of what its lane reads, from row `lane & row_mask` of a tile whose
/// rows have `stride` words of `word_elements` elements.
pub(super) fn read(
    tile: &[u32],
    width: usize,
    repetitions: u32,
    (stride, word_elements): (usize, usize),
    row_mask: usize,
) -> Vec<u32> {
    let sums: Vec<u32> = (0..LANES)
        .map(|lane| {
            let row = &tile[(lane & row_mask) * stride * word_elements..][..stride * word_elements];
            let once = (0..COLUMNS)
                .flat_map(|index| &row[index % stride * word_elements..][..word_elements])
                .fold(0_u32, |sum, element| sum.wrapping_add(*element));
            once.wrapping_mul(repetitions)
        })
        .collect();
    let mut output = vec![0; width * width];
    output.par_chunks_mut(width).enumerate().for_each(|(row, elements)| {
        for (column, element) in elements.iter_mut().enumerate() {
            let lane = (row % TILE * TILE + column % TILE) % LANES;
            *element = ((row * width + column) as u32).wrapping_add(sums[lane]);
        }
    });
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_transposed_one_by_one() {
        let width = 20;
        let input: Vec<u32> = (1..=400).collect();
        let output = copy(&input, width, true);
        // Within the first tile, at its corner, in the part of a tile that is there, and opposite a part that is not.
        assert_eq!([output[0], output[1], output[15], output[15 * 20]], [1, 21, 301, 16]);
        assert_eq!(output[16 * 20 + 18], input[18 * 20 + 16]);
        assert_eq!(output[16], input[16]);
        assert_eq!([output[17], output[20 + 16]], [input[20 + 16], input[17]]);
        assert_eq!([output[4 * 20 + 16], output[16 * 20 + 4]], [0, 0]);
        assert_eq!(copy(&input, width, false), input);
    }

    #[test]
    fn lanes_sum_eight_columns_of_their_rows() {
        // Row l of three words of two elements: l, 0; 0, 10; 100, 0. Eight columns are the first three times, the second
        // three times, the third twice.
        let tile: Vec<u32> = (0..32).flat_map(|lane| [lane, 0, 0, 10, 100, 0]).collect();
        let output = read(&tile, 33, 5, (3, 2), 31);
        assert_eq!(output[0], 5 * 230);
        assert_eq!(output[7], 7 + 5 * (230 + 3 * 7));
        // Row 1, column 2 is lane 18; row 2 begins with lane 0 again; column 16 is in the next block.
        assert_eq!(output[33 + 2], 35 + 5 * (230 + 3 * 18));
        assert_eq!(output[2 * 33], 66 + 5 * 230);
        assert_eq!(output[16], 16 + 5 * 230);
        assert_eq!(read(&tile, 33, 5, (3, 2), 0)[7], 7 + 5 * 230);
    }
}
