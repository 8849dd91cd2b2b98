//! Ladders as they are printed in 80 columns.

use std::path::Path;

use super::super::csv::text_of;
use super::*;
use crate::device::Device;
use crate::device::mock::{Mock, MockSettings};
use crate::ladder::fixtures::{FAMILY, phased, point, skipped, variants};
use crate::ladder::{StepEstimate, ladder};
use crate::properties::{Origin, Properties};
use crate::published::parse_published;
use crate::record::PointRecord;

fn device() -> Properties {
    let mut properties = Mock::new(MockSettings::default()).properties().clone();
    (properties.memory_clock_mhz, properties.memory_bus_bits) = (Some(1000.0), Some(512));
    (properties.name, properties.origin) = ("NVIDIA GeForce GTX 280 (simulated)".to_owned(), Origin::Simulated);
    properties
}

fn made(points: &[PointRecord], estimates: &[StepEstimate]) -> Ladder {
    let printed = include_str!("../../../../results/published/published.csv");
    let figures = parse_published(Path::new("published.csv"), printed).unwrap();
    ladder(&FAMILY, &variants(), &device(), points, &figures, estimates).unwrap()
}

fn points(elements: u64) -> Vec<PointRecord> {
    vec![
        point("naive", elements, 256, 40_000.0),
        point("shared_memory", elements, 256, 46_000.0),
        point("shifts", elements, 256, 12_345.6),
        point("no_bank_conflicts", elements, 256, 1_234.5),
        skipped("single_pass", elements, 256, "single_pass needs compute capability 7.0 and not 1.3"),
        point("serial", elements, 256, 66_000.0),
    ]
}

fn shown(ladder: &Ladder, all: bool) -> String {
    let lines = Page::of(ladder, if all { Detail::All } else { Detail::Largest }, 80).lines;
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    lines.join("\n")
}

#[test]
fn a_ladder_with_the_published_figures_of_its_device() {
    insta::assert_snapshot!(shown(&made(&points(1 << 24), &[]), false));
}

#[test]
fn a_ladder_with_estimates() {
    let estimate =
        |variant: &str, time_us| StepEstimate { variant: variant.to_owned(), parameters: Vec::new(), time_us };
    let estimates = [estimate("naive", 41_000.0), estimate("shared_memory", 44_000.0), estimate("shifts", 11_000.0)];
    insta::assert_snapshot!(shown(&made(&points(1 << 24), &estimates), false));
}

#[test]
fn a_ladder_with_phases() {
    let phases = |transfer_in_us, kernel_us, kernel_hidden_us| Phases {
        transfer_in_us,
        kernel_us,
        transfer_out_us: 12.0,
        host_us: (kernel_us > 1000.0).then_some(3.5),
        kernel_hidden_us,
        total_us: transfer_in_us + kernel_us + 12.0,
    };
    let points = [
        phased(point("naive", 1 << 24, 256, 1.0), phases(23_456.0, 4_321.0, 0.0)),
        phased(point("shared_memory", 1 << 24, 256, 1.0), phases(23_456.0, 2_100.0, 1_800.0)),
    ];
    insta::assert_snapshot!(shown(&made(&points, &[]), false));
}

#[test]
fn of_many_tables_those_of_the_largest_size_are_shown_and_the_published_figures_beside_the_nearest() {
    let sizes: Vec<PointRecord> = (12..24).flat_map(|power| points(1 << power)).collect();
    let ladder = made(&sizes, &[]);
    let few = shown(&ladder, false);
    assert_eq!(few.matches("  rung ").count(), 2, "{few}");
    assert!(few.contains("and 11 tables of smaller sizes: --all shows every one"), "{few}");
    assert!(few.contains(&format!("elements={}", 1 << 23)) && !few.contains("elements=4096"), "{few}");
    assert!(few.replace('\n', " ").contains("times at elements=8388608"), "{few}");
    let all = shown(&ladder, true);
    assert_eq!(all.matches("  rung ").count(), 12 * 3);
}

fn short(ladder: &Ladder) -> String {
    let lines = Page::short(ladder, Path::new("my-run"), 80).lines;
    assert!(lines.len() <= 30 && lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    lines.join("\n")
}

#[test]
fn a_short_ladder_is_the_largest_size_with_a_sentence_for_each_source() {
    let sizes: Vec<PointRecord> = (12..24).flat_map(|power| points(1 << power)).collect();
    insta::assert_snapshot!(short(&made(&sizes, &[])));
}

#[test]
fn a_ladder_without_a_time_says_what_is_missing() {
    let none = made(&[skipped("naive", 1 << 12, 256, "too large"), skipped("shifts", 1 << 12, 256, "too large")], &[]);
    let told = short(&none).replace('\n', " ");
    assert_eq!(
        told.trim(),
        "no ladder: no rung has a time (naive: skipped: too large); apbench fit my-run tells of all points"
    );
}

#[test]
fn csv_has_a_row_for_each_rung_and_each_published_one() {
    insta::assert_snapshot!(text_of("my-run", &made(&points(1 << 24), &[])).unwrap());
}
