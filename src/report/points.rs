//! The rows of `points.csv`, as far as a page has them.

use std::borrow::Cow;

use maud::{Markup, html};
use serde::Serialize;

use crate::family::Family;
use crate::record::{LEADING_COLUMNS, RESULT_COLUMNS};

/// Rows that a page has at most.
const ROWS_MAX: usize = 20_000;
/// Bytes of cells that a page has at most.
const BYTES_MAX: usize = 4_000_000;
/// Rows that are in the table without a script; with more, the script shows them a page at a time.
const ROWS_WRITTEN: usize = 500;
/// Rows of a table that the script turns the pages of.
const ROWS_OF_CUT: usize = 100;

/// The rows of `points.csv`, column by column.
#[derive(Debug, Clone, Serialize)]
pub struct Points {
    /// Rows of the file.
    total: usize,
    /// Rows here, from the first on.
    shown: usize,
    columns: Vec<Column>,
}

#[derive(Debug, Clone, Serialize)]
struct Column {
    name: String,
    cells: Cells,
    /// Whether all cells that are not empty are numbers.
    number: bool,
    /// When a chart tells it of a point in a few words: `always`, where it `varies`, or never.
    tip: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Cells {
    /// The same in every row.
    Same(String),
    Each(Vec<String>),
}

impl Column {
    /// How its cells are set.
    fn class(&self) -> Option<&'static str> {
        let is_long = |cells: &[String]| cells.iter().any(|cell| cell.len() > 40);
        match &self.cells {
            _ if self.number => Some("number"),
            Cells::Each(cells) if is_long(cells) => Some("wide"),
            _ => None,
        }
    }

    fn cell(&self, row: usize) -> &str {
        match &self.cells {
            Cells::Same(text) => text,
            Cells::Each(cells) => cells.get(row).map_or("", String::as_str),
        }
    }
}

impl Points {
    /// Reads the text of `points.csv`, whose first `whole` rows are whole.
    ///
    /// # Errors
    /// When it is no CSV.
    pub fn read(text: &str, whole: usize, family: &Family) -> Result<Self, csv::Error> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let header = reader.headers()?.clone();
        let mut cells: Vec<Vec<String>> = vec![Vec::new(); header.len()];
        let (mut shown, mut bytes) = (0, 0);
        for row in reader.records().take(whole.min(ROWS_MAX)) {
            let row = row?;
            bytes += row.as_slice().len();
            if bytes > BYTES_MAX {
                break;
            }
            for (column, cell) in cells.iter_mut().zip(row.iter()) {
                column.push(cell.to_owned());
            }
            shown += 1;
        }
        let columns = header.iter().zip(cells).map(|(name, cells)| {
            let number = cells.iter().all(|cell| cell.is_empty() || cell.parse::<f64>().is_ok());
            let is_same = cells.len() > 1 && cells.windows(2).all(|pair| pair[0] == pair[1]);
            let cells = if is_same && name != LEADING_COLUMNS[0] {
                Cells::Same(cells.into_iter().next().unwrap_or_default())
            } else {
                Cells::Each(cells)
            };
            Column { name: name.to_owned(), cells, number, tip: tip(name, family) }
        });
        Ok(Self { total: whole, shown, columns: columns.collect() })
    }

    /// Whether every row is here.
    pub(super) fn is_whole(&self) -> bool {
        self.shown == self.total
    }

    /// What is here and what is not, in a sentence.
    pub(super) fn about(&self) -> Cow<'static, str> {
        if self.is_whole() {
            return "Everything on this page comes from these files of the run. The page contains them.".into();
        }
        let Self { total, shown, .. } = self;
        format!(
            "The run has {total} points. This page contains the first {shown} rows of points.csv, and its charts are thinned. \
             The file points.csv of the run has everything."
        )
        .into()
    }

    /// The table of points: columns that vary, and below it those that do not.
    pub(super) fn table(&self) -> Markup {
        let is_varying = |column: &&Column| matches!(column.cells, Cells::Each(_));
        let varying: Vec<&Column> = self.columns.iter().filter(is_varying).collect();
        let constant: Vec<&Column> = self.columns.iter().filter(|column| !is_varying(column)).collect();
        let classes: Vec<Option<&str>> = varying.iter().map(|column| column.class()).collect();
        let rows = if self.shown > ROWS_WRITTEN { ROWS_OF_CUT } else { self.shown };
        html! {
            div.table tabindex="0" role="region" aria-label="Points" {
                table.sortable data-rows="points" {
                    caption { "Points" @if varying.len() > 13 { span.on-paper { ", without the columns from " (varying[13].name) " on" } } @if rows < self.total { ": the first " (rows) " of " (self.total) span.scripted { ", the next by the buttons below" } } }
                    thead { tr { @for column in &varying {
                        th scope="col" class=[column.number.then_some("number")] { (column.name) }
                    } } }
                    tbody { @for row in 0..rows { tr { @for (place, column) in varying.iter().enumerate() {
                        @if place == 0 { th scope="row" { (column.cell(row)) } }
                        @else { td class=[classes[place]] { (column.cell(row)) } }
                    } } } }
                }
            }
            @if !constant.is_empty() {
                details {
                    summary { (constant.len()) " columns that are the same in every row" }
                    dl.facts { @for column in &constant {
                        @let text = column.cell(0);
                        div { dt { (column.name) } dd { @if text.is_empty() { "empty" } @else { (text) } } }
                    } }
                }
            }
        }
    }
}

/// The counters that tell a pattern: what a chart's few words about a point have of all that a device counts.
pub(super) const PATTERN_COUNTERS: [&str; 11] = [
    "bound",
    "warp_instructions",
    "active_lanes",
    "divergent_branches",
    "global_load_transactions",
    "global_store_transactions",
    "global_atomic_transactions",
    "bank_conflicts",
    "block_barriers",
    "atomic_serialisations",
    "waves_per_sm",
];

/// When a chart's few words about a point name this column.
fn tip(name: &str, family: &Family) -> Option<&'static str> {
    match name {
        "samples" | "clock_mhz" | "flags" => Some("always"),
        "point" => None,
        "variant" => Some("varies"),
        name if family.parameter(name).is_some() || family.predictor(name).is_some() => Some("varies"),
        name if RESULT_COLUMNS.contains(&name) => None,
        name if PATTERN_COUNTERS.contains(&name) => Some("varies"),
        _ => None,
    }
}
