use super::by_family::{Compared, by_family};
use super::*;
use crate::family::Family;
use crate::known_error::SizesOfPoints;
use crate::record::point_columns;
use crate::run::reader::parse_points;

/// Points of the family `branching` on a scenario's three branches, by variant: their times in microseconds.
fn points(rows: &[(&str, u32, f64)]) -> Vec<PointRecord> {
    let columns = point_columns(branching(), &["bound"]);
    let mut text = format!("{}\n", columns.join(","));
    for (index, (variant, branches, time)) in rows.iter().enumerate() {
        let cells = columns.iter().map(|column| match *column {
            "point" => index.to_string(),
            "variant" => (*variant).to_owned(),
            "branches" => branches.to_string(),
            "time_us" => time.to_string(),
            "status" => "ok".to_owned(),
            "origin" => "simulated".to_owned(),
            "stopped_by" => "repeats_exactly".to_owned(),
            "cache" => "cold".to_owned(),
            "bound" => "memory".to_owned(),
            "samples" | "rounds" | "bytes" => "10".to_owned(),
            _ => String::new(),
        });
        text += &format!("{}\n", cells.collect::<Vec<_>>().join(","));
    }
    parse_points("points.csv".as_ref(), &text, &mut Vec::new()).expect("points")
}

/// 10 schedulers at 1 GHz: 640 operations a nanosecond; memory of 100 GB/s.
fn gpu() -> Properties {
    let profile = gpu_simulator::profile::Profile::load("h200").expect("a profile");
    Properties {
        sm_count: 10,
        schedulers_per_sm: 1,
        sm_clock_mhz: 1000.0,
        memory_clock_mhz: Some(1000.0),
        memory_bus_bits: Some(400),
        ..Properties::simulated(&profile)
    }
}

fn branching() -> &'static Family {
    Family::find("branching").expect("the family")
}

#[test]
fn errors_of_known_pairs() {
    let pair = |measured, simulated| Pair { measured, simulated };
    let errors = Errors::of(&[pair(10.0, 11.0), pair(10.0, 5.0), pair(2.0, 2.0), pair(4.0, 5.2)]).expect("errors");
    let rounded = [errors.mean, errors.median, errors.bias, errors.within_fifth].map(|own| (own * 1e6).round() / 1e6);
    assert_eq!((errors.count, rounded), (4, [0.225, 0.2, -0.025, 0.5]));
    assert_eq!(Errors::of(&[]), None);
}

