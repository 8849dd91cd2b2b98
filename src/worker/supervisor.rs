//! The side that asks: keeps a worker for a device, starts it again when a point took it down or broke the device, and
//! finds out which point that was.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ecow::EcoString;

use super::locked_clock::LockedClock;
use super::message::{Begin, Opened, Reply, Request, State};
use super::process::{Launcher, Loss, Process, Workers};
use crate::device::select::DeviceSpec;
use crate::device::{DeviceError, Guard, GuardOutcome, merge_guards};
use crate::family::Family;
use crate::properties::{Origin, Properties};
use crate::record::{Measured, PointRecord, Status, TimeSpent};
use crate::scenario::{Point, Scenario};
use crate::user_kernel::UserKernel;

/// Processes that may die one after the other while they open the device.
const ATTEMPTS: usize = 3;
/// The least time that a device has to open: drivers are slow to wake.
const OPENING: Duration = Duration::from_secs(120);

/// Told what kernels and workers print, line by line.
pub type Printed<'a> = &'a mut dyn FnMut(&str);

/// How workers are run.
#[derive(Clone)]
pub struct Conditions {
    /// How to start one.
    pub launcher: Launcher,
    /// Where those that are alive are kept.
    pub workers: Arc<Workers>,
    /// How long a point may take.
    pub point_timeout: Duration,
    /// Whether the hardware of devices is to count what points do.
    pub counts: bool,
    /// Whether the energy of points will be asked for.
    pub energy: bool,
    /// What the clocks of devices are locked at while they are measured, in MHz.
    pub lock_clocks_mhz: Option<u32>,
}

/// A device in a worker process.
pub struct Supervisor {
    conditions: Conditions,
    device: String,
    process: Option<Process>,
    /// Its clock, where that is locked; behind the process, which takes the lock back as well when it ends.
    clock: Option<LockedClock>,
    opened: Option<Opened>,
    sweep: Option<Sweep>,
    /// What opening took that no sweep has counted yet.
    opening: Duration,
}

/// The sweep that is being measured.
struct Sweep {
    begin: Begin,
    family: &'static Family,
    /// Of workers that are no more.
    past: State,
    /// Of the one that is.
    now: State,
    /// How often a worker took the place of another.
    restarts: usize,
}

/// The result of a request to measure a group.
struct Answer {
    measured: Vec<Measured>,
    /// Points to ask for again.
    lost: Vec<Point>,
    /// Why there is no answer at all.
    loss: Option<Loss>,
}

impl Supervisor {
    /// Opens a device in a worker process.
    ///
    /// # Errors
    /// Why it cannot be opened, or that the process died while it was.
    pub fn open(conditions: Conditions, device: &str, printed: Printed<'_>) -> Result<Self, DeviceError> {
        let mut supervisor = Self {
            conditions,
            device: device.to_owned(),
            process: None,
            clock: None,
            opened: None,
            sweep: None,
            opening: Duration::ZERO,
        };
        supervisor.connect(printed)?;
        Ok(supervisor)
    }

    /// What is known of the device.
    pub fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    /// Whether its workers were killed, so that what the last one did not answer is no failure of its point.
    pub fn workers_are_killed(&self) -> bool {
        self.conditions.workers.are_killed()
    }

    /// Begins a sweep.
    ///
    /// # Errors
    /// What the device says, or that the process died.
    pub fn begin(&mut self, scenario: &Scenario, printed: Printed<'_>) -> Result<(), DeviceError> {
        let begin = Begin {
            scenario: scenario.name.clone(),
            file_name: "scenario.toml".to_owned(),
            text: scenario.text.clone(),
            kernel: scenario.kernel.and_then(UserKernel::compiled),
            // Whatever the worker's own folder is.
            directory: std::env::current_dir().unwrap_or_default().join(&scenario.directory),
            settings: scenario.measure,
        };
        let (past, now) = (State::default(), State::default());
        if self.sweep.is_some() {
            self.opening = Duration::ZERO;
        }
        self.clock.iter_mut().for_each(LockedClock::begin_sweep);
        self.sweep = Some(Sweep { begin, family: scenario.family, past, now, restarts: 0 });
        let started = Instant::now();
        let alive = self.process.as_ref().is_some_and(Process::is_alive);
        if alive && self.begin_in_process(printed).is_ok() {
            self.opening += started.elapsed();
            return Ok(());
        }
        self.process = None;
        self.connect(printed)
    }

