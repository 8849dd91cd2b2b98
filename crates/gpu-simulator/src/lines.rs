//! What each line of a kernel's PTX did in a launch: how often it was executed, by how many lanes, and what its accesses came to beside
//! what they would be at best.

mod constant;
mod counts;
mod idle;
mod sections;
mod steps;
mod tally;
mod wanted;

use std::collections::BTreeMap;

use crate::execute::{AccessKind, Observer};
use crate::hardware::banks::{atomic_passes, passes};
use crate::hardware::coalescing::{GlobalAccess, coalesce, coalesce_atomic, interleaved};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::hardware::{Banks, Coalescing};
use crate::profile::Profile;
use crate::program::{Fence, FenceScope, LoopBranch, Operation, Program, loop_branches};
use crate::what_if;
pub use constant::ConstantLoads;
use constant::ConstantTally;
pub use counts::{Accesses, LineCounts};
pub(crate) use idle::Accessing;
pub use idle::Idle;
pub use sections::BeforeBarrier;
pub(crate) use sections::Sections;
use steps::Steps;
use tally::{IRREGULAR, Tally, WORD_BYTES};
use wanted::Addresses;
pub use wanted::Wanted;

/// What an instruction did.
#[derive(Debug, Clone, Default)]
struct Own {
    warps: u64,
    lanes: u64,
    divergent: u64,
    narrow: u64,
    global: Tally,
    shared: Tally,
    local: Tally,
    fences: u64,
    atomics: u64,
    atomics_met: u64,
    added_up: u64,
    constant: ConstantTally,
    addresses: Addresses,
}

impl Own {
    fn merge(&mut self, other: &Self) {
        self.warps += other.warps;
        self.lanes += other.lanes;
        self.divergent += other.divergent;
        self.narrow += other.narrow;
        self.global.merge(&other.global);
        self.shared.merge(&other.shared);
        self.local.merge(&other.local);
        self.fences += other.fences;
        self.atomics += other.atomics;
        self.atomics_met += other.atomics_met;
        self.added_up += other.added_up;
        self.constant.merge(&other.constant);
        self.addresses.merge(&other.addresses);
    }

    fn add_atomics<A: Copy + Into<u64>>(&mut self, addresses: &[A; LANES], mask: Mask) {
        self.atomics += u64::from(mask.count_ones());
        let mut seen = [0_u64; LANES];
        for (count, lane) in lanes_of(mask).enumerate() {
            let address = addresses[lane].into();
            self.atomics_met += u64::from(seen[..count].contains(&address));
            seen[count] = address;
        }
    }
}

/// Watches what each instruction does.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    coalescing: Coalescing,
    banks: Banks,
    capability: (u32, u32),
    own: Vec<Own>,
    pc: usize,
    /// The block that runs, and the first and the last that ran.
    block: u64,
    blocks: (u64, u64),
    warp: u32,
    steps: Steps,
    /// Lanes of the narrowest way from the branch that is executed.
    narrow: u32,
    access: GlobalAccess,
    accessing: Accessing,
    sections: Sections,
}

impl Lines {
    /// Of a program's instructions, by the rules of a GPU. Nothing is counted yet.
    pub(crate) fn new(program: &Program, profile: &Profile) -> Self {
        Self {
            coalescing: profile.global.coalescing,
            banks: profile.shared.banks,
            capability: profile.compute_capability,
            own: vec![Own::default(); program.code.len()],
            pc: 0,
            block: 0,
            warp: 0,
            steps: Steps::new(program),
            blocks: (u64::MAX, 0),
            narrow: 0,
            access: GlobalAccess::new(),
            accessing: Accessing::new(program),
            sections: Sections::new(program, profile.compute_capability),
        }
    }

