//! Where marks are, and which lines are compared.

use super::*;

/// The medians cross between 1 and 2, and only from 4 on do the two differ.
#[test]
fn a_mark_is_where_its_flag_says_that_one_begins_to_be_ahead() {
    let pattern = [(1, 10.0), (2, 20.0), (3, 20.0), (4, 20.0), (5, 20.0)];
    let remedy = [(1, 12.0), (2, 19.9), (3, 19.9), (4, 10.0), (5, 10.0)];
    let of = |variant, times: [(u32, f64); 5]| times.map(|(n, time_us)| point(variant, n, "compute", time_us, 0.01));
    let run = run(of("divergent", pattern).into_iter().chain(of("sorted", remedy)));
    let expected = [(4.0, "sorted faster than divergent from branches = 4 on")];
    assert_eq!(marks(&chart(&request(), &run)), expected);
}

#[test]
fn lines_of_each_panel_are_compared() {
    let mut run = crossing();
    run.points.extend([1, 2, 3].map(|n| point("divergent", n, "convolution", 9.0, 0.1)));
    run.points.extend([1, 2, 3].map(|n| point("sorted", n, "convolution", 8.0, 0.1)));
    let series = Some(vec!["variant".to_owned()]);
    let request = ChartRequest { facets: Some("operation".into()), series, ..request() };
    let charts = crossovers(&[request], &FAMILY, "divergent", &run);
    let told: Vec<(&str, usize)> = charts.iter().map(|own| (own.filter[0].1.as_str(), own.lines.len())).collect();
    assert_eq!(told, [("compute", 2), ("convolution", 1)]);
    assert_eq!(charts[1].lines[0].crossover, Crossover::FasterEverywhere);
}
