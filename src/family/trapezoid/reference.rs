//! What `cuda/trapezoid.cu` must compute, on the host.

use rayon::prelude::*;

use crate::family::summation::{Total, compensated_sum};
use crate::workload::Sum;

/// Where the integral begins.
pub(super) const FROM: f32 = -3.0;
/// Where it ends.
const TO: f32 = 3.0;

/// Terms whose sum is taken at a time, so that not all of them need be in memory.
const PIECE: u64 = 1 << 20;
/// Terms that one thread of the host adds up before its sum is added to the others'.
const TERMS_OF_THREAD: u64 = 1 << 14;
/// The error of a sum, relative to it, from which on it is wrong whatever the reason.
const TOLERANCE: f64 = 1.0 / 64.0;

/// The width of each of this many trapezoids.
pub(super) fn width(trapezoids: u64) -> f32 {
    ((f64::from(TO) - f64::from(FROM)) / trapezoids as f64) as f32
}

/// The part of both ends: half of the ordinates there.
pub(super) fn ends(trapezoids: u64) -> f32 {
    0.5 * width(trapezoids) * (height(FROM) + height(TO))
}

/// x² + 1
fn height(x: f32) -> f32 {
    x * x + 1.0
}

/// The part of the ordinate between trapezoids `index - 1` and `index`, rounded as the kernels round it.
fn term(width: f32, index: u64) -> f32 {
    width * height(FROM + index as f32 * width)
}

/// The sum of all terms, exact to the last digit of a 32-bit float.
pub(super) fn total(trapezoids: u64) -> Total {
    let width = width(trapezoids);
    let pieces: Vec<Total> = (0..trapezoids.div_ceil(PIECE))
        .into_par_iter()
        .map(|piece| {
            let indices = (piece * PIECE).max(1)..((piece + 1) * PIECE).min(trapezoids);
            let words: Vec<u32> = indices.map(|index| term(width, index).to_bits()).collect();
            compensated_sum(&words)
        })
        .collect();
    let ends = f64::from(ends(trapezoids));
    // There is no negative term.
    let value = pieces.iter().map(|piece| piece.value).sum::<f64>() + ends;
    Total { value, magnitude: value }
}

/// What a sum may be that adds its terms in a chain of this length at most, the last `of_one_float` of them to one
/// and the same float.
///
/// Where many terms are added to one float, they are small beside it, and neighbouring terms hardly differ, so they
/// are all rounded the same way. Such errors do not cancel, and the bound of random ones does not hold: the sure one
/// does, half a unit of the last place for each addition. It becomes useless for long chains, so at most one part in
/// 64 is allowed. From some 2^24 terms on, one float is farther off than that: what is added to it is lost.
pub(super) fn within(total: Total, chain: u64, of_one_float: u64) -> Sum {
    let random = total.within(chain);
    let alike = of_one_float as f64 * f64::from(f32::EPSILON) / 2.0;
    Sum { error_bound: random.error_bound.max(alike.min(TOLERANCE) * total.magnitude), ..random }
}

/// One term after the other, in a 32-bit float.
pub(super) fn serial(_: &[&[u32]], trapezoids: u64) -> Vec<u32> {
    let width = width(trapezoids);
    let sum = (1..trapezoids).fold(ends(trapezoids), |sum, index| sum + term(width, index));
    vec![sum.to_bits()]
}

/// Pieces of the terms side by side, and then their sums, in 32-bit floats.
pub(super) fn multi_threaded(_: &[&[u32]], trapezoids: u64) -> Vec<u32> {
    let width = width(trapezoids);
    let piece = |piece: u64| {
        let indices = (piece * TERMS_OF_THREAD).max(1)..((piece + 1) * TERMS_OF_THREAD).min(trapezoids);
        indices.fold(0.0, |sum, index| sum + term(width, index))
    };
    let sums: Vec<f32> = (0..host_pieces(trapezoids)).into_par_iter().map(piece).collect();
    vec![sums.into_iter().fold(ends(trapezoids), |sum, own| sum + own).to_bits()]
}

/// Pieces that the threads of the host take.
fn host_pieces(trapezoids: u64) -> u64 {
    trapezoids.div_ceil(TERMS_OF_THREAD)
}

/// The longest chain of additions in [`multi_threaded`], and how many are to one float.
pub(super) fn chain_of_threads(trapezoids: u64) -> (u64, u64) {
    let (own, pieces) = (TERMS_OF_THREAD.min(trapezoids), host_pieces(trapezoids));
    (own + pieces, own.max(pieces))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second derivative of x² + 1 is 2 everywhere, so the error of n trapezoids is known to be
    /// (b - a)³ / (12 n²) · 2 = 36 / n², beside the integral of 24.
    #[test]
    fn the_integral_is_24_and_the_rule_s_own_error() {
        for trapezoids in [1_u64, 2, 3, 10, 1000, 4097, 1 << 20, 3_000_017] {
            let exact = 24.0 + 36.0 / (trapezoids as f64 * trapezoids as f64);
            let found = total(trapezoids).value;
            // Terms are floats: each has a few roundings.
            assert!((found / exact - 1.0).abs() < 1e-6, "{trapezoids}: {found}, not {exact}");
        }
        assert!((total(1).value - 60.0).abs() < 1e-9);
    }

    #[test]
    fn both_sums_of_the_host_are_within_their_bounds() {
        for trapezoids in [1_u64, 2, 33, 16_384, 16_385, 100_003, 1 << 20] {
            let total = total(trapezoids);
            let own = serial(&[], trapezoids)[0];
            assert!(within(total, trapezoids, trapezoids).accepts(own), "{trapezoids}: {}", f32::from_bits(own));
            let (chain, of_one_float) = chain_of_threads(trapezoids);
            let own = multi_threaded(&[], trapezoids)[0];
            assert!(within(total, chain, of_one_float).accepts(own), "{trapezoids}: {}", f32::from_bits(own));
        }
    }

    #[test]
    fn a_float_that_no_longer_grows_is_found_wrong() {
        let trapezoids = 1 << 26;
        let stuck = serial(&[], trapezoids)[0];
        // Half of its last digit is more than any term.
        assert!((f32::from_bits(stuck) - 16.0).abs() < 1e-3);
        assert!(!within(total(trapezoids), trapezoids, trapezoids).accepts(stuck), "{}", f32::from_bits(stuck));
    }

    #[test]
    fn a_lost_warp_is_noticed_in_a_sum_of_a_few_thousand() {
        let trapezoids = 4096;
        let total = total(trapezoids);
        let lost: f32 = (0..32).map(|lane| term(width(trapezoids), 2048 + lane)).sum();
        assert!(!within(total, 128 + 5, 128).accepts((total.value as f32 - lost).to_bits()));
    }
}
