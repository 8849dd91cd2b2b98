//! The measured runs of a calibration, and the points of them that a step compares.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::step::{Observable, STEPS, Step, step_folders};
use super::sweeps::folders;
use crate::family::Family;
use crate::properties::Properties;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::run::{METADATA_FILE, RunError};
use crate::scenario::{Point, Scenario};

/// A run that is missing or of no use.
#[derive(Debug, thiserror::Error)]
pub enum MissingRun {
    /// It is not a folder.
    #[error("{}: no such folder; expected one with the runs of a calibration", .0.display())]
    NoFolder(PathBuf),
    /// There is none at all.
    #[error("{}: has no run of a calibration; expected run directories such as {}{}", .0.display(), folders().take(3).collect::<Vec<_>>().join(", "), meant(.1.as_deref()))]
    None(PathBuf, Option<PathBuf>),
    /// A folder below it has more of them.
    #[error("{}: has {} of the {} runs of a calibration, and {} has {}; did you mean that folder?", .0.display(), .1, folders().count(), .2.display(), .3)]
    FewerThanBelow(PathBuf, usize, PathBuf, usize),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] RunError),
    /// Its scenario cannot be read.
    #[error("{0}: {1}")]
    Scenario(String, String),
    /// Runs of two devices.
    #[error("{0}: measured on {1}, but the other runs on {2}; a calibration is of one GPU")]
    OtherDevice(String, String, String),
}

/// A run and its scenario.
#[derive(Debug)]
struct Measurement {
    folder: &'static str,
    run: Run,
    scenario: Scenario,
    points: Vec<Point>,
}

/// The runs that constants are found from.
#[derive(Debug)]
pub struct Measured {
    measurements: Vec<Measurement>,
}

/// What a step compares: measured points, and what they say.
pub(super) struct Compared<'a> {
    pub(super) family: &'static Family,
    pub(super) seed: u64,
    /// One point, or the two ends of a slope.
    pub(super) points: Vec<&'a Point>,
    /// By how much the two differ in what the slope is over; 1 for one point.
    pub(super) span: f64,
    /// What was measured, in microseconds, or in microseconds for each.
    pub(super) value_us: f64,
    /// Half of its 95 % interval, in percent of it.
    pub(super) uncertainty_pct: f64,
}

/// Why a step has nothing to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoPoints(pub(super) String);

/// How far apart runs of the same kernel are, in percent of the time, beyond what an interval within a run tells
/// (`results/nvidia-h200/trust`).
const BETWEEN_RUNS_PCT: f64 = 0.3;
/// The same of launches one after the other, which the host has a part in: two calibrations of an H100 in a row had 1.915 and 1.805 µs, 5.7 % apart; each
/// of two is taken to be that far off over the root of two (`results/nvidia-h100/calibration/first/again.txt`).
const BETWEEN_RUNS_OF_LAUNCHES_PCT: f64 = 4.0;
/// The same of a short launch by itself: of two calibrations of an H200 in a row the time was 2.5 % apart (`results/nvidia-h200/calibration/check.txt`),
/// of two others 0.8 and 0.9 %.
const BETWEEN_RUNS_OF_A_LAUNCH_PCT: f64 = 1.8;

impl Measured {
    /// The runs in this directory, each in the folder of its sweep. Those that are missing leave their constants unknown.
    ///
    /// # Errors
    /// When there is none, one cannot be read, or they are of several GPUs.
    pub fn read(directory: &Path) -> Result<Self, MissingRun> {
        if !directory.is_dir() {
            return Err(MissingRun::NoFolder(directory.to_owned()));
        }
        let own = runs_in(directory);
        let below = below(directory);
        if let Some((folder, count)) = &below
            && own > 0
            && *count > own
        {
            return Err(MissingRun::FewerThanBelow(directory.to_owned(), own, folder.clone(), *count));
        }
        let mut measurements: Vec<Measurement> = Vec::new();
        for folder in folders() {
            let path = directory.join(folder);
            if !path.join(METADATA_FILE).is_file() {
                continue;
            }
            let run = Run::read(&path)?;
            let first = measurements.first().map(|own| own.run.metadata.device.clone());
            let gpu = first.unwrap_or_else(|| run.metadata.device.clone());
            if run.metadata.device.name != gpu.name || run.metadata.device.origin != gpu.origin {
                return Err(MissingRun::OtherDevice(
                    path.display().to_string(),
                    run.metadata.device.label(),
                    gpu.label(),
                ));
            }
            measurements.push(
                Measurement::of(folder, run)
                    .map_err(|problem| MissingRun::Scenario(path.display().to_string(), problem))?,
            );
        }
        if measurements.is_empty() {
            let meant = below.map(|own| own.0).or_else(|| above(directory));
            Err(MissingRun::None(directory.to_owned(), meant))
        } else {
            Ok(Self { measurements })
        }
    }

