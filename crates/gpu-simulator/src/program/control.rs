//! The control flow of a function: basic blocks, immediate post-dominators, loops that wait.

use std::collections::HashSet;
use std::ops::Range;

use super::decode::Constants;
use super::operand::{Kind, LongSource, Use, WordSource};
use super::{Access, AccessOrder, AtomicFunction, Instruction, NO_PC, Operation, Space, Special};

/// A function's basic blocks.
#[derive(Debug)]
pub(super) struct ControlFlow {
    /// Instructions of each block, in the order of the code.
    pub(super) blocks: Vec<Range<u32>>,
    /// Blocks that may follow each; none where only the function's end does.
    pub(super) successors: Vec<Vec<usize>>,
}

/// Where an instruction may go, besides the end of the function.
struct Ways {
    targets: Vec<u32>,
    falls_through: bool,
    ends: bool,
}

fn ways(instruction: &Instruction) -> Ways {
    let guarded = instruction.guard.is_some();
    match &instruction.operation {
        Operation::Branch { target } => Ways { targets: vec![*target], falls_through: guarded, ends: true },
        Operation::BranchIndexed { targets, .. } => {
            Ways { targets: targets.to_vec(), falls_through: guarded, ends: true }
        }
        Operation::Return | Operation::Exit | Operation::Trap => {
            Ways { targets: Vec::new(), falls_through: guarded, ends: true }
        }
        _ => Ways { targets: Vec::new(), falls_through: true, ends: false },
    }
}

/// The instructions that may follow one in its function.
pub(crate) fn next_places(code: &[Instruction], pc: u32) -> Vec<u32> {
    let Ways { mut targets, falls_through, .. } = ways(&code[pc as usize]);
    if falls_through {
        targets.push(pc + 1);
    }
    targets
}

impl ControlFlow {
    /// The blocks of the function whose instructions are `range` of `code`.
    pub(super) fn new(code: &[Instruction], range: Range<u32>) -> Self {
        let mut leads = vec![false; range.len() + 1];
        let place = |pc: u32| (pc - range.start) as usize;
        leads[0] = true;
        for pc in range.clone() {
            let ways = ways(&code[pc as usize]);
            ways.targets.iter().filter(|target| range.contains(target)).for_each(|target| leads[place(*target)] = true);
            if ways.ends {
                leads[place(pc) + 1] = true;
            }
        }
        let starts: Vec<u32> = range.clone().filter(|pc| leads[place(*pc)]).collect();
        let ends = starts.iter().skip(1).copied().chain([range.end]);
        let blocks: Vec<Range<u32>> = starts.iter().zip(ends).map(|(start, end)| *start..end).collect();
        let block_at = |pc: u32| starts.partition_point(|start| *start <= pc) - 1;
        let successors = blocks
            .iter()
            .enumerate()
            .map(|(index, block)| {
                let Some(last) = block.end.checked_sub(1).filter(|_| !block.is_empty()) else { return Vec::new() };
                let ways = ways(&code[last as usize]);
                let mut next: Vec<usize> = ways
                    .targets
                    .iter()
                    .filter(|target| range.contains(target))
                    .map(|target| block_at(*target))
                    .collect();
                if ways.falls_through && index + 1 < blocks.len() {
                    next.push(index + 1);
                }
                next.sort_unstable();
                next.dedup();
                next
            })
            .collect();
        Self { blocks, successors }
    }

    /// The immediate post-dominator of each block: the first block that every way from it to the function's end goes
    /// through; `None` where that is the end itself, and where no way leads there.
    ///
    /// Source: Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001), on the reversed graph.
    pub(super) fn post_dominators(&self) -> Vec<Option<usize>> {
        let count = self.blocks.len();
        let exit = count;
        let mut predecessors = vec![Vec::new(); count + 1];
        let mut successors = self.successors.clone();
        for (block, next) in successors.iter_mut().enumerate() {
            if next.is_empty() {
                next.push(exit);
            }
            next.iter().for_each(|successor| predecessors[*successor].push(block));
        }
        let order = postorder(&predecessors, exit);
        let mut number = vec![usize::MAX; count + 1];
        order.iter().enumerate().for_each(|(place, block)| number[*block] = place);
        let mut dominator = vec![usize::MAX; count + 1];
        dominator[exit] = exit;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().rev().filter(|block| **block != exit) {
                let known = successors[block].iter().copied().filter(|next| dominator[*next] != usize::MAX);
                let Some(new) = known.reduce(|left, right| intersect(&dominator, &number, left, right)) else {
                    continue;
                };
                if dominator[block] != new {
                    dominator[block] = new;
                    changed = true;
                }
            }
        }
        dominator[..count].iter().map(|block| (*block < count).then_some(*block)).collect()
    }
}

