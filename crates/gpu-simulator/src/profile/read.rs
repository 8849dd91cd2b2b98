//! From a profile's text to the profile.

use std::fmt::Display;

use toml::de::DeTable;

use super::bulk_copies::BulkCopies;
use super::clusters::Clusters;
use super::dependent_launches::DependentLaunches;
use super::fences::Fences;
use super::parts::{
    Atomics, Barriers, Blocks, ConstantMemory, DriverCopies, LoadStoreQueues, Matches, Slices, Warps, Writes,
};
use super::phase_barriers::PhaseBarriers;
use super::table::Table;
use super::{
    Banks, Coalescing, GlobalMemory, Occupancy, Partitions, Profile, Reconvergence, SharedMemory, Transfers, Unit,
    Units,
};
use located_toml::problem::{Place, Problem, Problems, Source};
use located_toml::section::Section;
use sha2::{Digest, Sha256};

/// Steps after which a warp loops for ever, unless the profile says otherwise.
const STEP_LIMIT: u64 = 50_000_000;

/// Threads of a warp.
const WARP: u32 = 32;

/// Fewest cycles that keep a unit busy.
const CYCLES_MIN: f64 = 0.01;

/// Most cycles of anything.
pub(super) const CYCLES_MAX: f64 = 1e6;

/// Most bytes of a memory: a tebibyte.
const BYTES_MAX: i64 = 1 << 40;

/// Reads everything that can be read; `None` where something is missing or wrong, which is then among the problems.
pub(super) fn profile(spec: &str, text: &str, table: &DeTable<'_>, problems: &mut Problems) -> Option<Profile> {
    let mut root = Table::root(Section::new(table, Place::new(Source::File, 0..0)));
    let title = root.line("title", "\"NVIDIA H200\"");
    let validation = root.line("validation", "\"unvalidated: never held against the real GPU\"");
    let compute_capability = root.version("compute_capability");
    let sm_count = count(&mut root, "sm_count", 132, 1, 1024);
    let sm_clock_mhz = root.number("sm_clock_mhz", 1980.0, 300.0, 5000.0);
    let schedulers_per_sm = count(&mut root, "schedulers_per_sm", 4, 1, 16);
    let issues_per_cycle = root.number("issues_per_cycle", 1.0, 0.01, 8.0);
    let reconvergence =
        root.choice("reconvergence", &[("stack+yield", Reconvergence::StackYield), ("stack", Reconvergence::Stack)]);
    let launch_us = root.number("launch_us", 2.5, 0.0, 1e6);
    let launch_in_stream_us = root.number("launch_in_stream_us", 1.5, 0.0, 1e6);
    let launch_in_graph_us = root.number("launch_in_graph_us", 1.0, 0.0, 1e6);
    let launch_dependent_us = if root.optional("launch_dependent_us") {
        root.number("launch_dependent_us", 0.8, 0.0, 1e6)
    } else {
        launch_in_stream_us
    };
    let launch_conditional_us = if root.optional("launch_conditional_us") {
        root.number("launch_conditional_us", 1.0, 0.0, 1e6)
    } else {
        launch_in_graph_us
    };
    let step_limit = root.optional_integer("step_limit", 1000, 1_000_000_000_000_000);
    let occupancy = occupancy(root.table("occupancy"), problems);
    let units = units(root.table("units"), problems);
    let matches = root.optional_table("matches").map(|table| Matches::read(table, problems));
    let constant = root.optional_table("constant").map(|table| ConstantMemory::read(table, problems));
    let shared = shared(root.table("shared"), problems);
    let global = global(root.table("global"), problems);
    let warps = root.optional_table("warps").map(|table| Warps::read(table, problems));
    let load_store = root.optional_table("load_store").map(|table| LoadStoreQueues::read(table, problems));
    let barriers = Barriers::read(root.table("barrier"), problems);
    let atomics = Atomics::read(root.table("atomics"), problems);
    let blocks = root.optional_table("blocks").map(|table| Blocks::read(table, problems));
    let fences = root.optional_table("fences").map(|table| Fences::read(table, problems));
    let bulk_copies = root.optional_table("bulk_copies").map(|table| BulkCopies::read(table, problems));
    let phase_barriers = root.optional_table("phase_barriers").map(|table| PhaseBarriers::read(table, problems));
    let dependent_launches =
        root.optional_table("dependent_launches").map(|table| DependentLaunches::read(table, problems));
    let copy_groups = root.optional_table("copy_groups").map(|mut table| {
        let cycles = table.number("waiting_cycles", 40.0, 0.0, CYCLES_MAX);
        table.finish(problems);
        cycles
    });
    let clusters = root.optional_table("clusters").map(|table| Clusters::read(table, problems));
    let copies = root.optional_table("driver_copies").map(|table| DriverCopies::read(table, problems));
    let transfers = root.optional_table("transfers").map(|table| transfers(table, problems));
    root.finish(problems);
    Some(Profile {
        spec: spec.to_owned(),
        title: title?,
        compute_capability: compute_capability?,
        validation: validation?,
        sha256: sha256(text),
        sm_count: sm_count?,
        sm_clock_mhz: sm_clock_mhz?,
        schedulers_per_sm: schedulers_per_sm?,
        issues_per_cycle: issues_per_cycle?,
        reconvergence: reconvergence?,
        occupancy: occupancy?,
        units: units?,
        matches: matches.map_or(Some(None), |matches| matches.map(Some))?,
        constant: constant.map_or(Some(None), |constant| constant.map(Some))?,
        shared: shared?,
        global: global?,
        driver_copies: copies.map_or(Some(None), |copies| copies.map(Some))?,
        transfers: transfers.map_or(Some(None), |transfers| transfers.map(Some))?,
        warps: warps.unwrap_or(Some(Warps::default()))?,
        load_store: load_store.unwrap_or(Some(LoadStoreQueues::default()))?,
        barriers: barriers?,
        fences: fences.unwrap_or(Some(Fences::default()))?,
        atomics: atomics?,
        blocks: blocks.unwrap_or(Some(Blocks::default()))?,
        clusters: clusters.unwrap_or(Some(Clusters::default()))?,
        bulk_copies: bulk_copies.unwrap_or(Some(BulkCopies::default()))?,
        phase_barriers: phase_barriers.map_or(Some(None), |own| own.map(Some))?,
        copy_group_cycles: copy_groups.unwrap_or(Some(0.0))?,
        launch_us: launch_us?,
        launch_in_stream_us: launch_in_stream_us?,
        launch_in_graph_us: launch_in_graph_us?,
        launch_dependent_us: launch_dependent_us?,
        dependent_launches: dependent_launches.unwrap_or(Some(DependentLaunches::default()))?,
        launch_conditional_us: launch_conditional_us?,
        step_limit: step_limit.map_or(STEP_LIMIT, i64::unsigned_abs),
    })
}

