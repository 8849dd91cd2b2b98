//! What a simulated GPU does not know of fences, and which runs of a GPU do.

use crate::properties::Origin;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// The family of fences beside independent work.
const FAMILY: &str = "fences";
/// Where fences were measured.
const MEASURED: &str = "An H200's are measured: results/nvidia-h200/scopes/fences (1 to 528 blocks), results/nvidia-h200/fences (1 block).";

/// That a simulated fence of the system takes as long whatever other blocks and warps do, and where measured ones are; nothing of other runs.
pub fn of_simulated_fences(run: &Run, scenario: &Scenario) -> Option<String> {
    if scenario.family.name != FAMILY || run.metadata.device.origin != Origin::Simulated {
        return None;
    }
    let is_of_system = |point: &PointRecord| point.value("scope").is_some_and(|own| own == "system");
    run.points.iter().any(is_of_system).then(|| {
        format!("A simulated fence of the system takes as long beside other blocks and warps as alone. {MEASURED}")
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn simulated_fences_of_the_system_are_told_what_they_do_not_know() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let told = |path: &str| {
            let run = Run::read(&root.join(path)).unwrap();
            let scenario = Scenario::of_run("scenario.toml", &run.metadata.scenario, &run.scenario).unwrap();
            of_simulated_fences(&run, &scenario)
        };
        let simulated = told("simulated-h200/later-at-gpu-sizes/fences").unwrap();
        assert!(simulated.contains("beside other blocks and warps"), "{simulated}");
        assert!(simulated.ends_with(MEASURED), "{simulated}");
        assert_eq!(told("nvidia-h200/fences"), None);
        assert_eq!(told("simulated-h200/later-at-gpu-sizes/atomic-types"), None);
        for folder in ["scopes/fences", "fences"] {
            assert!(root.join("nvidia-h200").join(folder).is_dir(), "{folder}");
        }
    }
}
