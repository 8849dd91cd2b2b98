use super::places::Group;
use super::words::sentence;
use super::{Outcome, Stand};

/// A group along an axis: at each x how many times as fast the first is, and what that came to.
fn group(key: &[(&str, &str)], along: &[(f64, f64, Outcome)]) -> Group {
    let key = key.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let stand = |(place, (x, times_as_fast, outcome)): (usize, &(f64, f64, Outcome))| Stand {
        place,
        x: *x,
        times_as_fast: *times_as_fast,
        outcome: *outcome,
    };
    Group { key, stands: along.iter().enumerate().map(stand).collect() }
}

fn told(groups: &[Group]) -> String {
    sentence("padded", "shared", Some("width"), groups)
}

const FAST: Outcome = Outcome::Faster;
const SLOW: Outcome = Outcome::Slower;

#[test]
fn one_sentence_says_from_where_on_by_how_much_and_where_not() {
    let line = [(512.0, 0.98, SLOW), (1024.0, 1.8, FAST), (2048.0, 2.5, FAST), (4096.0, 3.2, FAST)];
    assert_eq!(
        told(&[group(&[], &line)]),
        "padded is 1.80 to 3.20 times as fast as shared from width = 1024 on, but 2.0 % slower at width = 512."
    );
    assert_eq!(
        told(&[group(&[], &line[1..])]),
        "padded is 1.80 to 3.20 times as fast as shared everywhere, from width = 1024 to 4096."
    );
    let slower = [(1.0, 0.5, SLOW), (2.0, 0.4, SLOW), (4.0, 1.05, FAST)];
    assert_eq!(
        told(&[group(&[], &slower)]),
        "padded takes 2.00 to 2.50 times as long as shared up to width = 2, but is 5.0 % faster at width = 4."
    );
}

#[test]
fn what_cannot_be_told_is_said() {
    let line = [(1.0, 1.001, Outcome::Equal), (2.0, 1.04, Outcome::Untold), (4.0, 1.5, FAST)];
    assert_eq!(
        told(&[group(&[], &line)]),
        "padded is 1.50 times as fast as shared at width = 4; they differ by less than 1 % at width = 1; which one is \
         faster cannot be told at width = 2."
    );
    assert_eq!(told(&[group(&[], &line[1..2])]), "Whether padded or shared is faster cannot be told at width = 2.");
}

#[test]
fn groups_that_differ_are_told_apart_by_what_does_it() {
    let fast = [(1.0, 2.0, FAST), (2.0, 2.2, FAST)];
    let slow = [(1.0, 0.8, SLOW), (2.0, 0.7, SLOW)];
    let of = |operation, size, line: &[(f64, f64, Outcome)]| group(&[("operation", operation), ("size", size)], line);
    let groups = [of("add", "1", &fast), of("add", "2", &fast), of("copy", "1", &slow), of("copy", "2", &slow)];
    assert_eq!(
        told(&groups),
        "With operation=add, padded is 2.00 to 2.20 times as fast as shared everywhere, from width = 1 to 2; with \
         operation=copy, padded takes 1.25 to 1.43 times as long as shared everywhere, from width = 1 to 2."
    );
}

#[test]
fn places_that_differ_too_much_are_counted() {
    let line = |from: usize| -> Vec<(f64, f64, Outcome)> {
        (0..6).map(|x| (x as f64, if x < from { 0.5 } else { 2.0 }, if x < from { SLOW } else { FAST })).collect()
    };
    let groups: Vec<Group> = (1..5).map(|from| group(&[("size", &from.to_string())], &line(from))).collect();
    assert_eq!(
        told(&groups),
        "padded is 2.00 times as fast as shared at 14 of 24 points, but takes 2.00 times as long at 10 of 24 points."
    );
}
