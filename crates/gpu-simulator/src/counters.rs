//! Counting what a kernel does, exactly, by the rules of a profile.

mod meetings;
mod table;

use meetings::Moved;
pub(crate) use meetings::{Meetings, WatchedAccess};
pub use table::{COUNTERS, Counter, Counts};

use super::class::Class;
use super::cost::visits::Enclosed;
use super::execute::{AccessKind, Observer};
use super::profile::Profile;
use super::program::{Instruction, Operation, Program};
use crate::hardware::banks::{atomic_passes, passes};
use crate::hardware::coalescing::{GlobalAccess, LINE_BYTES, coalesce, interleaved};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::hardware::{Banks, Coalescing};

/// Requests to a memory, and what they become.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    /// Requests.
    pub requests: u64,
    /// Transactions of global and local memory (sectors, segments or lines, by the profile's rule), passes of shared memory.
    pub parts: u64,
}

impl Requests {
    fn add(&mut self, requests: u32, parts: u32) {
        self.requests += u64::from(requests);
        self.parts += u64::from(parts);
    }

    fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.parts += other.parts;
    }
}

/// How often an instruction was issued, and for how many lanes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Issues {
    warps: u64,
    lanes: u64,
    /// Lanes that the guard let through.
    executed: u64,
    divergent: u64,
}

/// What the blocks that were executed did.
#[derive(Debug, Clone)]
pub(crate) struct Counters {
    coalescing: Coalescing,
    banks: Banks,
    /// The profile's compute capability, by which instructions cost what they do.
    capability: (u32, u32),
    /// For each instruction of the program.
    issues: Vec<Issues>,
    /// Loads, stores and atomics of global memory.
    pub global: [Requests; 3],
    /// Bytes that transactions with global memory move.
    pub global_bytes_moved: u64,
    /// Bytes that lanes ask of global memory.
    pub global_bytes_asked: u64,
    /// Loads, stores and atomics of shared memory.
    pub shared: [Requests; 3],
    /// Passes of shared memory beyond the fewest.
    pub bank_conflicts: u64,
    /// Loads and stores of local memory.
    pub local: Requests,
    /// Barriers that a block passed.
    pub block_barriers: u64,
    /// Lanes' atomics, on global and shared memory.
    pub atomics: u64,
    /// Atomics of lanes that had to wait for another lane of the same instruction at the same address.
    pub atomic_serialisations: u64,
    /// What the accesses of blocks to global memory come to together.
    meetings: Meetings,
    watched: WatchedAccess,
    access: GlobalAccess,
    /// Whether the next access to shared memory is to that of another block, so that the own banks have nothing to do with it.
    is_remote: bool,
    /// Whether blocks are in clusters.
    in_clusters: bool,
}

/// Sums over the instructions of a program, by what each of them costs on the profile's GPU.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct InstructionCounts {
    /// Instructions of the PTX that warps executed.
    pub ptx: u64,
    /// About how many machine instructions that is.
    pub warps: u64,
    /// The same for each class, in the order of [`Class::ALL`].
    pub by_class: [u64; Class::ALL.len()],
    /// The same, each counted for every active lane.
    pub threads: u64,
    /// Branches executed, and those that parted a warp.
    pub branches: u64,
    /// Branches after which lanes of a warp were on different ways.
    pub divergent_branches: u64,
}

fn place(kind: AccessKind) -> usize {
    match kind {
        AccessKind::Load => 0,
        AccessKind::Store => 1,
        AccessKind::Atomic | AccessKind::FloatAtomic => 2,
    }
}

impl Counters {
    /// Nothing is counted yet.
    pub(crate) fn new(program: &Program, profile: &Profile) -> Self {
        Self {
            coalescing: profile.global.coalescing,
            banks: profile.shared.banks,
            capability: profile.compute_capability,
            issues: vec![Issues::default(); program.code.len()],
            global: Default::default(),
            global_bytes_moved: 0,
            global_bytes_asked: 0,
            shared: Default::default(),
            bank_conflicts: 0,
            local: Requests::default(),
            block_barriers: 0,
            atomics: 0,
            atomic_serialisations: 0,
            meetings: Meetings::new(profile),
            watched: WatchedAccess::new(program, profile),
            access: GlobalAccess::new(),
            is_remote: false,
            in_clusters: false,
        }
    }

    /// The same where only a part of the blocks is counted, of which these have all their neighbours beside them.
    #[must_use]
    pub(crate) fn of_sample(self, enclosed: &Enclosed, profile: &Profile) -> Self {
        Self { meetings: self.meetings.of_sample(enclosed, profile), ..self }
    }

