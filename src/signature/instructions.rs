//! What the instructions of a kernel do with its parameters, and how they make indices.

use std::collections::{BTreeSet, HashMap};

use ptx_syntax::module::{Instruction, Operand, Statement, Variable};

use super::axis::Axis;
use super::body::{Body, Use};
use crate::workload::Element;

/// What was seen in a kernel.
pub(super) struct Observed {
    pub(super) uses: Vec<Use>,
    /// The type of the elements of each parameter that is an address.
    pub(super) elements: Vec<Option<Element>>,
    pub(super) body: Body,
    /// Names that instructions have: of shared arrays, among others.
    pub(super) names: BTreeSet<String>,
}

/// What a register holds, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// An address that was made of a parameter.
    Address(usize),
    /// The index of a block.
    Block(Axis),
    /// So many times the index of a block: elements, or bytes where it is added to an address.
    PerBlock(Axis, i64),
}

/// Goes through the instructions once, in their order.
pub(super) fn observe(statements: &[Statement], parameters: &[Variable]) -> Observed {
    let observed = Observed {
        uses: vec![Use::default(); parameters.len()],
        elements: vec![None; parameters.len()],
        body: Body::default(),
        names: BTreeSet::new(),
    };
    let mut walk = Observer { parameters, observed, holds: HashMap::new() };
    walk.statements(statements, 0);
    walk.observed
}

struct Observer<'a> {
    parameters: &'a [Variable],
    observed: Observed,
    holds: HashMap<&'a str, Holds>,
}

impl<'a> Observer<'a> {
    fn statements(&mut self, statements: &'a [Statement], depth: usize) {
        for statement in statements {
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Block(inner) if depth < 20 => self.statements(inner, depth + 1),
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &'a Instruction) {
        let Instruction { opcode, modifiers, operands, .. } = instruction;
        operands.iter().for_each(|own| self.special(own));
        let has = |modifier: &str| modifiers.iter().any(|own| own == modifier);
        match opcode.as_str() {
            "ld" if has("param") => {
                let place = operands
                    .get(1)
                    .and_then(base)
                    .and_then(|name| self.parameters.iter().position(|own| own.name == name && is_wide(own)));
                if let (Some(place), Some(register)) = (place, operands.first().and_then(name)) {
                    self.holds.insert(register, Holds::Address(place));
                }
            }
            "ld" | "ldu" => self.touch(operands.get(1), modifiers, [true, false, false]),
            "st" => self.touch(operands.first(), modifiers, [false, true, false]),
            "atom" => self.touch(operands.get(1), modifiers, [true, true, true]),
            "red" => self.touch(operands.first(), modifiers, [true, true, true]),
            "setp" | "bra" | "bar" | "ret" => {}
            _ => self.computed(opcode, operands),
        }
    }

    /// Registers of indices, and names of variables.
    fn special(&mut self, operand: &Operand) {
        let Some(name) = name(operand).or_else(|| base(operand)) else { return };
        let axis = |rest: &str| ["x", "y", "z"].iter().position(|own| *own == rest).map(|place| Axis::ALL[place]);
        let body = &mut self.observed.body;
        match name.split_once('.').map(|(register, rest)| (register, axis(rest))) {
            Some(("%tid", Some(axis))) => {
                body.threads.insert(axis);
                body.axes.insert(axis);
            }
            Some(("%ctaid", Some(axis))) => drop(body.axes.insert(axis)),
            Some(("%ntid", Some(axis))) => drop(body.block_extents.insert(axis)),
            Some(("%nctaid", _)) => body.asks_for_grid = true,
            _ => drop(self.observed.names.insert(name.to_owned())),
        }
    }

    fn computed(&mut self, opcode: &str, operands: &'a [Operand]) {
        let Some((target, sources)) = operands.split_first() else { return };
        let block = sources.iter().find_map(|own| match name(own).and_then(|name| name.strip_prefix("%ctaid.")) {
            Some("x") => Some(Holds::Block(Axis::X)),
            Some("y") => Some(Holds::Block(Axis::Y)),
            Some("z") => Some(Holds::Block(Axis::Z)),
            _ => None,
        });
        let held = sources.iter().filter_map(name).filter_map(|own| self.holds.get(own).copied()).collect::<Vec<_>>();
        let factor = sources.iter().find_map(|own| match own {
            Operand::Integer(number) if (1..=4096).contains(number) => Some(*number as i64),
            _ => None,
        });
        let held_block = held.iter().chain(&block).find_map(|own| match own {
            Holds::Block(axis) => Some(*axis),
            Holds::Address(_) | Holds::PerBlock(..) => None,
        });
        let address = held.iter().copied().find(|own| matches!(own, Holds::Address(_)));
        let product = held_block.zip(factor).and_then(|(axis, factor)| match opcode {
            "shl" if factor < 12 => Some((axis, 1 << factor)),
            "mul" | "mad" => Some((axis, factor)),
            _ => None,
        });
        // What is added to an address is bytes: `sums[blockIdx.x]` has 4 of them for each block, and says nothing of elements.
        self.observed.body.per_block.extend(product.filter(|_| address.is_none()));
        let added = held.iter().find_map(|own| match own {
            Holds::PerBlock(axis, count) => Some((*axis, *count)),
            _ => None,
        });
        if let Some(added) = added.filter(|_| address.is_some()) {
            let all = &mut self.observed.body.per_block;
            if let Some(place) = all.iter().rposition(|own| *own == added) {
                all.remove(place);
            }
        }
        let Some(target) = name(target) else { return };
        let kept = match opcode {
            "mov" | "cvta" | "cvt" => address.or(block).or(held.first().copied()),
            "shl" | "mul" => product.map(|(axis, count)| Holds::PerBlock(axis, count)),
            "add" | "sub" | "mad" | "selp" => address,
            _ => None,
        };
        match kept {
            Some(kept) => drop(self.holds.insert(target, kept)),
            None => drop(self.holds.remove(target)),
        }
    }

    fn touch(&mut self, operand: Option<&Operand>, modifiers: &[String], [reads, writes, atomic]: [bool; 3]) {
        let Some(Holds::Address(place)) = operand.and_then(base).and_then(|own| self.holds.get(own)) else { return };
        if modifiers.iter().any(|own| own == "shared" || own == "local" || own == "param") {
            return;
        }
        let own = &mut self.observed.uses[*place];
        own.reads |= reads;
        own.writes |= writes;
        own.is_atomic |= atomic;
        let element = modifiers.iter().rev().find_map(|own| element(own));
        if self.observed.elements[*place].is_none() {
            self.observed.elements[*place] = element;
        }
    }
}

/// Whether a parameter may be an address.
fn is_wide(parameter: &Variable) -> bool {
    parameter.ty.bits() == 64 && parameter.dimensions.is_empty()
}

fn name(operand: &Operand) -> Option<&str> {
    match operand {
        Operand::Name(name) => Some(name),
        _ => None,
    }
}

fn base(operand: &Operand) -> Option<&str> {
    match operand {
        Operand::Address { base, .. } => base.as_deref(),
        _ => None,
    }
}

/// The type of a modifier, bits without a meaning taken for unsigned numbers.
fn element(modifier: &str) -> Option<Element> {
    let bits: u8 = modifier.get(1..)?.parse().ok()?;
    match (modifier.as_bytes().first()?, bits) {
        (b'f', 16 | 32 | 64) => Some(Element::Float(bits)),
        (b's', 8 | 16 | 32 | 64) => Some(Element::Signed(bits)),
        (b'u' | b'b', 8 | 16 | 32 | 64) => Some(Element::Unsigned(bits)),
        _ => None,
    }
}
