//! From an instruction as it is written to what it does.

mod context;
mod data;
mod flow;
mod memory;
mod warp;

use super::decode::Context;
use super::operand::{Kind, source_counts};
use super::{Guard, LongSource, Operation, WordSource};
use crate::arithmetic::{self, Function};
use crate::class::Class;
use ptx_syntax::module::{Instruction, Operand};

/// What an instruction becomes.
pub(super) struct Lowered {
    pub(super) operation: Operation,
    pub(super) class: Class,
    pub(super) weight: u8,
    /// Class and weight on compute capability 1, if they are others there.
    pub(super) on_capability_1: Option<(Class, u8)>,
}

impl Lowered {
    pub(super) fn new(operation: Operation, class: Class) -> Self {
        Self { operation, class, weight: 1, on_capability_1: None }
    }

    pub(super) fn control(operation: Operation) -> Self {
        Self::new(operation, Class::Control)
    }

    /// The same, but on compute capability 1 it is an operand of the instruction that uses it, as whatever is in shared
    /// memory can be there.
    pub(super) fn operand_on_capability_1(self) -> Self {
        Self { on_capability_1: Some((Class::Move, 0)), ..self }
    }

    /// Something that a GPU's compiler does away with.
    pub(super) fn free(operation: Operation) -> Self {
        Self { operation, class: Class::Move, weight: 0, on_capability_1: None }
    }
}

/// Decodes an instruction, its guard aside.
///
/// # Errors
/// What is not supported, or not right.
pub(super) fn lower(context: &mut Context<'_, '_>, instruction: &Instruction) -> Result<Lowered, String> {
    let modifiers: Vec<&str> = instruction.modifiers.iter().map(String::as_str).collect();
    let parts = Parts { opcode: &instruction.opcode, modifiers: &modifiers, operands: &instruction.operands };
    match parts.opcode {
        "mov" => data::mov(context, &parts),
        "setp" => data::setp(context, &parts),
        "selp" => data::selp(context, &parts),
        "and" | "or" | "xor" | "not" if parts.has("pred") => data::predicates(context, &parts),
        "cvta" => data::cvta(context, &parts),
        "ld" => memory::load(context, &parts),
        "st" => memory::store(context, &parts),
        "atom" | "red" => memory::atomic(context, &parts),
        "cp" => memory::copy_async(context, &parts),
        "membar" | "fence" => memory::fence(&parts),
        "bra" => flow::branch(context, &parts),
        "brx" => flow::branch_indexed(context, &parts),
        "call" => flow::call(context, &parts),
        "ret" | "exit" | "trap" => flow::end(&parts),
        "nanosleep" => flow::sleep(context, &parts),
        "bar" | "barrier" => warp::barrier(context, &parts),
        "shfl" => warp::shuffle(context, &parts),
        "vote" => warp::vote(context, &parts),
        "activemask" => warp::active_mask(context, &parts),
        "match" => warp::match_lanes(context, &parts),
        "redux" => warp::reduce(context, &parts),
        _ => compute(context, &parts),
    }
}

/// An instruction's words.
pub(super) struct Parts<'a> {
    opcode: &'a str,
    modifiers: &'a [&'a str],
    operands: &'a [Operand],
}

impl Parts<'_> {
    fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The last modifier, which is the type of most instructions.
    fn ty(&self) -> &str {
        self.modifiers.last().copied().unwrap_or_default()
    }

    fn expect_operands(&self, counts: std::ops::RangeInclusive<usize>) -> Result<(), String> {
        if counts.contains(&self.operands.len()) {
            return Ok(());
        }
        let expected = if counts.start() == counts.end() {
            counts.start().to_string()
        } else {
            format!("{} to {}", counts.start(), counts.end())
        };
        Err(format!("{expected} operands are expected, not {}", self.operands.len()))
    }

    /// Refuses modifiers other than these.
    fn expect_words(&self, known: &[&str]) -> Result<(), String> {
        match self.modifiers.iter().find(|word| !known.contains(word)) {
            Some(word) => Err(format!("`.{word}` is not supported here")),
            None => Ok(()),
        }
    }
}

