//! Clusters: blocks that are resident together, have a barrier of their own and reach into each other's shared memory.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use super::access::{LaneProblem, problem};
use super::block::Surroundings;
use super::fault::Problem;
use super::launch::Launch;
use super::memory::GlobalMemory;
use super::observer::Observer;
use super::paths::Wait;
use super::step::Flow;
use super::warp::Warp;
use crate::hardware::lanes::{Longs, Mask, Words, lanes_of};
use crate::windows::{RANK_MOST, WINDOW_BYTES, may_be_mapped, place_in_block, rank_of};

impl Launch {
    /// Blocks of a cluster.
    pub(crate) fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Clusters along each axis.
    pub(crate) fn clusters_along(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.grid[axis] / self.cluster[axis].max(1))
    }

    /// Clusters of the grid.
    pub(crate) fn clusters(&self) -> u64 {
        self.clusters_along().iter().map(|extent| u64::from(*extent)).product()
    }

    /// The cluster that the block with this number is in, x varying fastest.
    pub(crate) fn cluster_of(&self, number: u64) -> u64 {
        if self.cluster_blocks() == 1 {
            return number;
        }
        let [x, y, z] = self.block_index(number);
        let [columns, rows, _] = self.clusters_along().map(u64::from);
        let [x, y, z] = [x / self.cluster[0], y / self.cluster[1], z / self.cluster[2]].map(u64::from);
        x + columns * (y + rows * z)
    }

    /// The numbers of the blocks of a cluster, in the order of their ranks.
    pub(crate) fn blocks_of_cluster(&self, cluster: u64) -> Vec<u64> {
        if self.cluster_blocks() == 1 {
            return vec![cluster];
        }
        let [columns, rows, _] = self.clusters_along().map(u64::from);
        let [width, height, _] = self.grid.map(u64::from);
        let own = self.cluster.map(u64::from);
        let first = [cluster % columns * own[0], cluster / columns % rows * own[1], cluster / columns / rows * own[2]];
        (0..u64::from(self.cluster_blocks()))
            .map(|rank| {
                let [x, y, z] = [rank % own[0], rank / own[0] % own[1], rank / own[0] / own[1]];
                first[0] + x + width * (first[1] + y + height * (first[2] + z))
            })
            .collect()
    }

    /// The number of the first block of a cluster.
    pub(crate) fn first_of_cluster(&self, cluster: u64) -> u64 {
        if self.cluster_blocks() == 1 {
            return cluster;
        }
        self.blocks_of_cluster(cluster).first().copied().unwrap_or(0)
    }

    /// The clusters that these blocks are in, in their order.
    pub(super) fn clusters_of(&self, which: &[u64]) -> Vec<u64> {
        if self.cluster_blocks() == 1 {
            return which.to_vec();
        }
        let mut seen = HashSet::new();
        which.iter().map(|number| self.cluster_of(*number)).filter(|cluster| seen.insert(*cluster)).collect()
    }
}

/// A block as the others of its cluster see it.
#[derive(Debug, Default)]
struct Member {
    /// Its shared memory while none of its warps runs.
    shared: Vec<u8>,
    /// For each warp, the lanes that have not exited, those that have arrived in the round at hand, and those that have not waited since they
    /// arrived.
    live: Vec<Mask>,
    arrived: Vec<Mask>,
    owing: Vec<Mask>,
}

impl Member {
    fn has_ended(&self) -> bool {
        self.live.iter().all(|live| *live == 0)
    }

    /// Whether the cluster does not wait for it.
    fn is_there(&self) -> bool {
        self.live.iter().zip(&self.arrived).all(|(live, arrived)| arrived & live == *live)
    }
}

/// What the blocks of a cluster share.
#[derive(Debug)]
struct Cluster {
    /// One more than the rounds of its barrier that are complete.
    round: u64,
    members: Vec<Member>,
}

impl Cluster {
    /// Completes the round if everyone has arrived. Tells how many blocks' barriers that are.
    fn completed(&mut self) -> u32 {
        let has_arrived = |own: &Member| own.arrived.iter().any(|lanes| *lanes != 0);
        if !self.members.iter().all(Member::is_there) || !self.members.iter().any(has_arrived) {
            return 0;
        }
        self.round += 1;
        self.members.iter_mut().for_each(|own| own.arrived.fill(0));
        self.members.len() as u32
    }
}

/// A block's place in its cluster.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    rank: u32,
    cluster: Rc<RefCell<Cluster>>,
}

