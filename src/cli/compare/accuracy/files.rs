//! How far simulated times are off, as CSV, Markdown and JSON.

use serde_json::json;

use super::super::super::failure::Failure;
use super::super::super::output::csv_text;
use super::furthest::{Furthest, furthest};
use super::row::{FILE_COLUMNS, Row, SHOWN_COLUMNS, fastest, order_of_those_apart, rows};
use super::screen::{COLUMNS_LEGEND, FURTHEST_LEGEND, Legend, title};
use crate::compare::accuracy::{APART_FROM, Accuracy, IN_ORDER_FROM};
use crate::csv_column::names;

/// The columns of the points that are furthest off.
const FURTHEST_COLUMNS: [&str; 7] =
    ["error", "measured", "simulated", "scenario", "point", "measured time bound by", "simulated time bound by"];

pub(super) fn csv(all: &[Accuracy]) -> Result<String, Failure> {
    let header = names(&FILE_COLUMNS).map(str::to_owned).to_vec();
    let rows = all.iter().map(|own| {
        let row = Row::of(own);
        FILE_COLUMNS.iter().map(|column| (column.cell)(&row)).collect()
    });
    csv_text(std::iter::once(header).chain(rows))
}

/// A table in Markdown.
pub(super) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let head = format!("| {} |\n|{}", header.join(" | ").replace('\n', " "), " --- |".repeat(header.len()));
    std::iter::once(head).chain(rows.into_iter().map(|cells| row(&cells))).collect::<Vec<_>>().join("\n")
}

/// What words mean, as a list.
pub(super) fn legend(words: &Legend) -> String {
    words.iter().map(|(word, meaning)| format!("- **{word}**: {meaning}")).collect::<Vec<_>>().join("\n")
}

pub(super) fn markdown(devices: &[String], all: &[Accuracy]) -> String {
    let cells = |own: Furthest<'_>| {
        let Furthest { error, measured, simulated, scenario, point, measured_bound, simulated_bound } = own;
        vec![error, measured, simulated, scenario.to_owned(), point, measured_bound, simulated_bound.to_owned()]
    };
    let parts = [
        Some(format!("# {}", title(devices))),
        Some(table(&SHOWN_COLUMNS, rows(all).into_iter().map(Vec::from))),
        order_of_those_apart(all),
        fastest(all),
        Some(legend(COLUMNS_LEGEND)),
        Some("## Furthest off".to_owned()),
        Some(table(&FURTHEST_COLUMNS, furthest(all).into_iter().map(cells))),
        Some(legend(FURTHEST_LEGEND)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

pub(super) fn document(devices: &[String], all: &[Accuracy]) -> serde_json::Value {
    let scenarios = all.iter().map(|own| {
        json!({"scenario": own.scenario, "family": own.family, "summary": Row::of(own).document(), "alone": own.alone, "points": own.points})
    });
    json!({
        "devices": devices,
        "in_order_from": IN_ORDER_FROM,
        "apart_from": APART_FROM,
        "summary": Row::of_all(all).document(),
        "scenarios": scenarios.collect::<Vec<_>>(),
    })
}
