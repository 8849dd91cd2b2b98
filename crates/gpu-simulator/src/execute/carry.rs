//! Integer arithmetic with a carry.

use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Mask};
use crate::program::{Carrying, Program};

impl Warp {
    pub(super) fn carry(&mut self, program: &Program, own: &Carrying, frame: &Frame, mask: Mask) {
        let source = |place: usize| {
            if own.long {
                *self.long(program, frame, own.longs[place])
            } else {
                self.word(program, frame, own.words[place]).map(u64::from)
            }
        };
        let [a, b, c] = [source(0), source(1), source(2)];
        let carry = own.carry_in.map_or(0, |slot| self.predicates[(frame.predicates + slot) as usize]);
        let (mut result, mut carry_out) = ([0; LANES], 0);
        for lane in 0..LANES {
            let operands = [a[lane], b[lane], c[lane]];
            let bits = if own.long { 64 } else { 32 };
            let (number, overflows) = own.function.of(operands, carry & (1 << lane) != 0, bits);
            result[lane] = number;
            carry_out |= Mask::from(overflows) << lane;
        }
        self.set_number(frame, own.destination, own.long, &result, mask);
        if let Some(slot) = own.carry_out {
            self.set_predicate(frame, slot, carry_out, mask);
        }
    }
}
