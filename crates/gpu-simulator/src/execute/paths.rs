//! The ways that the lanes of a warp are on, and where they meet again.
//!
//! A branch that lanes leave in several directions makes a path for each, which share a **join** at the branch's
//! immediate post-dominator. A path that comes to its join's place ends there; when all lanes that the join expects have
//! come, they go on as one path. The last path in the list runs first, so without yielding this is the reconvergence
//! stack: the taken direction before the other, inner branches before outer ones.

use crate::hardware::lanes::Mask;
use crate::program::{NO_PC, Program};

/// Why a path does not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// It does.
    Ready,
    /// For a block barrier to complete its `generation`-th round.
    Barrier { number: u32, generation: u64 },
    /// For the cluster's barrier to complete this round. `lanes` are those that the instruction's guard lets through.
    Cluster { round: u64, lanes: Mask },
    /// For the other lanes that the instruction at its place names. `lanes` are those that its guard lets through.
    Lanes { members: Mask, lanes: Mask },
}

/// Lanes that are on the same way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    pub(super) pc: u32,
    pub(super) mask: Mask,
    pub(super) frame: u32,
    join: u32,
    pub(super) wait: Wait,
}

/// Where lanes meet.
#[derive(Debug, Clone, Copy)]
struct Join {
    /// Its place.
    pc: u32,
    /// The branch where the lanes parted; [`NO_PC`] where they did not.
    branch: u32,
    /// Whether it is the return of a call: its place may be passed on other ways too.
    is_return: bool,
    frame: u32,
    expected: Mask,
    arrived: Mask,
    /// The join of the path that goes on here.
    parent: u32,
    used: bool,
}

const NO_JOIN: u32 = u32::MAX;

/// The paths of a warp.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) list: Vec<Path>,
    joins: Vec<Join>,
}

impl Paths {
    pub(super) fn new(mask: Mask, pc: u32) -> Self {
        let first = Path { pc, mask, frame: 0, join: NO_JOIN, wait: Wait::Ready };
        Self { list: vec![first], joins: Vec::new() }
    }

    /// All of them, with how long barriers have been waited for in rounds; `rounds` tells how many rounds a barrier has completed.
    pub(super) fn tell_state(&self, rounds: &dyn Fn(u32) -> u64, state: &mut Vec<u64>) {
        state.push(self.list.len() as u64);
        for Path { pc, mask, frame, join, wait } in &self.list {
            state.extend([pc, mask, frame, join].map(|own| u64::from(*own)));
            state.extend(match *wait {
                Wait::Ready => [0; 3],
                Wait::Barrier { number, generation } => [1, u64::from(number), rounds(number) - generation],
                Wait::Cluster { round, lanes } => [3, round, u64::from(lanes)],
                Wait::Lanes { members, lanes } => [2, u64::from(members), u64::from(lanes)],
            });
        }
        for Join { pc, branch, is_return, frame, expected, arrived, parent, used } in &self.joins {
            state.extend([pc, branch, frame, expected, arrived, parent].map(|own| u64::from(*own)));
            state.extend([is_return, used].map(|own| u64::from(*own)));
        }
    }

