//! What the rungs of a ladder become on a chart.

use std::path::PathBuf;

use super::*;
use crate::chart::{Chart, Look, Scale, svg};
use crate::ladder::fixtures::{FAMILY, point, skipped};
use crate::model::fixtures::numbered;
use crate::run::fixtures::metadata;
use crate::run::reader::Run;
use crate::scenario::{ChartKind, Scale as Scaling};

fn run(points: Vec<PointRecord>) -> Run {
    let mut metadata = metadata("2026-01-01T00:00:00Z");
    let device = &mut metadata.device;
    (device.memory_clock_mhz, device.memory_bus_bits) = (Some(1000.0), Some(512));
    (device.name, device.origin) = ("NVIDIA GeForce GTX 280 (simulated)".to_owned(), Origin::Simulated);
    device.spec = "sim:gtx280".to_owned();
    let points = numbered(points);
    Run { directory: PathBuf::new(), metadata, scenario: String::new(), points, notes: Vec::new() }
}

fn points(elements: u64) -> Vec<PointRecord> {
    vec![
        point("no_bank_conflicts", elements, 256, 1_234.5),
        point("naive", elements, 256, 40_000.0),
        point("shared_memory", elements, 256, 46_000.0),
        point("shifts", elements, 256, 12_345.6),
        skipped("single_pass", elements, 256, "single_pass needs compute capability 7.0 and not 1.3"),
        point("serial", elements, 256, 66_000.0),
    ]
}

fn chart(run: &Run, is_speedup: bool) -> BarChart {
    let request = ChartRequest {
        kind: ChartKind::Ladder { is_speedup },
        name: "ladder".into(),
        title: "Prefix sums, pattern by pattern".into(),
        x: "variant".into(),
        y_scale: Scaling::Log,
        ..ChartRequest::default()
    };
    let shown = [Shown { label: "", run, fits: &[] }];
    ladder_chart(&request, is_speedup, &FAMILY, &shown)
}

#[test]
fn rungs_stand_in_the_familys_order_with_their_times_and_speedups() {
    let chart = chart(&run(points(1 << 20)), false);
    let expected = ["naive", "shared_memory", "shifts", "no_bank_conflicts", "single_pass", "serial (host)"];
    assert_eq!(chart.groups, expected);
    let [series] = &chart.series[..] else { panic!("{:?}", chart.series) };
    let told: Vec<Option<&str>> = series.bars.iter().map(|bar| bar.as_ref().map(|bar| bar.label.as_str())).collect();
    let expected = [
        Some("40.0 ms"),
        Some("46.0 ms, 0.870x"),
        Some("12.3 ms, 3.24x"),
        Some("1.23 ms, 32.4x"),
        None,
        Some("66.0 ms"),
    ];
    assert_eq!(told, expected);
    // 8 MiB at 128 GB/s.
    let (limit_us, _) = chart.reference.clone().unwrap();
    assert!((limit_us - 65.536).abs() < 1e-9, "{limit_us}");
    let reason = "single_pass: skipped: single_pass needs compute capability 7.0 and not 1.3.";
    assert!(chart.notes.iter().any(|note| note == reason), "{:?}", chart.notes);
    assert_eq!(chart.y_scale, Scale::Log);
    insta::assert_snapshot!(svg(&Chart::Bars(chart), &Look::default()).unwrap());
}

#[test]
fn published_speedups_of_the_same_gpu_stand_beside_those_here() {
    let chart = chart(&run(points(1 << 20)), true);
    let labels: Vec<&str> = chart.series.iter().map(|series| series.label.as_str()).collect();
    assert_eq!(labels, ["here, simulated", "GeForce GTX 280, published (Cornelis 2010)"]);
    let told = |series: &BarSeries| -> Vec<Option<f64>> {
        series.bars.iter().map(|bar| bar.as_ref().map(|bar| (bar.value * 100.0).round() / 100.0)).collect()
    };
    assert_eq!(told(&chart.series[0]), [Some(1.0), Some(0.87), Some(3.24), Some(32.4), None]);
    // 46 ms, 46 ms, 1.09 times 11.5 ms, 11.5 ms.
    assert_eq!(told(&chart.series[1]), [Some(1.0), Some(1.0), Some(3.67), Some(4.0), None]);
    let (limit, _) = chart.reference.clone().unwrap();
    assert!((limit - 40_000.0 / 65.536).abs() < 1e-9, "{limit}");
}

#[test]
fn several_tables_are_several_bars_for_each_rung_without_a_limit_of_all() {
    let points = [points(1 << 20), points(1 << 24)].concat();
    let chart = chart(&run(points), false);
    let labels: Vec<&str> = chart.series.iter().map(|series| series.label.as_str()).collect();
    assert_eq!(labels, ["elements=1048576", "elements=16777216"]);
    assert_eq!(chart.reference, None);
}

#[test]
fn published_speedups_stand_beside_those_of_the_nearest_size() {
    let points = [points(1 << 20), points(1 << 24)].concat();
    let chart = chart(&run(points), true);
    let labels: Vec<&str> = chart.series.iter().map(|series| series.label.as_str()).collect();
    assert_eq!(labels, ["here, simulated, elements=16777216", "GeForce GTX 280, published (Cornelis 2010)"]);
}
