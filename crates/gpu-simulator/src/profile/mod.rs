//! Profiles: the constants of a GPU that a simulated device has, each with its source.

use std::path::{Path, is_separator};

use crate::hardware::coalescing::SECTOR_BYTES;
use crate::hardware::occupancy::Limits;
use crate::hardware::{Banks, Coalescing};
use located_toml::DocumentErrors;
use located_toml::file::FileKind;
use located_toml::report::Sources;
use located_toml::words::{nearest, quote};

mod bulk_copies;
mod clusters;
mod constants;
mod dependent_launches;
mod fences;
mod foreign;
mod parts;
mod phase_barriers;
mod read;
mod table;
#[cfg(test)]
mod tests;

pub use bulk_copies::BulkCopies;
pub use clusters::Clusters;
pub use constants::{CONSTANTS, Constant};
pub use dependent_launches::DependentLaunches;
pub use fences::Fences;
pub use foreign::{ForeignError, error_of_foreign_kernels};
pub use parts::{
    Atomics, Barriers, Blocks, ConstantMemory, DriverCopies, LoadStoreQueues, Matches, SharedFloat, Slices, Warps,
    Writes,
};
pub use phase_barriers::PhaseBarriers;

/// Everything that is wrong with a profile.
pub type ProfileErrors = DocumentErrors;

const FILE: FileKind = FileKind {
    noun: "profile",
    instead_of_directory: "give a profile's file, such as my-gpu.toml, or the name of one that is built in: h200, a100, gtx280, 8500gt",
    where_missing: "check the path; the profiles that are built in have names: h200, a100, gtx280, 8500gt",
    least: "copy one of the profiles that are built in, and change it",
};

/// A profile that is built in.
#[derive(Debug, Clone, Copy)]
pub struct Embedded {
    /// Its name: [`Profile::load`] takes it.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
}

/// The profiles that are built in, that of the newest GPU first.
pub fn embedded() -> &'static [Embedded] {
    &[
        Embedded { name: "h200", text: include_str!("h200.toml") },
        Embedded { name: "a100", text: include_str!("a100.toml") },
        Embedded { name: "gtx280", text: include_str!("gtx280.toml") },
        Embedded { name: "8500gt", text: include_str!("8500gt.toml") },
    ]
}

/// How lanes that take different ways meet again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconvergence {
    /// `stack`: one way after the other, each to the branch's immediate post-dominator. A lane that waits for another
    /// one of its warp waits for ever. Compute capability below 7.
    Stack,
    /// `stack+yield`: the same, but a way that waits or spins lets the others go on, and `*.sync` instructions wait for
    /// every lane that they name. Compute capability 7 and above.
    StackYield,
}

/// Initiation interval and latency of a class of instructions, in cycles of the multiprocessor's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// Cycles for which a warp's instruction keeps the unit of its scheduler busy.
    pub interval_cycles: f64,
    /// Cycles from issue until a dependent instruction may issue.
    pub latency_cycles: f64,
}

/// Units of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// Adds, logic, shifts, comparisons and selections of integers.
    pub integer: Unit,
    /// Multiplications and multiply-adds of integers.
    pub multiply: Unit,
    /// f32 adds, multiplications, fused multiply-adds, comparisons.
    pub float: Unit,
    /// The same of f64.
    pub double: Unit,
    /// Approximate functions, and conversions between types.
    pub special: Unit,
    /// Shuffles, votes and matches.
    pub exchange: Unit,
    /// Branches, calls, returns: the latency is that of the next instruction of the same warp.
    pub control: Unit,
}

/// Shared memory of a multiprocessor.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedMemory {
    /// How addresses become passes.
    pub banks: Banks,
    /// Cycles of a pass.
    pub pass_cycles: f64,
    /// Cycles of a pass for accesses of one scheduler, which others may take turns with.
    pub scheduler_pass_cycles: f64,
    /// Cycles from issue of a load without conflicts until its value is there.
    pub latency_cycles: f64,
    /// Shared memory of a multiprocessor.
    pub bytes_per_sm: u64,
    /// Most shared memory of a block that does not ask for more than is usual; of static shared memory, most of any block.
    pub bytes_per_block: u64,
    /// Most shared memory of a block that asks for more, as dynamic shared memory.
    pub bytes_per_block_opt_in: u64,
    /// What every block takes beyond what it asks for.
    pub reserved_bytes_per_block: u64,
    /// Whether kernel arguments take shared memory too (compute capability 1).
    pub holds_arguments: bool,
}