    /// Measures the points of a group together; the results are in their order. `next` is the group that will be
    /// asked for after this one.
    ///
    /// # Errors
    /// When the device cannot be opened again after a point broke it. What points do wrong is in their records.
    pub fn measure(
        &mut self,
        group: &[Point],
        next: Option<&[Point]>,
        printed: Printed<'_>,
    ) -> Result<Vec<Measured>, DeviceError> {
        let mut done: Vec<Measured> = Vec::with_capacity(group.len());
        let mut waiting = VecDeque::from([group.to_vec()]);
        while let Some(asked) = waiting.pop_front() {
            let after = waiting.front().map(Vec::as_slice).or(next);
            let Answer { measured, lost, loss } = self.ask(&asked, after, printed)?;
            let failed = measured.iter().any(|measured| measured.record.status == Status::Failed);
            let progress = !measured.is_empty();
            self.clock.iter_mut().for_each(|clock| clock.note(&measured));
            done.extend(measured);
            if loss.is_some() || !lost.is_empty() || (failed && self.can_be_broken()) {
                self.leave();
            }
            match (asked.as_slice(), &loss) {
                ([point], _) if !lost.is_empty() => done.push(self.without_answer(point, loss.as_ref())),
                // Whichever of them it was that took the worker down is found out by asking for each alone.
                _ if !progress => lost.into_iter().rev().for_each(|point| waiting.push_front(vec![point])),
                _ if !lost.is_empty() => waiting.push_front(lost),
                _ => {}
            }
        }
        let place = |measured: &Measured| group.iter().position(|point| point.index == measured.record.point);
        done.sort_by_key(place);
        Ok(done)
    }

    /// What could have spoilt the sweep's measurements.
    pub fn guards(&self) -> Vec<Guard> {
        let Some(sweep) = &self.sweep else { return Vec::new() };
        let mut guards = merge_guards(sweep.past.guards.clone(), sweep.now.guards.clone());
        guards.extend(self.clock.as_ref().map(LockedClock::guard));
        if sweep.restarts > 0 {
            let detail = format!(
                "the device was opened again {} after failed points; its clock and temperature started again",
                if sweep.restarts == 1 { "once".to_owned() } else { format!("{} times", sweep.restarts) }
            );
            guards.push(Guard { guard: "worker".to_owned(), outcome: GuardOutcome::Flagged, detail });
        }
        guards
    }

    /// What the sweep's time went into, but for writing it down. Opening the device is part of the first sweep on it.
    pub fn time_spent(&self) -> TimeSpent {
        let mut total = TimeSpent::default();
        for state in self.sweep.iter().flat_map(|sweep| [&sweep.past, &sweep.now]) {
            total.add(&state.time_spent);
        }
        total.opening_s = self.opening.as_secs_f64();
        total
    }

    /// Whether a point that fails may leave the device unfit for others, as it does with a CUDA context.
    fn can_be_broken(&self) -> bool {
        self.opened.as_ref().is_none_or(|opened| opened.properties.origin != Origin::Simulated)
    }

    /// Asks for a group, on a device opened anew if need be.
    fn ask(&mut self, group: &[Point], next: Option<&[Point]>, printed: Printed<'_>) -> Result<Answer, DeviceError> {
        if self.process.as_ref().is_some_and(|process| !process.is_alive()) {
            self.leave();
        }
        self.connect(printed)?;
        let indexes = |points: &[Point]| points.iter().map(|point| point.index).collect::<Vec<_>>();
        let request = Request::Measure { points: indexes(group), next: next.map(indexes) };
        let points = u32::try_from(group.len()).unwrap_or(u32::MAX);
        let timeout = self.conditions.point_timeout.saturating_mul(points);
        let reply = match &mut self.process {
            Some(process) => process.ask(&request, timeout, printed),
            None => Err(Loss::TimedOut),
        };
        match reply {
            Ok(Reply::Measured { measured, state, .. }) => {
                if let Some(sweep) = &mut self.sweep {
                    sweep.now = state;
                }
                let is_lost = |point: &&Point| !measured.iter().any(|measured| measured.record.point == point.index);
                let lost = group.iter().filter(is_lost).cloned().collect();
                Ok(Answer { measured, lost, loss: None })
            }
            Ok(Reply::Refused(refusal)) => Err(refusal.into()),
            Ok(Reply::Opened(_) | Reply::Begun(_)) => Err(out_of_turn()),
            Err(loss) => Ok(Answer { measured: Vec::new(), lost: group.to_vec(), loss: Some(loss) }),
        }
    }

