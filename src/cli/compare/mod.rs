//! `apbench compare`: runs side by side, or beside the figures that the sources print.

use std::path::PathBuf;

use super::failure::{Failure, Status};
use super::output::{data, is_verbose, json, tell, unbroken_line};
use super::run_directory::run_name;
use crate::compare::gate::{self, Condition};
use crate::compare::{Side, SideBySide};
use named::Named;

mod accuracy;
mod counters;
mod csv;
mod figures;
mod figures_shown;
mod files;
mod gate_report;
mod markdown;
mod named;
mod screen;
mod sides;
mod variants;
mod variants_table;
mod words;

pub(super) use accuracy::columns as accuracy_columns;
pub(super) use accuracy::print_table as accuracy_table;
pub(super) use counters::columns as counter_columns;
pub(super) use csv::columns;
pub(super) use figures::published_figures;
pub(super) use figures_shown::columns as figure_columns;
pub(super) use files::overlays;
pub(super) use sides::{Compared, compared};

/// Options of `compare`.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option that is given or not")]
pub(super) struct Arguments {
    /// The base, then the runs to compare with it: run directories; baselines; last, last~1, last:SCENARIO; or published figures (results/published:DEVICE)
    #[arg(value_name = "RUN", value_parser = run_name)]
    runs: Vec<String>,
    /// Match points although these parameters differ; each run must have one value of them: --ignore work,arithmetic
    #[arg(long, value_name = "PARAM", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Say in a sentence how one variant does against another: both of one run, or the first of one run and the second of
    /// another: RUN --variants padded,shared
    #[arg(long, value_name = "FIRST,SECOND", value_delimiter = ',',
        conflicts_with_all = ["markdown", "csv", "out", "fail_on", "accuracy", "table", "device"])]
    variants: Vec<String>,
    /// Hold what two runs counted against each other, point by point, and name what differs by more than a percent: MEASURED
    /// SIMULATED, of which the first was swept with --counters hardware. Of some counters alone: --counters=NAME,NAME
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 0.., require_equals = true,
        conflicts_with_all = ["markdown", "out", "fail_on", "accuracy", "table", "device", "variants"])]
    counters: Option<Vec<String>>,
    /// Show every point, not only those with the largest differences
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long, group = "format")]
    json: bool,
    /// Print Markdown, with every point
    #[arg(long, group = "format")]
    markdown: bool,
    /// Print CSV, a row for each point and run
    #[arg(long, group = "format")]
    csv: bool,
    /// Tell how far simulated times are off: MEASURED SIMULATED, each a run or a folder of runs with the same names
    #[arg(long, conflicts_with_all = ["ignore", "all", "out", "fail_on", "table", "device"])]
    accuracy: bool,
    /// With --accuracy: by family and sizes instead of by scenario; several pairs MEASURED SIMULATED may be given. The file
    /// results/known-errors.csv is made so
    #[arg(long, requires = "accuracy")]
    by_family: bool,
    /// Also write compare.csv, compare.md, compare.json and charts to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Exit with status 5 if a point is slower, faster, different or missing; slower:5% allows up to 5 % slower
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    fail_on: Vec<Condition>,
    /// Show this published table, with a column for each published device and each run [default runs: those under
    /// results/]
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["ignore", "all", "out", "fail_on"])]
    table: Option<String>,
    /// Use the published figures of this device
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    if let Some(table) = &arguments.table {
        return figures::table(arguments, table);
    }
    if arguments.accuracy {
        return accuracy::run(arguments);
    }
    if !arguments.variants.is_empty() {
        return variants::run(arguments);
    }
    if let Some(wanted) = &arguments.counters {
        return counters::run(arguments, wanted);
    }
    if arguments.runs.len() < 2 {
        let problem = "give a base and at least one run to compare with it: apbench compare BASE OTHER";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let named: Vec<Named> = arguments.runs.iter().map(|name| Named::of(name)).collect();
    if named.iter().any(|named| matches!(named, Named::Published { .. })) {
        if !arguments.fail_on.is_empty() || !arguments.ignore.is_empty() || arguments.out.is_some() {
            let problem = "--fail-on, --ignore and --out need runs with points; published figures have none";
            return Err(Failure::Usage(problem.to_owned()));
        }
        return figures::compared(arguments, &named);
    }
    if arguments.device.is_some() {
        return Err(Failure::Usage("--device chooses published figures, but none are given".to_owned()));
    }
    let compared = compared(&arguments.runs, &arguments.ignore, arguments.out.is_some())?;
    let told = print(arguments, &compared.side_by_side);
    if let Some(folder) = &arguments.out {
        let files = files::write(folder, &compared.side_by_side, &compared.runs)?;
        tell(format!("wrote {} files to {}", files.len(), folder.display()));
    }
    let compared = compared.side_by_side;
    let outcome = (!arguments.fail_on.is_empty()).then(|| gate::check(&compared, &arguments.fail_on));
    let status = match &outcome {
        Some(outcome) if gate_report::is_crossed(&compared, &arguments.fail_on, outcome) => Status::GateCrossed,
        _ => Status::Success,
    };
    // The program ends: giving back the rows of a large comparison one by one would take longer than printing it.
    std::mem::forget(compared);
    status.unless_unheard(told)
}

fn print(arguments: &Arguments, compared: &SideBySide) -> Result<(), Failure> {
    if arguments.json {
        json(compared)?;
    } else if arguments.markdown {
        unbroken_line(markdown::text(compared).trim_end())?;
    } else if arguments.csv {
        data(csv::text(compared)?)?;
    } else {
        screen::print(compared, arguments.all || is_verbose())?;
    }
    Ok(())
}
