//! Neighbouring loads of shared memory that become one of 8 or 16 bytes, and neighbouring stores.
//!
//! What ptxas joins was read from the machine code of kernels that were made for this (`ptxas -arch sm_90` of CUDA 13.0, then `nvdisasm -c`;
//! so do `-arch sm_75`, `sm_80` and `sm_100`):
//!
//! | PTX, of an address that is a multiple of 16 | machine code |
//! | --- | --- |
//! | `ld.shared.f32` at 0, 4 | `LDS.64` |
//! | at 0, 4, 8; at 4, 8, 12; at 0, 4, 12; at 0, 4, 8, 12 in any order | `LDS.128` |
//! | at 4, 8; at 0, 8; at 0, 12; at 12, 16 | two `LDS` |
//! | `ld.shared.f64` at 0, 8; `ld.shared.v2.f32` at 0, 8; `v2` at 0 and one at 8 | `LDS.128` |
//! | `ld.shared.u32` at 0, `ld.shared.f32` at 4 | `LDS.64` |
//! | `ld.shared.f64` at 0, `ld.shared.f32` at 8, 12 | two `LDS.64` |
//! | `ld.shared.u16` to 16-bit registers at 0, 2; at 0, 2, 4 | `LDS`; `LDS.64` |
//! | `ld.shared.u8`, `.s16`, `.u16` to 32-bit registers, `.volatile` | one each |
//! | `st.shared.f32` at 0, 4; at 0, 4, 8, 12 in any order | `STS.64`; `STS.128` |
//! | at 0, 4, 8; at 4, 8, 12 | `STS.64` and `STS` |
//! | `st.shared.v2.f32` at 0, 8; `st.shared.f64` at 0, 8; `st.shared.u16` at 0, 2 | `STS.128`; `STS.128`; `STS` |
//! | `st.shared.v2.f32` at 0, `st.shared.f32` at 8, 12 | three |
//!
//! An address that is known to be a multiple of 8 gives pairs, one of which less is known gives none. What is known comes from the places of variables,
//! sums, products, shifts and masks, also through a loop (`alignment.rs`). A base and that base plus a number are the same base (`values.rs`).
//! Loads are joined across arithmetic, other loads, shuffles, votes, stores and atomics of global memory; not across stores and atomics of
//! shared memory (wherever they go), generic ones, barriers of blocks and warps, fences, sleeps, asynchronous copies, or a branch.
//! Stores are not joined across any other access of shared memory. The joined load stands where the first stood, the joined store where the
//! last did.

mod alignment;
#[cfg(test)]
mod tests;
mod values;

use super::control::{ControlFlow, is_only_arithmetic};
use super::decode::Constants;
use super::operand::Use;
use super::removal::without;
use super::{Access, AccessOrder, Address, Instruction, Kind, LongSource, Operation, Space, WordSource};
use alignment::{Alignments, Lowest, used, written};
use values::{Origin, Values, register_of};

/// The widest access of a lane.
const BYTES_MAX: u32 = 16;
/// The most elements that an instruction has.
const ELEMENTS_MAX: u32 = 4;

/// The code with neighbouring accesses joined in the function from `entry` on; `None` where none are.
pub(super) fn joined(code: &[Instruction], entry: u32, constants: &Constants) -> Option<Vec<Instruction>> {
    let range = entry..code.len() as u32;
    let flow = ControlFlow::new(code, range);
    let own = &code[entry as usize..];
    let mut joiner = Joiner {
        code: own,
        constants,
        alignments: Alignments::of(own, constants),
        result: own.to_vec(),
        removed: vec![false; own.len()],
    };
    for block in &flow.blocks {
        joiner.block((block.start - entry) as usize..(block.end - entry) as usize);
    }
    let Joiner { result, removed, .. } = joiner;
    removed.contains(&true).then(|| {
        let all = code[..entry as usize].iter().cloned().chain(result).collect();
        without(all, entry as usize, &removed)
    })
}

/// An access that may be joined with neighbours.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Where, in the function.
    place: usize,
    /// Its first element, among those of its line.
    first: u32,
    /// Its elements.
    count: u32,
}

/// Aligned bytes that accesses with the same base have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    is_load: bool,
    origin: Origin,
    /// Where it begins, from the origin's value on.
    begin: i64,
    /// The elements that it may have.
    elements: u32,
    element_bytes: u8,
    guard: Option<(Origin, bool)>,
}

/// The accesses of a line that nothing stands between.
struct Group {
    line: Line,
    pieces: Vec<Piece>,
}

struct Joiner<'a> {
    code: &'a [Instruction],
    constants: &'a Constants,
    alignments: Alignments,
    result: Vec<Instruction>,
    removed: Vec<bool>,
}