fn intersect(dominator: &[usize], number: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while number[left] < number[right] {
            left = dominator[left];
        }
        while number[right] < number[left] {
            right = dominator[right];
        }
    }
    left
}

/// Nodes that can be reached from `root`, each after those that follow it. Iterative: code may be long.
pub(super) fn postorder(next: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; next.len()];
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((node, child)) = stack.last_mut() {
        if let Some(&follower) = next[*node].get(*child) {
            *child += 1;
            if !seen[follower] {
                seen[follower] = true;
                stack.push((follower, 0));
            }
        } else {
            order.push(*node);
            stack.pop();
        }
    }
    order
}

/// Writes the reconvergence point into every instruction at which lanes may part.
pub(super) fn resolve_reconvergence(code: &mut [Instruction], flow: &ControlFlow) {
    for (block, post_dominator) in flow.blocks.iter().zip(flow.post_dominators()) {
        let Some(last) = block.end.checked_sub(1).filter(|_| !block.is_empty()) else { continue };
        code[last as usize].reconvergence = post_dominator.map_or(NO_PC, |block| flow.blocks[block].start);
    }
}

/// Marks the places from which on lanes only compute what nobody asks for, and exit. ptxas makes a guarded exit of a branch to
/// such a place, so its lanes are not waited for.
pub(super) fn mark_ends(code: &mut [Instruction], range: Range<u32>) {
    for pc in range.rev() {
        let next = code.get(pc as usize + 1).is_some_and(|next| next.ends);
        let Instruction { operation, guard, .. } = &code[pc as usize];
        let ends = match operation {
            Operation::Exit => guard.is_none() || next,
            Operation::Branch { target } => {
                (guard.is_none() || next) && code.get(*target as usize).is_some_and(|target| target.ends)
            }
            Operation::Nothing | Operation::Dependence(_) => next,
            own => next && is_only_arithmetic(own),
        };
        code[pc as usize].ends = ends;
    }
}

/// Marks the backward branches of loops in which a thread may wait for what others do: those that sleep, and those that
/// are left depending on what an atomic or an ordered load in them gives, or a load past L1 whose value is not stored for others. A loop that
/// takes numbers from a counter until they run out does not wait: its own additions bring it to its end. Registers
/// must still be virtual.
pub(super) fn mark_spins(code: &mut [Instruction], range: Range<u32>, constants: &Constants) {
    for pc in range {
        let Operation::Branch { target } = code[pc as usize].operation else { continue };
        if target <= pc {
            let body = &mut code[target as usize..=pc as usize];
            let sleeps = body.iter().any(|inner| matches!(inner.operation, Operation::Sleep));
            let spins = sleeps || [true, false].into_iter().any(|tells| waits(body, target, tells, constants));
            if spins {
                body.iter_mut().for_each(|inner| order_load(inner, sleeps));
            }
            code[pc as usize].spins = spins;
        }
    }
}

/// Others write what a loop that waits loads past L1, and what one loads that sleeps.
fn order_load(instruction: &mut Instruction, sleeps: bool) {
    if let Operation::Load { access, .. } = &mut instruction.operation
        && (access.order == AccessOrder::PastL1 || sleeps && seen_by_others(access.space))
    {
        access.order = AccessOrder::Ordered;
    }
}

fn seen_by_others(space: Space) -> bool {
    matches!(space, Space::Global | Space::Generic)
}