    /// Adds what others counted, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (own, other) in self.issues.iter_mut().zip(&other.issues) {
            own.warps += other.warps;
            own.lanes += other.lanes;
            own.executed += other.executed;
            own.divergent += other.divergent;
        }
        self.global.iter_mut().zip(&other.global).for_each(|(own, other)| own.merge(*other));
        self.shared.iter_mut().zip(&other.shared).for_each(|(own, other)| own.merge(*other));
        self.global_bytes_moved += other.global_bytes_moved;
        self.global_bytes_asked += other.global_bytes_asked;
        self.bank_conflicts += other.bank_conflicts;
        self.local.merge(other.local);
        self.block_barriers += other.block_barriers;
        self.atomics += other.atomics;
        self.atomic_serialisations += other.atomic_serialisations;
        self.meetings.merge(&other.meetings);
        self.in_clusters |= other.in_clusters;
    }

    /// What the accesses of blocks to global memory come to together.
    pub(crate) fn meetings(&self) -> &Meetings {
        &self.meetings
    }

    /// Sums over the instructions of `program`, which is the one that was counted.
    pub(crate) fn instructions(&self, program: &Program) -> InstructionCounts {
        let mut counts = InstructionCounts::default();
        let (mut warps, mut threads, mut by_class) = (0.0, 0.0, [0.0; Class::ALL.len()]);
        for (instruction, issues) in program.code.iter().zip(&self.issues) {
            let cost = instruction.cost_on(self.capability);
            let issued = self.issued_with(instruction).unwrap_or(*issues);
            let own = issued.warps as f64 * f64::from(cost.weight);
            let within = instruction.within(self.capability);
            let mut besides = issued.warps as f64 * f64::from(cost.besides + within.of_warp(self.in_clusters));
            let of_lanes = issues.executed as f64 * f64::from(within.of_lane);
            besides += of_lanes;
            if instruction.lowering.meeting.is_some() && self.capability.0 >= 7 {
                besides += issues.divergent as f64;
            }
            counts.ptx += issues.warps;
            let around = issued.warps as f64 * f64::from(cost.around);
            warps += own + besides + around;
            threads += issued.lanes as f64 * f64::from(cost.total() + within.of_warp(self.in_clusters));
            // All lanes go round for each of them.
            threads += of_lanes * issues.executed as f64 / issues.warps.max(1) as f64;
            by_class[cost.class as usize] += own;
            by_class[Class::Move as usize] += besides;
            by_class[Class::Float as usize] += around;
            if matches!(instruction.operation, Operation::Branch { .. } | Operation::BranchIndexed { .. }) {
                counts.branches += issues.warps;
            }
            counts.divergent_branches += issues.divergent;
        }
        counts.warps = warps.round() as u64;
        counts.threads = threads.round() as u64;
        counts.by_class = by_class.map(|own: f64| own.round() as u64);
        counts
    }

    /// The issues of the instruction that this one is issued with, if that is another.
    fn issued_with(&self, instruction: &Instruction) -> Option<Issues> {
        let with = instruction.issued_with(self.capability)?;
        self.issues.get(with as usize).copied()
    }

    /// Counts what `cp.async` writes to shared memory: as lines of global memory come, so a pass has bytes of one line only. Source:
    /// `tile-swizzles` in results/nvidia-h200/counters-families.csv, whose rows of 64 bytes take twice the passes of those of 128 bytes.
    pub(crate) fn copied_to_shared(
        &mut self,
        (addresses, reading): (&Longs, Mask),
        (offsets, mask): (&Words, Mask),
        bytes: u32,
    ) {
        let line = |lane: usize| addresses[lane] / u64::from(LINE_BYTES);
        let (mut rest, mut parts, mut conflicts) = (reading & mask, 0, 0);
        let mut add = |part: Mask| {
            let access = passes(self.banks, offsets, part, bytes, true);
            parts += access.passes;
            conflicts += access.conflicts;
        };
        // Zeros are written without a line.
        if mask & !reading != 0 {
            add(mask & !reading);
        }
        while let Some(first) = lanes_of(rest).next() {
            let same = lanes_of(rest).filter(|lane| line(*lane) == line(first)).fold(0, |all, lane| all | 1 << lane);
            rest &= !same;
            add(same);
        }
        self.shared[place(AccessKind::Store)].add(u32::from(mask != 0), parts);
        self.bank_conflicts += u64::from(conflicts);
    }

    /// Counts an access to global memory.
    pub(crate) fn global_access(&mut self, watched: &WatchedAccess, addresses: &Longs, mask: Mask) {
        self.meetings.add(watched, addresses, mask);
        self.add_moved(watched.moved(), addresses, mask);
    }

    /// Counts what a unit that copies by itself moves: no load or store of a warp.
    fn global_copy(&mut self, moved: Moved) {
        self.global_bytes_moved += moved.bytes;
        self.global_bytes_asked += moved.bytes_asked;
    }

    fn add_moved(&mut self, moved: Moved, addresses: &Longs, mask: Mask) {
        self.global[place(moved.kind)].add(moved.requests, moved.transactions);
        self.global_bytes_moved += moved.bytes;
        self.global_bytes_asked += moved.bytes_asked;
        if moved.kind.is_atomic() {
            self.count_atomics(addresses, mask);
        }
    }

    fn count_atomics<A: Copy + Into<u64>>(&mut self, addresses: &[A; LANES], mask: Mask) {
        self.atomics += u64::from(mask.count_ones());
        let mut seen = [0_u64; LANES];
        for (count, lane) in lanes_of(mask).enumerate() {
            let address = addresses[lane].into();
            self.atomic_serialisations += u64::from(seen[..count].contains(&address));
            seen[count] = address;
        }
    }
}

