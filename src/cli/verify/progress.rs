//! How far a verification is, on standard error: a bar where that is a terminal, and how long it takes once that can be told.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::output::{is_quiet, tell};
use super::super::progress::left;
use super::super::visible::visible;
use crate::family::Family;
use crate::parameter::ParameterSet;
use located_toml::words::count;

/// What a point takes besides its memory, as memory.
const LEAST_WORK: u64 = 1 << 20;
/// So long it is watched before anything is said of how long it takes.
const WATCHED: Duration = Duration::from_secs(5);
/// What takes less than this from then on needs no word.
const LONG: Duration = Duration::from_secs(30);

/// How much a point is among others: checking takes time in proportion to the memory.
pub(super) fn work(family: &Family, parameters: &ParameterSet) -> u64 {
    LEAST_WORK.saturating_add(family.device_bytes(parameters).unwrap_or(0))
}

/// The points that are checked, and how far that is.
pub(super) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    points: usize,
    checked: usize,
    /// The work of all points, of those that are checked, and of the one at hand.
    whole: u64,
    done: u64,
    at_hand: u64,
    /// What takes less time, in words behind the others; empty where nothing does.
    shorter: &'static str,
    is_told: bool,
}

impl Progress {
    /// Nothing yet of points with this work each.
    pub(super) fn new(works: impl Iterator<Item = u64>, shorter: &'static str) -> Self {
        let (points, whole) = works.fold((0, 0_u64), |(points, whole), work| (points + 1, whole.saturating_add(work)));
        let bar = ProgressBar::new(whole);
        if is_quiet() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {prefix}{left}  {wide_msg}") {
            bar.set_style(style.with_key("left", left));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let begun = Instant::now();
        Self { bar, begun, points, checked: 0, whole, done: 0, at_hand: 0, shorter, is_told: false }
    }

    /// How many points there are.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// Shows the point that is checked now.
    pub(super) fn begin(&mut self, variant: &str, parameters: &ParameterSet, work: u64) {
        self.at_hand = work;
        self.bar.set_prefix(format!("{}/{} points", self.checked, self.points));
        self.bar.set_message(visible(&format!("{variant} {parameters}")).into_owned());
    }

    /// Counts it, and says once how long all takes where that is long.
    pub(super) fn end(&mut self) {
        self.checked += 1;
        self.done = self.done.saturating_add(std::mem::take(&mut self.at_hand));
        self.bar.set_position(self.done);
        let elapsed = self.begun.elapsed();
        if self.is_told || elapsed < WATCHED {
            return;
        }
        self.is_told = true;
        let left = time_left(elapsed, self.done, self.whole);
        if left >= LONG {
            let (points, whole) = (count(self.points, "point"), HumanDuration(elapsed + left));
            self.suspend(|| tell(format!("note: checking {points} takes about {whole}{}", self.shorter)));
        }
    }

    /// Does something that prints, without the bar in between.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The time that is left where so much of the work is done.
fn time_left(elapsed: Duration, done: u64, whole: u64) -> Duration {
    let left = whole.saturating_sub(done) as f64 / done.max(1) as f64;
    Duration::try_from_secs_f64(elapsed.as_secs_f64() * left).unwrap_or(Duration::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_in_proportion_to_the_work() {
        let elapsed = Duration::from_secs(6);
        assert_eq!(time_left(elapsed, 100, 400), Duration::from_secs(18));
        assert_eq!(time_left(elapsed, 400, 400), Duration::ZERO);
        assert!(time_left(elapsed, 0, u64::MAX) > Duration::from_secs(1 << 40));
    }
}
