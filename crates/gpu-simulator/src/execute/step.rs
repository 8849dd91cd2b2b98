//! Executing a warp's instructions.

use super::block::Surroundings;
use super::fault::Problem;
use super::memory::GlobalMemory;
use super::observer::{Copying, Observer};
use super::paths::Path;
use super::warp::{Frame, Outcome, Warp};
use crate::arithmetic::Function;
use crate::hardware::lanes::{LANES, Longs, Mask, lanes_of};
use crate::program::{Comparison, Guard, Instruction, Logic, LongSource, Operation, Program, Special, WordSource};
use crate::windows::{mapped, place_of, rank_of};

/// What an instruction did to the path.
pub(super) enum Flow {
    /// It goes on with the next instruction.
    Next,
    /// It goes on wherever it has been put; other paths of the warp may be first.
    Moved,
    /// It waits, and has not been executed.
    Blocked,
}

impl Warp {
    /// Executes instructions, at most `limit` of them, until the warp waits or has ended.
    ///
    /// # Errors
    /// What went wrong, with the line and the thread.
    pub(super) fn run<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        limit: u64,
    ) -> Result<Outcome, (Problem, u32, Option<usize>)> {
        let end = self.steps + limit;
        while self.steps < end {
            match self.settle(around) {
                Outcome::Ready => {}
                // It may wait again and again without an end, too.
                Outcome::Waiting => {
                    self.check_steps(around)?;
                    return Ok(Outcome::Waiting);
                }
                Outcome::Done => return Ok(Outcome::Done),
            }
            // Not as a whole: of what was just written in part, a wide load has to wait.
            let Path { pc, mask, frame, .. } = self.paths.list[self.current];
            let instruction = &around.program.code[pc as usize];
            let frame = self.frames[frame as usize];
            let executed = self.executed(instruction, mask, &frame);
            let flow = self
                .execute(around, instruction, pc, &frame, mask, executed)
                .map_err(|(problem, lane)| (problem, instruction.line, lane))?;
            match flow {
                Flow::Next => self.paths.list[self.current].pc += 1,
                Flow::Moved => {}
                Flow::Blocked => continue,
            }
            self.steps += 1;
            // Whoever waits for copies leaves the others their turn.
            if std::mem::take(&mut self.gives_way) {
                break;
            }
        }
        self.check_steps(around)?;
        Ok(if self.live == 0 { Outcome::Done } else { Outcome::Ready })
    }

    /// Refuses to go on beyond the step limit.
    fn check_steps<M: GlobalMemory, O: Observer>(
        &self,
        around: &Surroundings<'_, M, O>,
    ) -> Result<(), (Problem, u32, Option<usize>)> {
        if self.steps <= around.step_limit || self.live == 0 {
            return Ok(());
        }
        let line = self.position().map_or(0, |(pc, _)| around.program.code[pc as usize].line);
        let positions = vec![self.positions(around.program)];
        Err((Problem::StepLimit { steps: around.step_limit, positions }, line, None))
    }

    /// Of the lanes of a path those that the instruction's guard lets through.
    pub(super) fn executed(&self, instruction: &Instruction, mask: Mask, frame: &Frame) -> Mask {
        instruction.guard.map_or(mask, |guard| mask & self.guard(frame, guard))
    }

    fn guard(&self, frame: &Frame, guard: Guard) -> Mask {
        let value = self.predicates[(frame.predicates + guard.predicate) as usize];
        if guard.negated { !value } else { value }
    }

    #[allow(clippy::too_many_lines)] // One arm for each operation, each a line or two.
    fn execute<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        instruction: &Instruction,
        pc: u32,
        frame: &Frame,
        active: Mask,
        executed: Mask,
    ) -> Result<Flow, (Problem, Option<usize>)> {
        // Instructions that may have to wait tell the observer when they are executed.
        match &instruction.operation {
            Operation::Barrier(barrier) if executed != 0 => {
                return self.barrier(around, barrier, pc, frame, active, executed);
            }
            Operation::ClusterBarrier { arrives, .. } if executed != 0 => {
                return self.cluster_barrier(around, *arrives, pc, (active, executed));
            }
            Operation::WarpBarrier { .. }
            | Operation::Shuffle { .. }
            | Operation::Vote { .. }
            | Operation::Match { .. }
            | Operation::Elect { .. }
            | Operation::Reduce { .. }
                if executed != 0 =>
            {
                return Ok(self.exchange(around, &instruction.operation, pc, frame, active, executed));
            }
            _ => {}
        }
        around.observer.instruction(pc, active, executed);
        match &instruction.operation {
            Operation::Branch { target } => {
                return Ok(self.branch(around, instruction, pc, active, executed, *target));
            }
            _ if executed == 0 => {}
            Operation::Compute { function, destination, words, longs } => {
                self.compute(around, frame, function, *destination, (words, longs), executed);
            }
            Operation::Carrying(own) => self.carry(around.program, own, frame, executed),
            Operation::Compare { function, destination, complement, combine, words, longs } => {
                let program = around.program;
                let outcome = match function {
                    Function::WWP(function) => {
                        function(self.word(program, frame, words[0]), self.word(program, frame, words[1]))
                    }
                    Function::LLP(function) => {
                        function(self.long(program, frame, longs[0]), self.long(program, frame, longs[1]))
                    }
                    _ => 0,
                };
                let (mut value, mut opposite) = (outcome, !outcome);
                if let Some((logic, source)) = combine {
                    let other = self.predicate(frame, *source);
                    value = combined(*logic, value, other);
                    opposite = combined(*logic, opposite, other);
                }
                if let Some(slot) = destination {
                    self.set_predicate(frame, *slot, value, executed);
                }
                if let Some(slot) = complement {
                    self.set_predicate(frame, *slot, opposite, executed);
                }
            }
            Operation::SelectWord { destination, first, second, predicate } => {
                let chosen = self.predicate(frame, *predicate);
                let first = self.word(around.program, frame, *first);
                let mut value = *self.word(around.program, frame, *second);
                lanes_of(chosen).for_each(|lane| value[lane] = first[lane]);
                self.set_words(frame, *destination, &value, executed);
            }
            Operation::SelectLong { destination, first, second, predicate } => {
                let chosen = self.predicate(frame, *predicate);
                let first = self.long(around.program, frame, *first);
                let mut value = *self.long(around.program, frame, *second);
                lanes_of(chosen).for_each(|lane| value[lane] = first[lane]);
                self.set_longs(frame, *destination, &value, executed);
            }
            Operation::SelectPredicate { destination, first, second, predicate } => {
                let chosen = self.predicate(frame, *predicate);
                let value = self.predicate(frame, *first) & chosen | self.predicate(frame, *second) & !chosen;
                self.set_predicate(frame, *destination, value, executed);
            }
            Operation::Predicates { logic, destination, first, second } => {
                let value = combined(*logic, self.predicate(frame, *first), self.predicate(frame, *second));
                self.set_predicate(frame, *destination, value, executed);
            }
            Operation::ReadSpecial { special, destination, long } => {
                let value: [u64; LANES] = std::array::from_fn(|lane| self.special(around, *special, lane));
                self.set_number(frame, *destination, *long, &value, executed);
            }
            Operation::Map { destination, word, long, rank } => {
                let (addresses, is_long) = self.mapped_from(around.program, frame, *word, *long);
                let ranks = *self.word(around.program, frame, *rank);
                let value: Longs = std::array::from_fn(|lane| mapped(addresses[lane], ranks[lane]));
                self.set_number(frame, *destination, is_long, &value, executed);
            }
            Operation::RankOf { destination, word, long } => {
                let (addresses, _) = self.mapped_from(around.program, frame, *word, *long);
                let own = around.block.seat.rank();
                let value = addresses.map(|address| rank_of(address).unwrap_or(own));
                self.set_words(frame, *destination, &value, executed);
            }
            Operation::IsCluster { destination } => {
                let value = if around.shape.has_cluster { Mask::MAX } else { 0 };
                self.set_predicate(frame, *destination, value, executed);
            }
            Operation::LocalAddress { destination, long, offset } => {
                let address = u64::from(frame.local) + u64::from(*offset);
                self.set_number(frame, *destination, *long, &[address; LANES], executed);
            }
            Operation::PackLong { destination, halves } => {
                let [low, high] = halves.map(|half| *self.word(around.program, frame, half));
                let value = std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32);
                self.set_longs(frame, *destination, &value, executed);
            }
            Operation::UnpackLong { halves, source } => {
                let value = *self.long(around.program, frame, *source);
                for (half, shift) in halves.iter().zip([0, 32]) {
                    if let Some(slot) = half {
                        self.set_words(frame, *slot, &value.map(|value| (value >> shift) as u32), executed);
                    }
                }
            }
            Operation::PackWord { destination, halves } => {
                let [low, high] = halves.map(|half| *self.word(around.program, frame, half));
                let value = std::array::from_fn(|lane| low[lane] & 0xffff | high[lane] << 16);
                self.set_words(frame, *destination, &value, executed);
            }
            Operation::UnpackWord { halves, source } => {
                let value = *self.word(around.program, frame, *source);
                for (half, shift) in halves.iter().zip([0, 16]) {
                    if let Some(slot) = half {
                        self.set_words(frame, *slot, &value.map(|value| value >> shift & 0xffff), executed);
                    }
                }
            }
            Operation::Load { access, destinations } => self.load(around, access, destinations, frame, executed)?,
            Operation::Store { access, words, longs } => {
                access.fence.into_iter().for_each(|fence| around.observer.fence(fence));
                self.store(around, access, words, longs, frame, executed)?;
            }
            Operation::Prefetch { address } => {
                let places = self.addresses(around, address, frame).map(place_of);
                around.observer.prefetch(&places, executed);
            }
            Operation::CopyAsync { destination, source, bytes, read_bytes, .. } => {
                self.copy_async(around, destination, source, u32::from(*bytes), *read_bytes, frame, executed)?;
            }
            Operation::Product(own) => self.product(around.program, own, frame, executed),
            Operation::GroupProduct(own) => self.group_product(around, own, frame, executed)?,
            Operation::Fragment(own) => self.fragment(around, own, frame, executed)?,
            Operation::Rows(own) => self.rows(around, own, frame, executed)?,
            Operation::CopyGroups(groups) => around.observer.copying(Copying::Groups(*groups)),
            Operation::Phase(own) => self.phase(around, own, frame, executed)?,
            Operation::BulkCopy(own) => self.bulk_copy(around, own, frame, executed)?,
            Operation::Atomic(atomic) => self.atomic(around, atomic, frame, executed)?,
            Operation::BranchIndexed { index, targets } => {
                return self.branch_indexed(around, instruction, pc, frame, (active, executed), *index, targets);
            }
            Operation::Call(call) => return self.call(around, call, pc, frame, active, executed),
            Operation::Return => return Ok(self.returns(around, active, executed)),
            Operation::Exit => return Ok(self.exit(around, active, executed)),
            Operation::Trap => return Err((Problem::Trap, lanes_of(executed).next())),
            Operation::ActiveMask { destination } => {
                self.set_words(frame, *destination, &[executed; LANES], executed);
            }
            Operation::Sleep => {
                self.paths.list[self.current].pc += 1;
                self.yield_path(around);
                return Ok(Flow::Moved);
            }
            Operation::Fence(fence) => around.observer.fence(*fence),
            Operation::Nothing
            | Operation::Dependence(_)
            | Operation::Barrier(_)
            | Operation::ClusterBarrier { .. }
            | Operation::WarpBarrier { .. }
            | Operation::Shuffle { .. }
            | Operation::Vote { .. }
            | Operation::Match { .. }
            | Operation::Elect { .. }
            | Operation::Reduce { .. } => {}
        }
        Ok(Flow::Next)
    }

    pub(super) fn set_number(&mut self, frame: &Frame, slot: u32, long: bool, value: &[u64; LANES], mask: Mask) {
        if long {
            self.set_longs(frame, slot, value, mask);
        } else {
            self.set_words(frame, slot, &value.map(|value| value as u32), mask);
        }
    }

    /// The addresses that `mapa` or `getctarank` is given, and whether they have 64 bits.
    fn mapped_from(
        &self,
        program: &Program,
        frame: &Frame,
        word: Option<WordSource>,
        long: Option<LongSource>,
    ) -> (Longs, bool) {
        match (word, long) {
            (_, Some(source)) => (*self.long(program, frame, source), true),
            (Some(source), None) => (self.word(program, frame, source).map(u64::from), false),
            (None, None) => ([0; LANES], false),
        }
    }

    fn special<M: GlobalMemory, O: Observer>(
        &self,
        around: &Surroundings<'_, M, O>,
        special: Special,
        lane: usize,
    ) -> u64 {
        let shape = around.shape;
        let lane = lane as u32;
        let value = match special {
            Special::ThreadIndex(axis) => {
                let thread = around.block.thread(self.number * LANES as u32 + lane);
                shape.thread(thread)[usize::from(axis)]
            }
            Special::BlockExtent(axis) => shape.block[usize::from(axis)],
            Special::BlockIndex(axis) => around.block.index[usize::from(axis)],
            Special::GridExtent(axis) => shape.grid[usize::from(axis)],
            Special::Lane => lane,
            Special::Warp => self.number,
            Special::Warps => shape.threads().div_ceil(LANES as u32),
            Special::Multiprocessor => around.block.multiprocessor,
            Special::Multiprocessors => shape.multiprocessors,
            Special::LaneMask(comparison) => {
                let own = 1_u32 << lane;
                match comparison {
                    Comparison::Equal => own,
                    Comparison::Less => own - 1,
                    Comparison::LessEqual => own | (own - 1),
                    Comparison::Greater => !(own | (own - 1)),
                    Comparison::GreaterEqual => !(own - 1),
                }
            }
            Special::Clock => return self.clock.max(self.steps),
            Special::Timer => return (self.clock.max(self.steps) as f64 * shape.nanoseconds_per_cycle) as u64,
            Special::DynamicShared => shape.dynamic_shared_bytes,
            Special::TotalShared => around.block.shared.len() as u32,
            Special::Environment(1) => (shape.workspace >> 32) as u32,
            Special::Environment(_) => shape.workspace as u32,
            Special::BlockOfCluster(axis) => {
                around.block.index[usize::from(axis)] % shape.cluster[usize::from(axis)].max(1)
            }
            Special::ClusterExtent(axis) => shape.cluster[usize::from(axis)],
            Special::ClusterIndex(axis) => {
                around.block.index[usize::from(axis)] / shape.cluster[usize::from(axis)].max(1)
            }
            Special::ClusterCount(axis) => shape.clusters_along()[usize::from(axis)],
            Special::Rank => around.block.seat.rank(),
            Special::Ranks => shape.cluster_blocks(),
            Special::Zero => 0,
        };
        u64::from(value)
    }

    fn compute<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &Surroundings<'_, M, O>,
        frame: &Frame,
        function: &Function,
        destination: u32,
        (words, longs): (&[WordSource; 4], &[LongSource; 3]),
        mask: Mask,
    ) {
        let program = around.program;
        let (mut word, mut long) = ([0; LANES], [0; LANES]);
        {
            let w = |index: usize| self.word(program, frame, words[index]);
            let l = |index: usize| self.long(program, frame, longs[index]);
            match function {
                Function::WW(function) => function(w(0), &mut word),
                Function::WL(function) => function(w(0), &mut long),
                Function::LW(function) => function(l(0), &mut word),
                Function::LL(function) => function(l(0), &mut long),
                Function::WWW(function) => function(w(0), w(1), &mut word),
                Function::WWL(function) => function(w(0), w(1), &mut long),
                Function::LLL(function) => function(l(0), l(1), &mut long),
                Function::LWL(function) => function(l(0), w(0), &mut long),
                Function::WWWW(function) => function(w(0), w(1), w(2), &mut word),
                Function::WWLL(function) => function(w(0), w(1), l(0), &mut long),
                Function::LLLL(function) => function(l(0), l(1), l(2), &mut long),
                Function::LWWL(function) => function(l(0), w(0), w(1), &mut long),
                Function::WWWWW(function) => function(w(0), w(1), w(2), w(3), &mut word),
                Function::LLWWL(function) => function(l(0), l(1), w(0), w(1), &mut long),
                Function::EachLane(function) => {
                    let sources = self.each_source(program, frame, function.sources(), words, longs);
                    long = function.call(&sources);
                    word = long.map(|value| value as u32);
                }
                Function::WWP(_) | Function::LLP(_) => {}
            }
        }
        if function.is_long() {
            self.set_longs(frame, destination, &long, mask);
        } else {
            self.set_words(frame, destination, &word, mask);
        }
    }

    /// The sources of a function that is called for each lane, in their order, whatever their width.
    fn each_source(
        &self,
        program: &Program,
        frame: &Frame,
        letters: &str,
        words: &[WordSource; 4],
        longs: &[LongSource; 3],
    ) -> [Longs; 3] {
        let (mut words, mut longs) = (words.iter(), longs.iter());
        let mut sources = [[0; LANES]; 3];
        for (source, letter) in sources.iter_mut().zip(letters.bytes()) {
            if letter == b'L' {
                if let Some(own) = longs.next() {
                    *source = *self.long(program, frame, *own);
                }
            } else if let Some(own) = words.next() {
                *source = self.word(program, frame, *own).map(u64::from);
            }
        }
        sources
    }
}

fn combined(logic: Logic, first: Mask, second: Mask) -> Mask {
    match logic {
        Logic::And => first & second,
        Logic::Or => first | second,
        Logic::Xor => first ^ second,
    }
}
