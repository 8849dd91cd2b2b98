//! Atomics: the lanes of a warp one after the other, the lowest first.

use super::access::{LaneProblem, SHARED, check_aligned, locate, narrow, number, problem, within};
use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::{AccessKind, Observer};
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{ALL_LANES, LANES, Longs, Mask, lanes_of};
use crate::program::{Atomic, AtomicFunction, LongSource, Merged, Space, WordSource};
use crate::windows::place_of;

const VERB: &str = "atomically changes";

impl Warp {
    pub(super) fn atomic<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        atomic: &Atomic,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let addresses = self.addresses(around, &atomic.address, frame);
        let operand = |word: WordSource, long: LongSource| -> Longs {
            if atomic.long {
                *self.long(around.program, frame, long)
            } else {
                self.word(around.program, frame, word).map(u64::from)
            }
        };
        let value = operand(atomic.word, atomic.long_source);
        let swaps = atomic.function == AtomicFunction::CompareAndSwap;
        let swap = if swaps { operand(atomic.swap_word, atomic.swap_long) } else { [0; LANES] };
        let (bytes, all_bytes) = (u32::from(atomic.bytes), atomic.all_bytes());
        // Behind the first: what each element of a vector adds, and what was there.
        let added: Vec<Longs> = atomic.more.iter().map(|own| operand(own.word, atomic.long_source)).collect();
        let mut old_of_more = vec![[0; LANES]; added.len()];
        self.lanes_of_atomics += u64::from(mask.count_ones());
        let mut old = [0; LANES];
        Self::by_space(around, atomic.space, (&addresses, mask), (bytes, VERB), |around, space, offsets, mask| {
            for lane in lanes_of(mask) {
                let address = offsets[lane];
                check_aligned(address, all_bytes, VERB, lane)?;
                let changed = |old: u64, value: u64| match (atomic.function, atomic.long) {
                    (AtomicFunction::AddFloat, false) => {
                        u64::from(sum(old as u32, value as u32, space == Space::Global))
                    }
                    _ => changed(atomic.function, atomic.long, old, value, swap[lane]),
                };
                let change = |old: u64| changed(old, value[lane]);
                old[lane] = match space {
                    Space::Global => {
                        let place = locate(around.memory, address, all_bytes, VERB, lane)?;
                        let old = around.memory.read(place, bytes);
                        around.memory.write(place, bytes, change(old));
                        for (number, (added, old)) in added.iter().zip(&mut old_of_more).enumerate() {
                            let offset = u64::from(bytes) * (number as u64 + 1);
                            let place = locate(around.memory, address + offset, bytes, VERB, lane)?;
                            old[lane] = around.memory.read(place, bytes);
                            around.memory.write(place, bytes, changed(old[lane], added[lane]));
                        }
                        old
                    }
                    Space::Shared if !added.is_empty() => {
                        let reason =
                            "which is in shared memory, and vectors are added in global memory only".to_owned();
                        return Err(problem(all_bytes, address, VERB, reason, lane));
                    }
                    Space::Shared => {
                        let shared = &mut around.block.shared;
                        let place = within(SHARED, shared.len(), address, bytes, VERB, lane)?;
                        let target = &mut shared[place..place + bytes as usize];
                        let old = number(target);
                        target.copy_from_slice(&change(old).to_le_bytes()[..bytes as usize]);
                        old
                    }
                    _ => {
                        let reason = "which is in neither global nor shared memory".to_owned();
                        return Err(problem(bytes, address, VERB, reason, lane));
                    }
                };
            }
            if let Some(fence) = atomic.order.fence {
                around.observer.fence(fence);
            }
            let is_own = space == Space::Shared && !around.block.reaches_out;
            let is_loop = atomic.function.adds_float() || is_own && atomic.is_loop_on_shared_memory();
            let kind = if is_loop { AccessKind::FloatAtomic } else { AccessKind::Atomic };
            let all = mask;
            let mask = seen_by_memory(atomic.merged, offsets, all);
            if mask != all {
                around.observer.added_up(all.count_ones() - mask.count_ones());
            }
            match space {
                Space::Global => around.observer.global(kind, &offsets.map(place_of), mask, all_bytes),
                Space::Shared => around.observer.shared(kind, &narrow(offsets), mask, bytes),
                _ => {}
            }
            Ok(())
        })?;
        if let Some(slot) = atomic.destination {
            self.set_number(frame, slot, atomic.long, &old, mask);
        }
        for (own, old) in atomic.more.iter().zip(&old_of_more) {
            if let Some(slot) = own.destination {
                self.set_number(frame, slot, false, old, mask);
            }
        }
        Ok(())
    }
}

