//! Sums of floats on the host, and how far any order of summation may be from them.

use rayon::prelude::*;

use crate::workload::Sum;

/// Unit roundoff of 32-bit floats that are rounded to nearest.
const UNIT_ROUNDOFF: f64 = 1.0 / (1 << 24) as f64;
/// How many standard deviations of the rounding errors' random walk are allowed. An error beyond is as rare as one in
/// 10^14 (2 exp(-8^2 / 2)).
const DEVIATIONS: f64 = 8.0;
/// Elements that one thread sums at a time.
const PIECE: usize = 1 << 16;

/// A sum and that of the magnitudes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Total {
    /// The sum.
    pub(super) value: f64,
    /// The sum of the magnitudes.
    pub(super) magnitude: f64,
}

impl Total {
    /// What a device's sum may be whose longest chain has this many additions, one after the other.
    ///
    /// Every addition errs by at most the unit roundoff u, so the error is at most gamma = m u / (1 - m u) times the sum
    /// of the magnitudes for m additions in a chain (Higham, Accuracy and Stability of Numerical Algorithms, section 4.2). For long chains that bound
    /// is hopeless, and since rounding errors point either way it is exp(lambda sqrt(m) u + m u^2 / (1 - u)) - 1 but for a probability of 2 exp(-lambda^2 / 2)
    /// (Higham and Mary 2019, A new approach to probabilistic rounding error analysis, theorem 2.4). The smaller one holds.
    pub(super) fn within(self, additions: u64) -> Sum {
        let additions = additions.max(1) as f64;
        let worst = additions * UNIT_ROUNDOFF;
        let sure = if worst < 1.0 { worst / (1.0 - worst) } else { f64::INFINITY };
        let exponent = DEVIATIONS * additions.sqrt() * UNIT_ROUNDOFF
            + additions * UNIT_ROUNDOFF * UNIT_ROUNDOFF / (1.0 - UNIT_ROUNDOFF);
        Sum { value: self.value, error_bound: sure.min(exponent.exp_m1()) * self.magnitude }
    }
}

/// The sum of the floats in these words, compensated (Neumaier 1974), in 64 bits: exact to the last digit of a 32-bit float.
pub(super) fn compensated_sum(words: &[u32]) -> Total {
    let piece = |words: &[u32]| {
        let mut compensated = Compensated::default();
        let mut magnitude = 0.0;
        for &word in words {
            let value = f64::from(f32::from_bits(word));
            compensated.add(value);
            magnitude += value.abs();
        }
        (compensated, magnitude)
    };
    let pieces: Vec<(Compensated, f64)> = words.par_chunks(PIECE).map(piece).collect();
    let mut sum = Compensated::default();
    let mut magnitude = 0.0;
    for (own, own_magnitude) in pieces {
        sum.add(own.sum);
        sum.add(own.error);
        magnitude += own_magnitude;
    }
    Total { value: sum.sum + sum.error, magnitude }
}

/// A running sum and what it lost so far.
#[derive(Debug, Clone, Copy, Default)]
struct Compensated {
    sum: f64,
    error: f64,
}

impl Compensated {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let (large, small) = if self.sum.abs() >= value.abs() { (self.sum, value) } else { (value, self.sum) };
        self.error += (large - sum) + small;
        self.sum = sum;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "the sums are exact")]

    use super::*;

    fn words(floats: &[f32]) -> Vec<u32> {
        floats.iter().map(|float| float.to_bits()).collect()
    }

    #[test]
    fn what_plain_summation_loses_is_kept() {
        let total = compensated_sum(&words(&[1e20, 1.0, -1e20]));
        assert_eq!((total.value, total.magnitude > 1.9e20), (1.0, true));
    }

    #[test]
    fn pieces_add_up() {
        let count = 3 * PIECE + 17;
        let floats: Vec<f32> = (0..count).map(|index| (index % 1000) as f32).collect();
        let exact: u64 = (0..count as u64).map(|index| index % 1000).sum();
        assert_eq!(compensated_sum(&words(&floats)).value, exact as f64);
    }

    #[test]
    fn the_bound_grows_with_the_chain_and_is_the_smaller_of_both() {
        let total = Total { value: 5.0, magnitude: 1.0 };
        let bound = |additions| total.within(additions).error_bound;
        assert!((bound(1) / UNIT_ROUNDOFF - 1.0).abs() < 1e-6);
        assert!((bound(10) / (10.0 * UNIT_ROUNDOFF) - 1.0).abs() < 1e-5);
        // Beyond 64 additions eight standard deviations are less than the worst case.
        assert!((bound(10_000) / (800.0 * UNIT_ROUNDOFF) - 1.0).abs() < 1e-3);
        assert!(bound(1 << 30) < 0.02, "a chain of 2^30 has a bound that can fail");
    }

    #[test]
    fn a_sum_in_one_chain_of_32_bits_is_within_its_bound_and_a_lost_element_is_not() {
        let floats: Vec<f32> = (0..100_000_u32).map(|index| ((index * 7919) % 1009) as f32 / 1009.0).collect();
        let chain: f32 = floats.iter().sum();
        let sum = compensated_sum(&words(&floats)).within(floats.len() as u64);
        assert!(sum.accepts(chain.to_bits()), "{chain} is not near {sum:?}");
        assert!(!sum.accepts((chain - 20.0).to_bits()), "{sum:?}");
    }
}
