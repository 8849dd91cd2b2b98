//! Reordering instructions inside basic blocks, as a GPU's compiler does: loads as early as they can be, so that their
//! latencies overlap. PTX comes with every load right before its use, which no machine code does.

use std::collections::HashMap;

use super::control::{ControlFlow, is_only_arithmetic};
use super::operand::{Kind, Use};
use super::phase::{CopyGroups, GroupsOf};
use super::reach::Reach;
use super::{AccessOrder, Guard, Instruction, Operation};
use crate::class::Class;

/// Instructions ahead of the first that is left among which the next one is chosen. A window keeps the registers that
/// are alive at once within what compilers allow themselves.
const WINDOW: usize = 32;

/// About how long a result takes, for telling which chain of instructions is the longest. One of global memory comes from L2 at the soonest, so that loads
/// of a block go out before what adds up the words of the first.
fn latency(class: Class) -> u32 {
    match class {
        Class::Global => 300,
        Class::Shared | Class::Local | Class::Constant | Class::Atomic => 30,
        Class::Special | Class::Exchange => 12,
        _ => 4,
    }
}

/// The same of a predicate that guards an instruction. Source: machine code of `tests/gpu/constants/float_units.cu`, where comparisons come so many instructions
/// before the branches of loops.
const GUARD_LATENCY: u32 = 13;

/// The same of what warps wait at for each other, or for their copies: more than a comparison for the branch of a loop takes, which stands behind it so, and
/// less than the count that is compared, which stands before. Source: machine code of `tests/gpu/constants/atomics.cu` and `one_lane.cu`.
const BARRIER_LATENCY: u32 = 15;

/// The same of fences: a comparison stands before a fence, but behind one that a store follows. Source: machine code of `tests/gpu/constants/fence_rounds.cu`.
const FENCE_LATENCY: u32 = GUARD_LATENCY - 1;

/// Whether comparisons whose predicates guard what follows stand behind an operation.
fn stands_before_comparisons(operation: &Operation) -> bool {
    let awaits_copies =
        matches!(operation, Operation::CopyGroups(GroupsOf { groups, .. }) if *groups != CopyGroups::Commit);
    operation.is_barrier() || awaits_copies
}

/// About how long an instruction takes where code is as compiled, as far as its operation tells more than its class does.
fn compiled_latency(operation: &Operation) -> Option<u32> {
    match operation {
        Operation::Store { .. } => Some(1),
        Operation::Fence(_) => Some(FENCE_LATENCY),
        own => stands_before_comparisons(own).then_some(BARRIER_LATENCY),
    }
}

/// What order an instruction must keep besides that of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// None.
    Free,
    /// Behind stores, before stores.
    Load(Reach),
    /// The same, and behind other ordered loads.
    OrderedLoad(Reach),
    /// Behind and before everything that touches memory.
    Store(Reach),
    /// Behind and before everything but arithmetic: barriers, fences and exchanges.
    Effect,
    /// Behind and before everything.
    Fixed,
}

/// Whether it stays where it is: control flow, and what time matters to.
fn is_fixed(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Branch { .. }
            | Operation::BranchIndexed { .. }
            | Operation::Call(_)
            | Operation::Return
            | Operation::Exit
            | Operation::Trap
            | Operation::ReadSpecial { .. }
            | Operation::Sleep
            | Operation::Dependence(_)
    )
}

fn order(operation: &Operation, reach: Reach, as_compiled: bool) -> Order {
    match operation {
        Operation::Load { access, .. } if access.order == AccessOrder::Ordered => Order::OrderedLoad(reach),
        Operation::Load { .. } => Order::Load(reach),
        // `ldmatrix`
        Operation::Rows(own) if own.sources.is_empty() => Order::Load(reach),
        Operation::Store { .. } | Operation::CopyAsync { .. } => Order::Store(reach),
        own if is_only_arithmetic(own) => Order::Free,
        own if as_compiled && !is_fixed(own) => Order::Effect,
        _ => Order::Fixed,
    }
}

/// Reorders the instructions of every block; the last one of a block stays where it is if it may go elsewhere. `as_compiled` uses what
/// is known of addresses, and takes stores for what nobody waits for.
pub(super) fn schedule(code: &mut [Instruction], flow: &ControlFlow, as_compiled: bool) {
    for block in &flow.blocks {
        let range = block.start as usize..block.end as usize;
        let fixed_end = code[range.clone()]
            .last()
            .is_some_and(|last| order(&last.operation, Reach::Anything, as_compiled) == Order::Fixed);
        let range = range.start..range.end - usize::from(fixed_end);
        if range.len() > 2 {
            let guard = code.get(range.end).filter(|_| fixed_end).and_then(|last| last.guard);
            let permutation = permutation(&mut code[range.clone()], guard, as_compiled);
            let reordered: Vec<Instruction> =
                permutation.iter().map(|index| code[range.start + index].clone()).collect();
            code[range].clone_from_slice(&reordered);
        }
    }
}

