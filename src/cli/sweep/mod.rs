//! `apbench sweep`: measures every point of a scenario's grid, then fits its laws and draws its charts.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::dry_run;
use super::failure::{Failure, Status};
use super::measure_options::MeasureOptions;
use super::output::tell;
use super::progress::Display;
use super::{profile, run_directory, scenario_file};
use crate::run::metadata::Part;
use crate::scenario::Sizes;
use crate::worker::process::Launcher;
use crate::worker::supervisor::{Conditions, Supervisor};
use devices::DeviceChoice;
use interrupt::Interrupt;
use job::Job;
use results::Results;

mod devices;
mod document;
mod go_on;
mod interrupt;
mod job;
mod results;

pub(super) use devices::Target;
pub(super) use document::KEYS;
pub(super) use job::of_part;

/// Options of `sweep`.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option that is given or not")]
pub(super) struct Arguments {
    /// Scenarios: files, or names of scenarios that come with apbench
    #[arg(value_name = "SCENARIO", required = true)]
    scenarios: Vec<PathBuf>,
    /// Device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME, sim:FILE.toml, or all (every CUDA device).
    /// Give it several times to sweep several devices at the same time. `apbench devices` lists them
    #[arg(long = "device", value_name = "SPEC", default_value = "auto")]
    devices: Vec<DeviceChoice>,
    /// Run directory, new or empty [default: a new one under results/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in --out DIR where it stopped, or start it if the directory is new
    #[arg(long)]
    resume: bool,
    /// Measure part K of N parts of the grid, K from 0 to N - 1, to spread a sweep over machines
    #[arg(long, value_name = "K/N")]
    part: Option<Part>,
    /// Replace a parameter's values: branches=1,2,4 or 'branches={ from = 1, to = 8, step = 1 }'
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// Measure only this variant; may be given several times [default: all of the scenario]
    #[arg(long = "variant", value_name = "NAME")]
    variants: Vec<String>,
    /// Use the sizes of [grid] (gpu), or the smaller ones of [simulated] (simulated), which a simulated GPU does in seconds
    /// [default: gpu; simulated for simulated GPUs of compute capability 1, and where the scenario says so]
    #[arg(long, value_enum, value_name = "WHICH")]
    sizes: Option<SizesOption>,
    /// Print the points, and at most how much time and memory they need; measure nothing
    #[arg(long)]
    dry_run: bool,
    /// Run each point once, without timing or warm-up and without a run directory: for a profiler such as Nsight Compute
    #[arg(long, alias = "profile", conflicts_with = "dry_run")]
    profiler_run: bool,
    /// Longest time for a point, after which it fails, or is not run if it is simulated: 90, 90s, 10m
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = point_timeout)]
    point_timeout: Duration,
    /// Have the GPU's hardware count each point after its times were taken: columns of points.csv, those with hw_ for what a
    /// simulated GPU does not count. Needs NVIDIA's CUPTI, and the right to use it
    #[arg(long, value_enum, value_name = "WHOSE", conflicts_with_all = ["dry_run", "profiler_run"])]
    counters: Option<CountersOption>,
    /// Measure the energy of each point after its times, by the GPU's own counter, into columns of points.csv; idle power is taken off. Takes
    /// some seconds for each point; the same as energy = true in [measure] of the scenario
    #[arg(long, conflicts_with_all = ["dry_run", "profiler_run"])]
    energy: bool,
    /// Lock the clock of the multiprocessors at this many MHz while points are measured, and take the lock back however the sweep ends. Takes an
    /// administrator's rights; where it is not possible nothing is measured [default: the clock is left as it is]
    #[arg(long, value_name = "MHZ", value_parser = clock_mhz,
        conflicts_with_all = ["dry_run", "profiler_run"])]
    lock_clocks: Option<u32>,
    #[command(flatten)]
    measuring: MeasureOptions,
    /// Refuse a grid with more points than this
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_points: u32,
    /// End as if interrupted when the standard input ends: for a program that starts sweeps
    #[arg(long, hide = true, conflicts_with_all = ["dry_run", "profiler_run"])]
    end_with_input: bool,
    /// Print the results as JSON, and nothing else, when all runs have ended
    #[arg(long, conflicts_with_all = ["dry_run", "profiler_run"])]
    json: bool,
}

