//! Loads, stores and asynchronous copies.

use super::block::Surroundings;
use super::cluster::{Told, are_own};
use super::fault::Problem;
use super::memory::{GlobalMemory, MemoryProblem};
use super::observer::{AccessKind, Copying, Observer};
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};
use crate::program::{Access, Address, Base, LongSource, Space, WordSource};
use crate::windows::{CONSTANT_WINDOW, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, place_of, window};

pub(super) type LaneProblem = (Problem, Option<usize>);

/// Shared memory in messages.
pub(super) const SHARED: &str = "the block's shared memory";

/// Values of up to four elements of every lane.
type Elements = [Longs; 4];

/// The space that a generic address is in, and the offset there.
pub(super) fn resolve(address: u64) -> (Space, u64) {
    for (base, space) in [
        (SHARED_WINDOW, Space::Shared),
        (LOCAL_WINDOW, Space::Local),
        (CONSTANT_WINDOW, Space::Constant),
        (PARAMETER_WINDOW, Space::Parameter),
    ] {
        if window(base).contains(&address) {
            return (space, address - base);
        }
    }
    (Space::Global, address)
}

pub(super) fn problem(bytes: u32, address: u64, verb: &'static str, reason: String, lane: usize) -> LaneProblem {
    (Problem::Memory(MemoryProblem { bytes, address, verb, reason }), Some(lane))
}

/// Checks a place of a memory that is one array, and gives it.
pub(super) fn within(
    memory: &str,
    size: usize,
    address: u64,
    bytes: u32,
    verb: &'static str,
    lane: usize,
) -> Result<usize, LaneProblem> {
    if address.saturating_add(u64::from(bytes)) <= size as u64 {
        return Ok(address as usize);
    }
    Err(problem(bytes, address, verb, format!("beyond the {size} bytes of {memory}"), lane))
}

pub(super) fn check_aligned(address: u64, bytes: u32, verb: &'static str, lane: usize) -> Result<(), LaneProblem> {
    // Sizes are powers of two.
    if address & u64::from(bytes - 1) == 0 {
        return Ok(());
    }
    Err(problem(bytes, address, verb, format!("which is no multiple of {bytes}"), lane))
}

