//! What a run's points become on a chart, with known answers.

use std::path::PathBuf;

use super::*;
use crate::chart::{Dot, LineChart, Look, Quantity, Theme, svg};
use crate::model::crossover::{Crossover, Passing};
use crate::model::fixtures::{FAMILY, law, numbered, point, request as request_of};
use crate::model::group::Outcome;
use crate::record::Only;
use crate::record::PointRecord;
use crate::run::fixtures::metadata;
use crate::scenario::{Scale, Vertical};

fn run(points: impl IntoIterator<Item = PointRecord>) -> Run {
    Run {
        directory: PathBuf::new(),
        metadata: metadata("2026-01-01T00:00:00Z"),
        scenario: String::new(),
        points: numbered(points),
        notes: Vec::new(),
    }
}

/// The pattern takes 10 for each branch, `sorted` 20 and 5 for each, `uniform` 25: they cross at 4, at 2.5 and at 1.
fn crossing() -> Run {
    let mut points = Vec::new();
    for n in [1, 2, 3, 5, 8] {
        points.push(point("divergent", n, "compute", 10.0 * f64::from(n), 0.5));
        points.push(point("sorted", n, "compute", 20.0 + 5.0 * f64::from(n), 0.5));
    }
    points.push(point("uniform", 2, "compute", 25.0, 0.5));
    run(points)
}

fn request() -> ChartRequest {
    ChartRequest { name: "runtime".into(), title: "Title".into(), x: "branches".into(), ..ChartRequest::default() }
}

fn chart(request: &ChartRequest, run: &Run) -> LineChart {
    lines::line_chart(request, &FAMILY, "divergent", &[Shown { label: "", run, fits: &[] }])
}

fn labels(chart: &LineChart) -> Vec<(&str, bool, usize)> {
    chart.series.iter().map(|own| (own.label.as_str(), own.is_level, own.points.len())).collect()
}