    /// Ensures that a worker runs, with the device open and the sweep started.
    fn connect(&mut self, printed: Printed<'_>) -> Result<(), DeviceError> {
        if self.process.is_some() {
            return Ok(());
        }
        let mut problem = String::new();
        for _ in 0..ATTEMPTS {
            let began = Instant::now();
            let started = self.start(printed);
            self.opening += began.elapsed();
            match started {
                Ok(()) => return Ok(()),
                Err(Unready::Refused(error)) => {
                    self.process = None;
                    return Err(error);
                }
                Err(Unready::Lost(loss)) => {
                    self.process = None;
                    problem = match loss {
                        Loss::Ended { how, last_words } => with_last_words(&how, "opening the device", &last_words),
                        Loss::TimedOut => {
                            return Err(DeviceError::Failed(format!(
                                "opening {} took longer than {}",
                                self.device,
                                humantime::format_duration(self.opening_timeout())
                            )));
                        }
                    };
                }
            }
        }
        Err(DeviceError::Failed(format!("{}: {problem}, {ATTEMPTS} times in a row", self.device)))
    }

    fn opening_timeout(&self) -> Duration {
        self.conditions.point_timeout.max(OPENING)
    }

    fn start(&mut self, printed: Printed<'_>) -> Result<(), Unready> {
        let Conditions { launcher, workers, .. } = &self.conditions;
        let mut process = Process::start(launcher, workers)
            .map_err(|error| Unready::Refused(DeviceError::Failed(format!("starting a worker process: {error}"))))?;
        let Conditions { counts, energy, .. } = self.conditions;
        let request = Request::Open { device: self.device.clone(), counts, energy };
        match process.ask(&request, self.opening_timeout(), printed).map_err(Unready::Lost)? {
            Reply::Opened(opened) => {
                self.note_opened(*opened).map_err(Unready::Refused)?;
                self.lock_clock(&mut process).map_err(Unready::Refused)?;
            }
            Reply::Refused(refusal) => return Err(Unready::Refused(refusal.into())),
            _ => return Err(Unready::Refused(out_of_turn())),
        }
        self.process = Some(process);
        self.begin_in_process(printed)
    }

    /// Keeps what is known of the device, and that it is the same one whenever it is opened again.
    fn note_opened(&mut self, opened: Opened) -> Result<(), DeviceError> {
        let Some(before) = &self.opened else {
            if self.device == DeviceSpec::Auto.to_string() {
                self.device.clone_from(&opened.properties.spec);
            }
            self.opened = Some(opened);
            return Ok(());
        };
        let (before, now) = (&before.properties, &opened.properties);
        if (&before.name, &before.uuid) == (&now.name, &now.uuid) {
            return Ok(());
        }
        let label = |properties: &Properties| match &properties.uuid {
            Some(uuid) => format!("{} ({uuid})", properties.name),
            None => properties.name.clone(),
        };
        Err(DeviceError::Failed(format!("{} was {} before, and is {} now", self.device, label(before), label(now))))
    }

    /// Locks the device's clock, where that is wanted. The worker is told before, so that it takes the lock back whenever this process is no more.
    fn lock_clock(&mut self, process: &mut Process) -> Result<(), DeviceError> {
        let (Some(mhz), Some(opened)) = (self.conditions.lock_clocks_mhz, &self.opened) else { return Ok(()) };
        let clock = match self.clock.take() {
            Some(clock) => clock,
            None => LockedClock::prepare(mhz, opened.clocks.as_ref(), &opened.properties)?,
        };
        process.tell(&Request::RestoreClocks(Some(clock.target().clone())));
        self.conditions.workers.add_lock(&clock.lock);
        let taken = clock.take();
        if taken.is_err() {
            process.tell(&Request::RestoreClocks(None));
        } else {
            self.clock = Some(clock);
        }
        taken
    }

