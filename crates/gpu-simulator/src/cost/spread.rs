//! Latencies that differ from access to access. A load waits for the last of what it asks for, so the more pieces of memory it asks
//! for, the longer it waits, though each piece takes as long in the mean.

use super::hash::mixed;

/// Steps of the distribution.
const STEPS: usize = 256;

/// Draws that depend on nothing but what is accessed, so that a run is the same every time.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    /// Quantiles of the exponential distribution, whose mean is 1.
    exponential: Box<[f64]>,
}

impl Spread {
    /// More than any draw.
    pub(super) const LONGEST: f64 = 8.0;

    pub(super) fn new() -> Self {
        let raw = |step: usize| -(1.0 - (step as f64 + 0.5) / STEPS as f64).ln();
        let mean = (0..STEPS).map(raw).sum::<f64>() / STEPS as f64;
        Self { exponential: (0..STEPS).map(|step| raw(step) / mean).collect() }
    }

    /// How many times the mean a piece of memory keeps its access waiting.
    pub(super) fn exponential(&self, piece: u64) -> f64 {
        self.exponential[(mixed(piece) >> 1) as usize % STEPS]
    }

    /// A draw from both sides of 0, where a distance d comes e^d times as rarely as none.
    pub(super) fn two_sided(&self, number: u64) -> f64 {
        self.exponential(number) - self.exponential(!number)
    }

    /// Whether a piece of memory is in the half that is further away: 1 if so, -1 if not.
    pub(super) fn half(piece: u64) -> f64 {
        if mixed(piece) & 1 == 1 { 1.0 } else { -1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_several_waits_grows_as_of_an_exponential_distribution() {
        // The mean of the largest of n is the harmonic number of n (Rényi 1953).
        let spread = Spread::new();
        for (count, expected) in [(1_u64, 1.0), (2, 1.5), (4, 25.0 / 12.0), (8, 2.7179)] {
            let largest = |first: u64| {
                (count * first..count * (first + 1)).map(|piece| spread.exponential(piece)).fold(0.0, f64::max)
            };
            let mean = (0..20_000).map(largest).sum::<f64>() / 20_000.0;
            assert!((mean / expected - 1.0).abs() < 0.02, "{count}: {mean} of {expected}");
        }
    }

    #[test]
    fn half_of_memory_is_in_either_half() {
        let sum: f64 = (0..10_000).map(Spread::half).sum();
        assert!(sum.abs() < 300.0, "{sum}");
    }
}
