//! Loads of a lane that are made as one of 16 bytes.

use std::collections::HashMap;

use crate::hardware::lanes::{Longs, Mask};

/// Bytes that a lane loads at once at most.
const WIDEST_BYTES: u32 = 16;

/// A warp at an instruction: the block, how far its memory is moved, the warp, and the instruction.
type At = (u64, u64, u32, u32);

/// Loads that wait for others to be made with them.
#[derive(Debug, Default)]
pub(crate) struct Widened {
    waiting: HashMap<At, Vec<(Longs, Mask)>>,
}

impl Widened {
    /// A warp loads: what is loaded now, which is nothing until 16 bytes of a lane have come together.
    pub(crate) fn load(&mut self, at: At, addresses: &Longs, mask: Mask, bytes: u32) -> Vec<(Longs, Mask)> {
        let waiting = self.waiting.entry(at).or_default();
        waiting.push((*addresses, mask));
        if (waiting.len() as u32) * bytes < WIDEST_BYTES { Vec::new() } else { std::mem::take(waiting) }
    }
}

#[cfg(test)]
mod tests {
    use super::Widened;

    #[test]
    fn four_words_of_a_warp_are_loaded_at_once() {
        let mut widened = Widened::default();
        let mut loaded = |warp, address| {
            let together = widened.load((0, 0, warp, 7), &[address; 32], 1, 4);
            together.into_iter().map(|(addresses, _)| addresses[0]).collect::<Vec<u64>>()
        };
        for address in [1, 2, 3] {
            assert!(loaded(0, address).is_empty() && loaded(1, 10 * address).is_empty());
        }
        assert_eq!(loaded(0, 4), [1, 2, 3, 4]);
        assert!(loaded(0, 5).is_empty());
        assert_eq!(loaded(1, 40), [10, 20, 30, 40]);
    }
}
