//! How far simulated times are off, on the terminal.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table};

use super::super::super::failure::Failure;
use super::super::super::fitting::fitted;
use super::super::super::output::{line, table, width, wrapped};
use super::furthest::{Furthest, furthest};
use super::row::{SHOWN_COLUMNS, fastest, order_of_those_apart, rows};
use crate::compare::accuracy::Accuracy;
use located_toml::words::have;

/// What the words of the tables mean: a word and its meaning.
pub(super) type Legend = [(&'static str, &'static str)];

pub(super) const ERROR: (&str, &str) =
    ("error", "simulated / measured - 1; of workloads with transfers, that of the kernels' time");
pub(super) const TIMES_OFF: (&str, &str) = ("times off", "the mean of the errors' sizes");
pub(super) const BIAS: (&str, &str) =
    ("bias", "the mean of the errors, signs kept: below zero, the simulated GPU is too fast");
pub(super) const RATIOS_OFF: (&str, &str) = (
    "ratios off",
    "the same as \"times off\", of ratios between variants: a time over that of the scenario's first variant at the same parameters",
);

/// That of the table of scenarios.
pub(super) const COLUMNS_LEGEND: &Legend = &[
    ERROR,
    ("points", "those that both runs have a time of"),
    TIMES_OFF,
    BIAS,
    ("within 20 %", "the part of the points whose errors are at most 20 %, either way"),
    RATIOS_OFF,
    (
        "rank",
        "Spearman's rank correlation of the times: 1 if the simulated times are in the order of the measured ones",
    ),
    (
        "order right",
        "of the pairs of variants at the same parameters whose measured times differ by 5 % or more, those that are simulated in the same \
         order",
    ),
    (
        "empty cells",
        "nothing to compute them from: no other variant at the same parameters (ratios), no such pair (order), fewer than three points or \
         all times the same (rank)",
    ),
];

/// That of the points that are furthest off.
pub(super) const FURTHEST_LEGEND: &Legend = &[
    ("order", "by how many times, either way: twice the time (+100 %) is as far off as half the time (-50 %)"),
    (
        "measured (...)",
        "what may bound the time. A GPU does not say it, so this is the part of its peak rate at which bytes that must move, or operations, were \
         done; above 100 % of memory's peak, bytes come from caches",
    ),
    (
        "(unknown)",
        "that part is below 10 %, so something else bounds the time; or the run does not have the GPU's peak rates",
    ),
    ("simulated (...)", "what bounds the time in the model: the counter `bound`"),
];

pub(super) fn title(devices: &[String]) -> String {
    format!("how far the simulated times are off: {}", devices.join("; "))
}

pub(super) fn print(devices: &[String], all: &[Accuracy]) -> Result<(), Failure> {
    print_rows(devices, all)?;
    for told in [order_of_those_apart(all), fastest(all)].into_iter().flatten() {
        line("")?;
        paragraph(&told)?;
    }
    let alone: usize = all.iter().map(|own| own.alone).sum();
    if alone > 0 {
        line("")?;
        paragraph(&format!("not compared: {}", count_of_alone(alone)))?;
    }
    line("")?;
    legend(COLUMNS_LEGEND)?;
    line("")?;
    line(FURTHEST_TITLE)?;
    print_furthest(&furthest(all))?;
    line("")?;
    legend(FURTHEST_LEGEND)?;
    Ok(())
}

/// Prints the title and a row for each scenario.
pub(super) fn print_rows(devices: &[String], all: &[Accuracy]) -> Result<(), Failure> {
    paragraph(&title(devices))?;
    line("")?;
    numbers(&SHOWN_COLUMNS, rows(all), 1)
}

fn count_of_alone(alone: usize) -> String {
    format!("{} a time in one of the two runs only", have(alone, "point"))
}

/// The heading of the points that are furthest off.
const FURTHEST_TITLE: &str = "furthest off first, and what bounds the times";

/// Prints what words mean, below each other.
pub(super) fn legend(words: &Legend) -> Result<(), Failure> {
    let longest = words.iter().map(|(word, _)| word.chars().count()).max().unwrap_or(0);
    for (word, meaning) in words {
        wrapped(&format!("{word:<longest$}  "), meaning, usize::from(width())).into_iter().try_for_each(line)?;
    }
    Ok(())
}

pub(super) fn paragraph(text: &str) -> Result<(), Failure> {
    Ok(wrapped("", text, usize::from(width())).into_iter().try_for_each(line)?)
}

/// Prints a table: so many columns of words, then numbers, which end below each other. Titles may have two lines.
pub(super) fn numbers<const N: usize>(
    header: &[&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    words: usize,
) -> Result<(), Failure> {
    Ok(fitted(&table_of(header, rows, words), width()).into_iter().try_for_each(line)?)
}

fn table_of<const N: usize>(header: &[&str; N], rows: impl IntoIterator<Item = [String; N]>, words: usize) -> Table {
    let mut numbers: Table = table(&[]);
    numbers.set_header(header.map(Cell::new));
    numbers.add_rows(rows);
    for (place, column) in numbers.column_iter_mut().enumerate() {
        column.set_padding((0, if place + 1 < N { 2 } else { 0 }));
        if place >= words {
            column.set_cell_alignment(CellAlignment::Right);
            // Neither numbers with their units nor the words of titles are broken: names that leave no room stand above their rows.
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    numbers
}

/// Prints each point in two lines: its name, then its times with what bounds them.
fn print_furthest(points: &[Furthest<'_>]) -> Result<(), Failure> {
    let longest = points.iter().map(|own| own.error.chars().count()).max().unwrap_or(0);
    for own in points {
        let name = format!("{}: {}", own.scenario, own.point);
        let times = format!(
            "measured {} ({}), simulated {} ({})",
            own.measured, own.measured_bound, own.simulated, own.simulated_bound
        );
        for (first, text) in [(format!("{:>longest$}  ", own.error), name), (" ".repeat(longest + 2), times)] {
            wrapped(&first, &text, usize::from(width())).into_iter().try_for_each(line)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_numbers_are_whole_and_names_that_leave_no_room_stand_above_them() {
        let shown = |name: &str, columns: u16| {
            let cells = ["10000", "11.1 %", "-11.0 %", "66.7 %", "11.7 %", "0.98", "98.5 %"];
            let mut row = SHOWN_COLUMNS.map(|_| name.to_owned());
            row[1..].iter_mut().zip(cells).for_each(|(own, cell)| cell.clone_into(own));
            fitted(&table_of(&SHOWN_COLUMNS, [row], 1), columns).join("\n")
        };
        let longest = "atomic-aggregation-blocks";
        insta::assert_snapshot!(
            [shown(longest, 80), shown("a-scenario-of-ones-own-with-a-name", 80), shown(longest, 60)].join("\n\n")
        );
    }
}
