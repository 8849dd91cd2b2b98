//! What is told while a diagnosis takes long: how to make it shorter.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::diagnosis::Progress;

/// After how long it is looked at how far it is.
pub(super) const LONG: Duration = Duration::from_secs(10);
/// The part that must be done by then, or else the rest takes long.
const DONE_LEAST: f64 = 1.0 / 3.0;

/// How to make a diagnosis shorter.
pub(super) fn advice(is_kernel_file: bool) -> String {
    let size = if is_kernel_file { "fewer blocks (--grid)" } else { "a smaller size (--set), one variant (--variant)" };
    format!("less than a third is done after {} s: {size} or fewer prices (--most 4) take less time", LONG.as_secs())
}

/// Does the work, and beside it `tells` once if little of it is done after so long.
pub(super) fn with_advice<T>(
    progress: &Progress,
    long: Duration,
    tells: impl FnOnce() + Send,
    work: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<()>();
        // Without the thread nothing is told.
        let _ = thread::Builder::new().name("patience".to_owned()).spawn_scoped(scope, move || {
            let is_long = ended.recv_timeout(long) == Err(RecvTimeoutError::Timeout);
            if is_long && progress.part() < DONE_LEAST {
                tells();
            }
        });
        let result = work();
        drop(working);
        result
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    /// How often it is told where the work lasts until it is told, or so long.
    fn told(progress: &Progress, long: Duration, lasts: Duration) -> usize {
        let told = AtomicUsize::new(0);
        let begun = Cell::new(std::time::Instant::now());
        with_advice(
            progress,
            long,
            || {
                told.fetch_add(1, Relaxed);
            },
            || {
                while told.load(Relaxed) == 0 && begun.get().elapsed() < lasts {
                    thread::sleep(Duration::from_millis(1));
                }
            },
        );
        told.into_inner()
    }

    #[test]
    fn it_is_told_once_and_only_while_little_is_done() {
        let (soon, late) = (Duration::from_millis(5), Duration::from_secs(60));
        assert_eq!(told(&Progress::new(2), soon, late), 1);
        assert_eq!(told(&Progress::new(2), late, Duration::ZERO), 0, "work that ends is not waited for");
        let most = Progress::new(2);
        most.variant_done();
        assert_eq!(told(&most, soon, Duration::from_millis(200)), 0);
    }

    #[test]
    fn options_that_make_it_shorter_are_named() {
        assert!(advice(false).contains("--set") && advice(true).contains("--grid") && advice(true).contains("--most"));
    }
}