impl Seat {
    /// The places of so many blocks, each with the lanes of its warps.
    pub(super) fn all(blocks: u32, live: &[Mask]) -> Vec<Self> {
        let member = || Member {
            shared: Vec::new(),
            live: live.to_vec(),
            arrived: vec![0; live.len()],
            owing: vec![0; live.len()],
        };
        let members = (0..blocks).map(|_| member()).collect();
        let cluster = Rc::new(RefCell::new(Cluster { round: 1, members }));
        (0..blocks).map(|rank| Self { rank, cluster: Rc::clone(&cluster) }).collect()
    }

    pub(super) fn rank(&self) -> u32 {
        self.rank
    }

    /// Changes the block's shared memory for what the cluster keeps of it: before a warp of it runs, and behind that.
    pub(super) fn exchange(&self, shared: &mut Vec<u8>) {
        self.exchange_of(self.rank, shared);
    }

    fn exchange_of(&self, rank: u32, shared: &mut Vec<u8>) {
        if let Some(member) = self.cluster.borrow_mut().members.get_mut(rank as usize) {
            std::mem::swap(&mut member.shared, shared);
        }
    }

    /// Notes which lanes of a warp have not exited. Tells how many blocks' barriers that completed.
    pub(super) fn tell_live(&self, warp: u32, live: Mask) -> u32 {
        let mut cluster = self.cluster.borrow_mut();
        if let Some(own) = cluster.members.get_mut(self.rank as usize).and_then(|own| own.live.get_mut(warp as usize)) {
            *own = live;
        }
        cluster.completed()
    }

    /// Lanes of a warp arrive. Tells how many blocks' barriers that completed, or which lane has arrived before and not waited.
    fn arrive(&self, warp: u32, lanes: Mask) -> Result<u32, usize> {
        let mut cluster = self.cluster.borrow_mut();
        let Some(member) = cluster.members.get_mut(self.rank as usize) else { return Ok(0) };
        if let Some(lane) = lanes_of(member.owing[warp as usize] & lanes).next() {
            return Err(lane);
        }
        member.owing[warp as usize] |= lanes;
        member.arrived[warp as usize] |= lanes;
        Ok(cluster.completed())
    }

    /// The round that lanes of a warp wait for, or which lane has not arrived.
    fn awaited(&self, warp: u32, lanes: Mask) -> Result<u64, usize> {
        let cluster = self.cluster.borrow();
        let Some(member) = cluster.members.get(self.rank as usize) else { return Ok(0) };
        if let Some(lane) = lanes_of(lanes & !member.owing[warp as usize]).next() {
            return Err(lane);
        }
        // Of those that came to the end of their round already, it was the one before.
        let is_complete = member.arrived[warp as usize] & lanes == 0;
        Ok(cluster.round - u64::from(is_complete))
    }

    /// Lanes of a warp have waited.
    fn waited(&self, warp: u32, lanes: Mask) {
        if let Some(member) = self.cluster.borrow_mut().members.get_mut(self.rank as usize) {
            member.owing[warp as usize] &= !lanes;
        }
    }

    /// One more than the rounds of the cluster's barrier that are complete.
    pub(super) fn round(&self) -> u64 {
        self.cluster.borrow().round
    }

    /// Whether all of the block's threads have arrived, so that only other blocks of the cluster keep its barrier.
    pub(super) fn waits_for_others(&self) -> bool {
        let cluster = self.cluster.borrow();
        let own = cluster.members.get(self.rank as usize);
        own.is_some_and(|own| own.is_there() && own.arrived.iter().any(|lanes| *lanes != 0))
    }

    /// Why the shared memory of the block with this rank cannot be accessed, if so.
    fn refusal(&self, rank: u32) -> Option<String> {
        let cluster = self.cluster.borrow();
        let blocks = cluster.members.len();
        match cluster.members.get(rank as usize) {
            None if rank >= RANK_MOST => Some(format!(
                "in the shared memory of a block with rank {RANK_MOST} or more, but its cluster has {}",
                blocks_text(blocks)
            )),
            None => Some(format!(
                "in the shared memory of the block with rank {rank}, but its cluster has {}",
                blocks_text(blocks)
            )),
            Some(member) if member.has_ended() => {
                Some(format!("in the shared memory of the block with rank {rank} of its cluster, which has ended"))
            }
            Some(_) => None,
        }
    }
}

fn blocks_text(blocks: usize) -> String {
    if blocks == 1 { "1 block".to_owned() } else { format!("{blocks} blocks") }
}

