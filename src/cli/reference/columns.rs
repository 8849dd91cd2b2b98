//! The page of columns, from the tables that files are written by.

use super::super::{compare, estimate, fit, ladder, sweep, verify};
use super::markdown::{Page, code, plain};
use crate::csv_column::{Described, described};
use crate::device::cuda::hardware_counters;
use crate::device::energy;
use crate::device::sim;
use crate::finding;
use crate::known_error;
use crate::ladder::estimates;
use crate::measure::device_clock;
use crate::record::{Flag, described_files};
use crate::run::{
    CHARTS_FOLDER, FITS_FILE, METADATA_FILE, POINTS_FILE, REPORT_FILE, ROUNDS_FILE, SAMPLES_FILE, SCENARIO_FILE, fits,
    metadata,
};

/// Where columns stand whose names depend on the run.
const PARAMETERS: &str = "*parameters*";

pub(super) fn page() -> Page {
    let mut page = Page::new("Columns");
    page.paragraph(
        "The files of a run, of a comparison, of a ladder and of an estimate, with their columns in their order. CSV files are UTF-8, have \
         one line of names, and are quoted as in RFC 4180. An empty cell means that there is no value. Later versions may add columns; \
         they do not rename any.",
    );
    page.heading(2, "Files of a run");
    page.table(
        ["file", "content"],
        [
            (METADATA_FILE, "device, host, kernels, settings, start, end and status; guards; where the time went"),
            (SCENARIO_FILE, "the scenario as it ran, with `--set` and other options applied"),
            (POINTS_FILE, "a row for each point"),
            (SAMPLES_FILE, "a row for each sample"),
            (ROUNDS_FILE, "a row for each round of a point: one observation of comparisons"),
            (FITS_FILE, "a row for each fitted parameter"),
            (CHARTS_FOLDER, "a folder of charts as SVG and PNG"),
            (REPORT_FILE, "everything on one page"),
            (estimates::FILE, "where `apbench estimate --out` wrote it: a row for each rung"),
        ]
        .map(|(name, content)| [code(name), content.to_owned()]),
    );
    let files = described_files();
    section(&mut page, &code(POINTS_FILE), "A row for each point, written as soon as the point is done.", {
        let parameters = row(PARAMETERS, "", "a column for each [parameter of the family](families.md)");
        let predictors = row("*predictors*", "", "a column for each [predictor of the family](families.md)");
        let counters = row("*counters*", "", "on simulated GPUs: the columns of the next table");
        let rows = rows(files.leading).chain([parameters]).chain(rows(files.results));
        rows.chain([predictors, counters]).collect()
    });
    counters(&mut page);
    page.heading(3, "Flags");
    page.table(["flag", "meaning"], Flag::meanings().map(|(name, meaning)| [code(name), plain(meaning)]));
    section(&mut page, &code(SAMPLES_FILE), "A row for each sample.", rows(files.samples).collect());
    section(&mut page, &code(ROUNDS_FILE), "A row for each round of a point.", rows(files.rounds).collect());
    let (first, last) = fits::described_columns();
    let group = row("*group*", "", "columns for the variant and the parameters that tell the fits apart");
    section(
        &mut page,
        &code(FITS_FILE),
        "A row for each parameter of each fit.",
        rows(first).chain([group]).chain(rows(last)).collect(),
    );
    let keys = metadata::KEYS.iter().map(|key| row(&code(key.name), key.unit, key.meaning));
    section(
        &mut page,
        &code(METADATA_FILE),
        "Keys of inner objects stand behind a point, those of lists behind `[]`.",
        keys.collect(),
    );
    others(&mut page);
    documents(&mut page);
    clocks(&mut page);
    energies(&mut page);
    hardware(&mut page);
    page
}

/// What commands print as JSON.
fn documents(page: &mut Page) {
    page.heading(2, "JSON of runs and checks");
    page.paragraph(
        "With `--json` the whole of standard output is one document; notes, progress and errors go to standard error, and the exit status \
         says the same as without. Keys of inner objects stand behind a point, those of lists behind `[]`.",
    );
    let fitted = finding::KEYS.iter().copied().chain(fit::keys());
    section(page, "`apbench fit --json`", "What a run was and what it shows.", rows(fitted).collect());
    section(
        page,
        "`apbench sweep --json`",
        "The runs in the order of devices and scenarios, each in `runs[]` with the keys of `apbench fit --json` up to `fits[]` and these:",
        rows(sweep::KEYS.iter().copied()).collect(),
    );
    section(
        page,
        "`apbench verify --json`",
        "A check for each point of each variant.",
        rows(verify::KEYS.iter().copied()).collect(),
    );
}

