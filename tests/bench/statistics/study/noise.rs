//! Times by a law, with noise.

use apbench::model::fit::Observation;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Random numbers of one run of a case.
pub(crate) struct Noise(ChaCha8Rng);

impl Noise {
    /// Those of a seed and a run.
    pub(crate) fn new(seed: u64, run: u64) -> Self {
        let mut own = ChaCha8Rng::seed_from_u64(seed);
        own.set_stream(run);
        Self(own)
    }

    /// Above 0 and below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Of the standard normal distribution (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let (one, other) = (self.uniform(), self.uniform());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    }

    /// Times of a curve at these predictors with relative errors of so much, which are known.
    pub(crate) fn observations(
        &mut self,
        predictors: &[f64],
        error: f64,
        time_us: impl Fn(f64) -> f64,
    ) -> Vec<Observation> {
        let one = |x: &f64| Observation {
            x: *x,
            time_us: time_us(*x) * (1.0 + error * self.normal()),
            error: Some(error),
            is_flagged: false,
        };
        predictors.iter().map(one).collect()
    }
}

/// So many predictors from 1 on.
pub(crate) fn counted(count: usize) -> Vec<f64> {
    (1..=count).map(|x| x as f64).collect()
}
