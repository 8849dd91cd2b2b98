//! The reference runs on an NVIDIA H200, or on an H100: there is one of every scenario, all of it verified, and what it has to reach is reached.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use apbench::estimate::PATTERNS;
use apbench::properties::Origin;
use apbench::record::{PointRecord, Status};
use apbench::run::metadata::RunStatus;
use apbench::run::reader::Run;

use crate::common::files_below;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn run(scenario: &str) -> Run {
    let of_gpu = |gpu: &str| root().join("results").join(gpu).join(scenario);
    let directory = Some(of_gpu("nvidia-h100")).filter(|own| own.is_dir()).unwrap_or_else(|| of_gpu("nvidia-h200"));
    Run::read(&directory).unwrap_or_else(|error| panic!("{scenario}: {error}"))
}

/// R² of every line that a run's fits found for a variant.
fn lines_of(scenario: &str, variant: &str) -> Vec<f64> {
    let file = root().join("results/nvidia-h200").join(scenario).join("fits.csv");
    let mut reader = csv::Reader::from_path(file).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"));
    let (of_variant, parameter, r2) = (column("variant"), column("parameter"), column("r2"));
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let is_slope = |row: &&csv::StringRecord| &row[of_variant] == variant && row[parameter].starts_with("t_");
    rows.iter().filter(is_slope).filter_map(|row| row[r2].parse().ok()).collect()
}

fn gb_per_s(point: &PointRecord) -> f64 {
    point.bytes.unwrap() as f64 / point.timing.as_ref().unwrap().median.time_us / 1e3
}

#[test]
fn every_scenario_has_a_whole_run_whose_outputs_are_right() {
    for entry in std::fs::read_dir(root().join("scenarios")).unwrap() {
        let scenario = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        let run = run(&scenario);
        assert_eq!(run.metadata.device.origin, Origin::Measured, "{scenario}");
        assert_eq!(run.metadata.status, RunStatus::Complete, "{scenario}");
        assert_eq!(run.points.len(), run.metadata.points, "{scenario}");
        for point in &run.points {
            assert!(matches!(point.status, Status::Ok | Status::Skipped), "{scenario}: {}", point.reason);
        }
        assert!(run.points.iter().filter(|point| point.status == Status::Ok).count() * 10 > run.points.len() * 9);
    }
}

#[test]
fn straight_lines_are_straight() {
    let runs = [
        ("branching", "divergent", 4),
        ("branching-unequal", "divergent", 2),
        ("branching-weighted", "divergent", 2),
        ("bank-conflicts", "strided", 6),
        ("synchronisation-cost", "relaunch", 2),
        ("synchronisation-cost", "graph", 2),
        ("synchronisation-cost", "cooperative", 2),
        ("synchronisation-cost", "atomic_barrier", 2),
    ];
    for (scenario, variant, rows) in runs {
        let lines = lines_of(scenario, variant);
        assert_eq!(lines.len(), rows, "{scenario} {variant}");
        assert!(lines.iter().all(|r2| *r2 >= 0.995), "{scenario} {variant}: R² {lines:?}");
    }
}

/// From where on neither matrix fits in the L2 cache.
const WIDTH_BEYOND_L2: f64 = 4096.0;

/// The rates of a variant at the widths beyond the L2 cache.
fn rates(run: &Run, variant: &str) -> Vec<(f64, f64)> {
    let of_variant = run.points.iter().filter(|point| point.variant == variant && point.status == Status::Ok);
    let rates = of_variant.map(|point| (point.number("width").unwrap(), gb_per_s(point)));
    rates.filter(|(width, _)| *width >= WIDTH_BEYOND_L2).collect()
}

#[test]
fn a_coalesced_copy_is_as_fast_as_the_driver_s() {
    let run = run("global-access");
    let (own, driver) = (rates(&run, "straight"), rates(&run, "driver_copy"));
    assert!(own.len() >= 4 && own.len() == driver.len());
    for ((width, own), (_, driver)) in own.iter().zip(&driver) {
        assert!(own / driver >= 0.97, "{own} against {driver} GB/s at width {width}");
    }
}