/// What simulated devices count.
fn counters(page: &mut Page) {
    page.heading(3, "Counters of simulated GPUs");
    page.table(["name", "unit", "meaning"], rows(sim::columns()));
}

/// What kernels read from clocks.
fn clocks(page: &mut Page) {
    page.heading(2, "Clocks that kernels read");
    page.paragraph(
        "A column of `points.csv`, behind the predictors, of families whose kernels have one loop in one place (`memory_latency`, `instruction_rate`, \
         `wait_cost`, `fences`), on GPUs. The guard `device_clock` in `run.json` says how far what one more turn of a loop takes by it is from what \
         events say.",
    );
    page.table(["name", "unit", "meaning"], rows(device_clock::described_columns()));
}

/// What is measured of energies, where that is asked for.
fn energies(page: &mut Page) {
    page.heading(2, "Energies");
    page.paragraph(
        "Columns of `points.csv`, between the predictors and the counters, of a sweep with `--energy` on a GPU with a counter of energy. Cells are empty \
         where a point has none.",
    );
    page.table(["name", "unit", "meaning"], rows(energy::described_columns()));
}

/// What the hardware of GPUs counts, where that is asked for.
fn hardware(page: &mut Page) {
    page.heading(2, "Counters of hardware");
    page.paragraph(
        "A GPU counts these with `apbench sweep --counters hardware`, over all launches of a point, with caches as cold as when its times were \
         taken. Columns without `hw_` mean the same as those of simulated GPUs, and `apbench compare MEASURED SIMULATED --counters` holds both \
         against each other. A cell is empty where a GPU does not have the metric. Metrics are named as CUPTI and Nsight Compute name them; \
         of several a column is the sum, and `active_lanes` is the first over the second.",
    );
    let of_hardware = hardware_counters::columns().map(|(column, metrics)| {
        let metrics = metrics.iter().map(|metric| code(metric)).collect::<Vec<_>>().join(", ");
        [code(column.name), column.unit.to_owned(), column.meaning.to_owned(), metrics]
    });
    page.table(["name", "unit", "meaning", "metrics"], of_hardware);
}

/// Files that commands write beside those of a run.
fn others(page: &mut Page) {
    let parameters = || row(PARAMETERS, "", "a column for each parameter");
    let (first, last) = compare::columns();
    section(
        page,
        "`compare.csv`",
        "A row for each point of each run that is compared with the base: `apbench compare --out DIR` writes the file, `--csv` prints it.",
        rows(first).chain([parameters()]).chain(rows(last)).collect(),
    );
    section(
        page,
        "`apbench compare MEASURED SIMULATED --accuracy --csv`",
        "A row for each scenario: how far the simulated times are off.",
        rows(compare::accuracy_columns()).collect(),
    );
    section(
        page,
        "`apbench compare BASE OTHER --counters --csv`",
        "A row for each counter of each point that both runs have.",
        rows(compare::counter_columns()).collect(),
    );
    section(
        page,
        "`apbench compare MEASURED SIMULATED --accuracy --by-family --csv`",
        "A row for each family and choice of sizes, then one for each of its scenarios where these are several. `results/known-errors.csv` is such a file: what it says is shown with every simulated run.",
        rows(described(&known_error::COLUMNS)).collect(),
    );
    section(
        page,
        "`apbench compare --table NUMBER --csv`",
        "A row for each figure of a printed table, of the source and of each run.",
        rows(compare::figure_columns()).collect(),
    );
    section(
        page,
        "`apbench ladder --csv`",
        "A row for each rung of each table of a run, and for each rung that a source prints.",
        rows(ladder::columns()).collect(),
    );
    let (first, last) = estimate::columns();
    section(
        page,
        &code(estimates::FILE),
        "A row for each rung. Each of the columns from `launches_us` on is the time of one part by itself.",
        rows(first).chain([parameters()]).chain(rows(last)).collect(),
    );
}

fn section(page: &mut Page, title: &str, meaning: &str, rows: Vec<[String; 3]>) {
    page.heading(2, title);
    page.paragraph(meaning);
    page.table(["name", "unit", "meaning"], rows);
}

fn rows(columns: impl IntoIterator<Item = Described>) -> impl Iterator<Item = [String; 3]> {
    columns.into_iter().map(|column| row(&code(column.name), column.unit, column.meaning))
}

fn row(name: &str, unit: &str, meaning: &str) -> [String; 3] {
    [name.to_owned(), unit.to_owned(), meaning.to_owned()]
}