/// An access to memory as messages tell it: its bytes, and whether it reads or writes.
pub(super) type Told = (u32, &'static str);

impl<M, O: Observer> Surroundings<'_, M, O> {
    /// Calls `access` for each block of the cluster in whose shared memory lanes of the mask have their addresses, with places there. While it
    /// is called, that is the block's shared memory.
    pub(super) fn by_rank(
        &mut self,
        addresses: &Longs,
        mask: Mask,
        (bytes, verb): Told,
        mut access: impl FnMut(&mut Self, &Longs, Mask) -> Result<(), LaneProblem>,
    ) -> Result<(), LaneProblem> {
        let rank = |lane: usize| rank_of(addresses[lane]).filter(|_| addresses[lane] < WINDOW_BYTES);
        // Most often no address was mapped, those of lanes that do not take part neither.
        let none = !may_be_mapped(addresses.iter().fold(0, |all, address| all | address));
        if none || lanes_of(mask).all(|lane| rank(lane).is_none()) {
            return access(self, addresses, mask);
        }
        let mut places = *addresses;
        lanes_of(mask)
            .filter(|lane| rank(*lane).is_some())
            .for_each(|lane| places[lane] = place_in_block(addresses[lane]));
        let mut rest = mask;
        while let Some(first) = lanes_of(rest).next() {
            let own = self.block.seat.rank();
            let of = |lane: usize| rank(lane).unwrap_or(own);
            let same = lanes_of(rest).filter(|lane| of(*lane) == of(first)).fold(0, |all, lane| all | 1 << lane);
            rest &= !same;
            let rank = of(first);
            if rank == own {
                access(self, &places, same)?;
                continue;
            }
            let seat = self.block.seat.clone();
            if let Some(reason) = seat.refusal(rank) {
                return Err(problem(bytes, places[first], verb, reason, first));
            }
            self.observer.remote(rank);
            seat.exchange_of(rank, &mut self.block.shared);
            self.block.reaches_out = true;
            let outcome = access(self, &places, same);
            self.block.reaches_out = false;
            seat.exchange_of(rank, &mut self.block.shared);
            outcome?;
        }
        Ok(())
    }

    /// The place of an address that must be in the block's own shared memory.
    pub(super) fn own_place(&self, address: u64, (bytes, verb): Told, lane: usize) -> Result<u64, LaneProblem> {
        match rank_of(address).filter(|_| address < WINDOW_BYTES) {
            None => Ok(address),
            Some(rank) if rank == self.block.seat.rank() => Ok(place_in_block(address)),
            Some(_) => {
                let reason =
                    "in the shared memory of another block of the cluster: bulk copies there are not simulated";
                Err(problem(bytes, place_in_block(address), verb, reason.to_owned(), lane))
            }
        }
    }
}

/// Whether a word's place is in the block's own shared memory for all lanes that take part.
pub(super) fn are_own(offsets: &Words, mask: Mask) -> bool {
    // Most often no address is as large.
    let all = offsets.iter().fold(0, |all, offset| all | offset);
    place_in_block(u64::from(all)) == u64::from(all)
        || lanes_of(mask).all(|lane| rank_of(u64::from(offsets[lane])).is_none())
}

impl Warp {
    /// Arrives at the barrier of the cluster, or waits for it.
    pub(super) fn cluster_barrier<M: GlobalMemory, O: Observer>(
        &mut self,
        around: &mut Surroundings<'_, M, O>,
        arrives: bool,
        pc: u32,
        (active, executed): (Mask, Mask),
    ) -> Result<Flow, (Problem, Option<usize>)> {
        let wrong = |what: &'static str| move |lane: usize| (Problem::ClusterBarrier(what), Some(lane));
        around.observer.instruction(pc, active, executed);
        if arrives {
            let again = wrong("it arrives again at the barrier of the cluster before it has waited there");
            let blocks = around.block.seat.arrive(self.number, executed).map_err(again)?;
            around.observer.cluster_barriers_passed(blocks);
            return Ok(Flow::Next);
        }
        let early = wrong("it waits for the barrier of the cluster without having arrived there");
        let round = around.block.seat.awaited(self.number, executed).map_err(early)?;
        self.paths.list[self.current].wait = Wait::Cluster { round, lanes: executed };
        Ok(Flow::Moved)
    }

    /// Goes on behind the cluster's barrier, together with the paths that waited at the same place. Tells where in the list it is then.
    pub(super) fn leave_cluster<M: GlobalMemory, O: Observer>(
        &mut self,
        path: usize,
        around: &mut Surroundings<'_, M, O>,
    ) -> usize {
        let together = |other: &usize| *other == path || self.paths.are_together(path, *other);
        let going: Vec<usize> = (0..self.paths.list.len()).filter(together).collect();
        for other in going {
            let place = &mut self.paths.list[other];
            let Wait::Cluster { round, lanes } = place.wait else { continue };
            if around.block.seat.round() > round {
                around.block.seat.waited(self.number, lanes);
                place.wait = Wait::Ready;
                place.pc += 1;
            }
        }
        self.paths.merge(path)
    }
}
