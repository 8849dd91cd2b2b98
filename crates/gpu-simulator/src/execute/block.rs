//! A block: its warps, shared memory and barriers.

use std::sync::Arc;

use super::barrier::{BARRIERS, BarrierState};
use super::cluster::Seat;
use super::fault::{Fault, Problem};
use super::launch::Launch;
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::paths::Wait;
use super::phase::TooEarly;
use super::position::WarpPosition;
use super::step::Flow;
use super::warp::{Frame, Outcome, Warp};
use crate::hardware::lanes::{LANES, Mask, lanes_of};
use crate::profile::Reconvergence;
use crate::program::{Barrier, BarrierKind, Program};

/// What a block's warps share.
#[derive(Debug)]
pub(super) struct BlockState {
    /// Its number in the grid.
    pub(super) number: u64,
    pub(super) index: [u32; 3],
    /// The multiprocessor that it is on.
    pub(super) multiprocessor: u32,
    /// Its shared memory. Of a cluster of several blocks the cluster has it while none of the block's warps runs.
    pub(super) shared: Vec<u8>,
    pub(super) seat: Seat,
    /// Whether what it has as its shared memory is that of another block of its cluster.
    pub(super) reaches_out: bool,
    pub(super) barriers: Vec<BarrierState>,
    /// For each warp, the lanes that have not exited.
    pub(super) live: Vec<Mask>,
    /// Whether its cluster has no other block.
    is_alone: bool,
    /// The thread that takes each of its places; the one of that number where this is none.
    order: Option<Arc<[u32]>>,
}

impl BlockState {
    /// The thread at a place of the block.
    pub(super) fn thread(&self, place: u32) -> u32 {
        self.order.as_ref().and_then(|order| order.get(place as usize)).copied().unwrap_or(place)
    }

    /// Takes its shared memory from its cluster, before a warp of it runs.
    fn enter(&mut self) {
        if !self.is_alone {
            self.seat.exchange(&mut self.shared);
        }
    }

    /// Gives it back.
    fn leave(&mut self) {
        self.enter();
    }

    pub(super) fn complete_barriers(&mut self, observer: &mut impl Observer, whole_warps: bool) {
        for barrier in &mut self.barriers {
            if let Some(warps) = barrier.complete(&self.live, whole_warps) {
                observer.barrier_passed(warps);
            }
        }
    }
}

/// What a warp sees around it while it runs.
pub(super) struct Surroundings<'a, M, O> {
    pub(super) program: &'a Program,
    pub(super) shape: &'a Launch,
    pub(super) block: &'a mut BlockState,
    pub(super) memory: &'a mut M,
    pub(super) observer: &'a mut O,
    pub(super) reconvergence: Reconvergence,
    pub(super) step_limit: u64,
}

impl<'a, M, O> Surroundings<'a, M, O> {
    fn of(
        block: &'a mut BlockState,
        program: &'a Program,
        launch: &'a Launch,
        memory: &'a mut M,
        observer: &'a mut O,
    ) -> Self {
        let (reconvergence, step_limit) = (launch.reconvergence, launch.step_limit);
        Self { program, shape: launch, block, memory, observer, reconvergence, step_limit }
    }
}

/// What became of a block that was let run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Some warp executed something, and some can go on.
    Moved,
    /// No warp could execute anything.
    Stuck,
    /// All warps have ended.
    Done,
}

/// A block while it is resident.
#[derive(Debug)]
pub(crate) struct Block {
    pub(super) state: BlockState,
    /// Its warps.
    pub warps: Vec<Warp>,
}

impl Block {
    /// The blocks of the cluster with this number, in the order of their ranks, each on the multiprocessor that is told for its number.
    pub(crate) fn of_cluster(
        program: &Program,
        launch: &Launch,
        cluster: u64,
        multiprocessor: impl Fn(u64) -> u32,
    ) -> Vec<Self> {
        let numbers = launch.blocks_of_cluster(cluster);
        let lives: Vec<Mask> =
            (0..launch.threads().div_ceil(LANES as u32)).map(|warp| Warp::lanes_of(warp, launch.threads())).collect();
        let seats = Seat::all(numbers.len() as u32, &lives);
        let is_alone = numbers.len() == 1;
        let block = |(number, seat): (u64, Seat)| {
            let mut block = Self::new(program, launch, number, multiprocessor(number), seat);
            if !is_alone {
                block.state.leave();
            }
            block
        };
        numbers.into_iter().zip(seats).map(block).collect()
    }

