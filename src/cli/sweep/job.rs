//! One run: a scenario on a device, into a directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use jiff::{Unit, Zoned};

use super::super::analysis::{Analysis, analyse, draw_charts};
use super::super::failure::Failure;
use super::super::output::tell;
use super::super::progress::Display;
use super::super::report;
use super::super::run_directory::new_directory;
use super::super::user_kernel;
use super::devices::Target;
use super::interrupt::Interrupt;
use super::{Arguments, go_on};
use crate::device::DeviceError;
use crate::kernel::Provenance;
use crate::properties::Origin;
use crate::record::{PointRecord, TimeSpent, point_columns};
use crate::report::PageTheme;
use crate::run::metadata::{Host, Part, RunMetadata, RunStatus};
use crate::run::writer::RunWriter;
use crate::run::{METADATA_FILE, SCHEMA_VERSION, check_grid, fits};
use crate::scenario::{Point, Scenario, Sizes};
use crate::selfcheck::noise_floor;
use crate::sweep::{SweepError, sweep};
use crate::user_kernel::{Compiled, UserKernel};
use crate::worker::message::Opened;
use crate::worker::supervisor::Supervisor;

/// A scenario to measure on a device.
pub(super) struct Job<'a> {
    arguments: &'a Arguments,
    scenario: Scenario,
    /// Which of the scenario's sizes it has.
    sizes: Sizes,
    path: &'a Path,
    /// The device's name in the command that goes on, where it must be named.
    device: Option<&'a str>,
    opened: Opened,
    /// Points of the whole grid.
    grid: usize,
    /// Those of the part.
    points: Vec<Point>,
}

/// What became of a job.
pub(super) enum Outcome {
    /// It has a run, whole or not.
    Done(Box<Done>),
    /// It was not begun.
    NotBegun,
    /// It could not be done, or not to its end.
    Failed {
        /// Why.
        failure: Failure,
        /// The command that continues the run; `None` if there is no run.
        go_on: Option<String>,
    },
}

/// A run, analysed.
pub(super) struct Done {
    pub(super) analysis: Analysis,
    pub(super) charts: Vec<PathBuf>,
    /// The command that goes on, where it is not complete.
    pub(super) go_on: Option<String>,
}

impl<'a> Job<'a> {
    /// A job for one of so many devices.
    ///
    /// # Errors
    /// Values of the scenario that do not go together on the device.
    pub(super) fn new(
        arguments: &'a Arguments,
        scenario: &'a Scenario,
        path: &'a Path,
        target: &'a Target,
        devices: usize,
        supervisor: &Supervisor,
    ) -> Result<Self, Failure> {
        let opened = supervisor.opened().cloned();
        let opened = opened.ok_or_else(|| DeviceError::Failed(format!("{} is not open", target.text)))?;
        let asked = arguments.sizes.map(Sizes::from);
        let sizes = asked.unwrap_or_else(|| scenario.usual_sizes(&opened.properties));
        if let Some(note) = scenario.note_on_sizes(&opened.properties, asked) {
            tell(format!("note: {note}"));
        }
        let scenario = scenario.on(&opened.properties, Some(sizes))?;
        let grid = scenario.points(&opened.properties)?;
        let points = of_part(&grid, arguments.part);
        let run = arguments.out.as_deref().filter(|_| arguments.resume);
        user_kernel::load_for_workers(&scenario, (&points, &grid), &opened.properties, run)?;
        let device = (devices > 1).then_some(target.text.as_str());
        Ok(Self { arguments, scenario, sizes, path, device, opened, grid: grid.len(), points })
    }

    /// Its scenario and its device.
    pub(super) fn name(&self) -> (String, String) {
        (self.scenario.name.clone(), self.opened.properties.label())
    }

    /// Measures what is left to measure, then fits and draws.
    pub(super) fn run(self, supervisor: &mut Supervisor, display: &Display, interrupt: &Interrupt) -> Outcome {
        if interrupt.came() {
            return Outcome::NotBegun;
        }
        let failed = |failure: Failure| Outcome::Failed { failure, go_on: None };
        let directory = match &self.arguments.out {
            Some(directory) => directory.clone(),
            None => match new_directory(&self.scenario.name, &self.opened.properties, self.arguments.part) {
                Ok(directory) => directory,
                Err(error) => return failed(error.into()),
            },
        };
        match self.measure(&directory, supervisor, display, interrupt) {
            Ok(Ok(status)) => match analysed(&directory) {
                Ok((analysis, charts)) => {
                    let go_on = (status != RunStatus::Complete).then(|| self.go_on(&directory));
                    Outcome::Done(Box::new(Done { analysis, charts, go_on }))
                }
                Err(failure) => failed(failure),
            },
            Ok(Err(failure)) => {
                let go_on = directory.join(METADATA_FILE).exists().then(|| self.go_on(&directory));
                Outcome::Failed { failure, go_on }
            }
            Err(failure) => failed(failure),
        }
    }

