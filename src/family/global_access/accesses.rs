//! In which order the variants read and write: the word that each thread takes and where it puts it, as
//! `cuda/global_access.cu` has it.

use super::{Parameters, Variant};
use gpu_simulator::hardware::lanes::LANES;

/// Rows and columns of a tile, which is a block of the matrix copies.
pub(super) const TILE: u64 = 16;

/// Bytes of the matrix's elements, which are the words of the matrix copies.
pub(super) const ELEMENT_BYTES: u64 = 4;

/// Who reads and writes what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// A matrix of `width` by `width` elements, tile by tile, along the rows or exchanged: along the columns.
    Tiles { width: u64, read_exchanged: bool, write_exchanged: bool },
    /// Word after word.
    Straight,
    /// Even and odd threads take each other's word.
    Crossed,
    /// Reads begin this many words further on.
    Offset(u64),
    /// Reads every so many words.
    Strided(u64),
    /// Reads in an order that looks random.
    Permuted,
    /// As the driver copies, which is taken to be straight.
    Driver,
}

/// A copy: its words, and in which order they are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accesses {
    pub(super) order: Order,
    /// Words that are copied.
    pub(super) words: u64,
    pub(super) word_bytes: u64,
    /// Threads of a block.
    pub(super) block: u64,
}

/// What one thread does: the word that it reads and the one that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Thread {
    pub(super) read: u64,
    pub(super) written: u64,
}

impl Accesses {
    /// What the variant copies with these parameters.
    pub(super) fn new(variant: Variant, parameters: &Parameters) -> Self {
        let Parameters { width, word_bytes, stride, offset, block } = *parameters;
        let tiles = |read_exchanged, write_exchanged| Order::Tiles { width, read_exchanged, write_exchanged };
        let order = match variant {
            Variant::ReadCoalescedWriteCoalesced => tiles(false, false),
            Variant::ReadUncoalescedWriteCoalesced => tiles(true, false),
            Variant::ReadCoalescedWriteUncoalesced => tiles(false, true),
            Variant::ReadUncoalescedWriteUncoalesced => tiles(true, true),
            Variant::Straight => Order::Straight,
            Variant::Crossed => Order::Crossed,
            Variant::Offset => Order::Offset(offset),
            Variant::Strided => Order::Strided(stride.max(1)),
            Variant::Permuted => Order::Permuted,
            Variant::DriverCopy => Order::Driver,
        };
        let (word_bytes, block) = match order {
            Order::Tiles { .. } => (ELEMENT_BYTES, TILE * TILE),
            Order::Driver => (ELEMENT_BYTES, LANES as u64),
            Order::Straight | Order::Crossed | Order::Offset(_) | Order::Strided(_) | Order::Permuted => {
                (word_bytes, block)
            }
        };
        Self { order, words: words(width, word_bytes), word_bytes, block }
    }

    /// Words that the input has: those that are copied, and those before them that are not.
    pub(super) fn input_words(&self) -> u64 {
        match self.order {
            Order::Offset(offset) => self.words + offset,
            _ => self.words,
        }
    }

    /// Blocks in x and y.
    pub(super) fn grid(&self) -> [u64; 2] {
        match self.order {
            Order::Tiles { width, .. } => [width.div_ceil(TILE); 2],
            Order::Strided(stride) => [self.words.div_ceil(stride).div_ceil(self.block), stride.min(self.words)],
            _ => [self.words.div_ceil(self.block), 1],
        }
    }

    /// Threads of the grid.
    pub(super) fn threads(&self) -> u64 {
        self.grid().iter().product::<u64>() * self.block
    }

    /// What a thread does, by its number in the grid, block after block; `None` of one that has no word.
    pub(super) fn thread(&self, thread: u64) -> Option<Thread> {
        let (block, lane) = (thread / self.block, thread % self.block);
        let [blocks_x, _] = self.grid();
        let row = block / blocks_x;
        let i = block % blocks_x * self.block + lane;
        let within = i < self.words;
        match self.order {
            Order::Tiles { width, read_exchanged, write_exchanged } => {
                let tile = (row * TILE, block % blocks_x * TILE);
                tile_thread(width, tile, (lane / TILE, lane % TILE), [read_exchanged, write_exchanged])
            }
            Order::Straight | Order::Driver => within.then_some(Thread { read: i, written: i }),
            Order::Crossed => {
                let neighbour = if i ^ 1 < self.words { i ^ 1 } else { i };
                within.then_some(Thread { read: neighbour, written: neighbour })
            }
            Order::Offset(offset) => within.then_some(Thread { read: i + offset, written: i }),
            Order::Strided(stride) => {
                let Rows { row_words, full } = Rows::new(self.words, stride);
                let length = if row < full { row_words } else { row_words - 1 };
                let written = row * (row_words - 1) + row.min(full) + i;
                (i < length).then_some(Thread { read: i * stride + row, written })
            }
            Order::Permuted => {
                within.then(|| Thread { read: Bijection::new(self.words).of(i as u32).into(), written: i })
            }
        }
    }
}

/// Words of `word_bytes` that hold a square matrix of elements; where the last is not full, it is copied all the same.
pub(super) fn words(width: u64, word_bytes: u64) -> u64 {
    (width * width * ELEMENT_BYTES).div_ceil(word_bytes.max(1))
}

/// What a thread of a tile does: its own element, or the one across the tile's diagonal if that is inside.
fn tile_thread(width: u64, tile: (u64, u64), own: (u64, u64), exchanged: [bool; 2]) -> Option<Thread> {
    let element = |(row, column): (u64, u64)| {
        let (row, column) = (tile.0 + row, tile.1 + column);
        (row < width && column < width).then_some(row * width + column)
    };
    let straight = element(own)?;
    let [read, written] =
        exchanged.map(|exchanged| if exchanged { element((own.1, own.0)).unwrap_or(straight) } else { straight });
    Some(Thread { read, written })
}

/// How strided reads are dealt out: row *k* reads words *k*, *k* + stride, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rows {
    /// Words of the first rows.
    pub(super) row_words: u64,
    /// How many rows those are. The others have one word less.
    pub(super) full: u64,
}

impl Rows {
    pub(super) fn new(words: u64, stride: u64) -> Self {
        let row_words = words.div_ceil(stride);
        Self { row_words, full: words - row_words.saturating_sub(1) * stride }
    }
}

/// A bijection of the numbers below `words`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bijection {
    words: u32,
    /// The bits that numbers have.
    pub(super) mask: u32,
    /// Half as many.
    pub(super) shift: u32,
}

impl Bijection {
    pub(super) fn new(words: u64) -> Self {
        let words = words as u32;
        let mask = words.next_power_of_two() - 1;
        Self { words, mask, shift: mask.count_ones().div_ceil(2).max(1) }
    }

    /// Where it takes `number`.
    pub(super) fn of(self, number: u32) -> u32 {
        let mut mixed = number;
        loop {
            for (factor, term) in [(0x9e37_79b1_u32, 0x7f4a_7c15_u32), (0x85eb_ca6b, 0), (0xc2b2_ae35, 0)] {
                mixed = mixed.wrapping_mul(factor).wrapping_add(term) & self.mask;
                mixed ^= mixed >> self.shift;
            }
            if mixed < self.words {
                return mixed;
            }
        }
    }
}
