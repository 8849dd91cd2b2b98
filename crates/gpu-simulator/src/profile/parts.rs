//! Tables that a profile may leave out. Without them the GPU is simpler: blocks begin for nothing, all multiprocessors together get
//! what one of them would, and stores cost what loads cost.

use super::table::Table;
use located_toml::problem::Problems;

/// Most cycles of anything here.
const CYCLES_MAX: f64 = 1e6;
/// Most of a rate.
const RATE_MAX: f64 = 1e6;

/// Barriers of a block, for which a multiprocessor has one unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Barriers {
    /// From when the unit has taken the last warp until those that wait go on.
    pub base_cycles: f64,
    /// Threads of a block for which that takes a cycle more.
    pub threads_per_cycle: f64,
    /// For how long a warp that comes to a barrier keeps the unit, which all blocks of the multiprocessor share.
    pub cycles_per_warp: f64,
}

impl Barriers {
    /// Those that take nothing.
    pub(crate) const NOTHING: Self = Self { base_cycles: 0.0, threads_per_cycle: f64::INFINITY, cycles_per_warp: 0.0 };

    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let base_cycles = table.number("base_cycles", 55.0, 0.0, CYCLES_MAX);
        let threads_per_cycle = table.number("threads_per_cycle", 16.0, 0.1, 10_000.0);
        let cycles_per_warp = if table.optional("cycles_per_warp") {
            table.number("cycles_per_warp", 2.0, 0.0, CYCLES_MAX)
        } else {
            Some(0.0)
        };
        table.finish(problems);
        Some(Self {
            base_cycles: base_cycles?,
            threads_per_cycle: threads_per_cycle?,
            cycles_per_warp: cycles_per_warp?,
        })
    }
}

/// What it takes until a block runs, and until its place is free again. All zero: nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Blocks {
    /// Cycles between two blocks of the first that a multiprocessor gets.
    pub start_cycles: f64,
    /// Cycles between the ends of two blocks of a multiprocessor, at least: it ends one after the other.
    pub end_cycles: f64,
    /// Cycles from the end of a block until the next one in its place runs.
    pub turnover_cycles: f64,
    /// What each warp of the block adds to that.
    pub turnover_cycles_per_warp: f64,
}

impl Blocks {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let mut cycles = |key: &'static str, example: f64| table.number(key, example, 0.0, CYCLES_MAX);
        let start_cycles = cycles("start_cycles", 24.0);
        let end_cycles = cycles("end_cycles", 157.0);
        let turnover_cycles = cycles("turnover_cycles", 360.0);
        let turnover_cycles_per_warp = cycles("turnover_cycles_per_warp", 5.0);
        table.finish(problems);
        Some(Self {
            start_cycles: start_cycles?,
            end_cycles: end_cycles?,
            turnover_cycles: turnover_cycles?,
            turnover_cycles_per_warp: turnover_cycles_per_warp?,
        })
    }
}

/// What may wait at the load-store unit of a multiprocessor before its schedulers must wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadStoreQueues {
    /// Cycles of accesses in front of the unit.
    pub queue_cycles: f64,
    /// Cycles of stores on their way to L2.
    pub store_queue_cycles: f64,
    /// Cycles in which a scheduler hands over a register of a warp: an address of shared memory is one, of global memory two.
    pub operand_cycles: f64,
}

impl Default for LoadStoreQueues {
    /// However much waits, schedulers do not.
    fn default() -> Self {
        Self { queue_cycles: f64::INFINITY, store_queue_cycles: f64::INFINITY, operand_cycles: 0.0 }
    }
}

impl LoadStoreQueues {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let queue_cycles = table.number("queue_cycles", 16.0, 0.0, CYCLES_MAX);
        let store_queue_cycles = table.number("store_queue_cycles", 512.0, 0.0, CYCLES_MAX);
        let operand_cycles =
            table.optional("operand_cycles").then(|| table.number("operand_cycles", 2.0, 0.0, CYCLES_MAX));
        table.finish(problems);
        Some(Self {
            queue_cycles: queue_cycles?,
            store_queue_cycles: store_queue_cycles?,
            operand_cycles: operand_cycles.unwrap_or(Some(0.0))?,
        })
    }
}