/// Partitions of global memory that are picked by plain address bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partitions {
    /// How many there are.
    pub count: u32,
    /// Neighbouring bytes in the same partition.
    pub interleave_bytes: u64,
    /// Time of a store of 32 bytes, the least that is moved, to another line than the one before, in percent of that of a
    /// load: rows of memory that are written stay open for longer.
    pub scattered_store_pct: u32,
}

/// Device memory with its caches.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalMemory {
    /// How addresses become transactions.
    pub coalescing: Coalescing,
    /// Device memory.
    pub bytes: u64,
    /// Bandwidth that can be reached, in 10^9 bytes a second.
    pub gb_per_s: f64,
    /// Latency of a load from device memory.
    pub latency_cycles: f64,
    /// L1 cache of a multiprocessor; 0 without one.
    pub l1_bytes: u64,
    /// In steps of how much shared memory is taken from L1; 0 where it is not.
    pub l1_shared_step_bytes: u64,
    /// Latency of a load that L1 has; without one, that of device memory.
    pub l1_latency_cycles: f64,
    /// L2 cache; 0 without one.
    pub l2_bytes: u64,
    /// Latency of a load that L2 has; without one, that of device memory.
    pub l2_latency_cycles: f64,
    /// What L2 gives each multiprocessor; infinite without one.
    pub l2_bytes_per_cycle_per_sm: f64,
    /// L2 as all multiprocessors share it.
    pub slices: Option<Slices>,
    /// Writes to device memory.
    pub writes: Option<Writes>,
    /// `None` where addresses are hashed over the partitions.
    pub partitions: Option<Partitions>,
}

impl GlobalMemory {
    /// Bytes that device memory is read by at least: a sector, unless the profile says otherwise.
    pub(crate) fn fetched_bytes(&self) -> u32 {
        self.writes.map_or(SECTOR_BYTES, |writes| writes.fetched_bytes)
    }
}

/// Transfers between the host and the device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transfers {
    /// Rate from page-locked memory of the host to the device, in 10^9 bytes a second.
    pub pinned_to_device_gb_per_s: f64,
    /// Rate from the device to page-locked memory of the host.
    pub pinned_to_host_gb_per_s: f64,
    /// Rate from pageable memory of the host to the device.
    pub pageable_to_device_gb_per_s: f64,
    /// Rate from the device to pageable memory of the host.
    pub pageable_to_host_gb_per_s: f64,
    /// What a transfer takes however little it moves.
    pub latency_us: f64,
}

/// Limits of what is resident on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads of a multiprocessor.
    pub threads_per_sm: u32,
    /// Blocks of a multiprocessor.
    pub blocks_per_sm: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// 32-bit registers of a multiprocessor.
    pub registers_per_sm: u32,
    /// Registers of a thread at most.
    pub registers_per_thread: u32,
}

/// A GPU as far as the simulated device knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// What [`Profile::load`] was given: its name, or the path of its file.
    pub spec: String,
    /// The GPU's name.
    pub title: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// How far its times have been held against the real GPU.
    pub validation: String,
    /// SHA-256 of the profile's text.
    pub sha256: String,
    /// Streaming multiprocessors.
    pub sm_count: u32,
    /// Their clock.
    pub sm_clock_mhz: f64,
    /// Schedulers of a multiprocessor.
    pub schedulers_per_sm: u32,
    /// Instructions that a scheduler may issue in a cycle; below 1 where every instruction takes it several cycles.
    pub issues_per_cycle: f64,
    /// How diverged lanes meet again.
    pub reconvergence: Reconvergence,
    /// Limits of residency.
    pub occupancy: Occupancy,
    /// Units of a scheduler.
    pub units: Units,
    /// Matches of the lanes of a warp.
    pub matches: Option<Matches>,
    /// Constant memory.
    pub constant: Option<ConstantMemory>,
    /// Shared memory.
    pub shared: SharedMemory,
    /// Device memory and caches.
    pub global: GlobalMemory,
    /// What may wait at the load-store unit.
    pub load_store: LoadStoreQueues,
    /// What warps take besides their instructions; nothing unless the profile says so.
    pub warps: Warps,
    /// Barriers of a block.
    pub barriers: Barriers,
    /// Fences.
    pub fences: Fences,
    /// Atomics.
    pub atomics: Atomics,
    /// What beginning and ending blocks takes.
    pub blocks: Blocks,
    /// Clusters of blocks.
    pub clusters: Clusters,
    /// Bulk copies to shared memory.
    pub bulk_copies: BulkCopies,
    /// Barriers in shared memory; without it they are accessed as any shared memory is, and whoever asks too early asks again.
    pub phase_barriers: Option<PhaseBarriers>,
    /// What waiting for groups of asynchronous copies takes at least.
    pub copy_group_cycles: f64,
    /// Transfers between the host and the device; `None` where the profile does not tell.
    pub transfers: Option<Transfers>,
    /// Copies by the driver within device memory.
    pub driver_copies: Option<DriverCopies>,
    /// From a launch to its first instruction and from its last to the end of the event window.
    pub launch_us: f64,
    /// From the end of a launch to the first instruction of the next one in its stream.
    pub launch_in_stream_us: f64,
    /// The same where both are of one graph.
    pub launch_in_graph_us: f64,
    /// The same where the next one may begin before the end of the one before it.
    pub launch_dependent_us: f64,
    /// How many of them are under way at once, and how they follow each other in a graph.
    pub dependent_launches: DependentLaunches,
    /// The same where a conditional node of a graph repeats the launch.
    pub launch_conditional_us: f64,
    /// Warp instructions after which a warp is taken to loop for ever.
    pub step_limit: u64,
}

