use std::path::PathBuf;

use super::*;
use crate::model::fixtures;
use crate::model::slowdown::Slowdown;
use crate::record::PointRecord;
use crate::run::fixtures::metadata;

fn finding(mark: Mark) -> Finding {
    Finding { heading: String::new(), sentence: String::new(), details: Vec::new(), mark }
}

#[test]
fn laws_are_counted_in_words() {
    let told = |marks: &[Mark]| counted(&marks.iter().copied().map(finding).collect::<Vec<_>>());
    let all = [Mark::Undecided, Mark::Holds, Mark::Fails, Mark::Holds, Mark::NotFitted, Mark::NotFitted];
    assert_eq!(told(&all).unwrap(), "2 laws hold, 1 fails, 1 is undecided, 2 are not fitted.");
    assert_eq!(told(&[Mark::Fails]).unwrap(), "1 law fails.");
    assert_eq!(told(&[]), None);
}

#[test]
fn the_slowest_and_the_fastest_may_be_the_reference() {
    let group = |variant: &str, ratio: f64| {
        let (smallest, largest) = (ratio, ratio);
        let slowdown =
            Slowdown { ratio, interval: None, smallest, largest, slower: 0, faster: 0, n: 1, negligible: None };
        GroupFit {
            name: "remedies".to_owned(),
            model: Model::Slowdown { reference: "plain".to_owned() },
            group: vec![("variant".to_owned(), variant.to_owned())],
            outcome: Outcome::Slowdown(slowdown),
        }
    };
    let told = |groups: &[GroupFit]| extremes(&groups.iter().collect::<Vec<_>>());
    let both = "Slowest on the whole: strided, 3.25 times the time of plain; \
        fastest: padded, 0.500 times the time of plain.";
    assert_eq!(told(&[group("padded", 0.5), group("strided", 3.25)]), [both]);
    let slower = "Slowest on the whole: strided, 2.00 times the time of plain; fastest: plain.";
    assert_eq!(told(&[group("strided", 2.0)]), [slower]);
}

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
    let Findings { overview, each } = summary(&run, &scenario, &[]);
    assert_eq!(overview, ["There are 21 crossovers."]);
    assert_eq!(each.len(), 1);
    assert_eq!(each[0].heading, "crossover");
    assert_eq!(
        each[0].sentence,
        "dynamic_reordering against divergent along branches, 21 pairs of lines: in 21 it overtakes, from branches = 3 to 3 on"
    );
}
