//! Printing: results to standard output, tables that fit the terminal, styles that honour `NO_COLOR`.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table, presets};
use console::Term;

use crate::document::ReportStyle;

/// Columns where no terminal tells how many it has.
const DEFAULT_WIDTH: usize = 100;

/// Prints a line of results.
pub(super) fn line(text: impl AsRef<str>) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_ref().as_bytes())?;
    output.write_all(b"\n")
}

/// Writes to standard error; where that is closed, nobody is there to be told.
pub(super) fn tell(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
}

/// A table without rules, its columns aligned, as wide as the terminal allows.
pub(super) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if !header.is_empty() {
        table.set_header(header.iter().copied());
    }
    table
}

/// Prints a table, without the blanks that fill its last column.
pub(super) fn print_table(table: &Table) -> io::Result<()> {
    table.lines().try_for_each(|row| line(row.trim_end()))
}

/// How errors are shown on standard error, and how wide.
pub(super) fn error_style() -> (ReportStyle, usize) {
    let terminal = Term::stderr();
    let colour = terminal.is_term() && console::colors_enabled_stderr();
    let width = terminal.size_checked().map_or(DEFAULT_WIDTH, |(_, columns)| usize::from(columns));
    (if colour { ReportStyle::Colour } else { ReportStyle::Plain }, width)
}
