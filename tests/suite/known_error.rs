//! Which sizes the points of a run have decides what is said of its times.

use std::fs;
use std::path::Path;

use apbench::family::Family;
use apbench::known_error::{Points, SizesOfPoints, known, sentence, small};
use apbench::properties::Properties;
use apbench::run::reader::Run;
use apbench::scenario::Sizes;

use crate::common::Workspace;

fn run(path: &str) -> Run {
    Run::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("results/simulated-h200").join(path)).unwrap()
}

fn points<'r>(run: &'r Run, scenario: &'r str, asked: Sizes) -> Points<'r> {
    let family = Family::find("transpose").unwrap();
    Points { scenario, family, device: &run.metadata.device, points: &run.points, asked }
}

/// Whatever a run was asked for: `--set` may have changed it.
#[test]
fn sizes_are_told_by_the_values_of_the_points() {
    for (path, sizes, are_small) in [
        ("at-simulated-sizes/transpose", SizesOfPoints::Simulated, true),
        ("at-gpu-sizes/transpose", SizesOfPoints::Gpu, false),
        ("at-other-sizes/transpose", SizesOfPoints::Other, false),
    ] {
        let run = run(path);
        for asked in [Sizes::Gpu, Sizes::Simulated] {
            for scenario in ["transpose", "my-own"] {
                let points = points(&run, scenario, asked);
                assert_eq!(SizesOfPoints::of(&points), sizes, "{path} {asked:?} {scenario}");
                assert_eq!(small(&points).is_some(), are_small, "{path} {asked:?} {scenario}");
                let told = sentence(known(), &points).unwrap();
                assert_eq!(told.contains("is not known"), sizes == SizesOfPoints::Other, "{path}: {told}");
            }
        }
    }
}

/// `--set` may leave the sizes that were compared, and the points are small all the same.
#[test]
fn points_may_be_small_at_other_sizes() {
    let whole = run("at-simulated-sizes/transpose");
    for (width, are_small) in [("320", true), ("1000", true), ("1024", false), ("4096", false)] {
        let workspace = Workspace::new();
        for file in ["run.json", "scenario.toml"] {
            fs::copy(whole.directory.join(file), workspace.path(file)).unwrap();
        }
        let text = fs::read_to_string(whole.directory.join("points.csv")).unwrap();
        let (header, first) = (text.lines().next().unwrap(), text.lines().nth(1).unwrap());
        // The tile of [simulated] is 16.
        let other = first.replacen(",256,16,", &format!(",{width},8,"), 1);
        // Larger points fill the GPU, and launching is not what takes most of their time.
        let other = if are_small {
            other
        } else {
            other.replacen(",launch,", ",memory,", 1).replacen(",8,0.25,", ",8,4.00,", 1)
        };
        assert_ne!(other, first);
        fs::write(workspace.path("points.csv"), format!("{header}\n{other}\n")).unwrap();
        let run = Run::read(&workspace.path(".")).unwrap();
        let own = points(&run, "transpose", Sizes::Simulated);
        assert_eq!((SizesOfPoints::of(&own), small(&own).is_some()), (SizesOfPoints::Other, are_small), "{width}");
    }
}

/// A GPU of compute capability 1 has no L2 cache to blame, and small sizes are its usual ones.
#[test]
fn other_sizes_are_not_advised_on_gpus_without_l2() {
    let run = run("at-simulated-sizes/transpose");
    let own = points(&run, "transpose", Sizes::Simulated);
    let first = Properties { l2_bytes: 0, ..run.metadata.device.clone() };
    assert_eq!(small(&Points { device: &first, ..own }), None);
    let told = small(&own).unwrap();
    assert!(told.contains("`--sizes gpu`") && told.ends_with(" simulates those."), "{told}");
}

#[test]
fn advice_says_where_other_sizes_take_long() {
    let run = run("at-simulated-sizes/global-sync");
    let family = Family::find("global_sync").unwrap();
    let own = Points { family, ..points(&run, "global-sync", Sizes::Simulated) };
    let told = small(&own).unwrap();
    assert!(told.ends_with("`--sizes gpu` simulates those, which may take many minutes."), "{told}");
}

/// That points are small follows from the points, so also those of a family whose patterns small sizes do not change by name.
#[test]
fn points_that_leave_the_gpu_idle_are_small_in_every_family() {
    let family = Family::find("branching").unwrap();
    for (path, are_small) in [("at-simulated-sizes/branching", true), ("at-gpu-sizes/branching", false)] {
        let run = run(path);
        for scenario in ["branching", "my-own"] {
            let own = Points { family, ..points(&run, scenario, Sizes::Simulated) };
            assert_eq!(small(&own).is_some(), are_small, "{path} {scenario}");
        }
    }
}