fn check_all_aligned(addresses: &Longs, mask: Mask, bytes: u32, verb: &'static str) -> Result<(), LaneProblem> {
    // Most often all are aligned, lanes that do not take part too.
    if addresses.iter().fold(0, |all, address| all | address) & u64::from(bytes - 1) == 0 {
        return Ok(());
    }
    lanes_of(mask).try_for_each(|lane| check_aligned(addresses[lane], bytes, verb, lane))
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    if let [a, b, c, d] = *bytes {
        return u64::from(u32::from_le_bytes([a, b, c, d]));
    }
    let mut all = [0; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(all)
}

impl Warp {
    /// The address of every lane.
    pub(super) fn addresses<M: GlobalMemory, O: Observer>(
        &self,
        around: &Surroundings<'_, M, O>,
        address: &Address,
        frame: &Frame,
    ) -> Longs {
        let offset = address.offset as u64;
        match address.base {
            Base::Long(source) => self.long(around.program, frame, source).map(|base| base.wrapping_add(offset)),
            Base::Word(source) => {
                self.word(around.program, frame, source).map(|base| u64::from(base.wrapping_add(offset as u32)))
            }
            Base::Frame => [u64::from(frame.local).wrapping_add(offset); LANES],
            Base::Zero => [offset; LANES],
        }
    }

    /// Calls `access` for each space in which lanes of the mask have their addresses, with offsets in that space; for shared memory, for each
    /// block of the cluster in whose it is.
    pub(super) fn by_space<M: GlobalMemory, O: Observer>(
        around: &mut Surroundings<'_, M, O>,
        space: Space,
        (addresses, mask): (&Longs, Mask),
        told: Told,
        mut access: impl FnMut(&mut Surroundings<'_, M, O>, Space, &Longs, Mask) -> Result<(), LaneProblem>,
    ) -> Result<(), LaneProblem> {
        let mut of_block = |around: &mut Surroundings<'_, M, O>, space, offsets: &Longs, mask| match space {
            Space::Shared => {
                around.by_rank(offsets, mask, told, |around, places, mask| access(around, Space::Shared, places, mask))
            }
            _ => access(around, space, offsets, mask),
        };
        if space != Space::Generic {
            return of_block(around, space, addresses, mask);
        }
        let mut offsets = *addresses;
        let mut rest = mask;
        while let Some(first) = lanes_of(rest).next() {
            let (space, _) = resolve(addresses[first]);
            let mut same = 0;
            for lane in lanes_of(rest) {
                let (own, offset) = resolve(addresses[lane]);
                if own == space {
                    offsets[lane] = offset;
                    same |= 1 << lane;
                }
            }
            of_block(around, space, &offsets, same)?;
            rest &= !same;
        }
        Ok(())
    }

    pub(super) fn load<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        access: &Access,
        destinations: &[Option<u32>],
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        if let (Space::Shared, Base::Word(base), 4, false, [Some(slot)]) =
            (access.space, access.address.base, access.element_bytes, access.long, destinations)
            && let offset = access.address.offset as u32
            && are_own(&self.word(around.program, frame, base).map(|base| base.wrapping_add(offset)), mask)
        {
            return self.load_shared_word(around, base, access.address.offset as u32, *slot, frame, mask);
        }
        let addresses = self.addresses(around, &access.address, frame);
        let mut values: Elements = [[0; LANES]; 4];
        let size = u32::from(access.element_bytes);
        let told = (size * destinations.len() as u32, "reads");
        Self::by_space(around, access.space, (&addresses, mask), told, |around, space, offsets, mask| {
            let values = &mut values[..destinations.len()];
            if space == Space::Shared && destinations.contains(&None) {
                return Self::read_some(around, offsets, mask, size, destinations, values);
            }
            self.read_elements(around, space, offsets, mask, size, values)
        })?;
        for (destination, value) in destinations.iter().zip(&mut values) {
            let Some(slot) = destination else { continue };
            if access.signed && access.element_bytes < 8 {
                let shift = 64 - 8 * u32::from(access.element_bytes);
                let keep = u64::MAX >> (64 - u32::from(access.register_bits));
                value.iter_mut().for_each(|value| *value = ((*value << shift) as i64 >> shift) as u64 & keep);
            }
            self.set_number(frame, *slot, access.long, value, mask);
        }
        Ok(())
    }

    /// The commonest load: a word of shared memory for each lane.
    fn load_shared_word<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        base: WordSource,
        offset: u32,
        slot: u32,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let offsets = self.word(around.program, frame, base).map(|base| base.wrapping_add(offset));
        let shared = &around.block.shared;
        let mut value: Words = [0; LANES];
        for lane in lanes_of(mask) {
            let start = offsets[lane];
            check_aligned(u64::from(start), 4, "reads", lane)?;
            value[lane] = match shared.get(start as usize..).and_then(|rest| rest.first_chunk()) {
                Some(bytes) => u32::from_le_bytes(*bytes),
                None => within(SHARED, shared.len(), u64::from(start), 4, "reads", lane).map(|_| 0)?,
            };
        }
        around.observer.shared(AccessKind::Load, &offsets, mask, 4);
        self.set_words(frame, slot, &value, mask);
        Ok(())
    }

    /// Reads elements of `size` bytes of shared memory, of which nobody asks for some: these may lie beyond its end.
    fn read_some<M: GlobalMemory, O: Observer>(
        around: &mut Surroundings<'_, M, O>,
        offsets: &Longs,
        mask: Mask,
        size: u32,
        destinations: &[Option<u32>],
        values: &mut [Longs],
    ) -> Result<(), LaneProblem> {
        let bytes = size * values.len() as u32;
        check_all_aligned(offsets, mask, bytes, "reads")?;
        let shared = &around.block.shared;
        for (index, (value, _)) in values.iter_mut().zip(destinations).enumerate().filter(|(_, own)| own.1.is_some()) {
            for lane in lanes_of(mask) {
                let address = offsets[lane].saturating_add(index as u64 * u64::from(size));
                let place = within(SHARED, shared.len(), address, size, "reads", lane)?;
                value[lane] = number(&shared[place..place + size as usize]);
            }
        }
        around.observer.shared(AccessKind::Load, &narrow(offsets), mask, bytes);
        Ok(())
    }

    /// Reads elements of `size` bytes, neighbours at each lane's offset.
    pub(super) fn read_elements<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        space: Space,
        offsets: &Longs,
        mask: Mask,
        size: u32,
        values: &mut [Longs],
    ) -> Result<(), LaneProblem> {
        const VERB: &str = "reads";
        let bytes = size * values.len() as u32;
        check_all_aligned(offsets, mask, bytes, VERB)?;
        if space == Space::Global {
            let each = if around.memory.gather(offsets, mask, size, values) { 0 } else { mask };
            for lane in lanes_of(each) {
                let (allocation, place) = locate(around.memory, offsets[lane], bytes, VERB, lane)?;
                for (index, value) in values.iter_mut().enumerate() {
                    value[lane] = around.memory.read((allocation, place + index * size as usize), size);
                }
            }
            around.observer.global(AccessKind::Load, &offsets.map(place_of), mask, bytes);
            return Ok(());
        }
        for lane in lanes_of(mask) {
            let (name, memory): (&str, &[u8]) = match space {
                Space::Shared => (SHARED, &around.block.shared),
                Space::Local => ("the thread's local memory", self.local(lane)),
                Space::Constant => ("constant memory", &around.program.constants),
                _ => ("the kernel's parameters", &around.shape.parameters),
            };
            let place = within(name, memory.len(), offsets[lane], bytes, VERB, lane)?;
            for (index, value) in values.iter_mut().enumerate() {
                value[lane] = number(&memory[place + index * size as usize..][..size as usize]);
            }
        }
        // Observers are told only of accesses that are right.
        match space {
            Space::Shared => around.observer.shared(AccessKind::Load, &narrow(offsets), mask, bytes),
            Space::Local => around.observer.local(AccessKind::Load, &narrow(offsets), mask, bytes),
            Space::Constant => around.observer.constant(&narrow(offsets), mask, bytes),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn store<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        access: &Access,
        words: &[WordSource],
        longs: &[LongSource],
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let addresses = self.addresses(around, &access.address, frame);
        let mut values: Elements = [[0; LANES]; 4];
        for (value, source) in values.iter_mut().zip(words) {
            *value = self.word(around.program, frame, *source).map(u64::from);
        }
        for (value, source) in values.iter_mut().zip(longs) {
            *value = *self.long(around.program, frame, *source);
        }
        let count = words.len() + longs.len();
        let size = u32::from(access.element_bytes);
        let told = (size * count as u32, "writes");
        Self::by_space(around, access.space, (&addresses, mask), told, |around, space, offsets, mask| {
            self.write_elements(around, space, offsets, mask, size, &values[..count])
        })
    }

    pub(super) fn write_elements<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        space: Space,
        offsets: &Longs,
        mask: Mask,
        size: u32,
        values: &[Longs],
    ) -> Result<(), LaneProblem> {
        const VERB: &str = "writes";
        let bytes = size * values.len() as u32;
        check_all_aligned(offsets, mask, bytes, VERB)?;
        // Of lanes that write to the same place, the highest wins.
        let done = space == Space::Global && around.memory.scatter(offsets, mask, size, values);
        for lane in lanes_of(if done { 0 } else { mask }) {
            if space == Space::Global {
                let (allocation, place) = locate(around.memory, offsets[lane], bytes, VERB, lane)?;
                for (index, value) in values.iter().enumerate() {
                    around.memory.write((allocation, place + index * size as usize), size, value[lane]);
                }
                continue;
            }
            let (name, memory): (&str, &mut [u8]) = match space {
                Space::Shared => (SHARED, &mut around.block.shared),
                Space::Local => ("the thread's local memory", self.local(lane)),
                _ => {
                    let reason = "in memory that kernels cannot write".to_owned();
                    return Err(problem(bytes, offsets[lane], VERB, reason, lane));
                }
            };
            let place = within(name, memory.len(), offsets[lane], bytes, VERB, lane)?;
            for (index, value) in values.iter().enumerate() {
                let target = &mut memory[place + index * size as usize..][..size as usize];
                target.copy_from_slice(&value[lane].to_le_bytes()[..size as usize]);
            }
        }
        around.observer.stored(size, values);
        match space {
            Space::Global => around.observer.global(AccessKind::Store, &offsets.map(place_of), mask, bytes),
            Space::Shared => around.observer.shared(AccessKind::Store, &narrow(offsets), mask, bytes),
            Space::Local => around.observer.local(AccessKind::Store, &narrow(offsets), mask, bytes),
            _ => {}
        }
        Ok(())
    }

    /// `cp.async`. The copy is done at once: who does not wait for it has no right to see it earlier, or later. Who times it waits as it would be waited for.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn copy_async<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        destination: &Address,
        source: &Address,
        bytes: u32,
        read_bytes: Option<WordSource>,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let to = self.addresses(around, destination, frame);
        let from = self.addresses(around, source, frame);
        let read = match read_bytes {
            Some(source) => self.word(around.program, frame, source).map(|count| count.min(bytes)),
            None => [bytes; LANES],
        };
        let mut reading: Mask = 0;
        for lane in lanes_of(mask) {
            check_aligned(from[lane], bytes, "reads", lane)?;
            check_aligned(to[lane], bytes, "writes", lane)?;
            let target = within(SHARED, around.block.shared.len(), to[lane], bytes, "writes", lane)?;
            around.block.shared[target..target + bytes as usize].fill(0);
            if read[lane] == 0 {
                continue;
            }
            reading |= 1 << lane;
            let (allocation, place) = locate(around.memory, from[lane], read[lane], "reads", lane)?;
            let target = target..target + read[lane] as usize;
            around.memory.read_into((allocation, place), &mut around.block.shared[target]);
        }
        around.observer.copied((&from.map(place_of), reading), (&narrow(&to), mask), bytes);
        around.observer.copying(Copying::Begun);
        Ok(())
    }
}

pub(super) fn locate<M: GlobalMemory>(
    memory: &M,
    address: u64,
    bytes: u32,
    verb: &'static str,
    lane: usize,
) -> Result<(usize, usize), LaneProblem> {
    memory.locate(address, bytes).map_err(|reason| problem(bytes, address, verb, reason, lane))
}

/// Offsets in a memory of less than 4 GiB. Larger ones, which are errors, become the largest.
pub(super) fn narrow(offsets: &Longs) -> Words {
    offsets.map(|offset| u32::try_from(offset).unwrap_or(u32::MAX))
}
