//! Which runs of pattern scenarios the coefficients come from, and which of their points.

use crate::model::group::GroupFit;
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

fn is(point: &PointRecord, name: &str, value: &str) -> bool {
    point.value(name).is_some_and(|own| own == value)
}

/// The pattern scenarios, in the order in which the coefficients are told.
pub const PATTERNS: [Wanted; 10] = [
    Wanted { scenario: "synchronisation-cost", is_wanted: |_| false, is_counted: false },
    Wanted { scenario: "global-access", is_wanted: |point| is(point, "variant", "straight"), is_counted: false },
    Wanted {
        scenario: "data-layout",
        is_wanted: |point| is(point, "variant", "array_of_structures") && is(point, "fields", "8"),
        is_counted: true,
    },
    Wanted {
        scenario: "transpose",
        is_wanted: |point| is(point, "variant", "naive") && is(point, "width", "4096"),
        is_counted: true,
    },
    Wanted {
        scenario: "bank-conflicts",
        is_wanted: |point| {
            is(point, "variant", "strided")
                && is(point, "word_bytes", "4")
                && ["1", "2"].iter().any(|stride| is(point, "stride", stride))
        },
        is_counted: true,
    },
    Wanted {
        scenario: "block-sync",
        is_wanted: |point| {
            let is_frequent = ["1", "2"].iter().any(|interval| is(point, "interval", interval));
            is(point, "variant", "none") && (is_frequent || is(point, "resident_blocks", "1"))
                || is(point, "variant", "barrier") && is_frequent
        },
        is_counted: true,
    },
    Wanted {
        scenario: "branching",
        is_wanted: |point| is(point, "operation", "compute") && ["1", "2"].iter().any(|n| is(point, "branches", n)),
        is_counted: true,
    },
    Wanted {
        scenario: "atomics",
        is_wanted: |point| {
            is(point, "variant", "global") && is(point, "addresses", "1") && is(point, "spread", "inside_warp")
        },
        is_counted: true,
    },
    Wanted { scenario: "block-size-1d", is_wanted: |_| false, is_counted: false },
    Wanted { scenario: "occupancy", is_wanted: |_| false, is_counted: false },
];
