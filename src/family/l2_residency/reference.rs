//! What each thread's sum comes to.

use gpu_simulator::hardware::lanes::LANES;
use rayon::prelude::*;

/// Words of 32 bits that a lane loads at a time, and its loads of a chunk.
const WIDTH: usize = 4;
const LOADS: usize = 4;
/// Words of a chunk.
const CHUNK_WORDS: usize = LANES * WIDTH * LOADS;

/// The sums of each thread of each block over its block's part of these words: so many chunks for each block.
pub(super) fn sums(words: &[u32], chunks: usize, blocks: usize, warps: usize) -> Vec<u32> {
    let threads = warps * LANES;
    let mut sums = vec![0_u32; blocks * threads];
    if chunks == 0 {
        return sums;
    }
    sums.par_chunks_mut(threads).zip(words.par_chunks(chunks * CHUNK_WORDS)).for_each(|(sums, part)| {
        for (chunk, words) in part.chunks_exact(CHUNK_WORDS).enumerate() {
            let own = &mut sums[chunk % warps * LANES..][..LANES];
            for load in words.chunks_exact(LANES * WIDTH) {
                for (sum, words) in own.iter_mut().zip(load.chunks_exact(WIDTH)) {
                    *sum = words.iter().fold(*sum, |sum, word| sum.wrapping_add(*word));
                }
            }
        }
    });
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's loop, thread by thread.
    fn followed(words: &[u32], chunks: usize, blocks: usize, warps: usize) -> Vec<u32> {
        let mut sums = Vec::new();
        for (block, thread) in (0..blocks).flat_map(|block| (0..warps * LANES).map(move |thread| (block, thread))) {
            let mut sum = 0_u32;
            for chunk in (thread / LANES..chunks).step_by(warps) {
                let vector = (block * chunks + chunk) * LANES * LOADS + thread % LANES;
                for (load, word) in (0..LOADS).flat_map(|load| (0..WIDTH).map(move |word| (load, word))) {
                    sum = sum.wrapping_add(words[(vector + load * LANES) * WIDTH + word]);
                }
            }
            sums.push(sum);
        }
        sums
    }

    #[test]
    fn sums_are_those_of_the_loop() {
        for (chunks, blocks, warps) in [(0, 2, 1), (1, 1, 1), (3, 2, 4), (5, 3, 2), (8, 1, 8)] {
            let words: Vec<u32> =
                (0..(chunks * blocks * CHUNK_WORDS) as u32).map(|word| word.wrapping_mul(2_654_435_761)).collect();
            assert_eq!(
                sums(&words, chunks, blocks, warps),
                followed(&words, chunks, blocks, warps),
                "{chunks} {blocks} {warps}"
            );
        }
    }
}