    /// Adds what another watched.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.own.iter_mut().zip(&other.own).for_each(|(own, other)| own.merge(other));
        self.accessing.merge(&other.accessing);
        self.sections.merge(&other.sections);
        self.steps.merge(&other.steps);
        self.saw(other.blocks);
    }

    fn saw(&mut self, (first, last): (u64, u64)) {
        self.blocks = (self.blocks.0.min(first), self.blocks.1.max(last));
    }

    /// Threads that did nothing, of `executed` blocks of so many threads each, which stand for `blocks`.
    pub(crate) fn idle(&self, threads_per_block: u32, executed: u64, blocks: u64) -> Idle {
        self.accessing.idle(threads_per_block, executed, blocks)
    }

    /// Adds where whole warps left that did nothing, so many times.
    pub(crate) fn add_idle_to(&self, program: &Program, lines: &mut BTreeMap<u32, LineCounts>, scale: f64) {
        for (pc, left) in self.accessing.left() {
            let line = lines.entry(program.code[*pc as usize].line).or_default();
            line.idle_threads += left.threads as f64 * scale;
            line.idle_blocks += left.blocks as f64 * scale;
        }
    }

    /// Adds what was watched of some blocks to the counts of lines, so many times.
    pub(crate) fn add_to(&self, program: &Program, lines: &mut BTreeMap<u32, LineCounts>, scale: f64) {
        let loop_branches = loop_branches(&program.code);
        for (pc, (instruction, own)) in
            program.code.iter().zip(&self.own).enumerate().filter(|(_, (_, own))| own.warps > 0)
        {
            let line = lines.entry(instruction.line).or_default();
            line.line = instruction.line;
            line.warps += own.warps as f64 * scale;
            let issued = own.warps as f64 * f64::from(instruction.cost_on(self.capability).total()) * scale;
            line.issued += issued;
            if instruction.divides() {
                line.divisions += own.warps as f64 * scale;
                line.division_issued += issued;
            }
            line.lanes += own.lanes as f64 * scale;
            line.divergent += own.divergent as f64 * scale;
            line.lanes_of_narrow_ways += own.narrow as f64 * scale;
            match loop_branches.get(&(pc as u32)) {
                Some(LoopBranch::Ends) => line.divergent_at_loops += own.divergent as f64 * scale,
                Some(LoopBranch::PassesBy(ends)) if own.divergent > 0 => {
                    line.divergent_past_loops += own.divergent as f64 * scale;
                    line.add_passed(ends);
                }
                _ => {}
            }
            let joined = match &instruction.operation {
                Operation::Load { access, .. } | Operation::Store { access, .. } => u32::from(access.joined).max(1),
                _ => 1,
            };
            own.global.add_to(&mut line.global, joined, scale);
            line.global.step_bytes = line.global.step_bytes.or(self.steps.of_most(pc));
            own.shared.add_to(&mut line.shared, joined, scale);
            own.local.add_to(&mut line.local, joined, scale);
            if instruction.operation.is_barrier() {
                line.barriers += own.warps as f64 * scale;
                let before = self.sections.before().get(&(pc as u32));
                before.into_iter().for_each(|before| line.before_barrier.add(&before.scaled(scale)));
            }
            line.fences += own.fences as f64 * scale;
            line.atomics += own.atomics as f64 * scale;
            line.atomics_met += own.atomics_met as f64 * scale;
            line.atomics_added_up += own.added_up as f64 * scale;
            line.constant.add(&own.constant.scaled(scale));
            if let Operation::Atomic(atomic) = &instruction.operation {
                line.swaps |= atomic.function.swaps();
                line.are_answered |= atomic.is_answered;
            }
            line.wanted.add(&own.addresses.wanted(self.blocks, scale));
            if own.divergent > 0 {
                let targets: Vec<u32> = match &instruction.operation {
                    Operation::Branch { target } => vec![pc as u32 + 1, *target],
                    Operation::BranchIndexed { targets, .. } => targets.to_vec(),
                    _ => Vec::new(),
                };
                line.ways
                    .extend(targets.into_iter().filter_map(|pc| program.code.get(pc as usize)).map(|own| own.line));
                line.ways.sort_unstable();
                line.ways.dedup();
            }
        }
    }
}

/// Of neighbouring lanes so many in four must be the same stride apart: those of blocks that are 16 threads wide are but for one.
const QUARTERS_OF_STRIDE: usize = 3;

/// Bytes from one active lane's address to the next one's, where that is the same for most.
fn stride(addresses: impl Fn(usize) -> i64, mask: Mask) -> i64 {
    let mut lanes = lanes_of(mask);
    let (Some(first), Some(second)) = (lanes.next(), lanes.next()) else { return IRREGULAR };
    let stride = (addresses(second) - addresses(first)) / (second - first) as i64;
    let pairs = || lanes_of(mask).zip(lanes_of(mask).skip(1));
    let even = pairs().filter(|(one, other)| addresses(*other) - addresses(*one) == stride * (other - one) as i64);
    if 4 * even.count() >= QUARTERS_OF_STRIDE * pairs().count() { stride } else { IRREGULAR }
}