    /// The folders of runs that constants come from and that are not there.
    pub fn missing(&self) -> Vec<&'static str> {
        let wanted = || step_folders().collect::<BTreeSet<&str>>();
        wanted().into_iter().filter(|folder| self.measurements.iter().all(|own| own.folder != *folder)).collect()
    }

    /// The GPU that all of them ran on.
    pub fn gpu(&self) -> &Properties {
        &self.measurements[0].run.metadata.device
    }

    /// The median clock in MHz during chains of instructions, which is that of a busy multiprocessor; `None` where it was not told.
    pub(super) fn clock_mhz(&self) -> Option<f64> {
        let chains = self.measurements.iter().find(|own| own.folder == "instruction-latency")?;
        let timings = chains.run.points.iter().filter_map(|point| point.timing.as_ref());
        let mut clocks: Vec<f64> = timings.filter_map(|timing| timing.clock_mhz).collect();
        clocks.sort_by(f64::total_cmp);
        clocks.get(clocks.len() / 2).copied()
    }

    /// The points of a step and what they say.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) fn compared(&self, step: &Step) -> Result<Compared<'_>, NoPoints> {
        let (measurement, ran) = self.ran(step)?;
        self.compared_of(step, measurement, &ran)
    }

    /// The times of the points of a step over so many of a parameter, those with the most of it, in microseconds for each.
    ///
    /// # Errors
    /// Why there are none.
    pub(super) fn times_of_each(&self, step: &Step, over: &str) -> Result<Vec<f64>, NoPoints> {
        let (_, ran) = self.ran(step)?;
        let most = ran.iter().filter_map(|record| record.number(over)).fold(0.0, f64::max);
        let of_most = ran.iter().filter(|record| record.number(over) == Some(most));
        let timings = of_most.filter_map(|record| record.timing.as_ref());
        Ok(timings.map(|timing| timing.median.time_us / most).collect())
    }

    /// By how much the latencies of slices of L2 differ, in microseconds: their standard deviation. `None` without their run.
    fn between_slices_us(&self) -> Option<f64> {
        let step =
            STEPS.iter().copied().flatten().find(|own| own.constant == "global.l2.slices.half_distance_cycles")?;
        let Observable::Groups(over) = step.observable else { return None };
        let times = self.times_of_each(step, over).ok().filter(|times| times.len() > 1)?;
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        let square = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (times.len() - 1) as f64;
        Some(square.sqrt())
    }

    /// The points of a step that have a time.
    fn ran(&self, step: &Step) -> Result<(&Measurement, Vec<&PointRecord>), NoPoints> {
        let missing = || NoPoints(format!("there is no run of {}", step.folder));
        let measurement = self.measurements.iter().find(|own| own.folder == step.folder).ok_or_else(missing)?;
        let wanted = (step.at)(self.gpu());
        let is_wanted = |record: &&PointRecord| {
            record.variant == step.variant
                && wanted.iter().all(|(name, value)| record.value(name).is_some_and(|own| own == value.as_str()))
        };
        let of_step: Vec<&PointRecord> = measurement.run.points.iter().filter(is_wanted).collect();
        let ran = of_step.iter().filter(|record| record.status == Status::Ok && record.timing.is_some());
        let ran: Vec<&PointRecord> = ran.copied().collect();
        if ran.is_empty() {
            let reason = of_step.iter().map(|record| record.reason.as_str()).find(|reason| !reason.is_empty());
            let place = step.place(self.gpu());
            return Err(NoPoints(match reason {
                Some(reason) => format!("{place} has no time: {reason}"),
                None => format!("the run has no point {place}"),
            }));
        }
        Ok((measurement, ran))
    }

    fn compared_of<'a>(
        &'a self,
        step: &Step,
        measurement: &'a Measurement,
        ran: &[&'a PointRecord],
    ) -> Result<Compared<'a>, NoPoints> {
        if matches!(step.observable, Observable::Slope(_)) && ran.len() < 2 {
            return Err(NoPoints(format!(
                "the run has one point of {} with a time, where two are needed",
                step.place(self.gpu())
            )));
        }
        let ends = match step.observable {
            Observable::Time => ran.iter().take(1).copied().collect(),
            Observable::Slope(over) | Observable::Groups(over) => {
                let along = |record: &&&PointRecord| record.number(over).unwrap_or(f64::NAN);
                let by = |one: &&&PointRecord, other: &&&PointRecord| along(one).total_cmp(&along(other));
                let ends = [ran.iter().min_by(by), ran.iter().max_by(by)];
                ends.into_iter().flatten().copied().collect::<Vec<&PointRecord>>()
            }
        };
        let of_record = |record: &&PointRecord| measurement.points.iter().find(|point| point.is_of(record));
        let points: Option<Vec<&Point>> = ends.iter().map(of_record).collect();
        let points = points.ok_or_else(|| NoPoints(format!("{} is not of its scenario", step.place(self.gpu()))))?;
        let span = match (step.observable, &ends[..]) {
            (Observable::Slope(over), [low, high]) => {
                high.number(over).zip(low.number(over)).map_or(f64::NAN, |(high, low)| high - low)
            }
            _ => 1.0,
        };
        let (value_us, half_us) = difference(&ends, span);
        if !(span > 0.0 && value_us > 0.0) {
            return Err(NoPoints(format!("{} does not take longer with more of it", step.place(self.gpu()))));
        }
        let of_one_slice_us =
            if OF_ONE_SLICE.contains(&step.constant) { self.between_slices_us().unwrap_or(0.0) } else { 0.0 };
        let uncertainty_pct = (half_us.hypot(of_one_slice_us) / value_us * 100.0).hypot(between_runs_pct(step));
        let (family, seed) = (measurement.scenario.family, measurement.run.metadata.measure.seed);
        Ok(Compared { family, seed, points, span, value_us, uncertainty_pct })
    }
}

