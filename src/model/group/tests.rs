//! Which points belong together, and what is said where there is nothing to fit.

use ecow::EcoString;

use super::*;
use crate::model::OfFit;
use crate::model::fixtures::{FAMILY, law, numbered, point, request};
use crate::model::law::Law;
use crate::record::Only;

fn fits(model: Model, points: &[PointRecord]) -> Vec<(String, String)> {
    let fits = fit_points(&[request("own", model)], &FAMILY, points);
    fits.iter().map(|fit| (fit.label(), fit.outcome.verdict())).collect()
}

fn branches() -> Model {
    law("branches")
}

fn slowdown() -> Model {
    Model::Slowdown { reference: "divergent".to_owned() }
}

/// Both operations of the pattern, which takes 10 and 20 for each branch, and of the variant that has none.
fn points() -> Vec<PointRecord> {
    let mut points = Vec::new();
    for (operation, slope) in [("compute", 10.0), ("convolution", 20.0)] {
        let pattern = [1, 2, 3, 4].map(|n| point("divergent", n, operation, 5.0 + slope * f64::from(n), 0.0));
        points.extend(pattern);
        points.push(point("uniform", 2, operation, 12.0, 0.0));
    }
    numbered(points)
}

fn told(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(label, verdict)| ((*label).to_owned(), (*verdict).to_owned())).collect()
}

#[test]
fn a_law_says_nothing_about_a_variant_that_does_not_depend_on_its_predictor() {
    let expected = told(&[
        ("variant=divergent operation=compute", "holds exactly"),
        ("variant=uniform operation=compute", "not fitted: uniform does not depend on branches_per_warp"),
        ("variant=divergent operation=convolution", "holds exactly"),
        ("variant=uniform operation=convolution", "not fitted: uniform does not depend on branches_per_warp"),
    ]);
    assert_eq!(fits(branches(), &points()), expected);
}

#[test]
fn too_few_times_and_equal_predictors_are_not_failures_of_the_law() {
    let of = |branches: &[u32]| {
        let points = branches.iter().map(|n| point("divergent", *n, "compute", 5.0 + f64::from(*n), 0.0));
        fits(self::branches(), &numbered(points))[0].1.clone()
    };
    assert_eq!(of(&[1]), "not fitted: law `branches` needs at least 3 times to fit, not 1");
    assert_eq!(of(&[1, 2]), "not fitted: law `branches` needs at least 3 times to fit, not 2");
    assert!(of(&[3, 3, 3]).starts_with("not fitted: "), "{}", of(&[3, 3, 3]));
    assert_eq!(of(&[1, 2, 3]), "undecided: only 3 distinct values of n, 4 are needed");
}

#[test]
fn slowdowns_are_apart_where_text_is_different_and_together_over_numbers() {
    let expected = told(&[
        ("variant=uniform operation=compute", "faster at all 4 points"),
        ("variant=uniform operation=convolution", "faster at all 4 points"),
    ]);
    assert_eq!(fits(slowdown(), &points()), expected);
    let only_uniform: Vec<PointRecord> = points().into_iter().filter(|point| point.variant == "uniform").collect();
    let expected = told(&[("variant=uniform", "not fitted: no point of divergent with the same parameters succeeded")]);
    assert_eq!(fits(slowdown(), &only_uniform), expected);
    assert_eq!(fits(slowdown(), &[]), []);
}

#[test]
fn a_parameter_that_a_variant_ignores_varies_only_where_others_depend_on_it() {
    let points = numbered([point("divergent", 8, "compute", 1.0, 0.0), point("uniform", 2, "compute", 1.0, 0.0)]);
    let points: Vec<&PointRecord> = points.iter().collect();
    assert!(!varies(&FAMILY, "branches", &points) && varies(&FAMILY, "variant", &points));
    assert_eq!(fixed_parameters(&FAMILY, &points), "branches=8 operation=compute");
}

#[test]
fn speedups_are_told_for_each_value_against_the_smallest() {
    let points = numbered([1, 2, 4].map(|n| point("divergent", n, "compute", 100.0 / f64::from(n).sqrt(), 0.0)));
    let speedup = Model::Speedup { predictor: "branches" };
    let expected = told(&[
        ("variant=divergent branches=2", "1.414 times as fast as branches = 1"),
        ("variant=divergent branches=4", "2.000 times as fast as branches = 1"),
    ]);
    assert_eq!(fits(speedup.clone(), &points), expected);
    let single = [("variant=divergent", "not fitted: branches is 1 at every point, so there is no ratio")];
    assert_eq!(fits(speedup, &points[..1]), told(&single));
}

