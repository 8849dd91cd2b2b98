//! The sweeps that a calibration measures: those whose points give constants, those whose laws `estimate` takes, and those that tell
//! how far the profile is off.

use crate::estimate::PATTERNS;
use crate::properties::Properties;

/// A sweep of a calibration.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    /// The folder of its run, below that of the calibration.
    pub folder: &'static str,
    /// Its scenario, one that comes with the program.
    pub scenario: &'static str,
    /// Variants; all where there are none.
    pub variants: &'static [&'static str],
    /// What follows `--set`, on a GPU with these properties.
    pub values: fn(&Properties) -> Vec<String>,
}

/// The least compute capability that has dependent launches.
const DEPENDENT_LAUNCHES_FROM: (u32, u32) = (9, 0);

impl Sweep {
    /// Whether a GPU can run any of its points.
    pub fn runs_on(&self, gpu: &Properties) -> bool {
        self.variants != ["dependent"] || gpu.capability() >= DEPENDENT_LAUNCHES_FROM
    }
}

/// Bytes of a set that any L1 cache of today holds.
pub(super) const L1_SET_BYTES: u64 = 16 << 10;

/// Bytes of a set that L2 holds, also if it has two halves and something else in it: at most a quarter of it.
pub(super) fn l2_set_bytes(gpu: &Properties) -> u64 {
    previous_power_of_two(gpu.l2_bytes / 4).clamp(1 << 20, 1 << 26)
}

/// Bytes of a set of which L2 holds no more than a quarter.
pub(super) fn memory_set_bytes(gpu: &Properties) -> u64 {
    (gpu.l2_bytes * 4).next_power_of_two().clamp(1 << 24, 1 << 30)
}

fn previous_power_of_two(number: u64) -> u64 {
    if number == 0 { 0 } else { 1 << number.ilog2() }
}

/// The sweeps whose points give constants, beside those of [`PATTERNS`].
pub static SWEEPS: &[Sweep] = &[
    Sweep {
        folder: "instruction-latency",
        scenario: "instruction-latency",
        variants: &[],
        values: |_| vec!["instructions=2048,8192".to_owned()],
    },
    Sweep {
        folder: "instruction-rate",
        scenario: "instruction-rate",
        variants: &["interleaved"],
        values: |_| vec!["block=1024".to_owned(), "instructions=1024,4096".to_owned(), "launched_blocks=1".to_owned()],
    },
    Sweep {
        folder: "memory-latency",
        scenario: "memory-latency",
        variants: &["global"],
        values: |_| {
            vec![format!("set_bytes={L1_SET_BYTES}"), "ordering=random".to_owned(), "loads=2048,8192".to_owned()]
        },
    },
    Sweep {
        folder: "memory-latency-past-l1",
        scenario: "memory-latency",
        variants: &["global_past_l1"],
        values: |gpu| {
            let sets = [l2_set_bytes(gpu), memory_set_bytes(gpu)].map(|bytes| bytes.to_string());
            vec![format!("set_bytes={}", sets.join(",")), "ordering=random".to_owned(), "loads=2048,8192".to_owned()]
        },
    },
    Sweep {
        folder: "memory-latency-shared",
        scenario: "memory-latency",
        variants: &["shared"],
        values: |_| vec!["loads=2048,8192".to_owned()],
    },
    Sweep {
        folder: "memory-bandwidth",
        scenario: "memory-bandwidth",
        variants: &["global_past_l1"],
        values: |gpu| {
            let sets = [l2_set_bytes(gpu), memory_set_bytes(gpu)];
            vec![
                format!("set_bytes={},{}", sets[0], sets[1]),
                format!("read_bytes={}", memory_set_bytes(gpu)),
                "word_bytes=16".to_owned(),
                "loads_in_flight=4".to_owned(),
                "block=1024".to_owned(),
            ]
        },
    },
    Sweep {
        folder: "memory-bandwidth-one-multiprocessor",
        scenario: "memory-bandwidth",
        variants: &["global_past_l1"],
        values: |_| {
            let values = ["set_bytes=1048576", "read_bytes=4194304,16777216", "word_bytes=16", "loads_in_flight=4"];
            values.into_iter().chain(["block=1024", "launched_blocks=1"]).map(str::to_owned).collect()
        },
    },
    Sweep {
        folder: "atomic-rate",
        scenario: "atomic-rate",
        variants: &[],
        values: |_| {
            let values = ["element=u32,f32", "addresses=1,256", "answer=unused", "block=256", "additions=512,2048"];
            values.map(str::to_owned).to_vec()
        },
    },
    Sweep {
        folder: "atomic-rate-one-warp",
        scenario: "atomic-rate",
        variants: &[],
        values: |_| {
            let values = ["element=u32,f32", "addresses=1,32", "block=32", "additions=512,2048"];
            values.map(str::to_owned).to_vec()
        },
    },
    Sweep {
        folder: "atomic-rate-many-warps",
        scenario: "atomic-rate",
        variants: &["shared"],
        values: |_| {
            let values = ["element=f32", "addresses=1024", "answer=unused", "block=1024", "additions=512,2048"];
            values.map(str::to_owned).to_vec()
        },
    },
    Sweep {
        folder: "wait-cost",
        scenario: "wait-cost",
        variants: &["block_barrier", "device_fence"],
        values: |_| vec!["block=32,512".to_owned(), "waits=512,2048".to_owned()],
    },
    // What a launch takes is the same of all lines, so that one number of loads will do.
    Sweep {
        folder: "l2-slices",
        scenario: "l2-slices",
        variants: &["global_past_l1"],
        values: |_| vec!["loads=4096".to_owned()],
    },
    Sweep {
        folder: "launch-rate",
        scenario: "launch-rate",
        variants: &["dependent"],
        values: |_| vec!["launched_blocks=1".to_owned(), "chain_launches=16,256".to_owned()],
    },
];

