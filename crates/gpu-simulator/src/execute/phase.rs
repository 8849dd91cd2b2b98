//! Barriers in shared memory.

use super::access::{LaneProblem, SHARED, check_aligned, narrow, number, problem, resolve, within};
use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::{AccessKind, Copying, Counted, Observer};
use super::paths::Wait;
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Mask, lanes_of};
use crate::program::{Operation, Phase, PhaseAction, PhaseState, Space};

/// Bytes of a barrier.
pub(super) const BARRIER_BYTES: u32 = 8;
pub(super) const VERB: &str = "changes the barrier of";

/// Where the barrier is, and its state.
pub(super) fn look(shared: &[u8], address: u64, lane: usize) -> Result<(usize, PhaseState), LaneProblem> {
    check_aligned(address, BARRIER_BYTES, VERB, lane)?;
    let place = within(SHARED, shared.len(), address, BARRIER_BYTES, VERB, lane)?;
    Ok((place, PhaseState::from_bits(number(&shared[place..place + BARRIER_BYTES as usize]))))
}

pub(super) fn leave(shared: &mut [u8], place: usize, state: PhaseState) {
    shared[place..place + BARRIER_BYTES as usize].copy_from_slice(&state.to_bits().to_le_bytes());
}

/// Whether the phase of this parity, or the one of this state, is complete.
fn is_over(state: PhaseState, parity: Option<u32>, asked: Option<u64>) -> bool {
    match (parity, asked) {
        (Some(parity), _) => state.is_past_parity(parity),
        (None, Some(asked)) => state.is_past(PhaseState::from_bits(asked)),
        (None, None) => false,
    }
}

/// Whether the lanes have one value.
fn same<T: Copy + PartialEq>(values: &[T; LANES], mask: Mask) -> bool {
    let Some(first) = lanes_of(mask).next().map(|lane| values[lane]) else { return true };
    let equal = values.iter().enumerate().fold(0, |all: Mask, (lane, value)| all | Mask::from(*value == first) << lane);
    equal & mask == mask
}

/// Who asks for a phase that is not complete, and would be suspended until it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooEarly {
    /// All lanes of a warp.
    Together,
    /// Some of them, while the others wait elsewhere.
    Apart,
}

impl Warp {
    /// Who asks next for a phase that is not complete, where no other of the warp's ways can go on meanwhile. Of barriers that other blocks
    /// reach, this is not known.
    pub(super) fn asks_too_early<M: GlobalMemory, O: Observer>(
        &self,
        around: &Surroundings<'_, M, O>,
    ) -> Option<TooEarly> {
        let path = self.paths.list.get(self.current)?;
        let Operation::Phase(own) = &around.program.code[path.pc as usize].operation else { return None };
        let ways = self.paths.list.iter().filter(|path| path.wait == Wait::Ready).count();
        if !own.suspends || ways != 1 || around.shape.cluster_blocks() > 1 {
            return None;
        }
        let frame = self.frames[path.frame as usize];
        let addresses = self.addresses(around, &own.address, &frame);
        let numbers = own.number.map(|source| self.word(around.program, &frame, source));
        let asked = own.state.map(|source| self.long(around.program, &frame, source));
        let asking = self.executed(&around.program.code[path.pc as usize], path.mask, &frame);
        let is_too_early = lanes_of(asking).any(|lane| {
            let address = match own.space {
                Space::Generic => resolve(addresses[lane]),
                space => (space, addresses[lane]),
            };
            let (Space::Shared, offset) = address else { return false };
            let complete = |state| is_over(state, numbers.map(|own| own[lane]), asked.map(|own| own[lane]));
            look(&around.block.shared, offset, lane).is_ok_and(|(_, state)| !complete(state))
        });
        let by = if path.mask == self.live { TooEarly::Together } else { TooEarly::Apart };
        is_too_early.then_some(by)
    }

