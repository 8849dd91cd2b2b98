//! Numbers and verdicts as every output of a comparison shows them.

use crate::compare::ratio::Ratio;
use crate::compare::side_by_side::{SideBySide, Standing};
use crate::unit;

/// A ratio, to as many digits as tell 0.1 %.
pub(super) fn ratio(value: f64) -> String {
    let digits = if (0.1..10.0).contains(&value) { 4 } else { 3 };
    if (0.1..1.0).contains(&value) { format!("{value:.3}") } else { unit::significant(value, digits) }
}

/// An interval of a ratio: `0.998 to 1.003`.
pub(super) fn interval(ends: Option<(f64, f64)>) -> String {
    ends.map_or(String::new(), |(low, high)| format!("{} to {}", ratio(low), ratio(high)))
}

/// An interval as short as can be: `0.998–1.003`.
pub(super) fn dashed(ends: Option<(f64, f64)>) -> String {
    ends.map_or(String::new(), |(low, high)| format!("{}–{}", ratio(low), ratio(high)))
}

/// A ratio with its interval: `1.031 (1.026 to 1.036)`.
pub(super) fn with_interval(own: &Ratio) -> String {
    match own.interval {
        Some(_) => format!("{} ({})", ratio(own.ratio), interval(own.interval)),
        None => ratio(own.ratio),
    }
}

/// How the verdicts of one of the others are distributed: `60 SLOWER, 4 SAME`.
pub(super) fn counts(compared: &SideBySide, other: usize) -> String {
    let Some(own) = compared.others.get(other) else { return String::new() };
    let counted =
        own.summary.verdicts.iter().map(|(own_verdict, count)| format!("{count} {}", own.relation.told(*own_verdict)));
    let counted: Vec<String> = counted.collect();
    match (counted.is_empty(), own.summary.added.min(own.summary.removed)) {
        (false, _) => counted.join(", "),
        (true, 0) => "no point could be compared".to_owned(),
        (true, _) => "no point is in both runs; a note above says why, and what to sweep".to_owned(),
    }
}

/// The rows of one of the others with this standing.
pub(super) fn rows_with(compared: &SideBySide, other: usize, wanted: Standing) -> impl Iterator<Item = usize> {
    let rows = compared.rows.iter().enumerate();
    rows.filter(move |(_, row)| row.others.get(other).is_some_and(|cell| cell.standing == wanted)).map(|(row, _)| row)
}

/// How the others are called where there are several: `[1]`.
pub(super) fn mark(other: usize) -> String {
    format!("[{}]", other + 1)
}
