//! What simulated times of a family are known to miss, and which runs of a GPU have it.

use crate::properties::Origin;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::Scenario;

/// What is known of the points of a family.
struct Doubt {
    family: &'static str,
    concerns: fn(&PointRecord) -> bool,
    words: &'static str,
}

/// The runs that the words name come with the program; what is known of them is in `results/nvidia-h200/README.md`.
const DOUBTS: [Doubt; 4] = [
    Doubt {
        family: "fences",
        concerns: |point| point.value("scope").is_some_and(|own| own == "system"),
        words: "A simulated fence of the system takes as long beside other blocks and warps as alone. An H200's takes 1065 ns with four blocks on each \
                multiprocessor; its times with one block are measured: results/nvidia-h200/fences.",
    },
    Doubt {
        family: "transpose",
        concerns: |point| {
            let is_odd = width(point).is_some_and(|own| own % 2 == 1 && own > 4097);
            is_odd && ["copy", "shared_padded", "shared_swizzled"].contains(&&*point.variant)
        },
        words: "At odd widths beyond 4097, copy is simulated 6 to 11 % too fast beside an H200, shared_padded and shared_swizzled 8 to 22 %. Its times are \
                measured: results/nvidia-h200/whole-sectors/transpose.",
    },
    Doubt {
        family: "transpose",
        concerns: |point| {
            point.variant == "whole_sectors" && width(point).is_some_and(|own| (4032..=4160).contains(&own))
        },
        words: "At widths from 4032 to 4160 whole_sectors is simulated 5 to 10 % too slow beside an H200, where it is the fastest. Its times are measured: \
                results/nvidia-h200/whole-sectors/transpose.",
    },
    Doubt {
        family: "l2_residency",
        concerns: |point| point.variant == "streaming_loads",
        words: "With small hot sets streaming_loads are simulated up to 41 % too fast beside an H200. Its times are measured: \
                results/nvidia-h200/l2-residency.",
    },
];

fn width(point: &PointRecord) -> Option<u64> {
    point.value("width").and_then(|own| own.parse().ok())
}

/// What is known to be wrong with simulated points like those of this run, and where measured ones are; nothing of other runs.
pub fn of_simulated_points(run: &Run, scenario: &Scenario) -> Option<String> {
    if run.metadata.device.origin != Origin::Simulated {
        return None;
    }
    let concerns = |own: &&Doubt| own.family == scenario.family.name && run.points.iter().any(own.concerns);
    let words: Vec<&str> = DOUBTS.iter().filter(concerns).map(|own| own.words).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::run::embedded::Embedded;

    #[test]
    fn simulated_points_are_told_what_they_do_not_know() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let told = |path: &str| {
            let run = Run::read(&root.join(path)).unwrap();
            let scenario = Scenario::of_run("scenario.toml", &run.metadata.scenario, &run.scenario).unwrap();
            of_simulated_points(&run, &scenario)
        };
        for (run, words) in [
            ("simulated-h200/later-at-gpu-sizes/fences", "beside other blocks and warps"),
            ("simulated-h200/odd-widths/transpose", "8 to 22 %"),
            ("simulated-h200/odd-widths/transpose", "5 to 10 % too slow"),
            ("simulated-h200/at-gpu-sizes/transpose", "5 to 10 % too slow"),
            ("simulated-h200/later-at-simulated-sizes/l2-residency", "up to 41 % too fast"),
        ] {
            let told = told(run).unwrap();
            assert!(told.contains(words), "{told}");
        }
        for run in [
            "nvidia-h200/fences",
            "nvidia-h200/whole-sectors/transpose",
            "simulated-h200/at-simulated-sizes/transpose",
            "simulated-h200/later-at-gpu-sizes/atomic-types",
        ] {
            assert_eq!(told(run), None, "{run}");
        }
    }

    #[test]
    fn the_runs_that_are_named_come_with_the_program() {
        for doubt in DOUBTS {
            let named: Vec<&str> =
                doubt.words.split([' ', '.', ',']).filter(|word| word.starts_with("results/")).collect();
            assert!(
                !named.is_empty() && named.iter().all(|run| Embedded::all().any(|own| own.directory == *run)),
                "{named:?}"
            );
        }
    }
}
