//! Tables of laws and slowdowns, from the rows of `fits.csv`.

use maud::{Markup, html};

use crate::model::slowdown::SLOWDOWN;
use crate::model::speedup::SPEEDUP;
use crate::unit;

/// Rows of a table at most.
const ROWS_MAX: usize = 500;

struct Cell {
    text: String,
    /// What the cell sorts by.
    value: String,
}

/// What a column of `fits.csv` is called in a table, and whether it holds numbers.
fn heading(column: &str) -> (&str, bool) {
    match column {
        "estimate" => ("estimate", true),
        "low" => ("95 % interval from", true),
        "high" => ("to", true),
        "r2" => ("R²", true),
        "error_pct" => ("error, %", true),
        "n" => ("points", true),
        "interval_method" => ("interval by", false),
        "lack_of_fit_p" => ("lack of fit, p", true),
        "runners_up" => ("runners-up", false),
        other => (other, false),
    }
}

/// One table for laws and one for ratios, each if there are any.
pub(super) fn of_fits(rows: &[Vec<String>]) -> Vec<Markup> {
    let Some((header, rows)) = rows.split_first() else { return Vec::new() };
    let Some(model) = header.iter().position(|name| name == "model") else { return Vec::new() };
    let is_ratio = |row: &&Vec<String>| [SLOWDOWN, SPEEDUP].contains(&row[model].as_str());
    let (ratios, laws): (Vec<_>, Vec<_>) = rows.iter().partition(is_ratio);
    let tables = [("Laws and their parameters", laws), ("Slowdowns and speedups", ratios)];
    tables
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(caption, rows)| table(caption, header, &rows))
        .collect()
}

fn table(caption: &str, header: &[String], rows: &[&Vec<String>]) -> Markup {
    let unit = header.iter().position(|name| name == "unit");
    let place = |wanted: &str| header.iter().position(|name| name == wanted);
    // A law goes by its own name where the scenario gives it no other.
    let is_named_twice =
        place("fit").zip(place("model")).is_some_and(|(fit, model)| rows.iter().all(|row| row[fit] == row[model]));
    let mut shown: Vec<usize> = (0..header.len())
        .filter(|column| Some(*column) != unit && rows.iter().any(|row| !row[*column].is_empty()))
        .filter(|column| !(is_named_twice && Some(*column) == place("model")))
        .collect();
    // What matters most stands where it is seen without scrolling.
    shown.sort_by_key(|column| match header[*column].as_str() {
        "n" => 1,
        "verdict" => 2,
        "r2" | "error_pct" | "predictor" | "interval_method" | "lack_of_fit_p" => 3,
        "runners_up" => 4,
        _ => 0,
    });
    html! {
        div.table tabindex="0" role="region" aria-label=(caption) {
            table.sortable {
                caption { (caption) @if rows.len() > ROWS_MAX { ": the first " (ROWS_MAX) " of " (rows.len()) " rows; fits.csv has all" } }
                thead { tr { @for &column in &shown {
                    @let (label, is_number) = heading(&header[column]);
                    th scope="col" class=[is_number.then_some("number")] { (label) }
                } } }
                tbody { @for row in rows.iter().take(ROWS_MAX) { tr { @for (place, &column) in shown.iter().enumerate() {
                    @let cell = cell(&header[column], &row[column], unit.map_or("", |unit| &row[unit]));
                    @let class = if ["verdict", "runners_up"].contains(&header[column].as_str()) { Some("wide") } else { heading(&header[column]).1.then_some("number") };
                    @if place == 0 { th scope="row" { (cell.text) } }
                    @else if class == Some("wide") { td.wide data-value=(cell.value) { div title=(cell.text) { (cell.text) } } }
                    @else { td class=[class] data-value=(cell.value) { (cell.text) } }
                } } } }
            }
        }
    }
}

/// The cell with its unit; numbers as people read them.
fn cell(column: &str, text: &str, unit: &str) -> Cell {
    let value = text.to_owned();
    let number = text.parse::<f64>().ok().filter(|_| heading(column).1);
    let text = match (column, number) {
        ("estimate" | "low" | "high", Some(number)) if unit == "us" => unit::time_us_to(number, 4),
        ("estimate" | "low" | "high", Some(number)) if unit == "ratio" || unit == "1" => unit::significant(number, 4),
        ("estimate" | "low" | "high", Some(_)) if !unit.is_empty() => format!("{text} {unit}"),
        ("r2", Some(number)) => unit::r2(number),
        _ => text.to_owned(),
    };
    Cell { text, value }
}
