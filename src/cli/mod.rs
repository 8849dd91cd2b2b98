//! The command line: one file for each command, and the only place that prints.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod analysis;
mod compare;
mod devices;
mod dry_run;
mod estimate;
mod export;
mod failure;
mod findings;
mod fit;
mod ladder;
mod list;
mod measure_options;
mod merge;
mod occupancy;
mod output;
mod pictures;
mod plot;
mod predict;
mod profile;
mod progress;
mod reference;
mod report;
mod run_directory;
mod selfcheck;
mod sweep;
mod verify;
mod worker;

/// What anti-parallel patterns cost on an NVIDIA GPU: sweeps, fitted laws and charts.
#[derive(Debug, Parser)]
#[command(name = "apbench", version, after_help = after_help())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What stands below the help of the program: every exit status.
fn after_help() -> String {
    const WIDTH: usize = 90;
    let mut lines = vec!["Exit status:".to_owned()];
    for status in &failure::EXIT_STATUSES {
        lines.extend(output::wrapped(&format!("  {:<4} ", status.code), status.meaning, WIDTH));
    }
    lines.join("\n")
}

const SWEEP_HELP: &str = "\
Examples:
  apbench sweep scenarios/branching.toml --dry-run
  apbench sweep scenarios/branching.toml --set branches=1,2,4,8 --out my-run

`apbench list` has the parameters for --set with their ranges; the files in scenarios/ are examples to copy. \
A sweep ends with status 4 when a point failed or gave a wrong result; every point has its row all the same.";

const PLOT_HELP: &str = "\
Examples:
  apbench plot my-run
  apbench plot my-run --x branches --series operation --log y --name by-branches
  apbench plot my-run --kind bars --normalise divergent --size 1200x700 --theme dark
  apbench plot my-run --kind heat --x block_width --rows block_height
  apbench plot measured simulated --out overlaid

The options say what the keys of a [[chart]] say. With --chart or without --x and --kind they change the scenario's charts; else \
they describe a chart that the scenario does not have.";

const FIT_HELP: &str = "\
Examples:
  apbench fit my-run
  apbench fit my-run --law auto --predictor branches
  apbench fit my-run --holdout 25%

`apbench list` has the laws. What --law, --predictor and --robust ask for is printed, and fits.csv left as it is.";

const PREDICT_HELP: &str = "\
Examples:
  apbench predict my-run --set branches=48
  apbench predict my-run --set branches=1,2,48 --set operation=compute --variant divergent
  apbench predict my-run --set interval=3 --law auto --predictor interval";

const ESTIMATE_HELP: &str = "\
Examples:
  apbench estimate prefix-sum
  apbench estimate prefix-sum --set elements=16777216 --json
  apbench estimate scenarios/prefix-sum.toml --laws results/nvidia-h200 --run my-run

Laws are those of the pattern scenarios' runs in the directory that --laws names; docs/estimate.md has the formulas.";

const MERGE_HELP: &str = "\
Example:
  apbench sweep scenarios/branching.toml --part 0/2 --out part0
  apbench sweep scenarios/branching.toml --part 1/2 --out part1
  apbench merge part0 part1 --out whole

The parts may be of different machines, with GPUs of the same model. What else differs is shown, and nothing is joined.";

const DEVICES_HELP: &str = "\
A simulated device follows a profile: the constants of a GPU, each with its source. For one of your own, copy a file \
of crates/gpu-simulator/src/profile/, change it, and give its path: apbench devices --device sim:my-gpu.toml";

const EXPORT_HELP: &str = "\
Example, for a harness that is to measure what the first two points of a scenario launch:
  apbench export scenarios/branching.toml --device cuda:0 --point 0 --point 1 --out launches

DIR/kernels.ptx are the kernels; DIR/point-N/launch.json has a point's entry points, grids, arguments and buffers. The \
buffers' contents and the outputs they must have are in DIR/data, as little-endian 32-bit words; buffers with a \
fill_word are filled with that.";

const COMPARE_HELP: &str = "\
Examples:
  apbench compare results/nvidia-h200/branching results/simulated-h200/branching
  apbench compare before after --fail-on slower:5%
  apbench compare integer float --ignore arithmetic
  apbench compare \"results/published:GeForce GTX 280\" results/nvidia-h200/global-access
  apbench compare --table 4.1

