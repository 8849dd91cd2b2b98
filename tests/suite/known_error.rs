//! Which sizes the points of a run have decides what is said of its times.

use std::fs;
use std::path::Path;

use apbench::family::Family;
use apbench::known_error::{Points, SizesOfPoints, known, sentence, small};
use apbench::properties::Properties;
use apbench::run::reader::Run;
use apbench::scenario::Sizes;

use crate::common::{Workspace, column, stdout};
use gpu_simulator::TIMING_MODEL;

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

/// Known errors are those of the committed runs, so these must be of the timing model that the program has. Where this fails, the model or a
/// constant of the profile has changed: raise `TIMING_MODEL`, simulate the runs again, and run `results/known-errors.sh`.
#[test]
fn committed_runs_have_the_times_of_the_present_timing_model() {
    let values_of = |sets: &[(&str, &str)], points: &str| -> Vec<(String, String)> {
        let columns: Vec<Vec<String>> = sets.iter().map(|(name, _)| column(points, name)).collect();
        let is_chosen =
            |row: usize| sets.iter().zip(&columns).all(|((_, value), own)| own[row].is_empty() || own[row] == *value);
        let rows = column(points, "variant").into_iter().zip(column(points, "time_us")).enumerate();
        rows.filter(|(row, _)| is_chosen(*row)).map(|(_, own)| own).collect()
    };
    for (path, sets) in [
        ("at-simulated-sizes/branching", &[("branches", "8"), ("operation", "compute")][..]),
        ("at-simulated-sizes/transpose", &[("width", "256"), ("tile", "16"), ("rows_per_thread", "1")]),
        ("at-simulated-sizes/data-layout", &[("fields", "4"), ("fields_used", "4")]),
        ("at-simulated-sizes/atomics", &[("addresses", "32"), ("spread", "inside_warp")]),
        ("at-simulated-sizes/block-sync", &[("interval", "4")]),
        ("later-at-simulated-sizes/cluster-barrier", &[("cluster_blocks", "4"), ("waits", "16"), ("block", "128")]),
        ("later-at-simulated-sizes/cluster-exchange", &[("cluster_blocks", "8"), ("loads", "64")]),
        ("later-at-simulated-sizes/cluster-sum", &[("cluster_blocks", "2"), ("launched_blocks", "1056")]),
        (
            "later-at-simulated-sizes/copy-blocks",
            &[("stages", "1"), ("launched_blocks", "132"), ("set_bytes", "16777216")],
        ),
        (
            "later-at-simulated-sizes/matrix-tiles",
            &[("row_bytes", "32"), ("tile_rows", "256"), ("stages", "1"), ("set_bytes", "16777216")],
        ),
        ("later-at-simulated-sizes/atomic-types", &[("additions", "32")]),
        ("later-at-simulated-sizes/cluster-aggregation", &[("cluster_blocks", "2"), ("additions", "8")]),
        ("later-at-simulated-sizes/fences", &[("stores", "4"), ("waits", "64"), ("place", "global")]),
        ("later-at-simulated-sizes/l2-sectors", &[("stride_bytes", "128"), ("accesses", "256")]),
        ("later-at-simulated-sizes/l2-residency", &[("hot_bytes", "12582912"), ("passes", "2")]),
        ("later-at-simulated-sizes/launch-overlap", &[("chain_launches", "16"), ("preamble_multiply_adds", "2000")]),
        ("later-at-simulated-sizes/matrix-fragments", &[("row_bytes", "64"), ("fragments", "128")]),
        ("later-at-simulated-sizes/histogram", &[("elements", "65536"), ("input", "uniform")]),
    ] {
        let committed = run(path);
        let workspace = Workspace::new();
        let file = committed.directory.join("scenario.toml");
        let mut arguments = vec!["sweep".to_owned(), file.display().to_string()];
        arguments.extend(["--device", "sim:h200", "--sizes", "simulated", "--out", "run"].map(str::to_owned));
        for (name, value) in sets {
            arguments.extend(["--set".to_owned(), format!("{name}={value}")]);
        }
        workspace.apbench(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).assert().code(0);
        let now = values_of(sets, &workspace.read("run/points.csv"));
        let before = values_of(sets, &fs::read_to_string(committed.directory.join("points.csv")).unwrap());
        assert!(!now.is_empty(), "{path}");
        assert_eq!(now, before, "{path}");
    }
}

#[test]
fn runs_that_known_errors_come_from_tell_the_present_timing_model() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/simulated-h200");
    for folder in [
        "at-simulated-sizes",
        "at-gpu-sizes",
        "at-gpu-sizes-with-transfers",
        "at-other-sizes",
        "constants-at-gpu-sizes",
        "constants-at-simulated-sizes",
        "later-at-simulated-sizes",
        "later-at-gpu-sizes",
    ] {
        let mut runs = 0;
        for entry in fs::read_dir(root.join(folder)).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            let own = Run::read(&entry.path()).unwrap();
            assert_eq!(own.metadata.device.profile.unwrap().timing_model, TIMING_MODEL, "{}", entry.path().display());
            runs += 1;
        }
        assert!(runs > 0, "{folder}");
    }
    assert!(known().iter().all(|own| own.timing_model == TIMING_MODEL));
}

/// Runs of before the version was told, and of another one.
#[test]
fn nothing_is_known_of_the_times_of_another_timing_model() {
    let mut whole = run("at-gpu-sizes/transpose");
    whole.metadata.device.profile.as_mut().unwrap().timing_model = TIMING_MODEL - 1;
    let told = sentence(known(), &points(&whole, "transpose", Sizes::Gpu)).unwrap();
    assert!(told.contains("another version of the simulator") && told.contains("sweep again"), "{told}");

    let workspace = Workspace::new();
    for file in ["scenario.toml", "points.csv", "run.json"] {
        let text = fs::read_to_string(whole.directory.join(file)).unwrap();
        let other = text.replace(&format!("\"timing_model\": {TIMING_MODEL}"), "\"timing_model\": 0");
        assert_eq!(text == other, file != "run.json");
        fs::write(workspace.path(file), other).unwrap();
    }
    let present = whole.directory.display().to_string();
    let compared = stdout(&workspace.apbench(&["compare", &present, "."]).assert().code(0));
    let words = compared.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("another version of its timing model or of its profile made the times"), "{compared}");
}
