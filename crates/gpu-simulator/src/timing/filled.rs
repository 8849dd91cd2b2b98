//! Blocks of a multiprocessor that is full, where the grid has too few to fill it: some of them more than once.

/// So many places for blocks, and the blocks of the grid that take them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filled {
    blocks: u64,
    timed: u64,
}

impl Filled {
    /// That of a grid of so many blocks, of which so many are timed.
    pub(super) fn of(blocks: u64, timed: u64) -> Self {
        Self { blocks: blocks.max(1), timed }
    }

    /// Blocks that are timed.
    pub(super) fn timed(self) -> u64 {
        self.timed
    }

    /// Which block has a place: spread over the grid, or in turn where there are more places than blocks.
    pub(super) fn number(self, place: u64) -> u64 {
        if self.timed <= self.blocks { place * self.blocks / self.timed } else { place % self.blocks }
    }
}

/// Bytes between the memory of a block and that which the same block has when it is there again: more than any GPU has.
const APART_BYTES: u64 = 1 << 48;

/// How far what a block accesses is from where it says, for each block of these: blocks that are there more than once stand for others, which
/// find nothing in a cache of what these read.
pub(super) fn apart_bytes(blocks: &[u64]) -> Vec<u64> {
    let mut seen = std::collections::HashMap::new();
    let mut times = |number: &u64| {
        let times = seen.entry(*number).or_insert(0_u64);
        *times += 1;
        (*times - 1) * APART_BYTES
    };
    blocks.iter().map(&mut times).collect()
}

#[cfg(test)]
mod tests {
    use super::{APART_BYTES, Filled, apart_bytes};

    #[test]
    fn places_are_taken_by_all_blocks_in_turn() {
        let numbers =
            |blocks, timed| (0..timed).map(|place| Filled::of(blocks, timed).number(place)).collect::<Vec<_>>();
        assert_eq!(numbers(3, 7), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(numbers(8, 4), [0, 2, 4, 6]);
        assert_eq!(apart_bytes(&numbers(2, 5)), [0, 0, APART_BYTES, APART_BYTES, 2 * APART_BYTES]);
    }
}
