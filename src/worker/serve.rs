//! The worker's side: opens a device and measures the groups that it is asked for.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::message::{Begin, Opened, Refusal, Reply, Request, State, read_request, reply_text};
use crate::data_file;
use crate::device::clocks::{ClockTarget, GpuClocks};
use crate::device::energy::EnergyCounter;
use crate::device::select::DeviceSpec;
use crate::device::{Device, DeviceError};
use crate::measure::session::{GroupOutcome, Session};
use crate::scenario::{Point, Scenario};

/// How long a process whose input has ended may take to end: a driver may wait for its kernels then.
const ENDING: Duration = Duration::from_secs(2);

/// The same where it takes the lock of a clock back.
const ENDING_WITH_CLOCKS: Duration = Duration::from_secs(10);

/// Serves requests until there are no more. Does not return where the input ends while something is being measured:
/// the process ends then. Either way the lock of a clock is taken back that it was told of.
///
/// # Errors
/// When a reply cannot be written, or a request cannot be read.
pub fn serve(input: impl BufRead + Send + 'static, output: &mut impl Write) -> io::Result<()> {
    let clocks = ClocksToRestore::default();
    let served = serve_requests(&receive(input, clocks.clone()), output);
    // Whoever asks may be gone before it is noticed that there are no more requests.
    clocks.restore();
    served
}

/// Clocks whose lock is to be taken back when the process ends, by whichever thread comes to it first.
#[derive(Clone, Default)]
struct ClocksToRestore(Arc<Mutex<Option<Box<dyn GpuClocks + Send>>>>);

impl ClocksToRestore {
    fn inner(&self) -> MutexGuard<'_, Option<Box<dyn GpuClocks + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, target: Option<ClockTarget>) {
        *self.inner() = target.and_then(|target| target.open().ok());
    }

    fn are_some(&self) -> bool {
        self.inner().is_some()
    }

    /// Takes the lock back. Another thread that does so is waited for.
    fn restore(&self) {
        let mut inner = self.inner();
        if let Some(clocks) = &mut *inner {
            let _ = clocks.reset();
        }
        *inner = None;
    }
}

fn serve_requests(requests: &Receiver<Request>, output: &mut impl Write) -> io::Result<()> {
    let mut replies = Replies(output);
    let Ok(Request::Open { device: spec, counts, energy }) = requests.recv() else { return Ok(()) };
    let mut notes = Vec::new();
    let device = match spec.parse::<DeviceSpec>() {
        Ok(spec) => spec.open(|note| notes.push(note)),
        Err(problem) => Err(DeviceError::Missing(problem)),
    };
    let mut device = match device {
        Ok(device) => device,
        Err(error) => return replies.refuse(error),
    };
    let counters = counts.then(|| device.count_by_hardware());
    notes.extend(counters.as_ref().map(|counters| match counters {
        Ok(library) => format!("note: {library} counts each point after its times were taken"),
        Err(why) => format!("note: no hardware counters, the sweep goes on without: {why}"),
    }));
    let no_counters = counters.and_then(Result::err);
    if energy {
        device.measure_energy();
        notes.push(match device.energy_counter() {
            Ok(EnergyCounter { update_period_ms, idle_w }) => format!(
                "note: the energy of each point is measured after its times; the counter changes every {update_period_ms:.0} ms, and the idle \
                 device draws {idle_w:.1} W"
            ),
            Err(why) => format!("note: no energies, the sweep goes on without: {why}"),
        });
    }
    replies.send(&Reply::Opened(Box::new(Opened {
        properties: device.properties().clone(),
        counter_columns: device.counter_columns().iter().map(|&column| column.to_owned()).collect(),
        clocks: device.clock_target(),
        energy: device.energy_counter().ok().filter(|_| energy),
        repeats_exactly: device.repeats_exactly(),
        notes,
    })))?;
    let mut request = requests.recv();
    while let Ok(Request::Begin(begin)) = request {
        request = serve_sweep(&*device, &begin, no_counters.as_deref(), requests, &mut replies)?;
    }
    Ok(())
}

/// Measures the groups of one sweep; returns the request that is not one of its.
fn serve_sweep(
    device: &dyn Device,
    begin: &Begin,
    no_counters: Option<&str>,
    requests: &Receiver<Request>,
    replies: &mut Replies<'_, impl Write>,
) -> io::Result<Result<Request, mpsc::RecvError>> {
    let scenario = Scenario::of_run(&begin.scenario, &begin.file_name, &begin.text);
    let loaded = scenario.map_err(|errors| errors.to_string()).and_then(|scenario| {
        if let (Some(kernel), Some(compiled)) = (scenario.kernel, &begin.kernel) {
            scenario.load_kernel(compiled).map_err(|errors| errors.to_string())?;
            data_file::load(kernel, &begin.directory, &compiled.files)?;
        }
        let points = scenario.points(device.properties()).map_err(|errors| errors.to_string())?;
        Ok((points, scenario.family))
    });
    let (points, family) = match loaded {
        Ok(loaded) => loaded,
        Err(problem) => {
            replies.refuse(DeviceError::Failed(problem))?;
            return Ok(Err(mpsc::RecvError));
        }
    };
    let mut session = Session::open(device, family, begin.settings);
    if let Some(why) = no_counters {
        session.note_without_counters(why);
    }
    let state = |session: &Session<'_>| State { guards: session.guards(), time_spent: session.time_spent() };
    replies.send(&Reply::Begun(state(&session)))?;
    let find = |indexes: &[usize]| indexes.iter().filter_map(|index| points.get(*index).cloned()).collect::<Vec<_>>();
    loop {
        let request = requests.recv();
        let Ok(Request::Measure { points: group, next }) = request else { return Ok(request) };
        let next: Option<Vec<Point>> = next.map(|next| find(&next));
        let GroupOutcome { measured, lost } = session.measure(&find(&group), next.as_deref());
        let lost = lost.iter().map(|point| point.index).collect();
        replies.send(&Reply::Measured { measured, lost, state: state(&session) })?;
    }
}

/// Requests as they come, read on a thread of their own, which ends the process where they end: so a worker that is
/// stuck in a kernel does not outlive the process that asks.
fn receive(input: impl BufRead + Send + 'static, clocks: ClocksToRestore) -> Receiver<Request> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in input.lines() {
            let request = line.map_err(io::Error::other).and_then(|line| read_request(&line).map_err(io::Error::other));
            let Ok(request) = request else { break };
            // Here, so that it is done whatever the device does.
            if let Request::RestoreClocks(target) = request {
                clocks.set(target);
            } else if sender.send(request).is_err() {
                break;
            }
        }
        let limit = if clocks.are_some() { ENDING_WITH_CLOCKS } else { ENDING };
        thread::spawn(move || {
            thread::sleep(limit);
            std::process::abort();
        });
        clocks.restore();
        std::process::exit(0);
    });
    receiver
}

/// Where replies go.
struct Replies<'a, W>(&'a mut W);

impl<W: Write> Replies<'_, W> {
    fn send(&mut self, reply: &Reply) -> io::Result<()> {
        let text = reply_text(reply).map_err(io::Error::other)?;
        self.0.write_all(text.as_bytes())?;
        self.0.flush()
    }

    fn refuse(&mut self, error: DeviceError) -> io::Result<()> {
        self.send(&Reply::Refused(Refusal::from(error)))
    }
}
