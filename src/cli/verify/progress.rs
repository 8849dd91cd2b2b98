//! How far a verification is, on standard error: a bar where that is a terminal, and how long it takes once that can be told.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
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

/// After how long with one point it is said that it still runs, and how much longer each time until it is said again.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_GROWS: u32 = 4;

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
    patience: Patience,
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
        let beside = bar.clone();
        let patience = Patience::new(PATIENCE, move |told| beside.suspend(|| tell(told)));
        Self { bar, begun, points, checked: 0, whole, done: 0, at_hand: 0, shorter, is_told: false, patience }
    }

    /// How many points there are.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// Shows the point that is checked now.
    pub(super) fn begin(&mut self, variant: &str, parameters: &ParameterSet, work: u64) {
        self.at_hand = work;
        self.bar.set_prefix(format!("{}/{} points", self.checked, self.points));
        let point = visible(&format!("{variant} {parameters}")).into_owned();
        self.patience.begin(format!("point {} of {}, {point}", self.checked + 1, self.points), self.shorter);
        self.bar.set_message(point);
    }

    /// Counts it, and says once how long all takes where that is long.
    pub(super) fn end(&mut self) {
        self.patience.end();
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
        self.patience.end();
        self.bar.finish_and_clear();
    }
}

/// What is checked now, and when something is said of it next.
struct AtHand {
    point: String,
    shorter: &'static str,
    begun: Instant,
    next: Duration,
}

/// Says of a point that takes long that it still runs: a thread beside the work, as long as this lives.
struct Patience {
    first: Duration,
    at_hand: Arc<Mutex<Option<AtHand>>>,
    _working: mpsc::Sender<()>,
}

impl Patience {
    /// Nothing is at hand. `tells` is told something after so long with one point, and again when it has taken several times as long.
    fn new(first: Duration, tells: impl Fn(String) + Send + 'static) -> Self {
        let (working, ended) = mpsc::channel::<()>();
        let at_hand = Arc::new(Mutex::new(None));
        let watched = Arc::clone(&at_hand);
        // Without the thread nothing is told.
        let _ = thread::Builder::new().name("patience".to_owned()).spawn(move || {
            while ended.recv_timeout(first / 10) == Err(RecvTimeoutError::Timeout) {
                let told = watched.lock().unwrap_or_else(PoisonError::into_inner).as_mut().and_then(AtHand::told);
                told.into_iter().for_each(&tells);
            }
        });
        Self { first, at_hand, _working: working }
    }

    fn begin(&self, point: String, shorter: &'static str) {
        self.set(Some(AtHand { point, shorter, begun: Instant::now(), next: self.first }));
    }

    fn end(&self) {
        self.set(None);
    }

    fn set(&self, at_hand: Option<AtHand>) {
        *self.at_hand.lock().unwrap_or_else(PoisonError::into_inner) = at_hand;
    }
}

impl AtHand {
    /// What is said of it now, if something is.
    fn told(&mut self) -> Option<String> {
        let elapsed = self.begun.elapsed();
        if elapsed < self.next {
            return None;
        }
        self.next = elapsed.saturating_mul(PATIENCE_GROWS);
        let (Self { point, shorter, .. }, elapsed) = (&self, HumanDuration(elapsed));
        Some(format!("note: {point}, is still being checked after {elapsed}{shorter}"))
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

    /// What is told within so long of a point that takes as long, or of many that end at once.
    fn told(first: Duration, within: Duration, is_one: bool) -> Vec<String> {
        let (sender, told) = mpsc::channel();
        let patience = Patience::new(first, move |text| drop(sender.send(text)));
        let begun = Instant::now();
        let mut all = Vec::new();
        patience.begin("point 1 of 4, k/a n=1".to_owned(), "; --set checks fewer");
        while all.len() < 2 && begun.elapsed() < within {
            if !is_one {
                patience.begin("point 2 of 4, k/a n=2".to_owned(), "");
            }
            all.extend(told.recv_timeout(Duration::from_millis(1)));
        }
        patience.end();
        all
    }

    #[test]
    fn a_point_that_takes_long_is_told_again_and_again() {
        let (soon, late) = (Duration::from_millis(20), Duration::from_secs(60));
        let one = told(soon, late, true);
        assert_eq!(one.len(), 2, "{one:?}");
        assert!(one[0].starts_with("note: point 1 of 4, k/a n=1, is still being checked after "), "{one:?}");
        assert!(one[0].ends_with("; --set checks fewer"), "{one:?}");
        assert!(told(late, Duration::from_millis(100), true).is_empty(), "what ends soon needs no word");
        assert!(told(Duration::from_secs(1), Duration::from_millis(1500), false).is_empty(), "nor do many short ones");
    }

    #[test]
    fn the_time_left_is_in_proportion_to_the_work() {
        let elapsed = Duration::from_secs(6);
        assert_eq!(time_left(elapsed, 100, 400), Duration::from_secs(18));
        assert_eq!(time_left(elapsed, 400, 400), Duration::ZERO);
        assert!(time_left(elapsed, 0, u64::MAX) > Duration::from_secs(1 << 40));
    }
}
