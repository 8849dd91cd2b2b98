//! Reordering instructions inside basic blocks, as a GPU's compiler does: loads as early as they can be, so that their
//! latencies overlap. PTX comes with every load right before its use, which no machine code does.

use std::collections::HashMap;

use super::control::{ControlFlow, is_only_arithmetic};
use super::operand::{Kind, Use};
use super::{AccessOrder, Guard, Instruction, Operation};
use crate::class::Class;

/// Instructions ahead of the first that is left among which the next one is chosen. A window keeps the registers that
/// are alive at once within what compilers allow themselves.
const WINDOW: usize = 32;

/// About how long a result takes, for telling which chain of instructions is the longest.
fn latency(class: Class) -> u32 {
    match class {
        Class::Shared | Class::Global | Class::Local | Class::Constant | Class::Atomic => 30,
        Class::Special | Class::Exchange => 12,
        _ => 4,
    }
}

/// What order an instruction must keep besides that of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// None.
    Free,
    /// Behind stores, before stores.
    Load,
    /// The same, and behind other ordered loads.
    OrderedLoad,
    /// Behind and before everything that touches memory.
    Store,
    /// Behind and before everything.
    Fixed,
}

fn order(operation: &Operation) -> Order {
    match operation {
        Operation::Load { access, .. } if access.order == AccessOrder::Ordered => Order::OrderedLoad,
        Operation::Load { .. } => Order::Load,
        Operation::Store { .. } | Operation::CopyAsync { .. } => Order::Store,
        own if is_only_arithmetic(own) => Order::Free,
        _ => Order::Fixed,
    }
}

/// Reorders the instructions of every block; the last one of a block stays where it is if it may go elsewhere.
pub(super) fn schedule(code: &mut [Instruction], flow: &ControlFlow) {
    for block in &flow.blocks {
        let range = block.start as usize..block.end as usize;
        let fixed_end = code[range.clone()].last().is_some_and(|last| order(&last.operation) == Order::Fixed);
        let range = range.start..range.end - usize::from(fixed_end);
        if range.len() > 2 {
            let permutation = permutation(&mut code[range.clone()]);
            let reordered: Vec<Instruction> =
                permutation.iter().map(|index| code[range.start + index].clone()).collect();
            code[range].clone_from_slice(&reordered);
        }
    }
}

/// The new order of a block's instructions.
fn permutation(block: &mut [Instruction]) -> Vec<usize> {
    let followers = dependencies(block);
    let mut priority: Vec<u32> = vec![0; block.len()];
    for index in (0..block.len()).rev() {
        let rest = followers[index].iter().map(|follower| priority[*follower]).max().unwrap_or(0);
        priority[index] = rest.saturating_add(latency(block[index].row.cost.class));
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

/// For each instruction, those that must come behind it.
fn dependencies(block: &mut [Instruction]) -> Vec<Vec<usize>> {
    #[derive(Default)]
    struct Register {
        written_by: Option<usize>,
        read_by: Vec<usize>,
    }
    let mut registers: HashMap<(Kind, u32), Register> = HashMap::new();
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); block.len()];
    let (mut store, mut ordered_load, mut fixed) = (None, None, None);
    let mut loads: Vec<usize> = Vec::new();
    for (index, instruction) in block.iter_mut().enumerate() {
        let mut before: Vec<usize> = Vec::new();
        let mut uses: Vec<((Kind, u32), Use)> = Vec::new();
        if let Some(Guard { predicate, .. }) = instruction.guard {
            uses.push(((Kind::Predicate, predicate), Use::Read));
        }
        instruction.operation.visit_registers(&mut |slot, kind, r#use| uses.push(((kind, *slot), r#use)));
        for (key, r#use) in uses {
            let register = registers.entry(key).or_default();
            before.extend(register.written_by);
            if r#use == Use::Read {
                register.read_by.push(index);
            } else {
                before.append(&mut register.read_by);
                register.written_by = Some(index);
            }
        }
        before.extend(fixed);
        match order(&instruction.operation) {
            Order::Free => {}
            Order::Load => {
                before.extend(store);
                loads.push(index);
            }
            Order::OrderedLoad => {
                before.extend(store);
                before.extend(ordered_load);
                ordered_load = Some(index);
                loads.push(index);
            }
            Order::Store => {
                before.extend(store);
                before.append(&mut loads);
                store = Some(index);
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
