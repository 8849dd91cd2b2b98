//! Ladders as CSV: a row for each rung of each table, and for each that a source prints.

use super::super::analysis::Analysis;
use super::super::failure::Failure;
use crate::ladder::{Ladder, LadderTable, PublishedLadder, Rung, Speedup};
use crate::record::{PHASES, decimals};

const COLUMNS: [&str; 22] = [
    "run",
    "family",
    "device",
    "origin",
    "source",
    "parameters",
    "rung",
    "kind",
    "removes",
    "status",
    "reason",
    "time_us",
    "time_us_low",
    "time_us_high",
    "gb_per_s",
    "step_speedup",
    "step_speedup_low",
    "step_speedup_high",
    "cumulative_speedup",
    "cumulative_speedup_low",
    "cumulative_speedup_high",
    "estimate_us",
];

/// The header and the rows of all runs.
pub(super) fn text(ladders: &[(Analysis, Ladder)]) -> Result<String, Failure> {
    let mut text = written([header()])?;
    for (analysis, ladder) in ladders {
        text += &text_of(&analysis.run.directory.display().to_string(), ladder)?;
    }
    Ok(text)
}

/// The rows of a run.
pub(super) fn text_of(run: &str, ladder: &Ladder) -> Result<String, Failure> {
    let of_tables = ladder.tables.iter().flat_map(|table| of_table(run, ladder, table));
    written(of_tables.chain(ladder.published.iter().flat_map(|own| of_published(run, ladder, own))))
}

fn header() -> Vec<String> {
    COLUMNS.into_iter().chain(PHASES.map(|(name, _)| name)).map(str::to_owned).collect()
}

fn written(rows: impl IntoIterator<Item = Vec<String>>) -> Result<String, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Other(format!("the CSV: {error}"));
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for cells in rows {
        writer.write_record(cells).map_err(|error| wrong(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

fn of_table(run: &str, ladder: &Ladder, table: &LadderTable) -> Vec<Vec<String>> {
    let rung = |own: &Rung, kind: &str| {
        let (low, high) = own.interval_us.unzip();
        let (step, cumulative) = (ratios(own.step), ratios(own.cumulative));
        let mut cells = vec![
            run.to_owned(),
            ladder.family.to_owned(),
            ladder.device.clone(),
            ladder.origin.name().to_owned(),
            String::new(),
            table.label(),
            own.variant.to_owned(),
            kind.to_owned(),
            own.removes.to_owned(),
            own.status.map(|status| status.name().to_owned()).unwrap_or_default(),
            own.reason.clone(),
            number(own.time_us),
            number(low),
            number(high),
            number(own.gb_per_s),
        ];
        cells.extend(step.into_iter().chain(cumulative));
        cells.push(number(own.estimate_us));
        cells.extend(PHASES.map(|(_, of)| number(own.phases.as_ref().and_then(of))));
        cells
    };
    let limit = table.limit_us.map(|limit_us| {
        let mut cells = vec![String::new(); COLUMNS.len() + PHASES.len()];
        let first = [run, ladder.family, &ladder.device, ladder.origin.name(), "", &table.label(), "limit", "limit"];
        cells[..first.len()].clone_from_slice(&first.map(str::to_owned));
        cells[11] = number(Some(limit_us));
        cells[14] = number(ladder.peak_gb_per_s);
        cells
    });
    let rungs = table.rungs.iter().map(|own| rung(own, "rung"));
    rungs.chain(table.hosts.iter().map(|own| rung(own, "host"))).chain(limit).collect()
}

fn of_published(run: &str, ladder: &Ladder, published: &PublishedLadder) -> Vec<Vec<String>> {
    let parameters: Vec<String> = published.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let source = format!("{}, {}: {}", published.source, published.places.join(", "), published.metric);
    let row = |device: &str, variant: &str, kind: &str, time_us: f64| {
        let mut cells = vec![String::new(); COLUMNS.len() + PHASES.len()];
        let first = [run, ladder.family, device, "published", &source, &parameters.join(" "), variant, kind];
        cells[..first.len()].clone_from_slice(&first.map(str::to_owned));
        cells[11] = number(Some(time_us));
        cells
    };
    let rungs = published.rungs.iter().map(|own| {
        let mut cells = row(&published.device, own.variant, "rung", own.time_us);
        cells[10] = if own.is_derived { "from the speedup over it".to_owned() } else { String::new() };
        cells[15] = number(own.step);
        cells[18] = number(Some(own.cumulative));
        cells
    });
    let hosts = published.hosts.iter().map(|own| row(&own.device, own.variant, "host", own.time_us));
    rungs.chain(hosts).collect()
}

fn ratios(speedup: Option<Speedup>) -> [String; 3] {
    let (low, high) = speedup.and_then(|own| own.interval).unzip();
    [number(speedup.map(|own| own.ratio)), number(low), number(high)]
}

fn number(value: Option<f64>) -> String {
    value.map(|value| decimals(value, 6)).unwrap_or_default()
}