/// The new order of a block's instructions, behind which comes one with this guard.
fn permutation(block: &mut [Instruction], guard: Option<Guard>, as_compiled: bool) -> Vec<usize> {
    let followers = dependencies(block, as_compiled);
    let guarding: Vec<bool> = (0..block.len())
        .map(|index| {
            let guards = followers[index].iter().filter_map(|follower| block[*follower].guard).chain(guard);
            let predicates: Vec<u32> = guards.map(|own| own.predicate).collect();
            as_compiled && writes_any(&mut block[index].operation, &predicates)
        })
        .collect();
    let mut priority: Vec<u32> = vec![0; block.len()];
    for index in (0..block.len()).rev() {
        let rest = followers[index].iter().map(|follower| priority[*follower]).max().unwrap_or(0);
        let compiled = compiled_latency(&block[index].operation).filter(|_| as_compiled);
        let own = match compiled.unwrap_or_else(|| latency(block[index].row.cost.class)) {
            latency if guarding[index] => latency.max(GUARD_LATENCY),
            latency => latency,
        };
        priority[index] = rest.saturating_add(own);
    }
    let mut waits_for = vec![0_u32; block.len()];
    followers.iter().flatten().for_each(|follower| waits_for[*follower] += 1);
    let mut done = vec![false; block.len()];
    let mut result = Vec::with_capacity(block.len());
    let mut first = 0;
    while result.len() < block.len() {
        while done[first] {
            first += 1;
        }
        let window = first..(first + WINDOW).min(block.len());
        let ready = window.filter(|index| !done[*index] && waits_for[*index] == 0);
        // The first of the most urgent; the first that is left is always ready.
        let chosen = ready.max_by_key(|index| (priority[*index], block.len() - index)).unwrap_or(first);
        done[chosen] = true;
        result.push(chosen);
        followers[chosen].iter().for_each(|follower| waits_for[*follower] -= 1);
    }
    result
}

fn writes_any(operation: &mut Operation, predicates: &[u32]) -> bool {
    let mut is_written = false;
    operation.visit_registers(&mut |slot, kind, r#use| {
        is_written |= r#use != Use::Read && kind == Kind::Predicate && predicates.contains(slot);
    });
    is_written
}

/// For each instruction, those that must come behind it.
fn dependencies(block: &mut [Instruction], as_compiled: bool) -> Vec<Vec<usize>> {
    #[derive(Default)]
    struct Register {
        written_by: Option<usize>,
        read_by: Vec<usize>,
    }
    let mut registers: HashMap<(Kind, u32), Register> = HashMap::new();
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); block.len()];
    let (mut ordered_load, mut fixed) = (None, None);
    // What touches memory or has effects since the last of those that all of these keep their order with.
    let (mut effect, mut since_effect): (Option<usize>, Vec<usize>) = (None, Vec::new());
    let mut written: HashMap<(Kind, u32), usize> = HashMap::new();
    let mut stores: Vec<(Reach, usize)> = Vec::new();
    let mut loads: Vec<(Reach, usize)> = Vec::new();
    let touching = |all: &[(Reach, usize)], own: Reach| -> Vec<usize> {
        all.iter().filter(|(other, _)| other.may_meet(own)).map(|(_, index)| *index).collect()
    };
    for (index, instruction) in block.iter_mut().enumerate() {
        let mut before: Vec<usize> = Vec::new();
        let mut uses: Vec<((Kind, u32), Use)> = Vec::new();
        if let Some(Guard { predicate, .. }) = instruction.guard {
            uses.push(((Kind::Predicate, predicate), Use::Read));
        }
        instruction.operation.visit_registers(&mut |slot, kind, r#use| uses.push(((kind, *slot), r#use)));
        let reach = if as_compiled { Reach::of(&instruction.operation, &written) } else { Reach::Anything };
        for (key, r#use) in uses {
            let register = registers.entry(key).or_default();
            before.extend(register.written_by);
            if r#use == Use::Read {
                register.read_by.push(index);
            } else {
                before.append(&mut register.read_by);
                register.written_by = Some(index);
                *written.entry(key).or_default() += 1;
            }
        }
        before.extend(fixed);
        let order = order(&instruction.operation, reach, as_compiled);
        if !matches!(order, Order::Free | Order::Fixed) {
            before.extend(effect);
            since_effect.push(index);
        }
        match order {
            Order::Free => {}
            Order::Load(reach) => {
                before.extend(touching(&stores, reach));
                loads.push((reach, index));
            }
            Order::OrderedLoad(reach) => {
                before.extend(touching(&stores, reach));
                before.extend(ordered_load);
                ordered_load = Some(index);
                loads.push((reach, index));
            }
            Order::Store(reach) => {
                before.extend(touching(&stores, reach));
                before.extend(touching(&loads, reach));
                if reach == Reach::Anything {
                    // What comes later waits for this one, and so for them.
                    stores.clear();
                    loads.clear();
                }
                stores.push((reach, index));
            }
            Order::Effect => {
                before.append(&mut since_effect);
                since_effect.push(index);
                effect = Some(index);
            }
            Order::Fixed => {
                before.extend(0..index);
                fixed = Some(index);
            }
        }
        before.sort_unstable();
        before.dedup();
        before.into_iter().filter(|earlier| *earlier != index).for_each(|earlier| followers[earlier].push(index));
    }
    followers
}

#[cfg(test)]
mod tests;
