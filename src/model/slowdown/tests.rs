//! Ratios with known answers.

use super::*;
use crate::model::fixtures::{FAMILY, numbered, point};

fn over(points: &[PointRecord], variant: &str, reference: &str) -> Option<Slowdown> {
    let points: Vec<&PointRecord> = points.iter().collect();
    let pairs = pairs(&FAMILY, &points, reference);
    Slowdown::over(&pairs.into_iter().filter(|pair| pair.point.variant == variant).collect::<Vec<_>>())
}

/// Twice, four times and eight times as slow: four times in the geometric mean.
fn three(half_us: f64) -> Vec<PointRecord> {
    let times = [(1, 10.0, 20.0), (2, 20.0, 80.0), (4, 40.0, 320.0)];
    let both = |(branches, fast, slow): (u32, f64, f64)| {
        [point("sorted", branches, "compute", fast, half_us), point("divergent", branches, "compute", slow, half_us)]
    };
    numbered(times.into_iter().flat_map(both))
}

#[test]
fn the_mean_is_geometric_and_the_ends_are_told() {
    let slowdown = over(&three(0.0), "divergent", "sorted").unwrap();
    assert!((slowdown.ratio - 4.0).abs() < 1e-12, "{slowdown:?}");
    assert_eq!((slowdown.smallest, slowdown.largest, slowdown.n), (2.0, 8.0, 3));
    assert_eq!((slowdown.slower, slowdown.faster, slowdown.interval), (3, 0, None));
    assert_eq!(slowdown.to_string(), "slower at all 3 points");
    let other_way = over(&three(0.0), "sorted", "divergent").unwrap();
    assert!((other_way.ratio - 0.25).abs() < 1e-12, "{other_way:?}");
    assert_eq!(other_way.to_string(), "faster at all 3 points");
}

#[test]
fn points_are_compared_where_all_parameters_agree() {
    let mut points = three(0.0);
    points.push(point("divergent", 8, "compute", 1.0, 0.0));
    points.push(point("sorted", 4, "convolution", 1.0, 0.0));
    assert_eq!(over(&points, "divergent", "sorted").unwrap().n, 3);
    assert_eq!(over(&points, "divergent", "uniform"), None);
}

#[test]
fn a_point_that_ignores_a_parameter_is_compared_with_all_its_values() {
    let mut points = three(0.0);
    // Its own value of what it ignores is the default, whatever that is.
    points.push(point("uniform", 2, "compute", 40.0, 0.0));
    let points = numbered(points);
    let slowdown = over(&points, "uniform", "divergent").unwrap();
    assert_eq!((slowdown.n, slowdown.smallest, slowdown.largest), (3, 0.125, 2.0));
    assert_eq!(slowdown.to_string(), "slower at 1 and faster at 2 of 3 points");
    let other_way = over(&points, "divergent", "uniform").unwrap();
    assert!((other_way.ratio * slowdown.ratio - 1.0).abs() < 1e-12);
}

#[test]
fn intervals_of_ratios_follow_from_those_of_times() {
    // 1 % of each time, as the logarithm has it: the ratio of two is known to the square root of two percent, and the
    // mean of three such to the square root of three less.
    let exact = |time: f64| (time / 1.01, time * 1.01);
    let mut points = three(0.0);
    for timing in points.iter_mut().filter_map(|point| point.timing.as_mut()) {
        let (low, high) = exact(timing.median.time_us);
        (timing.median.low_us, timing.median.high_us) = (Some(low), Some(high));
    }
    let (low, high) = over(&points, "divergent", "sorted").unwrap().interval.unwrap();
    let half = 1.01_f64.ln() * (2.0_f64 / 3.0).sqrt();
    assert!((low - 4.0 * (-half).exp()).abs() < 1e-9 && (high - 4.0 * half.exp()).abs() < 1e-9, "{low} {high}");
    // One measurement used three times does not become surer by that.
    let mut single = points.iter().filter(|point| point.variant == "divergent").cloned().collect::<Vec<_>>();
    let mut uniform = single[0].clone();
    uniform.variant = "uniform".into();
    single.push(uniform);
    let (low, high) = over(&numbered(single), "uniform", "divergent").unwrap().interval.unwrap();
    let half = 1.01_f64.ln() * (1.0_f64 + 1.0 / 3.0).sqrt();
    assert!(((high / low).ln() / 2.0 - half).abs() < 1e-9, "{low} {high}");
}

#[test]
fn times_within_their_intervals_are_neither_slower_nor_faster() {
    let points = numbered([point("sorted", 1, "compute", 10.0, 1.0), point("divergent", 1, "compute", 11.0, 1.0)]);
    let slowdown = over(&points, "divergent", "sorted").unwrap();
    assert_eq!((slowdown.slower, slowdown.faster, slowdown.n), (0, 0, 1));
    assert_eq!(slowdown.to_string(), "no slower and no faster at the only point, within the intervals");
}

#[test]
fn where_it_hardly_matters_which_variant_is_taken_is_told() {
    let at = |ratios: &[(u32, f64)]| {
        let both = |(branches, ratio): &(u32, f64)| {
            [
                point("sorted", *branches, "compute", 10.0, 0.0),
                point("divergent", *branches, "compute", 10.0 * ratio, 0.0),
            ]
        };
        let points = numbered(ratios.iter().flat_map(both));
        let points: Vec<&PointRecord> = points.iter().collect();
        negligible(&FAMILY, &pairs(&FAMILY, &points, "sorted"))
    };
    let parameter = "branches";
    let from = |edge| Some(Negligible { parameter, edge, is_from: true, is_single: false });
    let only = |edge, is_from| Some(Negligible { parameter, edge, is_from, is_single: true });
    assert_eq!(at(&[(1, 1.5), (2, 1.2), (4, 1.009), (8, 0.995)]), from(4.0));
    assert_eq!(at(&[(1, 1.5), (2, 1.005), (4, 1.02), (8, 0.995)]), only(8.0, true));
    assert_eq!(at(&[(1, 1.005), (2, 1.5), (4, 1.02)]), only(1.0, false));
    assert_eq!(
        at(&[(1, 1.0), (2, 1.0), (4, 1.5)]),
        Some(Negligible { parameter, edge: 2.0, is_from: false, is_single: false })
    );
    assert_eq!(at(&[(1, 1.5), (2, 1.5)]), None);
    let uncertain = |half_us| {
        let of = |branches, ratio: f64| {
            [
                point("sorted", branches, "compute", 10.0, half_us),
                point("divergent", branches, "compute", 10.0 * ratio, half_us),
            ]
        };
        let points = numbered([of(1, 1.5), of(2, 1.0)].concat());
        let points: Vec<&PointRecord> = points.iter().collect();
        negligible(&FAMILY, &pairs(&FAMILY, &points, "sorted"))
    };
    assert_eq!(uncertain(0.05), only(2.0, true));
    assert_eq!(uncertain(0.1), None, "equal by chance");
    assert_eq!(at(&[(1, 1.0), (2, 1.0)]), None, "nothing to tell apart");
}
