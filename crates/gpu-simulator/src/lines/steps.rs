//! How far a warp goes on from an access to its next one of the same line. A loop that is unrolled has several instructions of a line.

use std::collections::HashMap;

use super::tally::Strides;
use crate::program::Program;

/// The steps of all lines.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    /// The place in `of` of each instruction's line.
    places: Vec<usize>,
    of: Vec<OfLine>,
}

#[derive(Debug, Clone, Default)]
struct OfLine {
    requests: u64,
    steps: Strides,
    /// Where each warp of each block that runs accessed last: warps take turns, and blocks that may tell each other something do.
    last: HashMap<u64, Vec<Option<i64>>>,
}

impl Steps {
    pub(super) fn new(program: &Program) -> Self {
        Self::of_lines(program.code.iter().map(|instruction| instruction.line))
    }

    fn of_lines(lines: impl Iterator<Item = u32>) -> Self {
        let mut known: HashMap<u32, usize> = HashMap::new();
        let mut place = |line| {
            let next = known.len();
            *known.entry(line).or_insert(next)
        };
        let places: Vec<usize> = lines.map(&mut place).collect();
        Self { places, of: vec![OfLine::default(); known.len()] }
    }

    /// Notes where the first lane of an access is.
    pub(super) fn access(&mut self, pc: usize, address: u64, (block, warp): (u64, u32)) {
        let own = &mut self.of[self.places[pc]];
        own.requests += 1;
        let (address, warp) = (address.cast_signed(), warp as usize);
        let of_block = own.last.entry(block).or_default();
        if warp >= of_block.len() {
            of_block.resize(warp + 1, None);
        }
        if let Some(last) = of_block[warp].replace(address) {
            own.steps.add(address.wrapping_sub(last), 1);
        }
    }

    /// Forgets where the warps of a block have accessed.
    pub(super) fn block_ends(&mut self, block: u64) {
        self.of.iter_mut().for_each(|own| drop(own.last.remove(&block)));
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (own, other) in self.of.iter_mut().zip(&other.of) {
            own.requests += other.requests;
            own.steps.merge(other.steps);
        }
    }

    /// The step in bytes that most accesses have of the line of an instruction; `None` where there is none.
    pub(super) fn of_most(&self, pc: usize) -> Option<i64> {
        let own = &self.of[self.places[pc]];
        own.steps.of_most(own.requests)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WARPS: u32 = 8;

    /// The step of warps that take turns, each with rows of so many words, where `unrolled` instructions of a line access one each in turn.
    fn step(words: u64, unrolled: u64, blocks: u64) -> Option<i64> {
        let mut steps = Steps::of_lines((0..unrolled).map(|_| 7));
        for block in 0..blocks {
            for turn in 0..words {
                for warp in 0..WARPS {
                    let rows_before = (u64::from(WARPS) * block + u64::from(warp)) * 32;
                    steps.access((turn % unrolled) as usize, 4 * (rows_before * words + turn), (block, warp));
                }
            }
        }
        steps.of_most(0)
    }

    #[test]
    fn a_step_is_of_one_warp_and_not_to_the_next_one() {
        assert_eq!(step(32, 1, 1), Some(4));
        assert_eq!(step(3, 1, 4), Some(4));
        assert_eq!(step(32, 4, 4), Some(4));
        assert_eq!(step(2, 2, 4), Some(4));
        // No warp accesses anything twice.
        assert_eq!(step(1, 1, 4), None);
    }

    #[test]
    fn blocks_that_take_turns_have_steps_of_their_own() {
        let mut steps = Steps::of_lines([7].into_iter());
        for turn in 0..4 {
            (0..8).for_each(|block| steps.access(0, 4096 * turn + 128 * block, (block, 0)));
        }
        assert_eq!(steps.of_most(0), Some(4096));
        steps.block_ends(0);
        steps.access(0, 1 << 20, (0, 0));
        assert_eq!(steps.of[0].last[&0], [Some(1 << 20)]);
    }

    #[test]
    fn lines_have_steps_of_their_own() {
        let mut steps = Steps::of_lines([3, 4, 3].into_iter());
        for turn in 0..8 {
            steps.access(0, 8 * turn, (0, 0));
            steps.access(1, 1000 + 128 * turn, (0, 0));
        }
        assert_eq!([0, 1, 2].map(|pc| steps.of_most(pc)), [Some(8), Some(128), Some(8)]);
    }
}