    /// Where its lanes are, those that wait to be joined among them.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, Mask)> + '_ {
        let joined = self.joins.iter().filter(|join| join.used).map(|join| (join.pc, join.arrived));
        self.list.iter().map(|path| (path.pc, path.mask)).chain(joined)
    }

    /// Where the path's join is; [`NO_PC`] where it has none that a place tells.
    pub(super) fn join_pc(&self, path: usize) -> u32 {
        let path = &self.list[path];
        match self.joins.get(path.join as usize) {
            Some(join) if !join.is_return && join.frame == path.frame => join.pc,
            _ => NO_PC,
        }
    }

    fn add_join(&mut self, join: Join) -> u32 {
        if let Some(free) = self.joins.iter().position(|join| !join.used) {
            self.joins[free] = join;
            return free as u32;
        }
        self.joins.push(join);
        self.joins.len() as u32 - 1
    }

    /// Parts the path: each of `ways` goes on with its lanes, the last of them first.
    pub(super) fn diverge(&mut self, path: usize, reconvergence: u32, ways: &[(u32, Mask)]) {
        let Path { pc: branch, mask, frame, join, .. } = self.list[path];
        let join = if reconvergence == NO_PC || reconvergence == self.join_pc(path) {
            join
        } else {
            let (pc, parent) = (reconvergence, join);
            self.add_join(Join { pc, branch, is_return: false, frame, expected: mask, arrived: 0, parent, used: true })
        };
        self.list.remove(path);
        self.list.extend(ways.iter().map(|&(pc, mask)| Path { pc, mask, frame, join, wait: Wait::Ready }));
    }

    /// Puts the path into a function from which it comes back to `return_pc`.
    pub(super) fn call(&mut self, path: usize, entry: u32, frame: u32, return_pc: u32) {
        let Path { mask, frame: caller, join: parent, .. } = self.list[path];
        let (pc, frame_of_join) = (return_pc, caller);
        let join = Join {
            pc,
            branch: NO_PC,
            is_return: true,
            frame: frame_of_join,
            expected: mask,
            arrived: 0,
            parent,
            used: true,
        };
        let join = self.add_join(join);
        let path = &mut self.list[path];
        path.join = join;
        path.pc = entry;
        path.frame = frame;
    }

    /// Of the lanes that came to the branches that count, the part that is on the path's way.
    pub(super) fn part_of_way(&self, path: usize, counts: impl Fn(u32) -> bool) -> f64 {
        let Some(Path { mask, join, .. }) = self.list.get(path) else { return 1.0 };
        let (mut on_way, mut index, mut part) = (mask.count_ones(), *join, 1.0);
        while let Some(Join { branch, expected, parent, .. }) = self.joins.get(index as usize) {
            let came = expected.count_ones();
            if *branch != NO_PC && counts(*branch) {
                part *= f64::from(on_way) / f64::from(came.max(1));
            }
            (on_way, index) = (came, *parent);
        }
        part
    }

    /// The path has come to its join. The last to come goes on from there with all lanes.
    pub(super) fn arrive(&mut self, path: usize) {
        let Path { mask, join, .. } = self.list.remove(path);
        let Some(place) = self.joins.get_mut(join as usize) else { return };
        place.arrived |= mask;
        self.complete(join);
    }

    fn complete(&mut self, join: u32) {
        let place = &mut self.joins[join as usize];
        if place.arrived != place.expected {
            return;
        }
        place.used = false;
        let Join { pc, frame, expected: mask, parent, .. } = *place;
        if mask != 0 {
            self.list.push(Path { pc, mask, frame, join: parent, wait: Wait::Ready });
        }
    }

    /// The path has come to a `ret`: it goes back to the call, past all joins inside the function.
    pub(super) fn leave_function(&mut self, path: usize) {
        let Path { mask, join, .. } = self.list.remove(path);
        let mut index = join;
        while let Some(place) = self.joins.get_mut(index as usize) {
            if place.is_return {
                place.arrived |= mask;
                self.complete(index);
                return;
            }
            place.expected &= !mask;
            let parent = place.parent;
            self.complete(index);
            index = parent;
        }
    }

    /// Lanes that wait at joins go on without those that they wait for, which may be waiting for them. Tells whether
    /// there were any.
    pub(super) fn release_joined(&mut self) -> bool {
        let mut released = Vec::new();
        for join in self.joins.iter_mut().filter(|join| join.used && join.arrived != 0) {
            let Join { pc, frame, arrived: mask, parent, .. } = *join;
            released.push(Path { pc, mask, frame, join: parent, wait: Wait::Ready });
            join.expected &= !mask;
            join.arrived = 0;
        }
        self.list.extend_from_slice(&released);
        !released.is_empty()
    }

    /// Whether lanes are in the frame or come back to it.
    pub(super) fn in_frame(&self, frame: u32) -> bool {
        self.list.iter().any(|path| path.frame == frame)
            || self.joins.iter().any(|join| join.used && join.frame == frame)
    }

    /// Whether two paths are at the same place and will meet the same others.
    pub(super) fn are_together(&self, first: usize, second: usize) -> bool {
        let place = |path: usize| (self.list[path].pc, self.list[path].frame, self.list[path].join);
        place(first) == place(second)
    }

    /// Makes one path of it and of all others that could go on from the same place. Tells where in the list it is then.
    pub(super) fn merge(&mut self, path: usize) -> usize {
        let mut kept = path;
        for other in (0..self.list.len()).rev() {
            if other != kept && self.list[other].wait == Wait::Ready && self.are_together(kept, other) {
                let Path { mask, .. } = self.list.remove(other);
                kept -= usize::from(other < kept);
                self.list[kept].mask |= mask;
            }
        }
        kept
    }

    /// Lanes are gone for good: nobody waits for them.
    pub(super) fn exit(&mut self, gone: Mask) {
        self.list.iter_mut().for_each(|path| path.mask &= !gone);
        self.list.retain(|path| path.mask != 0);
        for index in 0..self.joins.len() {
            let join = &mut self.joins[index];
            if join.used && join.expected & gone != 0 {
                join.expected &= !gone;
                join.arrived &= !gone;
                self.complete(index as u32);
            }
        }
    }

    /// Lanes that wait at joins from which on they do nothing but exit.
    pub(super) fn ending(&self, program: &Program) -> Mask {
        self.joined().filter(|(pc, _)| program.code[*pc as usize].ends).fold(0, |all, (_, mask)| all | mask)
    }

    /// Joins that are in use.
    #[cfg(test)]
    pub(super) fn joins(&self) -> usize {
        self.joins.iter().filter(|join| join.used).count()
    }

    /// Lanes that have come to a join and wait there, with its place.
    pub(super) fn joined(&self) -> impl Iterator<Item = (u32, Mask)> + '_ {
        let waiting = self.joins.iter().filter(|join| join.used && join.arrived != 0);
        waiting.map(|join| (join.pc, join.arrived))
    }
}
