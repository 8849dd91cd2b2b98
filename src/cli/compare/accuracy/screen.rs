//! How far simulated times are off, on the terminal.

use comfy_table::{Cell, CellAlignment, Table};

use super::super::super::failure::Failure;
use super::super::super::output::{line, print_table, table, width, wrapped};
use super::furthest::{Furthest, furthest};
use super::row::{SHOWN_COLUMNS, rows};
use crate::compare::accuracy::Accuracy;

pub(super) const EXPLANATION: &str = "An error is simulated / measured - 1. \"off\" is the mean of its sizes, \"bias\" keeps the signs: below zero, the \
    simulated GPU is too fast. A slowdown is the time over that of the scenario's first variant at the same parameters. \"rank\" is Spearman's \
    correlation of the times. \"order right\": of pairs of variants at the same parameters whose measured times differ by 5 % or more, those that \
    are simulated in the same order. Of workloads with transfers the kernels' time is taken. A GPU does not say \
    what bounds a time: \"of peak\" is the part of its peak rate at which bytes that must move, or operations, were done; below 10 % nothing is said.";

pub(super) fn title(devices: &[String]) -> String {
    format!("how far the simulated times are off: {}", devices.join("; "))
}

pub(super) fn print(devices: &[String], all: &[Accuracy]) -> Result<(), Failure> {
    paragraph(&title(devices))?;
    line("")?;
    numbers(&SHOWN_COLUMNS, rows(all), 1)?;
    line("")?;
    line("furthest off, and what bounds the times")?;
    print_furthest(&furthest(all))?;
    line("")?;
    paragraph(EXPLANATION)?;
    let alone: usize = all.iter().map(|own| own.alone).sum();
    if alone > 0 {
        line(format!("{alone} points have a time in one of the runs only"))?;
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
    let mut numbers: Table = table(&[]);
    numbers.set_header(header.map(Cell::new));
    for row in rows {
        numbers.add_row(row);
    }
    for (place, column) in numbers.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if place >= words {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    numbers.set_width(width());
    Ok(print_table(&numbers)?)
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
