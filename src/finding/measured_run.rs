//! The run that was measured on a GPU to look at beside a simulated one that says little of GPUs.

use crate::known_error::{is_doubtful, known};
use crate::run::METADATA_FILE;
use crate::run::embedded::Embedded;
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// What the directories of runs begin with that were measured on a GPU and come with the program.
const MEASURED_RUNS: &str = "results/nvidia-";
/// What the name of a simulated GPU ends with.
const SIMULATED: &str = " (simulated)";

/// A run that was measured on a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredRun {
    /// The command that shows it.
    pub command: String,
    /// Its GPU in words: `a GPU` where it is the simulated one, else which other it is.
    pub gpu: String,
}

/// The one to look at, of those that come with the program: one of the same scenario. `None` where there is none, where the run was measured itself,
/// or where its simulated times are known to be like a GPU's.
pub fn measured_run(run: &Run, scenario: &Scenario) -> Option<MeasuredRun> {
    if scenario.family.is_user || !is_doubtful(known(), &run.for_known_errors(scenario.family)) {
        return None;
    }
    let is_measured =
        |own: &Embedded| own.directory.strip_prefix(MEASURED_RUNS).is_some_and(|rest| rest.matches('/').count() == 1);
    let is_of_name = |own: &Embedded| own.directory.rsplit('/').next() == Some(&run.metadata.scenario);
    let found = Embedded::all().filter(is_measured).find(is_of_name)?;
    let simulated = run.metadata.device.name.trim_end_matches(SIMULATED);
    let gpu = match device_name(found) {
        Some(name) if name != simulated => format!("another GPU ({})", name.trim_start_matches("NVIDIA ")),
        _ => "a GPU".to_owned(),
    };
    Some(MeasuredRun { command: format!("apbench fit {}", found.directory), gpu })
}

/// The name of the GPU of a run that comes with the program.
fn device_name(run: Embedded) -> Option<String> {
    let metadata: serde_json::Value = serde_json::from_str(run.text(METADATA_FILE).ok()??).ok()?;
    metadata.pointer("/device/name")?.as_str().map(str::to_owned)
}