/// What a warp takes besides its instructions.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Warps {
    /// What a branch takes more whose lanes part.
    pub divergence_cycles: f64,
    /// What a point takes where lanes that may have parted wait for each other, whether they have or not.
    pub meeting_cycles: f64,
    /// What a branch takes more whose lanes part, where a barrier of the block is the place to meet.
    pub barrier_divergence_cycles: f64,
    /// Cycles until a special register has been read that says where shared memory begins.
    pub special_register_cycles: f64,
    /// Cycles until a parameter has been loaded, in a loop that has no registers to keep it in.
    pub parameter_cycles: f64,
    /// Cycles of a branch that checks whether all lanes are there.
    pub check_cycles: f64,
    /// Cycles until all lanes are gathered for a barrier of the block.
    pub gathering_cycles: f64,
    /// Cycles that a predicate takes longer until it guards an instruction, such as a branch, than until an instruction reads it as a source.
    pub guard_cycles: f64,
}

impl Warps {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let divergence_cycles = table.number("divergence_cycles", 16.0, 0.0, CYCLES_MAX);
        let special_register_cycles = table.number("special_register_cycles", 25.0, 0.0, CYCLES_MAX);
        let mut or_none = |key| if table.optional(key) { table.number(key, 0.0, 0.0, CYCLES_MAX) } else { Some(0.0) };
        let (parameter_cycles, check_cycles) = (or_none("parameter_cycles"), or_none("check_cycles"));
        let (gathering_cycles, guard_cycles) = (or_none("gathering_cycles"), or_none("guard_cycles"));
        let meeting_cycles = or_none("meeting_cycles");
        let barrier_divergence_cycles = if table.optional("barrier_divergence_cycles") {
            table.number("barrier_divergence_cycles", 62.0, 0.0, CYCLES_MAX)
        } else {
            divergence_cycles
        };
        table.finish(problems);
        Some(Self {
            divergence_cycles: divergence_cycles?,
            meeting_cycles: meeting_cycles?,
            barrier_divergence_cycles: barrier_divergence_cycles?,
            special_register_cycles: special_register_cycles?,
            parameter_cycles: parameter_cycles?,
            check_cycles: check_cycles?,
            gathering_cycles: gathering_cycles?,
            guard_cycles: guard_cycles?,
        })
    }
}

/// What a load of constant memory takes whose place may differ from lane to lane. `None` in a profile: what any load takes whose place is the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstantMemory {
    /// Cycles until a dependent instruction may issue, without what the places add.
    pub base_cycles: f64,
    /// Cycles that each different place adds.
    pub cycles_per_place: f64,
    /// Cycles for which each word of each different place keeps the unit busy that a multiprocessor has for it.
    pub unit_cycles_per_place: f64,
    /// Bytes of the cache that these hold for.
    pub cache_bytes: u32,
}

impl ConstantMemory {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let base_cycles = table.number("base_cycles", 17.0, 0.0, CYCLES_MAX);
        let cycles_per_place = table.number("cycles_per_place", 11.0, 0.0, CYCLES_MAX);
        let unit_cycles_per_place = table.number("unit_cycles_per_place", 2.0, 0.0, CYCLES_MAX);
        let cache_bytes = table.integer("cache_bytes", 2048, 1, 1 << 16);
        table.finish(problems);
        Some(Self {
            base_cycles: base_cycles?,
            cycles_per_place: cycles_per_place?,
            unit_cycles_per_place: unit_cycles_per_place?,
            cache_bytes: u32::try_from(cache_bytes?).ok()?,
        })
    }
}

/// What a match of a warp's lanes takes, which looks at one value after the other. `None` in a profile: what a shuffle takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matches {
    /// Cycles until a dependent instruction may issue, without what the values add.
    pub base_cycles: f64,
    /// Cycles that each different value adds.
    pub cycles_per_value: f64,
    /// Cycles for which each different value keeps the unit of a scheduler busy that exchanges.
    pub unit_cycles_per_value: f64,
}

impl Matches {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let base_cycles = table.number("base_cycles", 21.0, 0.0, CYCLES_MAX);
        let cycles_per_value = table.number("cycles_per_value", 11.0, 0.0, CYCLES_MAX);
        let unit_cycles_per_value = table.number("unit_cycles_per_value", 8.0, 0.0, CYCLES_MAX);
        table.finish(problems);
        Some(Self {
            base_cycles: base_cycles?,
            cycles_per_value: cycles_per_value?,
            unit_cycles_per_value: unit_cycles_per_value?,
        })
    }
}