fn unsupported() -> String {
    "this instruction is not supported".to_owned()
}

/// Width of a type's name, such as 32 of `u32`.
fn bits_of(ty: &str) -> Option<u8> {
    let digits = ty.trim_start_matches(|letter: char| letter.is_ascii_lowercase());
    digits.parse().ok()
}

/// Whatever computes registers from registers.
fn compute(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let destination = parts.operands.first().ok_or_else(unsupported)?;
    let Operand::Name(destination) = destination else { return Err(unsupported()) };
    let Some(destination) = context.register_of(destination) else { return Err(unsupported()) };
    let found = arithmetic::find(parts.opcode, parts.modifiers, destination.bits);
    let operation = found.ok_or_else(unsupported)?;
    if super::operand::result_kind(&operation.function) != destination.kind {
        return Err("the destination is a register of another width".to_owned());
    }
    let (words, longs) = sources(context, &operation.function, &parts.operands[1..], parts.ty())?;
    Ok(Lowered {
        operation: Operation::Compute { function: operation.function, destination: destination.number, words, longs },
        class: operation.class,
        weight: operation.weight,
        on_capability_1: (destination.kind == Kind::Long).then(|| of_address(parts)).flatten(),
    })
}

/// Class and weight of 64-bit arithmetic on addresses where these have 32 bits, as on compute capability 1: nobody asks
/// for the upper half of its result, so the compiler leaves it out, and what is left of a product with a power of two is
/// a shift. That all such arithmetic is on addresses is an estimate.
fn of_address(parts: &Parts<'_>) -> Option<(Class, u8)> {
    let by_power_of_two = || matches!(parts.operands.get(2), Some(Operand::Integer(by)) if by.is_power_of_two());
    match parts.opcode {
        "add" | "sub" | "shl" => Some((Class::Integer, 1)),
        "mul" if parts.has("wide") && by_power_of_two() => Some((Class::Integer, 1)),
        "mad" if parts.has("wide") && by_power_of_two() => Some((Class::Integer, 2)),
        _ => None,
    }
}

/// Which operands of a function are words, in their order.
fn shape(function: &Function) -> &'static str {
    match function {
        Function::WW(_) | Function::WL(_) => "W",
        Function::LW(_) | Function::LL(_) => "L",
        Function::WWW(_) | Function::WWL(_) | Function::WWP(_) => "WW",
        Function::LLL(_) | Function::LLW(_) | Function::LLP(_) => "LL",
        Function::LWL(_) => "LW",
        Function::WWWW(_) => "WWW",
        Function::WWLL(_) => "WWL",
        Function::LLLL(_) => "LLL",
        Function::LWWL(_) => "LWW",
        Function::WWWWW(_) => "WWWW",
        Function::LLWWL(_) => "LLWW",
    }
}

/// A function's sources; places that it does not use hold a constant.
fn sources(
    context: &mut Context<'_, '_>,
    function: &Function,
    operands: &[Operand],
    ty: &str,
) -> Result<([WordSource; 4], [LongSource; 3]), String> {
    let shape = shape(function);
    if operands.len() != shape.len() {
        return Err(format!("{} sources are expected, not {}", shape.len(), operands.len()));
    }
    let (mut words, mut longs) = ([WordSource::Constant(0); 4], [LongSource::Constant(0); 3]);
    let (mut word, mut long) = (0, 0);
    for (operand, letter) in operands.iter().zip(shape.bytes()) {
        if letter == b'W' {
            words[word] = context.word(operand, ty)?;
            word += 1;
        } else {
            longs[long] = context.long(operand, ty)?;
            long += 1;
        }
    }
    debug_assert_eq!((word, long), source_counts(function));
    Ok((words, longs))
}

impl Context<'_, '_> {
    /// `@%p` or `@!%p`
    pub(super) fn guard(&self, guard: &ptx_syntax::module::Guard) -> Result<Guard, String> {
        Ok(Guard { predicate: self.predicate_register(&guard.register)?, negated: guard.negated })
    }
}
