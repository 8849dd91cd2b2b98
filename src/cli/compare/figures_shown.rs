//! Tables of printed figures beside runs, in every format.

use std::path::Path;

use super::super::analysis::place;
use super::super::failure::{Failure, Status};
use super::super::output::{csv_text, data, json, line, table, unbroken_line};
use super::{Arguments, screen, words};
use crate::compare::figure::{Column, FigureCell, FigureRow, FigureTable};
use crate::csv_column::{CsvColumn, Described, described};
use crate::unit::significant;

pub(super) fn print(arguments: &Arguments, tables: &[FigureTable]) -> Result<Status, Failure> {
    let told = if arguments.json {
        json(&tables)
    } else if arguments.csv {
        data(csv_of(tables)?).map_err(Failure::from)
    } else {
        tables.iter().enumerate().try_for_each(|(index, own)| {
            if index > 0 {
                line("")?;
            }
            if arguments.markdown {
                unbroken_line(markdown(own).trim_end()).map_err(Failure::from)
            } else {
                on_screen(own)
            }
        })
    };
    Status::Success.unless_unheard(told)
}

/// Figures as they are printed: as many digits as the source gives, at least three of a run.
fn figure(cell: &FigureCell, row: &FigureRow, column: &Column) -> String {
    let Some(value) = cell.value else { return "-".to_owned() };
    let unit = if row.unit == "ratio" { String::new() } else { format!(" {}", row.unit) };
    if column.run.is_none() {
        let range = cell.interval.map(|(_, high)| high - value).filter(|range| *range > 0.0);
        let own = trimmed(value);
        let own = if own.contains('.') || row.unit != "ratio" || value >= 10.0 { own } else { format!("{own}.0") };
        let range = range.map_or(String::new(), |range| format!(" ±{}", trimmed(range)));
        return format!("{own}{range}{unit}");
    }
    let own = significant(value, 4);
    match cell.interval {
        Some((low, high)) if high > low => format!("{own} ({} to {}){unit}", significant(low, 4), significant(high, 4)),
        _ => format!("{own}{unit}"),
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn header(table: &FigureTable) -> Vec<String> {
    let is_against = table.rows.iter().any(|row| row.cells.iter().any(|cell| cell.ratio.is_some()));
    let mut header = vec![String::new()];
    for (index, column) in table.columns.iter().enumerate() {
        header.push(heading(column));
        if is_against && index > 0 {
            header.push("over the first".to_owned());
        }
    }
    header
}

/// A device with the origin of its figures, which the names of simulated ones have in them.
fn heading(column: &Column) -> String {
    let origin = column.origin.name();
    match column.device.strip_suffix(&format!(" ({origin})")) {
        Some(device) => format!("{device}, {origin}"),
        None => format!("{}, {origin}", column.device),
    }
}

fn cells(table: &FigureTable, row: &FigureRow) -> Vec<String> {
    let is_against = table.rows.iter().any(|row| row.cells.iter().any(|cell| cell.ratio.is_some()));
    let mut cells = vec![row.label.clone()];
    for (index, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
        cells.push(figure(cell, row, column));
        if is_against && index > 0 {
            cells.push(cell.ratio.as_ref().map_or("-".to_owned(), words::with_interval));
        }
    }
    cells
}

fn title(table: &FigureTable) -> String {
    format!("{} ({})", table.place, table.family)
}

/// Which runs the columns are, and why cells are empty: each reason once.
fn remarks(table: &FigureTable) -> Vec<String> {
    let mut remarks = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let Some(run) = &column.run else { continue };
        let points =
            table.rows.iter().filter_map(|row| row.cells.get(index)).map(|cell| cell.points).max().unwrap_or(0);
        let over = if points > 1 { format!(", geometric means over up to {points} sizes") } else { String::new() };
        remarks.push(format!("{}: {}{over}", heading(column), place(Path::new(run))));
        let mut reasons: Vec<&str> = Vec::new();
        for cell in table.rows.iter().filter_map(|row| row.cells.get(index)).filter(|cell| cell.value.is_none()) {
            if !reasons.contains(&cell.reason.as_str()) {
                reasons.push(&cell.reason);
            }
        }
        if !reasons.is_empty() {
            remarks.push(format!("  -: {}", reasons.join("; ")));
        }
    }
    if table.columns.iter().all(|column| column.run.is_none()) {
        remarks.push(format!("no run of {} has such points", table.family));
        remarks.extend(table.rows.iter().map(|row| &row.reason).find(|reason| !reason.is_empty()).cloned());
    }
    remarks
}

fn on_screen(own: &FigureTable) -> Result<(), Failure> {
    line(title(own))?;
    line("")?;
    let mut rows = table(&[]);
    rows.set_header(header(own));
    for row in &own.rows {
        let mut cells = cells(own, row);
        // Lines are broken between words.
        if let Some(label) = cells.first_mut() {
            *label = label.replace('_', " ");
        }
        rows.add_row(cells);
    }
    screen::print_fitting(&rows)?;
    line("")?;
    remarks(own).iter().try_for_each(|remark| screen::paragraph("", remark))
}

fn markdown(own: &FigureTable) -> String {
    let header = header(own);
    let row = |cells: &[String]| {
        format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
    };
    let mut text = format!("## {}\n\n{}{}", title(own), row(&header), row(&vec!["---".to_owned(); header.len()]));
    for own_row in &own.rows {
        text += &row(&cells(own, own_row));
    }
    text += "\n";
    for remark in remarks(own) {
        text += &format!("- {}\n", remark.trim());
    }
    text
}

/// A figure: of a printed table, its row, and one of the columns beside each other.
struct Shown<'a> {
    table: &'a FigureTable,
    row: &'a FigureRow,
    column: &'a Column,
    cell: &'a FigureCell,
}