/// Constants whose points go to one slice of L2, or to few, which is nearer on one GPU than on another.
const OF_ONE_SLICE: [&str; 2] = ["atomics.latency_cycles", "global.l2.slices.acknowledge_cycles"];

/// How far apart runs are in what a step measures, in percent.
fn between_runs_pct(step: &Step) -> f64 {
    match (step.observable, step.constant) {
        (Observable::Slope("launches"), _) => BETWEEN_RUNS_OF_LAUNCHES_PCT,
        (Observable::Time, "launch_us") => BETWEEN_RUNS_OF_A_LAUNCH_PCT,
        _ => BETWEEN_RUNS_PCT,
    }
}

/// How many runs of a calibration are in a folder.
fn runs_in(folder: &Path) -> usize {
    folders().filter(|own| folder.join(own).join(METADATA_FILE).is_file()).count()
}

/// The folder with most runs of a calibration, down to two folders below this one.
fn below(folder: &Path) -> Option<(PathBuf, usize)> {
    let folders_in = |folder: &Path| {
        let entries = std::fs::read_dir(folder).ok().into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect::<Vec<PathBuf>>()
    };
    let first = folders_in(folder);
    let second: Vec<PathBuf> = first.iter().flat_map(|own| folders_in(own)).collect();
    let counted = first.into_iter().chain(second).map(|own| (runs_in(&own), own));
    counted.filter(|own| own.0 > 0).max().map(|(count, own)| (own, count))
}

/// The folder that this one is in, if that has runs of a calibration.
fn above(folder: &Path) -> Option<PathBuf> {
    let whole = folder.canonicalize().ok()?;
    let above = whole.parent().filter(|above| runs_in(above) > 0)?;
    // As it was written, where that shows the folder above.
    let written = folder.parent().filter(|own| !own.as_os_str().is_empty() && !folder.ends_with(".."));
    Some(written.map_or_else(|| above.to_owned(), Path::to_owned))
}

/// Which folder may be meant in place of one without runs.
fn meant(below: Option<&Path>) -> String {
    below.map_or(String::new(), |own| format!("; {} has some: did you mean that folder?", own.display()))
}

impl Measurement {
    fn of(folder: &'static str, run: Run) -> Result<Self, String> {
        let name = run.metadata.scenario.clone();
        let scenario = Scenario::of_run(&name, folder, &run.scenario).map_err(|errors| errors.to_string())?;
        let points = scenario.points(&run.metadata.device).map_err(|errors| errors.to_string())?;
        Ok(Self { folder, run, scenario, points })
    }
}

/// The time of one point, or the difference of two for each of the span, with half of its 95 % interval.
fn difference(ends: &[&PointRecord], span: f64) -> (f64, f64) {
    let medians = ends.iter().filter_map(|record| record.timing.as_ref()).map(|timing| timing.median);
    let times: Vec<(f64, f64)> = medians
        .map(|median| {
            let half = median.low_us.zip(median.high_us).map_or(0.0, |(low, high)| (high - low) / 2.0);
            (median.time_us, half)
        })
        .collect();
    match times[..] {
        [(time, half)] => (time, half),
        [(low, low_half), (high, high_half), ..] => ((high - low) / span, low_half.hypot(high_half) / span),
        [] => (f64::NAN, f64::NAN),
    }
}