/// What follows `--set` for a pattern scenario, as far as laws and constants need less than all of it.
pub fn values_of_pattern(scenario: &str) -> &'static [&'static str] {
    match scenario {
        "atomics" => &["addresses=1,8,64,1024"],
        "bank-conflicts" => &["word_bytes=4"],
        "block-size-1d" => &["multiply_adds=1"],
        "transpose" => &["width=4096,4128"],
        _ => &[],
    }
}

/// The folders of all sweeps that constants and laws come from: those of [`SWEEPS`], then the pattern scenarios.
pub(super) fn folders() -> impl Iterator<Item = &'static str> {
    SWEEPS.iter().map(|sweep| sweep.folder).chain(PATTERNS.iter().map(|wanted| wanted.scenario))
}

/// Scenarios from which no constant is taken, at sizes that a simulated GPU is fast at: they tell how far the profile is off.
pub static CHECKS: &[Sweep] = &[
    check("block-size-2d", |_| vec!["block_width=8,32".to_owned(), "block_height=4,16".to_owned()]),
    check("branching-remedies", |_| vec!["branches=1,8,32".to_owned()]),
    check("branching-unequal", |_| vec!["branches=1,16".to_owned()]),
    check("branching-weighted", |_| Vec::new()),
    check("elements-per-thread", |_| vec!["elements_per_thread=1,4,16".to_owned()]),
    check("global-crossed", |_| Vec::new()),
    check("global-stride", |_| vec!["word_bytes=4".to_owned(), "stride=1,2,8,33".to_owned(), "offset=0".to_owned()]),
    check("global-sync", |_| vec!["interval=2,20,100".to_owned()]),
    check("partition-camping", |_| vec!["width=1024,1056".to_owned()]),
    check("shared-access", |_| Vec::new()),
    check("stencil-halo", |_| Vec::new()),
    check("sum-reordering", |_| Vec::new()),
    check("transpose-rows", |_| vec!["width=960".to_owned(), "rows_per_thread=1,4".to_owned()]),
    check("prefix-sum", |_| vec!["elements=3145728".to_owned()]),
    check("reduction", |_| vec!["elements=3145728".to_owned()]),
    check("trapezoid", |_| vec!["trapezoids=262144".to_owned()]),
];

const fn check(scenario: &'static str, values: fn(&Properties) -> Vec<String>) -> Sweep {
    Sweep { folder: scenario, scenario, variants: &[], values }
}