/// How the driver copies within device memory. `None` in a profile: every copy is one kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriverCopies {
    /// Copies of a multiple of so many bytes are one kernel, those of other sizes two.
    pub whole_bytes: u64,
    /// Copies of less than so many bytes are always one.
    pub split_from_bytes: u64,
    /// What the second one takes.
    pub rest_us: f64,
}

impl DriverCopies {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let whole_bytes = table.integer("whole_bytes", 4096, 1, 1 << 40);
        let split_from_bytes = table.integer("split_from_bytes", 1_048_576, 0, 1 << 40);
        let rest_us = table.number("rest_us", 2.7, 0.0, 1e6);
        table.finish(problems);
        Some(Self {
            whole_bytes: whole_bytes?.unsigned_abs(),
            split_from_bytes: split_from_bytes?.unsigned_abs(),
            rest_us: rest_us?,
        })
    }

    /// What copying so many bytes takes beyond one kernel.
    pub(super) fn more_us(&self, bytes: u64) -> f64 {
        if bytes >= self.split_from_bytes && !bytes.is_multiple_of(self.whole_bytes) { self.rest_us } else { 0.0 }
    }
}

/// How device memory takes writes, and in which pieces it is read. `None` in a profile: as loads, and by sectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Writes {
    /// Bandwidth of writes alone, in 10^9 bytes a second.
    pub gb_per_s: f64,
    /// What reads and writes in equal parts take beyond what they take one after the other, in percent.
    pub mixed_with_reads_pct: f64,
    /// Least that is read at once: 32 or 64 bytes.
    pub fetched_bytes: u32,
    /// Sectors that L2 keeps incomplete, until stores complete them, before it reads what is missing of the first. `None`: no block completes another's.
    pub incomplete_sectors: Option<u64>,
    /// What a piece of 256 bytes of which only a part is moved takes more, as bytes that are read.
    pub short_piece_bytes: f64,
    /// The same of one of which one half is written.
    pub written_half_piece_bytes: f64,
    /// Cycles that a load waits for others of whom it knows nothing, where device memory is in use for half of the time: they grow with
    /// the share in use over the share that is free.
    pub queue_cycles: f64,
    /// Most that they grow to.
    pub queue_cycles_most: f64,
    /// How much longer both are where reads and writes come in equal parts, in percent.
    pub mixed_queue_pct: f64,
    /// Standard deviation of a load's latency where device memory is idle: part of the latency is distributed exponentially, and so is
    /// the waiting for others.
    pub latency_spread_cycles: f64,
    /// Most that it grows to where device memory is busy.
    pub latency_spread_cycles_most: f64,
}

impl Writes {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let gb_per_s = table.number("gb_per_s", 4400.0, 0.001, RATE_MAX);
        let mixed_with_reads_pct = table.number("mixed_with_reads_pct", 12.0, 0.0, 1000.0);
        let fetched_bytes = table.integer("fetched_bytes", 64, 32, 128);
        let incomplete_sectors = if table.optional("incomplete_sectors") {
            table.integer("incomplete_sectors", 270_000, 0, 1 << 30).map(Some)
        } else {
            Some(None)
        };
        let short_piece_bytes = table.number("short_piece_bytes", 0.0, 0.0, 256.0);
        let written_half_piece_bytes = if table.optional("written_half_piece_bytes") {
            table.number("written_half_piece_bytes", 28.0, 0.0, 256.0)
        } else {
            short_piece_bytes
        };
        let queue_cycles = table.number("queue_cycles", 100.0, 0.0, CYCLES_MAX);
        let queue_cycles_most = table.number("queue_cycles_most", 400.0, 0.0, CYCLES_MAX);
        let mixed_queue_pct = table.number("mixed_queue_pct", 150.0, 0.0, 10_000.0);
        let latency_spread_cycles = table.number("latency_spread_cycles", 90.0, 0.0, CYCLES_MAX);
        let latency_spread_cycles_most = table.number("latency_spread_cycles_most", 150.0, 0.0, CYCLES_MAX);
        table.finish(problems);
        Some(Self {
            gb_per_s: gb_per_s?,
            mixed_with_reads_pct: mixed_with_reads_pct?,
            fetched_bytes: u32::try_from(fetched_bytes?).ok()?,
            incomplete_sectors: incomplete_sectors?.map(i64::unsigned_abs),
            short_piece_bytes: short_piece_bytes?,
            written_half_piece_bytes: written_half_piece_bytes?,
            queue_cycles: queue_cycles?,
            queue_cycles_most: queue_cycles_most?,
            mixed_queue_pct: mixed_queue_pct?,
            latency_spread_cycles: latency_spread_cycles?,
            latency_spread_cycles_most: latency_spread_cycles_most?,
        })
    }
}

