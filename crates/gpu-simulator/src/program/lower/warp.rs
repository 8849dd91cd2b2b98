//! Barriers, and what the lanes of a warp tell each other.

use super::super::decode::Context;
use super::super::operand::Kind;
use super::super::{Barrier, BarrierKind, Operation, Reduction, ShuffleMode, VoteMode};
use super::{Lowered, Parts, bits_of, unsupported};
use crate::class::Class;
use ptx_syntax::module::Operand;

pub(super) fn barrier(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let words: Vec<&str> = parts.modifiers.iter().copied().filter(|word| !["cta", "aligned"].contains(word)).collect();
    if words == ["warp", "sync"] {
        parts.expect_operands(1..=1)?;
        let members = context.word(&parts.operands[0], "b32")?;
        return Ok(Lowered::new(Operation::WarpBarrier { members }, Class::Barrier));
    }
    let (kind, operands) = match words[..] {
        ["sync"] => (BarrierKind::Synchronise, parts.operands),
        ["arrive"] => {
            parts.expect_operands(2..=2)?;
            (BarrierKind::Arrive, parts.operands)
        }
        ["red", "popc", "u32"] => {
            parts.expect_operands(3..=4)?;
            let (first, rest, last) = ends(parts)?;
            let kind = BarrierKind::Count {
                destination: context.destination(first, Kind::Word)?,
                predicate: context.predicate(last)?,
            };
            (kind, rest)
        }
        ["red", test @ ("and" | "or"), "pred"] => {
            parts.expect_operands(3..=4)?;
            let (first, rest, last) = ends(parts)?;
            let kind = BarrierKind::Test {
                all: test == "and",
                destination: context.destination(first, Kind::Predicate)?,
                predicate: context.predicate(last)?,
            };
            (kind, rest)
        }
        _ => return Err(unsupported()),
    };
    let (number, threads) = match operands {
        [number] => (number, None),
        [number, threads] => (number, Some(threads)),
        _ => return Err(unsupported()),
    };
    let barrier = Barrier {
        number: context.word(number, "u32")?,
        threads: threads.map(|operand| context.word(operand, "u32")).transpose()?,
        kind,
    };
    Ok(Lowered::new(Operation::Barrier(Box::new(barrier)), Class::Barrier))
}

fn ends<'a>(parts: &Parts<'a>) -> Result<(&'a Operand, &'a [Operand], &'a Operand), String> {
    match parts.operands {
        [first, rest @ .., last] => Ok((first, rest, last)),
        _ => Err(unsupported()),
    }
}

/// A destination register with a predicate beside it, `d|p`.
fn pair(context: &Context<'_, '_>, operand: &Operand) -> Result<(u32, Option<u32>), String> {
    match operand {
        Operand::Pair(first, second) => {
            Ok((context.destination(first, Kind::Word)?, context.destination_or_discard(second, Kind::Predicate)?))
        }
        only => Ok((context.destination(only, Kind::Word)?, None)),
    }
}

pub(super) fn shuffle(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let mode = match parts.modifiers {
        ["sync", "up", "b32"] => ShuffleMode::Up,
        ["sync", "down", "b32"] => ShuffleMode::Down,
        ["sync", "bfly", "b32"] => ShuffleMode::Butterfly,
        ["sync", "idx", "b32"] => ShuffleMode::Index,
        _ => return Err(unsupported()),
    };
    let [target, value, lane, clamp, members] = parts.operands else { return Err(unsupported()) };
    let (destination, in_range) = pair(context, target)?;
    let mut source = |operand| context.word(operand, "b32");
    let sources = [source(value)?, source(lane)?, source(clamp)?, source(members)?];
    Ok(Lowered::new(Operation::Shuffle { mode, destination, in_range, sources }, Class::Exchange))
}

pub(super) fn vote(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let mode = match parts.modifiers {
        ["sync", "all", "pred"] => VoteMode::All,
        ["sync", "any", "pred"] => VoteMode::Any,
        ["sync", "uni", "pred"] => VoteMode::Uniform,
        ["sync", "ballot", "b32"] => VoteMode::Ballot,
        _ => return Err(unsupported()),
    };
    let [target, predicate, members] = parts.operands else { return Err(unsupported()) };
    let kind = if mode == VoteMode::Ballot { Kind::Word } else { Kind::Predicate };
    let destination = context.destination(target, kind)?;
    let predicate = context.predicate(predicate)?;
    let members = context.word(members, "b32")?;
    Ok(Lowered::new(Operation::Vote { mode, destination, predicate, members }, Class::Exchange))
}

pub(super) fn active_mask(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let [target] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(target, Kind::Word)?;
    Ok(Lowered::new(Operation::ActiveMask { destination }, Class::Exchange))
}

pub(super) fn match_lanes(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let all = match parts.modifiers {
        ["all", "sync", _] => true,
        ["any", "sync", _] => false,
        _ => return Err(unsupported()),
    };
    let [target, value, members] = parts.operands else { return Err(unsupported()) };
    let (destination, agreed) = pair(context, target)?;
    let (word, long) = match bits_of(parts.ty()) {
        Some(32) => (Some(context.word(value, "b32")?), None),
        Some(64) => (None, Some(context.long(value, "b64")?)),
        _ => return Err(unsupported()),
    };
    let members = context.word(members, "b32")?;
    Ok(Lowered::new(Operation::Match { all, destination, agreed, word, long, members }, Class::Exchange))
}

pub(super) fn reduce(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Lowered, String> {
    let reduction = match parts.modifiers {
        ["sync", "add", "u32" | "s32"] => Reduction::Add,
        ["sync", "min", ty @ ("u32" | "s32")] => Reduction::Min { signed: *ty == "s32" },
        ["sync", "max", ty @ ("u32" | "s32")] => Reduction::Max { signed: *ty == "s32" },
        ["sync", "and", "b32"] => Reduction::And,
        ["sync", "or", "b32"] => Reduction::Or,
        ["sync", "xor", "b32"] => Reduction::Xor,
        _ => return Err(unsupported()),
    };
    let [target, value, members] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(target, Kind::Word)?;
    let (value, members) = (context.word(value, "b32")?, context.word(members, "b32")?);
    Ok(Lowered::new(Operation::Reduce { reduction, destination, value, members }, Class::Exchange))
}
