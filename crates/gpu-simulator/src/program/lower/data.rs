//! Moves, comparisons, selections, predicates and address conversions.

use super::super::decode::Context;
use super::super::operand::{Kind, PredicateSource};
use super::super::{Comparison, Logic, LongSource, Operation, Special, WordSource};
use super::{Lowered, Parts, compute, sources, unsupported};
use crate::arithmetic;
use crate::class::Class;
use crate::windows::window_base;
use ptx_syntax::module::{Operand, Space as SyntaxSpace};

pub(super) fn mov(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    parts.expect_operands(2..=2)?;
    if parts.has("pred") {
        return predicates(context, parts);
    }
    let [destination, source] = parts.operands else { return Err(unsupported()) };
    match (destination, source) {
        (Operand::Vector(halves), _) => unpack(context, halves, source, parts),
        (_, Operand::Vector(halves)) => pack(context, destination, halves),
        (_, Operand::Name(name)) if context.scope.find(name).is_none() && name.starts_with('%') => {
            read_special(context, destination, name)
        }
        _ => {
            let register = context.register(destination)?;
            let long = register.kind == Kind::Long;
            if let Some(slice) = context.frame_place(source) {
                let operation = Operation::LocalAddress { destination: register.number, long, offset: slice.offset };
                return Ok(Lowered::free(operation));
            }
            if let Operand::Sum { name, offset } = source
                && let Some(slice) = context.frame_place(&Operand::Name(name.clone()))
            {
                let offset = u32::try_from(i64::from(slice.offset) + offset).map_err(|_| "the offset is too large")?;
                return Ok(Lowered::free(Operation::LocalAddress { destination: register.number, long, offset }));
            }
            compute(context, parts)
        }
    }
}

fn pack(context: &mut Context<'_, '_>, destination: &Operand, halves: &[Operand]) -> Result<Lowered, String> {
    let [low, high] = halves else { return Err("only two halves are supported".to_owned()) };
    let register = context.register(destination)?;
    let half_type = if register.kind == Kind::Long { "b32" } else { "b16" };
    let halves = [context.word(low, half_type)?, context.word(high, half_type)?];
    Ok(Lowered::free(match register.kind {
        Kind::Long => Operation::PackLong { destination: register.number, halves },
        Kind::Word => Operation::PackWord { destination: register.number, halves },
        Kind::Predicate => return Err(unsupported()),
    }))
}

fn unpack(
    context: &mut Context<'_, '_>,
    halves: &[Operand],
    source: &Operand,
    parts: &Parts<'_>,
) -> Result<Lowered, String> {
    let [low, high] = halves else { return Err("only two halves are supported".to_owned()) };
    let halves = [context.destination_or_discard(low, Kind::Word)?, context.destination_or_discard(high, Kind::Word)?];
    Ok(Lowered::free(match super::bits_of(parts.ty()) {
        Some(64) => Operation::UnpackLong { halves, source: context.long(source, parts.ty())? },
        Some(32) => Operation::UnpackWord { halves, source: context.word(source, parts.ty())? },
        _ => return Err(unsupported()),
    }))
}

fn read_special(context: &Context<'_, '_>, destination: &Operand, name: &str) -> Result<Lowered, String> {
    let special = special(name).ok_or_else(|| format!("the special register {name} is not supported"))?;
    let register = context.register(destination)?;
    if register.kind == Kind::Predicate {
        return Err(format!("{destination} is a predicate"));
    }
    let long = register.kind == Kind::Long;
    let operation = Operation::ReadSpecial { special, destination: register.number, long };
    let lowered = Lowered::new(operation, if special == Special::Clock { Class::Other } else { Class::Integer });
    // There the numbers and extents of blocks are in shared memory.
    let in_shared_memory = matches!(special, Special::BlockIndex(_) | Special::BlockExtent(_) | Special::GridExtent(_));
    Ok(if in_shared_memory { lowered.operand_on_capability_1() } else { lowered })
}

fn special(name: &str) -> Option<Special> {
    let (base, component) = name.strip_prefix('%')?.split_once('.').unwrap_or((&name[1..], ""));
    let axis = match component {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        "" => return scalar_special(base),
        _ => return None,
    };
    match base {
        "tid" => Some(Special::ThreadIndex(axis)),
        "ntid" => Some(Special::BlockExtent(axis)),
        "ctaid" => Some(Special::BlockIndex(axis)),
        "nctaid" => Some(Special::GridExtent(axis)),
        _ => None,
    }
}

fn scalar_special(name: &str) -> Option<Special> {
    Some(match name {
        "laneid" => Special::Lane,
        "warpid" => Special::Warp,
        "nwarpid" => Special::Warps,
        "smid" => Special::Multiprocessor,
        "nsmid" => Special::Multiprocessors,
        "lanemask_eq" => Special::LaneMask(Comparison::Equal),
        "lanemask_lt" => Special::LaneMask(Comparison::Less),
        "lanemask_le" => Special::LaneMask(Comparison::LessEqual),
        "lanemask_gt" => Special::LaneMask(Comparison::Greater),
        "lanemask_ge" => Special::LaneMask(Comparison::GreaterEqual),
        "clock" | "clock64" => Special::Clock,
        "globaltimer" | "globaltimer_lo" => Special::Timer,
        "dynamic_smem_size" => Special::DynamicShared,
        "total_smem_size" => Special::TotalShared,
        "envreg1" => Special::Environment(1),
        "envreg2" => Special::Environment(2),
        "gridid" => Special::Zero,
        _ => return None,
    })
}