    /// Measures into the directory. The inner result is that of a run that was begun.
    fn measure(
        &self,
        directory: &Path,
        supervisor: &mut Supervisor,
        display: &Display,
        interrupt: &Interrupt,
    ) -> Result<Result<RunStatus, Failure>, Failure> {
        let counters = self.opened.columns(self.scenario.family, self.scenario.measure.energy);
        let columns = point_columns(self.scenario.family, &counters);
        let metadata = self.metadata();
        let (mut writer, finished) = if self.arguments.resume {
            let is_of_grid =
                |rows: &[PointRecord]| check_grid(directory, &self.scenario, &self.opened.properties, self.grid, rows);
            RunWriter::resume(directory, metadata, &self.scenario.text, &columns, is_of_grid)?
        } else {
            (RunWriter::create(directory, metadata, &self.scenario.text, &columns)?, Vec::new())
        };
        if let Some(compiled) = self.compiled() {
            writer.keep_kernel(&compiled)?;
        }
        writer.notes().iter().for_each(|note| tell(format!("note: {note}")));
        if self.arguments.out.is_none() {
            // Whatever ends the sweep, its run can be found.
            let is_simulated = self.opened.properties.origin == Origin::Simulated;
            let doing = if is_simulated { "simulating" } else { "measuring" };
            display.suspend(|| tell(format!("{doing} into {}", directory.display())));
        }
        let finished: BTreeSet<usize> = finished.iter().map(|record| record.point).collect();
        if !finished.is_empty() {
            let points = self.points.len();
            tell(format!("continuing {}: {} of {points} points are measured", directory.display(), finished.len()));
        }
        let mut progress = display.progress(&self.opened.properties, &self.points, finished.len());
        if let Err(error) = supervisor.begin(&self.scenario, &mut |line| display.suspend(|| tell(line))) {
            return Ok(Err(error.into()));
        }
        let opening_s = supervisor.time_spent().opening_s;
        let began = Instant::now();
        let ended = sweep(supervisor, &self.points, &finished, &mut writer, &mut progress, interrupt.stop());
        drop(progress);
        let time_spent = TimeSpent {
            writing_s: ended.writing.as_secs_f64(),
            total_s: opening_s + began.elapsed().as_secs_f64(),
            ..supervisor.time_spent()
        };
        let (status, failure) = match ended.status {
            Ok(status) => (status, None),
            Err(SweepError::Run(error)) => return Ok(Err(error.into())),
            Err(SweepError::Device(error)) => (RunStatus::Interrupted, Some(Failure::from(error))),
        };
        let finished = writer.finish(status, now(), supervisor.guards(), time_spent);
        Ok(match (failure, finished) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(())) => Ok(status),
        })
    }

    /// The modules of the user's kernel.
    fn compiled(&self) -> Option<Compiled> {
        self.scenario.kernel.and_then(UserKernel::compiled)
    }

    fn own_predictors(&self) -> Vec<String> {
        let own = self.scenario.kernel.map(|kernel| &kernel.description.predictors);
        own.into_iter().flatten().map(|(predictor, _)| predictor.name.to_owned()).collect()
    }

    fn go_on(&self, directory: &Path) -> String {
        let given: Vec<String> = given().collect();
        go_on::command(&given, &self.arguments.scenarios, self.path, self.device, directory)
    }

    fn metadata(&self) -> RunMetadata {
        RunMetadata {
            schema_version: SCHEMA_VERSION,
            apbench_version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: self.scenario.name.clone(),
            command_line: given().collect(),
            started_at: now(),
            ended_at: None,
            status: RunStatus::Running,
            sizes: Some(self.sizes),
            points: self.grid,
            host: Host::this(),
            device: self.opened.properties.clone(),
            kernels: match &self.compiled() {
                Some(compiled) => compiled.provenance(),
                None => Provenance::of(self.scenario.family.ptx),
            },
            own_predictors: self.own_predictors(),
            own_files: self.compiled().map(|compiled| compiled.files).unwrap_or_default(),
            measure: self.scenario.measure,
            lock_clocks_mhz: self.arguments.lock_clocks,
            energy: self.opened.energy.filter(|_| self.scenario.measure.energy),
            part: self.arguments.part,
            guards: Vec::new(),
            noise_floor: noise_floor::of(&self.opened.properties, tell),
            time_spent: TimeSpent::default(),
            resumed_at: Vec::new(),
            merged_from: Vec::new(),
        }
    }
}

/// The points of a part, or all.
pub(in crate::cli) fn of_part(grid: &[Point], part: Option<Part>) -> Vec<Point> {
    let Some(part) = part else { return grid.to_vec() };
    let own = part.of_points(grid);
    grid.iter().filter(|point| own.contains(&point.index)).cloned().collect()
}

/// Fits, charts and the page of a run, in its directory.
fn analysed(directory: &Path) -> Result<(Analysis, Vec<PathBuf>), Failure> {
    let analysis = analyse(directory)?;
    fits::write_fits(directory, &analysis.fits)?;
    let charts = draw_charts(&analysis, None)?;
    report::write(&analysis, None, PageTheme::Auto)?;
    Ok((analysis, charts))
}

/// The command as it was given.
fn given() -> impl Iterator<Item = String> {
    std::env::args_os().map(|argument| argument.to_string_lossy().into_owned())
}

fn now() -> String {
    let now = Zoned::now();
    now.round(Unit::Second).unwrap_or(now).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}
