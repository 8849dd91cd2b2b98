//! A set of at most as many keys as a warp has lanes, on the stack.

use crate::hardware::lanes::LANES;

/// Twice the keys, so that probing stays short.
const SLOTS: usize = 2 * LANES;

/// Different keys in the order in which they came, with open addressing.
pub(crate) struct Distinct {
    /// Number of the key in a slot plus one; 0 if the slot is free.
    slots: [u8; SLOTS],
    keys: [u64; LANES],
    length: usize,
}

impl Distinct {
    /// The empty set.
    pub(crate) fn new() -> Self {
        Self { slots: [0; SLOTS], keys: [0; LANES], length: 0 }
    }

    /// The number of `key` among the different keys so far, and whether it is new. For at most [`LANES`] calls.
    #[inline]
    pub(crate) fn insert(&mut self, key: u64) -> (usize, bool) {
        // Fibonacci hashing: neighbours and powers of two alike are spread over the slots.
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        loop {
            match self.slots[slot] {
                0 => {
                    let number = self.length;
                    self.keys[number] = key;
                    self.length += 1;
                    self.slots[slot] = self.length as u8;
                    return (number, true);
                }
                taken => {
                    let number = usize::from(taken - 1);
                    if self.keys[number] == key {
                        return (number, false);
                    }
                }
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The keys in the order in which they came.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys[..self.length]
    }
}
