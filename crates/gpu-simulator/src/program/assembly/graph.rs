//! A function as the pass looks at it: its blocks, who dominates whom, its loops, and who writes and reads each register.

use std::collections::HashMap;
use std::ops::Range;

use crate::program::control::ControlFlow;
use crate::program::operand::{Kind, Use};
use crate::program::{Guard, Instruction, Register};

/// A natural loop.
#[derive(Debug)]
pub(super) struct Loop {
    /// The block that it is entered by.
    pub(super) header: usize,
    /// Whether each block of the function is in it.
    pub(super) contains: Vec<bool>,
    /// How many blocks are in it.
    pub(super) size: usize,
}

/// Where a register is written and read.
#[derive(Debug, Default)]
pub(super) struct Value {
    pub(super) writes: Vec<u32>,
    pub(super) reads: Vec<u32>,
}

/// What is known of a function before any cost is.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) start: u32,
    pub(super) blocks: Vec<Range<u32>>,
    pub(super) successors: Vec<Vec<usize>>,
    pub(super) predecessors: Vec<Vec<usize>>,
    /// The immediate dominator of each block; itself of the first, `None` of those that no way leads to.
    dominators: Vec<Option<usize>>,
    /// The smallest first.
    pub(super) loops: Vec<Loop>,
    values: HashMap<(Kind, u32), Value>,
    /// Registers that each instruction reads, its guard's among them, and those that it writes.
    registers: Vec<(Vec<Register>, Vec<Register>)>,
}

impl Graph {
    /// Of the function that `flow` is of. Registers must still be virtual.
    pub(super) fn new(code: &mut [Instruction], range: Range<u32>, flow: &ControlFlow) -> Self {
        let mut predecessors = vec![Vec::new(); flow.blocks.len()];
        for (block, next) in flow.successors.iter().enumerate() {
            next.iter().for_each(|successor| predecessors[*successor].push(block));
        }
        let registers: Vec<_> = range.clone().map(|pc| registers_of(&mut code[pc as usize])).collect();
        let mut graph = Self {
            start: range.start,
            blocks: flow.blocks.clone(),
            successors: flow.successors.clone(),
            dominators: dominators(&flow.successors, &predecessors),
            predecessors,
            loops: Vec::new(),
            values: HashMap::new(),
            registers,
        };
        graph.find_loops();
        graph.find_values(|_| true);
        graph
    }

    /// Leaves only the reads and writes of instructions that `is_alive`.
    pub(super) fn find_values(&mut self, is_alive: impl Fn(u32) -> bool) {
        self.values.clear();
        for (pc, (reads, writes)) in (self.start..).zip(&self.registers) {
            if !is_alive(pc) {
                continue;
            }
            for register in reads {
                self.values.entry((register.kind, register.slot)).or_default().reads.push(pc);
            }
            for register in writes {
                self.values.entry((register.kind, register.slot)).or_default().writes.push(pc);
            }
        }
    }

    fn find_loops(&mut self) {
        let mut loops: Vec<Loop> = Vec::new();
        for (block, next) in self.successors.iter().enumerate() {
            for &header in next.iter().filter(|header| self.dominates(**header, block)) {
                let mut contains = vec![false; self.blocks.len()];
                contains[header] = true;
                let mut left = vec![block];
                while let Some(inside) = left.pop() {
                    if !std::mem::replace(&mut contains[inside], true) {
                        left.extend(&self.predecessors[inside]);
                    }
                }
                match loops.iter_mut().find(|own| own.header == header) {
                    Some(own) => own.contains.iter_mut().zip(contains).for_each(|(own, other)| *own |= other),
                    None => loops.push(Loop { header, contains, size: 0 }),
                }
            }
        }
        loops.iter_mut().for_each(|own| own.size = own.contains.iter().filter(|inside| **inside).count());
        loops.sort_by_key(|own| own.size);
        self.loops = loops;
    }

    /// The block of an instruction.
    pub(super) fn block_of(&self, pc: u32) -> usize {
        self.blocks.partition_point(|block| block.start <= pc).saturating_sub(1)
    }

    /// Whether every way to `block` goes through `first`.
    pub(super) fn dominates(&self, first: usize, mut block: usize) -> bool {
        loop {
            if block == first {
                return true;
            }
            match self.dominators[block] {
                Some(above) if above != block => block = above,
                _ => return false,
            }
        }
    }

    /// The smallest loop that has this block.
    pub(super) fn innermost(&self, block: usize) -> Option<&Loop> {
        self.loops.iter().find(|own| own.contains[block])
    }