/// The lanes whose atomics come to memory.
fn seen_by_memory(merged: Merged, addresses: &Longs, mask: Mask) -> Mask {
    let first = mask & mask.wrapping_neg();
    match merged {
        Merged::Warp => first,
        Merged::WholeWarp if mask == ALL_LANES => first,
        Merged::No | Merged::WholeWarp => mask,
        Merged::Ones => {
            let is_first = |lane: &usize| {
                !lanes_of(mask).take_while(|before| before < lane).any(|before| addresses[before] == addresses[*lane])
            };
            lanes_of(mask).filter(is_first).fold(0, |mask, lane| mask | 1 << lane)
        }
    }
}

/// The sum of two f32. On global memory it takes subnormal numbers for zeros of their sign and gives such zeros, on
/// shared memory it does not. Source: PTX ISA, section on `atom`.
fn sum(old: u32, value: u32, is_global: bool) -> u32 {
    const SIGN: u32 = 1 << 31;
    let flushed = |bits: u32| {
        let is_subnormal = bits & !SIGN < f32::MIN_POSITIVE.to_bits();
        if is_global && is_subnormal { bits & SIGN } else { bits }
    };
    let sum = f32::from_bits(flushed(old)) + f32::from_bits(flushed(value));
    let bits = sum.to_bits();
    if bits & !SIGN > f32::INFINITY.to_bits() { 0x7fff_ffff } else { flushed(bits) }
}

/// What a place holds afterwards. Source: PTX ISA, section on `atom`.
fn changed(function: AtomicFunction, long: bool, old: u64, value: u64, swap: u64) -> u64 {
    let sign = |number: u64| if long { number as i64 } else { i64::from(number as u32 as i32) };
    let new = match function {
        AtomicFunction::Add => old.wrapping_add(value),
        AtomicFunction::AddFloat => (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
        AtomicFunction::AddNarrow { format, pair } => {
            let sum = |place: u32| u64::from(format.sum((old >> place) as u16, (value >> place) as u16)) << place;
            sum(0) | if pair { sum(16) } else { 0 }
        }
        AtomicFunction::Min { signed: true } => sign(old).min(sign(value)) as u64,
        AtomicFunction::Max { signed: true } => sign(old).max(sign(value)) as u64,
        AtomicFunction::Min { signed: false } => old.min(value),
        AtomicFunction::Max { signed: false } => old.max(value),
        AtomicFunction::And => old & value,
        AtomicFunction::Or => old | value,
        AtomicFunction::Xor => old ^ value,
        AtomicFunction::Exchange => value,
        AtomicFunction::CompareAndSwap => {
            if old == value {
                swap
            } else {
                old
            }
        }
        AtomicFunction::Increment => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicFunction::Decrement => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
    };
    if long { new } else { new & 0xffff_ffff }
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn global_memory_flushes_what_is_subnormal_and_shared_memory_does_not() {
        assert_eq!(sum(1, 1, false), 2);
        assert_eq!(sum(1, 1, true), 0);
        assert_eq!(sum(0x8000_0001, 0x8000_0001, true), 0x8000_0000);
        assert_eq!(sum(0x0080_0000, 0x8080_0001, true), 0x8000_0000, "the difference is subnormal");
        assert_eq!(sum(1.5_f32.to_bits(), 2.25_f32.to_bits(), true), 3.75_f32.to_bits());
        assert_eq!(sum(0x7f80_0001, 0, false), 0x7fff_ffff);
        assert_eq!(sum(f32::INFINITY.to_bits(), f32::NEG_INFINITY.to_bits(), true), 0x7fff_ffff);
    }
}
