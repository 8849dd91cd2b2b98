//! Ctrl-C, and SIGTERM as batch systems send it: the first finishes what is at hand, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::super::failure::Failure;
use super::super::output::tell;
use crate::worker::process::Workers;

/// What an interrupt does.
pub(super) struct Interrupt {
    stop: Arc<AtomicBool>,
    workers: Arc<Workers>,
}

impl Interrupt {
    /// Catches interrupts from now on.
    pub(super) fn catch() -> Result<Self, Failure> {
        let interrupt = Self { stop: Arc::default(), workers: Arc::default() };
        let (stop, workers) = (Arc::clone(&interrupt.stop), Arc::clone(&interrupt.workers));
        let handler = move || {
            if stop.swap(true, Ordering::SeqCst) {
                workers.kill_all();
                std::process::exit(130);
            }
            tell(
                "interrupted: finishing what is being measured, on a simulated device several points; press Ctrl-C again to stop at once",
            );
        };
        ctrlc::set_handler(handler).map_err(|error| Failure::Other(format!("handling Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    /// Ends the sweep as an interrupt does when its input ends: whoever started it and holds the other end is no more then, however it ended.
    pub(super) fn at_end_of_input(&self) {
        let stop = Arc::clone(&self.stop);
        thread::spawn(move || {
            // What cannot be read has ended, too.
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            stop.store(true, Ordering::SeqCst);
        });
    }

    /// Raised by the first interrupt.
    pub(super) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether there was one.
    pub(super) fn came(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Where workers are kept for the second interrupt to end.
    pub(super) fn workers(&self) -> Arc<Workers> {
        Arc::clone(&self.workers)
    }
}
