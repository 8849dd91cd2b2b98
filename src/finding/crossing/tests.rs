//! The words for crossings, and what is told together.

use super::*;

const PASSING: Passing = Passing { from: 3.0, after: 2.0, between: (2.0, 3.0), is_lasting: true };

fn key(name: &str, value: &str) -> Key {
    vec![(name.to_owned(), value.to_owned())]
}

fn lines(group: &[(String, String)], crossover: Crossover) -> LineCrossover {
    LineCrossover { pattern: "divergent".to_owned(), remedy: "sorted".to_owned(), group: group.to_vec(), crossover }
}

fn chart(filter: Key, lines: Vec<LineCrossover>) -> ChartCrossovers {
    ChartCrossovers { x: "branches".to_owned(), filter, lines }
}

fn told(charts: Vec<ChartCrossovers>) -> Vec<String> {
    told_once(charts).iter().map(ToString::to_string).collect()
}

#[test]
fn crossovers_read_as_sentences() {
    let say = |crossover: Crossover| told(vec![chart(Key::new(), vec![lines(&[], crossover)])]).remove(0);
    assert_eq!(
        say(Crossover::FasterFrom(PASSING)),
        "sorted overtakes divergent from branches = 3 on; they cross between branches = 2 and 3"
    );
    assert_eq!(
        say(Crossover::SlowerFrom { passing: PASSING, since: None }),
        "divergent overtakes sorted from branches = 3 on; they cross between branches = 2 and 3"
    );
    let passing = Passing { from: 5.0, after: 4.0, between: (4.0, 5.0), is_lasting: true };
    let also_before = |earlier, is_one_part| say(Crossover::FasterAlsoBefore { passing, earlier, is_one_part });
    let on = "and from branches = 5 on; they cross for the last time between branches = 4 and 5";
    for (earlier, is_one_part, words) in [
        ((2.0, 2.0), true, "at branches = 2"),
        ((2.0, 3.0), true, "from branches = 2 to 3"),
        ((1.0, 3.0), false, "at some branches from 1 to 3"),
    ] {
        assert_eq!(also_before(earlier, is_one_part), format!("sorted is faster than divergent {words} {on}"));
    }
    assert_eq!(
        say(Crossover::SlowerFrom { passing, since: Some(PASSING) }),
        "sorted overtakes divergent from branches = 3 on, and divergent it again from branches = 5 on; \
         they cross between branches = 2 and 3 and between 4 and 5"
    );
    assert_eq!(say(Crossover::FasterEverywhere), "sorted is faster than divergent everywhere");
    assert_eq!(say(Crossover::FasterWhereDifferent), "sorted is faster than divergent wherever they differ");
    assert_eq!(say(Crossover::NeverFaster), "sorted is never faster than divergent");
    assert_eq!(say(Crossover::NoDifference), "sorted and divergent are equally fast, within their intervals");
}

#[test]
fn each_group_is_told_and_what_several_charts_show_once() {
    let group = key("operation", "compute");
    let both = vec![lines(&group, Crossover::NeverFaster), lines(&[], Crossover::NeverFaster)];
    let filtered = chart(key("work", "16"), both.clone());
    let expected = [
        "sorted is never faster than divergent (operation=compute)",
        "sorted is never faster than divergent",
        "sorted is never faster than divergent (work=16 operation=compute)",
        "sorted is never faster than divergent (work=16)",
    ];
    assert_eq!(told(vec![chart(Key::new(), both.clone()), chart(Key::new(), both), filtered]), expected);
}

#[test]
fn many_lines_are_told_in_sum_with_the_number_that_cross() {
    let at = |from: f64| Crossover::FasterFrom(Passing { from, ..PASSING });
    let all = (0..21).map(|number| match number {
        0..3 => at(f64::from(number) + 3.0),
        3 => Crossover::SlowerFrom { passing: PASSING, since: None },
        _ => Crossover::NeverFaster,
    });
    let all: Vec<LineCrossover> = all.map(|crossover| lines(&[], crossover)).collect();
    let meetings = told_once(vec![chart(key("work", "16"), all)]);
    let words = "sorted against divergent along branches, 21 pairs of lines: in 3 it overtakes, from branches = 3 to 5 on, \
                 in 1 it falls behind from some branches on, in 17 it is never faster (work=16)";
    assert_eq!(meetings.iter().map(ToString::to_string).collect::<Vec<_>>(), [words]);
    assert_eq!(meetings[0].crossings(), 4);
}

#[test]
fn the_crossing_of_laws_names_the_faster_one_beyond_first() {
    let say = |second_is_faster_beyond: bool, group: Key| {
        let crossing = LawCrossing { x: 5.0, interval: (4.5, 5.5), second_is_faster_beyond };
        let (pattern, remedy) = ("divergent".to_owned(), "sorted".to_owned());
        Meeting::Laws { pattern, remedy, predictor: "branches_per_warp", group, crossing }.to_string()
    };
    assert_eq!(
        say(true, Key::new()),
        "by their laws, sorted overtakes divergent at branches_per_warp = 5.00, 95 % interval 4.50 to 5.50"
    );
    assert_eq!(
        say(false, key("operation", "compute")),
        "by their laws, divergent overtakes sorted at branches_per_warp = 5.00, 95 % interval 4.50 to 5.50 (operation=compute)"
    );
}
