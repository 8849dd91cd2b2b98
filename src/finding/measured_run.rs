//! The run that was measured on a GPU to look at beside a simulated one that says little of GPUs.

use std::collections::BTreeSet;

use crate::known_error::{is_doubtful, known};
use crate::run::embedded::Embedded;
use crate::run::reader::Run;
use crate::run::{METADATA_FILE, POINTS_FILE};
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

/// The one to look at, of those that come with the program: one of the same scenario, which has all variants that the run has if there is such a
/// one. `None` where there is none, where the run was measured itself, or where its simulated times are known to be like a GPU's.
pub fn measured_run(run: &Run, scenario: &Scenario) -> Option<MeasuredRun> {
    if scenario.family.is_user || !is_doubtful(known(), &run.for_known_errors(scenario.family)) {
        return None;
    }
    let is_measured = |own: &Embedded| own.directory.starts_with(MEASURED_RUNS);
    let is_of_name = |own: &Embedded| own.directory.rsplit('/').next() == Some(&run.metadata.scenario);
    let mut all: Vec<Embedded> = Embedded::all().filter(is_measured).filter(is_of_name).collect();
    // Those that lie deeper come after the device's own.
    all.sort_by_key(|own| own.directory.matches('/').count());
    let has_all = |own: &&Embedded| {
        let variants = variants(**own).unwrap_or_default();
        run.points.iter().all(|point| variants.contains(point.variant.as_str()))
    };
    let found = *all.iter().find(has_all).or_else(|| all.first())?;
    let simulated = run.metadata.device.name.trim_end_matches(SIMULATED);
    let gpu = match device_name(found) {
        Some(name) if name != simulated => format!("another GPU ({})", name.trim_start_matches("NVIDIA ")),
        _ => "a GPU".to_owned(),
    };
    Some(MeasuredRun { command: format!("apbench fit {}", found.directory), gpu })
}

/// The variants of a run that comes with the program.
fn variants(run: Embedded) -> Option<BTreeSet<&'static str>> {
    let mut rows = run.text(POINTS_FILE).ok()??.lines();
    let place = rows.next()?.split(',').position(|column| column == "variant")?;
    rows.map(|row| row.split(',').nth(place)).collect()
}

/// The name of the GPU of a run that comes with the program.
fn device_name(run: Embedded) -> Option<String> {
    let metadata: serde_json::Value = serde_json::from_str(run.text(METADATA_FILE).ok()??).ok()?;
    metadata.pointer("/device/name")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A simulated run of some variants names a measured one that has them.
    #[test]
    fn the_measured_run_has_the_variants_of_the_simulated_one() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/simulated-h200/at-simulated-sizes/transpose");
        let mut run = Run::read(&path).unwrap();
        let scenario = Scenario::of_run("scenario.toml", &run.metadata.scenario, &run.scenario).unwrap();
        run.points.retain(|point| point.variant != "whole_sectors");
        let command = |run: &Run| measured_run(run, &scenario).map(|own| own.command);
        assert_eq!(command(&run).as_deref(), Some("apbench fit results/nvidia-h200/transpose"));
        run.points[0].variant = "whole_sectors".into();
        assert_eq!(command(&run).as_deref(), Some("apbench fit results/nvidia-h200/whole-sectors/transpose"));
        run.points[0].variant = "of_nobody".into();
        assert_eq!(command(&run).as_deref(), Some("apbench fit results/nvidia-h200/transpose"));
    }
}
