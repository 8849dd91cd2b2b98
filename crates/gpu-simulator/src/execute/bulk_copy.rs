//! Bulk copies, which are executed at once: of bytes that lie side by side, and of tiles of matrices.

use super::access::{LaneProblem, SHARED, check_aligned, locate, narrow, number, problem, resolve, within};
use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::{AccessKind, Copying, Counted, Observer};
use super::phase::{BARRIER_BYTES, VERB as COUNTS, leave, look};
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Longs, Mask, lanes_of};
use crate::program::{BulkCopy, Copied, Space};
use crate::tensor_map::{Swizzle, TENSOR_MAP_BYTES, TensorMap};
use crate::windows::place_of;

/// What addresses and sizes of bulk copies are multiples of.
const BULK_BYTES: u32 = 16;
/// What the place of a tile in shared memory is a multiple of.
const TILE_BYTES: u32 = 128;
/// Bytes of a bulk copy that reach memory together.
const LINE_BYTES: u32 = 128;
const VERB: &str = "copies";

/// A piece of a copy, whose bytes lie side by side in both memories.
#[derive(Clone, Copy)]
struct Piece {
    /// Its address; `None` where the matrix has no such elements, which are zeros in shared memory.
    global: Option<u64>,
    /// Where it is in the shared memory of its block.
    shared: u64,
    bytes: u32,
}

impl Warp {
    /// `cp.async.bulk`
    pub(super) fn bulk_copy<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        own: &BulkCopy,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let to = self.addresses(around, &own.destination, frame);
        let from = self.addresses(around, &own.source, frame);
        let barriers = own.barrier.map(|address| self.addresses(around, &address, frame));
        let (global, shared) = if own.to_shared { (from, to) } else { (to, from) };
        let mut pieces = Vec::new();
        for lane in lanes_of(mask) {
            pieces.clear();
            let (bytes, piece_bytes) = match &own.copied {
                Copied::Bytes(source) => {
                    let bytes = self.word(around.program, frame, *source)[lane];
                    let shared = around.own_place(shared[lane], (bytes, VERB), lane)?;
                    for number in [global[lane], shared, u64::from(bytes)] {
                        check_aligned(number, BULK_BYTES, VERB, lane)?;
                    }
                    pieces.push(Piece { global: Some(global[lane]), shared, bytes });
                    (bytes, LINE_BYTES)
                }
                Copied::Tile(sources) => {
                    let map = tensor_map(around, global[lane], lane)?;
                    let corner = sources.map(|source| self.word(around.program, frame, source)[lane].cast_signed());
                    let shared = around.own_place(shared[lane], (map.tile_bytes(), VERB), lane)?;
                    check_aligned(shared, TILE_BYTES, VERB, lane)?;
                    pieces_of_tile(&map, corner, shared, &mut pieces);
                    (map.tile_bytes(), map.row_bytes().min(LINE_BYTES))
                }
            };
            for piece in &pieces {
                piece.copy(around, own.to_shared, lane)?;
            }
            tell(around, own.to_shared, piece_bytes, &pieces);
            if !own.to_shared {
                around.observer.copying(Copying::BegunInBulk);
            }
            if let Some(barriers) = &barriers {
                let barrier = around.own_place(barriers[lane], (BARRIER_BYTES, COUNTS), lane)?;
                let (place, state) = look(&around.block.shared, barrier, lane)?;
                let next = state.after(0, (bytes as i32).wrapping_neg(), false);
                leave(&mut around.block.shared, place, next);
                let completes = next.is_past(state);
                let (barrier, what) = (place as u32, Counted::BulkCopy);
                around.observer.copying(Copying::Counts { barrier, what, completes });
            }
        }
        Ok(())
    }
}