Points belong together where variant and parameters agree. SLOWER and FASTER say that the whole 95 % interval of the ratio is beyond 1 % (or \
the device's noise floor, where that is more); SAME, that it is within; LIKELY ..., that it excludes 1 but not all of it counts; UNSURE, that \
more rounds are needed. --fail-on ends with status 5 where a point's difference is significant after Holm's correction over all points.";

const LADDER_HELP: &str = "\
Examples:
  apbench ladder results/nvidia-h200/prefix-sum
  apbench ladder my-run --all
  apbench ladder my-run other-run --csv > ladders.csv

A ladder is a family whose variants are rungs from a naive kernel to the limit of the device, each without a pattern that the rung before has; \
`apbench list FAMILY` says which. A step is how many times as fast a rung is as the one before, below 1 where it is slower.";

const OCCUPANCY_HELP: &str = "\
Examples:
  apbench occupancy branching --set width=4096 --set block=64,128,256,512,1024
  apbench occupancy branching --set operation=convolution --device sim:gtx280

What a block takes of a multiprocessor's threads, registers and shared memory says how many blocks that holds at once. On a CUDA \
device the driver is asked as well; where it says otherwise than the documented rule, the exit status is 4.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure every point of a scenario's grid, fit its laws and draw its charts
    #[command(after_help = SWEEP_HELP)]
    Sweep(sweep::Arguments),
    /// Fit the laws of a run again, or others, from its files
    #[command(after_help = FIT_HELP)]
    Fit(fit::Arguments),
    /// Show what each rung of a ladder gains: patterns removed one by one, beside published figures and the device's limit
    #[command(after_help = LADDER_HELP)]
    Ladder(ladder::Arguments),
    /// Say what the laws of a run predict for points that it does not have
    #[command(after_help = PREDICT_HELP)]
    Predict(predict::Arguments),
    /// Estimate what the rungs of a ladder take, from the laws of the pattern scenarios on the same device
    #[command(after_help = ESTIMATE_HELP)]
    Estimate(estimate::Arguments),
    /// Draw the charts of runs again, from their files, or charts of other views
    #[command(after_help = PLOT_HELP)]
    Plot(plot::Arguments),
    /// Make one HTML page of a run, which opens offline: findings, interactive charts, tables and the data
    Report(report::Arguments),
    /// Join the parts of a sweep, measured with --part, into a whole run
    #[command(after_help = MERGE_HELP)]
    Merge(merge::Arguments),
    /// Write what each point asks of a device as files, for another harness to run the same launches
    #[command(after_help = EXPORT_HELP)]
    Export(export::Arguments),
    /// List the families of kernels with their variants and parameters, and the laws
    List(list::Arguments),
    /// Say how many blocks of a family's kernels a multiprocessor holds, and what limits them
    #[command(after_help = OCCUPANCY_HELP)]
    Occupancy(occupancy::Arguments),
    /// List the devices that sweeps can run on, real and simulated
    #[command(after_help = DEVICES_HELP)]
    Devices(devices::Arguments),
    /// Check every variant of every family against the host's results, at small sizes
    Verify(verify::Arguments),
    /// Measure points for a sweep, as it asks on standard input
    #[command(hide = true)]
    Worker,
    /// Write the reference pages of the documentation, from the program's own tables
    #[command(hide = true)]
    Reference(reference::Arguments),
    /// Put runs side by side: two GPUs, two drivers, a GPU and a simulated one, or published figures
    #[command(after_help = COMPARE_HELP)]
    Compare(compare::Arguments),
    /// Find out whether measurements on a device can be trusted: compare a kernel with itself and with a longer one
    Selfcheck(selfcheck::Arguments),
}

/// Runs the program with the process's arguments; the exit status says how it went.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Ladder(arguments) => ladder::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Estimate(arguments) => estimate::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Occupancy(arguments) => occupancy::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Worker => worker::run(),
        Command::Reference(arguments) => reference::run(&arguments, &Arguments::command()),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Selfcheck(arguments) => selfcheck::run(&arguments),
    };
    match result {
        Ok(status) => status.into(),
        Err(failure) => failure.report(),
    }
}