    /// `mbarrier`: the lanes one after the other, the lowest first.
    pub(super) fn phase<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        own: &Phase,
        frame: &Frame,
        mask: Mask,
    ) -> Result<(), LaneProblem> {
        let addresses = self.addresses(around, &own.address, frame);
        let numbers = own.number.map(|source| *self.word(around.program, frame, source));
        let asked = own.state.map(|source| *self.long(around.program, frame, source));
        let (mut states, mut is_complete) = ([0; LANES], 0);
        let told = (BARRIER_BYTES, VERB);
        Self::by_space(around, own.space, (&addresses, mask), told, |around, space, offsets, mask| {
            // Lanes that ask the same are told the same.
            let is_one = own.action == PhaseAction::Test
                && space == Space::Shared
                && same(offsets, mask)
                && numbers.is_none_or(|numbers| same(&numbers, mask))
                && asked.is_none_or(|asked| same(&asked, mask));
            if let (true, Some(lane)) = (is_one, lanes_of(mask).next()) {
                let (place, state) = look(&around.block.shared, offsets[lane], lane)?;
                if is_over(state, numbers.map(|numbers| numbers[lane]), asked.map(|asked| asked[lane])) {
                    is_complete |= mask;
                    for _ in lanes_of(mask) {
                        around.observer.copying(Copying::Passed { barrier: place as u32 });
                    }
                }
            }
            for lane in lanes_of(if is_one { 0 } else { mask }) {
                if space != Space::Shared {
                    let reason = "which is not in shared memory".to_owned();
                    return Err(problem(BARRIER_BYTES, offsets[lane], VERB, reason, lane));
                }
                let shared = &mut around.block.shared;
                let (place, state) = look(shared, offsets[lane], lane)?;
                states[lane] = state.to_bits();
                let number = numbers.map(|numbers| numbers[lane]);
                let bytes = number.unwrap_or(0) as i32;
                let next = match own.action {
                    PhaseAction::Initialise => PhaseState::new(number.unwrap_or(0)),
                    PhaseAction::Invalidate => PhaseState::new(0),
                    PhaseAction::Expect => state.after(0, bytes, false),
                    PhaseAction::Complete => state.after(0, bytes.wrapping_neg(), false),
                    PhaseAction::Arrive { drops, expects: true } => state.after(1, bytes, drops),
                    PhaseAction::Arrive { drops, expects: false } => state.after(number.unwrap_or(1), 0, drops),
                    PhaseAction::ArriveBehindCopies { is_counted: true } => state.after(1, 0, false),
                    PhaseAction::ArriveBehindCopies { is_counted: false } => state,
                    PhaseAction::Test => {
                        let complete = is_over(state, number, asked.map(|asked| asked[lane]));
                        is_complete |= Mask::from(complete) << lane;
                        if complete {
                            around.observer.copying(Copying::Passed { barrier: place as u32 });
                        }
                        continue;
                    }
                };
                leave(shared, place, next);
                let completes = next.is_past(state);
                let what = match own.action {
                    PhaseAction::Initialise | PhaseAction::Invalidate => continue,
                    PhaseAction::ArriveBehindCopies { .. } => Counted::BehindCopies,
                    _ => Counted::Now,
                };
                around.observer.copying(Copying::Counts { barrier: place as u32, what, completes });
            }
            let kind = match own.action {
                PhaseAction::Test => AccessKind::Load,
                PhaseAction::Initialise | PhaseAction::Invalidate => AccessKind::Store,
                _ => AccessKind::Atomic,
            };
            around.observer.barrier_accessed(kind, &narrow(offsets), mask, BARRIER_BYTES);
            Ok(())
        })?;
        self.gives_way = own.action == PhaseAction::Test && mask & !is_complete != 0;
        match own.destination {
            Some(slot) if own.action == PhaseAction::Test => self.set_predicate(frame, slot, is_complete, mask),
            Some(slot) => self.set_longs(frame, slot, &states, mask),
            None => {}
        }
        Ok(())
    }
}
