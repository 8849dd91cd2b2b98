//! Products of matrices by four warps together: each does its rows at once, when it comes to the instruction.

use super::access::{LaneProblem, SHARED, number, within};
use super::block::Surroundings;
use super::matrix::{element_of, put, to_bits, to_number};
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Longs, Mask, lanes_of};
use crate::program::{Descriptor, Element, Factor, GroupProduct, Part};

/// Warps of a group.
const WARPS: u32 = 4;

impl Warp {
    /// `wgmma.mma_async`
    pub(super) fn group_product<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        own: &GroupProduct,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let GroupProduct { shape, elements: [first, second, result], .. } = *own;
        let left = self.factor(around, own, Part::First, first, frame, mask)?;
        let right = self.factor(around, own, Part::Second, second, frame, mask)?;
        let adds = self.predicate(frame, own.adds);
        let held: Vec<Longs> = self.registers(around.program, frame, &own.sum);
        let mut results = vec![[0; LANES]; own.destinations.len()];
        for lane in lanes_of(mask) {
            for place in 0..shape.elements_of_lane(Part::Sum) {
                let (row, column) = shape.place(Part::Sum, result, lane, place);
                let is_added = adds & (1 << lane) != 0;
                let added = if is_added { to_number(result, element_of(&held, result, lane, place)) } else { 0.0 };
                let total = (0..shape.depth).fold(added, |all, along| {
                    let product = left[row * shape.depth + along] * right[column * shape.depth + along];
                    if own.negated { all - product } else { all + product }
                });
                put(&mut results, result, lane, place, to_bits(result, total, own.saturates));
            }
        }
        for (slot, value) in own.destinations.iter().zip(&results) {
            self.set_words(frame, *slot, &value.map(|bits| bits as u32), mask);
        }
        Ok(())
    }

    /// A factor's numbers, those along what the factors share beside each other.
    fn factor<M: GlobalMemory, O: Observer>(
        &self,
        around: &Surroundings<'_, M, O>,
        own: &GroupProduct,
        part: Part,
        element: Element,
        frame: &Frame,
        mask: Mask,
    ) -> Result<Vec<f64>, LaneProblem> {
        let shape = own.shape;
        let is_first = part == Part::First;
        let count = if is_first { shape.rows } else { shape.columns };
        let mut numbers = vec![0.0; count * shape.depth];
        let (factor, before) = match (&own.factors, is_first) {
            // The group's rows before those of this warp.
            ([first, _], true) => (first, (self.number % WARPS) as usize * shape.rows),
            ([_, second], false) => (second, 0),
        };
        match factor {
            Factor::Registers(registers) => {
                let registers = self.registers(around.program, frame, registers);
                for lane in lanes_of(mask) {
                    for place in 0..shape.elements_of_lane(part) {
                        let (row, column) = shape.place(part, element, lane, place);
                        numbers[row * shape.depth + column] =
                            to_number(element, element_of(&registers, element, lane, place));
                    }
                }
            }
            Factor::Shared { descriptor, across } => {
                let lane = lanes_of(mask).next().unwrap_or(0);
                let descriptor = Descriptor::from_bits(self.long(around.program, frame, *descriptor)[lane]);
                let shared = &around.block.shared;
                let bytes = element.bits() / 8;
                for line in 0..count {
                    for along in 0..shape.depth {
                        let address = descriptor.address(along, before + line, element, *across);
                        let place = within(SHARED, shared.len(), address, bytes as u32, "reads", lane)?;
                        numbers[line * shape.depth + along] = to_number(element, number(&shared[place..place + bytes]));
                    }
                }
            }
        }
        Ok(numbers)
    }
}
