//! Moves, comparisons, selections, predicates and address conversions.

use super::super::decode::Context;
use super::super::operand::{Kind, PredicateSource};
use super::super::{Comparison, Logic, LongSource, Operation, Special, WordSource};
use super::{Parts, compute, sources, unsupported};
use crate::arithmetic::compare::{is_in_no_window, is_in_window};
use crate::arithmetic::{Function, Modifiers, bit, integer};
use crate::windows::{CONSTANT_WINDOW, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, window_base};
use ptx_syntax::module::{Operand, Space as SyntaxSpace};

pub(in crate::program) fn mov(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(2..=2)?;
    let [destination, source] = parts.operands else { return Err(unsupported()) };
    match (destination, source) {
        (Operand::Vector(halves), _) => unpack(context, halves, source, parts),
        (_, Operand::Vector(halves)) => pack(context, destination, halves),
        (_, Operand::Name(name)) if context.entity(name).is_none() && name.starts_with('%') => {
            read_special(context, destination, name)
        }
        _ => {
            let register = context.register(destination)?;
            let long = register.kind == Kind::Long;
            if let Some(slice) = context.frame_place(source) {
                return Ok(Operation::LocalAddress { destination: register.number, long, offset: slice.offset });
            }
            if let Operand::Sum { name, offset } = source
                && let Some(slice) = context.frame_place(&Operand::Name(name.clone()))
            {
                let offset = u32::try_from(i64::from(slice.offset) + offset).map_err(|_| "the offset is too large")?;
                return Ok(Operation::LocalAddress { destination: register.number, long, offset });
            }
            compute(context, parts, bit::copy)
        }
    }
}

fn pack(context: &mut Context<'_, '_>, destination: &Operand, halves: &[Operand]) -> Result<Operation, String> {
    let [low, high] = halves else { return Err("only two halves are supported".to_owned()) };
    let register = context.register(destination)?;
    let half_type = if register.kind == Kind::Long { "b32" } else { "b16" };
    let halves = [context.word(low, half_type)?, context.word(high, half_type)?];
    match register.kind {
        Kind::Long => Ok(Operation::PackLong { destination: register.number, halves }),
        Kind::Word => Ok(Operation::PackWord { destination: register.number, halves }),
        Kind::Predicate => Err(unsupported()),
    }
}

fn unpack(
    context: &mut Context<'_, '_>,
    halves: &[Operand],
    source: &Operand,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    let [low, high] = halves else { return Err("only two halves are supported".to_owned()) };
    let halves = [context.destination_or_discard(low, Kind::Word)?, context.destination_or_discard(high, Kind::Word)?];
    match super::bits_of(parts.ty()) {
        Some(64) => Ok(Operation::UnpackLong { halves, source: context.long(source, parts.ty())? }),
        Some(32) => Ok(Operation::UnpackWord { halves, source: context.word(source, parts.ty())? }),
        _ => Err(unsupported()),
    }
}

fn read_special(context: &Context<'_, '_>, destination: &Operand, name: &str) -> Result<Operation, String> {
    let special = special(name).ok_or_else(|| format!("the special register {name} is not supported"))?;
    let register = context.register(destination)?;
    if register.kind == Kind::Predicate {
        return Err(format!("{destination} is a predicate"));
    }
    let long = register.kind == Kind::Long;
    Ok(Operation::ReadSpecial { special, destination: register.number, long })
}

