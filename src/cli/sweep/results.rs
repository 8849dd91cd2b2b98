//! The results of all runs, told in the order of devices and scenarios, whichever run ends first.

use std::collections::BTreeMap;

use super::super::conclusion::print_run;
use super::super::failure::{Failure, Status};
use super::super::output::{is_quiet, json, tell_error, tell_to_continue};
use super::document::{NotDone, SweepDocument, SweptRun};
use super::job::{Done, Outcome};
use crate::record::{PointRecord, Status as PointStatus};

/// The results of all runs.
pub(super) struct Results {
    /// Runs of each device: scenario and device.
    runs: Vec<Vec<(String, String)>>,
    /// The device and the run on it that is printed next.
    next: (usize, usize),
    waiting: BTreeMap<(usize, usize), Outcome>,
    /// What is printed at the end, where JSON is asked for.
    document: Option<SweepDocument>,
    output: Result<(), Failure>,
    points_failed: bool,
    interrupted: bool,
    not_begun: usize,
    /// The exit status of the first failure.
    failed: Option<u8>,
}

impl Results {
    /// For these runs on each device, each with its scenario and the device.
    pub(super) fn new(runs: Vec<Vec<(String, String)>>, is_json: bool) -> Self {
        Self {
            runs,
            next: (0, 0),
            waiting: BTreeMap::new(),
            document: is_json.then(SweepDocument::default),
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
            let is_last = self.runs.get(device).is_none_or(|runs| run + 1 >= runs.len());
            self.next = if is_last { (device + 1, 0) } else { (device, run + 1) };
        }
    }

    fn print(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::NotBegun => {
                self.interrupted = true;
                self.not_begun += 1;
                self.not_done("interrupted before it began".to_owned(), None);
            }
            Outcome::Failed { failure, go_on } => {
                self.not_done(failure.message(), go_on.clone());
                self.failed.get_or_insert(failure.tell());
                if let Some(command) = go_on {
                    tell_to_continue(&command);
                }
            }
            Outcome::Done(done) => {
                let Done { analysis, charts, go_on } = *done;
                // Whoever stops listening does not stop the measuring.
                if self.output.is_ok() {
                    self.output = match &mut self.document {
                        Some(document) => {
                            SweptRun::of(&analysis, &charts, go_on.clone()).map(|run| document.runs.push(run))
                        }
                        None => print_run(&analysis, &charts),
                    };
                }
                self.points_failed |= has_failed(&analysis.run.points);
                if is_quiet() && !analysis.run.points.is_empty() && analysis.run.points.iter().all(is_without_time) {
                    let directory = analysis.run.directory.display();
                    tell_error(format!(
                        "error: no point of {} has a time; {directory} says why",
                        analysis.run.metadata.scenario
                    ));
                }
                if let Some(command) = go_on {
                    self.interrupted = true;
                    let directory = analysis.run.directory.display();
                    tell_error(format!("interrupted: the points measured so far are in {directory}"));
                    tell_to_continue(&command);
                }
            }
        }
    }

    /// Notes a run that did not come to its end.
    fn not_done(&mut self, error: String, go_on: Option<String>) {
        let (device, run) = self.next;
        let Some(document) = &mut self.document else { return };
        let Some((scenario, device)) = self.runs.get(device).and_then(|runs| runs.get(run)).cloned() else { return };
        document.not_done.push(NotDone { scenario, device, error, go_on });
    }

    /// How it all ended.
    pub(super) fn status(mut self) -> Result<Status, Failure> {
        if let Some(document) = &mut self.document {
            document.interrupted = self.interrupted;
            self.output = self.output.and_then(|()| json(document));
        }
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

/// Whether a point was not measured.
fn is_without_time(point: &PointRecord) -> bool {
    point.status != PointStatus::Ok
}

/// Whether a point failed or gave a wrong result, or none could be measured at all. What is skipped or not run is no
/// failure beside points that ran.
fn has_failed(points: &[PointRecord]) -> bool {
    let bad = |point: &PointRecord| matches!(point.status, PointStatus::Wrong | PointStatus::Failed);
    let is_left_out = |point: &PointRecord| matches!(point.status, PointStatus::NotRun | PointStatus::Skipped);
    points.iter().any(bad) || (!points.is_empty() && points.iter().all(is_left_out))
}