impl Observer for Counters {
    fn warp_runs(&mut self, block: u64, _warp: u32) {
        self.meetings.block_runs(block);
    }

    fn instruction(&mut self, pc: u32, active: Mask, executed: Mask) {
        let issues = &mut self.issues[pc as usize];
        issues.warps += 1;
        issues.lanes += u64::from(active.count_ones());
        issues.executed += u64::from(executed.count_ones());
        self.watched.instruction(pc);
    }

    fn divergence(&mut self, pc: u32) {
        self.issues[pc as usize].divergent += 1;
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        self.watched.set(kind, addresses, mask, bytes);
        self.meetings.add(&self.watched, addresses, mask);
        self.add_moved(self.watched.moved(), addresses, mask);
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        let is_remote = std::mem::take(&mut self.is_remote);
        if kind.is_atomic() {
            self.count_atomics(offsets, mask);
        }
        if is_remote {
            return;
        }
        let access = if kind.is_atomic() {
            atomic_passes(self.banks, offsets, mask, bytes)
        } else {
            passes(self.banks, offsets, mask, bytes, kind == AccessKind::Store)
        };
        self.shared[place(kind)].add(access.requests, access.passes);
        self.bank_conflicts += u64::from(access.conflicts);
    }

    fn remote(&mut self, _rank: u32) {
        self.is_remote = true;
    }

    /// Barriers have a unit of their own (SYNCS): `matrix-tiles` in results/nvidia-h200/counters-families.csv has no pass for them.
    fn barrier_accessed(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, _bytes: u32) {
        self.is_remote = false;
        if kind.is_atomic() {
            self.count_atomics(offsets, mask);
        }
    }

    fn copied(&mut self, (addresses, reading): (&Longs, Mask), (offsets, mask): (&Words, Mask), bytes: u32) {
        self.global(AccessKind::Load, addresses, reading, bytes);
        self.copied_to_shared((addresses, reading), (offsets, mask), bytes);
    }

    fn bulk_copied(&mut self, (far, addresses): (AccessKind, &Longs), _near: (AccessKind, &Words), mask: Mask) {
        self.watched.set(far, addresses, mask, 4);
        self.meetings.add(&self.watched, addresses, mask);
        self.global_copy(self.watched.moved());
    }

    fn local(&mut self, _kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        let mut addresses = [0; LANES];
        // Larger elements are split, since the words of the lanes lie side by side.
        for piece in 0..bytes.div_ceil(4) {
            for lane in lanes_of(mask) {
                addresses[lane] = interleaved(offsets[lane] + 4 * piece, lane);
            }
            coalesce(self.coalescing, &addresses, mask, bytes.min(4), &mut self.access);
            self.local.add(self.access.requests, self.access.transactions.len() as u32);
        }
    }

    fn barrier_passed(&mut self, _warps: u32) {
        self.block_barriers += 1;
    }

    fn cluster_barriers_passed(&mut self, blocks: u32) {
        self.in_clusters |= blocks > 1;
        self.block_barriers += u64::from(blocks);
    }
}

#[cfg(test)]
mod tests;
