//! Which point of which sweep gives which constant.

use super::sweeps::{L1_SET_BYTES, l2_set_bytes, memory_set_bytes};
use crate::properties::Properties;

/// What of points is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observable {
    /// The time of one point.
    Time,
    /// What one more of this parameter adds, between the least and the most that the sweep has.
    Slope(&'static str),
    /// Half of what two groups of points differ by in the time of each of this parameter. It is the constant itself, and nothing is simulated.
    Groups(&'static str),
}

/// A constant and the points that give it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The constant's key in a profile.
    pub constant: &'static str,
    /// The folder of the sweep.
    pub folder: &'static str,
    /// The variant.
    pub variant: &'static str,
    /// Values of parameters that tell its points from the others of the sweep.
    pub at: fn(&Properties) -> Vec<(&'static str, String)>,
    /// What of them is compared.
    pub observable: Observable,
}

impl Step {
    /// Its points in words: `memory-latency, shared, set_bytes=16384`.
    pub fn place(&self, gpu: &Properties) -> String {
        let values = (self.at)(gpu).into_iter().map(|(name, value)| format!("{name}={value}"));
        [self.folder.to_owned(), self.variant.to_owned()].into_iter().chain(values).collect::<Vec<_>>().join(", ")
    }
}

const fn step(
    constant: &'static str,
    folder: &'static str,
    variant: &'static str,
    at: fn(&Properties) -> Vec<(&'static str, String)>,
    observable: Observable,
) -> Step {
    Step { constant, folder, variant, at, observable }
}

fn is(name: &'static str, value: &str) -> Vec<(&'static str, String)> {
    vec![(name, value.to_string())]
}

const LATENCY: &str = "instruction-latency";
const RATE: &str = "instruction-rate";
const INSTRUCTIONS: Observable = Observable::Slope("instructions");
const LOADS: Observable = Observable::Slope("loads");
const ATOMICS: &str = "atomic-rate";
const ATOMICS_OF_A_WARP: &str = "atomic-rate-one-warp";
const ATOMICS_OF_MANY_WARPS: &str = "atomic-rate-many-warps";
const ADDITIONS: Observable = Observable::Slope("additions");
const WAITS: Observable = Observable::Slope("waits");

/// The steps, in stages: those of a stage know what the stages before them found, and nothing of each other.
pub static STEPS: &[&[Step]] = &[
    &[
        step(
            "units.multiply.latency_cycles",
            LATENCY,
            "in_turn",
            |_| is("instruction", "integer_multiply_add"),
            INSTRUCTIONS,
        ),
        step(
            "units.float.latency_cycles",
            LATENCY,
            "in_turn",
            |_| is("instruction", "float_multiply_add"),
            INSTRUCTIONS,
        ),
        step(
            "units.double.latency_cycles",
            LATENCY,
            "in_turn",
            |_| is("instruction", "double_multiply_add"),
            INSTRUCTIONS,
        ),
        step(
            "units.special.latency_cycles",
            LATENCY,
            "in_turn",
            |_| is("instruction", "population_count"),
            INSTRUCTIONS,
        ),
        step("units.exchange.latency_cycles", LATENCY, "in_turn", |_| is("instruction", "shuffle"), INSTRUCTIONS),
        step("shared.latency_cycles", "memory-latency-shared", "shared", |_| Vec::new(), LOADS),
        step(
            "units.multiply.interval_cycles",
            RATE,
            "interleaved",
            |_| is("instruction", "integer_multiply_add"),
            INSTRUCTIONS,
        ),
        step(
            "units.float.interval_cycles",
            RATE,
            "interleaved",
            |_| is("instruction", "float_multiply_add"),
            INSTRUCTIONS,
        ),
        step(
            "units.double.interval_cycles",
            RATE,
            "interleaved",
            |_| is("instruction", "double_multiply_add"),
            INSTRUCTIONS,
        ),
        step(
            "units.special.interval_cycles",
            RATE,
            "interleaved",
            |_| is("instruction", "population_count"),
            INSTRUCTIONS,
        ),
        step("units.exchange.interval_cycles", RATE, "interleaved", |_| is("instruction", "shuffle"), INSTRUCTIONS),
        step("shared.pass_cycles", RATE, "interleaved", |_| is("instruction", "shared_load"), INSTRUCTIONS),
    ],
    &[
        step("units.integer.latency_cycles", LATENCY, "in_turn", |_| is("instruction", "integer_add"), INSTRUCTIONS),
        step("units.integer.interval_cycles", RATE, "interleaved", |_| is("instruction", "integer_add"), INSTRUCTIONS),
    ],
    &[
        step(
            "global.l1.latency_cycles",
            "memory-latency",
            "global",
            |_| is("set_bytes", &L1_SET_BYTES.to_string()),
            LOADS,
        ),
        step(
            "global.l2.latency_cycles",
            "memory-latency-past-l1",
            "global_past_l1",
            |gpu| is("set_bytes", &l2_set_bytes(gpu).to_string()),
            LOADS,
        ),
        step(
            "global.l2.slices.half_distance_cycles",
            "l2-slices",
            "global_past_l1",
            |_| Vec::new(),
            Observable::Groups("loads"),
        ),
        step("barrier.base_cycles", "wait-cost", "block_barrier", |_| waits("32", "none"), WAITS),
        step("fences.device_cycles", "wait-cost", "device_fence", |_| waits("32", "none"), WAITS),
        step(
            "launch_us",
            LATENCY,
            "in_turn",
            |_| vec![("instruction", "integer_multiply_add".to_owned()), ("instructions", "2048".to_owned())],
            Observable::Time,
        ),
        step("launch_in_stream_us", "synchronisation-cost", "relaunch", |_| Vec::new(), Observable::Slope("launches")),
        step("launch_in_graph_us", "synchronisation-cost", "graph", |_| Vec::new(), Observable::Slope("launches")),
        step(
            "launch_dependent_us",
            "launch-rate",
            "dependent",
            |_| is("launched_blocks", "1"),
            Observable::Slope("launches"),
        ),
    ],
    &[
        step(
            "global.latency_cycles",
            "memory-latency-past-l1",
            "global_past_l1",
            |gpu| is("set_bytes", &memory_set_bytes(gpu).to_string()),
            LOADS,
        ),
        step("barrier.cycles_per_warp", "wait-cost", "block_barrier", |_| waits("512", "none"), WAITS),
        step("global.l2.slices.acknowledge_cycles", "wait-cost", "device_fence", |_| waits("32", "before"), WAITS),
        step(
            "global.l2.bytes_per_cycle_per_sm",
            "memory-bandwidth-one-multiprocessor",
            "global_past_l1",
            |_| Vec::new(),
            Observable::Slope("read_bytes"),
        ),
    ],
    &[
        step(
            "global.l2.slices.load_bytes_per_cycle",
            "memory-bandwidth",
            "global_past_l1",
            |gpu| is("set_bytes", &l2_set_bytes(gpu).to_string()),
            Observable::Time,
        ),
        step(
            "global.gb_per_s",
            "memory-bandwidth",
            "global_past_l1",
            |gpu| is("set_bytes", &memory_set_bytes(gpu).to_string()),
            Observable::Time,
        ),
    ],
    &[
        step("global.writes.gb_per_s", "global-access", "straight", |_| is("width", "7280"), Observable::Time),
        step(
            "atomics.same_address_integer_cycles",
            ATOMICS,
            "global",
            |_| adds("u32", "1", "unused", "256"),
            ADDITIONS,
        ),
        step("atomics.same_address_cycles", ATOMICS, "global", |_| adds("f32", "1", "unused", "256"), ADDITIONS),
        step("atomics.latency_cycles", ATOMICS_OF_A_WARP, "global", |_| adds("u32", "32", "used", "32"), ADDITIONS),
        step("atomics.unit_cycles", ATOMICS, "global", |_| adds("u32", "256", "unused", "256"), ADDITIONS),
        step("atomics.shared_same_address_cycles", ATOMICS, "shared", |_| adds("u32", "1", "unused", "256"), ADDITIONS),
        step(
            "atomics.shared_float.turn_cycles",
            ATOMICS_OF_A_WARP,
            "shared",
            |_| adds("f32", "1", "unused", "32"),
            ADDITIONS,
        ),
        step(
            "atomics.shared_float.busy_cycles",
            ATOMICS_OF_MANY_WARPS,
            "shared",
            |_| adds("f32", "1024", "unused", "1024"),
            ADDITIONS,
        ),
    ],
    &[
        step("global.l2.slices.partial_line_cycles", "transpose", "naive", |_| is("width", "4096"), Observable::Time),
        step(
            "blocks.end_cycles",
            "block-size-1d",
            "one_element_1d",
            |_| vec![("block", "16".to_owned()), ("multiply_adds", "1".to_owned())],
            Observable::Time,
        ),
        step(
            "blocks.turnover_cycles",
            "block-sync",
            "none",
            |_| vec![("resident_blocks", "1".to_owned()), ("interval", "100".to_owned())],
            Observable::Time,
        ),
    ],
];

fn waits(block: &str, store: &str) -> Vec<(&'static str, String)> {
    vec![("block", block.to_owned()), ("store", store.to_owned())]
}

fn adds(element: &str, addresses: &str, answer: &str, block: &str) -> Vec<(&'static str, String)> {
    let values = [("element", element), ("addresses", addresses), ("answer", answer), ("block", block)];
    values.map(|(name, value)| (name, value.to_owned())).to_vec()
}

/// The folders of sweeps whose points give constants.
pub fn step_folders() -> impl Iterator<Item = &'static str> {
    STEPS.iter().copied().flatten().map(|step| step.folder)
}