fn marks(chart: &LineChart) -> Vec<(f64, &str)> {
    chart.crossings.iter().map(|own| (own.x, own.label.as_str())).collect()
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn remedies_are_marked_where_they_overtake_the_pattern() {
    let chart = chart(&request(), &crossing());
    assert_eq!(labels(&chart), [("divergent", false, 5), ("sorted", false, 5), ("uniform", true, 1)]);
    let expected = [
        (4.0, "sorted faster than divergent from branches = 5 on"),
        (2.5, "uniform faster than divergent from branches = 3 on"),
    ];
    assert_eq!(marks(&chart), expected);
    assert_eq!(chart.crossings.iter().map(|own| own.series).collect::<Vec<_>>(), [Some(1), Some(2)]);
    insta::assert_snapshot!(svg(&Chart::Lines(chart), &Look::default()).unwrap());
}

#[test]
fn crossings_lie_where_the_lines_cross_on_their_scales() {
    let both = |x_scale, y_scale| {
        let crossings = chart(&ChartRequest { x_scale, y_scale, ..request() }, &crossing()).crossings;
        (crossings[0].x, crossings[1].x)
    };
    // Between 3 (30 and 35) and 5 (50 and 45), half-way; between 2 (20) and 3 (30), half-way to 25.
    let (one, two) = both(Scale::Log, Scale::Linear);
    assert!(close(one, 15.0_f64.sqrt()) && close(two, 6.0_f64.sqrt()), "{one} {two}");
    let (one, two) = both(Scale::Linear, Scale::Log);
    let part = (35.0_f64 / 30.0).ln() / ((35.0_f64 / 30.0).ln() + (50.0_f64 / 45.0).ln());
    assert!(close(one, 3.0 + 2.0 * part), "{one}");
    assert!(close(two, 2.0 + (25.0_f64 / 20.0).ln() / (30.0_f64 / 20.0).ln()), "{two}");
}

/// Points are in the order in which they were measured.
#[test]
fn lines_are_in_the_order_of_the_grid() {
    let mut points = Vec::new();
    for n in [4, 1, 2, 8] {
        for (variant, operation) in [("divergent", "compute"), ("sorted", "compute"), ("sorted", "convolution")] {
            points.push(point(variant, n, operation, 10.0, 0.5));
        }
    }
    let request = ChartRequest {
        x: "branches_per_warp".into(),
        series: Some(vec!["variant".into(), "branches".into()]),
        only: Only { conditions: vec![("operation".into(), vec!["compute".into()])] },
        ..request()
    };
    let chart = chart(&request, &run(points));
    let expected = [1, 2, 4, 8].map(|n| [format!("divergent, branches {n}"), format!("sorted, branches {n}")]).concat();
    assert_eq!(chart.series.iter().map(|own| own.label.clone()).collect::<Vec<_>>(), expected);
}

#[test]
fn crossovers_are_values_with_their_group_and_the_chart_s_filter() {
    let only = Only { conditions: vec![("operation".to_owned(), vec!["compute".to_owned()])] };
    let [chart] = &crossovers(&[ChartRequest { only, ..request() }], &FAMILY, "divergent", &crossing())[..] else {
        panic!()
    };
    assert_eq!(
        (chart.x.as_str(), &chart.filter[..]),
        ("branches", &[("operation".to_owned(), "compute".to_owned())][..])
    );
    let passing =
        |after, from| Crossover::FasterFrom(Passing { from, after, between: (after, from), is_lasting: true });
    let told: Vec<(&str, &str, Crossover)> =
        chart.lines.iter().map(|own| (own.pattern.as_str(), own.remedy.as_str(), own.crossover)).collect();
    let expected = [("divergent", "sorted", passing(3.0, 5.0)), ("divergent", "uniform", passing(2.0, 3.0))];
    assert_eq!(told, expected);
    let several = ChartRequest { series: Some(vec!["variant".into()]), ..request() };
    let mut run = crossing();
    run.points.push(point("divergent", 1, "convolution", 100.0, 0.5));
    run.points.push(point("sorted", 1, "convolution", 50.0, 0.5));
    assert!(crossovers(&[several], &FAMILY, "divergent", &run)[0].lines.is_empty(), "several times at one x");
}

#[test]
fn throughput_is_bytes_over_time() {
    let chart = chart(&ChartRequest { y: Vertical::Throughput, ..request() }, &crossing());
    // 10^6 bytes in 10 µs, known from 9.5 to 10.5.
    let Dot { x, value, low, high, .. } = chart.series[0].points[0];
    assert!(close(x, 1.0) && close(value, 100.0) && close(low, 1000.0 / 10.5) && close(high, 1000.0 / 9.5));
    assert_eq!((chart.quantity, chart.y_label.as_str()), (Quantity::Throughput, "throughput"));
    assert_eq!(marks(&chart)[0].1, "sorted faster than divergent from branches = 5 on");
    // The throughputs cross between 3 (33.3 and 28.6) and 5 (20 and 22.2), not half-way.
    let (before, after) = (1000.0 / 30.0 - 1000.0 / 35.0, 1000.0 / 45.0 - 1000.0 / 50.0);
    assert!(close(marks(&chart)[0].0, 3.0 + 2.0 * before / (before + after)));
    let mut without = crossing();
    without.points.iter_mut().for_each(|point| point.bytes = Some(0));
    let chart = self::chart(&ChartRequest { y: Vertical::Throughput, ..request() }, &without);
    assert!(chart.series.is_empty());
}

#[test]
fn slowdowns_are_relative_to_the_reference() {
    let relative = |reference: &str| {
        let y = Vertical::Slowdown { reference: reference.to_owned() };
        chart(&ChartRequest { y, ..request() }, &crossing())
    };
    let values = |chart: &LineChart, series: usize| -> Vec<f64> {
        chart.series[series].points.iter().map(|dot| (dot.value * 1e6).round() / 1e6).collect()
    };
    let pattern = relative("divergent");
    assert_eq!(labels(&pattern), [("divergent", true, 1), ("sorted", false, 5), ("uniform", false, 5)]);
    assert_eq!(values(&pattern, 0), [1.0]);
    assert_eq!(pattern.series.iter().map(|own| own.is_reference).collect::<Vec<_>>(), [true, false, false]);
    let drawn = svg(&Chart::Lines(pattern.clone()), &Look::default()).unwrap();
    assert!(drawn.contains("Dashed across at 1: what the others are divided by.") && !drawn.contains("measured once"));
    assert_eq!(values(&pattern, 1), [2.5, 1.5, 1.166_667, 0.9, 0.75]);
    assert_eq!(values(&pattern, 2), [2.5, 1.25, 0.833_333, 0.5, 0.3125]);
    assert_eq!(pattern.y_label, "median time, relative to divergent");
    // Where the ratio passes 1.
    let part = (35.0 / 30.0 - 1.0) / (35.0 / 30.0 - 45.0 / 50.0);
    assert!(close(marks(&pattern)[0].0, 3.0 + 2.0 * part), "{:?}", marks(&pattern));
    // A reference without branches is one point for all.
    assert_eq!(values(&relative("uniform"), 1), [0.4, 0.8, 1.2, 2.0, 3.2]);
}

#[test]
fn a_chart_may_show_some_of_the_points() {
    let only = |name: &str, values: &[&str]| Only {
        conditions: vec![(name.to_owned(), values.iter().map(ToString::to_string).collect())],
    };
    let of_variants = ChartRequest { only: only("variant", &["sorted", "uniform"]), ..request() };
    let chart = chart(&of_variants, &crossing());
    assert_eq!(labels(&chart), [("sorted", false, 5), ("uniform", true, 1)]);
    assert!(chart.crossings.is_empty());
    // What does not depend on the branches is shown whichever are.
    let of_branches = ChartRequest { only: only("branches", &["1", "8"]), ..request() };
    let chart = self::chart(&of_branches, &crossing());
    assert_eq!(labels(&chart), [("divergent", false, 2), ("sorted", false, 2), ("uniform", true, 1)]);
    assert_eq!(marks(&chart)[1].1, "uniform faster than divergent from branches = 8 on");
    // The reference of a slowdown is there even where it is not shown.
    let y = Vertical::Slowdown { reference: "divergent".into() };
    let chart = self::chart(&ChartRequest { y, ..of_variants }, &crossing());
    assert_eq!(labels(&chart), [("sorted", false, 5), ("uniform", false, 5)]);
}

#[test]
fn a_predictor_along_x_is_ignored_with_its_parameters() {
    let chart = chart(&ChartRequest { x: "branches_per_warp".into(), ..request() }, &crossing());
    assert_eq!(labels(&chart)[2], ("uniform", true, 1));
    assert_eq!(marks(&chart)[1], (2.5, "uniform faster than divergent from branches_per_warp = 3 on"));
}

/// The only picture of a request.
fn picture(request: &ChartRequest, run: &Run, fits: &[GroupFit]) -> Chart {
    let [(_, chart)] = &charts(request, &FAMILY, "divergent", run, fits)[..] else { panic!("not one picture") };
    chart.clone()
}

fn slowdown() -> Vertical {
    Vertical::Slowdown { reference: "divergent".into() }
}

#[test]
fn bars_are_geometric_means_with_their_range() {
    let request = ChartRequest { kind: ChartKind::Bars, x: "variant".into(), y: slowdown(), ..request() };
    let Chart::Bars(chart) = picture(&request, &crossing(), &[]) else { panic!() };
    assert_eq!(chart.groups, ["sorted", "uniform"]);
    let [Some(sorted), Some(_)] = &chart.series[0].bars[..] else { panic!("{:?}", chart.series) };
    // The times of `sorted` over those of `divergent` at 1, 2, 3, 5 and 8 branches.
    let ratios: [f64; 5] = [25.0 / 10.0, 30.0 / 20.0, 35.0 / 30.0, 45.0 / 50.0, 60.0 / 80.0];
    assert!(close(sorted.value, ratios.iter().product::<f64>().powf(0.2)), "{sorted:?}");
    let (smallest, largest) = sorted.range.unwrap();
    assert!(close(smallest, 0.75) && close(largest, 2.5) && sorted.low < sorted.value && sorted.value < sorted.high);
    assert_eq!(sorted.points, [1, 3, 5, 7, 9]);
    assert_eq!(chart.reference, Some((1.0, "as divergent".to_owned())));
    for (theme, name) in [(Theme::Light, "bars"), (Theme::Dark, "bars_dark")] {
        let look = Look { theme, ..Look::default() };
        insta::assert_snapshot!(name, svg(&Chart::Bars(chart.clone()), &look).unwrap());
    }
}

#[test]
fn means_of_times_have_the_intervals_of_their_logarithms() {
    let points =
        [(1, 100.0), (2, 400.0)].map(|(n, time_us)| point("divergent", n, "compute", time_us, time_us / 100.0));
    let request = ChartRequest { kind: ChartKind::Bars, x: "variant".into(), ..request() };
    let Chart::Bars(chart) = picture(&request, &run(points), &[]) else { panic!() };
    let bar = chart.series[0].bars[0].clone().unwrap();
    assert!(close(bar.value, 200.0) && bar.range == Some((100.0, 400.0)), "{bar:?}");
    // Two logarithms known to half = ln(1.01 / 0.99) / 2 each: their mean is known to half / sqrt 2.
    let half = (1.01_f64 / 0.99).ln() / 2.0 / 2.0_f64.sqrt();
    assert!(close(bar.high, 200.0 * half.exp()) && close(bar.low, 200.0 / half.exp()), "{bar:?}");
}

#[test]
fn heat_maps_have_a_cell_for_each_combination() {
    let mut points = crossing().points;
    points.extend([1, 8].map(|n| point("divergent", n, "convolution", 7.0 * f64::from(n), 0.0)));
    let kind = ChartKind::Heat { rows: "operation".into() };
    let mut request = ChartRequest { kind, ..request() };
    request.only.conditions = vec![("variant".to_owned(), vec!["divergent".to_owned()])];
    let Chart::Heat(chart) = picture(&request, &run(points), &[]) else { panic!() };
    assert_eq!(
        (&chart.x[..], &chart.y[..]),
        (&["1", "2", "3", "5", "8"].map(String::from)[..], &["compute", "convolution"].map(String::from)[..])
    );
    let values: Vec<Option<f64>> = chart.cells.iter().map(|cell| cell.map(|cell| cell.value)).collect();
    let expected =
        [10.0, 20.0, 30.0, 50.0, 80.0].map(Some).into_iter().chain([Some(7.0), None, None, None, Some(56.0)]);
    assert_eq!(values, expected.collect::<Vec<_>>());
    assert_eq!(chart.cell(4, 1).and_then(|cell| cell.point), Some(12));
    assert_eq!((chart.scale, chart.cell(5, 0)), (Scale::Log, None));
    let drawn = svg(&Chart::Heat(chart), &Look { theme: Theme::Dark, ..Look::default() }).unwrap();
    assert!(drawn.contains("Hatched: no value."));
    insta::assert_snapshot!("heat", drawn);
}

/// Times that rise by 10 for each branch, the one of 8 branches by 4 % too long.
fn bent() -> (Run, Vec<GroupFit>) {
    let time = |n: u32| 10.0 * f64::from(n) * if n == 8 { 1.04 } else { 1.0 };
    let run = run([1, 2, 3, 4, 5, 6, 7, 8].map(|n| point("divergent", n, "compute", time(n), 0.05)));
    let request = request_of("branches", law("branches"));
    let fits = crate::model::group::fit_points(&[request], &FAMILY, &run.points);
    (run, fits)
}

#[test]
fn laws_are_drawn_where_they_hold() {
    let of = |time: &dyn Fn(u32) -> f64| {
        let run = run([1, 2, 3, 4, 5, 6, 7, 8].map(|n| point("divergent", n, "compute", time(n), 0.05)));
        let fits = crate::model::group::fit_points(&[request_of("branches", law("branches"))], &FAMILY, &run.points);
        lines::line_chart(&request(), &FAMILY, "divergent", &[Shown { label: "", run: &run, fits: &fits }])
    };
    let fails = of(&|n| f64::from(n * n));
    assert!(fails.laws.is_empty(), "{:?}", fails.laws);
    assert!(fails.notes.contains(&"1 law does not hold, and is not drawn.".to_owned()), "{:?}", fails.notes);
    let run_of_3 = run([1, 2, 3].map(|n| point("divergent", n, "compute", 10.0 * f64::from(n), 0.05)));
    let fits = crate::model::group::fit_points(&[request_of("branches", law("branches"))], &FAMILY, &run_of_3.points);
    let few = Shown { label: "", run: &run_of_3, fits: &fits };
    let undecided = lines::line_chart(&request(), &FAMILY, "divergent", &[few]);
    assert!(undecided.notes.contains(&"1 law is undecided, and not drawn.".to_owned()), "{:?}", undecided.notes);
    let holds_from_2 = of(&|n| if n == 1 { 30.0 } else { 10.0 + 10.0 * f64::from(n) });
    assert!(close(holds_from_2.laws[0].path[0].0, 2.0), "{:?}", holds_from_2.laws);
    assert!(!holds_from_2.notes.iter().any(|note| note.contains("not drawn")), "{:?}", holds_from_2.notes);
}

/// A variant whose law does not hold is not just absent from a chart of the law's figures.
#[test]
fn figures_of_laws_that_do_not_hold_are_told() {
    let of = |variant: &'static str, time: fn(u32) -> f64| {
        [1, 2, 3, 4, 5, 6, 7, 8].map(move |n| point(variant, n, "4", time(n), 0.05))
    };
    let straight = of("divergent", |n| 10.0 + 10.0 * f64::from(n));
    let run = run(straight.into_iter().chain(of("sorted", |n| f64::from(n * n))));
    let fits = crate::model::group::fit_points(&[request_of("branches", law("branches"))], &FAMILY, &run.points);
    let request = ChartRequest {
        of: Some(crate::model::OfFit::read("branches.t_branch").unwrap()),
        x: "operation".to_owned(),
        ..request()
    };
    let shown = [Shown { label: "", run: &run, fits: &fits }];
    let notes = |request: &ChartRequest| match &overlay(request, &FAMILY, "divergent", &shown)[0].1 {
        Chart::Lines(lines) => lines.notes.clone(),
        Chart::Bars(bars) => bars.notes.clone(),
        _ => panic!("neither lines nor bars"),
    };
    let told = "Hollow with a thin rim: the law does not hold (1 point, sorted).";
    assert!(notes(&request).iter().any(|note| note == told), "{:?}", notes(&request));
    let Chart::Lines(lines) = &overlay(&request, &FAMILY, "divergent", &shown)[0].1 else { panic!("no lines") };
    let open: Vec<(&str, bool)> = lines.series.iter().map(|own| (own.label.as_str(), own.points[0].is_open)).collect();
    assert_eq!(open, [("divergent", false), ("sorted", true)]);
    let doubtful = lines.series[1].points[0];
    assert_eq!((doubtful.low.to_bits(), doubtful.high.to_bits()), (doubtful.value.to_bits(), doubtful.value.to_bits()));
    let bars = ChartRequest { kind: ChartKind::Bars, ..request.clone() };
    let told = "1 point is not drawn, since its law does not hold (sorted).";
    assert!(notes(&bars).iter().any(|note| note == told), "{:?}", notes(&bars));
    let only = Only { conditions: vec![("variant".to_owned(), vec!["divergent".to_owned()])] };
    let request = ChartRequest { only, ..request };
    assert!(!notes(&request).iter().any(|note| note.contains("not hold")), "{:?}", notes(&request));
}

