//! `apbench sweep`: measures every point of a scenario's grid, then fits its laws and draws its charts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{Unit, Zoned};

use super::analysis::{Analysis, analyse, draw_charts, print_fits, print_summary};
use super::dry_run;
use super::failure::{Failure, Status};
use super::output::{line, tell};
use super::progress::Progress;
use super::run_directory::new_directory;
use crate::device::select::DeviceSpec;
use crate::device::{Device, Properties};
use crate::kernel::Provenance;
use crate::measure::sweep::sweep;
use crate::record::{Status as PointStatus, TimeSpent, point_columns};
use crate::run::metadata::{Host, RunMetadata, RunStatus};
use crate::run::writer::RunWriter;
use crate::run::{SCHEMA_VERSION, fits};
use crate::scenario::{Point, Scenario};

/// Options of `sweep`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Scenario files
    #[arg(value_name = "SCENARIO.toml", required = true)]
    scenarios: Vec<PathBuf>,
    /// The device: auto (the first CUDA device, else sim:h200), cuda:N, sim:NAME or sim:FILE.toml; may be given several
    /// times. `apbench devices` lists them
    #[arg(long = "device", value_name = "SPEC", default_value = "auto")]
    devices: Vec<DeviceSpec>,
    /// The run directory, new or empty [default: a new one under results/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace a parameter's values: branches=1,2,4 or 'branches={ from = 1, to = 8, step = 1 }'
    #[arg(long = "set", value_name = "PARAM=VALUES")]
    overrides: Vec<String>,
    /// Print the grid and an estimate of its cost, measure nothing
    #[arg(long)]
    dry_run: bool,
    /// Refuse grids with more points than this
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_points: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let runs = arguments.scenarios.len() * arguments.devices.len();
    if arguments.out.is_some() && runs > 1 {
        return Err(Failure::Usage(format!("--out names one run directory, and this makes {runs} runs")));
    }
    let scenarios = arguments
        .scenarios
        .iter()
        .map(|path| Scenario::load(path, &arguments.overrides, arguments.max_points as usize))
        .collect::<Result<Vec<_>, _>>()?;
    if arguments.dry_run {
        return dry_run::print(&scenarios, &arguments.devices);
    }
    let stop = stop_on_interrupt()?;
    let mut status = Status::Success;
    let mut output = Ok(());
    for spec in &arguments.devices {
        let device = spec.open(tell)?;
        for scenario in &scenarios {
            if stop.load(Ordering::SeqCst) {
                tell("interrupted: the runs that are left were not begun");
                return Status::Interrupted.unless_unheard(output);
            }
            let (analysis, charts) = run_one(scenario, &*device, arguments.out.as_deref(), &stop)?;
            // Whoever stops listening does not stop the measuring.
            output = output.and_then(|()| print_run(&analysis, &charts));
            if analysis.run.metadata.status == RunStatus::Interrupted {
                tell(format!("interrupted: the points measured so far are in {}", analysis.run.directory.display()));
                return Status::Interrupted.unless_unheard(output);
            }
            if analysis.run.points.iter().any(|point| point.status != PointStatus::Ok) {
                status = Status::PointsFailed;
            }
        }
    }
    status.unless_unheard(output)
}

/// Measures a scenario on a device into a run directory, with its fits and charts.
fn run_one(
    scenario: &Scenario,
    device: &dyn Device,
    out: Option<&Path>,
    stop: &AtomicBool,
) -> Result<(Analysis, Vec<PathBuf>), Failure> {
    let properties = device.properties().clone();
    let points = scenario.points(&properties)?;
    let directory = match out {
        Some(directory) => directory.to_owned(),
        None => new_directory(&scenario.name, &properties)?,
    };
    let metadata = metadata(scenario, &properties, &points);
    let columns = point_columns(scenario.family, device.counter_columns());
    let mut writer = RunWriter::create(&directory, metadata, &scenario.text, &columns)?;
    let mut progress = Progress::new(&points);
    let status = sweep(device, scenario.family, &points, &scenario.measure, &mut writer, &mut progress, stop);
    drop(progress);
    let status = status?;
    writer.finish(status, now(), Vec::new(), TimeSpent::default())?;

    let analysis = analyse(&directory)?;
    fits::write_fits(&directory, &analysis.fits)?;
    let charts = draw_charts(&analysis, None)?;
    Ok((analysis, charts))
}

pub(super) fn print_run(analysis: &Analysis, charts: &[PathBuf]) -> Result<(), Failure> {
    print_summary(analysis)?;
    print_fits(analysis)?;
    line("")?;
    for chart in charts {
        line(format!("chart: {}", chart.display()))?;
    }
    line(format!("run:   {}", analysis.run.directory.display()))?;
    Ok(())
}

fn metadata(scenario: &Scenario, properties: &Properties, points: &[Point]) -> RunMetadata {
    RunMetadata {
        schema_version: SCHEMA_VERSION,
        apbench_version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: scenario.name.clone(),
        command_line: std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        started_at: now(),
        ended_at: None,
        status: RunStatus::Running,
        points: points.len(),
        host: Host::this(),
        device: properties.clone(),
        kernels: Provenance::of(scenario.family.ptx),
        measure: scenario.measure,
        part: None,
        guards: Vec::new(),
        noise_floor: None,
        time_spent: TimeSpent::default(),
        resumed_at: Vec::new(),
        merged_from: Vec::new(),
    }
}

fn now() -> String {
    let now = Zoned::now();
    now.round(Unit::Second).unwrap_or(now).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// The flag that the first Ctrl-C raises; the second one ends the process.
fn stop_on_interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        tell("interrupted: finishing the point at hand; press Ctrl-C again to stop at once");
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Other(format!("handling Ctrl-C: {error}")))?;
    Ok(stop)
}
