//! The table of instructions: a row for each form, with all that is known of it. Decoding, counters, timing and
//! requirements read the same row.
//!
//! To add an instruction, add its row to the file of its chapter, and the function that it names: of registers to
//! `arithmetic`, of anything else to `program::lower`.
//!
//! Weights are estimates of how many machine instructions a recent GPU's compiler makes; they come from the shape of
//! such code (64-bit integers work in halves, divisions are Newton iterations or calls), not from a measurement. They are those of an
//! instruction on its own; from compute capability 7 on, `program::assembly` says what it becomes where it stands.

mod comparison;
mod conversion;
mod data;
mod float;
mod flow;
mod form;
mod half;
mod integer;
mod logic;
mod matrix;
mod memory;
mod phase;
#[cfg(test)]
mod tests;
mod warp;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Operation;
use super::decode::Context;
use super::lower::Parts;
use crate::arithmetic::{Function, Modifiers};
use crate::class::{Class, Cost, Unit};
use ptx_syntax::module::Operand;

/// A form of an instruction.
#[derive(Debug)]
pub struct Row {
    /// Opcode and modifiers, as in `shf.l|r.wrap.b32`: a bar parts alternatives, a `?` marks a word that may be missing.
    pub form: &'static str,
    /// What else must be true of the instruction; empty where nothing is.
    pub case: &'static str,
    /// The chapter of the PTX ISA that describes it, in a section named after the opcode.
    pub section: &'static str,
    /// What it costs.
    pub cost: Cost,
    /// The same on compute capability 1, if it is another there.
    pub on_capability_1: Option<Cost>,
    /// The same of compute capability 7 and above, where it is another.
    pub since_capability_7: Option<Cost>,
    /// What a GPU must have to execute it.
    pub requirement: Option<Requirement>,
    /// Whether `case` is true.
    applies: fn(&Operation, &[Operand]) -> bool,
    pub(super) semantics: Semantics,
}

/// What only GPUs from some compute capability on have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// What it is, in words such as `a shuffle`.
    pub what: &'static str,
    /// The least compute capability that has it, major and minor.
    pub capability: (u32, u32),
}

/// What an instruction does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Semantics {
    /// It computes a register from registers. `None` of modifiers that do not go together.
    Compute(fn(Modifiers) -> Option<Function>),
    /// It compares registers, and sets predicates.
    Compare(fn(Modifiers) -> Option<Function>),
    /// Anything else.
    Other(Lower),
}

/// From an instruction's words to its operation, or what is wrong with them.
type Lower = fn(&mut Context<'_, '_>, &Parts<'_>) -> Result<Operation, String>;

/// The rows by the files that they are in.
static TABLE: [&[Row]; 12] = [
    integer::ROWS,
    float::ROWS,
    half::ROWS,
    comparison::ROWS,
    logic::ROWS,
    data::ROWS,
    matrix::ROWS,
    memory::ROWS,
    phase::ROWS,
    conversion::ROWS,
    flow::ROWS,
    warp::ROWS,
];

/// Every row.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.into_iter().flatten()
}

/// The rows of each opcode, in the table's order.
static BY_OPCODE: LazyLock<HashMap<&'static str, Vec<&'static Row>>> = LazyLock::new(|| {
    let mut by_opcode: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows() {
        form::opcodes(row.form).for_each(|opcode| by_opcode.entry(opcode).or_default().push(row));
    }
    by_opcode
});

/// Rows of an opcode and its modifiers; they differ in their case.
pub(crate) fn find(opcode: &str, modifiers: &[&str]) -> impl Iterator<Item = &'static Row> {
    of_opcode(opcode).filter(move |row| form::matches(row.form, modifiers))
}

fn of_opcode(opcode: &str) -> impl Iterator<Item = &'static Row> {
    BY_OPCODE.get(opcode).into_iter().flatten().copied()
}

/// Why no row is found.
pub(super) fn why_unsupported(opcode: &str, modifiers: &[&str]) -> String {
    if ["tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"].contains(&opcode) {
        return "textures and surfaces are not simulated".to_owned();
    }
    let mut known = of_opcode(opcode).peekable();
    if known.peek().is_some() {
        let forms: Vec<&str> = known.map(|row| row.form).collect();
        let strange = modifiers.iter().find(|word| !forms.iter().any(|form| form::has_modifier(form, word)));
        if let Some(word) = strange {
            return format!("`.{word}` is not supported here");
        }
    }
    "this instruction is not supported".to_owned()
}

impl Row {
    const fn new(form: &'static str, section: &'static str, cost: Cost, semantics: Semantics) -> Self {
        Self {
            form,
            case: "",
            section,
            cost,
            on_capability_1: None,
            since_capability_7: None,
            requirement: None,
            applies: |_, _| true,
            semantics,
        }
    }

