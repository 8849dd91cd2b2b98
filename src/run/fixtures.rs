//! Runs for the tests of this module: made up, and the same every time.

use ecow::EcoString;

use crate::device::mock::{Mock, MockSettings};
use crate::device::{Cache, Device, Guard, GuardOutcome, Sample, Telemetry};
use crate::family::FAMILIES;
use crate::family::branching;
use crate::kernel::Provenance;
use crate::properties::Origin;
use crate::record::{
    Flag, Measured, Median, PointRecord, RoundRecord, SampleRecord, Status, Texts, TimeSpent, Timing, point_columns,
};
use crate::run::SCHEMA_VERSION;
use crate::run::metadata::{Host, RunMetadata, RunStatus};
use crate::scenario::{MeasureSettings, Sizes};

/// Eight points: four numbers of branches times two block sizes.
pub(super) const SCENARIO: &str =
    "family = \"branching\"\nvariants = [\"divergent\"]\n\n[grid]\nbranches = [1, 2, 4, 8]\nblock = [128, 256]\n";

/// Points of that scenario.
pub(super) const POINTS: usize = 8;

/// The circumstances of a run of that scenario on the mock.
pub(crate) fn metadata(started_at: &str) -> RunMetadata {
    RunMetadata {
        schema_version: SCHEMA_VERSION,
        apbench_version: "0.1.0".to_owned(),
        scenario: "small".to_owned(),
        command_line: vec!["apbench".to_owned(), "sweep".to_owned()],
        started_at: started_at.to_owned(),
        ended_at: None,
        status: RunStatus::Running,
        sizes: Some(Sizes::Gpu),
        points: POINTS,
        host: Host { name: Some("node1".to_owned()), system: "linux x86_64".to_owned(), cores: 2 },
        device: Mock::new(MockSettings::default()).properties().clone(),
        kernels: Provenance::of(branching::PTX),
        own_predictors: Vec::new(),
        own_files: Vec::new(),
        measure: MeasureSettings::default(),
        lock_clocks_mhz: None,
        energy: None,
        part: None,
        guards: Vec::new(),
        noise_floor: None,
        time_spent: TimeSpent::default(),
        resumed_at: Vec::new(),
        merged_from: Vec::new(),
    }
}

/// The columns of its points.
pub(super) fn columns() -> Vec<&'static str> {
    point_columns(FAMILIES[0], &[])
}

/// A point with three samples in two rounds, or, each fourth, one that failed with a reason that has lines and quotes.
pub(super) fn measured(point: usize) -> Measured {
    let failed = point % 4 == 3;
    let time_us = 10.0 + point as f64;
    let timing = Timing {
        median: Median { time_us, low_us: Some(time_us - 0.5), high_us: None, samples: 3 },
        cache: Cache::Cold,
        hot: None,
        rounds: 2,
        clock_mhz: Some(1980.0),
        stopped_by: "precise".into(),
        flags: vec![Flag::Short],
        phases: None,
    };
    let record = PointRecord {
        point,
        variant: "divergent".into(),
        parameters: FAMILIES[0].parameters.iter().map(|own| (own.name, value(own.name, point).into())).collect(),
        status: if failed { Status::Failed } else { Status::Ok },
        reason: if failed { "launching: \"no\", it said,\nand stopped".into() } else { EcoString::new() },
        origin: Origin::Mock,
        timing: (!failed).then_some(timing),
        bytes: Some(4096),
        operations: None,
        predictors: FAMILIES[0].predictors.iter().map(|own| (own.name, Some(2.5))).collect(),
        counters: Texts::default(),
    };
    if failed {
        return Measured::of(record);
    }
    let sample = |order: usize| SampleRecord {
        round: order / 2,
        order,
        cache: Cache::Cold,
        sample: Sample { time_us, host_us: Some(50.5), clock_mhz: None, repeats: 1, gated: order != 1, phases: None },
        flags: if order == 1 { vec![Flag::Ungated] } else { Vec::new() },
    };
    Measured {
        record,
        samples: (0..3).map(sample).collect(),
        rounds: [0, 1].map(|number| RoundRecord { time_us, trimmed_us: time_us, ..round(number) }).to_vec(),
        printed: String::new(),
    }
}

/// The scenario's value of a parameter at a point; the same at all points of parameters that the scenario does not have.
fn value(parameter: &str, point: usize) -> String {
    match parameter {
        "branches" => 1_usize << (point / 2),
        "block" => 128 << (point % 2),
        _ => 7,
    }
    .to_string()
}

/// A round, whose sensors tell something if its number is odd.
pub(super) fn round(round: usize) -> RoundRecord {
    let telemetry = Telemetry {
        temperature_c: Some(41.0),
        power_w: None,
        sm_clock_mhz: Some(1980.0),
        memory_clock_mhz: Some(3201.0),
        throttle_reasons: Some(vec!["power_cap".to_owned(), "thermal".to_owned()]),
    };
    RoundRecord {
        round,
        cache: Cache::Cold,
        samples: 2 - round,
        time_us: 12.125,
        trimmed_us: 12.25,
        clock_mhz: None,
        telemetry: (round % 2 == 1).then_some(telemetry),
        flags: vec![Flag::Clock, Flag::Throttled],
    }
}

/// A guard with nothing more to say.
pub(super) fn guard(name: &str, outcome: GuardOutcome) -> Guard {
    Guard { guard: name.to_owned(), outcome, detail: String::new() }
}
