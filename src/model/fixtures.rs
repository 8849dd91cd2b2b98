//! A family with a pattern, a remedy, and one that does not depend on the branches; and points of it.

use ecow::EcoString;

use crate::device::Cache;
use crate::family::{Family, Predictor, Variant, branching};
use crate::model::law::Law;
use crate::model::{FitRequest, Model};
use crate::parameter::{Default, Kind, Parameter};
use crate::properties::Origin;
use crate::record::{Median, Only, PointRecord, Status, Texts, Timing};

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "branches",
        summary: "branches that each warp follows",
        kind: Kind::Integer { min: 1, max: 1024, multiple_of: 1 },
        default: Default::Integer(2),
    },
    Parameter {
        name: "operation",
        summary: "what a branch does",
        kind: Kind::Choice(&["compute", "convolution"]),
        default: Default::Text("compute"),
    },
];

/// A variant that every GPU can run.
const fn variant(name: &'static str, summary: &'static str) -> Variant {
    Variant { name, summary, since: (1, 0), ignores: &[], removes: None, is_host: false }
}

/// Its pattern is `divergent`; `sorted` is a remedy, and `uniform` one that has no branches.
pub(crate) const FAMILY: Family = Family {
    name: "tested",
    summary: "for tests",
    variants: &[
        variant("divergent", "the pattern"),
        variant("sorted", "a remedy"),
        Variant { ignores: &["branches"], ..variant("uniform", "a remedy without branches") },
    ],
    parameters: PARAMETERS,
    predictors: &[Predictor {
        name: "branches_per_warp",
        summary: "branches that each warp follows, n",
        parameters: &["branches"],
        rests_on_registers: false,
    }],
    ..branching::FAMILY
};

/// A point that ended well, its time known to `half_us`; exactly where that is zero.
pub(crate) fn point(variant: &str, branches: u32, operation: &str, time_us: f64, half_us: f64) -> PointRecord {
    let ends = (half_us > 0.0).then_some((time_us - half_us, time_us + half_us));
    let (low_us, high_us) = ends.unzip();
    PointRecord {
        point: 0,
        variant: variant.into(),
        parameters: [("branches", branches.to_string()), ("operation", operation.to_owned())]
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect(),
        status: Status::Ok,
        reason: EcoString::new(),
        origin: Origin::Mock,
        timing: Some(Timing {
            median: Median { time_us, low_us, high_us, samples: 30 },
            cache: Cache::Cold,
            hot: None,
            rounds: 5,
            clock_mhz: None,
            stopped_by: "precise".into(),
            flags: Vec::new(),
            phases: None,
        }),
        bytes: Some(1_000_000),
        operations: None,
        predictors: [("branches_per_warp", Some(f64::from(branches)))].into_iter().collect(),
        counters: Texts::default(),
    }
}

/// The points with their numbers.
pub(crate) fn numbered(points: impl IntoIterator<Item = PointRecord>) -> Vec<PointRecord> {
    points.into_iter().enumerate().map(|(number, point)| PointRecord { point: number, ..point }).collect()
}

/// The law of this name, which has a predictor of its own.
pub(crate) fn law(name: &str) -> Model {
    let law = Law::find(name).unwrap();
    Model::Law { law, predictor: law.predictor.unwrap(), robust: false }
}

/// A fit of all points.
pub(crate) fn request(name: &str, model: Model) -> FitRequest {
    FitRequest { name: name.to_owned(), model, only: Only::default(), of: None }
}
