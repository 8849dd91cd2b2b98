//! The constants that profiles have: what each is and in which unit.

/// A constant of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    /// Its key, behind those of the tables that it is in: `global.l2.bytes`.
    pub key: &'static str,
    /// The unit of its value; empty for counts, shares and words.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

const fn constant(key: &'static str, unit: &'static str, meaning: &'static str) -> Constant {
    Constant { key, unit, meaning }
}

/// Every constant, in the order of the profiles that are built in. Each is written `{ value = ..., source = "..." }`.
pub static CONSTANTS: &[Constant] = &[
    constant("compute_capability", "", "compute capability, which decides what instructions there are"),
    constant("sm_count", "", "streaming multiprocessors"),
    constant("sm_clock_mhz", "MHz", "clock of the multiprocessors"),
    constant("schedulers_per_sm", "", "warp schedulers of a multiprocessor"),
    constant(
        "issues_per_cycle",
        "",
        "instructions that a scheduler issues in a cycle; below 1 where one takes several cycles",
    ),
    constant(
        "reconvergence",
        "",
        "how diverged lanes meet again: `stack`, or `stack+yield` with independent thread scheduling",
    ),
    constant("launch_us", "µs", "launching a kernel by itself: what it takes beyond its instructions"),
    constant("launch_in_stream_us", "µs", "from the end of a launch to the start of the next in its stream"),
    constant("launch_in_graph_us", "µs", "the same within a CUDA graph"),
    constant(
        "launch_dependent_us",
        "µs",
        "the same of a launch that may begin before the one before it has ended (programmatic dependent launch); without the key, as in a stream",
    ),
    constant(
        "launch_conditional_us",
        "µs",
        "the same of a launch that a conditional node of a CUDA graph repeats; without the key, as within a graph",
    ),
    constant("occupancy.threads_per_sm", "", "most resident threads of a multiprocessor"),
    constant("occupancy.blocks_per_sm", "", "most resident blocks of a multiprocessor"),
    constant("occupancy.threads_per_block", "", "most threads of a block"),
    constant("occupancy.registers_per_sm", "", "32-bit registers of a multiprocessor"),
    constant("occupancy.registers_per_thread", "", "most registers of a thread"),
    constant(
        "units.integer.interval_cycles",
        "cycles",
        "additions, logic and comparisons of integers: cycles that one keeps the unit busy",
    ),
    constant("units.integer.latency_cycles", "cycles", "the same: cycles until a dependent instruction may issue"),
    constant(
        "units.multiply.interval_cycles",
        "cycles",
        "multiplications of integers: cycles that one keeps the unit busy",
    ),
    constant("units.multiply.latency_cycles", "cycles", "the same: cycles until a dependent instruction may issue"),
    constant("units.float.interval_cycles", "cycles", "f32 arithmetic: cycles that one keeps the unit busy"),
    constant("units.float.latency_cycles", "cycles", "the same: cycles until a dependent instruction may issue"),
    constant("units.double.interval_cycles", "cycles", "f64 arithmetic: cycles that one keeps the unit busy"),
    constant("units.double.latency_cycles", "cycles", "the same: cycles until a dependent instruction may issue"),
    constant(
        "units.special.interval_cycles",
        "cycles",
        "approximate functions and conversions: cycles that one keeps the unit busy",
    ),
    constant("units.special.latency_cycles", "cycles", "the same: cycles until a dependent instruction may issue"),
    constant(
        "units.exchange.interval_cycles",
        "cycles",
        "shuffles, votes and matches: cycles that one keeps the unit busy",
    ),
    constant("units.exchange.latency_cycles", "cycles", "the same: cycles until a dependent instruction may issue"),
    constant(
        "units.control.interval_cycles",
        "cycles",
        "branches, calls and returns: cycles that one keeps the unit busy",
    ),
    constant(
        "units.control.latency_cycles",
        "cycles",
        "the same: cycles until the next instruction of the warp may issue",
    ),
    constant(
        "matches.base_cycles",
        "cycles",
        "a match of lanes with equal values: cycles until a dependent instruction may issue, without what the values add; without the table it takes what a shuffle takes",
    ),
    constant("matches.cycles_per_value", "cycles", "what each different value adds to that"),
    constant(
        "matches.unit_cycles_per_value",
        "cycles",
        "of the unit that exchanges for each different value; where fewer than of a shuffle, those of a shuffle",
    ),
    constant(
        "constant.base_cycles",
        "cycles",
        "a load of constant memory whose place may differ from lane to lane: cycles until a dependent instruction may issue, without what the places add; without the table it takes what an integer instruction takes",
    ),
    constant("constant.cycles_per_place", "cycles", "what each different place adds to that"),
    constant(
        "constant.unit_cycles_per_place",
        "cycles",
        "of the unit of a multiprocessor that reads constant memory, for each different place and word there",
    ),
    constant("constant.cache_bytes", "bytes", "cache for constants of a multiprocessor that the others hold for"),
    constant(
        "shared.banks",
        "",
        "how accesses to shared memory become passes: `phases_32` (32 banks; words of 8 bytes by half-warps, of 16 by quarter-warps), `warp_32_wide` (32 banks of 8 bytes), `warp_32` (32 banks of 4 bytes) or `half_warp_16` (16 banks, half-warps)",
    ),
    constant("shared.pass_cycles", "cycles", "a pass over the banks"),
    constant(
        "shared.scheduler_pass_cycles",
        "cycles",
        "a pass where one scheduler has them all; without the key, as long as where they take turns",
    ),
    constant("shared.latency_cycles", "cycles", "from a load without conflicts to its value"),
    constant("shared.bytes_per_sm", "bytes", "shared memory of a multiprocessor"),
    constant("shared.bytes_per_block", "bytes", "most shared memory of a block without opt-in"),
    constant(
        "shared.bytes_per_block_opt_in",
        "bytes",
        "most shared memory of a block that opts in to more; without the key, no more than without opt-in",
    ),
    constant("shared.reserved_bytes_per_block", "bytes", "shared memory that the system reserves in every block"),
    constant("shared.holds_arguments", "", "whether kernel arguments take shared memory (compute capability 1)"),
    constant(
        "global.coalescing",
        "",
        "how accesses of a warp to global memory become transactions: `sectors` (of 32 bytes), `lines` (of 128 bytes), `half_warp_segments` or `half_warp_in_order` (half-warps, which must access a segment in order)",
    ),
    constant("global.bytes", "bytes", "device memory"),
    constant("global.gb_per_s", "10^9 bytes/s", "bandwidth of device memory that can be reached"),
    constant("global.latency_cycles", "cycles", "from a load from device memory to its value"),
    constant("global.l1.bytes", "bytes", "L1 cache of a multiprocessor; without the table there is none"),
    constant(
        "global.l1.shared_step_bytes",
        "bytes",
        "what resident blocks have of shared memory is taken from L1 in steps of so much; without it L1 keeps its size",
    ),
    constant("global.l1.latency_cycles", "cycles", "from a load to its value that L1 has"),
    constant("global.l2.bytes", "bytes", "L2 cache; without the table there is none"),
    constant("global.l2.latency_cycles", "cycles", "from a load to its value that L2 has"),
    constant("global.l2.bytes_per_cycle_per_sm", "bytes/cycle", "most that L2 gives a multiprocessor"),
    constant(
        "global.l2.slices.count",
        "",
        "parts of L2 that work side by side; without the table multiprocessors do not meet in L2",
    ),
    constant("global.l2.slices.interleave_bytes", "bytes", "neighbouring bytes in one slice"),
    constant(
        "global.l2.slices.merged_within_cycles",
        "cycles",
        "cycles of the load-store unit within which another store to a sector becomes one with it",
    ),
    constant(
        "global.l2.slices.merged_spread_cycles",
        "cycles",
        "by how much that differs from store to store: e times as rarely for so many cycles more",
    ),
    constant("global.l2.slices.load_bytes_per_cycle", "bytes/cycle", "what all slices together give to loads"),
    constant(
        "global.l2.slices.load_line_cycles",
        "cycles",
        "what a line takes at least of which a load asks for anything, of all slices together",
    ),
    constant(
        "global.l2.slices.store_bytes_per_cycle",
        "bytes/cycle",
        "what all slices together take of stores and of device memory",
    ),
    constant("global.l2.slices.fill_pct", "%", "what a byte from device memory takes of that, of a stored one"),
    constant(
        "global.l2.slices.completed_sector_cycles",
        "cycles",
        "what a sector adds that two blocks complete which begin at different times, of all slices together; nothing without it",
    ),
    constant(
        "global.l2.slices.partial_line_cycles",
        "cycles",
        "what a line adds of which a store writes only parts of sectors, of all slices together",
    ),
    constant(
        "global.l2.slices.acknowledge_cycles",
        "cycles",
        "from a store until the multiprocessor knows that it is taken",
    ),
    constant(
        "global.l2.slices.half_distance_cycles",
        "cycles",
        "what a load from the further half of L2 takes more than in the mean, and one from the nearer half less",
    ),
    constant(
        "global.l2.slices.first_load_cycles",
        "cycles",
        "what the first load of a multiprocessor takes more in a launch, where L2 has its value",
    ),
    constant("global.l2.slices.first_load_from_memory_cycles", "cycles", "the same where device memory has its value"),
    constant(
        "global.writes.gb_per_s",
        "10^9 bytes/s",
        "bandwidth of writes alone; without the table writes take as long as reads",
    ),
    constant(
        "global.writes.mixed_with_reads_pct",
        "%",
        "what reads and writes in equal parts take beyond one after the other",
    ),
    constant("global.writes.fetched_bytes", "bytes", "least that is read from device memory at once"),
    constant(
        "global.writes.incomplete_sectors",
        "sectors",
        "that L2 keeps which were written in part, until stores complete them, before it reads what is missing; without it no block completes those of another",
    ),
    constant(
        "global.writes.short_piece_bytes",
        "bytes",
        "what a piece of 256 bytes of which only a part is read or written takes more, as bytes that are read",
    ),
    constant(
        "global.writes.written_half_piece_bytes",
        "bytes",
        "the same of a piece of which one half is written; without the key, as of other parts",
    ),
    constant(
        "global.writes.queue_cycles",
        "cycles",
        "what a load takes more where device memory is in use for half of the time: it grows with the share in use over the share that is free",
    ),
    constant("global.writes.queue_cycles_most", "cycles", "most that this grows to"),
    constant("global.writes.mixed_queue_pct", "%", "how much longer both are where reads and writes are as many"),
    constant(
        "global.writes.latency_spread_cycles",
        "cycles",
        "standard deviation of a load's latency where device memory is idle; waiting for others is distributed as it is",
    ),
    constant("global.writes.latency_spread_cycles_most", "cycles", "most that this grows to where memory is busy"),
    constant(
        "global.partitions.count",
        "",
        "partitions of device memory, chosen by address bits; without the table addresses are hashed",
    ),
    constant("global.partitions.interleave_bytes", "bytes", "neighbouring bytes in one partition"),
    constant(
        "global.partitions.scattered_store_pct",
        "%",
        "time of a store of 32 bytes to another line than the one before, against that of a load",
    ),
    constant("warps.divergence_cycles", "cycles", "what a branch takes more whose lanes part; without the table, none"),
    constant(
        "warps.meeting_cycles",
        "cycles",
        "what a point takes where lanes that may have parted wait for each other, whether they have or not; without the key, nothing",
    ),
    constant(
        "warps.barrier_divergence_cycles",
        "cycles",
        "what a branch takes more whose lanes part and wait for each other at a barrier of the block; without the key, as at any other place",
    ),
    constant(
        "warps.special_register_cycles",
        "cycles",
        "until a special register is read for an address of shared memory that is made anew in a part of a loop",
    ),
    constant(
        "warps.parameter_cycles",
        "cycles",
        "until a parameter is loaded that a loop with other loops in it has no registers for; without the key, none",
    ),
    constant("warps.check_cycles", "cycles", "of a branch that checks before an exchange whether all lanes are there"),
    constant("warps.guard_cycles", "cycles", "that a predicate takes longer until it guards than until it is a source"),
    constant("warps.gathering_cycles", "cycles", "until lanes that may have parted are gathered for a barrier"),
    constant(
        "load_store.queue_cycles",
        "cycles",
        "accesses that may wait in front of a load-store unit before schedulers must wait; without the table they never wait",
    ),
    constant("load_store.store_queue_cycles", "cycles", "the same of stores on their way to L2"),
    constant(
        "load_store.operand_cycles",
        "cycles",
        "in which a scheduler hands over a register of a warp to the load-store unit: an address of shared memory is one, of global memory two; without the key, none",
    ),
    constant(
        "bulk_copies.latency_cycles",
        "cycles",
        "what a bulk copy from global to shared memory takes more than a load; without the table, nothing",
    ),
    constant("bulk_copies.tile_latency_cycles", "cycles", "the same of a copy of a tile of a matrix"),
    constant(
        "bulk_copies.issue_cycles",
        "cycles",
        "for how long a warp is held up for each of its lanes that begins a bulk copy",
    ),
    constant(
        "bulk_copies.instruction_cycles",
        "cycles",
        "for how long a warp is held up by an instruction that begins bulk copies, besides those of its lanes",
    ),
    constant(
        "bulk_copies.line_from_shared_cycles",
        "cycles",
        "for how long each line of 128 bytes that goes to global memory keeps the unit busy that copies",
    ),
    constant(
        "bulk_copies.row_cycles",
        "cycles",
        "for how long each row of a tile keeps the unit busy that copies, at least, and each line of 128 bytes",
    ),
    constant(
        "bulk_copies.bytes_per_cycle",
        "bytes/cycle",
        "most that L2 gives a multiprocessor by bulk copies; without the key, what it gives by loads",
    ),
    constant(
        "bulk_copies.half_distance_cycles",
        "cycles",
        "how much further or nearer than the mean the halves of L2 are for bulk copies; without the key, as for loads",
    ),
    constant(
        "phase_barriers.asking_cycles",
        "cycles",
        "from when a warp asks for a phase of a barrier in shared memory until it is told; without the table a load of shared memory",
    ),
    constant(
        "phase_barriers.asking_unit_cycles",
        "cycles",
        "for how long a warp that asks keeps the load-store unit busy",
    ),
    constant("phase_barriers.arriving_unit_cycles", "cycles", "the same of a warp that arrives"),
    constant("phase_barriers.expecting_unit_cycles", "cycles", "the same of one that tells of bytes"),
    constant(
        "phase_barriers.arriving_cycles",
        "cycles",
        "for how long a warp that arrives keeps others of its scheduler from the unit",
    ),
    constant(
        "phase_barriers.waking_cycles",
        "cycles",
        "from the end of a phase until a warp is told that was suspended until then",
    ),
    constant("phase_barriers.suspended_cycles", "cycles", "most that a warp is suspended that asks too early"),
    constant(
        "phase_barriers.refusing_cycles",
        "cycles",
        "from when lanes ask too early, while others of their warp wait elsewhere, until they are told; without the key they are suspended",
    ),
    constant(
        "dependent_launches.at_once",
        "",
        "most launches of a stream that are under way at once where each may begin before the one before it has ended; without the key, as many as there is room for",
    ),
    constant(
        "dependent_launches.in_graph_us",
        "µs",
        "from the end of such a launch of a CUDA graph until the next one goes on; without the table, the less of launch_dependent_us and launch_in_graph_us",
    ),
    constant(
        "dependent_launches.graph_interval_us",
        "µs",
        "from the start of such a launch of a CUDA graph until the next one starts, at least",
    ),
    constant(
        "copy_groups.waiting_cycles",
        "cycles",
        "what waiting for groups of asynchronous copies takes at least; without the table, nothing",
    ),
    constant("barrier.base_cycles", "cycles", "latency of a barrier, without waiting and what warps and threads add"),
    constant("barrier.threads_per_cycle", "threads/cycle", "threads of a block that a barrier takes in a cycle"),
    constant(
        "barrier.cycles_per_warp",
        "cycles",
        "for how long a warp that comes to a barrier keeps the unit that all blocks of a multiprocessor share; without the key, it does not",
    ),
    constant("fences.block_cycles", "cycles", "a fence for the block, which waits for no store to arrive"),
    constant("fences.device_cycles", "cycles", "a fence for the device, once the stores before it are taken"),
    constant(
        "fences.behind_access_cycles",
        "cycles",
        "what it takes more where its warp has loaded from global memory, or had an atomic there, since the fence before",
    ),
    constant("fences.system_cycles", "cycles", "a fence for the whole system, whatever is before it"),
    constant(
        "fences.farthest_block_cycles",
        "cycles",
        "how much later a warp sees that all blocks have come to a word, in grids of more than two blocks: some are farther from it in L2",
    ),
    constant(
        "fences.meeting_cycles_per_block",
        "cycles",
        "for how long each block keeps a word that all blocks come to by an atomic, and look at until the last has",
    ),
    constant(
        "clusters.barrier_cycles",
        "cycles",
        "what the barrier of a cluster of several blocks takes more than that of a block",
    ),
    constant("clusters.barrier_cycles_per_block", "cycles", "the same for each block of the cluster"),
    constant("clusters.barrier_cycles_per_warp", "cycles", "the same for each warp of a block"),
    constant(
        "clusters.remote_latency_cycles",
        "cycles",
        "from a load of another block's shared memory until its value is there",
    ),
    constant(
        "clusters.remote_bytes_per_cycle",
        "bytes/cycle",
        "what a multiprocessor moves from and to the shared memory of others",
    ),
    constant(
        "clusters.group_bytes_per_cycle",
        "bytes/cycle",
        "what all multiprocessors of a group move at most together, where clusters have more than two blocks; without the key, any number",
    ),
    constant(
        "clusters.start_cycles",
        "cycles",
        "how long the start of a cluster keeps others from starting, beyond that of its blocks, for a multiprocessor with one block of each",
    ),
    constant(
        "clusters.turnover_cycles",
        "cycles",
        "what a block of a cluster takes longer to begin in the place of one that has ended",
    ),
    constant(
        "clusters.group_sizes",
        "",
        "multiprocessors of each group, in quotes, if they are `sm_count` in all; a group holds no clusters of more blocks than it has of them",
    ),
    constant("clusters.groups", "", "groups of multiprocessors, one of which holds all blocks of a cluster"),
    constant(
        "blocks.start_cycles",
        "cycles",
        "between the first blocks that a multiprocessor gets; without the table blocks begin and end for nothing",
    ),
    constant("blocks.end_cycles", "cycles", "between the ends of two blocks of a multiprocessor, at least"),
    constant("blocks.turnover_cycles", "cycles", "from the end of a block until the next one runs in its place"),
    constant("blocks.turnover_cycles_per_warp", "cycles", "what each warp of the block adds to that"),
    constant("atomics.same_address_cycles", "cycles", "between two atomics on one address of global memory"),
    constant(
        "atomics.same_address_integer_cycles",
        "cycles",
        "the same where they are of integers; without the key, no less than of floats",
    ),
    constant(
        "atomics.unit_cycles",
        "cycles",
        "of the load-store unit for a warp's atomic on global memory, at least; without the key, as for a load",
    ),
    constant("atomics.sector_cycles", "cycles", "of a slice of L2 for each sector of a warp's atomic, at least"),
    constant(
        "atomics.l2_sector_cycles",
        "cycles",
        "of all slices together for each sector of a warp's atomic, of what they take of stores; without the key, as for a store of a word",
    ),
    constant("atomics.latency_cycles", "cycles", "from an atomic on global memory to the value that it gives back"),
    constant("atomics.shared_same_address_cycles", "cycles", "between two atomics on one address of shared memory"),
    constant(
        "atomics.shared_float.turn_cycles",
        "cycles",
        "adding a float in shared memory is a loop of loads and compare-and-swaps: a turn of it, in which one lane of those at an address gets through; without the table it is an atomic as others",
    ),
    constant("atomics.shared_float.busy_cycles", "cycles", "of a turn, how long shared memory is busy"),
    constant(
        "atomics.shared_float.wide_turn_cycles",
        "cycles",
        "a turn of words of 8 bytes, integers, too; without the key, as of others",
    ),
    constant("atomics.shared_float.wide_busy_cycles", "cycles", "of such a turn, how long shared memory is busy"),
    constant(
        "transfers.pinned_to_device_gb_per_s",
        "10^9 bytes/s",
        "copies from page-locked host memory to the device; without the table there are no transfers",
    ),
    constant("transfers.pinned_to_host_gb_per_s", "10^9 bytes/s", "copies from the device to page-locked host memory"),
    constant("transfers.pageable_to_device_gb_per_s", "10^9 bytes/s", "copies from pageable host memory to the device"),
    constant("transfers.pageable_to_host_gb_per_s", "10^9 bytes/s", "copies from the device to pageable host memory"),
    constant("transfers.latency_us", "µs", "a transfer, however little it moves"),
    constant(
        "driver_copies.whole_bytes",
        "bytes",
        "copies by the driver within device memory of a multiple of this are one kernel; those of other sizes are two; without the table all are one",
    ),
    constant("driver_copies.split_from_bytes", "bytes", "copies of less than this are one kernel, whatever their size"),
    constant("driver_copies.rest_us", "µs", "what the second kernel takes"),
];

#[cfg(test)]
mod tests;
