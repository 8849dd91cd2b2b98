//! Comparisons, what is combined with their outcome, and choices by it.

use super::body::Body;
use super::folding::{Weights, is_read_once};
use super::shape::{Shape, Source};
use crate::arithmetic::Function;
use crate::hardware::lanes::LANES;
use crate::program::{Operation, Register};

/// Logic tells by itself whether its outcome is zero.
pub(super) fn compare(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    let Operation::Compare { function: Function::WWP(function), combine: None, .. } = &body.instruction(pc).operation
    else {
        return;
    };
    if let [value, Source::Constant(0)] = body.sources(pc)
        && let Some((logic, Shape::Logic { long: false })) = body.maker(*value)
        && body.are_together(pc, logic)
        && asks_for_zero(*function)
    {
        weights.set(pc, 0.0);
    }
}

/// Whether it is a comparison of words by `eq` or `ne`.
pub(super) fn asks_for_equality(operation: &Operation) -> bool {
    matches!(operation, Operation::Compare { function: Function::WWP(function), combine: None, .. } if asks_for_zero(*function))
}

/// Whether a comparison with zero is `eq` or `ne`.
fn asks_for_zero(function: fn(&[u32; LANES], &[u32; LANES]) -> u32) -> bool {
    let mut values = [1; LANES];
    (values[0], values[1], values[2]) = (0, u32::MAX, i32::MIN as u32);
    let outcome = function(&values, &[0; LANES]);
    outcome == 1 || outcome == !1
}

/// A comparison takes a predicate that its outcome is combined with; one from before a barrier is computed again.
pub(super) fn combine(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    let is_own = |register: &&Register| {
        let Some((from, shape)) = body.writer(**register) else { return false };
        body.are_together(from, pc) && body.graph.readers(**register).len() == 1 && shape == Shape::Compare
    };
    let is_barrier = |pc: u32| body.instruction(pc).operation.is_barrier();
    let is_near = |register: &Register| body.writer(*register).is_some_and(|(from, _)| !(from..pc).any(is_barrier));
    let reads = body.graph.reads(pc);
    if reads.iter().any(|own| is_own(&own)) && reads.iter().all(is_near) {
        weights.set(pc, 0.0);
    }
}

/// Where one of two values was computed for this only, it is computed over the other, for some lanes.
pub(super) fn select(body: &Body<'_>, weights: &mut Weights, pc: u32) {
    let is_last = |source: &Source| {
        let Some(register) = source.register() else { return false };
        body.graph.readers(register).iter().all(|reader| *reader <= pc)
    };
    let is_own = |source: &Source| {
        let Some((from, shape)) = body.maker(*source) else { return false };
        let computes = !matches!(shape, Shape::Memory | Shape::Other | Shape::Copy | Shape::Parameter | Shape::Bank);
        computes && is_read_once(body, *source) && body.are_together(from, pc)
    };
    if let [first, second] = body.sources(pc)
        && (is_own(first) && is_last(second) || is_own(second) && is_last(first))
    {
        weights.set(pc, 0.0);
    }
}
