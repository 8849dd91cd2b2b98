//! The observer that holds each access against those before it.

use std::collections::HashMap;

use super::lines::LINE_BYTES;
use super::pending::Pending;
use super::race::{Access, Action, Place, Race, RaceKind, Races, Unchecked};
use super::roles::{Role, guesses, has_fences, least_bytes, role};
use super::shadow::{Cell, Class, Record};
use crate::execute::{AccessKind, Copying, Counted, Launch, Memory, Observer};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::profile::Reconvergence;
use crate::program::{CopyGroups, CopyKind, GroupsOf, Operation, Program, Slice};

/// A block while it is watched.
#[derive(Debug, Default)]
struct BlockShadow {
    shared: Vec<Cell>,
    /// All instructions up to this one are ordered before those that follow.
    ordered: u64,
    /// The same within each warp.
    warps: Vec<u64>,
    /// What copies bring that nobody has waited for.
    pending: Pending,
}

/// A pair of lines.
type Pair = (RaceKind, bool, [(u32, Action); 2]);

/// Watches blocks for races.
pub(crate) struct Watch<'a> {
    program: &'a Program,
    launch: &'a Launch,
    roles: Vec<Role>,
    unit_bytes: u32,
    orders_by_fences: bool,
    between_blocks: bool,
    is_in_step: bool,
    /// The parts of global memory that are written.
    lines: HashMap<u64, Vec<Cell>>,
    blocks: HashMap<u64, BlockShadow>,
    block: u64,
    warp: u32,
    time: u64,
    pc: u32,
    /// The lanes that the instruction is executed for.
    executed: Mask,
    /// What the next store writes: the size of the elements, and the elements.
    stored: (u32, Vec<Longs>),
    accesses: u64,
    /// The first of each pair, where it was, and how many there are.
    found: HashMap<Pair, Found>,
}

#[derive(Debug)]
struct Found {
    first: Record,
    second: Record,
    address: u64,
    count: u64,
    /// Whether one of the accesses writes what its thread has read.
    is_update: bool,
}

impl<'a> Watch<'a> {
    /// Nothing is seen yet. `lines` are the parts of global memory that the launch writes.
    pub(crate) fn new(program: &'a Program, launch: &'a Launch, lines: Vec<u64>) -> Self {
        let orders_by_fences = has_fences(program);
        let communicates = launch.conduct.communicates && orders_by_fences || launch.workspace != 0;
        let mut roles: Vec<Role> = program.code.iter().map(|own| role(&own.operation, orders_by_fences)).collect();
        guesses(program).into_iter().for_each(|place| roles[place] = Role::Passed);
        Self {
            program,
            launch,
            roles,
            unit_bytes: least_bytes(program),
            orders_by_fences,
            between_blocks: !communicates,
            is_in_step: launch.reconvergence == Reconvergence::Stack,
            lines: lines.into_iter().map(|line| (line, Vec::new())).collect(),
            blocks: HashMap::new(),
            block: 0,
            warp: 0,
            time: 0,
            pc: 0,
            executed: 0,
            stored: (0, Vec::new()),
            accesses: 0,
            found: HashMap::new(),
        }
    }

    /// What was found, of `watched` blocks. `is_cut` says whether the launch writes more of global memory than was watched.
    pub(crate) fn into_races(self, memory: &Memory, watched: u64, is_cut: bool) -> Races {
        let mut found: Vec<(Pair, Race)> =
            self.found.iter().map(|(pair, own)| (*pair, self.race(pair, own, memory))).collect();
        found.sort_by_key(|((kind, is_shared, pair), _)| (!kind.is_certain(), *pair, *kind, *is_shared));
        let mut unchecked = Vec::new();
        if !self.between_blocks && self.launch.blocks() > 1 {
            unchecked.push(Unchecked::BetweenBlocks);
        }
        if is_cut {
            unchecked.push(Unchecked::FarMemory);
        }
        if self.program.code.iter().any(|own| matches!(own.operation, Operation::BulkCopy(_))) {
            unchecked.push(Unchecked::BulkCopies);
        }
        Races {
            found: found.into_iter().map(|(_, race)| race).collect(),
            blocks: self.launch.blocks(),
            blocks_watched: watched,
            accesses: self.accesses,
            unchecked,
        }
    }