/// The descriptor at a generic address.
fn tensor_map<M: GlobalMemory, O: Observer>(
    around: &Surroundings<'_, M, O>,
    address: u64,
    lane: usize,
) -> Result<TensorMap, LaneProblem> {
    const VERB: &str = "reads the tensor map";
    const BYTES: u32 = TENSOR_MAP_BYTES as u32;
    check_aligned(address, 64, VERB, lane)?;
    let (space, offset) = resolve(address);
    let mut bytes = [0; TENSOR_MAP_BYTES];
    let (name, memory): (&str, &[u8]) = match space {
        Space::Parameter => ("the kernel's parameters", &around.shape.parameters),
        Space::Constant => ("constant memory", &around.program.constants),
        Space::Global => {
            let (allocation, place) = locate(around.memory, address, BYTES, VERB, lane)?;
            for (index, held) in bytes.chunks_exact_mut(8).enumerate() {
                held.copy_from_slice(&around.memory.read((allocation, place + 8 * index), 8).to_le_bytes());
            }
            ("", &[])
        }
        _ => {
            let reason = "which is in neither global nor constant memory nor a parameter".to_owned();
            return Err(problem(BYTES, address, VERB, reason, lane));
        }
    };
    if space != Space::Global {
        let place = within(name, memory.len(), offset, BYTES, VERB, lane)?;
        bytes.copy_from_slice(&memory[place..place + TENSOR_MAP_BYTES]);
    }
    TensorMap::from_bytes(&bytes).ok_or_else(|| {
        let reason = "where there is none that this simulated GPU made".to_owned();
        problem(BYTES, address, VERB, reason, lane)
    })
}

/// The pieces of the tile whose first element is in this column and row, which may lie outside of the matrix.
fn pieces_of_tile(map: &TensorMap, [column, row]: [i32; 2], shared: u64, pieces: &mut Vec<Piece>) {
    let row_bytes = map.row_bytes();
    // A swizzle moves pieces of 16 bytes; without one, a row stays together.
    let step = if map.swizzle == Swizzle::None { row_bytes } else { BULK_BYTES };
    for tile_row in 0..map.tile_rows {
        let row = i64::from(row) + i64::from(tile_row);
        let is_row = u64::try_from(row).is_ok_and(|row| row < map.rows);
        for from in (0..row_bytes).step_by(step as usize) {
            let place = shared + u64::from(map.swizzle.place(tile_row * row_bytes + from));
            let first_byte = i64::from(column) * i64::from(map.element_bytes) + i64::from(from);
            let last_byte = first_byte + i64::from(step);
            // The bytes of the piece that the row of the matrix has; those before and behind them are outside.
            let row_end = if is_row { map.columns.wrapping_mul(map.element_bytes.into()) as i64 } else { 0 };
            let there = first_byte.max(0)..last_byte.min(row_end);
            let there = if there.is_empty() { last_byte..last_byte } else { there };
            let parts = [(first_byte..there.start, false), (there.clone(), true), (there.end..last_byte, false)];
            for (part, is_there) in parts.into_iter().filter(|(part, _)| !part.is_empty()) {
                let global = is_there.then(|| {
                    map.address.wrapping_add((row as u64).wrapping_mul(map.pitch_bytes)).wrapping_add(part.start as u64)
                });
                let shared = place + (part.start - first_byte) as u64;
                pieces.push(Piece { global, shared, bytes: (part.end - part.start) as u32 });
            }
        }
    }
}

impl Piece {
    fn copy<M: GlobalMemory, O: Observer>(
        self,
        around: &mut Surroundings<'_, M, O>,
        to_shared: bool,
        lane: usize,
    ) -> Result<(), LaneProblem> {
        let Self { global, shared, bytes } = self;
        let start = within(SHARED, around.block.shared.len(), shared, bytes, VERB, lane)?;
        if bytes == 0 {
            return Ok(());
        }
        let Some(global) = global else {
            around.block.shared[start..start + bytes as usize].fill(0);
            return Ok(());
        };
        let verb = if to_shared { "reads" } else { "writes" };
        let (allocation, place) = locate(around.memory, global, bytes, verb, lane)?;
        if to_shared {
            around.memory.read_into((allocation, place), &mut around.block.shared[start..start + bytes as usize]);
            return Ok(());
        }
        // Whole words of 8 bytes, and one of 1, 2 or 4 at a time at the end of a matrix.
        let mut index = 0;
        while index < bytes as usize {
            let size = [8, 4, 2].into_iter().find(|size| index + size <= bytes as usize).unwrap_or(1);
            let held = &around.block.shared[start + index..start + index + size];
            let at = (allocation, place + index);
            around.memory.write(at, size as u32, number(held));
            index += size;
        }
        Ok(())
    }
}

