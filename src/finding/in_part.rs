//! What a simulated run says of points of which only a part was executed, checked or timed.

use located_toml::words::count;

use crate::record::{PointRecord, Status};

/// Ranges of points that are named.
const MOST_NAMED: usize = 6;

/// A sentence for each way in which these points are not whole; none where all blocks were executed, checked and timed.
pub fn in_part(points: &[&PointRecord]) -> Vec<String> {
    let mut sentences = Vec::new();
    let (executed, none) = (checked(points, "executed"), checked(points, "none"));
    if executed > 0 {
        sentences.push(format!(
            "{}: only some of the blocks were executed, and their outputs checked; what they did is scaled to all \
             (blocks_executed in points.csv).",
            count(executed, "point")
        ));
    }
    if none > 0 {
        sentences.push(format!(
            "{}{}: only some of the blocks were executed, and no output checked, because blocks use what others would have \
             written; what they did is scaled to all (blocks_executed in points.csv). `--sizes simulated` executes and checks \
             all.",
            count(none, "point"),
            which(points, "none")
        ));
    }
    let errors = points.iter().filter_map(|point| point.number("sampling_error_pct"));
    let errors: Vec<f64> = errors.filter(|error| *error > 0.0).collect();
    if let Some(largest) = errors.iter().copied().max_by(f64::total_cmp) {
        sentences.push(format!(
            "{}: only some waves of blocks were timed, and the others taken to need as long. The largest standard error of \
             that is {largest:.2} % (sampling_error_pct in points.csv); intervals of laws and ratios leave it out.",
            count(errors.len(), "point")
        ));
    }
    sentences
}

/// How many points have a time, and of how many of them no output was checked: `54 ok, 3 of them with no output checked`.
pub fn ok(points: &[PointRecord]) -> String {
    let good: Vec<&PointRecord> = points.iter().filter(|point| point.status == Status::Ok).collect();
    match (good.len(), checked(&good, "none")) {
        (all, 0) => format!("{all} ok"),
        (1, 1) => "1 ok, with no output checked".to_owned(),
        (all, none) if all == none => format!("{all} ok, all of them with no output checked"),
        (all, none) => format!("{all} ok, {none} of them with no output checked"),
    }
}

/// The points whose outputs were checked as far as this word says, by their numbers in points.csv: ` (3 to 5, 9)`.
fn which(points: &[&PointRecord], word: &str) -> String {
    let mut numbers: Vec<usize> =
        points.iter().filter(|point| is_checked(point, word)).map(|point| point.point).collect();
    numbers.sort_unstable();
    let ranges = numbers.chunk_by(|one, next| one + 1 == *next).map(|range| match range {
        [first, .., last] => format!("{first} to {last}"),
        _ => range.iter().map(usize::to_string).collect(),
    });
    let mut named: Vec<String> = ranges.collect();
    if named.len() > MOST_NAMED {
        named.truncate(MOST_NAMED);
        named.push("...".to_owned());
    }
    format!(" (point {} of points.csv)", named.join(", "))
}

/// Points whose outputs were checked as far as this word says.
fn checked(points: &[&PointRecord], word: &str) -> usize {
    points.iter().filter(|point| is_checked(point, word)).count()
}

fn is_checked(point: &PointRecord, word: &str) -> bool {
    point.counters.get("outputs_checked").is_some_and(|cell| cell == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures;

    fn point(outputs_checked: &str, sampling_error_pct: &str) -> PointRecord {
        let counters = [("outputs_checked", outputs_checked), ("sampling_error_pct", sampling_error_pct)];
        PointRecord {
            counters: counters.into_iter().map(|(name, cell)| (name, cell.into())).collect(),
            ..fixtures::point("divergent", 1, "compute", 1.0, 0.5)
        }
    }

    #[test]
    fn each_way_in_which_points_are_not_whole_has_a_sentence() {
        let mut points = [point("all", "0.00"), point("executed", "0.25"), point("none", "1.50"), point("none", "")];
        points.iter_mut().enumerate().for_each(|(number, own)| own.point = number);
        let told = in_part(&points.iter().collect::<Vec<_>>());
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].starts_with("1 point: ") && told[0].contains("scaled to all"), "{told:?}");
        assert!(
            told[1].starts_with("2 points (point 2 to 3 of points.csv): ") && told[1].contains("no output checked"),
            "{told:?}"
        );
        assert!(told[1].contains("scaled to all"), "{told:?}");
        assert!(told[2].starts_with("2 points: ") && told[2].contains("is 1.50 %"), "{told:?}");
        assert_eq!(in_part(&[&points[0]]), Vec::<String>::new());
    }

    #[test]
    fn points_whose_outputs_were_not_checked_are_counted() {
        let of = |words: &[&str]| ok(&words.iter().map(|word| point(word, "")).collect::<Vec<_>>());
        assert_eq!(of(&["all", "executed"]), "2 ok");
        assert_eq!(of(&["all", "none", "none"]), "3 ok, 2 of them with no output checked");
        assert_eq!(of(&["none", "none"]), "2 ok, all of them with no output checked");
        assert_eq!(of(&["none"]), "1 ok, with no output checked");
        assert_eq!(of(&[]), "0 ok");
    }
}
