//! Whether the rounds of a run can be those of its points.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::path::Path;

use super::{POINTS_FILE, RunError, line_of};
use crate::device::Cache;
use crate::record::{PointRecord, Timing};
use crate::run::ROUNDS_FILE;
use crate::run::round_times::{RoundTime, line_of_round};
use crate::unit::plain;

/// How far times in cells of three and of four decimals may be apart where they are the same, and a little for the digits of floats.
const ROUNDED_US: f64 = 0.000_551;

/// Which rounds there must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Those of all points.
    All,
    /// The same, or none at all.
    AllOrNone,
    /// Any: rows were left aside.
    Some,
}

/// What is wrong, and in which file.
enum Wrong {
    Point(String),
    Round(RoundTime, String),
}

/// Looks whether `rounds`, as [`read_round_times`](crate::run::round_times::read_round_times) gives them, can be those of the
/// points of the run in `directory`: as many as the points say, and with times between which the points' are. `expected` says
/// which there must be.
///
/// # Errors
/// The first point with rounds that cannot be its own, with the line of its row or of the round's.
pub fn check_rounds<S: BuildHasher>(
    directory: &Path,
    points: &[PointRecord],
    rounds: &HashMap<usize, Vec<RoundTime>, S>,
    expected: Expected,
) -> Result<(), RunError> {
    let is_whole = expected != Expected::Some;
    if rounds.is_empty() && expected != Expected::All {
        return Ok(());
    }
    for (row, point) in points.iter().enumerate() {
        let Some(timing) = &point.timing else { continue };
        let own = rounds.get(&point.point).map_or(&[][..], Vec::as_slice);
        let found = wrong(point, timing, own, is_whole);
        let (file, line, problem) = match found {
            None => continue,
            Some(Wrong::Point(problem)) => (POINTS_FILE, line_of(&directory.join(POINTS_FILE), row), problem),
            Some(Wrong::Round(round, problem)) => {
                let line = line_of_round(&directory.join(ROUNDS_FILE), point.point, round.cache, round.round);
                (ROUNDS_FILE, line, problem)
            }
        };
        return Err(RunError::malformed(&directory.join(file), line, problem));
    }
    Ok(())
}

fn wrong(point: &PointRecord, timing: &Timing, rounds: &[RoundTime], is_whole: bool) -> Option<Wrong> {
    let number = point.point;
    let of = |cache: Cache| rounds.iter().filter(move |round| round.cache == cache).copied();
    if let Some(round) = of(timing.cache).find(|round| round.round >= timing.rounds) {
        let (own, count) = (round.round, timing.rounds);
        return Some(Wrong::Round(round, format!("round is {own}, and point {number} has {count} rounds, from 0 on")));
    }
    let count = of(timing.cache).count();
    if is_whole && count < timing.rounds {
        let claimed = timing.rounds;
        return Some(Wrong::Point(format!("rounds is {claimed}, but {ROUNDS_FILE} has {count} of point {number}")));
    }
    let hot = timing.hot.as_deref().map(|hot| ("hot_us", hot.time_us, Cache::Hot));
    [("time_us", timing.median.time_us, timing.cache)].into_iter().chain(hot).find_map(|(name, time_us, cache)| {
        // A median is never outside of the medians of the parts.
        let (low, high) = of(cache).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), round| {
            (low.min(round.time_us), high.max(round.time_us))
        });
        if low > high {
            let problem = || {
                format!(
                    "{name} is {}, but {ROUNDS_FILE} has no {} round of point {number}",
                    plain(time_us),
                    cache.name()
                )
            };
            return is_whole.then(|| Wrong::Point(problem()));
        }
        let is_outside = time_us < low - ROUNDED_US || time_us > high + ROUNDED_US;
        is_outside.then(|| {
            Wrong::Point(format!(
                "{name} is {}, but the rounds of point {number} took from {} to {} in {ROUNDS_FILE}",
                plain(time_us),
                plain(low),
                plain(high)
            ))
        })
    })
}
