//! Barriers in shared memory, and bulk copies.

use super::super::decode::Context;
use super::super::operand::Kind;
use super::super::phase::{BulkCopy, Copied, Phase, PhaseAction};
use super::super::{Operation, Space};
use super::memory::space_of;
use super::{Parts, unsupported};
use ptx_syntax::module::Operand;

fn space(parts: &Parts<'_>) -> Result<Space, String> {
    match parts.modifiers.iter().find_map(|word| space_of(word)).unwrap_or(Space::Generic) {
        space @ (Space::Shared | Space::Generic) => Ok(space),
        _ => Err("it must be in shared memory".to_owned()),
    }
}

fn on(
    context: &mut Context<'_, '_>,
    parts: &Parts<'_>,
    action: PhaseAction,
    place: &Operand,
    number: Option<&Operand>,
) -> Result<Phase, String> {
    let (address, space) = context.address(place, space(parts)?)?;
    let number = number.map(|operand| context.word(operand, "u32")).transpose()?;
    Ok(Phase { action, space, address, number, state: None, destination: None, suspends: false })
}

/// `mbarrier` without a result: `init`, `inval`, `expect_tx`, `complete_tx`.
pub(in crate::program) fn change(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let action = parts.one_of(&[
        ("init", PhaseAction::Initialise),
        ("inval", PhaseAction::Invalidate),
        ("expect_tx", PhaseAction::Expect),
        ("complete_tx", PhaseAction::Complete),
    ])?;
    let count = if action == PhaseAction::Invalidate { 1 } else { 2 };
    parts.expect_operands(count..=count)?;
    let own = on(context, parts, action, &parts.operands[0], parts.operands.get(1))?;
    Ok(Operation::Phase(Box::new(own)))
}

/// `mbarrier.arrive` and `mbarrier.arrive_drop`, with the state before it, or without.
pub(in crate::program) fn arrive(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let action = PhaseAction::Arrive { drops: parts.has("arrive_drop"), expects: parts.has("expect_tx") };
    let (destination, operands) = match parts.operands {
        operands @ [Operand::Address { .. }, ..] => (None, operands),
        [first, rest @ ..] => (context.destination_or_discard(first, Kind::Long)?, rest),
        [] => return Err(unsupported()),
    };
    let (place, number) = match operands {
        [place] => (place, None),
        [place, number] => (place, Some(number)),
        _ => return Err(unsupported()),
    };
    let own = on(context, parts, action, place, number)?;
    Ok(Operation::Phase(Box::new(Phase { destination, ..own })))
}

/// `mbarrier.test_wait` and `mbarrier.try_wait`, which tells too that the phase is not complete: programs ask again.
pub(in crate::program) fn test(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(3..=4)?;
    let destination = context.destination_or_discard(&parts.operands[0], Kind::Predicate)?;
    let by_parity = parts.has("parity");
    let parity = Some(&parts.operands[2]).filter(|_| by_parity);
    let own = on(context, parts, PhaseAction::Test, &parts.operands[1], parity)?;
    let state = if by_parity { None } else { Some(context.long(&parts.operands[2], "b64")?) };
    Ok(Operation::Phase(Box::new(Phase { state, destination, suspends: parts.has("try_wait"), ..own })))
}

/// `cp.async.mbarrier.arrive`
pub(in crate::program) fn copies_arrive(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    parts.expect_operands(1..=1)?;
    let action = PhaseAction::ArriveBehindCopies { is_counted: parts.has("noinc") };
    let own = on(context, parts, action, &parts.operands[0], None)?;
    Ok(Operation::Phase(Box::new(own)))
}

/// `cp.async.bulk` between global and shared memory.
pub(in crate::program) fn bulk_copy(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let to_shared = parts.has("mbarrier::complete_tx::bytes");
    let [destination, source, bytes, rest @ ..] = parts.operands else { return Err(unsupported()) };
    let (to, from) = if to_shared { (Space::Shared, Space::Global) } else { (Space::Global, Space::Shared) };
    let barrier = match (to_shared, rest) {
        (true, [barrier, ..]) => Some(context.address(barrier, Space::Shared)?.0),
        (false, _) => None,
        _ => return Err(unsupported()),
    };
    Ok(Operation::BulkCopy(Box::new(BulkCopy {
        destination: context.address(destination, to)?.0,
        source: context.address(source, from)?.0,
        to_shared,
        copied: Copied::Bytes(context.word(bytes, "u32")?),
        barrier,
    })))
}

/// `cp.async.bulk.tensor.2d` from global to shared memory.
pub(in crate::program) fn tile_copy(context: &mut Context<'_, '_>, parts: &Parts<'_>) -> Result<Operation, String> {
    let [destination, Operand::Texel(source), barrier, ..] = parts.operands else { return Err(unsupported()) };
    let [Operand::Name(map), Operand::Vector(coordinates)] = source.as_slice() else { return Err(unsupported()) };
    let [column, row] = coordinates.as_slice() else {
        return Err(format!("a tile of a matrix has two coordinates, not {}", coordinates.len()));
    };
    let map = Operand::Address { base: Some(map.clone()), offset: 0 };
    Ok(Operation::BulkCopy(Box::new(BulkCopy {
        destination: context.address(destination, Space::Shared)?.0,
        source: context.address(&map, Space::Generic)?.0,
        to_shared: true,
        copied: Copied::Tile([context.word(column, "s32")?, context.word(row, "s32")?]),
        barrier: Some(context.address(barrier, Space::Shared)?.0),
    })))
}
