//! What a simulated GPU does not know of fences, and which runs of a GPU do.

use crate::properties::Origin;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// The family of fences beside independent work.
const FAMILY: &str = "fences";
/// Where fences of one block were measured, and of more.
const MEASURED: &str = "Measured on an H200: results/nvidia-h200/fences (and fences-loads, fences-release, fences-work) with one block, \
     results/nvidia-h200/scopes with 1 to 528.";

/// That a simulated fence of the system takes as long whatever other blocks and warps do, and where measured ones of the device and of the system
/// are; nothing of other runs.
pub fn of_simulated_fences(run: &Run, scenario: &Scenario) -> Option<String> {
    let is_of = |scope: &str, point: &PointRecord| point.value("scope").is_some_and(|own| own == scope);
    let any_of = |scope: &str| run.points.iter().any(|point| is_of(scope, point));
    if scenario.family.name != FAMILY || run.metadata.device.origin != Origin::Simulated {
        return None;
    }
    match (any_of("system"), any_of("device")) {
        (true, _) => Some(format!(
            "A simulated fence of the system takes as long whatever other blocks and warps do, which a GPU's does not. {MEASURED}"
        )),
        (false, true) => Some(MEASURED.to_owned()),
        (false, false) => None,
    }
}
