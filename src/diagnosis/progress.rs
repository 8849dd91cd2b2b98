//! How far a diagnosis is, for who waits for it.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Simulations of a variant that are reckoned with before it is known how many there are.
const EXPECTED: usize = 10;

/// How far the diagnosis of several variants is.
#[derive(Debug, Default)]
pub struct Progress {
    variants: usize,
    variants_done: AtomicUsize,
    /// Simulations of the present variant that are done, and all of them.
    done: AtomicUsize,
    all: AtomicUsize,
}

impl Progress {
    /// Of so many variants, none of which is begun.
    pub fn new(variants: usize) -> Self {
        Self { variants, all: AtomicUsize::new(EXPECTED), ..Self::default() }
    }

    /// That a variant is done.
    pub fn variant_done(&self) {
        self.variants_done.fetch_add(1, Relaxed);
        self.done.store(0, Relaxed);
        self.all.store(EXPECTED, Relaxed);
    }

    /// That further simulations of the variant are done.
    pub(super) fn add_done(&self, count: usize) {
        self.done.fetch_add(count, Relaxed);
    }

    /// That so many simulations of the variant are to come.
    pub(super) fn set_left(&self, count: usize) {
        self.all.store(self.done.load(Relaxed) + count, Relaxed);
    }

    /// The part that is done, from 0 to 1.
    pub fn part(&self) -> f64 {
        let load = |own: &AtomicUsize| own.load(Relaxed) as f64;
        let of_variant = (load(&self.done) / load(&self.all).max(1.0)).min(1.0);
        (load(&self.variants_done) + of_variant) / (self.variants.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_count_the_same_and_their_simulations_within_them() {
        let progress = Progress::new(2);
        let is =
            |expected: f64| assert!((progress.part() - expected).abs() < 1e-9, "{} is no {expected}", progress.part());
        is(0.0);
        progress.add_done(2);
        is(0.1);
        progress.set_left(2);
        is(0.25);
        progress.add_done(1);
        is(0.375);
        progress.variant_done();
        is(0.5);
        progress.add_done(20);
        is(1.0);
    }
}
