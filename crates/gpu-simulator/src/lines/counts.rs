//! What is known of a line.

use super::{BeforeBarrier, ConstantLoads, Wanted};

/// What instructions of a line did, in all blocks of a launch. Where a part of the blocks was executed, the others are taken to do the same.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineCounts {
    /// The line of the module.
    pub line: u32,
    /// How often a warp executed it.
    pub warps: f64,
    /// About how many machine instructions warps issued for that.
    pub issued: f64,
    /// How often a warp divided integers by a number that no compiler knows.
    pub divisions: f64,
    /// About how many machine instructions warps issued for these divisions.
    pub division_issued: f64,
    /// For how many lanes, all warps together: those that its guard lets through.
    pub lanes: f64,
    /// How often lanes of a warp parted there.
    pub divergent: f64,
    /// Where lanes go on that parted there: lines of the module, in ascending order.
    pub ways: Vec<u32>,
    /// Lanes on the way that fewest of a warp went when it parted there, all times together.
    pub lanes_of_narrow_ways: f64,
    /// Executions in which lanes part of branches that lead out of a loop: some need more of its turns than others.
    pub divergent_at_loops: f64,
    /// The same of branches that lead past loops.
    pub divergent_past_loops: f64,
    /// Where these loops end: lines of the module, in ascending order.
    pub passed_loops: Vec<u32>,
    /// Accesses to global memory.
    pub global: Accesses,
    /// Accesses to shared memory.
    pub shared: Accesses,
    /// Accesses to local memory: registers that did not fit, and arrays that are indexed.
    pub local: Accesses,
    /// Barriers of a block that warps came to.
    pub barriers: f64,
    /// What warps executed before these barriers since the one before, or since they began.
    pub before_barrier: BeforeBarrier,
    /// Fences that warps waited at until the device sees what they wrote.
    pub fences: f64,
    /// Atomics of lanes, on global and shared memory.
    pub atomics: f64,
    /// Those of them that met one of another lane of the same instruction at its address.
    pub atomics_met: f64,
    /// Atomics of further lanes, which are added up with these on the way to memory.
    pub atomics_added_up: f64,
    /// Loads from constant memory.
    pub constant: ConstantLoads,
    /// Whether some of the atomics write a value in place of adding to it: an exchange, or a compare-and-swap.
    pub swaps: bool,
    /// Whether somebody reads what they answer: the value before them.
    pub are_answered: bool,
    /// The addresses of global memory that most of them come to.
    pub wanted: Wanted,
    /// Threads of whole warps that left here without having accessed memory; none in launches whose blocks wait for each other.
    pub idle_threads: f64,
    /// Blocks of such warps only.
    pub idle_blocks: f64,
}

/// Accesses of a line to a memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Accesses {
    /// Whether something is loaded, stored; both of atomics.
    pub loads: bool,
    /// See `loads`.
    pub stores: bool,
    /// Requests of warps.
    pub requests: f64,
    /// What they became: sectors or segments of global and local memory, passes over the banks of shared memory.
    pub parts: f64,
    /// What they would become if lanes accessed neighbouring elements.
    pub least: f64,
    /// Bytes of a lane's access; the largest where they differ.
    pub bytes_per_lane: u32,
    /// The same as the PTX has it, before a compiler joins neighbouring accesses.
    pub written_bytes_per_lane: u32,
    /// Bytes from a lane's address to the next one's, where that is the same for most requests.
    pub stride_bytes: Option<i64>,
    /// Bytes from where a warp's first lane accesses to where it does the next time, where that is the same most times; of global memory alone.
    pub step_bytes: Option<i64>,
    /// The place in global memory of the first access there; see [`crate::Memory::name_at`].
    pub address: Option<u64>,
}

impl Accesses {
    /// Parts of a request, on average; 0 where there is none.
    pub fn per_request(&self) -> f64 {
        if self.requests > 0.0 { self.parts / self.requests } else { 0.0 }
    }

    /// The same at best.
    pub fn least_per_request(&self) -> f64 {
        if self.requests > 0.0 { self.least / self.requests } else { 0.0 }
    }
}

impl LineCounts {
    /// Adds what the same line did in another launch.
    pub fn add(&mut self, other: &Self) {
        self.line = other.line;
        for (own, other) in [
            (&mut self.warps, other.warps),
            (&mut self.issued, other.issued),
            (&mut self.divisions, other.divisions),
            (&mut self.division_issued, other.division_issued),
            (&mut self.lanes, other.lanes),
            (&mut self.divergent, other.divergent),
            (&mut self.lanes_of_narrow_ways, other.lanes_of_narrow_ways),
            (&mut self.divergent_at_loops, other.divergent_at_loops),
            (&mut self.divergent_past_loops, other.divergent_past_loops),
            (&mut self.barriers, other.barriers),
            (&mut self.fences, other.fences),
            (&mut self.atomics, other.atomics),
            (&mut self.atomics_met, other.atomics_met),
            (&mut self.atomics_added_up, other.atomics_added_up),
            (&mut self.idle_threads, other.idle_threads),
            (&mut self.idle_blocks, other.idle_blocks),
        ] {
            *own += other;
        }
        self.ways.extend(&other.ways);
        self.ways.sort_unstable();
        self.ways.dedup();
        self.add_passed(&other.passed_loops);
        self.swaps |= other.swaps;
        self.are_answered |= other.are_answered;
        self.wanted.add(&other.wanted);
        self.before_barrier.add(&other.before_barrier);
        self.global.add(&other.global);
        self.shared.add(&other.shared);
        self.local.add(&other.local);
        self.constant.add(&other.constant);
    }

    /// Adds where loops end that lanes are led past.
    pub(super) fn add_passed(&mut self, ends: &[u32]) {
        self.passed_loops.extend(ends);
        self.passed_loops.sort_unstable();
        self.passed_loops.dedup();
    }
}

impl Accesses {
    /// Adds other accesses. Stride, step and address are those of the first.
    pub fn add(&mut self, other: &Self) {
        if self.requests <= 0.0 {
            (self.stride_bytes, self.step_bytes, self.address) = (other.stride_bytes, other.step_bytes, other.address);
        }
        self.loads |= other.loads;
        self.stores |= other.stores;
        self.requests += other.requests;
        self.parts += other.parts;
        self.least += other.least;
        self.bytes_per_lane = self.bytes_per_lane.max(other.bytes_per_lane);
        self.written_bytes_per_lane = self.written_bytes_per_lane.max(other.written_bytes_per_lane);
    }
}