fn count(table: &mut Table<'_>, key: &'static str, example: i64, min: i64, max: u32) -> Option<u32> {
    table.integer(key, example, min, i64::from(max)).and_then(|number| u32::try_from(number).ok())
}

/// A size that may be 0.
fn bytes(table: &mut Table<'_>, key: &'static str, example: i64, min: i64) -> Option<u64> {
    table.integer(key, example, min, BYTES_MAX).and_then(|number| u64::try_from(number).ok())
}

fn occupancy(mut table: Table<'_>, problems: &mut Problems) -> Option<Occupancy> {
    let threads_per_sm = count(&mut table, "threads_per_sm", 2048, 32, 65_536);
    let blocks_per_sm = count(&mut table, "blocks_per_sm", 32, 1, 1024);
    let threads_per_block = count(&mut table, "threads_per_block", 1024, 32, 65_536);
    let registers_per_sm = count(&mut table, "registers_per_sm", 65_536, 32, 1 << 24);
    let registers_per_thread = count(&mut table, "registers_per_thread", 255, 1, 4096);
    for (key, value) in [("threads_per_sm", threads_per_sm), ("threads_per_block", threads_per_block)] {
        if let (Some(value), Some(place)) = (value.filter(|value| value % WARP != 0), table.place(key)) {
            let problem =
                Problem::new(format!("`{}`: {value} is not a multiple of {WARP}", table.full_key(key))).at(place);
            table.push(problem.help(format!("a multiprocessor holds whole warps of {WARP} threads")));
        }
    }
    at_most(&mut table, ("threads_per_block", threads_per_block), ("threads_per_sm", threads_per_sm));
    at_most(&mut table, ("registers_per_thread", registers_per_thread), ("registers_per_sm", registers_per_sm));
    table.finish(problems);
    Some(Occupancy {
        threads_per_sm: threads_per_sm?,
        blocks_per_sm: blocks_per_sm?,
        threads_per_block: threads_per_block?,
        registers_per_sm: registers_per_sm?,
        registers_per_thread: registers_per_thread?,
    })
}

