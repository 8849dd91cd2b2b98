//! What the threads of a launch may do, told before it runs: whether blocks see what others write, and whether what memory holds
//! decides what is done. Branches whose outcome the kernel's arguments decide are followed as they go.

mod registers;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::operand::{Address, Base, Kind, LongSource, WordSource};
use super::{AccessOrder, Callee, Guard, Instruction, Operation, Program, Space, Special};
use registers::{Registers, Value};

/// What is known of a launch before it runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    /// The parameter buffer.
    pub parameters: &'a [u8],
    /// Blocks along each axis.
    pub grid: [u32; 3],
    /// Threads of a block along each axis.
    pub block: [u32; 3],
}

/// What the threads of a launch may do. What is not sure is taken to be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub(crate) struct Conduct {
    /// Whether blocks may see what others of the launch write: by atomics, or by volatile or ordered accesses that decide what is
    /// done.
    pub communicates: bool,
    /// Whether a thread may look at what others of the launch write: by an atomic whose result it uses, or where it has ordered accesses. Who
    /// only adds to what others add to does not.
    pub sees_others: bool,
    /// Whether a branch, a guard or an address may depend on what memory holds.
    pub follows_data: bool,
    /// Whether how often a loop goes on may depend on what memory holds, so that a block may do far more than others.
    pub length_follows_data: bool,
}

impl Conduct {
    /// That of a launch of `program`.
    pub(crate) fn of(program: &Program, given: &Given<'_>) -> Self {
        if program.functions.len() > 1 {
            let communicates = program.code.iter().any(|own| shared_with_others(&own.operation) != Sharing::None);
            return Self { communicates, sees_others: communicates, follows_data: true, length_follows_data: true };
        }
        let mut walk = Walk { program, given, entries: BTreeMap::new(), seen: Seen::default() };
        walk.all();
        let length_follows_data = walk.seen.a_loop_ends_by_data();
        let Seen { follows_data, sharing, looks, .. } = walk.seen;
        let communicates = sharing == Sharing::Atomic || sharing == Sharing::Ordered && follows_data;
        Self { communicates, sees_others: communicates && looks, follows_data, length_follows_data }
    }

    /// The lines of the PTX whose loads and stores access what memory says: of gathers and scatters. None of a program of several functions,
    /// which are not followed.
    pub(crate) fn lines_of_gathers(program: &Program, given: &Given<'_>) -> BTreeSet<u32> {
        if program.functions.len() > 1 {
            return BTreeSet::new();
        }
        let mut walk = Walk { program, given, entries: BTreeMap::new(), seen: Seen::default() };
        walk.all();
        walk.seen.gathering
    }

    /// Whether a block may wait for what another one of the same launch writes.
    pub(crate) fn waits(self) -> bool {
        self.sees_others && self.follows_data
    }
}

/// How an instruction may show other blocks what it writes, or see what they write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Sharing {
    #[default]
    None,
    /// By an access that is volatile or ordered.
    Ordered,
    /// By an atomic, or by a function of the runtime.
    Atomic,
}

fn shared_with_others(operation: &Operation) -> Sharing {
    let seen_by_others = |space: Space| matches!(space, Space::Global | Space::Generic);
    match operation {
        Operation::Atomic(atomic) if seen_by_others(atomic.space) => Sharing::Atomic,
        Operation::Load { access, .. } | Operation::Store { access, .. }
            if access.order == AccessOrder::Ordered && seen_by_others(access.space) =>
        {
            Sharing::Ordered
        }
        Operation::Call(call) if matches!(call.callee, Callee::System(_)) => Sharing::Atomic,
        _ => Sharing::None,
    }
}

#[derive(Debug, Default)]
struct Seen {
    follows_data: bool,
    /// Branches and exits that what memory holds may decide, and where each leads, if not to the end.
    decided: BTreeSet<(u32, Option<u32>)>,
    /// Branches that go back, each after where it leads.
    back: BTreeSet<(u32, u32)>,
    sharing: Sharing,
    /// Whether an instruction may have a result that others decide, and that somebody uses.
    looks: bool,
    /// Lines of accesses at addresses that memory decides.
    gathering: BTreeSet<u32>,
}

impl Seen {
    /// Whether what memory holds may decide if a loop goes on: at the branch that goes back, or at one that leaves what lies between.
    fn a_loop_ends_by_data(&self) -> bool {
        let leaves = |(first, last): (u32, u32)| {
            let of_loop = self.decided.range((first, None)..=(last, Some(u32::MAX)));
            of_loop.into_iter().any(|(pc, target)| {
                target.is_none_or(|target| !(first..=last).contains(&target) || *pc == last && target == first)
            })
        };
        self.back.iter().copied().any(leaves)
    }
}

/// Goes along all paths that threads may take, with what registers may hold.
struct Walk<'a> {
    program: &'a Program,
    given: &'a Given<'a>,
    /// What registers may hold where paths meet or begin.
    entries: BTreeMap<u32, Registers>,
    seen: Seen,
}

