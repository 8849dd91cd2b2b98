use super::*;
use crate::model::slowdown::Slowdown;

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
