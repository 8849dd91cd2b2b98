//! Giving virtual registers their slots: those that are never alive at once share one, so that a warp's registers stay
//! small. The most that are alive at once also estimate the machine registers of a thread.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::control::ControlFlow;
use super::operand::{Kind, Use};
use super::{Guard, Instruction, Operation};

/// Slots that a function needs, and machine registers of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) words: u32,
    pub(super) longs: u32,
    pub(super) predicates: u32,
    pub(super) registers_per_thread: u32,
}

/// Machine registers that the compiler needs besides those that hold values. With 3, the estimate for the convolution of
/// `branching.cu` is what ptxas gives for compute capability 9.0: 32.
const REGISTERS_BESIDES: u32 = 3;

/// A set of registers as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, register: usize) {
        self.0[register / 64] |= 1 << (register % 64);
    }

    pub(super) fn remove(&mut self, register: usize) {
        self.0[register / 64] &= !(1 << (register % 64));
    }

    pub(super) fn contains(&self, register: usize) -> bool {
        self.0[register / 64] & (1 << (register % 64)) != 0
    }

    /// Takes in all of another set.
    pub(super) fn unite(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(word * 64 + bit)
            })
        })
    }
}

/// The registers of a function, numbered from 0.
struct Numbering {
    numbers: HashMap<(Kind, u32), usize>,
    kinds: Vec<Kind>,
    /// For each instruction, its registers: number, whether written, whether the write ends the old value.
    uses: Vec<Vec<(usize, Use, bool)>>,
}

impl Numbering {
    fn new(code: &mut [Instruction], range: Range<u32>) -> Self {
        let mut numbering = Self { numbers: HashMap::new(), kinds: Vec::new(), uses: Vec::new() };
        for pc in range {
            let instruction = &mut code[pc as usize];
            let guard = instruction.guard;
            let mut uses = Vec::new();
            if let Some(Guard { predicate, .. }) = guard {
                uses.push((numbering.number(Kind::Predicate, predicate), Use::Read, false));
            }
            instruction.operation.visit_registers(&mut |slot, kind, r#use| {
                let number = numbering.number(kind, *slot);
                uses.push((number, r#use, r#use == Use::Write && guard.is_none()));
            });
            numbering.uses.push(uses);
        }
        numbering
    }

    fn number(&mut self, kind: Kind, register: u32) -> usize {
        let kinds = &mut self.kinds;
        *self.numbers.entry((kind, register)).or_insert_with(|| {
            kinds.push(kind);
            kinds.len() - 1
        })
    }
}

/// Leaves out the predicates of shuffles that nobody reads, as compilers do: nvcc writes one to every shuffle. Of a slot that several of them share each
/// would wait for the one before.
fn leave_out_unread(code: &mut [Instruction]) {
    let mut read: HashSet<u32> = HashSet::new();
    for instruction in &mut *code {
        read.extend(instruction.guard.as_ref().map(|guard| guard.predicate));
        instruction.operation.visit_registers(&mut |slot, kind, r#use| {
            if kind == Kind::Predicate && r#use == Use::Read {
                read.insert(*slot);
            }
        });
    }
    for instruction in code {
        if let Operation::Shuffle { in_range, .. } = &mut instruction.operation {
            *in_range = in_range.filter(|own| read.contains(own));
        }
    }
}

/// Replaces the virtual registers of the function in `range` by slots.
pub(super) fn allocate(code: &mut [Instruction], range: Range<u32>, flow: &ControlFlow) -> Slots {
    leave_out_unread(&mut code[range.start as usize..range.end as usize]);
    let numbering = Numbering::new(code, range.clone());
    let (spans, most_alive) = lifetimes(&numbering, &range, flow);
    let (slots, counts) = share_slots(&numbering.kinds, &spans);
    for pc in range {
        let instruction = &mut code[pc as usize];
        if let Some(guard) = &mut instruction.guard {
            guard.predicate = slots[numbering.numbers[&(Kind::Predicate, guard.predicate)]];
        }
        instruction.operation.visit_registers(&mut |slot, kind, _| *slot = slots[numbering.numbers[&(kind, *slot)]]);
    }
    let [words, longs, predicates] = counts;
    Slots { words, longs, predicates, registers_per_thread: most_alive + REGISTERS_BESIDES }
}