/// Whether the loop, whose first instruction is at `start`, is left depending on what others do. Loads past L1 tell of others, or do not:
/// they do not where the loop stores what they gave for others, as one does that copies or computes.
fn waits(body: &mut [Instruction], start: u32, past_l1_tells: bool, constants: &Constants) -> bool {
    let calls = body.iter().any(|inner| matches!(inner.operation, Operation::Call(_)));
    let counts_up = !body.iter().any(|inner| takes_back(&inner.operation, constants));
    let tells = |operation: &Operation| match operation {
        Operation::Atomic(atomic) if atomic.function == AtomicFunction::Add && counts_up => false,
        Operation::Atomic(_)
        | Operation::Phase(_)
        | Operation::Load { access: Access { order: AccessOrder::Ordered, .. }, .. } => true,
        Operation::Load { access: Access { order: AccessOrder::PastL1, .. }, .. } => past_l1_tells,
        // What a called function gives back may come from an atomic there.
        Operation::Load { access: Access { space: Space::Local, .. }, .. } => calls,
        _ => false,
    };
    if !body.iter().any(|inner| tells(&inner.operation)) {
        return false;
    }
    let end = start + body.len() as u32;
    let mut told: HashSet<(Kind, u32)> = HashSet::new();
    // What a thread was told may come back from its block's shared memory, or its own.
    let mut is_kept = false;
    let mut is_passed_on = false;
    loop {
        let known = (told.len(), is_kept);
        for inner in body.iter_mut() {
            let mut follows = tells(&inner.operation);
            follows |= inner.guard.is_some_and(|guard| told.contains(&(Kind::Predicate, guard.predicate)));
            if let Operation::Load { access: Access { space: Space::Shared | Space::Local, .. }, .. } = inner.operation
            {
                follows |= is_kept;
            }
            let mut reads_told = false;
            inner.operation.visit_registers(&mut |slot, kind, r#use| match r#use {
                Use::Read => reads_told |= told.contains(&(kind, *slot)),
                Use::Write if follows || reads_told => drop(told.insert((kind, *slot))),
                Use::Write => {}
            });
            if let Operation::Store { access, .. } = &inner.operation
                && reads_told
            {
                let for_others = seen_by_others(access.space);
                (is_kept, is_passed_on) = (is_kept || !for_others, is_passed_on || for_others);
            }
        }
        if (told.len(), is_kept) == known {
            break;
        }
    }
    if past_l1_tells && is_passed_on {
        return false;
    }
    let inside = |target: u32| (start..end).contains(&target);
    body.iter().enumerate().any(|(place, inner)| {
        let leaves = match &inner.operation {
            Operation::Branch { target } => !inside(*target) || place + 1 == body.len(),
            Operation::BranchIndexed { targets, .. } => targets.iter().any(|target| !inside(*target)),
            Operation::Return | Operation::Exit => true,
            _ => false,
        };
        leaves && inner.guard.is_some_and(|guard| told.contains(&(Kind::Predicate, guard.predicate)))
    })
}

/// Whether what a loop added to a counter may be taken back by this, as who takes a lock by adding one gives it back; or nothing is added at all.
fn takes_back(operation: &Operation, constants: &Constants) -> bool {
    match operation {
        Operation::Atomic(atomic) => match atomic.function {
            AtomicFunction::Add if atomic.long => {
                matches!(atomic.long_source, LongSource::Constant(place) if constants.long_at(place).cast_signed() <= 0)
            }
            AtomicFunction::Add => {
                matches!(atomic.word, WordSource::Constant(place) if constants.word_at(place).cast_signed() <= 0)
            }
            AtomicFunction::AddFloat
            | AtomicFunction::AddNarrow { .. }
            | AtomicFunction::Min { .. }
            | AtomicFunction::Max { .. }
            | AtomicFunction::Or => false,
            AtomicFunction::And
            | AtomicFunction::Xor
            | AtomicFunction::Exchange
            | AtomicFunction::CompareAndSwap
            | AtomicFunction::Increment
            | AtomicFunction::Decrement => true,
        },
        Operation::Store { access, .. } => access.order == AccessOrder::Ordered,
        _ => false,
    }
}

/// Whether nothing but registers tells that the operation was executed.
pub(super) fn is_only_arithmetic(operation: &Operation) -> bool {
    match operation {
        Operation::Compute { .. }
        | Operation::Carrying(_)
        | Operation::Compare { .. }
        | Operation::SelectWord { .. }
        | Operation::SelectLong { .. }
        | Operation::SelectPredicate { .. }
        | Operation::Predicates { .. }
        | Operation::LocalAddress { .. }
        | Operation::PackLong { .. }
        | Operation::UnpackLong { .. }
        | Operation::PackWord { .. }
        | Operation::UnpackWord { .. }
        | Operation::Map { .. }
        | Operation::RankOf { .. }
        | Operation::IsCluster { .. } => true,
        Operation::ReadSpecial { special, .. } => !matches!(special, Special::Clock | Special::Timer),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