#[test]
fn a_swizzled_transposition_is_almost_as_fast_as_a_copy() {
    let run = run("transpose");
    let (swizzled, copy) = (rates(&run, "shared_vectorised"), rates(&run, "copy"));
    assert!(swizzled.len() >= 8 && swizzled.len() == copy.len());
    for ((width, own), (_, copy)) in swizzled.iter().zip(&copy) {
        assert!(own / copy >= 0.9, "{own} against {copy} GB/s at width {width}");
    }
}

/// The ratios of a family's best variant to what it is held against, by the size, as `tests/gpu/cub/run.sh` measured them; of several
/// inputs, the worst.
fn best_beside(family: &str, against: &str, file: &str) -> Vec<(u64, f64)> {
    let mut worst = std::collections::BTreeMap::new();
    for (size, ratio) in best_of_input(family, against, "", file) {
        let found: &mut f64 = worst.entry(size).or_insert(f64::INFINITY);
        *found = found.min(ratio);
    }
    worst.into_iter().collect()
}

/// The same of one input, or of each where none is named.
fn best_of_input(family: &str, against: &str, input: &str, file: &str) -> Vec<(u64, f64)> {
    let mut reader = csv::Reader::from_path(root().join("results/nvidia-h200/cub").join(file)).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"));
    let [own, variant, other, kind, size, ratio] =
        ["family", "variant", "against", "input", "size", "ratio"].map(column);
    let mut best = std::collections::BTreeMap::new();
    let is_asked = |row: &csv::StringRecord| {
        let is_of_input = input.is_empty() || &row[kind] == input;
        &row[own] == family && &row[other] == against && &row[variant] != "copy" && is_of_input
    };
    for row in reader.records().map(Result::unwrap).filter(is_asked) {
        let found: &mut f64 = best.entry((row[size].parse().unwrap(), row[kind].to_owned())).or_default();
        *found = found.max(row[ratio].parse().unwrap());
    }
    best.into_iter().map(|((size, _), ratio)| (size, ratio)).collect()
}

#[test]
fn the_best_rungs_hold_their_own_beside_cub() {
    for (family, against, powers, least) in [
        ("reduction", "DeviceReduce::Sum", &[24, 26, 28, 30][..], 1.0),
        ("prefix_sum", "DeviceScan::ExclusiveSum", &[24, 26, 28, 30], 1.2),
        ("prefix_sum", "cudaMemcpyAsync", &[28, 30], 0.9),
        ("histogram", "DeviceHistogram::HistogramEven", &[24, 26, 28, 30], 1.0),
    ] {
        for file in ["cub.csv", "second-gpu/cub.csv"] {
            let found = best_beside(family, against, file);
            for power in powers {
                let ratio = found.iter().find(|(elements, _)| *elements == 1 << power).map(|(_, ratio)| *ratio);
                assert!(ratio.is_some_and(|ratio| ratio >= least), "{file}, {family}, {against}, 2^{power}: {ratio:?}");
            }
        }
    }
}

/// The pages tell the ratios at the four powers of two, in their order, as the table has them.
#[test]
fn the_case_studies_tell_the_ratios_beside_cub_as_they_were_measured() {
    let [sum, scan, histogram] = ["reduction", "prefix-sum", "histogram"]
        .map(|page| std::fs::read_to_string(root().join(format!("docs/src/case-studies/{page}.md"))).unwrap());
    let told = |ratios: &[f64], digits: usize| {
        let words: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.digits$}")).collect();
        let (last, others) = words.split_last().unwrap();
        format!("{} and {last}", others.join(", "))
    };
    let of = |family: &str, against: &str, input: &str| -> Vec<f64> {
        let found = best_of_input(family, against, input, "cub.csv");
        let at = |power: u32| found.iter().find(|(elements, _)| *elements == 1 << power).unwrap().1;
        [24, 26, 28, 30].map(at).to_vec()
    };
    let pages = [
        (&sum, told(&of("reduction", "DeviceReduce::Sum", ""), 3)),
        (&scan, told(&of("prefix_sum", "DeviceScan::ExclusiveSum", ""), 3)),
        (&histogram, told(&of("histogram", "DeviceHistogram::HistogramEven", "uniform"), 2)),
        (&histogram, told(&of("histogram", "DeviceHistogram::HistogramEven", "one_value"), 2)),
    ];
    for (page, words) in pages {
        assert!(page.replace('\n', " ").contains(&words), "{words}");
    }
}