#[test]
fn residuals_are_shares_of_the_times() {
    let (run, fits) = bent();
    let kind = ChartKind::Residuals { fit: Some("branches".into()) };
    let request = ChartRequest { kind, x: String::new(), ..request() };
    let Chart::Lines(chart) = picture(&request, &run, &fits) else { panic!() };
    let Outcome::Law(law) = &fits[0].outcome else { panic!("{:?}", fits[0].outcome) };
    let last = chart.series[0].points[7];
    assert!(close(last.value, (83.2 - law.time_us(8.0)) / 83.2 * 100.0) && last.value > 1.0, "{last:?}");
    assert!(last.low < last.value && last.value < last.high);
    assert_eq!((chart.quantity, chart.guides.len()), (Quantity::Percent, 2));
    insta::assert_snapshot!("residuals", svg(&Chart::Lines(chart), &Look::default()).unwrap());
}

#[test]
fn facets_are_panels_with_the_same_series() {
    let mut points = crossing().points;
    points.extend([1, 2].map(|n| point("sorted", n, "convolution", 9.0 * f64::from(n), 0.5)));
    let request = ChartRequest { facets: Some("operation".into()), ..request() };
    let Chart::Panels(chart) = picture(&request, &run(points), &[]) else { panic!() };
    let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["operation compute", "operation convolution"]);
    let counts =
        |panel: usize| -> Vec<usize> { chart.panels[panel].series.iter().map(|own| own.points.len()).collect() };
    assert_eq!((counts(0), counts(1)), (vec![5, 5, 1], vec![0, 2, 0]));
    assert!(
        chart.notes.iter().any(|note| note.contains("sorted faster than divergent from branches = 5 on")),
        "{:?}",
        chart.notes
    );
    insta::assert_snapshot!("panels", svg(&Chart::Panels(chart), &Look::default()).unwrap());
}

