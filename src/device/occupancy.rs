//! What limits how many blocks of a kernel a multiprocessor holds: NVIDIA's occupancy calculator, for a workload's launches.

use std::fmt;

use crate::kernel::RegistersFrom;
use crate::properties::Properties;
use crate::workload::{Launch, Workload};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Limits, Residency, Resources};

/// What a thread has no registers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spilled {
    /// As many registers as the kernel does not allow it, by an estimate.
    Registers(u32),
    /// Bytes that it stores and loads for that, by ptxas.
    Bytes {
        /// Stored.
        stores: u64,
        /// Loaded.
        loads: u64,
    },
}

impl fmt::Display for Spilled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registers(count) => write!(formatter, "about {count} more are spilled to local memory"),
            Self::Bytes { stores, loads } => {
                write!(formatter, "for want of more, {stores} bytes are stored to local memory and {loads} loaded")
            }
        }
    }
}

/// The clusters of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterOccupancy {
    /// Blocks of each.
    pub blocks: u32,
    /// How many of them the GPU holds at once: by the driver on a GPU, else by the profile's groups of multiprocessors.
    pub at_once: u64,
}

impl ClusterOccupancy {
    /// Blocks that the GPU holds at once in clusters.
    pub fn blocks_at_once(&self) -> u64 {
        self.at_once * u64::from(self.blocks)
    }
}

/// What a kernel takes of a multiprocessor, and how many blocks of it that holds.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelOccupancy {
    /// The entry point.
    pub kernel: String,
    /// How many launches of the workload are like this.
    pub launches: usize,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// What a block takes, static and dynamic shared memory together.
    pub resources: Resources,
    /// Static shared memory of a block.
    pub static_shared_bytes: u64,
    /// Dynamic shared memory of a block.
    pub dynamic_shared_bytes: u64,
    /// Local memory of a thread; `None` where that is not known.
    pub local_bytes: Option<u64>,
    /// Where the number of registers comes from.
    pub registers_from: RegistersFrom,
    /// What of a thread's values is spilled to local memory; `None` where nothing is, or nobody says.
    pub spilled: Option<Spilled>,
    /// What the documented rule says, or why not even one block can run.
    pub residency: Result<Residency, String>,
    /// Blocks of a multiprocessor by the driver's own count; `None` where there is none to ask.
    pub driver_blocks: Option<u32>,
    /// Its clusters, where they have several blocks.
    pub clusters: Option<ClusterOccupancy>,
}

impl KernelOccupancy {
    /// Blocks of the grid.
    pub fn grid_blocks(&self) -> u64 {
        self.grid.iter().map(|extent| u64::from(*extent)).product()
    }

    /// Warps of a block.
    pub fn warps_per_block(&self) -> u32 {
        self.resources.threads_per_block.div_ceil(LANES as u32)
    }

    /// Blocks of a multiprocessor: the driver's count where there is one, else the rule's; 0 where not even one can run.
    pub fn resident_blocks(&self) -> u32 {
        self.driver_blocks.unwrap_or_else(|| self.residency.as_ref().map_or(0, |residency| residency.blocks))
    }

    /// Blocks that a GPU of so many multiprocessors holds at once: those of whole clusters, where they are in clusters.
    pub fn blocks_at_once(&self, sm_count: u32) -> u64 {
        let alone = u64::from(self.resident_blocks()) * u64::from(sm_count);
        self.clusters.map_or(alone, |clusters| clusters.blocks_at_once())
    }

    /// Warps of a multiprocessor.
    pub fn resident_warps(&self) -> u32 {
        self.resident_blocks().saturating_mul(self.warps_per_block())
    }

    /// Resident warps in percent of the most that a multiprocessor with these limits holds.
    pub fn occupancy_pct(&self, limits: &Limits) -> f64 {
        100.0 * f64::from(self.resident_warps()) / f64::from((limits.threads_per_sm / LANES as u32).max(1))
    }

    /// The grid in units of what all multiprocessors hold at once; `None` where they hold nothing. The column of `points.csv` is
    /// that of the busiest multiprocessor, which is more where the grid is no multiple of their number.
    pub fn waves(&self, sm_count: u32) -> Option<f64> {
        let at_once = u64::from(self.resident_blocks()) * u64::from(sm_count);
        (at_once > 0).then(|| self.grid_blocks() as f64 / at_once as f64)
    }

    /// Whether the driver's count is another one than the rule's.
    pub fn differs(&self) -> bool {
        let by_rule = self.residency.as_ref().map_or(0, |residency| residency.blocks);
        self.driver_blocks.is_some_and(|blocks| blocks != by_rule)
    }
}

/// Launches that are alike but for their arguments, with how many there are, in the order of the first of each.
pub(super) fn distinct_launches(workload: &Workload) -> Vec<(&Launch, usize)> {
    let mut distinct: Vec<(&Launch, usize)> = Vec::new();
    let shape = |launch: &Launch| {
        (launch.entry, launch.grid, launch.block, launch.shared_bytes, launch.cooperative, launch.cluster_blocks)
    };
    for launch in workload.launches() {
        match distinct.iter_mut().find(|(known, _)| shape(known) == shape(launch)) {
            Some((_, launches)) => *launches += 1,
            None => distinct.push((launch, 1)),
        }
    }
    distinct
}

/// Each kernel of the workload by the rule alone, with this many registers a thread and no static shared memory.
pub(super) fn assumed(workload: &Workload, properties: &Properties, registers_per_thread: u32) -> Vec<KernelOccupancy> {
    let of = |(launch, launches): (&Launch, usize)| {
        let resources = Resources {
            threads_per_block: launch.threads_per_block(),
            registers_per_thread,
            shared_bytes_per_block: u64::from(launch.shared_bytes),
            argument_bytes: 0,
        };
        KernelOccupancy {
            kernel: launch.entry.to_owned(),
            launches,
            grid: launch.grid,
            block: launch.block,
            resources,
            static_shared_bytes: 0,
            dynamic_shared_bytes: u64::from(launch.shared_bytes),
            local_bytes: None,
            registers_from: RegistersFrom::Assumed,
            spilled: None,
            residency: gpu_simulator::hardware::occupancy::resident_blocks(&properties.limits(), &resources),
            driver_blocks: None,
            clusters: None,
        }
    };
    distinct_launches(workload).into_iter().map(of).collect()
}
