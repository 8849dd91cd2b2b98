//! Counters as columns of `points.csv`.

use gpu_simulator::class::Class;
use gpu_simulator::counters::{Counters, InstructionCounts};

/// The columns, in their order.
pub const COLUMNS: [&str; 46] = [
    "profile",
    "bound",
    "blocks",
    "blocks_executed",
    "blocks_timed",
    "blocks_per_sm",
    "waves_per_sm",
    "ptx_instructions",
    "warp_instructions",
    "thread_instructions",
    "active_lanes",
    "integer_instructions",
    "multiply_instructions",
    "float_instructions",
    "double_instructions",
    "special_instructions",
    "control_instructions",
    "barrier_instructions",
    "exchange_instructions",
    "shared_instructions",
    "global_instructions",
    "local_instructions",
    "constant_instructions",
    "atomic_instructions",
    "other_instructions",
    "branch_instructions",
    "divergent_branches",
    "global_load_requests",
    "global_load_transactions",
    "global_store_requests",
    "global_store_transactions",
    "global_atomic_requests",
    "global_atomic_transactions",
    "global_bytes_moved",
    "global_bytes_asked",
    "shared_load_requests",
    "shared_load_passes",
    "shared_store_requests",
    "shared_store_passes",
    "shared_atomic_requests",
    "shared_atomic_passes",
    "bank_conflicts",
    "local_requests",
    "local_transactions",
    "block_barriers",
    "atomic_serialisations",
];

/// What was counted in all launches of a workload.
#[derive(Debug, Clone, Default)]
pub(super) struct Counted {
    pub(super) profile: String,
    pub(super) bound: &'static str,
    pub(super) blocks: u64,
    pub(super) blocks_executed: u64,
    pub(super) blocks_timed: u64,
    pub(super) blocks_per_sm: u32,
    pub(super) waves: f64,
    counts: Vec<u64>,
    warps: u64,
    threads: u64,
}

impl Counted {
    /// Adds what was counted in the blocks of a launch that were executed. Where that is not all of them, the rest is
    /// taken to do the same.
    pub(super) fn add(&mut self, counters: &Counters, instructions: &InstructionCounts, blocks: u64, executed: u64) {
        let whole = |count: u64| {
            if executed == blocks || executed == 0 {
                count
            } else {
                (u128::from(count) * u128::from(blocks) / u128::from(executed)) as u64
            }
        };
        let class = |class: Class| instructions.by_class[class as usize];
        let by_class = [
            Class::Integer,
            Class::Multiply,
            Class::Float,
            Class::Double,
            Class::Special,
            Class::Control,
            Class::Barrier,
            Class::Exchange,
            Class::Shared,
            Class::Global,
            Class::Local,
            Class::Constant,
            Class::Atomic,
        ]
        .map(class);
        let other = class(Class::Other) + class(Class::Move);
        let [global_loads, global_stores, global_atomics] = counters.global;
        let [shared_loads, shared_stores, shared_atomics] = counters.shared;
        let counts: Vec<u64> = [instructions.ptx]
            .into_iter()
            .chain(by_class)
            .chain([other, instructions.branches, instructions.divergent_branches])
            .chain(
                [global_loads, global_stores, global_atomics].into_iter().flat_map(|kind| [kind.requests, kind.parts]),
            )
            .chain([counters.global_bytes_moved, counters.global_bytes_asked])
            .chain(
                [shared_loads, shared_stores, shared_atomics].into_iter().flat_map(|kind| [kind.requests, kind.parts]),
            )
            .chain([counters.bank_conflicts, counters.local.requests, counters.local.parts])
            .chain([counters.block_barriers, counters.atomic_serialisations])
            .map(whole)
            .collect();
        self.counts.resize(counts.len(), 0);
        self.counts.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        self.warps += whole(instructions.warps);
        self.threads += whole(instructions.threads);
        self.blocks += blocks;
        self.blocks_executed += executed;
    }

    /// The cells of [`COLUMNS`].
    pub(super) fn cells(&self) -> Vec<(&'static str, String)> {
        let active_lanes = self.threads as f64 / self.warps.max(1) as f64;
        // A workload that only copies has counted nothing.
        let mut counts = self.counts.iter().chain(std::iter::repeat(&0)).map(u64::to_string);
        let mut values = vec![
            self.profile.clone(),
            self.bound.to_owned(),
            self.blocks.to_string(),
            self.blocks_executed.to_string(),
            self.blocks_timed.to_string(),
            self.blocks_per_sm.to_string(),
            format!("{:.2}", self.waves),
        ];
        values.extend(counts.next());
        values.extend([self.warps.to_string(), self.threads.to_string(), format!("{active_lanes:.3}")]);
        values.extend(counts.take(COLUMNS.len() - values.len()));
        COLUMNS.into_iter().zip(values).collect()
    }
}
