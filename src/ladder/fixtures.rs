//! A family that is a ladder, and points of it with known times.

use crate::device::{Cache, Phases};
use crate::family::{Family, Variant, block_sum};
use crate::properties::Origin;
use crate::record::{Median, PointRecord, Status, Texts, Timing};

/// A variant that every GPU can run, and the pattern that it removes.
const fn rung(name: &'static str, summary: &'static str, removes: Option<&'static str>) -> Variant {
    Variant { name, summary, since: (1, 0), ignores: &[], removes, is_host: false }
}

/// Four rungs, the last for new GPUs alone, and a reference on the host.
pub(crate) static FAMILY: Family = Family {
    name: "prefix_sum",
    summary: "for tests",
    variants: &[
        rung("naive", "everything at once", Some("")),
        rung("shared_memory", "in shared memory", Some("loads from global memory in every step")),
        rung("shifts", "no modulo", Some("slow instructions")),
        rung("no_bank_conflicts", "padded", Some("conflicts of banks")),
        Variant { since: (7, 0), ..rung("single_pass", "looks back", Some("a second launch")) },
        Variant { ignores: &["block"], is_host: true, ..rung("serial", "one thread of the host", None) },
    ],
    ..block_sum::FAMILY
};

/// Its variants.
pub(crate) fn variants() -> Vec<&'static Variant> {
    FAMILY.variants.iter().collect()
}

/// A point that ended well, its time known to 1 %.
pub(crate) fn point(variant: &str, elements: u64, block: u32, time_us: f64) -> PointRecord {
    let own = [("block", block.to_string()), ("repetitions", "1".to_owned()), ("elements", elements.to_string())];
    PointRecord {
        point: 0,
        variant: variant.into(),
        parameters: own.into_iter().map(|(name, value)| (name, value.into())).collect(),
        status: Status::Ok,
        reason: "".into(),
        origin: Origin::Mock,
        timing: Some(Timing {
            median: Median { time_us, low_us: Some(time_us * 0.99), high_us: Some(time_us * 1.01), samples: 30 },
            cache: Cache::Cold,
            hot: None,
            rounds: 5,
            clock_mhz: None,
            stopped_by: "precise".into(),
            flags: Vec::new(),
            phases: None,
        }),
        bytes: (variant != "serial").then_some(8 * elements),
        operations: None,
        predictors: [("warp_steps", None)].into_iter().collect(),
        counters: Texts::default(),
    }
}

/// A point that was not run.
pub(crate) fn skipped(variant: &str, elements: u64, block: u32, reason: &str) -> PointRecord {
    PointRecord {
        status: Status::Skipped,
        reason: reason.into(),
        timing: None,
        bytes: None,
        ..point(variant, elements, block, 1.0)
    }
}

/// The same point with phases.
pub(crate) fn phased(mut point: PointRecord, phases: Phases) -> PointRecord {
    if let Some(timing) = &mut point.timing {
        timing.median.time_us = phases.total_us;
        timing.phases = Some(Box::new(phases));
    }
    point
}