#[test]
fn runs_over_each_other_keep_their_colours_and_change_their_strokes() {
    let (first, second) = (crossing(), crossing());
    let shown = [Shown { label: "one", run: &first, fits: &[] }, Shown { label: "two", run: &second, fits: &[] }];
    let [(name, Chart::Lines(chart))] = &overlay(&request(), &FAMILY, "divergent", &shown)[..] else { panic!() };
    assert_eq!((name.as_str(), chart.series.len()), ("runtime", 6));
    let (one, two) = (&chart.series[0], &chart.series[3]);
    assert_eq!((one.label.as_str(), two.label.as_str()), ("divergent · one", "divergent · two"));
    assert_eq!((one.kind, one.run, two.run), (two.kind, 0, 1));
    assert_ne!(one.stroke, two.stroke);
    assert!(chart.subtitle.contains("one: ") && chart.subtitle.contains("; two: "), "{}", chart.subtitle);
    let drawn = svg(&Chart::Lines(chart.clone()), &Look::default()).unwrap();
    assert!(drawn.contains("divergent · two lies on divergent · one."));
}

#[test]
fn more_lines_than_can_be_told_apart_are_summarised() {
    let lines = (0..30).flat_map(|line| {
        [1, 2].map(|n| {
            point(
                if line % 2 == 0 { "divergent" } else { "sorted" },
                n,
                &format!("{line}"),
                f64::from(100 * n + line),
                0.0,
            )
        })
    });
    let Chart::Lines(chart) = picture(&request(), &run(lines), &[]) else { panic!() };
    assert_eq!(labels(&chart), [("divergent, 15 lines", false, 2), ("sorted, 15 lines", false, 2)]);
    // Even numbers up to 28.
    assert_eq!((chart.series[0].points[0].value, chart.series[0].range[0]), (114.0, (1.0, 100.0, 128.0)));
    assert!(
        chart.notes.iter().any(|note| note.starts_with("30 lines, which differ in operation")),
        "{:?}",
        chart.notes
    );
}

mod crossings;
