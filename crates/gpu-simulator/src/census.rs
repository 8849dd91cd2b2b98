//! What a launch asks of a GPU: instructions, passes, barriers, bytes, atomics.
//!
//! Outputs do not matter here, so that blocks which do as others do need not all be executed.

use std::collections::{HashMap, HashSet};

use crate::class::Class;
use crate::counters::Counters;
use crate::execute::{AccessKind, Observer};
use crate::hardware::lanes::{Longs, Mask, Words, lanes_of};
use crate::program::Program;

/// What a launch asks of a device, all its blocks together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LaunchCensus {
    /// The kernel.
    pub kernel: String,
    /// Blocks of the grid.
    pub blocks: f64,
    /// How many of them were executed: where not all, the others are taken to do the same.
    pub blocks_counted: u64,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Blocks that a multiprocessor holds at once.
    pub resident_blocks: u32,
    /// About how many machine instructions warps issue.
    pub instructions: f64,
    /// Those of them that are multiplications, multiply-adds and divisions of integers.
    pub multiplies: f64,
    /// Branches after which the lanes of a warp were on different ways.
    pub divergent_branches: f64,
    /// Passes of shared memory.
    pub shared_passes: f64,
    /// Warps that come to a barrier of their block, each time counted.
    pub barrier_warps: f64,
    /// Bytes of the sectors of global memory that a block reads or writes, each counted once for reading and once for writing.
    pub bytes_touched: f64,
    /// Sectors that a store writes a part of only, beside others of the same line.
    pub partial_stores: f64,
    /// Sectors that a store writes a part of only, and nothing else of their line.
    pub lone_stores: f64,
    /// The most atomics on one address of global memory.
    pub same_address_atomics: f64,
    /// Cycles that a block takes which has a multiprocessor to itself, with cold caches, by the profile's latencies, and without
    /// what its barriers cost.
    pub alone_cycles: f64,
}

impl LaunchCensus {
    /// The same launch with so many times as many blocks; a launch of one block stays as it is.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        if self.blocks > 1.0 { self.times(factor) } else { self }
    }

    fn times(mut self, factor: f64) -> Self {
        for count in [
            &mut self.blocks,
            &mut self.instructions,
            &mut self.multiplies,
            &mut self.divergent_branches,
            &mut self.shared_passes,
            &mut self.barrier_warps,
            &mut self.bytes_touched,
            &mut self.partial_stores,
            &mut self.lone_stores,
            &mut self.same_address_atomics,
        ] {
            *count *= factor;
        }
        self
    }

    /// Whether counts are of a part of the blocks.
    pub fn is_scaled(&self) -> bool {
        (self.blocks_counted as f64) < self.blocks
    }

    pub(crate) fn of(
        program: &Program,
        threads_per_block: u32,
        watched: &[Watched],
        (blocks, executed): (u64, u64),
        resident_blocks: u32,
        alone_cycles: f64,
    ) -> Self {
        let mut sums = Self::default();
        let mut addresses: HashMap<u64, u64> = HashMap::new();
        for Watched { counters, read, written, partial_stores, lone_stores, .. } in watched {
            let instructions = counters.instructions(program);
            sums.instructions += instructions.warps as f64;
            sums.multiplies += instructions.by_class[Class::Multiply as usize] as f64;
            sums.divergent_branches += instructions.divergent_branches as f64;
            sums.shared_passes += counters.shared.iter().map(|kind| kind.parts).sum::<u64>() as f64;
            sums.barrier_warps += counters.block_barriers as f64 * f64::from(threads_per_block.div_ceil(32));
            sums.bytes_touched += ((read.len() + written.len()) as u64 * SECTOR_BYTES) as f64;
            sums.partial_stores += *partial_stores as f64;
            sums.lone_stores += *lone_stores as f64;
            for (address, count) in counters.meetings().atomics_by_address() {
                *addresses.entry(*address).or_default() += count;
            }
        }
        sums.same_address_atomics = addresses.values().copied().max().unwrap_or(0) as f64;
        sums.blocks = executed as f64;
        let factor = blocks as f64 / executed.max(1) as f64;
        Self {
            kernel: program.name.clone(),
            blocks_counted: executed,
            threads_per_block,
            resident_blocks,
            alone_cycles,
            ..sums.times(factor)
        }
    }
}

