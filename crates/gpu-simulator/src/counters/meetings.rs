//! What the accesses of different blocks to global memory come to together: lines that several of them read, atomics that meet.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::cost::partly_written::{PartlyWritten, watched_parts};
use crate::cost::readers::{LineReaders, watched_units};
use crate::cost::shared_pieces::{SharedPieces, watched_pieces};
use crate::cost::slices::SliceLoads;
use crate::cost::together::Together;
use crate::cost::visits::Enclosed;
use crate::execute::AccessKind;
use crate::hardware::Coalescing;
use crate::hardware::coalescing::{GlobalAccess, SECTOR_BYTES, coalesce, coalesce_atomic};
use crate::hardware::lanes::{Longs, Mask, lanes_of};
use crate::profile::Profile;
use crate::program::{Instruction, Program};

/// An access of a warp to global memory, with what is watched of it: the same for all who watch.
#[derive(Debug, Clone)]
pub(crate) struct WatchedAccess {
    coalescing: Coalescing,
    /// Whether blocks meet in L2 at all, so that anything is watched.
    is_watched: bool,
    /// Bytes that device memory gives at once.
    fetched_bytes: u32,
    /// Bytes that a load of each instruction brings into L2 at once: these, a line, or two.
    bytes_of_loads: Vec<u32>,
    /// The same of the instruction that runs.
    load_bytes: u32,
    access: GlobalAccess,
    kind: AccessKind,
    /// What is brought into L2 at once, by its first sector.
    units: Vec<u64>,
    /// Bytes of each of them.
    unit_bytes: u32,
    /// Pieces of device memory with their sectors.
    pieces: Vec<(u64, u8)>,
    /// Sectors with the bytes that are written of them, where some are written in part.
    parts: Vec<(u64, u32)>,
}

/// What an access moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    pub(super) kind: AccessKind,
    pub(super) requests: u32,
    pub(super) transactions: u32,
    pub(super) bytes: u64,
    pub(super) bytes_asked: u64,
}