/// What `--counters` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CountersOption {
    Hardware,
}

/// What `--sizes` takes.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum SizesOption {
    Gpu,
    Simulated,
}

impl From<SizesOption> for Sizes {
    fn from(option: SizesOption) -> Self {
        match option {
            SizesOption::Gpu => Self::Gpu,
            SizesOption::Simulated => Self::Simulated,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let mut overrides = arguments.overrides.clone();
    overrides.extend(arguments.measuring.overrides());
    overrides.extend(arguments.energy.then(|| "--energy true".to_owned()));
    overrides.extend(arguments.variants.iter().map(|name| format!("--variant {name}")));
    let load = |path: &PathBuf| scenario_file::load(path, &overrides, arguments.max_points as usize);
    let scenarios = Failure::all_of(arguments.scenarios.iter().map(load));
    let targets = devices::expand(&arguments.devices).and_then(|targets| {
        check(arguments, arguments.scenarios.len() * targets.len())?;
        // Else devices are opened when it is known what for.
        if scenarios.is_err() { devices::are_there(&targets).map(|()| targets) } else { Ok(targets) }
    });
    let (targets, scenarios) = Failure::both(targets, scenarios)?;
    let sizes = arguments.sizes.map(Sizes::from);
    for scenario in &scenarios {
        let of_charts = scenario.charts.iter().flat_map(|chart| scenario.notes_on(chart));
        for note in scenario.left_out.iter().cloned().chain(of_charts) {
            tell(format!("note: {note}"));
        }
    }
    if arguments.resume && arguments.out.is_none() {
        return Err(Failure::Usage(run_directory::which_to_resume(&scenarios)));
    }
    if arguments.dry_run {
        return dry_run::print(&scenarios, &targets, sizes, arguments.part);
    }
    if arguments.profiler_run {
        return profile::run(&scenarios, &targets, sizes, arguments.part);
    }
    let interrupt = Interrupt::catch()?;
    if arguments.end_with_input {
        interrupt.at_end_of_input();
    }
    let counts = arguments.counters == Some(CountersOption::Hardware);
    let energy = scenarios.iter().any(|scenario| scenario.measure.energy);
    let supervisors = open(&targets, arguments, (counts, energy), &interrupt)?;
    let mut devices = Vec::with_capacity(targets.len());
    for (target, supervisor) in targets.iter().zip(supervisors) {
        let jobs = scenarios.iter().zip(&arguments.scenarios);
        let jobs = jobs.map(|(scenario, path)| Job::new(arguments, scenario, path, target, targets.len(), &supervisor));
        devices.push((jobs.collect::<Result<Vec<_>, _>>()?, supervisor));
    }
    Ok(measure(devices, &interrupt, arguments.json)).and_then(Results::status)
}

/// Refuses options that do not go together.
fn check(arguments: &Arguments, runs: usize) -> Result<(), Failure> {
    if arguments.out.is_some() && runs > 1 {
        return Err(Failure::Usage(format!("--out is one run directory, but this sweep makes {runs} runs")));
    }
    if arguments.profiler_run {
        for (given, option) in [(arguments.out.is_some(), "--out"), (arguments.resume, "--resume")] {
            if given {
                return Err(Failure::Usage(format!(
                    "{option} cannot be used with --profiler-run, which writes no run"
                )));
            }
        }
    }
    Ok(())
}

/// Opens all devices, side by side.
fn open(
    targets: &[Target],
    arguments: &Arguments,
    (counts, energy): (bool, bool),
    interrupt: &Interrupt,
) -> Result<Vec<Supervisor>, Failure> {
    let launcher = Launcher::this_program(&["worker"])
        .map_err(|error| Failure::Other(format!("finding the program for worker processes: {error}")))?;
    let (workers, point_timeout) = (interrupt.workers(), arguments.point_timeout);
    let lock_clocks_mhz = arguments.lock_clocks;
    let conditions = Conditions { launcher, workers, point_timeout, counts, energy, lock_clocks_mhz };
    let opened: Vec<_> = thread::scope(|scope| {
        let open = |target: &Target| {
            let (conditions, device) = (conditions.clone(), target.text.clone());
            scope.spawn(move || Supervisor::open(conditions, &device, &mut |line| tell(line)))
        };
        let opening: Vec<_> = targets.iter().map(open).collect();
        opening.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut supervisors = Vec::with_capacity(targets.len());
    for result in opened {
        let result = result.map_err(|_| Failure::Other("a thread that opened a device panicked".to_owned()))?;
        supervisors.push(result?);
    }
    devices::deny_twice(targets, &supervisors)?;
    for note in supervisors.iter().filter_map(Supervisor::opened).flat_map(|opened| &opened.notes) {
        tell(note);
    }
    Ok(supervisors)
}

/// Measures on all devices side by side, on each one scenario after the other.
fn measure(devices: Vec<(Vec<Job<'_>>, Supervisor)>, interrupt: &Interrupt, is_json: bool) -> Results {
    let display = Display::new(devices.len() > 1);
    let names = devices.iter().map(|(jobs, _)| jobs.iter().map(Job::name).collect());
    let mut results = Results::new(names.collect(), is_json);
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        for (device, (jobs, mut supervisor)) in devices.into_iter().enumerate() {
            let (sender, display) = (sender.clone(), &display);
            scope.spawn(move || {
                for (place, job) in jobs.into_iter().enumerate() {
                    let outcome = job.run(&mut supervisor, display, interrupt);
                    let _ = sender.send(((device, place), outcome));
                }
                if let Err(problem) = supervisor.restore_clock() {
                    display.suspend(|| tell(format!("warning: {problem}")));
                }
            });
        }
        drop(sender);
        for (place, outcome) in receiver {
            display.suspend(|| results.add(place, outcome));
        }
    });
    results
}

/// Reads a duration; a plain number is in seconds.
fn point_timeout(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let duration = seconds.or_else(|| humantime::parse_duration(text).ok());
    match duration {
        Some(duration) if !duration.is_zero() => Ok(duration),
        Some(_) => Err("the time must be above zero".to_owned()),
        None => Err("expected seconds, or a duration such as 90s or 10m".to_owned()),
    }
}

/// Reads a clock in MHz.
fn clock_mhz(text: &str) -> Result<u32, String> {
    let mhz = text.trim().parse().ok().filter(|mhz| (1..=100_000).contains(mhz));
    mhz.ok_or_else(|| "expected a whole number of MHz from 1 to 100000, such as 1500".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_whole_numbers_of_mhz() {
        assert_eq!([" 1500", "1", "100000"].map(clock_mhz), [Ok(1500), Ok(1), Ok(100_000)]);
        for text in ["0", "100001", "1.5GHz", "-5", ""] {
            assert!(clock_mhz(text).unwrap_err().contains("whole number of MHz"), "{text}");
        }
    }

    #[test]
    fn durations_are_seconds_or_have_a_unit() {
        assert_eq!(point_timeout("90"), Ok(Duration::from_secs(90)));
        assert_eq!(point_timeout("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(point_timeout("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(point_timeout("1h 30m"), Ok(Duration::from_secs(5400)));
        for text in ["", "0", "0s", "-1", "inf", "NaN", "ten", "1e300"] {
            assert!(point_timeout(text).is_err(), "{text}");
        }
    }
}