/// Of the family's copy, tile by tile as well. The driver's copy reads and writes rows as one piece, and is faster at odd widths.
#[test]
fn a_transposition_is_as_fast_as_a_copy_at_the_widths_beside_cub() {
    let misses: [(&str, &[u64]); 4] =
        [("cub.csv", &[]), ("widths.csv", &[]), ("second-gpu/cub.csv", &[6112]), ("second-gpu/widths.csv", &[])];
    for (file, misses) in misses {
        let found = best_beside("transpose", "copy", file);
        assert!(found.len() > 10 && found.iter().filter(|(width, _)| width % 2 == 1).count() > 4);
        let slower: Vec<_> = found.iter().filter(|(_, ratio)| *ratio < 0.98).collect();
        assert!(slower.iter().map(|(width, _)| width).eq(misses), "{file}: {slower:?}");
        assert!(slower.iter().all(|(_, ratio)| *ratio > 0.9795), "{file}: {slower:?}");
    }
}

/// The fastest kernel at each of 130 widths and more, on two GPUs. What misses, and by how much, the page of the transposition says.
#[test]
fn the_fastest_kernel_of_a_transposition_misses_the_copy_at_the_widths_that_are_named() {
    let misses: [(&str, &[(u64, f64)]); 2] =
        [("kernels.csv", &[(6576, 0.976)]), ("kernels-second-gpu.csv", &[(6576, 0.969), (6800, 0.978)])];
    for (file, misses) in misses {
        let path = root().join("results/nvidia-h200/transpose-kernels").join(file);
        let mut best = std::collections::BTreeMap::<u64, f64>::new();
        for row in csv::Reader::from_path(path).unwrap().deserialize() {
            let (width, kernel, _, of_copy, _): (u64, String, f64, f64, f64) = row.unwrap();
            if !["copy", "cudaMemcpyAsync"].contains(&kernel.as_str()) && width >= 2048 {
                let found = best.entry(width).or_default();
                *found = found.max(of_copy);
            }
        }
        assert!(best.len() > 130, "{}", best.len());
        let slower: Vec<(u64, f64)> = best.into_iter().filter(|(_, ratio)| *ratio < 0.98).collect();
        assert_eq!(slower.len(), misses.len(), "{file}: {slower:?}");
        for ((width, ratio), (named, least)) in slower.iter().zip(misses) {
            assert!(width == named && ratio >= least, "{file}: {slower:?}");
        }
    }
}

/// Widths of another seed, on a third GPU. What misses, and by how much, the page of the transposition says.
#[test]
fn a_transposition_misses_the_copy_at_two_widths_of_another_seed() {
    let found = best_beside("transpose", "copy", "seed-2/widths.csv");
    assert_eq!(found.len(), 60);
    let slower: Vec<_> = found.into_iter().filter(|(_, ratio)| *ratio < 0.98).collect();
    let [(6024, first), (7088, second)] = slower[..] else { panic!("{slower:?}") };
    assert!(first > 0.977 && second > 0.962, "{slower:?}");
}