impl WatchedAccess {
    /// None yet.
    pub(crate) fn new(program: &Program, profile: &Profile) -> Self {
        let fetched_bytes = profile.global.fetched_bytes();
        let bytes_of = |own: &Instruction| own.operation.cache_hint().fetched_bytes.max(fetched_bytes);
        Self {
            coalescing: profile.global.coalescing,
            is_watched: profile.global.slices.is_some(),
            bytes_of_loads: program.code.iter().map(bytes_of).collect(),
            fetched_bytes,
            load_bytes: fetched_bytes,
            access: GlobalAccess::new(),
            kind: AccessKind::Load,
            units: Vec::new(),
            unit_bytes: fetched_bytes,
            pieces: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// What follows is of this instruction.
    pub(crate) fn instruction(&mut self, pc: u32) {
        self.load_bytes = self.bytes_of_loads[pc as usize];
    }

    /// What it moves.
    pub(super) fn moved(&self) -> Moved {
        let GlobalAccess { requests, bytes_moved, bytes_asked, .. } = self.access;
        let transactions = self.access.transactions.len() as u32;
        Moved { kind: self.kind, requests, transactions, bytes: bytes_moved, bytes_asked }
    }

    /// The access of lanes at these addresses.
    pub(crate) fn set(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        self.kind = kind;
        if kind.is_atomic() {
            coalesce_atomic(self.coalescing, addresses, mask, bytes, &mut self.access);
        } else {
            coalesce(self.coalescing, addresses, mask, bytes, &mut self.access);
        }
        if self.is_watched {
            self.unit_bytes = match kind {
                AccessKind::Load => self.load_bytes,
                AccessKind::Store => self.fetched_bytes,
                AccessKind::Atomic | AccessKind::FloatAtomic => SECTOR_BYTES,
            };
            watched_units(&self.access, self.unit_bytes, &mut self.units);
            self.parts.clear();
            if kind == AccessKind::Store {
                watched_parts(&self.access, addresses, mask, bytes, &mut self.parts);
            }
            watched_pieces(&self.access, &mut self.pieces);
        }
    }
}

/// What is counted of them.
#[derive(Debug, Clone)]
pub(crate) struct Meetings {
    /// The block that runs.
    block: Option<u64>,
    /// Atomics for each address.
    atomics: HashMap<u64, u64, RandomState>,
    /// Whether any of them adds floats.
    adds_floats: bool,
    /// Cycles that the atomics keep each slice of L2 busy.
    slices: SliceLoads,
    /// Blocks that read the same lines; `None` where multiprocessors do not meet in L2.
    readers: Option<LineReaders>,
    /// The same of atomics, by sector.
    atomics_on_sectors: Option<LineReaders>,
    /// Pieces of device memory that blocks load and store, where multiprocessors meet in L2.
    pieces: Option<[SharedPieces; 2]>,
    /// Sectors that they write in part, where they meet there.
    parts: Option<PartlyWritten>,
}

impl Meetings {
    /// Nothing is counted yet.
    pub(crate) fn new(profile: &Profile) -> Self {
        let are_watched = profile.global.slices.is_some();
        Self {
            block: None,
            atomics: HashMap::default(),
            adds_floats: false,
            slices: SliceLoads::new(profile),
            readers: are_watched.then(LineReaders::default),
            atomics_on_sectors: are_watched.then(LineReaders::default),
            pieces: are_watched.then(Default::default),
            parts: None,
        }
        .of_sample(&Enclosed::default(), profile)
    }

    /// The same where only a part of the blocks is counted, of which these have all their neighbours beside them.
    #[must_use]
    pub(crate) fn of_sample(self, enclosed: &Enclosed, profile: &Profile) -> Self {
        let units_of = |least_bytes| move |_| LineReaders::new(profile.global.l2_bytes, least_bytes, enclosed.clone());
        let atomics_on_sectors = self.atomics_on_sectors.map(units_of(SECTOR_BYTES));
        let incomplete_sectors = profile.global.writes.and_then(|writes| writes.incomplete_sectors);
        let parts = incomplete_sectors.map(|own| PartlyWritten::new(own, enclosed.clone()));
        let pieces = self.pieces.map(|own| own.map(|_| SharedPieces::new(enclosed.clone())));
        Self {
            readers: self.readers.map(units_of(profile.global.fetched_bytes())),
            atomics_on_sectors,
            pieces,
            parts,
            ..self
        }
    }

    /// What follows is of this block.
    pub(crate) fn block_runs(&mut self, block: u64) {
        // It is told of each turn of a warp.
        if self.block.replace(block) == Some(block) {
            return;
        }
        [&mut self.readers, &mut self.atomics_on_sectors].into_iter().flatten().for_each(|own| own.block_runs(block));
        self.pieces.iter_mut().flatten().for_each(|own| own.block_runs(block));
        self.parts.iter_mut().for_each(|own| own.block_runs(block));
    }

    /// The block does this, with lanes at these addresses.
    pub(crate) fn add(&mut self, watched: &WatchedAccess, addresses: &Longs, mask: Mask) {
        let WatchedAccess { access, kind, units, unit_bytes, pieces, parts, .. } = watched;
        if kind.is_atomic() {
            let adds_floats = *kind == AccessKind::FloatAtomic;
            lanes_of(mask).for_each(|lane| *self.atomics.entry(addresses[lane]).or_default() += 1);
            self.adds_floats |= adds_floats;
            self.slices.add(access, adds_floats);
            self.atomics_on_sectors.iter_mut().for_each(|own| own.load(units, *unit_bytes));
            return;
        }
        let is_load = *kind == AccessKind::Load;
        if let Some(readers) = &mut self.readers {
            if is_load { readers.load(units, *unit_bytes) } else { readers.store(units, *unit_bytes) }
        }
        if let Some([loaded, stored]) = &mut self.pieces {
            if is_load { loaded } else { stored }.add(pieces);
        }
        self.parts.iter_mut().for_each(|own| own.add(parts));
    }

    /// Adds what others counted, of blocks behind its own.
    pub(crate) fn merge(&mut self, other: &Self) {
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
        if let (Some(own), Some(other)) = (&mut self.parts, &other.parts) {
            own.merge(other);
        }
        for (address, count) in &other.atomics {
            *self.atomics.entry(*address).or_default() += count;
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
            writers_of_a_sector: self.parts.as_ref().map_or(1.0, PartlyWritten::writers_of_a_sector),
            completed_sectors: self.parts.as_ref().map_or(0.0, PartlyWritten::completed),
            completed_far: self.parts.as_ref().map_or(0.0, PartlyWritten::completed_far),
        }
    }

    /// Cycles that the atomics take where most of them meet: at one address, or in one slice of L2.
    pub(crate) fn atomics_cycles(&self, profile: &Profile) -> f64 {
        let interval_cycles = if self.adds_floats {
            profile.atomics.same_address_cycles
        } else {
            profile.atomics.same_address_integer_cycles
        };
        (self.same_address_atomics() as f64 * interval_cycles).max(self.slices.busiest_cycles())
    }

    /// The most atomics on one address.
    pub(crate) fn same_address_atomics(&self) -> u64 {
        self.atomics.values().copied().max().unwrap_or(0)
    }

    /// Atomics for each address.
    pub(crate) fn atomics_by_address(&self) -> &HashMap<u64, u64, RandomState> {
        &self.atomics
    }
}