    /// Takes the lock of the device's clock back, where there is one.
    ///
    /// # Errors
    /// Why that is not possible, with the command that does it.
    pub fn restore_clock(&self) -> Result<(), String> {
        self.clock.as_ref().map_or(Ok(()), LockedClock::restore)
    }

    fn begin_in_process(&mut self, printed: Printed<'_>) -> Result<(), Unready> {
        let timeout = self.opening_timeout();
        let (Some(process), Some(sweep)) = (&mut self.process, &mut self.sweep) else { return Ok(()) };
        match process.ask(&Request::Begin(Box::new(sweep.begin.clone())), timeout, printed).map_err(Unready::Lost)? {
            Reply::Begun(state) => {
                sweep.now = state;
                Ok(())
            }
            Reply::Refused(refusal) => Err(Unready::Refused(refusal.into())),
            _ => Err(Unready::Refused(out_of_turn())),
        }
    }

    /// Ends the worker, keeping what it had to say.
    fn leave(&mut self) {
        self.process = None;
        if let Some(sweep) = &mut self.sweep {
            let now = std::mem::take(&mut sweep.now);
            sweep.past.guards = merge_guards(std::mem::take(&mut sweep.past.guards), now.guards);
            sweep.past.time_spent.add(&now.time_spent);
            sweep.restarts += 1;
        }
    }

    /// How a point ended that there is no answer for. That simulating it takes long says nothing of its kernel.
    fn ended(&self, loss: Option<&Loss>) -> (Status, String) {
        match loss {
            Some(Loss::Ended { how, last_words }) => {
                (Status::Failed, with_last_words(how, "running this point", last_words))
            }
            Some(Loss::TimedOut) => {
                let limit = humantime::format_duration(self.conditions.point_timeout);
                let origin = self.opened.as_ref().map(|opened| opened.properties.origin);
                if origin == Some(Origin::Simulated) {
                    (Status::NotRun, format!("simulating it takes longer than {limit} (--point-timeout)"))
                } else {
                    (Status::Failed, format!("took longer than {limit} (--point-timeout)"))
                }
            }
            None => (Status::Failed, "the device was lost, and again after it was reopened".to_owned()),
        }
    }

    /// The record of a point that its worker gave no answer for.
    fn without_answer(&self, point: &Point, loss: Option<&Loss>) -> Measured {
        let (status, reason) = self.ended(loss);
        let sweep = self.sweep.as_ref();
        let predictors = sweep.map(|sweep| sweep.family.predictors).unwrap_or_default();
        let opened = self.opened.as_ref();
        let told = opened.zip(sweep);
        let counters =
            told.map(|(opened, sweep)| opened.columns(sweep.family, sweep.begin.settings.energy)).unwrap_or_default();
        Measured::of(PointRecord {
            point: point.index,
            variant: point.variant.name.into(),
            parameters: point.parameters.iter().map(|(name, value)| (name, value.to_string().into())).collect(),
            status,
            reason: reason.into(),
            origin: opened.map_or(Origin::Mock, |opened| opened.properties.origin),
            timing: None,
            bytes: None,
            operations: None,
            predictors: predictors.iter().map(|predictor| (predictor.name, None)).collect(),
            counters: counters.into_iter().map(|name| (name, EcoString::new())).collect(),
        })
    }
}

/// Why a worker is not ready.
enum Unready {
    /// It says so itself.
    Refused(DeviceError),
    /// It is gone.
    Lost(Loss),
}

fn out_of_turn() -> DeviceError {
    DeviceError::Failed("the worker process sent a reply without a request".to_owned())
}

fn with_last_words(how: &str, doing: &str, last_words: &str) -> String {
    if last_words.is_empty() { format!("{how} while {doing}") } else { format!("{how} while {doing}: {last_words}") }
}
