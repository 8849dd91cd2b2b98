//! Barriers in shared memory.

use super::access::{LaneProblem, SHARED, check_aligned, narrow, number, problem, within};
use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::{AccessKind, Copying, Counted, Observer};
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Mask, lanes_of};
use crate::program::{Phase, PhaseAction, PhaseState, Space};

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

impl Warp {
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
            for lane in lanes_of(mask) {
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
                        let complete = match (number, asked) {
                            (Some(parity), _) => state.is_past_parity(parity),
                            (None, Some(asked)) => state.is_past(PhaseState::from_bits(asked[lane])),
                            (None, None) => false,
                        };
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