    fn race(&self, (kind, is_shared, _): &Pair, found: &Found, memory: &Memory) -> Race {
        let place = if *is_shared { self.shared_place(found.address as u32) } else { self.global_place(found, memory) };
        let access = |own: &Record| Access {
            action: action(own, self.program),
            line: self.line(own.pc),
            block: self.launch.block_index(u64::from(own.block)),
            thread: self.launch.thread(own.thread),
        };
        let accesses = [access(&found.first), access(&found.second)];
        Race { kind: *kind, place, accesses, count: found.count, is_update: found.is_update }
    }

    fn global_place(&self, found: &Found, memory: &Memory) -> Place {
        let bytes = match &self.program.code[found.second.pc as usize].operation {
            Operation::Load { access, .. } | Operation::Store { access, .. } => u64::from(access.element_bytes),
            Operation::Atomic(own) => u64::from(own.all_bytes()),
            _ => u64::from(self.unit_bytes),
        };
        match memory.name_at(found.address) {
            Some((name, offset)) => Place::Global { name: name.to_owned(), element: offset / bytes.max(1) },
            None => Place::Global { name: format!("{:#x}", found.address), element: 0 },
        }
    }

    fn shared_place(&self, offset: u32) -> Place {
        let holds = |slice: &Slice| (slice.offset..slice.offset + slice.bytes).contains(&offset);
        match self.program.shared_variables.iter().find(|(_, slice)| holds(slice)) {
            Some((name, slice)) => Place::Shared { variable: Some(name.clone()), byte: offset - slice.offset },
            None => Place::Shared { variable: None, byte: offset },
        }
    }

    fn line(&self, pc: u32) -> u32 {
        self.program.code.get(pc as usize).map_or(0, |own| own.line)
    }

    fn class(&self, kind: AccessKind) -> Class {
        let is_strong = self.roles[self.pc as usize] == Role::Strong;
        match (kind, is_strong) {
            (AccessKind::Load, false) => Class::Read,
            (AccessKind::Load, true) => Class::StrongRead,
            (AccessKind::Store, false) => Class::Write,
            (AccessKind::Store | AccessKind::Atomic | AccessKind::FloatAtomic, _) => Class::StrongWrite,
        }
    }

    fn is_passed(&self) -> bool {
        matches!(self.roles[self.pc as usize], Role::Passed | Role::OrdersBlock)
    }

    /// What a lane stores in the unit that begins so many bytes behind its address; `None` where that is not known.
    fn value(&self, lane: usize, offset: u32) -> Option<u64> {
        let (size, values) = &self.stored;
        let byte = |place: u32| Some(values.get((place / size) as usize)?[lane].to_le_bytes()[(place % size) as usize]);
        if *size == 0 {
            return None;
        }
        (0..self.unit_bytes).rev().try_fold(0, |all, index| Some(all << 8 | u64::from(byte(offset + index)?)))
    }

    /// Holds the accesses of lanes against those before them.
    fn access(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32, is_shared: bool) {
        if self.is_passed() {
            return;
        }
        self.accesses += u64::from(mask.count_ones());
        let class = self.class(kind);
        let unit = u64::from(self.unit_bytes);
        for lane in lanes_of(mask) {
            for offset in (0..bytes.max(self.unit_bytes)).step_by(self.unit_bytes as usize) {
                let value = if class == Class::Write { self.value(lane, offset) } else { None };
                let new = self.record(lane, class, value);
                self.unit((addresses[lane] + u64::from(offset)) / unit, new, is_shared);
            }
        }
        self.stored.0 = 0;
    }

    /// What the instruction does in a lane, which writes this where that is known.
    fn record(&self, lane: usize, class: Class, value: Option<u64>) -> Record {
        Record {
            time: self.time,
            value: value.unwrap_or(0),
            pc: self.pc,
            block: self.block as u32,
            thread: self.thread(lane),
            class,
            is_known: value.is_some(),
            is_update: false,
        }
    }

    fn thread(&self, lane: usize) -> u32 {
        self.warp * LANES as u32 + lane as u32
    }

    /// Copies of lanes are pending from now on.
    fn begin_copies(&mut self, offsets: &Words, mask: Mask, bytes: u32) {
        let unit = self.unit_bytes;
        for lane in lanes_of(mask) {
            let record = self.record(lane, Class::Write, None);
            let units = u64::from(offsets[lane] / unit)..u64::from((offsets[lane] + bytes).div_ceil(unit));
            if let Some(block) = self.blocks.get_mut(&self.block) {
                block.pending.begin(units, record);
            }
        }
    }

