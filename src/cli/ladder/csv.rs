//! Ladders as CSV: a row for each rung of each table, and for each that a source prints.

use super::super::analysis::Analysis;
use super::super::failure::Failure;
use super::super::output::csv_text;
use crate::csv_column::{CsvColumn, Described, described};
use crate::device::Phases;
use crate::ladder::{Ladder, LadderTable, PublishedLadder, Rung, Speedup};
use crate::record::PHASES;
use crate::unit::decimals;

/// How the cell of a row is made.
type RowCell = fn(&Row) -> String;

/// Columns before the phases.
static COLUMNS: [CsvColumn<RowCell>; 22] =
    [
        CsvColumn::new("run", "text", "directory of the run", |row| row.run.clone()),
        CsvColumn::new("family", "text", "family whose variants are the rungs", |row| row.family.clone()),
        CsvColumn::new("device", "text", "GPU or host of the time", |row| row.device.clone()),
        CsvColumn::new("origin", "text", "`measured`, `simulated`, or `published`: printed by a source", |row| {
            row.origin.clone()
        }),
        CsvColumn::new(
            "source",
            "text",
            "of published times: the document, its tables, and what it calls the time",
            |row| row.source.clone(),
        ),
        CsvColumn::new(
            "parameters",
            "text",
            "values of the parameters that tell the tables of a run apart, or those that the source gives",
            |row| row.parameters.clone(),
        ),
        CsvColumn::new("rung", "text", "the variant; `limit` for the time of the memory's peak bandwidth", |row| {
            row.rung.clone()
        }),
        CsvColumn::new("kind", "text", "`rung`, `host` (computed on the host, for comparison) or `limit`", |row| {
            row.kind.to_owned()
        }),
        CsvColumn::new(
            "removes",
            "text",
            "patterns that were removed since the last rung before it that has a time",
            |row| row.removes.clone(),
        ),
        CsvColumn::new("status", "text", "how the point ended, as in `points.csv`", |row| row.status.to_owned()),
        CsvColumn::new(
            "reason",
            "text",
            "why there is no time; of published times, that the time follows from a speedup",
            |row| row.reason.clone(),
        ),
        CsvColumn::new("time_us", "µs", "median time", |row| number(row.time_us)),
        CsvColumn::new("time_us_low", "µs", "lower end of the 95 % interval of `time_us`", |row| {
            number(row.interval_us.unzip().0)
        }),
        CsvColumn::new("time_us_high", "µs", "upper end of the 95 % interval of `time_us`", |row| {
            number(row.interval_us.unzip().1)
        }),
        CsvColumn::new("gb_per_s", "10^9 bytes/s", "bytes that must move, over `time_us`", |row| number(row.gb_per_s)),
        CsvColumn::new(
            "step_speedup",
            "ratio",
            "time of the last rung before this one that has a time, over the time of this one",
            |row| ratio(row.step),
        ),
        CsvColumn::new("step_speedup_low", "ratio", "lower end of the 95 % interval of `step_speedup`", |row| {
            low(row.step)
        }),
        CsvColumn::new("step_speedup_high", "ratio", "upper end of the 95 % interval of `step_speedup`", |row| {
            high(row.step)
        }),
        CsvColumn::new("cumulative_speedup", "ratio", "time of the first rung over the time of this one", |row| {
            ratio(row.cumulative)
        }),
        CsvColumn::new(
            "cumulative_speedup_low",
            "ratio",
            "lower end of the 95 % interval of `cumulative_speedup`",
            |row| low(row.cumulative),
        ),
        CsvColumn::new(
            "cumulative_speedup_high",
            "ratio",
            "upper end of the 95 % interval of `cumulative_speedup`",
            |row| high(row.cumulative),
        ),
        CsvColumn::new(
            "estimate_us",
            "µs",
            "time that `apbench estimate` gives, where the run has an `estimate.csv`",
            |row| number(row.estimate_us),
        ),
    ];

/// What the reference says of the columns.
pub(in crate::cli) fn columns() -> Vec<Described> {
    described(&COLUMNS).chain(described(&PHASES)).collect()
}