/// L2 as all multiprocessors share it. `None` in a profile: each gets what is its own, whatever the others do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slices {
    /// Parts of L2 that work side by side; addresses are hashed over them.
    pub count: u32,
    /// Neighbouring bytes of one slice.
    pub interleave_bytes: u64,
    /// What all slices together give to loads, in bytes a cycle.
    pub load_bytes_per_cycle: f64,
    /// Cycles that a line takes at least of which a load asks for anything, of all slices together.
    pub load_line_cycles: f64,
    /// What they take of stores, and of what comes from device memory.
    pub store_bytes_per_cycle: f64,
    /// What a byte that comes from device memory takes of that, in percent of a stored byte.
    pub fill_pct: f64,
    /// Cycles that a line adds of which a store writes parts of sectors, of all slices together.
    pub partial_line_cycles: f64,
    /// Cycles that a sector adds which two blocks complete that begin at different times, of all slices together.
    pub completed_sector_cycles: f64,
    /// Cycles of the load-store unit within which another store to a sector becomes one with it.
    pub merged_within_cycles: f64,
    /// By how much the cycles between stores of a warp differ where other warps store as well: so much more, and one in e as many are
    /// that far off.
    pub merged_spread_cycles: f64,
    /// Cycles until a multiprocessor knows that a store has been taken.
    pub acknowledge_cycles: f64,
    /// Cycles by which a load from the nearer half of L2 takes less than in the mean, and one from the other half more.
    pub half_distance_cycles: f64,
    /// Cycles that the first load of a multiprocessor takes longer, where L2 has its value.
    pub first_load_cycles: f64,
    /// The same where device memory has it.
    pub first_load_from_memory_cycles: f64,
}

impl Slices {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let completed_sector_cycles = if table.optional("completed_sector_cycles") {
            table.number("completed_sector_cycles", 0.047, 0.0, RATE_MAX)
        } else {
            Some(0.0)
        };
        let count = table.integer("count", 80, 1, 4096);
        let interleave_bytes = table.integer("interleave_bytes", 256, 32, 1 << 20);
        let mut number = |key: &'static str, example: f64, least: f64| table.number(key, example, least, RATE_MAX);
        let load_bytes_per_cycle = number("load_bytes_per_cycle", 4300.0, 0.001);
        let load_line_cycles = number("load_line_cycles", 0.0135, 0.0);
        let store_bytes_per_cycle = number("store_bytes_per_cycle", 2170.0, 0.001);
        let fill_pct = number("fill_pct", 70.0, 0.0);
        let merged_within_cycles = number("merged_within_cycles", 28.0, 0.0);
        let merged_spread_cycles = number("merged_spread_cycles", 2.5, 0.0);
        let partial_line_cycles = number("partial_line_cycles", 0.016, 0.0);
        let acknowledge_cycles = number("acknowledge_cycles", 294.0, 0.0);
        let half_distance_cycles = number("half_distance_cycles", 46.0, 0.0);
        let first_load_cycles = number("first_load_cycles", 300.0, 0.0);
        let first_load_from_memory_cycles = number("first_load_from_memory_cycles", 700.0, 0.0);
        table.finish(problems);
        Some(Self {
            count: u32::try_from(count?).ok()?,
            interleave_bytes: u64::try_from(interleave_bytes?).ok()?,
            merged_within_cycles: merged_within_cycles?,
            merged_spread_cycles: merged_spread_cycles?,
            load_bytes_per_cycle: load_bytes_per_cycle?,
            load_line_cycles: load_line_cycles?,
            store_bytes_per_cycle: store_bytes_per_cycle?,
            fill_pct: fill_pct?,
            partial_line_cycles: partial_line_cycles?,
            completed_sector_cycles: completed_sector_cycles?,
            acknowledge_cycles: acknowledge_cycles?,
            half_distance_cycles: half_distance_cycles?,
            first_load_cycles: first_load_cycles?,
            first_load_from_memory_cycles: first_load_from_memory_cycles?,
        })
    }
}

