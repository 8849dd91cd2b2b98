//! What `cuda/block_sum.cu` must compute, on the host.

use rayon::prelude::*;

/// The prime that sums are taken by.
pub(super) const MODULUS: u32 = 2_147_483_647;

/// The sum of each block of `block` elements modulo [`MODULUS`], as often as it is repeated, modulo 2^32.
pub(super) fn block_sums(elements: &[u32], block: usize, repetitions: u32) -> Vec<u32> {
    let modulus = u64::from(MODULUS);
    elements
        .par_chunks(block)
        .map(|block| {
            let sum: u64 = block.iter().map(|&element| u64::from(element)).sum();
            ((sum % modulus) as u32).wrapping_mul(repetitions)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_known() {
        let elements: Vec<u32> = (1..=16).collect();
        assert_eq!(block_sums(&elements, 16, 1), [136]);
        assert_eq!(block_sums(&elements, 6, 3), [63, 3 * 57, 3 * 58]);
    }

    #[test]
    fn sums_are_modulo_the_prime_and_repetitions_modulo_a_word() {
        assert_eq!(block_sums(&[MODULUS - 1, 3], 2, 1), [2]);
        assert_eq!(block_sums(&[MODULUS - 1, 0], 2, 4), [(MODULUS - 1).wrapping_mul(4)]);
    }
}