/// How a sum loads its tile that is not full makes no difference to a long sum; that one block draws no ticket makes one to a short sum.
#[test]
fn a_sum_is_no_faster_for_its_last_tile_and_faster_for_no_ticket() {
    let mut times_us = std::collections::BTreeMap::<u64, Vec<(String, f64)>>::new();
    for row in csv::Reader::from_path(root().join("results/nvidia-h200/reduction-kernels/tails.csv")).unwrap().records()
    {
        let row = row.unwrap();
        times_us.entry(row[0].parse().unwrap()).or_default().push((row[4].to_owned(), row[5].parse().unwrap()));
    }
    assert_eq!(times_us.len(), 25);
    for (elements, forms) in &times_us {
        let of = |kind: &str| -> Vec<f64> {
            forms.iter().filter(|(form, _)| form.contains(kind)).map(|(_, time_us)| *time_us).collect()
        };
        let most = |kind: &str| of(kind).into_iter().fold(0.0, f64::max);
        let least = |kind: &str| of(kind).into_iter().fold(f64::INFINITY, f64::min);
        assert_eq!((forms.len(), of("_").len()), (5, 4));
        if *elements <= 8192 {
            assert!(most("at_once") < 0.8 * least("by_ticket"), "{elements}: {forms:?}");
        } else if *elements > 90_000_000 {
            assert!(most("_") < 1.003 * least("_"), "{elements}: {forms:?}");
            assert!(most("_") < least("DeviceReduce::Sum"), "{elements}: {forms:?}");
        }
    }
}

/// At sizes that are no powers of two as well, from 1000 floats on, 40 of them drawn at random (`tests/gpu/cub/sizes.py`).
#[test]
fn a_sum_in_one_launch_is_as_fast_as_cub_at_every_size() {
    for (file, sizes) in [("sizes.csv", 51), ("second-gpu/sizes.csv", 51), ("seed-2/sizes.csv", 40)] {
        let found = best_beside("reduction", "DeviceReduce::Sum", file);
        assert!(found.len() == sizes && found[0].0 < 2000 && found.last().unwrap().0 > 1_000_000_000, "{file}");
        let slower: Vec<_> = found.iter().filter(|(_, ratio)| *ratio < 1.0).collect();
        assert!(slower.is_empty(), "{file}: {slower:?}");
    }
}

#[test]
fn scans_and_histograms_of_sizes_drawn_at_random_are_faster_than_cub_s() {
    for file in ["sizes.csv", "seed-2/sizes.csv"] {
        let scans = best_beside("prefix_sum", "DeviceScan::ExclusiveSum", file);
        let copies = best_beside("prefix_sum", "cudaMemcpyAsync", file);
        let histograms = best_beside("histogram", "DeviceHistogram::HistogramEven", file);
        assert_eq!((scans.len(), copies.len(), histograms.len()), (40, 40, 40), "{file}");
        let least_of_scans = |elements: u64| if elements >= 1 << 24 { 1.2 } else { 1.0 };
        assert!(scans.iter().all(|(elements, ratio)| *ratio >= least_of_scans(*elements)), "{file}: {scans:?}");
        assert!(copies.iter().all(|(elements, ratio)| *elements < 1 << 28 || *ratio >= 0.9), "{file}: {copies:?}");
        assert!(histograms.iter().all(|(_, ratio)| *ratio >= 1.0), "{file}: {histograms:?}");
    }
}

#[test]
fn streams_hide_the_query_s_kernels_behind_copies() {
    let run = run("select-sum");
    let on_streams: Vec<&PointRecord> = run.points.iter().filter(|point| point.variant == "streams").collect();
    assert!(!on_streams.is_empty());
    for point in on_streams {
        let threshold = point.value("threshold").unwrap();
        let is_whole =
            |own: &&PointRecord| own.variant == "pinned_memory" && own.value("threshold") == point.value("threshold");
        let [own, whole] = [point, run.points.iter().find(is_whole).unwrap()]
            .map(|point| *point.timing.as_ref().and_then(|timing| timing.phases.as_deref()).unwrap());
        // What no copying is beside, of what the kernel takes in one piece. Where few rows are selected it is so short that starting the last
        // chunk's takes a fifth of it.
        let share = 1.0 - (own.kernel_us - own.kernel_hidden_us) / whole.kernel_us;
        let least = if threshold == "30" { 0.75 } else { 0.8 };
        assert!(share >= least, "threshold {threshold}: {share:.3} of the kernel is hidden");
        assert!(own.total_us <= 1.005 * whole.total_us, "threshold {threshold}: {own:?} beside {whole:?}");
    }
}