    fn new(program: &Program, launch: &Launch, number: u64, multiprocessor: u32, seat: Seat) -> Self {
        let threads = launch.threads();
        let warps: Vec<Warp> =
            (0..threads.div_ceil(LANES as u32)).map(|warp| Warp::new(program, warp, threads)).collect();
        let live: Vec<Mask> = warps.iter().map(|warp| warp.live).collect();
        let state = BlockState {
            number,
            index: launch.block_index(number),
            multiprocessor,
            shared: vec![0; program.shared_bytes as usize + launch.dynamic_shared_bytes as usize],
            seat,
            reaches_out: false,
            is_alone: launch.cluster_blocks() == 1,
            barriers: vec![BarrierState::new(live.len()); BARRIERS],
            live,
            order: None,
        };
        Self { state, warps }
    }

    /// Lets threads take these places of the block, before it begins.
    pub(crate) fn arrange(&mut self, order: Arc<[u32]>) {
        self.state.order = Some(order);
    }

    /// One more than the rounds of its cluster's barrier that are complete.
    pub(crate) fn cluster_round(&self) -> u64 {
        self.state.seat.round()
    }

    /// Whether only other blocks of its cluster keep the barrier there.
    pub(crate) fn waits_for_cluster(&self) -> bool {
        self.state.seat.waits_for_others()
    }

    /// Its number in the grid.
    pub(crate) fn number(&self) -> u64 {
        self.state.number
    }

    /// Whether all threads have exited.
    pub(crate) fn is_done(&self) -> bool {
        self.state.live.iter().all(|live| *live == 0)
    }

    /// Lets one warp execute at most `limit` instructions.
    ///
    /// # Errors
    /// What the kernel did wrong.
    pub(crate) fn run_warp<M: GlobalMemory, O: Observer>(
        &mut self,
        warp: usize,
        program: &Program,
        launch: &Launch,
        memory: &mut M,
        observer: &mut O,
        limit: u64,
    ) -> Result<Outcome, Fault> {
        observer.warp_runs(self.state.number, warp as u32);
        self.state.enter();
        let mut around = Surroundings::of(&mut self.state, program, launch, memory, observer);
        let warp = &mut self.warps[warp];
        let outcome = warp.run(&mut around, limit);
        self.state.leave();
        outcome.map_err(|(problem, line, lane)| Fault {
            problem,
            kernel: program.name.clone(),
            block: self.state.index,
            thread: lane.map(|lane| launch.thread(warp.number * LANES as u32 + lane as u32)),
            line,
        })
    }

    /// Brings a warp to its next instruction without executing it.
    pub(crate) fn settle_warp<M: GlobalMemory, O: Observer>(
        &mut self,
        warp: usize,
        program: &Program,
        launch: &Launch,
        memory: &mut M,
        observer: &mut O,
    ) -> Outcome {
        let mut around = Surroundings::of(&mut self.state, program, launch, memory, observer);
        self.warps[warp].settle(&mut around)
    }

    /// Who of a warp asks next for a phase of a barrier in shared memory that is not complete.
    pub(crate) fn asks_too_early<M: GlobalMemory, O: Observer>(
        &mut self,
        warp: usize,
        program: &Program,
        launch: &Launch,
        memory: &mut M,
        observer: &mut O,
    ) -> Option<TooEarly> {
        let around = Surroundings::of(&mut self.state, program, launch, memory, observer);
        self.warps[warp].asks_too_early(&around)
    }

    /// Lets every warp execute at most `limit` instructions, the first warp first.
    ///
    /// # Errors
    /// What the kernel did wrong.
    pub(crate) fn run<M: GlobalMemory, O: Observer>(
        &mut self,
        program: &Program,
        launch: &Launch,
        memory: &mut M,
        observer: &mut O,
        limit: u64,
    ) -> Result<Progress, Fault> {
        let mut moved = false;
        for warp in 0..self.warps.len() {
            let before = self.warps[warp].steps();
            self.run_warp(warp, program, launch, memory, observer, limit)?;
            moved |= self.warps[warp].steps() > before;
        }
        if self.is_done() {
            return Ok(Progress::Done);
        }
        Ok(if moved { Progress::Moved } else { Progress::Stuck })
    }

    /// Whether each of its warps has spun since this was last asked, or waits for other warps.
    pub(crate) fn only_spins(&mut self) -> bool {
        self.warps.iter_mut().fold(true, |all, warp| all & (std::mem::take(&mut warp.spun) || warp.is_held_up()))
    }

    /// Instructions that its warps have executed.
    pub(crate) fn steps(&self) -> u64 {
        self.warps.iter().map(Warp::steps).sum()
    }