fn logic(word: &str) -> Option<Logic> {
    match word {
        "and" => Some(Logic::And),
        "or" => Some(Logic::Or),
        "xor" => Some(Logic::Xor),
        _ => None,
    }
}

pub(super) fn predicates(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let sources = if matches!(parts.opcode, "mov" | "not") { 1 } else { 2 };
    parts.expect_operands(sources + 1..=sources + 1)?;
    let destination = context.destination(&parts.operands[0], Kind::Predicate)?;
    let source = |index: usize| match parts.operands.get(index) {
        Some(operand) => context.predicate(operand),
        None => Err(unsupported()),
    };
    let (logic, second) = match parts.opcode {
        "mov" => (Logic::Xor, PredicateSource::Constant(false)),
        "not" => (Logic::Xor, PredicateSource::Constant(true)),
        opcode => (logic(opcode).ok_or_else(unsupported)?, source(2)?),
    };
    let operation = Operation::Predicates { logic, destination, first: source(1)?, second };
    Ok(if parts.opcode == "mov" { Lowered::free(operation) } else { Lowered::new(operation, Class::Integer) })
}

pub(super) fn setp(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    parts.expect_operands(3..=4)?;
    let combined = parts.modifiers.iter().find_map(|word| logic(word));
    let modifiers: Vec<&str> = parts.modifiers.iter().copied().filter(|word| logic(word).is_none()).collect();
    let found = arithmetic::find("setp", &modifiers, 1).ok_or_else(unsupported)?;
    let (destination, complement) = match &parts.operands[0] {
        Operand::Pair(first, second) => (
            context.destination_or_discard(first, Kind::Predicate)?,
            context.destination_or_discard(second, Kind::Predicate)?,
        ),
        only => (context.destination_or_discard(only, Kind::Predicate)?, None),
    };
    let combine = match (combined, parts.operands.get(3)) {
        (Some(logic), Some(operand)) => Some((logic, context.predicate(operand)?)),
        (None, None) => None,
        _ => return Err("a combined comparison has one more predicate, a plain one has none".to_owned()),
    };
    let (words, longs) = sources(context, &found.function, &parts.operands[1..3], parts.ty())?;
    Ok(Lowered {
        operation: Operation::Compare {
            function: found.function,
            destination,
            complement,
            combine,
            words: [words[0], words[1]],
            longs: [longs[0], longs[1]],
        },
        class: found.class,
        weight: found.weight,
        on_capability_1: None,
    })
}

pub(super) fn selp(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    parts.expect_operands(4..=4)?;
    let [destination, first, second, predicate] = parts.operands else { return Err(unsupported()) };
    let register = context.register(destination)?;
    let predicate = context.predicate(predicate)?;
    let destination = register.number;
    let operation = match (register.kind, super::bits_of(parts.ty())) {
        (Kind::Predicate, None) if parts.has("pred") => Operation::SelectPredicate {
            destination,
            first: context.predicate(first)?,
            second: context.predicate(second)?,
            predicate,
        },
        (Kind::Word, Some(16 | 32)) => {
            let (first, second) = (context.word(first, parts.ty())?, context.word(second, parts.ty())?);
            Operation::SelectWord { destination, first, second, predicate }
        }
        (Kind::Long, Some(64)) => {
            let (first, second) = (context.long(first, parts.ty())?, context.long(second, parts.ty())?);
            Operation::SelectLong { destination, first, second, predicate }
        }
        _ => return Err(unsupported()),
    };
    Ok(Lowered::new(operation, Class::Integer))
}

/// `cvta` adds the base of a space's window to an address, `cvta.to` takes it away.
pub(super) fn cvta(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    parts.expect_operands(2..=2)?;
    let space = parts.modifiers.iter().find_map(|word| match *word {
        "global" => Some(SyntaxSpace::Global),
        "shared" | "shared::cta" => Some(SyntaxSpace::Shared),
        "local" => Some(SyntaxSpace::Local),
        "const" => Some(SyntaxSpace::Const),
        "param" => Some(SyntaxSpace::Param),
        _ => None,
    });
    let base = space.and_then(window_base).ok_or_else(unsupported)?;
    if super::bits_of(parts.ty()) != Some(64) {
        return Err("only 64-bit generic addresses are supported".to_owned());
    }
    let destination = context.destination(&parts.operands[0], Kind::Long)?;
    let source = context.long(&parts.operands[1], "u64")?;
    let base = context.constants.long(if parts.has("to") { base.wrapping_neg() } else { base });
    let found = arithmetic::find("add", &["u64"], 64).ok_or_else(unsupported)?;
    let longs: [LongSource; 3] = [source, base, base];
    let words = [WordSource::Constant(0); 4];
    Ok(Lowered::free(Operation::Compute { function: found.function, destination, words, longs }))
}