fn units(mut table: Table<'_>, problems: &mut Problems) -> Option<Units> {
    let mut unit = |key: &'static str| {
        let mut table = table.table(key);
        let interval_cycles = table.number("interval_cycles", 2.0, CYCLES_MIN, CYCLES_MAX);
        let latency_cycles = table.number("latency_cycles", 4.0, 0.0, CYCLES_MAX);
        table.finish(problems);
        Some(Unit { interval_cycles: interval_cycles?, latency_cycles: latency_cycles? })
    };
    let (integer, multiply, float) = (unit("integer"), unit("multiply"), unit("float"));
    let (double, special) = (unit("double"), unit("special"));
    let (exchange, control) = (unit("exchange"), unit("control"));
    table.finish(problems);
    Some(Units {
        integer: integer?,
        multiply: multiply?,
        float: float?,
        double: double?,
        special: special?,
        exchange: exchange?,
        control: control?,
    })
}

fn shared(mut table: Table<'_>, problems: &mut Problems) -> Option<SharedMemory> {
    let banks = table.choice(
        "banks",
        &[
            ("phases_32", Banks::Phases32),
            ("warp_32_wide", Banks::Warp32Wide),
            ("warp_32", Banks::Warp32),
            ("half_warp_16", Banks::HalfWarp16),
        ],
    );
    let pass_cycles = table.number("pass_cycles", 1.0, CYCLES_MIN, CYCLES_MAX);
    let by_scheduler = table.optional("scheduler_pass_cycles");
    let by_scheduler = by_scheduler.then(|| table.number("scheduler_pass_cycles", 2.0, CYCLES_MIN, CYCLES_MAX));
    let latency_cycles = table.number("latency_cycles", 29.0, 0.0, CYCLES_MAX);
    let bytes_per_sm = bytes(&mut table, "bytes_per_sm", 233_472, 1);
    let bytes_per_block = bytes(&mut table, "bytes_per_block", 49_152, 1);
    let opt_in = table.optional("bytes_per_block_opt_in");
    let opt_in = opt_in.then(|| bytes(&mut table, "bytes_per_block_opt_in", 232_448, 1));
    let reserved_bytes_per_block = bytes(&mut table, "reserved_bytes_per_block", 1024, 0);
    let holds_arguments = table.boolean("holds_arguments");
    at_most(&mut table, ("bytes_per_block", bytes_per_block), ("bytes_per_sm", bytes_per_sm));
    if let Some(opt_in) = opt_in {
        at_most(&mut table, ("bytes_per_block", bytes_per_block), ("bytes_per_block_opt_in", opt_in));
        at_most(&mut table, ("bytes_per_block_opt_in", opt_in), ("bytes_per_sm", bytes_per_sm));
    }
    at_most(&mut table, ("reserved_bytes_per_block", reserved_bytes_per_block), ("bytes_per_sm", bytes_per_sm));
    table.finish(problems);
    Some(SharedMemory {
        banks: banks?,
        pass_cycles: pass_cycles?,
        scheduler_pass_cycles: by_scheduler.unwrap_or(pass_cycles)?,
        latency_cycles: latency_cycles?,
        bytes_per_sm: bytes_per_sm?,
        bytes_per_block: bytes_per_block?,
        bytes_per_block_opt_in: opt_in.unwrap_or(bytes_per_block)?,
        reserved_bytes_per_block: reserved_bytes_per_block?,
        holds_arguments: holds_arguments?,
    })
}

fn transfers(mut table: Table<'_>, problems: &mut Problems) -> Option<Transfers> {
    let mut rate = |key: &'static str, example: f64| table.number(key, example, 0.001, 1e6);
    let pinned_to_device_gb_per_s = rate("pinned_to_device_gb_per_s", 55.0);
    let pinned_to_host_gb_per_s = rate("pinned_to_host_gb_per_s", 55.0);
    let pageable_to_device_gb_per_s = rate("pageable_to_device_gb_per_s", 10.0);
    let pageable_to_host_gb_per_s = rate("pageable_to_host_gb_per_s", 10.0);
    let latency_us = table.number("latency_us", 8.0, 0.0, 1e6);
    table.finish(problems);
    Some(Transfers {
        pinned_to_device_gb_per_s: pinned_to_device_gb_per_s?,
        pinned_to_host_gb_per_s: pinned_to_host_gb_per_s?,
        pageable_to_device_gb_per_s: pageable_to_device_gb_per_s?,
        pageable_to_host_gb_per_s: pageable_to_host_gb_per_s?,
        latency_us: latency_us?,
    })
}

