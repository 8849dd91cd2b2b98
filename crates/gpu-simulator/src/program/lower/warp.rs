//! Barriers, and what the lanes of a warp tell each other.

use super::super::decode::Context;
use super::super::operand::Kind;
use super::super::{Barrier, BarrierKind, Operation, Reduction, ShuffleMode, VoteMode};
use super::{Parts, bits_of, unsupported};
use ptx_syntax::module::Operand;

pub(in crate::program) fn barrier(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let (kind, operands) = if parts.has("arrive") {
        parts.expect_operands(2..=2)?;
        (BarrierKind::Arrive, parts.operands)
    } else if parts.has("red") {
        parts.expect_operands(3..=4)?;
        let (first, rest, last) = ends(parts)?;
        let predicate = context.predicate(last)?;
        let kind = if parts.has("popc") {
            BarrierKind::Count { destination: context.destination(first, Kind::Word)?, predicate }
        } else {
            let destination = context.destination(first, Kind::Predicate)?;
            BarrierKind::Test { all: parts.has("and"), destination, predicate }
        };
        (kind, rest)
    } else {
        (BarrierKind::Synchronise, parts.operands)
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
    Ok(Operation::Barrier(Box::new(barrier)))
}

/// `bar.warp.sync`
pub(in crate::program) fn barrier_of_warp(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
) -> Result<Operation, String> {
    parts.expect_operands(1..=1)?;
    Ok(Operation::WarpBarrier { members: context.word(&parts.operands[0], "b32")? })
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

/// The operands of an exchange, and the members that come last where it waits for them: without, all lanes that are there.
fn members_of<const COUNT: usize>(operands: &[Operand], waits: bool) -> Result<(&[Operand; COUNT], Operand), String> {
    let (own, members) = if waits {
        let (members, own) = operands.split_last().ok_or_else(unsupported)?;
        (own, members.clone())
    } else {
        (operands, Operand::Integer(u64::from(u32::MAX)))
    };
    let expected = COUNT + usize::from(waits);
    let own = own.try_into().map_err(|_| format!("{expected} operands are expected, not {}", operands.len()))?;
    Ok((own, members))
}

pub(in crate::program) fn shuffle(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let modes = [
        ("up", ShuffleMode::Up),
        ("down", ShuffleMode::Down),
        ("bfly", ShuffleMode::Butterfly),
        ("idx", ShuffleMode::Index),
    ];
    let mode = parts.one_of(&modes)?;
    let waits = parts.has("sync");
    let ([target, value, lane, clamp], members) = members_of(parts.operands, waits)?;
    let (destination, in_range) = pair(context, target)?;
    let mut source = |operand| context.word(operand, "b32");
    let sources = [source(value)?, source(lane)?, source(clamp)?, source(&members)?];
    Ok(Operation::Shuffle { waits, mode, destination, in_range, sources })
}

pub(in crate::program) fn vote(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let modes =
        [("all", VoteMode::All), ("any", VoteMode::Any), ("uni", VoteMode::Uniform), ("ballot", VoteMode::Ballot)];
    let mode = parts.one_of(&modes)?;
    let waits = parts.has("sync");
    let ([target, predicate], members) = members_of(parts.operands, waits)?;
    let kind = if mode == VoteMode::Ballot { Kind::Word } else { Kind::Predicate };
    let destination = context.destination(target, kind)?;
    let predicate = context.predicate(predicate)?;
    let members = context.word(&members, "b32")?;
    Ok(Operation::Vote { waits, mode, destination, predicate, members })
}

pub(in crate::program) fn active_mask(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [target] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(target, Kind::Word)?;
    Ok(Operation::ActiveMask { destination })
}

pub(in crate::program) fn match_lanes(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let all = parts.has("all");
    let [target, value, members] = parts.operands else { return Err(unsupported()) };
    let (destination, agreed) = pair(context, target)?;
    let (word, long) = match bits_of(parts.ty()) {
        Some(32) => (Some(context.word(value, "b32")?), None),
        Some(64) => (None, Some(context.long(value, "b64")?)),
        _ => return Err(unsupported()),
    };
    let members = context.word(members, "b32")?;
    Ok(Operation::Match { all, destination, agreed, word, long, members })
}

/// `elect.sync d|p, members`
pub(in crate::program) fn elect(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [Operand::Pair(destination, elected), members] = parts.operands else { return Err(unsupported()) };
    Ok(Operation::Elect {
        destination: context.destination_or_discard(destination, Kind::Word)?,
        elected: context.destination_or_discard(elected, Kind::Predicate)?,
        members: context.word(members, "b32")?,
    })
}

/// `barrier.cluster`
pub(in crate::program) fn barrier_of_cluster(_: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(0..=0)?;
    Ok(Operation::ClusterBarrier { arrives: parts.has("arrive"), releases: !parts.has("relaxed") })
}

pub(in crate::program) fn reduce(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let signed = parts.ty() == "s32";
    let reductions = [
        ("add", Reduction::Add),
        ("min", Reduction::Min { signed }),
        ("max", Reduction::Max { signed }),
        ("and", Reduction::And),
        ("or", Reduction::Or),
        ("xor", Reduction::Xor),
    ];
    let reduction = parts.one_of(&reductions)?;
    let [target, value, members] = parts.operands else { return Err(unsupported()) };
    let destination = context.destination(target, Kind::Word)?;
    let (value, members) = (context.word(value, "b32")?, context.word(members, "b32")?);
    Ok(Operation::Reduce { reduction, destination, value, members })
}