/// Estimates take laws and points from these runs by the names of variants and parameters.
#[test]
fn the_points_that_estimates_rest_on_are_there() {
    let wanted = |scenario: &str, names: &[&str]| -> BTreeSet<Vec<String>> {
        let pattern = PATTERNS.iter().find(|own| own.scenario == scenario).expect(scenario);
        let run = run(scenario);
        let points = run.points.iter().filter(|point| (pattern.is_wanted)(point));
        points.map(|point| names.iter().map(|name| point.value(name).expect(name).into_owned()).collect()).collect()
    };
    let of = |rows: &[&[&str]]| -> BTreeSet<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    };
    assert_eq!(wanted("data-layout", &["variant", "fields"]), of(&[&["array_of_structures", "8"]]));
    assert_eq!(wanted("transpose", &["variant", "width"]), of(&[&["naive", "4096"]]));
    let strides = wanted("bank-conflicts", &["variant", "word_bytes", "stride"]);
    assert_eq!(strides, of(&[&["strided", "4", "1"], &["strided", "4", "2"]]));
    let branches = wanted("branching", &["operation", "branches"]);
    assert_eq!(branches, of(&[&["compute", "1"], &["compute", "2"]]));
    let atomics = wanted("atomics", &["variant", "addresses", "spread"]);
    assert_eq!(atomics, of(&[&["global", "1", "inside_warp"]]));
    assert!(wanted("global-access", &["width"]).len() >= 2, "a slope needs two sizes");
    let syncs = wanted("block-sync", &["variant", "interval", "resident_blocks"]);
    for resident in ["0", "1"] {
        for row in
            [["none", "1", resident], ["none", "2", resident], ["barrier", "1", resident], ["barrier", "2", resident]]
        {
            assert!(syncs.contains(row.map(str::to_owned).as_slice()), "{row:?} of {syncs:?}");
        }
    }
    assert!(syncs.iter().any(|row| row[0] == "none" && row[2] == "1" && row[1] != "1" && row[1] != "2"), "{syncs:?}");
    for of_laws_alone in ["synchronisation-cost", "block-size-1d", "occupancy"] {
        assert!(wanted(of_laws_alone, &[]).is_empty(), "{of_laws_alone}");
    }
}

/// Every run of `results/` with its files, but for its pictures, in a folder of its own.
fn copies() -> impl Iterator<Item = (PathBuf, tempfile::TempDir)> {
    let runs = files_below(&root().join("results")).into_iter();
    runs.filter(|file| file.file_name() == Some("run.json".as_ref())).map(|file| {
        let run = file.parent().unwrap().to_owned();
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(&run).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
            }
        }
        (run, copy)
    })
}

#[test]
fn laws_are_those_that_the_program_fits() {
    let mut compared = 0;
    for (run, copy) in copies().filter(|(run, _)| run.join("fits.csv").is_file()) {
        let mut apbench = assert_cmd::Command::cargo_bin("apbench").unwrap();
        apbench.arg("fit").arg(copy.path()).assert().success();
        let [committed, fitted] =
            [&run, copy.path()].map(|folder| std::fs::read_to_string(folder.join("fits.csv")).unwrap());
        assert_eq!(committed, fitted, "`apbench fit {}` writes other laws", run.display());
        compared += 1;
    }
    assert!(compared > 40, "{compared} runs");
}

/// In every run of `results/` that has pictures.
#[test]
fn pictures_are_those_that_the_program_draws() {
    let mut compared = 0;
    for (run, _) in copies().filter(|(run, _)| run.join("charts").is_dir()) {
        let drawn = tempfile::tempdir().unwrap();
        let mut apbench = assert_cmd::Command::cargo_bin("apbench").unwrap();
        apbench.args(["plot", "--format", "svg", "--out"]).arg(drawn.path()).arg(&run).assert().success();
        for picture in files_below(drawn.path()) {
            let committed = run.join("charts").join(picture.file_name().unwrap());
            let is_same =
                std::fs::read(&committed).is_ok_and(|committed| committed == std::fs::read(&picture).unwrap());
            assert!(is_same, "{}: `apbench plot {}` draws another", committed.display(), run.display());
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} pictures");
}