fn global(mut table: Table<'_>, problems: &mut Problems) -> Option<GlobalMemory> {
    let coalescing = table.choice(
        "coalescing",
        &[
            ("sectors", Coalescing::Sectors),
            ("lines", Coalescing::Lines),
            ("half_warp_segments", Coalescing::HalfWarpSegments),
            ("half_warp_in_order", Coalescing::HalfWarpInOrder),
        ],
    );
    let size_bytes = bytes(&mut table, "bytes", 141_000_000_000, 1 << 20);
    let gb_per_s = table.number("gb_per_s", 3890.0, 0.001, 1e6);
    let latency_cycles = table.number("latency_cycles", 645.0, 0.0, CYCLES_MAX);
    let l1 = table.optional_table("l1").map(|mut l1| {
        let size_bytes = bytes(&mut l1, "bytes", 262_144, 1);
        let latency_cycles = l1.number("latency_cycles", 34.0, 0.0, CYCLES_MAX);
        let has_step = l1.optional("shared_step_bytes");
        let shared_step_bytes = if has_step { bytes(&mut l1, "shared_step_bytes", 8192, 1) } else { Some(0) };
        l1.finish(problems);
        Some((size_bytes?, latency_cycles?, shared_step_bytes?))
    });
    let l2 = table.optional_table("l2").map(|mut l2| {
        let size_bytes = bytes(&mut l2, "bytes", 62_914_560, 1);
        let latency_cycles = l2.number("latency_cycles", 265.0, 0.0, CYCLES_MAX);
        let bytes_per_cycle_per_sm = l2.number("bytes_per_cycle_per_sm", 64.0, 0.001, 1e6);
        let slices = l2.optional_table("slices").map(|slices| Slices::read(slices, problems));
        l2.finish(problems);
        let slices = slices.map_or(Some(None), |slices| slices.map(Some))?;
        Some((size_bytes?, latency_cycles?, bytes_per_cycle_per_sm?, slices))
    });
    let writes = table.optional_table("writes").map(|writes| Writes::read(writes, problems));
    let partitions = table.optional_table("partitions").map(|mut partitions| {
        let number = count(&mut partitions, "count", 8, 1, 1024);
        let interleave_bytes = bytes(&mut partitions, "interleave_bytes", 256, 32);
        let scattered_store_pct = count(&mut partitions, "scattered_store_pct", 100, 100, 1000);
        partitions.finish(problems);
        Some(Partitions {
            count: number?,
            interleave_bytes: interleave_bytes?,
            scattered_store_pct: scattered_store_pct?,
        })
    });
    table.finish(problems);
    let latency_cycles = latency_cycles?;
    let (l1_bytes, l1_latency_cycles, l1_shared_step_bytes) = l1.unwrap_or(Some((0, latency_cycles, 0)))?;
    let (l2_bytes, l2_latency_cycles, l2_bytes_per_cycle_per_sm, slices) =
        l2.unwrap_or(Some((0, latency_cycles, f64::INFINITY, None)))?;
    Some(GlobalMemory {
        coalescing: coalescing?,
        bytes: size_bytes?,
        gb_per_s: gb_per_s?,
        latency_cycles,
        l1_bytes,
        l1_shared_step_bytes,
        l1_latency_cycles,
        l2_bytes,
        l2_latency_cycles,
        l2_bytes_per_cycle_per_sm,
        slices,
        writes: writes.map_or(Some(None), |writes| writes.map(Some))?,
        partitions: match partitions {
            Some(partitions) => Some(partitions?),
            None => None,
        },
    })
}

/// Reports a part that is larger than the whole, with both places.
fn at_most<T: PartialOrd + Display>(
    table: &mut Table<'_>,
    (part, part_value): (&'static str, Option<T>),
    (whole, whole_value): (&'static str, Option<T>),
) {
    let (Some(part_value), Some(whole_value)) = (part_value, whole_value) else { return };
    if part_value <= whole_value {
        return;
    }
    let names = [part, whole].map(|key| table.full_key(key));
    let message = format!("`{}` {part_value} is more than `{}` {whole_value}", names[0], names[1]);
    let mut problem = Problem::new(message).help(format!("lower `{}`, or raise `{}`", names[0], names[1]));
    for (key, words) in [(part, "this much ..."), (whole, "... of this much")] {
        if let Some(place) = table.place(key) {
            problem = problem.label(place, words);
        }
    }
    table.push(problem);
}

/// SHA-256 of a text, in hexadecimal.
pub(super) fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
