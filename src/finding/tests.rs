use std::path::PathBuf;

use super::*;
use crate::model::fixtures;
use crate::record::PointRecord;
use crate::run::fixtures::metadata;

/// The pattern takes 10 for each branch and the remedy 25, so that they cross between 2 and 3 branches, at 21 amounts of work.
#[test]
fn crossings_are_counted_where_many_lines_are_told_in_sum() {
    let text = "family = \"branching\"\nvariants = [\"divergent\", \"dynamic_reordering\"]\n\
        [grid]\nbranches = [1, 2, 3, 4]\nwork = { from = 1, to = 21, step = 1 }\n[[chart]]\nx = \"branches\"\n";
    let scenario = Scenario::parse("many.toml", text, &[], usize::MAX).unwrap();
    let metadata = metadata("2026-01-01T00:00:00Z");
    let record = |own: &crate::scenario::Point| {
        let branches: u32 = own.parameters.get("branches").unwrap().to_string().parse().unwrap();
        let time_us = if own.variant.name == "divergent" { 10.0 * f64::from(branches) } else { 25.0 };
        let parameters = scenario
            .family
            .parameters
            .iter()
            .map(|parameter| (parameter.name, own.parameters.get(parameter.name).unwrap().to_string().into()));
        PointRecord {
            parameters: parameters.collect(),
            ..fixtures::point(own.variant.name, branches, "compute", time_us, 0.5)
        }
    };
    let points = scenario.points(&metadata.device).unwrap();
    let points = fixtures::numbered(points.iter().map(record));
    let run = Run { directory: PathBuf::new(), metadata, scenario: String::new(), points, notes: Vec::new() };
    let Findings { overview, each, .. } = summary(&run, &scenario, &[]);
    assert_eq!(
        overview,
        [
            "Faster than divergent: dynamic_reordering from branches = 3 on, up to 1.60 times as fast, at worst 2.50 times as long."
        ]
    );
    assert_eq!(each.len(), 1);
    assert_eq!(each[0].heading, "crossover");
    assert_eq!(
        each[0].sentence,
        "dynamic_reordering against divergent along branches, 21 pairs of lines: in 21 it overtakes, from branches = 3 to 3 on"
    );
}

/// An addition of u32 takes 2 ns and one of f32 5 ns, beside 10 and 40 µs that do not grow: the costs are compared and not the times.
#[test]
fn types_are_compared_by_what_an_addition_costs() {
    let text = "family = \"atomic_types\"\nvariants = [\"u32\", \"f32\"]\n\
        [grid]\nadditions = [1024, 2048, 4096, 8192]\nmemory = [\"global\", \"shared\"]\n[[fit]]\nlaw = \"additions\"\n\
        [[fit]]\nname = \"type\"\nlaw = \"slowdown\"\nreference = \"u32\"\nof = \"additions.t_addition\"\n";
    let scenario = Scenario::parse("types.toml", text, &[], usize::MAX).unwrap();
    let metadata = metadata("2026-01-01T00:00:00Z");
    let record = |own: &crate::scenario::Point| {
        let value = |name: &str| own.parameters.get(name).unwrap().to_string();
        let additions: f64 = value("additions").parse().unwrap();
        let [outside_us, each_us] = if own.variant.name == "u32" { [10.0, 2e-3] } else { [40.0, 5e-3] };
        let names = scenario.family.parameters.iter().map(|parameter| parameter.name);
        PointRecord {
            parameters: names.map(|name| (name, value(name).into())).collect(),
            ..fixtures::point(own.variant.name, 1, "compute", outside_us + each_us * additions, 0.5)
        }
    };
    let points = scenario.points(&metadata.device).unwrap();
    let points = fixtures::numbered(points.iter().map(record));
    let fits = crate::model::group::fit_points(&scenario.fits, scenario.family, &points);
    let run = Run { directory: PathBuf::new(), metadata, scenario: String::new(), points, notes: Vec::new() };
    let told = conclusion(&run, &scenario, &fits).shown;
    let ratio = |memory: &str| {
        format!("Every further addition of each thread costs, as a multiple of u32's with memory={memory}: f32 2.50.")
    };
    assert_eq!(told[1..], [ratio("global"), ratio("shared")], "{told:?}");
}
