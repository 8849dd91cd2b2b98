//! The same for points of all families: `results/nvidia-h200/counters-families.csv`, which `tests/gpu/counters-families.py` measures.
//!
//! `APBENCH_EXHAUSTIVE=1 cargo test --release --test suite counters::families -- --nocapture` compares all and prints the table.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::Request;
use apbench::scenario::{Point, Scenario, Sizes};
use gpu_simulator::profile::Profile;

use super::{GATES, Gate, results};
use crate::common::is_exhaustive;

/// Warp instructions of a point up to which it is executed in every test run.
const QUICK: f64 = 3e5;

/// A scenario with what was set of its parameters.
struct Measured {
    scenario: &'static str,
    sets: &'static [&'static str],
    origin: Origin,
}

/// What the rules of how instructions become machine instructions have to do with a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// They were read from its machine code.
    Read,
    /// Some were read from it after it had been compared.
    ReadSince,
    /// None was read from it.
    NotRead,
    /// Its blocks wait for others, so what it counts is a matter of time.
    Waits,
}

impl Origin {
    const ALL: [Self; 4] = [Self::Read, Self::ReadSince, Self::NotRead, Self::Waits];
}

const fn read(scenario: &'static str, sets: &'static [&'static str]) -> Measured {
    Measured { scenario, sets, origin: Origin::Read }
}

const fn read_since(scenario: &'static str, sets: &'static [&'static str]) -> Measured {
    Measured { scenario, sets, origin: Origin::ReadSince }
}

const fn not_read(scenario: &'static str, sets: &'static [&'static str]) -> Measured {
    Measured { scenario, sets, origin: Origin::NotRead }
}

/// How far counters may be apart, in percent, for each [`Origin`].
const TOLERANCES: [(&str, [f64; 4]); 7] = [
    ("warp_instructions", [5.0, 10.0, 7.0, 13.0]),
    ("active_lanes", [1.0, 2.0, 4.0, 12.0]),
    ("global_load_requests", [0.0; 4]),
    ("global_load_sectors", [0.0; 4]),
    ("global_store_requests", [0.0; 4]),
    ("global_store_sectors", [0.0; 4]),
    ("shared_passes", [0.0; 4]),
];

/// Beginnings of the names of points whose kernels wait: [`Origin::Waits`].
const WAITING: [&str; 6] = [
    "global-sync: cooperative ",
    "global-sync: atomic_barrier ",
    "cluster-barrier: grid_barrier ",
    "cluster-exchange: l2 ",
    // They ask a barrier in shared memory whether their copy is there.
    "asynchronous-copies: bulk_copies ",
    "matrix-tiles: row_copies ",
];

/// What is not compared: the beginning of the points' names, and the counters.
const LEFT_OUT: [(&str, &[&str]); 23] = [
    // Adding floats in shared memory is a loop, which is timed and not counted.
    ("reduction: atomic_shared ", &["warp_instructions", "active_lanes", "shared_passes"]),
    // How often a block looks whether the others have come is a matter of time.
    (WAITING[0], &["global_load_requests", "global_load_sectors"]),
    (WAITING[1], &["global_load_requests", "global_load_sectors"]),
    // Passes of atomics are counted by themselves.
    ("atomics: shared ", &["shared_passes"]),
    ("branching-remedies: dynamic_reordering ", &["shared_passes"]),
    ("histogram: ", &["shared_passes"]),
    ("cluster-sum: ", &["shared_passes"]),
    (BY_CLUSTER_ATOMICS[0], &["shared_passes"]),
    (BY_CLUSTER_ATOMICS[1], &["shared_passes"]),
    // Few blocks wait here for each other, 64 times, and do nothing else: how often they look is most of what they count.
    (WAITING[2], WAITED),
    (WAITING[3], WAITED),
    // So is how many blocks before its own one looks at.
    ("prefix-sum: single_pass ", &["global_load_requests", "global_load_sectors"]),
    // Lanes part at a branch to code that sorts one by one; the rules take it for short enough to be predicated.
    ("histogram: sorted ", &["warp_instructions", "active_lanes"]),
    // The address of a variable in shared memory is a part of each access (`[R+UR]`); the rules add it before.
    ("histogram: lane_copies ", &["warp_instructions"]),
    ("cluster-exchange: own_shared loads_are=wide ", &["warp_instructions"]),
    // Behind a branch ptxas finds out again where shared memory begins.
    ("cluster-aggregation: ", &["warp_instructions", "active_lanes"]),
    // Three numbers of 64 bits are added at once.
    ("atomic-types: u64 memory=global sharers=all answer=used ", &["warp_instructions"]),
    ("atomic-types: f64 memory=global sharers=all answer=used ", &["warp_instructions"]),
    // How often four registers that hold one value are filled anew is a matter of which registers are free.
    ("atomic-types: f32x4 ", &["warp_instructions"]),
    ("atomic-types: f16x8 ", &["warp_instructions"]),
    // Loads of an unrolled loop whose ends are asked for one by one: predicates and uniform registers take less than the rules say.
    ("asynchronous-copies: loads ", &["warp_instructions"]),
    ("matrix-tiles: loads ", &["warp_instructions"]),
    ("tile-swizzles: loads ", &["warp_instructions"]),
];

/// What depends on how often a block looks whether others have come.
const WAITED: &[&str] = &["warp_instructions", "active_lanes", "global_load_requests", "global_load_sectors"];

/// Sums of a cluster that are made with atomics on shared memory.
const BY_CLUSTER_ATOMICS: [&str; 2] = [
    "cluster-aggregation: u32 memory=global sharers=all answer=unused scope=device aggregation=cluster_atomics ",
    "cluster-aggregation: f32 memory=global sharers=all answer=unused scope=device aggregation=cluster_atomics ",
];

/// `SMALL` of `tests/gpu/counters-families.py`.
const MEASURED: [Measured; 36] = [
    read("transpose", &["width=512"]),
    read("transpose-rows", &["tile=32", "rows_per_thread=1,4"]),
    read("global-access", &["width=1040"]),
    read("global-stride", &["word_bytes=4", "stride=1,33", "offset=0"]),
    read("global-crossed", &["width=512"]),
    read("data-layout", &["fields=2,8", "fields_used=2,8"]),
    read("data-layout-unused", &["fields_used=3"]),
    not_read("shared-access", &["repetitions=16"]),
    read("bank-conflicts", &["word_bytes=4", "stride=2,32"]),
    read("block-sync", &["interval=10", "resident_blocks=0"]),
    not_read("global-sync", &["interval=50"]),
    not_read("stencil-halo", &["steps_per_launch=4"]),
    read_since("sum-reordering", &["block=256"]),
    read("elements-per-thread", &["elements_per_thread=4"]),
    read("block-size-2d", &["block_width=16", "block_height=16"]),
    read("occupancy", &["warp_limit=32"]),
    read_since("atomics", &["addresses=1,64", "spread=across_warps"]),
    not_read("branching-remedies", &["branches=8,32"]),
    not_read("branching-unequal", &["branches=16"]),
    read_since("prefix-sum", &["elements=262144"]),
    read("reduction", &[]),
    read_since("select-sum", &["threshold=5001"]),
    not_read("trapezoid", &["block=256"]),
    not_read("histogram", &["elements=65536", "input=uniform"]),
    not_read("matrix-fragments", &["fragments=256", "row_bytes=32,128"]),
    read_since("cluster-barrier", &["waits=64", "block=128", "cluster_blocks=1,4"]),
    read_since("cluster-exchange", &["loads=128", "cluster_blocks=4"]),
    read_since("cluster-sum", &["launched_blocks=1056", "cluster_blocks=2,8"]),
    read_since("atomic-types", &["additions=64", "memory=global"]),
    not_read("cluster-aggregation", &["additions=16", "launched_blocks=128", "cluster_blocks=1,4"]),
    read_since("fences", &["waits=64", "scope=device"]),
    not_read("asynchronous-copies", &["set_bytes=16777216", "read_bytes=16777216", "tile_bytes=4096", "stages=4"]),
    not_read("matrix-tiles", &["set_bytes=16777216", "row_bytes=128", "tile_rows=64", "stages=3"]),
    not_read("tile-swizzles", &["read_bytes=16777216", "row_bytes=64"]),
    not_read("l2-residency", &["hot_bytes=12582912", "passes=2"]),
    not_read("l2-sectors", &["accesses=256", "stride_bytes=64", "prefetch_distance=4"]),
];

/// A launch as the profiler counted it: its kernel and the metrics that the gates ask for.
struct Row {
    kernel: String,
    cells: Vec<(String, f64)>,
}

impl Row {
    fn metric(&self, name: &str) -> f64 {
        let found = self.cells.iter().find(|(own, _)| own.split(' ').next() == Some(name));
        found.unwrap_or_else(|| panic!("no {name} was counted")).1
    }
}

/// The launches of a scenario, in their order.
fn rows_of(scenario: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(results().join("counters-families.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows = reader.records().map(Result::unwrap).filter(|row| &row[0] == scenario);
    rows.map(|row| Row {
        kernel: row[2].to_owned(),
        cells: (5..row.len()).map(|place| (header[place].to_owned(), row[place].parse().unwrap())).collect(),
    })
    .collect()
}

/// A point with what was measured and what is simulated, for each gate.
struct Compared {
    name: String,
    origin: Origin,
    figures: Vec<(f64, f64)>,
}

impl Compared {
    fn apart_pct(&self, gate: usize) -> f64 {
        let (measured, simulated) = self.figures[gate];
        if measured == 0.0 && simulated == 0.0 { 0.0 } else { (simulated / measured - 1.0) * 100.0 }
    }
}

fn compare_all(quick: bool) -> Vec<Compared> {
    let device = Sim::open(Profile::load("h200").unwrap());
    let mut all = Vec::new();
    for Measured { scenario: name, sets, origin } in &MEASURED {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.toml"));
        let scenario =
            Scenario::load(&path, &sets, usize::MAX).and_then(|own| own.with_sizes(Sizes::Simulated)).unwrap();
        let rows = rows_of(name);
        let counted: BTreeSet<String> = rows.iter().map(|row| row.kernel.clone()).collect();
        let mut rows = rows.into_iter();
        for point in scenario.points(device.properties()).unwrap() {
            let compared = compare(&device, &scenario, &point, &counted, &mut rows, quick);
            all.extend(compared.map(|(name, figures)| {
                let waits = WAITING.iter().any(|waiting| name.starts_with(waiting));
                Compared { name, origin: if waits { Origin::Waits } else { *origin }, figures }
            }));
        }
    }
    all
}

/// Takes the rows of a point's launches, and simulates it unless it is too large.
fn compare(
    device: &Sim,
    scenario: &Scenario,
    point: &Point,
    known: &BTreeSet<String>,
    rows: &mut impl Iterator<Item = Row>,
    quick: bool,
) -> Option<(String, Vec<(f64, f64)>)> {
    let (variant, parameters) = (point.variant.name, &point.parameters);
    let name = format!("{}: {variant} {parameters}", scenario.name);
    let seed = scenario.measure.seed;
    let request = Request { variant, parameters, device: device.properties(), seed };
    let workload = scenario.family.workload(&request).unwrap();
    let launches: Vec<&str> = workload.launches().map(|launch| launch.entry).collect();
    // Variants that are younger than the counts.
    if !launches.iter().all(|launch| known.contains(*launch)) {
        return None;
    }
    let rows: Vec<Row> = rows.take(launches.len()).collect();
    if rows.is_empty() {
        return None;
    }
    assert_eq!(launches, rows.iter().map(|row| row.kernel.as_str()).collect::<Vec<_>>(), "{name}");
    let sum = |metric: &str| rows.iter().map(|row| row.metric(metric)).sum::<f64>();
    let instructions = sum("smsp__inst_executed.sum");
    if quick && instructions > QUICK {
        return None;
    }
    let mut prepared = device.prepare(&workload).unwrap();
    prepared.run().unwrap();
    let counters = prepared.counters();
    let counter = |column: &str| {
        let found = counters.iter().find(|(own, _)| *own == column).unwrap_or_else(|| panic!("{column}"));
        found.1.parse::<f64>().unwrap()
    };
    let figures = |gate: &Gate| {
        let measured = match gate.metrics {
            [] => sum("smsp__thread_inst_executed.sum") / instructions,
            metrics => metrics.iter().map(|metric| sum(metric)).sum(),
        };
        (measured, gate.columns.iter().map(|column| counter(column)).sum())
    };
    Some((name, GATES.iter().map(figures).collect()))
}

fn table(all: &[Compared]) -> String {
    let mut table = "point".to_owned();
    for gate in &GATES {
        let _ = write!(table, ",{0}_measured,{0}_simulated,{0}_apart_pct", gate.name);
    }
    for point in all {
        let _ = write!(table, "\n{}", point.name.replace(',', ";"));
        for (index, (measured, simulated)) in point.figures.iter().enumerate() {
            let digits = if measured.fract() == 0.0 && simulated.fract() == 0.0 { 0 } else { 3 };
            let _ = write!(table, ",{measured:.digits$},{simulated:.digits$},{:.2}", point.apart_pct(index));
        }
    }
    table
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

#[test]
fn points_of_all_families_count_what_an_h200_counts() {
    let all = compare_all(!is_exhaustive());
    assert!(all.len() >= 40, "only {} points are small enough", all.len());
    println!("{}", table(&all));
    let mut wrong = Vec::new();
    for (index, (counter, tolerances)) in TOLERANCES.into_iter().enumerate() {
        assert_eq!(GATES[index].name, counter);
        for (origin, tolerance_pct) in Origin::ALL.into_iter().zip(tolerances) {
            let is_left_out = |point: &Compared| {
                LEFT_OUT.iter().any(|(name, counters)| point.name.starts_with(name) && counters.contains(&counter))
            };
            let points: Vec<_> = all.iter().filter(|own| own.origin == origin && !is_left_out(own)).collect();
            let apart: Vec<f64> = points.iter().map(|point| point.apart_pct(index).abs()).collect();
            if !apart.is_empty() {
                let most = apart.iter().copied().fold(0.0, f64::max);
                println!(
                    "{counter}, {origin:?}: {} points, median {:.2} %, at most {most:.2} %",
                    apart.len(),
                    median(apart)
                );
            }
            for point in points.iter().filter(|point| point.apart_pct(index).abs() > tolerance_pct) {
                wrong.push(format!("{counter} of {}: {:?}", point.name, point.figures[index]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