impl Walk<'_> {
    fn all(&mut self) {
        let code = &self.program.code;
        let targets = |own: &Instruction| match &own.operation {
            Operation::Branch { target } => vec![*target],
            Operation::BranchIndexed { targets, .. } => targets.to_vec(),
            _ => Vec::new(),
        };
        let meetings: BTreeSet<u32> = code.iter().flat_map(targets).collect();
        let Some(first) = self.program.functions.first() else { return };
        self.entries.insert(first.entry, Registers::new(first));
        let mut left = BTreeSet::from([first.entry]);
        while let Some(start) = left.pop_first() {
            let mut registers = self.entries[&start].clone();
            let mut pc = start;
            while let Some(instruction) = code.get(pc as usize) {
                let mut next: Vec<u32> = Vec::new();
                let goes_on = self.step(instruction, (pc, &mut registers), &mut next);
                self.seen.back.extend(next.iter().filter(|target| **target <= pc).map(|target| (*target, pc)));
                if goes_on {
                    next.push(pc + 1);
                }
                if let ([only], false) = (next.as_slice(), next.iter().any(|next| meetings.contains(next)))
                    && *only == pc + 1
                {
                    pc += 1;
                    continue;
                }
                for next in next {
                    if self.arrives(next, &registers) {
                        left.insert(next);
                    }
                }
                break;
            }
        }
    }

    /// Whether a path that comes to `pc` brings anything new.
    fn arrives(&mut self, pc: u32, registers: &Registers) -> bool {
        if let Some(entry) = self.entries.get_mut(&pc) {
            return entry.merge(registers);
        }
        self.entries.insert(pc, registers.clone());
        true
    }

    /// Follows an instruction: branches that may be taken go to `next`. Whether lanes may go on behind it.
    fn step(&mut self, instruction: &Instruction, (pc, registers): (u32, &mut Registers), next: &mut Vec<u32>) -> bool {
        let guard = instruction.guard.map(|Guard { predicate, negated }| {
            let value = registers.predicate(predicate);
            if negated { value.opposite() } else { value }
        });
        let (may_run, always_runs) = match guard {
            None => (true, true),
            Some(Value::Known(value)) => (value != 0, value != 0),
            Some(_) => (true, false),
        };
        if !may_run {
            return true;
        }
        let operation = &instruction.operation;
        let sharing = shared_with_others(operation);
        self.seen.sharing = self.seen.sharing.max(sharing);
        self.seen.looks |= match operation {
            Operation::Atomic(atomic) => sharing == Sharing::Atomic && atomic.is_answered,
            _ => sharing != Sharing::None,
        };
        let loaded = |(kind, slot): (Kind, u32)| registers.get(kind, slot) == Value::Loaded;
        let is_decided_by_data = deciding(instruction).is_none_or(|own| own.into_iter().any(loaded));
        self.seen.follows_data |= guard == Some(Value::Loaded) || is_decided_by_data;
        let leaves = matches!(
            operation,
            Operation::Branch { .. }
                | Operation::BranchIndexed { .. }
                | Operation::Return
                | Operation::Exit
                | Operation::Trap
        );
        if is_decided_by_data && matches!(operation, Operation::Load { .. } | Operation::Store { .. }) {
            self.seen.gathering.insert(instruction.line);
        }
        match operation {
            Operation::Branch { target } => next.push(*target),
            Operation::BranchIndexed { targets, .. } => next.extend(targets.iter()),
            _ => registers.follow(self.program, self.given, instruction, always_runs),
        }
        if leaves && (guard == Some(Value::Loaded) || is_decided_by_data) {
            let targets = next.iter().map(|target| Some(*target)).chain(next.is_empty().then_some(None));
            self.seen.decided.extend(targets.map(|target| (pc, target)));
        }
        !(leaves && always_runs)
    }
}

/// The registers besides the guard that decide what an instruction does, or where. `None` of one that is not followed.
fn deciding(instruction: &Instruction) -> Option<Vec<(Kind, u32)>> {
    let reads = || instruction.reads.iter().map(|read| (read.kind, read.slot)).collect();
    Some(match &instruction.operation {
        Operation::Load { access, .. } | Operation::Store { access, .. } => {
            register_of(&access.address).into_iter().collect()
        }
        Operation::Atomic(atomic) => register_of(&atomic.address).into_iter().collect(),
        Operation::CopyAsync { .. }
        | Operation::BranchIndexed { .. }
        | Operation::Barrier(_)
        | Operation::WarpBarrier { .. } => reads(),
        Operation::Phase(_)
        | Operation::BulkCopy(_)
        | Operation::Call(_)
        | Operation::Match { .. }
        | Operation::Product(_)
        | Operation::GroupProduct(_)
        | Operation::Fragment(_)
        | Operation::Rows(_)
        | Operation::Sleep => return None,
        _ => Vec::new(),
    })
}

/// The register that an address begins with.
fn register_of(address: &Address) -> Option<(Kind, u32)> {
    match address.base {
        Base::Word(WordSource::Register(slot)) => Some((Kind::Word, slot)),
        Base::Long(LongSource::Register(slot)) => Some((Kind::Long, slot)),
        _ => None,
    }
}

/// Whether a special register tells of time, which memory decides.
fn tells_time(special: Special) -> bool {
    matches!(special, Special::Clock | Special::Timer)
}