/// Atomics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atomics {
    /// Cycles between two additions of floats on one address of global memory.
    pub same_address_cycles: f64,
    /// The same of integers, bits and exchanges.
    pub same_address_integer_cycles: f64,
    /// Cycles that the load-store unit is busy with a warp's atomic on global memory, at least; 0: as long as with a load.
    pub unit_cycles: f64,
    /// Cycles that a slice of L2 is busy with a sector of a warp's atomic, at least.
    pub sector_cycles: f64,
    /// Cycles of all slices together that a sector of a warp's atomic takes of what they take of stores; 0: as a store of as many bytes.
    pub l2_sector_cycles: f64,
    /// From an atomic to the value that it gives back; `None`: as a load from L2.
    pub latency_cycles: Option<f64>,
    /// Cycles between two atomics on one address of shared memory.
    pub shared_same_address_cycles: f64,
    /// Where additions of floats in shared memory are loops of loads and compare-and-swaps: cycles of a turn, and for how many of
    /// them no other warp gets on. `None`: they are atomics as others.
    pub shared_float: Option<SharedFloat>,
}

/// A loop that adds a float in shared memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedFloat {
    /// Cycles of a turn, in which one lane of those at an address gets through.
    pub turn_cycles: f64,
    /// Cycles of it in which shared memory is busy.
    pub busy_cycles: f64,
    /// A turn of words of eight bytes, whole numbers, too.
    pub wide_turn_cycles: f64,
    /// Cycles of it in which shared memory is busy.
    pub wide_busy_cycles: f64,
}

impl Atomics {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let optional = |table: &mut Table<'_>, key: &'static str, example: f64| {
            table.optional(key).then(|| table.number(key, example, 0.0, CYCLES_MAX))
        };
        let same_address_cycles = table.number("same_address_cycles", 3.5, 0.0, CYCLES_MAX);
        let integer = optional(&mut table, "same_address_integer_cycles", 1.5);
        let unit_cycles = optional(&mut table, "unit_cycles", 5.0);
        let sector_cycles = optional(&mut table, "sector_cycles", 1.3);
        let l2_sector_cycles = optional(&mut table, "l2_sector_cycles", 0.0235);
        let latency_cycles = optional(&mut table, "latency_cycles", 490.0);
        let shared_same_address_cycles = table.number("shared_same_address_cycles", 2.0, 0.0, CYCLES_MAX);
        let shared_float = table.optional_table("shared_float").map(|mut table| {
            let turn_cycles = table.number("turn_cycles", 95.0, 0.0, CYCLES_MAX);
            let busy_cycles = table.number("busy_cycles", 3.5, 0.0, CYCLES_MAX);
            let wide_turn_cycles = optional(&mut table, "wide_turn_cycles", 111.0).unwrap_or(turn_cycles);
            let wide_busy_cycles = optional(&mut table, "wide_busy_cycles", 6.0).unwrap_or(busy_cycles);
            table.finish(problems);
            Some(SharedFloat {
                turn_cycles: turn_cycles?,
                busy_cycles: busy_cycles?,
                wide_turn_cycles: wide_turn_cycles?,
                wide_busy_cycles: wide_busy_cycles?,
            })
        });
        table.finish(problems);
        Some(Self {
            same_address_cycles: same_address_cycles?,
            same_address_integer_cycles: integer.unwrap_or(same_address_cycles)?,
            unit_cycles: unit_cycles.unwrap_or(Some(0.0))?,
            sector_cycles: sector_cycles.unwrap_or(Some(0.0))?,
            l2_sector_cycles: l2_sector_cycles.unwrap_or(Some(0.0))?,
            latency_cycles: latency_cycles.map_or(Some(None), |cycles| cycles.map(Some))?,
            shared_same_address_cycles: shared_same_address_cycles?,
            shared_float: shared_float.map_or(Some(None), |own| own.map(Some))?,
        })
    }
}