#[test]
fn a_fit_may_be_of_some_points_only() {
    let only = Only { conditions: vec![("operation".to_owned(), vec!["compute".to_owned()])] };
    let request = FitRequest { only, ..request("own", branches()) };
    let labels: Vec<String> = fit_points(&[request], &FAMILY, &points()).iter().map(GroupFit::label).collect();
    assert_eq!(labels, ["variant=divergent", "variant=uniform"]);
}

#[test]
fn the_order_of_points_does_not_matter_to_the_fits() {
    let model = Model::Auto { among: Among::Forms, predictor: "branches", robust: false };
    let mut points: Vec<PointRecord> = (1..=8)
        .map(|n| point("divergent", n, "compute", 5.0 + 10.0 * f64::from(n) * 1.001_f64.powi(n as i32 % 3), 0.01))
        .collect();
    let forward = format!("{:?}", fit_points(&[request("own", model.clone())], &FAMILY, &points));
    points.reverse();
    assert_eq!(format!("{:?}", fit_points(&[request("own", model)], &FAMILY, &points)), forward);
}

/// A law in what a simulated device counts: all points of a variant and a text are in one group, whatever their numbers are.
#[test]
fn a_law_may_be_in_a_counter_where_the_device_counts() {
    let model = || Model::Law { law: Law::find("affine").unwrap(), predictor: "bank_conflicts", robust: false };
    let counted = |point: PointRecord, count: u32| {
        let counters = [("bank_conflicts", EcoString::from(count.to_string()))].into_iter().collect();
        PointRecord { counters, ..point }
    };
    let points =
        [1, 2, 3, 4, 5].map(|n| counted(point("divergent", n, "compute", 5.0 + 3.0 * f64::from(n * n), 0.0), n * n));
    assert_eq!(fits(model(), &numbered(points)), told(&[("variant=divergent", "holds exactly")]));
    let alone = numbered([counted(point("uniform", 2, "compute", 12.0, 0.0), 3)]);
    assert_eq!(fits(model(), &alone)[0].1, "not fitted: law `affine` needs at least 3 times to fit, not 1");
    let expected = told(&[
        ("variant=divergent", "not fitted: this device does not count bank_conflicts; simulated devices do"),
        ("variant=uniform", "not fitted: this device does not count bank_conflicts; simulated devices do"),
    ]);
    assert_eq!(fits(model(), &self::points()), expected);
    assert_eq!(fits(Model::Speedup { predictor: "bank_conflicts" }, &self::points()), expected);
}

#[test]
fn the_figures_of_one_fit_are_the_points_of_another() {
    let operations = ["compute", "convolution"];
    let all = operations.iter().zip([3.0, 12.0]).flat_map(|(operation, slope)| {
        (1..=6).map(move |branches| point("divergent", branches, operation, 10.0 + slope * f64::from(branches), 0.0))
    });
    let points = numbered(all);
    let first = request("branches", law("branches"));
    let of = OfFit::read("branches.t_branch").unwrap();
    let fits = fit_points(std::slice::from_ref(&first), &FAMILY, &points);
    let derived = derived_points(&of, &fits, &FAMILY, &points);
    let figure = |point: &PointRecord| point.timing.as_ref().unwrap().median.time_us;
    assert_eq!(derived.iter().map(|own| figure(own).round() as i64).collect::<Vec<_>>(), [3, 12]);
    // A figure of six points has no number of branches, and is of one operation.
    let figures = derived_figures(&of, &fits, &FAMILY, &points);
    let values = |name: &str| figures.iter().map(|own| own.value(name).unwrap().into_owned()).collect::<Vec<_>>();
    assert_eq!(
        (values("branches"), values("operation")),
        (vec![String::new(); 2], operations.map(str::to_owned).to_vec())
    );
    assert_eq!(fixed_parameters(&FAMILY, &[&figures[0]]), "operation=compute");
    // A fit of them comes last, and has no points for predictions.
    let second = FitRequest {
        of: Some(Of::Fit(of)),
        ..request("of-figures", Model::Auto { among: Among::Forms, predictor: "branches", robust: false })
    };
    let fits = fit_points(&[second.clone(), first], &FAMILY, &points);
    assert_eq!(fits.last().map(|group| (group.name.as_str(), group.of.is_some())), Some(("of-figures", true)));
    assert!(members(&second, &FAMILY, &points).is_empty());
    assert_eq!(Of::read("energy_mj"), Some(Of::Energy));
    assert_eq!(
        [OfFit::read("branches.nothing"), OfFit::read("t_branch"), OfFit::read(".t_branch")],
        [None, None, None]
    );
}