impl Joiner<'_> {
    fn block(&mut self, block: std::ops::Range<usize>) {
        let mut values = Values::default();
        let mut loads: Vec<Group> = Vec::new();
        let mut stores: Option<Group> = None;
        for place in block {
            let own = &self.code[place];
            let ends = Ends::of(&own.operation);
            if ends.loads {
                loads.drain(..).for_each(|group| self.join_loads(&group));
            }
            match self.piece(place, &values) {
                Some((line, piece)) if line.is_load => {
                    match loads.iter_mut().find(|group| group.line == line) {
                        Some(group) => group.pieces.push(piece),
                        None => loads.push(Group { line, pieces: vec![piece] }),
                    }
                    stores.take().iter().for_each(|group| self.join_stores(group));
                }
                Some((line, piece)) => match &mut stores {
                    Some(group) if group.line == line && group.takes(piece) => group.pieces.push(piece),
                    _ => {
                        let before = stores.replace(Group { line, pieces: vec![piece] });
                        before.iter().for_each(|group| self.join_stores(group));
                    }
                },
                None if ends.stores => stores.take().iter().for_each(|group| self.join_stores(group)),
                None => {}
            }
            values.follow(place, own, self.constants);
        }
        loads.iter().for_each(|group| self.join_loads(group));
        stores.iter().for_each(|group| self.join_stores(group));
    }

    /// What the instruction accesses of which line, if it may be joined with others.
    fn piece(&self, place: usize, values: &Values) -> Option<(Line, Piece)> {
        let own = &self.code[place];
        let (access, count, is_load) = match &own.operation {
            Operation::Load { access, destinations } => (access, destinations.len() as u32, true),
            Operation::Store { access, words, longs } if own.guard.is_none() => {
                (access, (words.len() + longs.len()) as u32, false)
            }
            _ => return None,
        };
        if !may_be_joined(access, is_load) {
            return None;
        }
        let (origin, offset) = values.of_base(access.address.base)?;
        let base = register_of(access.address.base).map_or(Lowest::of_constant(0), |own| self.alignments.get(own));
        let known = base.plus(Lowest::of_constant(access.address.offset as u64));
        let bytes = u32::from(access.element_bytes);
        let elements = ((1 << known.bits.min(4)) / bytes).min(BYTES_MAX / bytes).min(ELEMENTS_MAX);
        if elements < 2 {
            return None;
        }
        let behind = known.value as u32 & (elements * bytes - 1);
        if !behind.is_multiple_of(bytes) || behind / bytes + count > elements {
            return None;
        }
        let begin = offset.checked_add(access.address.offset)?.checked_sub(i64::from(behind))?;
        let guard = values.of_guard(own.guard);
        let line = Line { is_load, origin, begin, elements, element_bytes: access.element_bytes, guard };
        Some((line, Piece { place, first: behind / bytes, count }))
    }

    fn join_loads(&mut self, group: &Group) {
        let Some(first) = group.pieces.first() else { return };
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in &group.pieces {
            let is_apart = pieces.iter().all(|other| !other.meets(*piece));
            if is_apart && self.can_come_first(first.place, piece.place) {
                pieces.push(*piece);
            }
        }
        for part in parts(&pieces, group.line.elements, true) {
            self.join_load(&part);
        }
    }

    /// Whether what the load at `place` writes can be written as early as at `first`.
    fn can_come_first(&self, first: usize, place: usize) -> bool {
        let writes: Vec<_> = written(&self.code[place]).collect();
        let touches = |own: &Instruction| {
            used(&own.operation).iter().any(|(kind, slot, _)| writes.contains(&(*kind, *slot)))
                || own.guard.is_some_and(|guard| writes.contains(&(Kind::Predicate, guard.predicate)))
        };
        first == place || !self.code[first + 1..place].iter().any(touches) && !self.writes_any(first, &writes)
    }

    fn writes_any(&self, place: usize, registers: &[(Kind, u32)]) -> bool {
        written(&self.code[place]).any(|register| registers.contains(&register))
    }

    /// Whether what the store at `place` reads is the same as late as at `last`.
    fn can_come_last(&self, place: usize, last: usize) -> bool {
        let reads: Vec<_> = used(&self.code[place].operation)
            .into_iter()
            .filter(|(_, _, r#use)| *r#use == Use::Read)
            .map(|(kind, slot, _)| (kind, slot))
            .collect();
        // The base is the last one's.
        !self.code[place + 1..=last].iter().any(|own| written(own).any(|register| reads.contains(&register)))
    }

    fn join_load(&mut self, part: &Part) {
        let Some(first) = part.pieces.first() else { return };
        let mut all = vec![None; part.elements as usize];
        for piece in &part.pieces {
            if let Operation::Load { destinations, .. } = &self.code[piece.place].operation {
                let begin = (piece.first - part.first) as usize;
                all[begin..begin + destinations.len()].copy_from_slice(destinations);
            }
            self.removed[piece.place] = piece.place != first.place;
        }
        if let Operation::Load { access, destinations } = &mut self.result[first.place].operation {
            access.address = moved(access, first.first - part.first);
            access.signed = false;
            access.joined = part.joined();
            *destinations = all.into();
        }
    }

    fn join_stores(&mut self, group: &Group) {
        let Some(last) = group.pieces.last() else { return };
        let mut pieces: Vec<Piece> =
            group.pieces.iter().copied().filter(|piece| self.can_come_last(piece.place, last.place)).collect();
        pieces.sort_by_key(|piece| piece.place);
        for part in parts(&pieces, group.line.elements, false) {
            self.join_store(&part);
        }
    }

    fn join_store(&mut self, part: &Part) {
        let (Some(first), Some(last)) = (part.pieces.first(), part.pieces.last()) else { return };
        let mut in_order = part.pieces.clone();
        in_order.sort_by_key(|piece| piece.first);
        let (mut all_words, mut all_longs): (Vec<WordSource>, Vec<LongSource>) = (Vec::new(), Vec::new());
        for piece in &in_order {
            if let Operation::Store { words, longs, .. } = &self.code[piece.place].operation {
                all_words.extend_from_slice(words);
                all_longs.extend_from_slice(longs);
            }
            self.removed[piece.place] = piece.place != last.place;
        }
        self.result[last.place].line = self.code[first.place].line;
        if let Operation::Store { access, words, longs } = &mut self.result[last.place].operation {
            access.address = moved(access, last.first - part.first);
            access.joined = part.joined();
            *words = all_words.into();
            *longs = all_longs.into();
        }
    }
}

/// The address so many elements earlier.
fn moved(access: &Access, elements: u32) -> Address {
    let bytes = i64::from(elements) * i64::from(access.element_bytes);
    Address { offset: access.address.offset.wrapping_sub(bytes), ..access.address }
}

fn may_be_joined(access: &Access, is_load: bool) -> bool {
    let is_whole = match access.element_bytes {
        // Of other widths they are extended.
        2 => !access.signed && access.register_bits == 16 || !is_load,
        4 => !access.long,
        8 => access.long,
        _ => false,
    };
    let is_plain = !access.is_volatile && access.order != AccessOrder::Ordered;
    is_whole && is_plain && access.space == Space::Shared
}

impl Piece {
    fn meets(self, other: Self) -> bool {
        self.first < other.first + other.count && other.first < self.first + self.count
    }
}

impl Group {
    /// Whether a store may be joined with those before it.
    fn takes(&self, piece: Piece) -> bool {
        self.pieces.iter().all(|own| !own.meets(piece))
    }
}

/// Accesses that become one.
struct Part {
    pieces: Vec<Piece>,
    /// The first element of its line.
    first: u32,
    elements: u32,
}

impl Part {
    /// As how many of the widest of its pieces it is wide.
    fn joined(&self) -> u8 {
        let widest = self.pieces.iter().map(|piece| piece.count).max().unwrap_or(1);
        (self.elements / widest.max(1)) as u8
    }
}

/// What pieces become: all of a line where three elements are asked for, or four are stored, or its halves.
fn parts(pieces: &[Piece], elements: u32, is_load: bool) -> Vec<Part> {
    if !is_load && pieces.iter().any(|own| own.count != pieces[0].count) {
        return Vec::new();
    }
    let asked: u32 = pieces.iter().map(|piece| piece.count).sum();
    let within = |first: u32, elements: u32| {
        let inside = |piece: &&Piece| piece.first >= first && piece.first + piece.count <= first + elements;
        Part { pieces: pieces.iter().filter(inside).copied().collect(), first, elements }
    };
    let of_whole = if is_load && elements > 2 { 3 } else { elements };
    if asked >= of_whole {
        let whole = within(0, elements);
        return if whole.pieces.len() > 1 { vec![whole] } else { Vec::new() };
    }
    let halves = (0..elements).step_by(2).map(|first| within(first, 2));
    halves.filter(|half| half.pieces.len() == 2).collect()
}

/// Whether others may be told by the access what was accessed before it.
fn is_ordered(access: &Access) -> bool {
    access.order == AccessOrder::Ordered && !access.is_volatile
}

/// What accesses an instruction keeps apart that stand before and behind it.
struct Ends {
    loads: bool,
    stores: bool,
}

impl Ends {
    fn of(operation: &Operation) -> Self {
        let is_shared = |space: Space| matches!(space, Space::Shared | Space::Generic);
        let both = |is: bool| Self { loads: is, stores: is };
        match operation {
            Operation::Load { access, .. } | Operation::Store { access, .. } if is_ordered(access) => both(true),
            Operation::Load { access, .. } => {
                Self { loads: false, stores: is_shared(access.space) || access.is_volatile }
            }
            Operation::Store { access, .. } => {
                Self { loads: is_shared(access.space), stores: is_shared(access.space) || access.is_volatile }
            }
            Operation::Atomic(own) => both(is_shared(own.space) || own.order.fence.is_some()),
            Operation::Shuffle { .. }
            | Operation::Vote { .. }
            | Operation::ActiveMask { .. }
            | Operation::Match { .. }
            | Operation::Reduce { .. }
            | Operation::ReadSpecial { .. } => both(false),
            other => both(!is_only_arithmetic(other)),
        }
    }
}