    /// The fault of a launch whose blocks have executed too many instructions in all, of which this is one.
    pub(crate) fn endless(&self, program: &Program, steps: u64) -> Fault {
        self.endless_by(program, |positions| Problem::LaunchLimit { steps, positions })
    }

    /// The fault of a block that does the same again and again.
    pub(super) fn at_standstill(&self, program: &Program) -> Fault {
        self.endless_by(program, |positions| Problem::Standstill { positions })
    }

    /// The fault of a block that has no end, which `problem` makes of where its warps are.
    pub(super) fn endless_by(&self, program: &Program, problem: impl FnOnce(Vec<WarpPosition>) -> Problem) -> Fault {
        let deadlock = self.deadlock(program);
        let Problem::Deadlock { positions } = deadlock.problem else { return deadlock };
        Fault { problem: problem(positions), ..deadlock }
    }

    /// The fault of a block in which everything waits.
    pub(crate) fn deadlock(&self, program: &Program) -> Fault {
        let warps = self.warps.iter().filter(|warp| warp.live != 0);
        let line = warps.clone().find_map(Warp::position).map_or(0, |(pc, _)| program.code[pc as usize].line);
        let positions = warps.map(|warp| warp.positions(program)).collect();
        Fault {
            problem: Problem::Deadlock { positions },
            kernel: program.name.clone(),
            block: self.state.index,
            thread: None,
            line,
        }
    }
}

impl Warp {
    /// Arrives at a block barrier.
    pub(super) fn barrier<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        barrier: &Barrier,
        pc: u32,
        frame: &Frame,
        active: Mask,
        executed: Mask,
    ) -> Result<Flow, (Problem, Option<usize>)> {
        let Some(first) = lanes_of(executed).next() else { return Ok(Flow::Next) };
        let number = self.word(around.program, frame, barrier.number)[first];
        let threads = barrier.threads.map_or(0, |source| self.word(around.program, frame, source)[first]);
        let Some(state) = around.block.barriers.get_mut(number as usize) else {
            return Err((Problem::BadBarrier(number), Some(first)));
        };
        around.observer.instruction(pc, active, executed);
        let whole_warps = around.reconvergence == Reconvergence::Stack;
        if barrier.kind == BarrierKind::Arrive {
            let live = around.block.live[self.number as usize];
            state.pass_by(self.number, executed, threads, live, whole_warps);
            around.block.complete_barriers(around.observer, whole_warps);
            return Ok(Flow::Next);
        }
        if let BarrierKind::Count { predicate, .. } | BarrierKind::Test { predicate, .. } = barrier.kind {
            state.ask(executed, self.predicate(frame, predicate));
        }
        let generation = state.generation;
        state.arrive(self.number, executed, threads);
        self.paths.list[self.current].wait = Wait::Barrier { number, generation };
        around.block.complete_barriers(around.observer, whole_warps);
        Ok(Flow::Moved)
    }

    /// Goes on behind a barrier that has completed its round, together with the paths that waited at the same place.
    /// Tells where in the list it is then.
    pub(super) fn leave_barrier<M: GlobalMemory, O: Observer>(
        &mut self,
        path: usize,
        number: u32,
        around: &mut Surroundings<'_, M, O>,
    ) -> usize {
        let wait = self.paths.list[path].wait;
        for other in 0..self.paths.list.len() {
            if other != path && self.paths.list[other].wait == wait && self.paths.are_together(path, other) {
                self.pass_barrier(other, number, around);
            }
        }
        self.pass_barrier(path, number, around);
        self.paths.merge(path)
    }

    fn pass_barrier<M: GlobalMemory, O: Observer>(
        &mut self,
        path: usize,
        number: u32,
        around: &mut Surroundings<'_, M, O>,
    ) {
        let place = self.paths.list[path];
        let frame = self.frames[place.frame as usize];
        let instruction = &around.program.code[place.pc as usize];
        if let crate::program::Operation::Barrier(barrier) = &instruction.operation {
            let state = &around.block.barriers[number as usize];
            match barrier.kind {
                BarrierKind::Count { destination, .. } => {
                    self.set_words(&frame, destination, &[state.last_set; LANES], place.mask);
                }
                BarrierKind::Test { all, destination, .. } => {
                    let holds = if all { state.last_set == state.last_asked } else { state.last_set > 0 };
                    self.set_predicate(&frame, destination, if holds { Mask::MAX } else { 0 }, place.mask);
                }
                BarrierKind::Synchronise | BarrierKind::Arrive => {}
            }
        }
        let place = &mut self.paths.list[path];
        place.wait = Wait::Ready;
        place.pc += 1;
    }
}