    /// What becomes of the groups of the lanes. What they have waited for is written by them now.
    fn groups(&mut self, groups: CopyGroups) {
        let threads: Vec<u32> = lanes_of(self.executed).map(|lane| self.thread(lane)).collect();
        let time = self.time;
        let Some(block) = self.blocks.get_mut(&self.block) else { return };
        for thread in threads {
            let arrived = match groups {
                CopyGroups::Commit => {
                    block.pending.commit(thread);
                    continue;
                }
                CopyGroups::Await(left) => block.pending.wait(thread, left as usize),
                CopyGroups::AwaitAll => block.pending.wait_all(thread),
            };
            let ordered = block.ordered;
            for (unit, record) in arrived {
                if let Some(cell) = block.shared.get_mut(unit as usize) {
                    cell.note(Record { time, ..record }, |old| old.time <= ordered, false);
                }
            }
        }
    }

    /// Holds an access to the unit of memory with this number against those before it.
    fn unit(&mut self, number: u64, mut new: Record, is_shared: bool) {
        let Self { blocks, lines, found, .. } = self;
        let Some(block) = blocks.get_mut(&self.block) else { return };
        let unit = u64::from(self.unit_bytes);
        let (warp_ordered, mut ordered) = (block.warps.get(self.warp as usize).copied().unwrap_or(0), block.ordered);
        let cell = if is_shared {
            let place = number as usize;
            if place >= block.shared.len() {
                block.shared.resize_with(place + 1, Cell::default);
            }
            &mut block.shared[place]
        } else {
            let per_line = LINE_BYTES / unit;
            let Some(cells) = lines.get_mut(&(number / per_line)) else { return };
            if cells.is_empty() {
                cells.resize_with(per_line as usize, Cell::default);
            }
            &mut cells[(number % per_line) as usize]
        };
        // Threads that meet by a strong access may have ordered what they did before by it.
        let meets =
            |old: &Record| old.class == Class::StrongWrite && old.block == new.block && old.thread != new.thread;
        if self.orders_by_fences && self.roles[new.pc as usize] == Role::Strong && cell.records().iter().any(meets) {
            block.ordered = ordered.max(self.time - 1);
            ordered = block.ordered;
        }
        let was_read = |old: &Record| old.is_of_thread(&new) && (old.class == Class::Read || old.is_update);
        new.is_update = new.class == Class::Write && cell.records().iter().any(was_read);
        // An access counts once for each pair of lines.
        let mut pairs: Vec<Pair> = Vec::new();
        // Of two copies to one place, the later one is waited for. Where nothing orders the copy of another warp before this, a barrier is what is missing.
        let is_copy = matches!(self.program.code[new.pc as usize].operation, Operation::CopyAsync { .. });
        let is_before = |copy: &Record| copy.warp() == new.warp() || copy.time <= ordered;
        let pending = block.pending.of(number).filter(|copy| is_shared && !is_copy && is_before(copy));
        if let Some(copy) = pending {
            let (pair, [first, second]) = paired(self.program, RaceKind::Unfinished, is_shared, [copy, new]);
            let own = Found { first, second, address: number * unit, count: 0, is_update: false };
            found.entry(pair).or_insert(own).count += 1;
        }
        for old in cell.records() {
            let is_pending = pending.is_some_and(|copy| copy.time == old.time && copy.is_of_thread(old));
            if is_pending || old.is_of_thread(&new) || !old.conflicts(&new) {
                continue;
            }
            let kind = if old.block != new.block {
                if is_shared || !self.between_blocks {
                    continue;
                }
                RaceKind::BetweenBlocks
            } else if old.time <= ordered {
                continue;
            } else if old.warp() != new.warp() {
                RaceKind::BetweenWarps
            } else if old.time == new.time {
                RaceKind::WithinInstruction
            } else if self.is_in_step || old.time <= warp_ordered {
                continue;
            } else {
                RaceKind::WithinWarp
            };
            let (pair, records) = paired(self.program, kind, is_shared, [*old, new]);
            if pairs.contains(&pair) {
                continue;
            }
            pairs.push(pair);
            let [first, second] = records;
            let own = found.entry(pair).or_insert(Found {
                first,
                second,
                address: number * unit,
                count: 0,
                is_update: false,
            });
            own.count += 1;
            own.is_update |= old.is_update || new.is_update;
        }
        let is_past = |old: &Record| old.time <= ordered && (is_shared || old.block == new.block);
        cell.note(new, is_past, !is_shared && self.between_blocks);
    }
}

