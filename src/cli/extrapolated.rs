//! What a simulated run says of points of which only a part was executed or timed.

use crate::record::PointRecord;

/// A sentence for each way in which these points are not whole; none where all blocks were executed, checked and timed.
pub(super) fn sentences(points: &[&PointRecord]) -> Vec<String> {
    let checked = |word: &str| {
        points.iter().filter(|point| point.counters.get("outputs_checked").is_some_and(|cell| cell == word)).count()
    };
    let mut sentences = Vec::new();
    let (executed, none) = (checked("executed"), checked("none"));
    if executed > 0 {
        sentences.push(format!(
            "{}: only some of the blocks were executed, and their outputs checked; what they did is scaled to all \
             (blocks_executed in points.csv).",
            counted(executed)
        ));
    }
    if none > 0 {
        sentences.push(format!(
            "{}: only some of the blocks were executed, and no output checked, because blocks use what others would have \
             written. `--sizes simulated` executes and checks all.",
            counted(none)
        ));
    }
    let errors = points.iter().filter_map(|point| point.number("sampling_error_pct"));
    let errors: Vec<f64> = errors.filter(|error| *error > 0.0).collect();
    if let Some(largest) = errors.iter().copied().max_by(f64::total_cmp) {
        sentences.push(format!(
            "{}: only some waves of blocks were timed, and the others taken to need as long. The largest standard error of \
             that is {largest:.2} % (sampling_error_pct in points.csv).",
            counted(errors.len())
        ));
    }
    sentences
}

fn counted(points: usize) -> String {
    if points == 1 { "1 point".to_owned() } else { format!("{points} points") }
}
