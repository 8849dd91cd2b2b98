//! Which runs of pattern scenarios the coefficients come from, and which of their points.

use crate::family::{atomics, block_sync, branching, data_layout, global_access, shared_access, transpose};
use crate::model::group::GroupFit;
use crate::parameter::{Named, Value};
use crate::record::PointRecord;
use gpu_simulator::LaunchCensus;

/// A point of a run that laws are taken from: its time and its counts.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The point as it was measured.
    pub point: PointRecord,
    /// Its time.
    pub time_us: f64,
    /// What its launches ask, in order; empty where that is not needed.
    pub launches: Vec<LaunchCensus>,
}

/// A pattern scenario as it ran on the device.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The scenario's name.
    pub scenario: &'static str,
    /// The laws fitted to its run.
    pub fits: Vec<GroupFit>,
    /// The points that are wanted of it.
    pub observed: Vec<Observed>,
}

/// All runs that laws are taken from.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The runs.
    pub patterns: Vec<Pattern>,
    /// Multiprocessors of the device.
    pub sm_count: u32,
    /// Its clock in cycles each microsecond.
    pub cycles_per_us: f64,
    /// Its L2 cache.
    pub l2_bytes: u64,
}

impl Evidence {
    /// The run of a scenario, if there is one.
    pub fn pattern(&self, scenario: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.scenario == scenario)
    }
}

/// A pattern scenario, and which of its points are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The scenario's name.
    pub scenario: &'static str,
    /// The points whose times are used beside the laws.
    pub is_wanted: fn(&PointRecord) -> bool,
    /// Whether the counts of its points are needed.
    pub is_counted: bool,
}

/// Whether it is a point of this variant.
pub(super) fn is_of(point: &PointRecord, variant: impl Named) -> bool {
    point.variant == variant.name()
}

/// Whether the parameter of this name, one of the family's `Parameters::NAMES`, has the value.
pub(super) fn has(point: &PointRecord, name: &str, value: impl Into<Value>) -> bool {
    point.value(name).is_some_and(|own| own == value.into().to_string())
}

/// Whether the parameter has one of the two smallest values: what a law begins with.
fn is_1_or_2(point: &PointRecord, name: &str) -> bool {
    has(point, name, 1) || has(point, name, 2)
}

/// The pattern scenarios, in the order in which the coefficients are told.
pub const PATTERNS: [Wanted; 10] = [
    Wanted { scenario: "synchronisation-cost", is_wanted: |_| false, is_counted: false },
    Wanted {
        scenario: "global-access",
        is_wanted: |point| is_of(point, global_access::Variant::Straight),
        is_counted: false,
    },
    Wanted {
        scenario: "data-layout",
        is_wanted: |point| {
            use data_layout::{Parameters, Variant};
            is_of(point, Variant::ArrayOfStructures) && has(point, Parameters::NAMES.fields, 8)
        },
        is_counted: true,
    },
    Wanted {
        scenario: "transpose",
        is_wanted: |point| {
            use transpose::{Parameters, Variant};
            is_of(point, Variant::Naive) && has(point, Parameters::NAMES.width, 4096)
        },
        is_counted: true,
    },
    Wanted {
        scenario: "bank-conflicts",
        is_wanted: |point| {
            use shared_access::{Parameters, Variant};
            let is_of_words = has(point, Parameters::NAMES.word_bytes, 4);
            is_of(point, Variant::Strided) && is_of_words && is_1_or_2(point, Parameters::NAMES.stride)
        },
        is_counted: true,
    },
    Wanted {
        scenario: "block-sync",
        is_wanted: |point| {
            use block_sync::{Parameters, Variant};
            let is_frequent = is_1_or_2(point, Parameters::NAMES.interval);
            let is_alone = has(point, Parameters::NAMES.resident_blocks, 1);
            is_of(point, Variant::None) && (is_frequent || is_alone) || is_of(point, Variant::Barrier) && is_frequent
        },
        is_counted: true,
    },
    Wanted {
        scenario: "branching",
        is_wanted: |point| {
            use branching::{Operation, Parameters};
            let is_of_computing = has(point, Parameters::NAMES.operation, Operation::Compute.name());
            is_of_computing && is_1_or_2(point, Parameters::NAMES.branches)
        },
        is_counted: true,
    },
    Wanted {
        scenario: "atomics",
        is_wanted: |point| {
            use atomics::{Parameters, Spread, Variant};
            is_of(point, Variant::Global)
                && has(point, Parameters::NAMES.addresses, 1)
                && has(point, Parameters::NAMES.spread, Spread::InsideWarp.name())
        },
        is_counted: true,
    },
    Wanted { scenario: "block-size-1d", is_wanted: |_| false, is_counted: false },
    Wanted { scenario: "occupancy", is_wanted: |_| false, is_counted: false },
];
