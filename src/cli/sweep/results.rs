//! The results of all runs, printed in the order of devices and scenarios, whichever run ends first.

use std::collections::BTreeMap;

use super::super::conclusion::print_run;
use super::super::failure::{Failure, Status};
use super::super::output::tell_error;
use super::job::{Done, Outcome};
use crate::record::{PointRecord, Status as PointStatus};

/// The results of all runs.
pub(super) struct Results {
    /// Runs of each device.
    runs: Vec<usize>,
    /// The device and the run on it that is printed next.
    next: (usize, usize),
    waiting: BTreeMap<(usize, usize), Outcome>,
    output: Result<(), Failure>,
    points_failed: bool,
    interrupted: bool,
    not_begun: usize,
    /// The exit status of the first failure.
    failed: Option<u8>,
}

impl Results {
    /// For so many runs on each device.
    pub(super) fn new(runs: Vec<usize>) -> Self {
        Self {
            runs,
            next: (0, 0),
            waiting: BTreeMap::new(),
            output: Ok(()),
            points_failed: false,
            interrupted: false,
            not_begun: 0,
            failed: None,
        }
    }

    /// Takes what became of a run, and prints every one whose turn it is.
    pub(super) fn add(&mut self, place: (usize, usize), outcome: Outcome) {
        self.waiting.insert(place, outcome);
        while let Some(outcome) = self.waiting.remove(&self.next) {
            self.print(outcome);
            let (device, run) = self.next;
            let is_last = self.runs.get(device).is_none_or(|runs| run + 1 >= *runs);
            self.next = if is_last { (device + 1, 0) } else { (device, run + 1) };
        }
    }

    fn print(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::NotBegun => {
                self.interrupted = true;
                self.not_begun += 1;
            }
            Outcome::Failed { failure, go_on } => {
                self.failed.get_or_insert(failure.tell());
                if let Some(command) = go_on {
                    tell_error(format!("to continue: {command}"));
                }
            }
            Outcome::Done(done) => {
                let Done { analysis, charts, go_on } = *done;
                // Whoever stops listening does not stop the measuring.
                if self.output.is_ok() {
                    self.output = print_run(&analysis, &charts);
                }
                self.points_failed |= has_failed(&analysis.run.points);
                if let Some(command) = go_on {
                    self.interrupted = true;
                    let directory = analysis.run.directory.display();
                    tell_error(format!(
                        "interrupted: the points measured so far are in {directory}\nto continue: {command}"
                    ));
                }
            }
        }
    }

    /// How it all ended.
    pub(super) fn status(self) -> Result<Status, Failure> {
        if self.not_begun > 0 {
            tell_error("interrupted: the remaining runs were not started");
        }
        if let Some(status) = self.failed {
            return Err(Failure::Told(status));
        }
        let status = match (self.interrupted, self.points_failed) {
            (true, _) => Status::Interrupted,
            (_, true) => Status::PointsFailed,
            _ => Status::Success,
        };
        status.unless_unheard(self.output)
    }
}

/// Whether a point failed or gave a wrong result, or none could be measured at all. What a device cannot run is skipped, and
/// no failure beside points that it can run.
fn has_failed(points: &[PointRecord]) -> bool {
    let bad = |point: &PointRecord| matches!(point.status, PointStatus::Wrong | PointStatus::Failed);
    points.iter().any(bad) || (!points.is_empty() && points.iter().all(|point| point.status == PointStatus::Skipped))
}