fn action(record: &Record, program: &Program) -> Action {
    match program.code.get(record.pc as usize).map(|own| &own.operation) {
        Some(Operation::Atomic(_)) => Action::Changes,
        Some(Operation::CopyAsync { .. }) if record.class.writes() => Action::Copies,
        _ if record.class.writes() => Action::Writes,
        _ => Action::Reads,
    }
}

/// A pair by its lines, the access that reads first.
fn paired(program: &Program, kind: RaceKind, is_shared: bool, mut records: [Record; 2]) -> (Pair, [Record; 2]) {
    let key = |own: &Record| (action(own, program), program.code.get(own.pc as usize).map_or(0, |own| own.line));
    let is_behind = kind == RaceKind::Unfinished || key(&records[1]) < key(&records[0]);
    if is_behind {
        records.reverse();
    }
    let lines = records.map(|own| {
        let (action, line) = key(&own);
        (line, action)
    });
    ((kind, is_shared, lines), records)
}

impl Observer for Watch<'_> {
    fn warp_runs(&mut self, block: u64, warp: u32) {
        (self.block, self.warp) = (block, warp);
        let (time, warps) = (self.time, self.launch.threads().div_ceil(LANES as u32) as usize);
        self.blocks.entry(block).or_insert_with(|| BlockShadow {
            shared: Vec::new(),
            ordered: time,
            warps: vec![time; warps],
            pending: Pending::default(),
        });
    }

    fn block_ends(&mut self, number: u64) {
        self.blocks.remove(&number);
    }

    fn instruction(&mut self, pc: u32, _active: Mask, executed: Mask) {
        self.time += 1;
        (self.pc, self.executed) = (pc, executed);
        let role = self.roles[pc as usize];
        if executed == 0 || !matches!(role, Role::OrdersWarp | Role::OrdersBlock) {
            return;
        }
        let Some(block) = self.blocks.get_mut(&self.block) else { return };
        if role == Role::OrdersBlock {
            block.ordered = self.time;
        } else if let Some(ordered) = block.warps.get_mut(self.warp as usize) {
            *ordered = self.time;
        }
    }

    fn stored(&mut self, size: u32, values: &[Longs]) {
        self.stored.0 = size;
        self.stored.1.clear();
        self.stored.1.extend_from_slice(values);
    }

    fn global(&mut self, kind: AccessKind, addresses: &Longs, mask: Mask, bytes: u32) {
        self.access(kind, addresses, mask, bytes, false);
    }

    fn shared(&mut self, kind: AccessKind, offsets: &Words, mask: Mask, bytes: u32) {
        self.access(kind, &offsets.map(u64::from), mask, bytes, true);
    }

    fn copied(&mut self, (addresses, reading): (&Longs, Mask), (offsets, mask): (&Words, Mask), bytes: u32) {
        self.global(AccessKind::Load, addresses, reading, bytes);
        self.shared(AccessKind::Store, offsets, mask, bytes);
        self.begin_copies(offsets, mask, bytes);
    }

    fn copying(&mut self, event: Copying) {
        let threads = lanes_of(self.executed).map(|lane| self.warp * LANES as u32 + lane as u32);
        match event {
            Copying::Groups(GroupsOf { groups, copies: CopyKind::Lanes }) => self.groups(groups),
            Copying::Counts { barrier, what: Counted::BehindCopies, .. } => {
                if let Some(block) = self.blocks.get_mut(&self.block) {
                    block.pending.arrive_behind(threads, barrier, self.time);
                }
            }
            Copying::Passed { barrier } => {
                if let Some(block) = self.blocks.get_mut(&self.block) {
                    block.pending.passed(barrier);
                }
            }
            Copying::Begun | Copying::BegunInBulk | Copying::Groups(_) | Copying::Counts { .. } => {}
        }
    }

    fn barrier_passed(&mut self, _warps: u32) {
        if let Some(block) = self.blocks.get_mut(&self.block) {
            block.ordered = self.time;
        }
    }

    fn cluster_barriers_passed(&mut self, blocks: u32) {
        if blocks > 0 {
            self.barrier_passed(0);
        }
    }
}
