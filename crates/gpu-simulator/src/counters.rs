//! Counting what a kernel does, exactly, by the rules of a profile.

mod table;

pub use table::{COUNTERS, Counter, Counts};

use std::collections::HashMap;

use super::class::Class;
use super::cost::readers::LineReaders;
use super::cost::shared_pieces::SharedPieces;
use super::cost::slices::SliceLoads;
use super::cost::together::Together;
use super::execute::{AccessKind, Observer};
use super::profile::Profile;
use super::program::{Instruction, Operation, Program};
use crate::hardware::banks::{atomic_passes, passes};
use crate::hardware::coalescing::{GlobalAccess, coalesce, coalesce_atomic, interleaved};
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
    /// Atomics for each address of global memory.
    global_atomics: HashMap<u64, u64>,
    /// Whether any of them adds floats.
    adds_floats: bool,
    /// Cycles that the atomics keep each slice of L2 busy.
    slices: SliceLoads,
    /// Blocks that read the same lines of global memory; `None` where multiprocessors do not meet in L2.
    readers: Option<LineReaders>,
    /// The same of atomics.
    atomics_on_sectors: Option<LineReaders>,
    /// Pieces of device memory that blocks load and store, where multiprocessors meet in L2.
    pieces: Option<[SharedPieces; 2]>,
    access: GlobalAccess,
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
            global_atomics: HashMap::new(),
            adds_floats: false,
            slices: SliceLoads::new(profile),
            readers: profile.global.slices.map(|_| LineReaders::new(profile.global.l2_bytes, 1.0)),
            atomics_on_sectors: profile
                .global
                .slices
                .map(|_| LineReaders::new(profile.global.l2_bytes, 1.0).of_sectors()),
            pieces: profile.global.slices.map(|_| Default::default()),
            access: GlobalAccess::new(),
        }
    }

    /// The same where only a part of the blocks is counted.
    #[must_use]
    pub(crate) fn of_part(self, part: f64, profile: &Profile) -> Self {
        let readers = self.readers.map(|_| LineReaders::new(profile.global.l2_bytes, part));
        let atomics_on_sectors =
            self.atomics_on_sectors.map(|_| LineReaders::new(profile.global.l2_bytes, part).of_sectors());
        Self { readers, atomics_on_sectors, ..self }
    }

    /// Adds what others counted, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (own, other) in self.issues.iter_mut().zip(&other.issues) {
            own.warps += other.warps;
            own.lanes += other.lanes;
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
        self.adds_floats |= other.adds_floats;
        self.slices.merge(&other.slices);
        if let (Some(own), Some(other)) = (&mut self.readers, &other.readers) {
            own.merge(other);
        }
        if let (Some(own), Some(other)) = (&mut self.atomics_on_sectors, &other.atomics_on_sectors) {
            own.merge(other);
        }
        if let (Some(own), Some(other)) = (&mut self.pieces, &other.pieces) {
            own.iter_mut().zip(other).for_each(|(own, other)| own.merge(other));
        }
        for (address, count) in &other.global_atomics {
            *self.global_atomics.entry(*address).or_default() += count;
        }
    }

    /// What the blocks do to memory together.
    pub(crate) fn together(&self) -> Together {
        let of = |readers: &Option<LineReaders>| readers.as_ref().map_or(1.0, LineReaders::readers_of_a_line);
        let completed = |pieces: &[SharedPieces; 2]| pieces.each_ref().map(SharedPieces::completed);
        Together {
            readers_of_a_line: of(&self.readers),
            atomics_on_a_sector: of(&self.atomics_on_sectors),
            completed_pieces: self.pieces.as_ref().map_or([0.0; 2], completed),
        }
    }

    /// Cycles that the atomics on global memory take where most of them meet: at one address, or in one slice of L2.
    pub(crate) fn atomics_cycles(&self, profile: &Profile) -> f64 {
        let interval_cycles = if self.adds_floats {
            profile.atomics.same_address_cycles
        } else {
            profile.atomics.same_address_integer_cycles
        };
        (self.same_address_atomics() as f64 * interval_cycles).max(self.slices.busiest_cycles())
    }

    /// The most atomics on one address of global memory.
    pub(crate) fn same_address_atomics(&self) -> u64 {
        self.global_atomics.values().copied().max().unwrap_or(0)
    }

    /// Atomics for each address of global memory.
    pub(crate) fn atomics_by_address(&self) -> &HashMap<u64, u64> {
        &self.global_atomics
    }

    /// Sums over the instructions of `program`, which is the one that was counted.
    pub(crate) fn instructions(&self, program: &Program) -> InstructionCounts {
        let mut counts = InstructionCounts::default();
        let (mut warps, mut threads, mut by_class) = (0.0, 0.0, [0.0; Class::ALL.len()]);
        for (instruction, issues) in program.code.iter().zip(&self.issues) {
            let cost = instruction.cost_on(self.capability);
            let issued = self.issued_with(instruction).unwrap_or(*issues);
            let own = issued.warps as f64 * f64::from(cost.weight);
            let mut besides = issued.warps as f64 * f64::from(cost.besides);
            if instruction.lowering.rejoins && self.capability.0 >= 7 {
                besides += issues.divergent as f64;
            }
            counts.ptx += issues.warps;
            warps += own + besides;
            threads += issued.lanes as f64 * f64::from(cost.total());
            by_class[cost.class as usize] += own;
            by_class[Class::Move as usize] += besides;
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
        if let Some(readers) = &mut self.readers {
            readers.block_runs(block);
        }
        if let Some(sectors) = &mut self.atomics_on_sectors {
            sectors.block_runs(block);
        }
        for pieces in self.pieces.iter_mut().flatten() {
            pieces.block_runs(block);
        }
    }

    fn instruction(&mut self, pc: u32, active: Mask, _executed: Mask) {
        let issues = &mut self.issues[pc as usize];
        issues.warps += 1;
        issues.lanes += u64::from(active.count_ones());
    }

    fn divergence(&mut self, pc: u32) {
        self.issues[pc as usize].divergent += 1;
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        let access = &mut self.access;
        if kind.is_atomic() {
            coalesce_atomic(self.coalescing, addresses, mask, bytes, access);
            lanes_of(mask).for_each(|lane| *self.global_atomics.entry(addresses[lane]).or_default() += 1);
            self.adds_floats |= kind == AccessKind::FloatAtomic;
            self.slices.add(access, kind == AccessKind::FloatAtomic);
            if let Some(sectors) = &mut self.atomics_on_sectors {
                sectors.load(access);
            }
        } else {
            coalesce(self.coalescing, addresses, mask, bytes, access);
            match (&mut self.readers, kind) {
                (Some(readers), AccessKind::Load) => readers.load(access),
                (Some(readers), _) => readers.store(access),
                (None, _) => {}
            }
            if let Some([loaded, stored]) = &mut self.pieces {
                if kind == AccessKind::Load { loaded } else { stored }.add(access);
            }
        }
        self.global[place(kind)].add(access.requests, access.transactions.len() as u32);
        self.global_bytes_moved += access.bytes_moved;
        self.global_bytes_asked += access.bytes_asked;
        if kind.is_atomic() {
            self.count_atomics(addresses, mask);
        }
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        let access = if kind.is_atomic() {
            self.count_atomics(offsets, mask);
            atomic_passes(self.banks, offsets, mask, bytes)
        } else {
            passes(self.banks, offsets, mask, bytes, kind == AccessKind::Store)
        };
        self.shared[place(kind)].add(access.requests, access.passes);
        self.bank_conflicts += u64::from(access.conflicts);
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
}

#[cfg(test)]
mod tests;