/// A row: what it has no value for stays empty.
#[derive(Default)]
struct Row {
    run: String,
    family: String,
    device: String,
    origin: String,
    source: String,
    parameters: String,
    rung: String,
    kind: &'static str,
    removes: String,
    status: &'static str,
    reason: String,
    time_us: Option<f64>,
    interval_us: Option<(f64, f64)>,
    gb_per_s: Option<f64>,
    step: Option<Speedup>,
    cumulative: Option<Speedup>,
    estimate_us: Option<f64>,
    phases: Option<Phases>,
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let phases = PHASES.iter().map(|column| number(self.phases.as_ref().and_then(column.cell)));
        COLUMNS.iter().map(|column| (column.cell)(self)).chain(phases).collect()
    }
}

/// The header and the rows of all runs.
pub(super) fn text(ladders: &[(Analysis, Ladder)]) -> Result<String, Failure> {
    let mut text = csv_text([columns().iter().map(|column| column.name.to_owned()).collect::<Vec<_>>()])?;
    for (analysis, ladder) in ladders {
        text += &text_of(&analysis.run.directory.display().to_string(), ladder)?;
    }
    Ok(text)
}

/// The rows of a run.
pub(super) fn text_of(run: &str, ladder: &Ladder) -> Result<String, Failure> {
    let of_tables = ladder.tables.iter().flat_map(|table| of_table(run, ladder, table));
    let all = of_tables.chain(ladder.published.iter().flat_map(|own| of_published(run, ladder, own)));
    csv_text(all.map(|row| row.cells()))
}

fn of_table(run: &str, ladder: &Ladder, table: &LadderTable) -> Vec<Row> {
    let start = || Row {
        run: run.to_owned(),
        family: ladder.family.to_owned(),
        device: ladder.device.clone(),
        origin: ladder.origin.name().to_owned(),
        parameters: table.label(),
        ..Row::default()
    };
    let rung = |own: &Rung, kind: &'static str| Row {
        rung: own.variant.to_owned(),
        kind,
        removes: own.removes.clone(),
        status: own.status.map_or("", |status| status.name()),
        reason: own.reason.clone(),
        time_us: own.time_us,
        interval_us: own.interval_us,
        gb_per_s: own.gb_per_s,
        step: own.step,
        cumulative: own.cumulative,
        estimate_us: own.estimate_us,
        phases: own.phases,
        ..start()
    };
    let limit = table.limit_us.map(|limit_us| Row {
        rung: "limit".to_owned(),
        kind: "limit",
        time_us: Some(limit_us),
        gb_per_s: ladder.peak_gb_per_s,
        ..start()
    });
    let rungs = table.rungs.iter().map(|own| rung(own, "rung"));
    rungs.chain(table.hosts.iter().map(|own| rung(own, "host"))).chain(limit).collect()
}

fn of_published(run: &str, ladder: &Ladder, published: &PublishedLadder) -> Vec<Row> {
    let parameters: Vec<String> = published.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let row = |device: &str, variant: &str, kind: &'static str, time_us: f64| Row {
        run: run.to_owned(),
        family: ladder.family.to_owned(),
        device: device.to_owned(),
        origin: "published".to_owned(),
        source: format!("{}, {}: {}", published.source, published.places.join(", "), published.metric),
        parameters: parameters.join(" "),
        rung: variant.to_owned(),
        kind,
        time_us: Some(time_us),
        ..Row::default()
    };
    let speedup = |ratio: f64| Speedup { ratio, interval: None };
    let rungs = published.rungs.iter().map(|own| Row {
        reason: if own.is_derived { "from the speedup over it".to_owned() } else { String::new() },
        step: own.step.map(speedup),
        cumulative: Some(speedup(own.cumulative)),
        ..row(&published.device, own.variant, "rung", own.time_us)
    });
    let hosts = published.hosts.iter().map(|own| row(&own.device, own.variant, "host", own.time_us));
    rungs.chain(hosts).collect()
}

fn ratio(speedup: Option<Speedup>) -> String {
    number(speedup.map(|own| own.ratio))
}

fn low(speedup: Option<Speedup>) -> String {
    number(speedup.and_then(|own| own.interval).unzip().0)
}

fn high(speedup: Option<Speedup>) -> String {
    number(speedup.and_then(|own| own.interval).unzip().1)
}

fn number(value: Option<f64>) -> String {
    value.map(|value| decimals(value, 6)).unwrap_or_default()
}