/// Whether the name is that of a special register of 32 bits.
pub(in crate::program) fn is_special(name: &str) -> bool {
    name.starts_with('%') && special(name).is_some() && !matches!(name, "%clock64" | "%globaltimer" | "%gridid")
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
        "clusterid" => Some(Special::ClusterIndex(axis)),
        "nclusterid" => Some(Special::ClusterCount(axis)),
        "cluster_ctaid" => Some(Special::BlockOfCluster(axis)),
        "cluster_nctaid" => Some(Special::ClusterExtent(axis)),
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
        "cluster_ctarank" => Special::Rank,
        "cluster_nctarank" => Special::Ranks,
        "gridid" | "reserved_smem_offset_begin" | "reserved_smem_offset_1" => Special::Zero,
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

pub(in crate::program) fn and_predicates(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    two_predicates(context, parts, Logic::And)
}

pub(in crate::program) fn or_predicates(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    two_predicates(context, parts, Logic::Or)
}

pub(in crate::program) fn xor_predicates(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    two_predicates(context, parts, Logic::Xor)
}

pub(in crate::program) fn move_predicate(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    if let [destination, Operand::Name(name)] = parts.operands
        && name == "%is_explicit_cluster"
    {
        return Ok(Operation::IsCluster { destination: context.destination(destination, Kind::Predicate)? });
    }
    one_predicate(context, parts, false)
}

pub(in crate::program) fn not_predicate(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    one_predicate(context, parts, true)
}

fn two_predicates(context: &Context<'_, '_>, parts: &Parts<'_>, logic: Logic) -> Result<Operation, String> {
    parts.expect_operands(3..=3)?;
    let [destination, first, second] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(destination, Kind::Predicate)?;
    let (first, second) = (context.predicate(first)?, context.predicate(second)?);
    Ok(Operation::Predicates { logic, destination, first, second })
}

/// The same predicate, or its opposite.
fn one_predicate(context: &Context<'_, '_>, parts: &Parts<'_>, flips: bool) -> Result<Operation, String> {
    parts.expect_operands(2..=2)?;
    let [destination, source] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(destination, Kind::Predicate)?;
    let (first, second) = (context.predicate(source)?, PredicateSource::Constant(flips));
    Ok(Operation::Predicates { logic: Logic::Xor, destination, first, second })
}

/// `setp`
pub(in crate::program) fn compare(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
    function: fn(Modifiers) -> Option<Function>,
) -> Result<Operation, String> {
    parts.expect_operands(3..=4)?;
    let combined = parts.modifiers.iter().find_map(|word| logic(word));
    let function = Modifiers::read(parts.modifiers, 1).and_then(function).ok_or_else(unsupported)?;
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
    let (words, longs) = sources(context, &function, &parts.operands[1..3], parts.ty())?;
    Ok(Operation::Compare {
        function,
        destination,
        complement,
        combine,
        words: [words[0], words[1]],
        longs: [longs[0], longs[1]],
    })
}

/// `selp` of registers.
pub(in crate::program) fn select(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(4..=4)?;
    let [destination, first, second, predicate] = parts.operands else { return Err(unsupported()) };
    let predicate = context.predicate(predicate)?;
    let ty = parts.ty();
    if super::bits_of(ty) == Some(64) {
        let destination = context.destination(destination, Kind::Long)?;
        let (first, second) = (context.long(first, ty)?, context.long(second, ty)?);
        return Ok(Operation::SelectLong { destination, first, second, predicate });
    }
    let destination = context.destination(destination, Kind::Word)?;
    let (first, second) = (context.word(first, ty)?, context.word(second, ty)?);
    Ok(Operation::SelectWord { destination, first, second, predicate })
}

pub(in crate::program) fn select_predicate(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    parts.expect_operands(4..=4)?;
    let [destination, first, second, predicate] = parts.operands else { return Err(unsupported()) };
    Ok(Operation::SelectPredicate {
        destination: context.destination(destination, Kind::Predicate)?,
        first: context.predicate(first)?,
        second: context.predicate(second)?,
        predicate: context.predicate(predicate)?,
    })
}

/// `isspacep`: whether a generic address is in a space's window.
pub(in crate::program) fn is_in_space(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(2..=2)?;
    let (function, base) = match parts.ty() {
        "global" => (is_in_no_window(), SHARED_WINDOW),
        "local" => (is_in_window(), LOCAL_WINDOW),
        "const" => (is_in_window(), CONSTANT_WINDOW),
        "param" | "param::entry" => (is_in_window(), PARAMETER_WINDOW),
        _ => (is_in_window(), SHARED_WINDOW),
    };
    let destination = Some(context.destination(&parts.operands[0], Kind::Predicate)?);
    let longs = [context.long(&parts.operands[1], "u64")?, context.constants.long(base)];
    let words = [WordSource::Constant(0); 2];
    Ok(Operation::Compare { function, destination, complement: None, combine: None, words, longs })
}

/// An address of 32 or of 64 bits.
fn address_of(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
    operand: &Operand,
) -> Result<(Option<WordSource>, Option<LongSource>), String> {
    if super::bits_of(parts.ty()) == Some(64) {
        return Ok((None, Some(context.long(operand, "u64")?)));
    }
    Ok((Some(context.word(operand, "u32")?), None))
}

/// `mapa`
pub(in crate::program) fn map_address(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(3..=3)?;
    let [destination, address, rank] = parts.operands else { return Err(unsupported()) };
    let (word, long) = address_of(context, parts, address)?;
    let kind = if long.is_some() { Kind::Long } else { Kind::Word };
    let destination = context.destination(destination, kind)?;
    Ok(Operation::Map { destination, word, long, rank: context.word(rank, "u32")? })
}

/// `getctarank`
pub(in crate::program) fn rank_of_address(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    parts.expect_operands(2..=2)?;
    let [destination, address] = parts.operands else { return Err(unsupported()) };
    let (word, long) = address_of(context, parts, address)?;
    Ok(Operation::RankOf { destination: context.destination(destination, Kind::Word)?, word, long })
}

/// `cvta` adds the base of a space's window to an address, `cvta.to` takes it away.
pub(in crate::program) fn cvta(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(2..=2)?;
    let space = parts.modifiers.iter().find_map(|word| match *word {
        "global" => Some(SyntaxSpace::Global),
        "shared" | "shared::cta" | "shared::cluster" => Some(SyntaxSpace::Shared),
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
    let function = Modifiers::read(&["u64"], 64).and_then(integer::add).ok_or_else(unsupported)?;
    let longs: [LongSource; 3] = [source, base, base];
    let words = [WordSource::Constant(0); 4];
    Ok(Operation::Compute { function, destination, words, longs })
}