/// Ranks with ties: Kendall and Gibbons, Rank Correlation Methods, chapter 3; here by hand: ranks 1 2.5 2.5 4 against 1 2 3 4.
#[test]
fn rank_correlations_by_hand() {
    let of = |pairs: &[(f64, f64)]| {
        let pairs: Vec<Pair> = pairs.iter().map(|&(measured, simulated)| Pair { measured, simulated }).collect();
        rank_correlation(&pairs)
    };
    assert_eq!(of(&[(1.0, 5.0), (2.0, 6.0), (3.0, 70.0)]), Some(1.0));
    assert_eq!(of(&[(1.0, 9.0), (2.0, 6.0), (3.0, 1.0)]), Some(-1.0));
    let tied = of(&[(1.0, 1.0), (2.0, 2.0), (2.0, 3.0), (9.0, 4.0)]).expect("a number");
    assert!((tied - 4.5 / (4.5_f64 * 5.0).sqrt()).abs() < 1e-12, "{tied}");
    assert_eq!(of(&[(1.0, 1.0), (2.0, 2.0)]), None);
    assert_eq!(of(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
}

#[test]
fn slowdowns_are_over_the_first_variant_and_pairs_in_their_order_count() {
    let measured = points(&[
        ("divergent", 1, 10.0),
        ("divergent", 2, 20.0),
        ("divergent", 4, 40.0),
        ("divergent", 16, 40.0),
        ("table_lookup", 1, 10.2),
        ("table_lookup", 2, 10.0),
        ("table_lookup", 4, 50.0),
        ("table_lookup", 16, 44.0),
    ]);
    let simulated = points(&[
        ("table_lookup", 4, 20.0),
        ("divergent", 1, 10.0),
        ("divergent", 2, 20.0),
        ("divergent", 4, 44.0),
        ("divergent", 16, 40.0),
        ("table_lookup", 2, 12.0),
        ("table_lookup", 8, 12.0),
        ("table_lookup", 16, 50.0),
    ]);
    let accuracy = Accuracy::of("branching", branching(), &gpu(), &measured, &simulated);
    assert_eq!((accuracy.points.len(), accuracy.alone), (7, 2));
    let slowdowns: Vec<Option<Pair>> = accuracy.points.iter().map(|point| point.slowdown).collect();
    let pair = |measured, simulated| Some(Pair { measured, simulated });
    let expected = [None, None, None, None, pair(0.5, 0.6), pair(1.25, 20.0 / 44.0), pair(44.0 / 40.0, 50.0 / 40.0)];
    assert_eq!(slowdowns, expected);
    // 20 against 10, and 40 against 50: both differ by 20 % or more; 40 against 44 by 10 %, in the right order.
    assert_eq!(
        accuracy.order,
        Order { pairs: 3, right: 2, pairs_apart: 2, right_apart: 1, groups: 3, fastest_right: 2 }
    );
    let last = &accuracy.points[5];
    assert_eq!((last.bound.as_str(), last.parameters.clone()), ("memory", vec![("branches".into(), "4".into())]));
}

#[test]
fn a_run_agrees_with_itself() {
    let own = points(&[("divergent", 1, 10.0), ("divergent", 2, 20.0), ("table_lookup", 2, 11.0)]);
    let accuracy = Accuracy::of("branching", branching(), &gpu(), &own, &own);
    let errors = Errors::of(accuracy.times()).expect("errors");
    assert_eq!((errors.mean, errors.bias, errors.within_fifth, accuracy.alone), (0.0, 0.0, 1.0, 0));
    assert_eq!(
        (accuracy.rank_correlation, accuracy.order),
        (Some(1.0), Order { pairs: 1, right: 1, pairs_apart: 1, right_apart: 1, groups: 1, fastest_right: 1 })
    );
}

#[test]
fn a_scenario_that_several_runs_are_of_is_one_scenario() {
    let own = points(&[("divergent", 1, 10.0), ("divergent", 2, 20.0)]);
    let of = |sizes| Compared { profile: "sim:h200".to_owned(), timing_model: 1, gpu: "NVIDIA H200".to_owned(), sizes };
    let (gpu_sizes, other) = (of(SizesOfPoints::Gpu), of(SizesOfPoints::Other));
    let accuracy = |scenario: &str| Accuracy::of(scenario, branching(), &gpu(), &own, &own);
    let [one, two] = ["branching", "branching-remedies"].map(accuracy);
    let rows = by_family([(&gpu_sizes, &one), (&gpu_sizes, &two), (&gpu_sizes, &one), (&other, &one)]);
    let told: Vec<(Option<&str>, usize, &str, usize)> = rows
        .iter()
        .map(|row| (row.scenario.as_deref(), row.scenarios, row.scenario_names.as_str(), row.points))
        .collect();
    let expected = [
        (None, 2, "branching branching-remedies", 6),
        (Some("branching"), 1, "branching", 4),
        (Some("branching-remedies"), 1, "branching-remedies", 2),
        (None, 1, "branching", 2),
    ];
    assert_eq!(told, expected);
}

/// Of 20 errors the nineteenth is what 95 % are at most, of fewer the largest.
#[test]
fn what_95_percent_of_errors_are_at_most() {
    let of = |count: u32| {
        let pairs: Vec<Pair> =
            (1..=count).map(|own| Pair { measured: 100.0, simulated: 100.0 - f64::from(own) }).collect();
        Errors::of(&pairs).map(|errors| (100.0 * errors.of_95_pct).round())
    };
    assert_eq!([of(1), of(19), of(20), of(40)], [Some(1.0), Some(19.0), Some(19.0), Some(38.0)]);
}

#[test]
fn measured_times_are_held_against_the_peaks_of_their_gpu() {
    let mut point = points(&[("divergent", 1, 10.0)]).remove(0);
    let mut told = |bytes: u64, operations: u64| {
        (point.bytes, point.operations) = (Some(bytes), Some(operations));
        OfPeak::told(OfPeak::of(&point, 10.0, &gpu()))
    };
    assert_eq!(told(820_000, 64), "memory 82 % of peak");
    assert_eq!(told(240_000, 64), "memory 24 % of peak");
    assert_eq!(told(1_300_000, 64), "caches: 130 % of memory's peak");
    assert_eq!(told(1_000, 4_800_000), "arithmetic 75 % of f32 peak");
    assert_eq!(told(1_000, 640_000), "arithmetic 10 % of f32 peak");
    assert_eq!(told(10, 10), "unknown");
    assert_eq!(told(0, 0), "unknown");
    let silent = Properties { memory_clock_mhz: None, schedulers_per_sm: 0, ..gpu() };
    assert_eq!(OfPeak::of(&point, 10.0, &silent), None);
}
