//! The sum on the host, as one would write it there.

use rayon::prelude::*;

/// Accumulators, enough for vector registers and for their additions to overlap.
const ACCUMULATORS: usize = 16;
/// Elements that are summed in 32 bits.
const PIECE: usize = 4096;
/// Elements that a thread takes at a time.
const SHARE: usize = 1 << 20;

/// Additions of 32 bits one after the other, from an element to the sum: in an accumulator, over the accumulators, and
/// rounding the sum.
pub(super) const LONGEST_CHAIN: u64 = (PIECE / ACCUMULATORS + ACCUMULATORS + 1) as u64;

fn sum_of_piece(words: &[u32]) -> f32 {
    let mut sums = [0.0_f32; ACCUMULATORS];
    let chunks = words.chunks_exact(ACCUMULATORS);
    let rest: f32 = chunks.remainder().iter().map(|&word| f32::from_bits(word)).sum();
    for chunk in chunks {
        for (sum, &word) in sums.iter_mut().zip(chunk) {
            *sum += f32::from_bits(word);
        }
    }
    sums.iter().sum::<f32>() + rest
}

fn sum(words: &[u32]) -> f64 {
    words.chunks(PIECE).map(|piece| f64::from(sum_of_piece(piece))).sum()
}

/// The sum of the floats of the first buffer, by one thread.
pub(super) fn serial(buffers: &[&[u32]], _: u64) -> Vec<u32> {
    let words = buffers.first().copied().unwrap_or_default();
    vec![(sum(words) as f32).to_bits()]
}

/// The sum of the floats of the first buffer, by all threads.
pub(super) fn multi_threaded(buffers: &[&[u32]], _: u64) -> Vec<u32> {
    let words = buffers.first().copied().unwrap_or_default();
    // In order, so that the sum is the same every time.
    let shares: Vec<f64> = words.par_chunks(SHARE).map(sum).collect();
    vec![(shares.iter().sum::<f64>() as f32).to_bits()]
}
