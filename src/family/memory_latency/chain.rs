//! The chain: places that hold where the next one is, all of them one cycle, and where a number of loads leads to.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Order;
use crate::family::shared::shared;
use crate::workload::Words;

/// The places of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Places {
    /// Bytes that are left out before the set.
    pub(super) skipped: u64,
    /// Bytes of the set.
    pub(super) set_bytes: u64,
    /// Bytes from one place to the next.
    pub(super) stride_bytes: u64,
}

impl Places {
    /// How many there are.
    pub(super) fn count(self) -> u64 {
        self.set_bytes / self.stride_bytes
    }

    /// The words of the buffer: what is left out, then the set. The first word of each place is where in the buffer the next one is, in bytes; all
    /// others are 0.
    pub(super) fn words(self, order: Order, seed: u64) -> Words {
        let words = ((self.skipped + self.set_bytes) / 4) as usize;
        let is_random = order == Order::Random;
        let seed = if is_random { seed } else { 0 };
        let numbers = [self.skipped, self.set_bytes, self.stride_bytes, u64::from(is_random), seed];
        shared("chain", &numbers, words, || {
            let mut set = vec![0; words];
            let next = if is_random { random_cycle(self.count(), seed) } else { sequential_cycle(self.count()) };
            let [offset, stride] = [self.skipped as u32, self.stride_bytes as u32];
            for (place, next) in next.into_iter().enumerate() {
                set[(offset as usize + place * stride as usize) / 4] = offset + next * stride;
            }
            set
        })
    }

    /// How far from the first place a number of loads leads, in bytes.
    pub(super) fn follow(self, words: &[u32], loads: u32) -> u32 {
        let first = self.skipped as u32;
        (0..loads).fold(first, |place, _| words[place as usize / 4]) - first
    }
}

/// The place behind each, as they lie.
fn sequential_cycle(count: u64) -> Vec<u32> {
    (0..count as u32).map(|place| if u64::from(place) + 1 < count { place + 1 } else { 0 }).collect()
}

/// The place behind each: a permutation drawn from all those that are one cycle (Sattolo, An algorithm to generate a random
/// cyclic permutation, Information Processing Letters 22, 1986).
fn random_cycle(count: u64, seed: u64) -> Vec<u32> {
    let mut next: Vec<u32> = (0..count as u32).collect();
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    for last in (1..next.len()).rev() {
        // Of the numbers below `last`, of which there are far fewer than 2^32: nearly as often each.
        let other = (u64::from(generator.next_u32()) * last as u64) >> 32;
        next.swap(last, other as usize);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many loads it takes to come back to the first place.
    fn length_of_cycle(set: &[u32]) -> u64 {
        let mut offset = set[0];
        let mut loads = 1;
        while offset != 0 {
            offset = set[offset as usize / 4];
            loads += 1;
        }
        loads
    }

    #[test]
    fn every_chain_goes_through_all_places_before_it_comes_back() {
        for order in [Order::Random, Order::Sequential] {
            for (set_bytes, stride_bytes) in
                [(4, 4), (8, 4), (12, 4), (100, 12), (4096, 128), (400_000, 4), (8192, 4096)]
            {
                let places = Places { skipped: 0, set_bytes, stride_bytes };
                let set = places.words(order, 7);
                assert_eq!(set.len() as u64, set_bytes / 4);
                assert_eq!(length_of_cycle(&set), places.count(), "{order:?} {places:?}");
                let elsewhere =
                    set.iter().enumerate().filter(|(word, _)| !(*word as u64 * 4).is_multiple_of(stride_bytes));
                assert!(elsewhere.into_iter().all(|(_, &offset)| offset == 0), "{order:?} {places:?}");
            }
        }
    }

    #[test]
    fn a_sequential_chain_goes_as_places_lie_and_a_random_one_follows_the_seed() {
        let places = Places { skipped: 0, set_bytes: 400, stride_bytes: 100 };
        let set = places.words(Order::Sequential, 1);
        assert_eq!([0, 25, 50, 75].map(|word: usize| set[word]), [100, 200, 300, 0]);
        let places = Places { skipped: 0, set_bytes: 40_000, stride_bytes: 4 };
        let random = |seed| places.words(Order::Random, seed);
        assert_eq!(random(1), random(1));
        assert_ne!(random(1), random(2));
        // Of a chain at random hardly any place leads to its neighbour.
        let neighbours = random(1).windows(2).filter(|pair| pair[0].abs_diff(pair[1]) == 4).count();
        assert!(neighbours < 20, "{neighbours}");
    }

    #[test]
    fn loads_lead_along_the_chain_and_round_it() {
        for skipped in [0, 12] {
            let places = Places { skipped, set_bytes: 40, stride_bytes: 8 };
            let words = places.words(Order::Sequential, 1);
            assert_eq!(words.len() as u64, (skipped + 40) / 4);
            assert_eq!([0, 1, 4, 5, 12].map(|loads| places.follow(&words, loads)), [0, 8, 32, 0, 16]);
        }
    }
}