impl Observer for Lines {
    fn warp_runs(&mut self, block: u64, warp: u32) {
        (self.block, self.warp) = (block, warp);
        self.saw((block, block));
        self.accessing.warp_runs(block, warp);
        self.sections.warp_runs(block, warp);
    }

    fn block_ends(&mut self, number: u64) {
        self.accessing.block_ends(number);
        self.sections.block_ends(number);
        self.steps.block_ends(number);
    }

    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask) {
        self.pc = pc as usize;
        self.narrow = LANES as u32;
        self.accessing.instruction(pc, active);
        self.sections.instruction(pc, active, executed);
        let own = &mut self.own[pc as usize];
        own.warps += 1;
        own.lanes += u64::from(executed.count_ones());
    }

    fn way(&mut self, _pc: u32, _target: u32, lanes: Mask) {
        if lanes != 0 {
            self.narrow = self.narrow.min(lanes.count_ones());
        }
    }

    fn divergence(&mut self, pc: u32) {
        let own = &mut self.own[pc as usize];
        own.divergent += 1;
        own.narrow += u64::from(self.narrow);
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        if mask == 0 {
            return;
        }
        self.accessing.access(mask);
        let count = |access: &mut GlobalAccess, addresses: &Longs| {
            let by = if kind.is_atomic() { coalesce_atomic } else { coalesce };
            by(self.coalescing, addresses, mask, bytes, access);
            access.transactions.len() as u32
        };
        let parts = count(&mut self.access, addresses);
        let mut least = |bytes| count(&mut self.access, &what_if::coalesced(addresses, mask, bytes)).min(parts);
        let (of_words, of_narrow) = (least(bytes.max(WORD_BYTES)), (bytes < WORD_BYTES).then(|| least(bytes)));
        let own = &mut self.own[self.pc];
        let stride = stride(|lane| addresses[lane].cast_signed(), mask);
        own.global.add(kind, (parts, of_words), bytes, stride);
        let first = addresses[mask.trailing_zeros() as usize];
        own.global.add_first(first);
        self.steps.access(self.pc, first, (self.block, self.warp));
        if let Some(least) = of_narrow {
            own.global.add_narrow(addresses, mask, of_words.saturating_sub(least));
        }
        if kind.is_atomic() {
            own.add_atomics(addresses, mask);
            lanes_of(mask).for_each(|lane| own.addresses.add(addresses[lane], self.block));
        }
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        if mask == 0 {
            return;
        }
        self.accessing.access(mask);
        let count = |offsets: &Words| {
            let access = if kind.is_atomic() {
                atomic_passes(self.banks, offsets, mask, bytes)
            } else {
                passes(self.banks, offsets, mask, bytes, kind == AccessKind::Store)
            };
            access.passes
        };
        let (parts, least) = (count(offsets), count(&what_if::conflict_free(bytes)));
        let own = &mut self.own[self.pc];
        own.shared.add(kind, (parts, least.min(parts)), bytes, stride(|lane| i64::from(offsets[lane]), mask));
        if kind.is_atomic() {
            own.add_atomics(offsets, mask);
        }
    }

    fn local(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.accessing.access(mask);
        let mut addresses = [0; LANES];
        for piece in 0..bytes.div_ceil(4) {
            for lane in lanes_of(mask) {
                addresses[lane] = interleaved(offsets[lane] + 4 * piece, lane);
            }
            coalesce(self.coalescing, &addresses, mask, bytes.min(4), &mut self.access);
            let parts = self.access.transactions.len() as u32;
            self.own[self.pc].local.add(kind, (parts, 0), bytes.min(4), IRREGULAR);
        }
    }

    fn added_up(&mut self, lanes: u32) {
        self.own[self.pc].added_up += u64::from(lanes);
    }

    fn constant(&mut self, offsets: &Words, mask: Mask, bytes: u32) {
        self.own[self.pc].constant.add(offsets, mask, bytes);
    }

    fn fence(&mut self, fence: Fence) {
        self.own[self.pc].fences += u64::from(fence.scope > FenceScope::Block);
    }
}

#[cfg(test)]
pub(crate) mod tests;
