//! What the lanes of a warp tell each other: barriers of the warp, shuffles, votes, matches, reductions.

use super::block::Surroundings;
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::paths::Wait;
use super::step::Flow;
use super::warp::{Frame, Warp};
use crate::hardware::lanes::{LANES, Mask, Words, lanes_of};
use crate::profile::Reconvergence;
use crate::program::{Operation, Program, Reduction, ShuffleMode, VoteMode, WordSource};

impl Warp {
    /// Executes an exchange for all lanes that it names, or lets the path wait until they have come.
    pub(super) fn exchange<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        operation: &Operation,
        pc: u32,
        frame: &Frame,
        active: Mask,
        executed: Mask,
    ) -> Flow {
        let Some(source) = members_of(operation) else { return Flow::Next };
        let mut lanes = executed;
        let waits =
            !matches!(operation, Operation::Vote { waits: false, .. } | Operation::Shuffle { waits: false, .. });
        if waits && around.reconvergence == Reconvergence::StackYield {
            let named = self.word(around.program, frame, source);
            let members = lanes_of(executed).fold(0, |all, lane| all | named[lane]);
            let members = members & around.block.live[self.number as usize];
            if members & !executed != 0 {
                let gathered = self.gathered(self.current, executed, operation, around.program);
                if members & !gathered != 0 {
                    self.paths.list[self.current].wait = Wait::Lanes { members, lanes: executed };
                    return Flow::Blocked;
                }
                lanes = gathered & members | executed;
            }
        }
        around.observer.instruction(pc, active | lanes, lanes);
        self.exchange_now(around, operation, frame, lanes);
        self.release(pc, operation, around.program, lanes);
        self.paths.list[self.current].pc += 1;
        self.current = self.paths.merge(self.current);
        Flow::Moved
    }

    /// Lanes that execute the instruction where this path is, `lanes` of its own and those of other paths that wait: at
    /// the same instruction of the same frame, or for a warp barrier at any.
    pub(super) fn gathered(&self, path: usize, lanes: Mask, operation: &Operation, program: &Program) -> Mask {
        let own = self.paths.list[path];
        let is_barrier = |operation: &Operation| matches!(operation, Operation::WarpBarrier { .. });
        let here = |pc: u32, frame: u32| {
            (pc == own.pc && frame == own.frame)
                || is_barrier(operation) && is_barrier(&program.code[pc as usize].operation)
        };
        self.paths.list.iter().fold(lanes, |all, path| match path.wait {
            Wait::Lanes { lanes, .. } if here(path.pc, path.frame) => all | lanes & path.mask,
            _ => all,
        })
    }

    /// Paths that waited for this exchange, which is done for them too, go on.
    fn release(&mut self, pc: u32, operation: &Operation, program: &Program, lanes: Mask) {
        let is_barrier = matches!(operation, Operation::WarpBarrier { .. });
        let current = self.current;
        for (index, path) in self.paths.list.iter_mut().enumerate() {
            let named = matches!(path.wait, Wait::Lanes { lanes: waiting, .. } if waiting & lanes != 0);
            let waits = named && index != current;
            let here = path.pc == pc
                || is_barrier && matches!(program.code[path.pc as usize].operation, Operation::WarpBarrier { .. });
            if waits && here {
                path.wait = Wait::Ready;
                path.pc += 1;
            }
        }
    }

    fn exchange_now<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        operation: &Operation,
        frame: &Frame,
        lanes: Mask,
    ) {
        let program = around.program;
        match operation {
            Operation::Shuffle { mode, destination, in_range, sources, .. } => {
                let [value, lane, clamp, _] = sources.map(|source| *self.word(program, frame, source));
                let (result, reached) = shuffled(*mode, &value, &lane, &clamp);
                self.set_words(frame, *destination, &result, lanes);
                if let Some(slot) = in_range {
                    self.set_predicate(frame, *slot, reached, lanes);
                }
            }
            Operation::Vote { mode, destination, predicate, members, .. } => {
                let members = *self.word(program, frame, *members);
                let set = self.predicate(frame, *predicate) & lanes;
                let asked = |lane: usize| members[lane] & lanes;
                let holds = |lane: usize| match mode {
                    VoteMode::All => set & asked(lane) == asked(lane),
                    VoteMode::Any | VoteMode::Ballot => set & asked(lane) != 0,
                    VoteMode::Uniform => set & asked(lane) == asked(lane) || set & asked(lane) == 0,
                };
                if *mode == VoteMode::Ballot {
                    let value = std::array::from_fn(|lane| set & asked(lane));
                    self.set_words(frame, *destination, &value, lanes);
                } else {
                    let value = lanes_of(lanes).filter(|lane| holds(*lane)).fold(0, |all, lane| all | 1 << lane);
                    self.set_predicate(frame, *destination, value, lanes);
                }
            }
            Operation::Match { all, destination, agreed, word, long, members } => {
                let members = *self.word(program, frame, *members);
                let value: [u64; LANES] = match (word, long) {
                    (Some(source), _) => self.word(program, frame, *source).map(u64::from),
                    (None, Some(source)) => *self.long(program, frame, *source),
                    (None, None) => [0; LANES],
                };
                let same = |lane: usize| -> Mask {
                    let others = lanes_of(members[lane] & lanes).filter(|other| value[*other] == value[lane]);
                    others.fold(0, |all, other| all | 1 << other)
                };
                let mut agree: Mask = 0;
                let mut result = [0; LANES];
                for lane in lanes_of(lanes) {
                    let everyone = same(lane) == members[lane] & lanes;
                    result[lane] = if *all && !everyone { 0 } else { same(lane) };
                    agree |= Mask::from(everyone) << lane;
                }
                if !*all {
                    let first_of_its_value = |lane: &usize| result[*lane].trailing_zeros() as usize == *lane;
                    around.observer.matched(lanes_of(lanes).filter(first_of_its_value).count() as u32);
                }
                self.set_words(frame, *destination, &result, lanes);
                if let Some(slot) = agreed {
                    self.set_predicate(frame, *slot, agree, lanes);
                }
            }
            Operation::Elect { destination, elected, members } => {
                let members = *self.word(program, frame, *members);
                let leader = |lane: usize| (members[lane] & lanes).trailing_zeros();
                if let Some(slot) = destination {
                    self.set_words(frame, *slot, &std::array::from_fn(leader), lanes);
                }
                if let Some(slot) = elected {
                    let elected = lanes_of(lanes).filter(|lane| leader(*lane) == *lane as u32);
                    self.set_predicate(frame, *slot, elected.fold(0, |all, lane| all | 1 << lane), lanes);
                }
            }
            Operation::Reduce { reduction, destination, value, members } => {
                let members = *self.word(program, frame, *members);
                let value = *self.word(program, frame, *value);
                let mut result = [0; LANES];
                for lane in lanes_of(lanes) {
                    let all = lanes_of(members[lane] & lanes).map(|other| value[other]);
                    result[lane] = all.reduce(|left, right| reduced(*reduction, left, right)).unwrap_or(0);
                }
                self.set_words(frame, *destination, &result, lanes);
            }
            _ => {}
        }
    }
}

