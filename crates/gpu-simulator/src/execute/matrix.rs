//! Matrix instructions of a whole warp.

use super::access::{LaneProblem, SHARED, check_aligned, narrow, within};
use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::{AccessKind, Observer};
use super::warp::{Frame, Warp};
use crate::arithmetic::matrix::{brain, fine_byte, half, to_half, to_single, wide_byte};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::program::{Element, Fragment, MatrixRegister, Part, Product, Program, Rows};

/// Bytes of a row, and rows of a matrix that is loaded or stored.
const ROW_BYTES: u32 = 16;
const ROWS: usize = 8;

/// The number that an element's bits are.
pub(super) fn to_number(element: Element, bits: u64) -> f64 {
    match element {
        Element::Half => half(bits as u16),
        Element::Brain => brain(bits as u16),
        Element::Tensor => f64::from(f32::from_bits(bits as u32 & 0xffff_e000)),
        Element::Single => f64::from(f32::from_bits(bits as u32)),
        Element::Double => f64::from_bits(bits),
        Element::FineByte => fine_byte(bits as u8),
        Element::WideByte => wide_byte(bits as u8),
        Element::SignedByte => f64::from(bits as u8 as i8),
        Element::UnsignedByte => f64::from(bits as u8),
        Element::SignedNibble => f64::from((bits as u8) << 4 >> 4) - f64::from(bits as u8 & 8) * 2.0,
        Element::UnsignedNibble => f64::from(bits as u8 & 15),
        Element::Whole => f64::from(bits as u32 as i32),
    }
}

/// The bits of a result that was computed exactly, or rounded to an f64.
pub(super) fn to_bits(element: Element, number: f64, saturates: bool) -> u64 {
    match element {
        Element::Half => u64::from(to_half(number)),
        Element::Double => number.to_bits(),
        // Products of bytes and their sums are exact in an f64, so they wrap as whole numbers do.
        Element::Whole if saturates => u64::from(number as i32 as u32),
        Element::Whole => u64::from(number as i64 as u32),
        _ => u64::from(to_single(number)),
    }
}

/// The bits of the `number`-th element that a lane has in these registers.
pub(super) fn element_of(registers: &[Longs], element: Element, lane: usize, number: usize) -> u64 {
    let per_register = element.per_register();
    let bits = registers[number / per_register][lane] >> (number % per_register * element.bits() % 64);
    bits & (u64::MAX >> (64 - element.bits()))
}

/// Puts a lane's element into its register, which held zeros.
pub(super) fn put(registers: &mut [Longs], element: Element, lane: usize, number: usize, bits: u64) {
    let per_register = element.per_register();
    registers[number / per_register][lane] |= bits << (number % per_register * element.bits() % 64);
}

impl Warp {
    pub(super) fn registers(&self, program: &Program, frame: &Frame, sources: &[MatrixRegister]) -> Vec<Longs> {
        let register = |source: &MatrixRegister| match source {
            MatrixRegister::Word(source) => self.word(program, frame, *source).map(u64::from),
            MatrixRegister::Long(source) => *self.long(program, frame, *source),
        };
        sources.iter().map(register).collect()
    }

    /// Writes registers, over and over where there are more destinations.
    fn set_registers(&mut self, frame: &Frame, element: Element, slots: &[u32], values: &[Longs], mask: Mask) {
        for (slot, value) in slots.iter().zip(values.iter().cycle()) {
            self.set_number(frame, *slot, element == Element::Double, value, mask);
        }
    }

    /// `mma` and `wmma.mma`. Each element of the result is rounded once from the sum of the exact products in an f64; of f64, each sum is
    /// rounded with its product.
    pub(super) fn product(&mut self, program: &Program, own: &Product, frame: &Frame, mask: Mask) {
        let Product { shape, elements: [first, second, sum, result], .. } = *own;
        let [a, b, c] = [0, 1, 2].map(|part: usize| self.registers(program, frame, &own.sources[part]));
        let mut factors = (vec![0.0; shape.rows * shape.depth], vec![0.0; shape.depth * shape.columns]);
        for lane in lanes_of(mask) {
            for number in 0..shape.elements_of_lane(Part::First) {
                let (row, column) = shape.place(Part::First, first, lane, number);
                factors.0[row * shape.depth + column] = to_number(first, element_of(&a, first, lane, number));
            }
            for number in 0..shape.elements_of_lane(Part::Second) {
                let (row, column) = shape.place(Part::Second, second, lane, number);
                factors.1[row * shape.columns + column] = to_number(second, element_of(&b, second, lane, number));
            }
        }
        let count = shape.elements_of_lane(Part::Sum);
        let mut results = vec![[0; LANES]; count.div_ceil(result.per_register())];
        for lane in lanes_of(mask) {
            for number in 0..count {
                let (row, column) = shape.place(Part::Sum, result, lane, number);
                let added = to_number(sum, element_of(&c, sum, lane, number));
                let pairs = (0..shape.depth)
                    .map(|place| (factors.0[row * shape.depth + place], factors.1[place * shape.columns + column]));
                let total = if result == Element::Double {
                    pairs.fold(added, |all, (left, right)| left.mul_add(right, all))
                } else {
                    pairs.fold(added, |all, (left, right)| all + left * right)
                };
                put(&mut results, result, lane, number, to_bits(result, total, own.saturates));
            }
        }
        self.set_registers(frame, result, &own.destinations, &results, mask);
    }

    /// `wmma.load` and `wmma.store`: an access for each element of a lane.
    pub(super) fn fragment<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        own: &Fragment,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let starts = self.addresses(around, &own.address, frame);
        let (rows, columns) = own.shape.extents(own.part);
        let packed = if own.by_columns { rows } else { columns };
        let stride = match own.stride {
            Some(source) => *self.word(around.program, frame, source),
            None => [packed as u32; LANES],
        };
        let size = own.element.bits() as u32 / 8;
        let is_load = own.sources.is_empty();
        let count = own.shape.elements_of_lane(own.part);
        let stored = self.registers(around.program, frame, &own.sources);
        let mut loaded = vec![[0; LANES]; count.div_ceil(own.element.per_register())];
        for number in 0..count {
            let addresses: Longs = std::array::from_fn(|lane| {
                let (row, column) = own.shape.place(own.part, own.element, lane, number);
                let (line, place) = if own.by_columns { (column, row) } else { (row, column) };
                let elements = (line as u64) * u64::from(stride[lane]) + place as u64;
                starts[lane].wrapping_add(elements * u64::from(size))
            });
            let mut values = [[0; LANES]];
            if !is_load {
                for lane in lanes_of(mask) {
                    values[0][lane] = element_of(&stored, own.element, lane, number);
                }
            }
            let told = (size, if is_load { "reads" } else { "writes" });
            Self::by_space(around, own.space, (&addresses, mask), told, |around, space, offsets, mask| {
                if is_load {
                    self.read_elements(around, space, offsets, mask, size, &mut values)
                } else {
                    self.write_elements(around, space, offsets, mask, size, &values)
                }
            })?;
            if is_load {
                lanes_of(mask).for_each(|lane| put(&mut loaded, own.element, lane, number, values[0][lane]));
            }
        }
        if is_load {
            self.set_registers(frame, own.element, &own.destinations, &loaded, mask);
        }
        Ok(())
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