/// Bytes of a sector, the least that moves between the caches and memory of today's GPUs.
const SECTOR_BYTES: u64 = 32;
/// Sectors of a line.
const LINE_SECTORS: u64 = 4;

/// Counters, and the sectors that were touched.
pub(crate) struct Watched {
    counters: Counters,
    read: HashSet<u64>,
    written: HashSet<u64>,
    partial_stores: u64,
    lone_stores: u64,
    /// Sectors of one access with how many of their bytes it asks for.
    sectors: Vec<(u64, u32)>,
}

impl Watched {
    pub(crate) fn new(counters: Counters) -> Self {
        Self {
            counters,
            read: HashSet::new(),
            written: HashSet::new(),
            partial_stores: 0,
            lone_stores: 0,
            sectors: Vec::new(),
        }
    }

    /// Notes the sectors of an access.
    fn touch(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        self.sectors.clear();
        for lane in lanes_of(mask) {
            let (first, end) = (addresses[lane], addresses[lane] + u64::from(bytes));
            for sector in first / SECTOR_BYTES..end.div_ceil(SECTOR_BYTES) {
                let own = end.min((sector + 1) * SECTOR_BYTES) - first.max(sector * SECTOR_BYTES);
                match self.sectors.iter_mut().find(|(known, _)| *known == sector) {
                    Some((_, covered)) => *covered += own as u32,
                    None => self.sectors.push((sector, own as u32)),
                }
            }
        }
        for (sector, covered) in &self.sectors {
            match kind {
                AccessKind::Load => {
                    self.read.insert(*sector);
                }
                AccessKind::Store => {
                    self.written.insert(*sector);
                    let line = sector / LINE_SECTORS;
                    let of_line = self.sectors.iter().filter(|(other, _)| other / LINE_SECTORS == line).count();
                    match (u64::from(*covered) < SECTOR_BYTES, of_line) {
                        (true, 1) => self.lone_stores += 1,
                        (true, _) => self.partial_stores += 1,
                        (false, _) => {}
                    }
                }
                // Atomics are done in L2.
                AccessKind::Atomic | AccessKind::FloatAtomic => {}
            }
        }
    }
}

impl Observer for Watched {
    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask) {
        self.counters.instruction(pc, active, executed);
    }

    fn divergence(&mut self, pc: u32) {
        self.counters.divergence(pc);
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        self.counters.global(kind, addresses, mask, bytes);
        self.touch(kind, addresses, mask, bytes);
    }

    fn copied(&mut self, (addresses, reading): (&Longs, Mask), to: (&Words, Mask), bytes: u32) {
        self.global(AccessKind::Load, addresses, reading, bytes);
        self.counters.copied_to_shared((addresses, reading), to, bytes);
    }

    fn bulk_copied(&mut self, (far, addresses): (AccessKind, &Longs), near: (AccessKind, &Words), mask: Mask) {
        self.counters.bulk_copied((far, addresses), near, mask);
        self.touch(far, addresses, mask, 4);
    }

    fn barrier_accessed(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.counters.barrier_accessed(kind, offsets, mask, bytes);
    }

    fn remote(&mut self, rank: u32) {
        self.counters.remote(rank);
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.counters.shared(kind, offsets, mask, bytes);
    }

    fn local(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.counters.local(kind, offsets, mask, bytes);
    }

    fn barrier_passed(&mut self, warps: u32) {
        self.counters.barrier_passed(warps);
    }

    fn cluster_barriers_passed(&mut self, blocks: u32) {
        self.counters.cluster_barriers_passed(blocks);
    }
}
