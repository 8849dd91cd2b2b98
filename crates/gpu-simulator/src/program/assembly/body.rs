//! A function with what is known of its instructions and values.

use super::graph::Graph;
use super::shape::{Shape, Source, base_of, shape_of, sources_of, space_of};
use crate::program::control::is_only_arithmetic;
use crate::program::decode::Constants;
use crate::program::operand::Kind;
use crate::program::{Base, Instruction, Operation, Register, Space, Special};

/// What a value comes from, through moves and the like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// A parameter of the kernel, in the constant bank at this place.
    Parameter {
        offset: u32,
    },
    /// What else is in the constant bank.
    Bank(Special),
    Constant(u64),
    Register(Register),
}

/// A function's instructions.
pub(super) struct Body<'a> {
    pub(super) code: &'a [Instruction],
    pub(super) graph: Graph,
    shapes: Vec<Shape>,
    sources: Vec<Vec<Source>>,
    alive: Vec<bool>,
}

impl<'a> Body<'a> {
    pub(super) fn new(code: &'a [Instruction], graph: Graph, constants: &Constants) -> Self {
        let start = graph.start as usize;
        let own = &code[start..graph.blocks.last().map_or(start, |block| block.end as usize)];
        let mut body = Self {
            code,
            shapes: own.iter().map(shape_of).collect(),
            sources: own.iter().map(|own| sources_of(&own.operation, constants)).collect(),
            alive: vec![true; own.len()],
            graph,
        };
        body.find_dead();
        body
    }

    /// Nobody asks for what a dead instruction computes.
    fn find_dead(&mut self) {
        loop {
            let mut changed = false;
            for pc in self.all() {
                let operation = &self.instruction(pc).operation;
                let is_pure = is_only_arithmetic(operation) || self.shape(pc) == Shape::Parameter;
                let is_asked_for =
                    self.graph.writes(pc).iter().any(|register| !self.graph.readers(*register).is_empty());
                if is_pure && self.is_alive(pc) && !is_asked_for {
                    self.alive[(pc - self.graph.start) as usize] = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
            let (alive, start) = (&self.alive, self.graph.start);
            self.graph.find_values(|pc| alive[(pc - start) as usize]);
        }
    }

    /// The places of all instructions.
    pub(super) fn all(&self) -> std::ops::Range<u32> {
        self.graph.start..self.graph.start + self.alive.len() as u32
    }

    pub(super) fn is_alive(&self, pc: u32) -> bool {
        self.alive[(pc - self.graph.start) as usize]
    }

    pub(super) fn instruction(&self, pc: u32) -> &Instruction {
        &self.code[pc as usize]
    }

    pub(super) fn shape(&self, pc: u32) -> Shape {
        self.shapes[(pc - self.graph.start) as usize]
    }

    pub(super) fn sources(&self, pc: u32) -> &[Source] {
        &self.sources[(pc - self.graph.start) as usize]
    }

    /// The instruction that alone writes the register, and what it is.
    pub(super) fn writer(&self, register: Register) -> Option<(u32, Shape)> {
        let pc = self.graph.writer(register)?;
        // What is written for some lanes only is something else for the others.
        self.instruction(pc).guard.is_none().then(|| (pc, self.shape(pc)))
    }

    /// The same of a source.
    pub(super) fn maker(&self, source: Source) -> Option<(u32, Shape)> {
        self.writer(source.register()?)
    }

    /// Whether two instructions are in the same block.
    pub(super) fn are_together(&self, first: u32, second: u32) -> bool {
        self.graph.block_of(first) == self.graph.block_of(second)
    }

    pub(super) fn root(&self, source: Source) -> Root {
        let mut register = match source {
            Source::Constant(value) => return Root::Constant(value),
            Source::Register(register) => register,
        };
        // Registers that are copied from each other in a circle have no other root than themselves.
        for _ in 0..=self.sources.len() {
            match self.writer(register) {
                Some((pc, Shape::Copy)) => match self.sources(pc).first() {
                    Some(Source::Register(next)) => register = *next,
                    Some(Source::Constant(value)) => return Root::Constant(*value),
                    None => return Root::Register(register),
                },
                Some((pc, Shape::Parameter)) => {
                    return match &self.instruction(pc).operation {
                        Operation::Load { access, .. } if access.address.base == Base::Zero => {
                            Root::Parameter { offset: access.address.offset as u32 }
                        }
                        _ => Root::Register(register),
                    };
                }
                Some((pc, Shape::Bank)) => {
                    return match self.instruction(pc).operation {
                        Operation::ReadSpecial { special, .. } => Root::Bank(special),
                        _ => Root::Register(register),
                    };
                }
                _ => return Root::Register(register),
            }
        }
        Root::Register(register)
    }

    /// Whether a 64-bit value is a 32-bit one with zeros above.
    pub(super) fn is_widened(&self, source: Source) -> bool {
        let Some((pc, Shape::Copy)) = self.maker(source) else { return false };
        let from = self.sources(pc).first().copied().and_then(Source::register);
        from.is_some_and(|from| from.kind == Kind::Word)
    }

    /// The register that an access to memory has its address in.
    pub(super) fn base(&self, pc: u32) -> Option<Register> {
        base_of(&self.instruction(pc).operation)
    }

    /// The space that an access to memory goes to.
    pub(super) fn space(&self, pc: u32) -> Option<Space> {
        if self.shape(pc) == Shape::Memory { space_of(&self.instruction(pc).operation) } else { None }
    }

    /// Whether all who read the register are accesses to memory that have their address in it.
    pub(super) fn is_only_address(&self, register: Register) -> bool {
        let readers = self.graph.readers(register);
        !readers.is_empty()
            && readers
                .iter()
                .all(|pc| self.base(*pc) == Some(register) && !self.sources(*pc).contains(&Source::Register(register)))
    }
}
