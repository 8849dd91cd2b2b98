//! Matrix instructions of a whole warp.

use super::access::{LaneProblem, SHARED, check_aligned, narrow, within};
use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::{AccessKind, Observer};
use super::warp::{Frame, Warp};
use crate::arithmetic::matrix::{brain, half, to_half, to_single};
use crate::hardware::lanes::{LANES, Mask, Words, lanes_of};
use crate::program::{Element, Product, Program, Rows, WordSource};

/// Bytes of a row, and rows of a matrix that is loaded or stored.
const ROW_BYTES: u32 = 16;
const ROWS: usize = 8;

impl Warp {
    /// `mma`. Each element of the result is rounded once from the sum of the exact products in an f64.
    pub(super) fn product(&mut self, program: &Program, own: &Product, frame: &Frame, mask: Mask) {
        let read = |sources: &[WordSource]| -> Vec<Words> {
            sources.iter().map(|source| *self.word(program, frame, *source)).collect()
        };
        let (first, second, sum) = (read(&own.first), read(&own.second), read(&own.sum));
        let per_register = own.element.per_register();
        let element = |word: u32, place: usize| match own.element {
            Element::Half => half((word >> (16 * place)) as u16),
            Element::Brain => brain((word >> (16 * place)) as u16),
            Element::Tensor => f64::from(f32::from_bits(word & 0xffff_e000)),
        };
        let mut factors = ([[0.0; 16]; 16], [[0.0; 8]; 16]);
        for lane in lanes_of(mask) {
            let (group, member) = (lane / 4, lane % 4);
            for (register, words) in first.iter().enumerate() {
                for place in 0..per_register {
                    let column = member * per_register + place + register / 2 * 4 * per_register;
                    factors.0[group + register % 2 * 8][column] = element(words[lane], place);
                }
            }
            for (register, words) in second.iter().enumerate() {
                for place in 0..per_register {
                    factors.1[member * per_register + place + register * 4 * per_register][group] =
                        element(words[lane], place);
                }
            }
        }
        let product = |row: usize, column: usize, added: f64| {
            (0..own.depth).fold(added, |all, place| all + factors.0[row][place] * factors.1[place][column])
        };
        let mut result = vec![[0; LANES]; own.destinations.len()];
        for lane in lanes_of(mask) {
            let (group, column) = (lane / 4, lane % 4 * 2);
            for place in 0..4 {
                let (row, column) = (group + place / 2 * 8, column + place % 2);
                if own.half_sum {
                    let added = half((sum[place / 2][lane] >> (16 * (place % 2))) as u16);
                    result[place / 2][lane] |= u32::from(to_half(product(row, column, added))) << (16 * (place % 2));
                } else {
                    let added = f64::from(f32::from_bits(sum[place][lane]));
                    result[place][lane] = to_single(product(row, column, added));
                }
            }
        }
        for (slot, value) in own.destinations.iter().zip(&result) {
            self.set_words(frame, *slot, value, mask);
        }
    }

    /// `ldmatrix` and `stmatrix`: the rows of the first matrix are where lanes 0 to 7 say, those of the next where 8 to 15 do.
    pub(super) fn rows<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        own: &Rows,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let addresses = self.addresses(around, &own.address, frame);
        let is_load = own.sources.is_empty();
        let (verb, kind) = if is_load { ("reads", AccessKind::Load) } else { ("writes", AccessKind::Store) };
        let count = own.destinations.len().max(own.sources.len());
        for matrix in 0..count {
            let mut starts = [0; ROWS];
            for (row, start) in starts.iter_mut().enumerate() {
                let lane = matrix * ROWS + row;
                check_aligned(addresses[lane], ROW_BYTES, verb, lane)?;
                *start = within(SHARED, around.block.shared.len(), addresses[lane], ROW_BYTES, verb, lane)?;
            }
            let stored = own.sources.get(matrix).map(|source| *self.word(around.program, frame, *source));
            let mut loaded: Words = [0; LANES];
            for lane in 0..LANES {
                for place in 0..2 {
                    let (row, column) = (lane / 4, lane % 4 * 2 + place);
                    let (row, column) = if own.transposed { (column, row) } else { (row, column) };
                    let bytes = &mut around.block.shared[starts[row] + 2 * column..][..2];
                    match &stored {
                        Some(words) => bytes.copy_from_slice(&((words[lane] >> (16 * place)) as u16).to_le_bytes()),
                        None => loaded[lane] |= u32::from(u16::from_le_bytes([bytes[0], bytes[1]])) << (16 * place),
                    }
                }
            }
            if let Some(slot) = own.destinations.get(matrix) {
                self.set_words(frame, *slot, &loaded, mask);
            }
            let reaching = 0xff << (matrix * ROWS);
            around.observer.shared(kind, &narrow(&addresses), reaching, ROW_BYTES);
        }
        Ok(())
    }
}