fn members_of(operation: &Operation) -> Option<WordSource> {
    match operation {
        Operation::WarpBarrier { members }
        | Operation::Vote { members, .. }
        | Operation::Match { members, .. }
        | Operation::Elect { members, .. }
        | Operation::Reduce { members, .. } => Some(*members),
        Operation::Shuffle { sources, .. } => Some(sources[3]),
        _ => None,
    }
}

/// Source: PTX ISA, `shfl.sync`: the clamp in bits 0 to 4, the segment mask in bits 8 to 12 of the third operand.
fn shuffled(mode: ShuffleMode, value: &Words, other: &Words, clamp: &Words) -> (Words, Mask) {
    let (mut result, mut reached) = ([0; LANES], 0);
    for lane in 0..LANES as u32 {
        let own = lane as usize;
        let (segment, bound, distance) = (clamp[own] >> 8 & 0x1f, clamp[own] & 0x1f, other[own] & 0x1f);
        let last = lane & segment | bound & !segment;
        let first = lane & segment;
        let (source, in_range) = match mode {
            ShuffleMode::Up => (lane.wrapping_sub(distance), lane as i32 - distance as i32 >= last as i32),
            ShuffleMode::Down => (lane + distance, lane + distance <= last),
            ShuffleMode::Butterfly => (lane ^ distance, lane ^ distance <= last),
            ShuffleMode::Index => {
                let source = first | distance & !segment;
                (source, source <= last)
            }
        };
        let source = if in_range { source } else { lane };
        result[own] = value[source as usize & 31];
        reached |= Mask::from(in_range) << lane;
    }
    (result, reached)
}

fn reduced(reduction: Reduction, left: u32, right: u32) -> u32 {
    match reduction {
        Reduction::Add => left.wrapping_add(right),
        Reduction::Min { signed: false } => left.min(right),
        Reduction::Max { signed: false } => left.max(right),
        Reduction::Min { signed: true } => (left as i32).min(right as i32) as u32,
        Reduction::Max { signed: true } => (left as i32).max(right as i32) as u32,
        Reduction::And => left & right,
        Reduction::Or => left | right,
        Reduction::Xor => left ^ right,
    }
}
