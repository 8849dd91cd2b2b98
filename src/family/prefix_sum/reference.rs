//! What `cuda/prefix_sum.cu` must compute, on the host: in one thread, and in all of them.

use rayon::prelude::*;

/// Pieces that each thread gets, so that one which is held up does not hold up the others for long.
const PIECES_PER_THREAD: usize = 4;

/// Elements that one thread scans before it appends them: they stay in its nearest cache.
const BLOCK: usize = 1024;

/// The sum of all elements before each, modulo 2^32.
pub(super) fn serial(elements: &[u32]) -> Vec<u32> {
    let mut sum = 0;
    let mut block = [0; BLOCK];
    // Appended: with zeros written first, a million elements take a third longer.
    let mut scanned = Vec::with_capacity(elements.len());
    for piece in elements.chunks(BLOCK) {
        sum = scan(piece, sum, &mut block);
        scanned.extend_from_slice(&block[..piece.len()]);
    }
    scanned
}

/// The sum before each element, from `sum` on; gives the sum of all.
///
/// One loop, not closures handed to iterators: its time is measured, and must not depend on which closures are inlined.
fn scan(elements: &[u32], mut sum: u32, scanned: &mut [u32]) -> u32 {
    for (&element, before) in elements.iter().zip(scanned) {
        *before = sum;
        sum = sum.wrapping_add(element);
    }
    sum
}

/// The same: pieces are summed side by side, then scanned side by side, each from what precedes it.
pub(super) fn multi_threaded(elements: &[u32]) -> Vec<u32> {
    let pieces = PIECES_PER_THREAD * rayon::current_num_threads();
    let length = elements.len().div_ceil(pieces).max(1);
    let sum_of = |piece: &[u32]| piece.iter().fold(0_u32, |sum, &element| sum.wrapping_add(element));
    let sums: Vec<u32> = elements.par_chunks(length).map(sum_of).collect();
    let mut scanned = vec![0; elements.len()];
    let pieces = elements.par_chunks(length).zip(scanned.par_chunks_mut(length));
    pieces.zip(serial(&sums)).for_each(|((piece, scanned), before)| {
        scan(piece, before, scanned);
    });
    scanned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Cornelis 2010, section 7.1.
    #[test]
    fn the_source_s_example() {
        let elements: Vec<u32> = (0..8).collect();
        for scan in [serial, multi_threaded] {
            assert_eq!(scan(&elements), [0, 0, 1, 3, 6, 10, 15, 21]);
            assert_eq!(scan(&[u32::MAX, 2, 3]), [0, u32::MAX, 1]);
            assert_eq!(scan(&[]), [0_u32; 0]);
        }
    }

    #[test]
    fn pieces_join_where_they_meet() {
        for length in [1, 7, 1000, 65_537] {
            let elements: Vec<u32> = (0..length).map(|index: u32| index.wrapping_mul(2_654_435_761)).collect();
            assert_eq!(multi_threaded(&elements), serial(&elements), "{length}");
        }
    }
}
