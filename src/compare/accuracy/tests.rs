use super::*;
use crate::family::Family;
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
        ("table_lookup", 1, 10.2),
        ("table_lookup", 2, 10.0),
        ("table_lookup", 4, 50.0),
    ]);
    let simulated = points(&[
        ("table_lookup", 4, 20.0),
        ("divergent", 1, 10.0),
        ("divergent", 2, 20.0),
        ("divergent", 4, 44.0),
        ("table_lookup", 2, 12.0),
        ("table_lookup", 8, 12.0),
    ]);
    let accuracy = Accuracy::of("branching", branching(), &measured, &simulated);
    assert_eq!((accuracy.points.len(), accuracy.alone), (5, 2));
    let slowdowns: Vec<Option<Pair>> = accuracy.points.iter().map(|point| point.slowdown).collect();
    let pair = |measured, simulated| Some(Pair { measured, simulated });
    assert_eq!(slowdowns, [None, None, None, pair(0.5, 0.6), pair(1.25, 20.0 / 44.0)]);
    assert_eq!(accuracy.order, Order { pairs: 2, right: 1 });
    let last = &accuracy.points[4];
    assert_eq!((last.bound.as_str(), last.parameters.clone()), ("memory", vec![("branches".into(), "4".into())]));
}

#[test]
fn a_run_agrees_with_itself() {
    let own = points(&[("divergent", 1, 10.0), ("divergent", 2, 20.0), ("table_lookup", 2, 11.0)]);
    let accuracy = Accuracy::of("branching", branching(), &own, &own);
    let errors = Errors::of(accuracy.times()).expect("errors");
    assert_eq!((errors.mean, errors.bias, errors.within_fifth, accuracy.alone), (0.0, 0.0, 1.0, 0));
    assert_eq!((accuracy.rank_correlation, accuracy.order), (Some(1.0), Order { pairs: 1, right: 1 }));
}
