//! The same for points of all families: `results/nvidia-h200/counters-families.csv`, which `tests/gpu/counters-families.py` measures.
//!
//! `APBENCH_EXHAUSTIVE=1 cargo test --release --test suite counters::families -- --nocapture` compares all and prints the table.

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
    /// Whether the rules of how instructions become machine instructions were read from the machine code of these kernels.
    known: bool,
}

const fn known(scenario: &'static str, sets: &'static [&'static str]) -> Measured {
    Measured { scenario, sets, known: true }
}

const fn unknown(scenario: &'static str, sets: &'static [&'static str]) -> Measured {
    Measured { scenario, sets, known: false }
}

/// How far counters may be apart, in percent: of kernels that the rules were read from, and of others.
const TOLERANCES: [(&str, f64, f64); 7] = [
    ("warp_instructions", 12.0, 12.0),
    ("active_lanes", 3.0, 4.0),
    ("global_load_requests", 0.0, 0.0),
    ("global_load_sectors", 0.0, 0.0),
    ("global_store_requests", 0.0, 0.0),
    ("global_store_sectors", 0.0, 0.0),
    ("shared_passes", 0.0, 3.0),
];

/// Counters that depend on how long blocks wait for others.
const WAITING: &[&str] = &["warp_instructions", "active_lanes", "global_load_requests", "global_load_sectors"];

/// What is not compared: the beginning of the points' names, and the counters.
const LEFT_OUT: [(&str, &[&str]); 6] = [
    // Adding floats in shared memory is a loop, which is timed and not counted.
    ("reduction: atomic_shared ", &["warp_instructions", "active_lanes", "shared_passes"]),
    // How often a block looks whether the others have come is a matter of time.
    ("global-sync: cooperative ", WAITING),
    ("global-sync: atomic_barrier ", WAITING),
    // Passes of atomics are counted by themselves.
    ("atomics: shared ", &["shared_passes"]),
    ("branching-remedies: dynamic_reordering ", &["shared_passes"]),
    // So is how many blocks before its own one looks at.
    ("prefix-sum: single_pass ", &["global_load_requests", "global_load_sectors"]),
];

/// `SMALL` of `tests/gpu/counters-families.py`.
const MEASURED: [Measured; 23] = [
    known("transpose", &["width=512"]),
    known("transpose-rows", &["tile=32", "rows_per_thread=1,4"]),
    known("global-access", &["width=1040"]),
    known("global-stride", &["word_bytes=4", "stride=1,33", "offset=0"]),
    known("global-crossed", &["width=512"]),
    known("data-layout", &["fields=2,8", "fields_used=2,8"]),
    known("data-layout-unused", &["fields_used=3"]),
    unknown("shared-access", &["repetitions=16"]),
    known("bank-conflicts", &["word_bytes=4", "stride=2,32"]),
    known("block-sync", &["interval=10", "resident_blocks=0"]),
    unknown("global-sync", &["interval=50"]),
    unknown("stencil-halo", &["steps_per_launch=4"]),
    known("sum-reordering", &["block=256"]),
    known("elements-per-thread", &["elements_per_thread=4"]),
    known("block-size-2d", &["block_width=16", "block_height=16"]),
    known("occupancy", &["warp_limit=32"]),
    known("atomics", &["addresses=1,64", "spread=across_warps"]),
    unknown("branching-remedies", &["branches=8,32"]),
    unknown("branching-unequal", &["branches=16"]),
    known("prefix-sum", &["elements=262144"]),
    known("reduction", &[]),
    known("select-sum", &["threshold=5001"]),
    unknown("trapezoid", &["block=256"]),
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
    known: bool,
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
    for Measured { scenario: name, sets, known } in &MEASURED {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{name}.toml"));
        let scenario =
            Scenario::load(&path, &sets, usize::MAX).and_then(|own| own.with_sizes(Sizes::Simulated)).unwrap();
        let mut rows = rows_of(name).into_iter();
        for point in scenario.points(device.properties()).unwrap() {
            let compared = compare(&device, &scenario, &point, &mut rows, quick);
            all.extend(compared.map(|(name, figures)| Compared { name, known: *known, figures }));
        }
    }
    all
}

/// Takes the rows of a point's launches, and simulates it unless it is too large.
fn compare(
    device: &Sim,
    scenario: &Scenario,
    point: &Point,
    rows: &mut impl Iterator<Item = Row>,
    quick: bool,
) -> Option<(String, Vec<(f64, f64)>)> {
    let (variant, parameters) = (point.variant.name, &point.parameters);
    let name = format!("{}: {variant} {parameters}", scenario.name);
    let seed = scenario.measure.seed;
    let request = Request { variant, parameters, device: device.properties(), seed };
    let workload = scenario.family.workload(&request).unwrap();
    let launches: Vec<&str> = workload.launches().map(|launch| launch.entry).collect();
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
    for (index, (counter, of_known, of_others)) in TOLERANCES.into_iter().enumerate() {
        assert_eq!(GATES[index].name, counter);
        for (known, tolerance_pct) in [(true, of_known), (false, of_others)] {
            let is_left_out = |point: &Compared| {
                LEFT_OUT.iter().any(|(name, counters)| point.name.starts_with(name) && counters.contains(&counter))
            };
            let points: Vec<_> = all.iter().filter(|own| own.known == known && !is_left_out(own)).collect();
            let apart: Vec<f64> = points.iter().map(|point| point.apart_pct(index).abs()).collect();
            println!("{counter}, known {known}: median {:.2} %", median(apart));
            for point in points.iter().filter(|point| point.apart_pct(index).abs() > tolerance_pct) {
                wrong.push(format!("{counter} of {}: {:?}", point.name, point.figures[index]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