impl Profile {
    /// Whether a specification is the path of a file, and not a name.
    pub fn is_path(spec: &str) -> bool {
        let extension = Path::new(spec).extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) || spec.contains(is_separator)
    }

    /// The profile of a specification: the name of one that is built in, or the path of a file, which ends
    /// in `.toml` or has a slash.
    ///
    /// # Errors
    /// When there is no such profile, and all that is wrong with its text.
    pub fn load(spec: &str) -> Result<Self, ProfileErrors> {
        if Self::is_path(spec) {
            return Self::parse(spec, &FILE.read(Path::new(spec))?);
        }
        if let Some(profile) = embedded().iter().find(|profile| profile.name == spec) {
            return Self::parse(profile.name, profile.text);
        }
        let message = format!("no profile is called {}", quote(spec));
        Err(ProfileErrors::of_file(spec, &message, &instead_of(spec)))
    }

    /// Validates a profile. `file_name` is what errors call it, and its specification.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn parse(file_name: &str, text: &str) -> Result<Self, ProfileErrors> {
        FILE.check(file_name, text)?;
        let sources = Sources::new(file_name, text, &[]);
        match located_toml::walk(text, |table, problems| read::profile(file_name, text, table, problems)) {
            (Some(profile), problems) if problems.is_empty() => Ok(profile),
            (_, problems) => Err(sources.errors(problems)),
        }
    }

    /// What a copy of so many bytes within device memory takes: a launch, a load, and moving them both ways.
    pub fn copy_us(&self, bytes: u64) -> f64 {
        let first = self.global.slices.map_or(0.0, |slices| slices.first_load_from_memory_cycles);
        let write_gb_per_s = self.global.writes.map_or(self.global.gb_per_s, |writes| writes.gb_per_s);
        let latency_cycles = if self.global.slices.is_some() { first + self.global.latency_cycles } else { 0.0 };
        let moving_us = bytes as f64 * (self.global.gb_per_s.recip() + write_gb_per_s.recip()) / 1e3;
        let more_us = self.driver_copies.map_or(0.0, |copies| copies.more_us(bytes));
        self.launch_us + latency_cycles / self.sm_clock_mhz + moving_us + more_us
    }

    /// What its multiprocessors have.
    pub fn limits(&self) -> Limits {
        Limits {
            compute_capability: self.compute_capability,
            schedulers_per_sm: self.schedulers_per_sm,
            threads_per_sm: self.occupancy.threads_per_sm,
            blocks_per_sm: self.occupancy.blocks_per_sm,
            threads_per_block: self.occupancy.threads_per_block,
            registers_per_sm: self.occupancy.registers_per_sm,
            registers_per_thread: self.occupancy.registers_per_thread,
            shared_bytes_per_sm: self.shared.bytes_per_sm,
            shared_bytes_per_block: self.shared.bytes_per_block_opt_in,
            reserved_shared_bytes_per_block: self.shared.reserved_bytes_per_block,
            shared_holds_arguments: self.shared.holds_arguments,
        }
    }
}

/// How to get a profile instead of one with this name, which there is not.
fn instead_of(name: &str) -> String {
    let names: Vec<&str> = embedded().iter().map(|profile| profile.name).collect();
    let meant = nearest(name, &names).map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{meant}built in are {}; a profile of your own is a file that ends in .toml", names.join(", "))
}