    /// Whether no other loop is inside this one, but for those that each turn waits in.
    pub(super) fn is_leaf(&self, own: &Loop) -> bool {
        let is_inside = |other: &&Loop| other.header != own.header && own.contains[other.header];
        let is_wait = |other: &Loop| self.carries_nothing(other) && self.comes_in_every_turn(own, other.header);
        self.loops.iter().filter(is_inside).all(is_wait)
    }

    /// Whether the branch leads back to the begin of a loop that waits.
    pub(super) fn waits_at(&self, branch: u32) -> bool {
        let block = self.block_of(branch);
        let is_last = self.blocks[block].end == branch + 1;
        is_last && self.loops.iter().any(|own| own.header == block && self.carries_nothing(own))
    }

    /// Whether the loop is a block that asks the same in each turn.
    fn carries_nothing(&self, own: &Loop) -> bool {
        let all = || self.blocks[own.header].clone();
        let is_written =
            |register: &Register, mut places: Range<u32>| places.any(|pc| self.writes(pc).contains(register));
        let is_carried =
            |pc: u32, register: &Register| !is_written(register, all().start..pc) && is_written(register, all());
        own.size == 1 && !all().any(|pc| self.reads(pc).iter().any(|register| is_carried(pc, register)))
    }

    /// Whether every turn of a loop comes to a block of it.
    pub(super) fn comes_in_every_turn(&self, own: &Loop, block: usize) -> bool {
        self.predecessors[own.header]
            .iter()
            .filter(|back| own.contains[**back])
            .all(|back| self.dominates(block, *back))
    }

    /// The last instruction before a loop is entered; `None` where the function begins with the loop.
    pub(super) fn before(&self, own: &Loop) -> Option<u32> {
        let mut outside = self.predecessors[own.header].iter().filter(|block| !own.contains[**block]);
        let before = match (outside.next(), outside.next()) {
            (Some(only), None) => Some(*only),
            _ => self.dominators[own.header].filter(|above| *above != own.header),
        };
        before.and_then(|block| self.blocks[block].clone().last())
    }

    pub(super) fn value(&self, register: Register) -> Option<&Value> {
        self.values.get(&(register.kind, register.slot))
    }

    /// The only instruction that writes the register.
    pub(super) fn writer(&self, register: Register) -> Option<u32> {
        match self.value(register)?.writes[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    pub(super) fn readers(&self, register: Register) -> &[u32] {
        self.value(register).map_or(&[], |value| &value.reads)
    }

    pub(super) fn reads(&self, pc: u32) -> &[Register] {
        &self.registers[(pc - self.start) as usize].0
    }

    pub(super) fn writes(&self, pc: u32) -> &[Register] {
        &self.registers[(pc - self.start) as usize].1
    }

    /// Blocks that can be reached from `from` without going through `without`.
    pub(super) fn reachable(&self, from: &[usize], without: Option<usize>) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let mut left: Vec<usize> = from.iter().copied().filter(|block| Some(*block) != without).collect();
        while let Some(block) = left.pop() {
            if !std::mem::replace(&mut reached[block], true) {
                left.extend(self.successors[block].iter().filter(|next| Some(**next) != without));
            }
        }
        reached
    }
}

fn registers_of(instruction: &mut Instruction) -> (Vec<Register>, Vec<Register>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    if let Some(Guard { predicate, .. }) = instruction.guard {
        reads.push(Register { kind: Kind::Predicate, slot: predicate });
    }
    instruction.operation.visit_registers(&mut |slot, kind, r#use| {
        let register = Register { kind, slot: *slot };
        if r#use == Use::Read { &mut reads } else { &mut writes }.push(register);
    });
    (reads, writes)
}

/// Source: Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm (2001).
fn dominators(successors: &[Vec<usize>], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let order = super::super::control::postorder(successors, 0);
    let mut number = vec![usize::MAX; successors.len()];
    order.iter().enumerate().for_each(|(place, block)| number[*block] = place);
    let mut dominators = vec![None; successors.len()];
    dominators[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().rev().filter(|block| **block != 0) {
            let mut new: Option<usize> = None;
            for &before in predecessors[block].iter().filter(|before| dominators[**before].is_some()) {
                new = Some(match new {
                    None => before,
                    Some(other) => meet(&dominators, &number, before, other),
                });
            }
            if dominators[block] != new {
                dominators[block] = new;
                changed = true;
            }
        }
    }
    dominators
}

fn meet(dominators: &[Option<usize>], number: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while number[left] < number[right] {
            let Some(above) = dominators[left] else { return right };
            left = above;
        }
        while number[right] < number[left] {
            let Some(above) = dominators[right] else { return left };
            right = above;
        }
    }
    left
}
