//! Atomics on the same address wait for each other.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::hardware::lanes::{LANES, Mask, lanes_of};

/// Addresses kept at least before those that nobody waits for are forgotten.
const FEWEST_KEPT: usize = 4096;

/// A queue for each address of one memory: an atomic is begun only when the one before it has kept the address for its interval.
///
/// Only the atomics of one multiprocessor are here. Those of the others are for whoever knows how many there are.
#[derive(Debug, Clone)]
pub(crate) struct AtomicQueue {
    /// Cycle at which the next atomic on an address may begin.
    free_cycles: HashMap<u64, f64, BuildHasherDefault<AddressHasher>>,
    kept: usize,
}

impl AtomicQueue {
    /// Queues without anybody.
    pub(crate) fn new() -> Self {
        Self { free_cycles: HashMap::default(), kept: FEWEST_KEPT }
    }

    /// Queues an atomic of each active lane, the lowest first, which keeps its address for `interval_cycles`, and gives the cycle at
    /// which the last of them begins: `now` if nobody was before them and no two have the same address. `now` never goes back from call to call.
    pub(crate) fn atomic<A: Copy + Into<u64>>(
        &mut self,
        now: f64,
        interval_cycles: f64,
        addresses: &[A; LANES],
        mask: Mask,
    ) -> f64 {
        if self.free_cycles.len() > self.kept {
            self.free_cycles.retain(|_, free| *free > now);
            self.kept = FEWEST_KEPT.max(2 * self.free_cycles.len());
        }
        let mut last = now;
        for lane in lanes_of(mask) {
            let free = self.free_cycles.entry(addresses[lane].into()).or_insert(now);
            let begin = free.max(now);
            *free = begin + interval_cycles;
            last = last.max(begin);
        }
        last
    }
}

/// Fibonacci hashing of an address.
#[derive(Debug, Clone, Copy, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::lanes::ALL_LANES;

    #[test]
    fn atomics_on_different_addresses_do_not_wait() {
        let mut queue = AtomicQueue::new();
        let addresses: [u64; LANES] = std::array::from_fn(|lane| lane as u64 * 4);
        assert_eq!(queue.atomic(100.0, 3.5, &addresses, ALL_LANES).to_bits(), 100.0_f64.to_bits());
        // The next come before the interval is over.
        assert_eq!(queue.atomic(101.0, 3.5, &addresses, ALL_LANES).to_bits(), 103.5_f64.to_bits());
        assert_eq!(queue.atomic(102.0, 3.5, &addresses, ALL_LANES).to_bits(), 107.0_f64.to_bits());
    }

    #[test]
    fn atomics_on_one_address_are_an_interval_apart() {
        let mut queue = AtomicQueue::new();
        for warp in 0..1000 {
            let begin = queue.atomic(0.0, 3.5, &[64_u32; LANES], ALL_LANES);
            assert!((begin - 3.5 * f64::from(32 * warp + 31)).abs() < 1e-6);
        }
    }

    #[test]
    fn inactive_lanes_queue_nowhere() {
        let mut queue = AtomicQueue::new();
        assert_eq!(queue.atomic(5.0, 10.0, &[0_u64; LANES], 0).to_bits(), 5.0_f64.to_bits());
        assert_eq!(queue.atomic(5.0, 10.0, &[0_u64; LANES], 1 << 7).to_bits(), 5.0_f64.to_bits());
        assert_eq!(queue.atomic(5.0, 10.0, &[0_u64; LANES], 0b11).to_bits(), 25.0_f64.to_bits());
    }

    #[test]
    fn an_address_that_many_others_follow_still_has_its_queue() {
        let mut queue = AtomicQueue::new();
        queue.atomic(0.0, 1e6, &[8_u64; LANES], 1);
        for warp in 1..1000_u64 {
            let addresses: [u64; LANES] = std::array::from_fn(|lane| 1024 + (warp * 32 + lane as u64) * 4);
            queue.atomic(warp as f64, 1e6, &addresses, ALL_LANES);
        }
        assert_eq!(queue.atomic(1000.0, 1e6, &[8_u64; LANES], 1).to_bits(), 1e6_f64.to_bits());
        // Addresses that nobody waits for any more are forgotten.
        for warp in 1..2000_u64 {
            let addresses: [u64; LANES] = std::array::from_fn(|lane| (warp * 32 + lane as u64) * 128);
            let now = warp as f64 * 1e9;
            assert_eq!(queue.atomic(now, 1e6, &addresses, ALL_LANES).to_bits(), now.to_bits());
        }
        assert!(queue.free_cycles.len() <= FEWEST_KEPT + LANES);
    }
}
