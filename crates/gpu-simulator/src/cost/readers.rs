//! How many blocks read the same lines of memory: what one brings into L2, others find there.

use std::collections::HashMap;

use crate::hardware::coalescing::{GlobalAccess, LINE_BYTES};

/// One in so many lines is watched, picked by a hash.
const WATCHED: u64 = 16;

/// Readers of watched lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineReaders {
    block: u64,
    /// The block that read each line last.
    last_reader: HashMap<u64, u64>,
    /// Times that a line was read by a block which had not read it before, or not last.
    reads: u64,
}

impl LineReaders {
    /// What follows is of this block.
    pub(crate) fn block_begins(&mut self, number: u64) {
        self.block = number;
    }

    /// The block loads this.
    pub(crate) fn add(&mut self, access: &GlobalAccess) {
        let mut last = u64::MAX;
        for transaction in access.transactions.iter() {
            let line = transaction.address / u64::from(LINE_BYTES);
            if line == last || !mixed(line).is_multiple_of(WATCHED) {
                continue;
            }
            last = line;
            if self.last_reader.insert(line, self.block) != Some(self.block) {
                self.reads += 1;
            }
        }
    }

    /// Adds what others saw, of other blocks.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.reads += other.reads;
        self.last_reader.extend(&other.last_reader);
    }

    /// Blocks that read a line, in the mean over the lines that are read; 1 where nothing is.
    pub(crate) fn readers_of_a_line(&self) -> f64 {
        match self.last_reader.len() {
            0 => 1.0,
            lines => (self.reads as f64 / lines as f64).max(1.0),
        }
    }
}

fn mixed(number: u64) -> u64 {
    let product = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Coalescing;
    use crate::hardware::coalescing::coalesce;
    use crate::hardware::lanes::ALL_LANES;

    fn read(readers: &mut LineReaders, block: u64, first: u64) {
        readers.block_begins(block);
        let mut access = GlobalAccess::new();
        coalesce(Coalescing::Sectors, &std::array::from_fn(|lane| first + 4 * lane as u64), ALL_LANES, 4, &mut access);
        readers.add(&access);
    }

    #[test]
    fn every_block_that_reads_a_line_counts_once() {
        let [mut apart, mut together, mut others] = [(); 3].map(|()| LineReaders::default());
        for line in 0..1000 {
            for turn in 0..3 {
                read(&mut apart, line, line * 128);
                read(&mut together, 10 * line + turn, line * 128);
                read(&mut others, 100_000 + turn, line * 128);
            }
        }
        assert!((apart.readers_of_a_line() - 1.0).abs() < 1e-9);
        assert!((together.readers_of_a_line() - 3.0).abs() < 1e-9);
        together.merge(&others);
        assert!((together.readers_of_a_line() - 6.0).abs() < 1e-9);
        assert!((LineReaders::default().readers_of_a_line() - 1.0).abs() < 1e-9);
    }
}