    /// Computes a register from registers.
    const fn compute(
        form: &'static str,
        section: &'static str,
        cost: Cost,
        function: fn(Modifiers) -> Option<Function>,
    ) -> Self {
        Self::new(form, section, cost, Semantics::Compute(function))
    }

    /// Does anything else.
    const fn other(form: &'static str, section: &'static str, cost: Cost, lower: Lower) -> Self {
        Self::new(form, section, cost, Semantics::Other(lower))
    }

    /// Of instructions of the form, those that something else is true of.
    const fn when(self, case: &'static str, applies: fn(&Operation, &[Operand]) -> bool) -> Self {
        Self { case, applies, ..self }
    }

    /// Costs something else on compute capability 1.
    const fn on_capability_1(self, cost: Cost) -> Self {
        Self { on_capability_1: Some(cost), ..self }
    }

    const fn since_capability_7(self, cost: Cost) -> Self {
        Self { since_capability_7: Some(cost), ..self }
    }

    /// Is what not every GPU has.
    const fn needs(self, what: &'static str, major: u32, minor: u32) -> Self {
        Self { requirement: Some(Requirement { what, capability: (major, minor) }), ..self }
    }

    /// Works on f64, which GPUs have from compute capability 1.3 on (CUDA C Programming Guide 4, appendix F.1).
    const fn needs_double(self) -> Self {
        self.needs("double precision", 1, 3)
    }

    /// Whether it is the row of an instruction of its form.
    pub(super) fn applies(&self, operation: &Operation, operands: &[Operand]) -> bool {
        (self.applies)(operation, operands)
    }

    /// What it computes, if it is that.
    #[cfg(test)]
    pub(crate) fn function(&self, modifiers: &[&str], destination_bits: u8) -> Option<Function> {
        match self.semantics {
            Semantics::Compute(function) | Semantics::Compare(function) => {
                Modifiers::read(modifiers, destination_bits).and_then(function)
            }
            Semantics::Other(_) => None,
        }
    }

    /// What it costs on a GPU of this compute capability, major and minor.
    pub fn cost_on(&self, capability: (u32, u32)) -> Cost {
        if capability.0 < 2 {
            return self.on_capability_1.unwrap_or_else(|| self.cost.of_24_bit_products());
        }
        self.since_capability_7.filter(|_| capability.0 >= 7).unwrap_or(self.cost)
    }
}

/// One instruction of each class.
const INTEGER: Cost = Cost::of(Class::Integer);
const MULTIPLY: Cost = Cost::of(Class::Multiply);
const FLOAT: Cost = Cost::of(Class::Float);
const DOUBLE: Cost = Cost::of(Class::Double);
const SPECIAL: Cost = Cost::of(Class::Special);
const MOVE: Cost = Cost::of(Class::Move);
const CONTROL: Cost = Cost::of(Class::Control);
const EXCHANGE: Cost = Cost::of(Class::Exchange);
const OTHER: Cost = Cost::of(Class::Other);

/// What is a multiply-add from compute capability 7 on, where multipliers are as fast as adders and the compiler gives either half of such
/// work. Source: machine code of tests/gpu/constants/mixes.cu, and its rates in results/nvidia-h200/constants/mixes.csv.
const ADDITION: Cost = INTEGER.on(Unit::AddOrMultiply);

/// A product of which the upper half is wanted. Source: results/nvidia-h200/constants/units.csv, `mad.wide.u32`.
const WIDE_MULTIPLY: Cost = MULTIPLY.on(Unit::WideMultiply);

/// What adders of integers do to floats from compute capability 7 on: comparisons, the less and the greater of two, conversions to and from halves and
/// from integers of 32 bits. Source: results/nvidia-h200/constants/float_units.csv.
const BY_ADDERS: Unit = Unit::Integer;
/// The same of conversions; the special function units do the others, those of doubles among them.
const CONVERTED_BY_ADDERS: Cost = SPECIAL.on(BY_ADDERS);

/// A quotient or remainder of 32 bits on compute capability 1: as long as 32 additions (GPGPU-Sim, configs of the Quadro FX 5600 and
/// 5800: initiation interval of DIV).
const DIVIDE_ON_CAPABILITY_1: Cost = MULTIPLY.times(32);

/// Something that a GPU's compiler does away with.
const FREE: Cost = MOVE.times(0);

/// A product that compute capability 1 has a machine instruction for, as fast as an addition: its multiplier has 24 bits
/// (CUDA C Programming Guide 4, section 5.4.1).
const MULTIPLY_24: Cost = MULTIPLY.on(Unit::Integer);