/// From the first to the last instruction at which each register is alive, and the most 32-bit registers alive at once.
fn lifetimes(numbering: &Numbering, range: &Range<u32>, flow: &ControlFlow) -> (Vec<Option<(u32, u32)>>, u32) {
    let count = numbering.kinds.len();
    let uses = |pc: u32| &numbering.uses[(pc - range.start) as usize];
    let mut alive_in: Vec<Set> = vec![Set::new(count); flow.blocks.len()];
    let alive_out = |alive_in: &[Set], block: usize| {
        let mut alive = Set::new(count);
        for &next in &flow.successors[block] {
            alive.unite(&alive_in[next]);
        }
        alive
    };
    let step_back = |alive: &mut Set, pc: u32| {
        uses(pc).iter().filter(|(_, _, ends)| *ends).for_each(|(number, _, _)| alive.remove(*number));
        uses(pc).iter().filter(|(_, r#use, _)| *r#use == Use::Read).for_each(|(number, _, _)| alive.insert(*number));
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..flow.blocks.len()).rev() {
            let mut alive = alive_out(&alive_in, block);
            flow.blocks[block].clone().rev().for_each(|pc| step_back(&mut alive, pc));
            if alive != alive_in[block] {
                alive_in[block] = alive;
                changed = true;
            }
        }
    }
    let mut spans: Vec<Option<(u32, u32)>> = vec![None; count];
    let mut most_alive = 0;
    let mut extend = |number: usize, pc: u32| {
        let span = spans[number].get_or_insert((pc, pc));
        *span = (span.0.min(pc), span.1.max(pc));
    };
    for (block, instructions) in flow.blocks.iter().enumerate() {
        let mut alive = alive_out(&alive_in, block);
        if let Some(last) = instructions.clone().last() {
            alive.iter().for_each(|number| extend(number, last));
        }
        for pc in instructions.clone().rev() {
            step_back(&mut alive, pc);
            uses(pc).iter().for_each(|(number, _, _)| extend(*number, pc));
            let machine_registers: u32 = alive.iter().map(|number| machine_registers(numbering.kinds[number])).sum();
            most_alive = most_alive.max(machine_registers);
        }
        alive_in[block].iter().for_each(|number| extend(number, instructions.start));
    }
    (spans, most_alive)
}

fn machine_registers(kind: Kind) -> u32 {
    match kind {
        Kind::Word => 1,
        Kind::Long => 2,
        Kind::Predicate => 0,
    }
}

/// A slot for each register, and how many of each kind there are: linear scan over the spans (Poletto and Sarkar, 1999).
fn share_slots(kinds: &[Kind], spans: &[Option<(u32, u32)>]) -> (Vec<u32>, [u32; 3]) {
    let mut order: Vec<(u32, u32, usize)> =
        spans.iter().enumerate().filter_map(|(number, span)| span.map(|(first, last)| (first, last, number))).collect();
    order.sort_unstable();
    let mut slots = vec![0; kinds.len()];
    let mut counts = [0; 3];
    for (index, kind) in [Kind::Word, Kind::Long, Kind::Predicate].into_iter().enumerate() {
        let mut busy_until: Vec<u32> = Vec::new();
        for &(first, last, number) in order.iter().filter(|(_, _, number)| kinds[*number] == kind) {
            let free = busy_until.iter().position(|end| *end < first);
            let slot = free.unwrap_or(busy_until.len());
            if slot == busy_until.len() {
                busy_until.push(last);
            } else {
                busy_until[slot] = last;
            }
            slots[number] = slot as u32;
        }
        counts[index] = busy_until.len() as u32;
    }
    (slots, counts)
}

#[cfg(test)]
mod tests;