/// Tells the observer of a copy: as of a warp that copies a line, or a row of a tile where that is shorter, four bytes a lane.
fn tell<M: GlobalMemory, O: Observer>(
    around: &mut Surroundings<'_, M, O>,
    to_shared: bool,
    piece_bytes: u32,
    pieces: &[Piece],
) {
    let (far, near) =
        if to_shared { (AccessKind::Load, AccessKind::Store) } else { (AccessKind::Store, AccessKind::Load) };
    // What follows in global memory what was last told of is told of together with it: a swizzle parts pieces of a line in shared memory only.
    let mut waiting: Option<(u64, u64, u32)> = None;
    let told = |around: &mut Surroundings<'_, M, O>, (global, shared, bytes): (u64, u64, u32)| {
        let mask = Mask::MAX >> (LANES as u32 - (bytes / 4).clamp(1, LANES as u32));
        let line = |start: u64| -> Longs { std::array::from_fn(|lane| start.wrapping_add(4 * lane as u64)) };
        around.observer.bulk_copied((far, &line(global).map(place_of)), (near, &narrow(&line(shared))), mask);
    };
    for piece in pieces {
        let Some(global) = piece.global else { continue };
        let mut done = 0;
        while done < piece.bytes {
            let at = (global.wrapping_add(u64::from(done)), piece.shared + u64::from(done));
            let bytes = match waiting {
                Some((begun, _, bytes)) if at.0 == begun + u64::from(bytes) && bytes < piece_bytes => {
                    let more = (piece_bytes - bytes).min(piece.bytes - done);
                    waiting = waiting.map(|(global, shared, bytes)| (global, shared, bytes + more));
                    more
                }
                _ => {
                    if let Some(own) = waiting.take() {
                        told(around, own);
                    }
                    let bytes = piece_bytes.min(piece.bytes - done);
                    waiting = Some((at.0, at.1, bytes));
                    bytes
                }
            };
            done += bytes;
        }
    }
    if let Some(own) = waiting {
        told(around, own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Global address, place in shared memory and bytes of each piece.
    fn pieces(map: &TensorMap, corner: [i32; 2]) -> Vec<(Option<u64>, u64, u32)> {
        let mut all = Vec::new();
        pieces_of_tile(map, corner, 1024, &mut all);
        all.iter().map(|own| (own.global, own.shared, own.bytes)).collect()
    }

    /// A matrix of 3 rows of 10 words, in tiles of 2 rows of 8 words.
    const MAP: TensorMap = TensorMap {
        address: 0x1000,
        element_bytes: 4,
        columns: 10,
        rows: 3,
        pitch_bytes: 48,
        tile_columns: 8,
        tile_rows: 2,
        swizzle: Swizzle::None,
    };

    #[test]
    fn a_tile_has_a_piece_for_each_row() {
        assert_eq!(pieces(&MAP, [1, 1]), [(Some(0x1034), 1024, 32), (Some(0x1064), 1056, 32)]);
    }

    /// PTX ISA, "Tensors": elements outside of the matrix are zeros.
    #[test]
    fn what_the_matrix_does_not_have_is_no_piece_of_it() {
        let right_and_below = [(Some(0x1078), 1024, 16), (None, 1040, 16), (None, 1056, 32)];
        assert_eq!(pieces(&MAP, [6, 2]), right_and_below);
        let left_and_above = [(None, 1024, 32), (None, 1056, 8), (Some(0x1000), 1064, 24)];
        assert_eq!(pieces(&MAP, [-2, -1]), left_and_above);
        assert!(pieces(&MAP, [i32::MAX, i32::MIN]).iter().all(|(global, ..)| global.is_none()));
    }

    #[test]
    fn a_swizzle_moves_pieces_of_16_bytes() {
        let map = TensorMap { tile_columns: 32, columns: 32, pitch_bytes: 128, swizzle: Swizzle::Bytes128, ..MAP };
        let places: Vec<u64> = pieces(&map, [0, 0]).iter().map(|(_, place, _)| (place - 1024) / 16).collect();
        assert_eq!(places[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(places[8..], [9, 8, 11, 10, 13, 12, 15, 14]);
    }
}