/// How the cell of a figure is made.
type ShownCell = fn(&Shown<'_>) -> String;

static COLUMNS: [CsvColumn<ShownCell>; 15] = [
    CsvColumn::new("table", "text", "table of the source", |own| own.table.place.clone()),
    CsvColumn::new("family", "text", "family that measures what the table is about", |own| own.table.family.clone()),
    CsvColumn::new("figure", "text", "row of the table, in apbench's parameters", |own| own.row.label.clone()),
    CsvColumn::new("device", "text", "GPU or host of the figure", |own| own.column.device.clone()),
    CsvColumn::new("origin", "text", "`published`, `measured` or `simulated`", |own| {
        own.column.origin.name().to_owned()
    }),
    CsvColumn::new("run", "text", "directory of the run; empty for published figures", |own| {
        own.column.run.clone().unwrap_or_default()
    }),
    CsvColumn::new("value", "`unit`", "the figure", |own| number(own.cell.value)),
    CsvColumn::new("low", "`unit`", "lower end of the printed range, or of the 95 % interval of a run", |own| {
        number(own.cell.interval.unzip().0)
    }),
    CsvColumn::new("high", "`unit`", "upper end of the same", |own| number(own.cell.interval.unzip().1)),
    CsvColumn::new("unit", "text", "unit of the three columns before", |own| own.row.unit.clone()),
    CsvColumn::new("points", "count", "points that the figure of a run is taken over", |own| {
        own.cell.points.to_string()
    }),
    CsvColumn::new(
        "over_first",
        "ratio",
        "the figure over that of the first column, for one device beside runs",
        |own| number(own.cell.ratio.map(|ratio| ratio.ratio)),
    ),
    CsvColumn::new("over_first_low", "ratio", "lower end of the 95 % interval of `over_first`", |own| {
        number(own.cell.ratio.and_then(|ratio| ratio.interval).unzip().0)
    }),
    CsvColumn::new("over_first_high", "ratio", "upper end of the 95 % interval of `over_first`", |own| {
        number(own.cell.ratio.and_then(|ratio| ratio.interval).unzip().1)
    }),
    CsvColumn::new("why", "text", "why there is no figure", |own| own.cell.reason.clone()),
];

/// What the reference says of the columns.
pub(in crate::cli) fn columns() -> Vec<Described> {
    described(&COLUMNS).collect()
}

fn number(value: Option<f64>) -> String {
    value.map(|value| significant(value, 6)).unwrap_or_default()
}

fn csv_of(tables: &[FigureTable]) -> Result<String, Failure> {
    let header = COLUMNS.iter().map(|column| column.name.to_owned()).collect();
    let of_row = |table, row: &'_ FigureRow| -> Vec<Vec<String>> {
        let cells = |column, cell| {
            let own = Shown { table, row, column, cell };
            COLUMNS.iter().map(|column| (column.cell)(&own)).collect()
        };
        table.columns.iter().zip(&row.cells).map(|(column, cell)| cells(column, cell)).collect()
    };
    let rows = tables.iter().flat_map(|table| table.rows.iter().flat_map(move |row| of_row(table, row)));
    csv_text([header].into_iter().chain(rows))
}
