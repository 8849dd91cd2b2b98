//! The command line: one file for each command, and the only place that prints.

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod analysis;
mod baseline;
mod calibrate;
mod compare;
mod completions;
mod conclusion;
mod costs;
mod devices;
mod diagnose;
mod dry_run;
mod estimate;
mod export;
mod failure;
mod findings;
mod fit;
mod fitting;
mod given;
mod headers;
mod ladder;
mod list;
mod man;
mod measure_options;
mod merge;
mod name_parser;
mod new;
mod occupancy;
mod opened;
mod output;
mod pictures;
mod plot;
mod predict;
mod profile;
mod progress;
mod ratios;
mod reference;
mod report;
mod run_directory;
mod scenario_file;
mod selfcheck;
mod shell;
mod size_limit;
mod sweep;
mod threads;
mod user_kernel;
mod verify;
mod visible;
mod worker;

/// What anti-parallel patterns cost on an NVIDIA GPU: sweeps, fitted laws and charts.
#[derive(Debug, Parser)]
#[command(name = "apbench", version, after_help = after_help())]
struct Arguments {
    /// Print in full what sweep, fit, ladder, estimate, compare, verify and diagnose tell in short
    #[arg(short, long, global = true, display_order = 1000, conflicts_with = "quiet")]
    verbose: bool,
    /// Print errors only
    #[arg(short, long, global = true, display_order = 1001)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// The words that the help of every command uses.
const WORDS: &str = "\
Words:
  pattern      a way of writing a kernel that costs time, such as divergence
  family       the kernels of one pattern; in a ladder, of several patterns
  variant      one way to write these kernels, with the pattern or a remedy
  scenario     a TOML file with a family and the parameter values to measure
  point        one variant with one value of each parameter
  run          the directory that a sweep of a scenario writes; the newest ones
               under results/ are last, last~1, ..., and last:branching of a
               scenario
  baseline     a saved run, which commands take by its name where they take a run
  law          a formula for the time, fitted to the points of a run
  GPU profile  the constants of a simulated GPU, as a TOML file
";

/// What stands below the help of the program: its words, and every exit status.
fn after_help() -> String {
    const WIDTH: usize = 79;
    let mut lines = vec![WORDS.to_owned(), "Exit status:".to_owned()];
    for status in &failure::EXIT_STATUSES {
        lines.extend(output::wrapped(&format!("  {:<4} ", status.code), status.meaning, WIDTH));
    }
    lines.join("\n")
}

const SWEEP_HELP: &str = "\
Examples:
  apbench sweep scenarios/branching.toml --dry-run
  apbench sweep branching --set branches=1,2,4,8 --out my-run

`apbench list FAMILY` shows the parameters for --set with their ranges. To write a scenario of your own, begin \
with one that comes with apbench: `apbench list --scenario branching > mine.toml`. If a point fails, the sweep records why and goes on; its exit status is then 4.";

const PLOT_HELP: &str = "\
Examples:
  apbench plot my-run
  apbench plot my-run --x branches --series operation --log y --name by-branches
  apbench plot my-run --kind bars --normalise divergent --size 1200x700 --theme dark
  apbench plot my-run --kind heat --x block_width --rows block_height
  apbench plot measured simulated --out overlaid

The options mean the same as the keys of a [[chart]] in a scenario. With --x or --kind, and without --chart, they describe a \
new chart. Otherwise they change the charts of the scenario.";

const FIT_HELP: &str = "\
Examples:
  apbench fit my-run
  apbench fit last --verbose
  apbench fit my-run --law auto --predictor branches
  apbench fit my-run --holdout 25%

It prints the conclusion of the run; --verbose all of it, every law with its verdict, and every ratio. `apbench list` shows the laws. With --law, --predictor, --reference, --robust or --holdout, results are printed only; \
fits.csv keeps the fits that the scenario asks for.";

const PREDICT_HELP: &str = "\
Examples:
  apbench predict my-run --set branches=24
  apbench predict my-run --set branches=1,2,24 --set operation=compute --variant divergent
  apbench predict my-run --set interval=3 --law auto --predictor interval";

const ESTIMATE_HELP: &str = "\
Examples:
  apbench estimate prefix-sum
  apbench estimate prefix-sum --set elements=16777216 --json
  apbench estimate scenarios/prefix-sum.toml --laws results/nvidia-h200 --run my-run

The laws come from the runs under --laws, each of a scenario with a single pattern. docs/src/concepts/estimates.md has \
the formulas.";

const VERIFY_HELP: &str = "\
A scenario with a kernel of your own is checked at each of its points: the outputs as the scenario says, and variants against each other. A simulated \
device finds accesses outside of buffers, and data races: accesses to the same bytes by threads that nothing orders. Each is told with its line. \
Races make a point fail, and warnings do not: they are of lanes of a warp that race only where they part. All blocks are executed, unless that is too much work: such a point is `partly` checked. If a point fails, the exit status is 4.

Examples:
  apbench verify mine.toml --device sim:h200
  apbench verify --family transpose";

const MERGE_HELP: &str = "\
Example:
  apbench sweep scenarios/branching.toml --part 0/2 --out part0
  apbench sweep scenarios/branching.toml --part 1/2 --out part1
  apbench merge part0 part1 --out whole

The parts may come from different machines if their GPUs are of the same model. If anything else differs, merge shows the \
difference and writes nothing.";

const NEW_HELP: &str = "\
Examples:
  apbench new my-kernel.cu
  apbench new kernels.cu --entry transpose_naive --entry transpose_tiled --out transpose.toml
  apbench new my-kernel.ptx

The scenario describes the kernel as its text does, without a compiler and a GPU: arguments, buffers, and how it is launched. Lines with CHECK \
say what was guessed. Complete them, then measure it: apbench sweep my-kernel.toml --device sim:h200";

const DEVICES_HELP: &str = "\
A simulated GPU follows a GPU profile: a TOML file with the constants of a GPU, each with its source. To simulate another \
GPU, print one, change it, and give its path:
  apbench devices --profile h200 > my-gpu.toml
  apbench devices --device sim:my-gpu.toml";

const EXPORT_HELP: &str = "\
Example: the launches of the first two points of a scenario
  apbench export scenarios/branching.toml --device cuda:0 --point 0 --point 1 --out launches

DIR/kernels.ptx has the kernels. DIR/point-N/launch.json has the entry points, grids, arguments and buffers of point N. \
DIR/data has the contents of the buffers and the expected outputs, as little-endian 32-bit words. A buffer with a \
fill_word has no contents there: fill it with that word.";

const COMPARE_HELP: &str = "\
Examples:
  apbench compare results/nvidia-h200/branching results/simulated-h200/branching
  apbench compare before after --fail-on slower:5%
  apbench compare last~1:branching last:branching
  apbench compare before last    # before: saved with apbench baseline save before
  apbench compare integer float --ignore arithmetic
  apbench compare \"results/published:GeForce GTX 280\" results/nvidia-h200/global-access
  apbench compare --table 4.1

Points of the same variant and parameters are compared. The ratio is the time over the time in the base. The verdict \
compares its 95 % interval with a threshold of 1 %. The interval is widened by what two runs of the same kernels on one GPU differ by: 0.3 %, or the noise \
floor of the device if that is larger; 1.5 % for short times; 40 % for times with transfers or work of the host. So differences from about 1.3 %, 2.5 % and \
41 % on are told:
  SLOWER, FASTER                the whole interval is beyond the threshold
  SAME                          the whole interval is within the threshold; of short times and the host's before it is widened
  LIKELY SLOWER, LIKELY FASTER  the interval excludes 1, but part of it is within the threshold
  UNSURE                        the rounds do not decide; the reason says whether more would (sweep --rounds)

--fail-on exits with status 5 if the difference of a point is significant at 5 % after Holm's correction over all points.";

const BASELINE_HELP: &str = "\
Examples:
  apbench baseline save before
  apbench baseline save driver-580 my-run
  apbench compare before last
  apbench baseline list
  apbench baseline remove before

A baseline is a copy of the run in results/baselines/NAME. Wherever a command takes a run, it takes NAME too, unless that is a path.";

const LADDER_HELP: &str = "\
Examples:
  apbench ladder results/nvidia-h200/prefix-sum
  apbench ladder my-run --all
  apbench ladder my-run other-run --csv > ladders.csv

A ladder is a family whose variants are rungs, from a naive kernel up to the limit of the device. Each rung removes a pattern \
from the rung before it. A step is the time of the rung before over the time of the rung: 2x is twice as fast, below 1x is slower.";

const OCCUPANCY_HELP: &str = "\
Examples:
  apbench occupancy branching --set width=4096 --set block=64,128,256,512,1024
  apbench occupancy branching --set operation=convolution --device sim:gtx280
  apbench occupancy my-kernel.toml --device sim:h200

A block takes threads, registers and shared memory of a multiprocessor; the first of them to run out limits the resident blocks. \
On a CUDA device the driver is asked, too: if its number differs from that of the documented rule, the exit status is 4.";

const DIAGNOSE_HELP: &str = "\
Examples:
  apbench diagnose my-kernel.toml --device sim:h200
  apbench diagnose my-kernel.toml --set width=4096 --variant naive
  apbench diagnose kernel.ptx --entry transpose --grid 64,64 --block 32,32 --arg 'f32[4194304]' --arg 'f32[4194304]' --arg 2048
  apbench diagnose my-kernel.toml --device sim:h200 --fail-on bank_conflicts:2,uncoalesced:8 --sarif findings.sarif

Patterns are counted by line, exactly, on a simulated GPU. The cost of one is the difference to the same launches simulated without it on \
that line, so what something else hides costs nothing.

--fail-on compares, for each finding: uncoalesced and bank_conflicts how many times the fewest sectors or passes a request needs; divergence in how many \
percent of a branch's executions lanes part; atomic_contention lanes of an instruction for each address; uneven_work how many times as much as its block's warps on average the busiest warp executes before a barrier; barrier_wait, fence and local_memory how \
often each warp has it; idle_threads the percent of the kernel's threads that leave there without having accessed memory; division the percent of the kernel's instructions \
that divide integers by a variable; constant_places how many different places of constant memory a warp reads at once; price the percent of the time, of all patterns without a price together, and it fails where none has one. For each kernel as a whole it compares percents: occupancy a multiprocessor's places for warps that stay empty; few_blocks and tail places for \
blocks that stay empty, on the GPU or in the last wave; idle_lanes lanes without a thread; active_lanes lanes that are not active; launches the \
part of the time that launching takes.";

const CALIBRATE_HELP: &str = "\
Examples:
  apbench calibrate --device cuda:0 --out my-gpu.toml
  apbench sweep branching --device sim:my-gpu
  apbench calibrate --check my-gpu.toml

What is measured goes into my-gpu.runs: sweeps that constants come from, and those whose laws estimate takes. The constants that no benchmark gives are \
those of the GPU profile that is nearest; each says so.";

const COMPLETIONS_HELP: &str = "\
Examples:
  apbench completions bash > ~/.local/share/bash-completion/completions/apbench
  apbench completions fish > ~/.config/fish/completions/apbench.fish
  apbench completions nushell > ~/.config/nushell/autoload/apbench.nu";

const MAN_HELP: &str = "\
Example:
  apbench man ~/.local/share/man/man1
  man apbench-sweep";

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure every point of a scenario, fit its laws and draw its charts
    #[command(after_help = SWEEP_HELP)]
    Sweep(sweep::Arguments),
    /// Write a scenario that describes a kernel of your own, from its source
    #[command(after_help = NEW_HELP)]
    New(new::Arguments),
    /// Fit the laws of a run again, or fit other laws to it
    #[command(after_help = FIT_HELP)]
    Fit(fit::Arguments),
    /// Show what each rung of a ladder gains, beside published figures and the limit of the device
    #[command(after_help = LADDER_HELP)]
    Ladder(ladder::Arguments),
    /// Predict the times of points that a run does not have, from its laws
    #[command(after_help = PREDICT_HELP)]
    Predict(predict::Arguments),
    /// Estimate the times of a ladder's rungs from laws of single patterns, measured on the same device
    #[command(after_help = ESTIMATE_HELP)]
    Estimate(estimate::Arguments),
    /// Draw the charts of runs again, or draw other charts of them
    #[command(after_help = PLOT_HELP)]
    Plot(plot::Arguments),
    /// Write a run as one HTML page that opens offline: findings, interactive charts, tables, data
    Report(report::Arguments),
    /// Join the parts that sweep --part measured into one run
    #[command(after_help = MERGE_HELP)]
    Merge(merge::Arguments),
    /// Write the launches of points as files, so that another harness can run them
    #[command(after_help = EXPORT_HELP)]
    Export(export::Arguments),
    /// List the families with their variants and parameters, the laws, and the scenarios that come with apbench
    List(list::Arguments),
    /// Find the patterns of a kernel of your own: on which line, what each costs, and what to do
    #[command(after_help = DIAGNOSE_HELP)]
    Diagnose(diagnose::Arguments),
    /// Show how many blocks of a kernel are resident on a multiprocessor, and what limits them
    #[command(after_help = OCCUPANCY_HELP)]
    Occupancy(occupancy::Arguments),
    /// List the devices to sweep on: GPUs and simulated GPUs
    #[command(after_help = DEVICES_HELP)]
    Devices(devices::Arguments),
    /// Make a GPU profile of a GPU by measuring it, to simulate it anywhere, or check one
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate(calibrate::Arguments),
    /// Check the output of every variant of every family against the host, at small sizes; or kernels of your own, also for races
    #[command(after_help = VERIFY_HELP)]
    Verify(verify::Arguments),
    /// Print what a shell needs to complete apbench's commands and options
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(completions::Arguments),
    /// Write the manual pages of apbench and its commands into a folder
    #[command(after_help = MAN_HELP)]
    Man(man::Arguments),
    /// Measure points for a sweep, as it asks on standard input
    #[command(hide = true)]
    Worker,
    /// Write the reference pages of the documentation, from the program's own tables
    #[command(hide = true)]
    Reference(reference::Arguments),
    /// Compare runs point by point: two GPUs, two drivers, a GPU and a simulated one, or published figures
    #[command(after_help = COMPARE_HELP)]
    Compare(compare::Arguments),
    /// Save runs under names, to compare later ones with
    #[command(subcommand, after_help = BASELINE_HELP)]
    Baseline(baseline::Command),
    /// Find out whether times measured on a device can be trusted: its noise, clock and false verdicts
    Selfcheck(selfcheck::Arguments),
}

/// Runs the program with the process's arguments; the exit status says how it went.
pub fn main() -> ExitCode {
    let arguments = match given::arguments() {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    threads::limit();
    if arguments.quiet {
        output::be_quiet();
    }
    if arguments.verbose {
        output::be_verbose();
    }
    size_limit::exceeding_is_an_error();
    let result = match arguments.command {
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Fit(arguments) => fit::run(&arguments),
        Command::Ladder(arguments) => ladder::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Estimate(arguments) => estimate::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Merge(arguments) => merge::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Diagnose(arguments) => diagnose::run(&arguments),
        Command::Occupancy(arguments) => occupancy::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, &Arguments::command()),
        Command::Man(arguments) => man::run(&arguments, Arguments::command()),
        Command::Worker => worker::run(),
        Command::Reference(arguments) => reference::run(&arguments, &Arguments::command()),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Baseline(command) => baseline::run(&command),
        Command::Selfcheck(arguments) => selfcheck::run(&arguments),
    };
    match result {
        Ok(status) => status.into(),
        Err(failure) => failure.report(),
    }
}
