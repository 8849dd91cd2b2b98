//! Printing: results to standard output, tables that fit the terminal, styles that honour `NO_COLOR`.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use comfy_table::{ContentArrangement, Table, presets};
use console::{Term, measure_text_width};
use serde::Serialize;

use super::failure::Failure;
use super::fitting::{fitted, with_remarks};
use super::visible::{VisibleLines, visible, without_control};
use crate::run::writer::csv_text as csv_bytes;
use located_toml::ReportStyle;

/// Columns where no terminal tells how many it has.
const DEFAULT_WIDTH: usize = 100;
/// The same for texts that are made to fit into any terminal.
const SMALL_WIDTH: u16 = 80;

/// Fewer columns are no width.
const LEAST_WIDTH: u16 = 20;

/// Stands before what does not fit on the line that it belongs to, beside the blanks before that.
const HANGING: &str = "  ";

/// Whether only errors are printed.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on, prints errors only.
pub(super) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Whether only errors are printed.
pub(super) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Whether all is printed that there is to tell.
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);

/// From now on, prints all that there is to tell.
pub(super) fn be_verbose() {
    IS_VERBOSE.store(true, Ordering::Relaxed);
}

/// Whether all is printed that there is to tell.
pub(super) fn is_verbose() -> bool {
    IS_VERBOSE.load(Ordering::Relaxed)
}

/// Prints lines of results, broken between words where a terminal has too few columns. What is read from a file or a pipe comes to a terminal
/// later.
pub(super) fn line(text: impl AsRef<str>) -> io::Result<()> {
    print(&within(&visible(text.as_ref()), known_width()))
}

/// Prints lines as they are, such as those of JSON: broken ones would mean something else.
pub(super) fn unbroken_line(text: impl AsRef<str>) -> io::Result<()> {
    print(&visible(text.as_ref()))
}

/// Prints data for other programs, such as CSV: in a file or a pipe, texts keep what turns the direction of writing.
pub(super) fn data(text: impl AsRef<str>) -> io::Result<()> {
    let text = text.as_ref().trim_end();
    print(&if io::stdout().is_terminal() { visible(text) } else { without_control(text) })
}

fn print(text: &str) -> io::Result<()> {
    if is_quiet() {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.write_all(b"\n")
}

/// Prints a document as JSON, as it is written: that of a large comparison is larger than the comparison.
pub(super) fn json(document: &impl Serialize) -> Result<(), Failure> {
    if is_quiet() {
        return Ok(());
    }
    let mut lines = VisibleLines::new(io::stdout().lock());
    write_json(&mut lines, document)?;
    Ok(lines.end()?)
}

/// Writes a document as JSON to a file or a stream, but for a line end behind it.
pub(super) fn write_json(out: impl Write, document: &impl Serialize) -> io::Result<()> {
    Ok(serde_json::to_writer_pretty(out, document)?)
}

/// Writes a note, or what is going on, to standard error.
pub(super) fn tell(text: impl AsRef<str>) {
    if !is_quiet() {
        tell_error(text);
    }
}

/// Writes to standard error also where only errors are printed; where it is closed, nobody is there to be told.
pub(super) fn tell_error(text: impl AsRef<str>) {
    tell_styled(&within(&visible(text.as_ref()), known_error_width()));
}

/// The same of an error of clap's, which has styles of its own.
pub(super) fn tell_wrong_arguments(error: &clap::Error) {
    let report = error.render();
    let text = if console::colors_enabled_stderr() { report.ansi().to_string() } else { report.to_string() };
    tell_styled(&within(text.trim_end(), known_error_width()));
}

/// Writes the command that continues what was left off to standard error, in one line, from which it can be copied.
pub(super) fn tell_to_continue(command: &str) {
    tell_styled(&visible(&format!("to continue: {command}")));
}

/// Writes a report to standard error that has styles and line ends of its own, and shows what would control a terminal.
pub(super) fn tell_styled(report: &str) {
    let _ = writeln!(io::stderr().lock(), "{report}");
}

/// The columns that `COLUMNS` asks for, or else those of the terminal; [`SMALL_WIDTH`] if standard output is not a terminal.
pub(super) fn width() -> u16 {
    known_width().unwrap_or(SMALL_WIDTH)
}

/// The same, if there is a terminal or `COLUMNS` is set.
fn known_width() -> Option<u16> {
    let of_terminal = || columns_of(&Term::stdout()).or_else(|| io::stdout().is_terminal().then_some(SMALL_WIDTH));
    asked_width().or_else(of_terminal)
}

/// The columns of standard error, if it is a terminal or `COLUMNS` is set.
fn known_error_width() -> Option<u16> {
    asked_width().or_else(|| columns_of(&Term::stderr()))
}

/// What the variable `COLUMNS` says, with which shells and tests ask for another width than the terminal's.
fn asked_width() -> Option<u16> {
    std::env::var("COLUMNS").ok()?.trim().parse().ok().map(usable)
}

fn columns_of(terminal: &Term) -> Option<u16> {
    terminal.size_checked().map(|(_, columns)| usable(columns))
}

/// A width, or [`SMALL_WIDTH`] in place of one in which no text can be read: terminals that do not know theirs say 0.
fn usable(columns: u16) -> u16 {
    if columns < LEAST_WIDTH { SMALL_WIDTH } else { columns }
}

/// Lines in at most so many columns: what is longer goes on below, a little further to the right than it begins.
fn within(text: &str, width: Option<u16>) -> Cow<'_, str> {
    let Some(width) = width.map(usize::from) else { return Cow::Borrowed(text) };
    if text.lines().all(|own| measure_text_width(own) <= width) {
        return Cow::Borrowed(text);
    }
    let of_line = |own: &str| {
        let rest = own.trim_start_matches(' ');
        let blanks = " ".repeat(own.len() - rest.len());
        broken(&blanks, &format!("{blanks}{HANGING}"), rest, width)
    };
    Cow::Owned(text.split('\n').flat_map(of_line).collect::<Vec<_>>().join("\n"))
}

/// Prints a text in lines that fit the terminal, as [`wrapped`] breaks them.
pub(super) fn wrapped_line(first: &str, text: &str) -> io::Result<()> {
    wrapped(first, text, usize::from(width())).into_iter().try_for_each(line)
}

/// A text in lines of at most so many columns, broken between words; `first` stands before it, and blanks before what follows.
pub(super) fn wrapped(first: &str, text: &str, width: usize) -> Vec<String> {
    broken(first, &" ".repeat(first.chars().count()), text, width)
}

/// The same with `next` before what follows.
fn broken(first: &str, next: &str, text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut own = first.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && measure_text_width(&own) + 1 + measure_text_width(word) > width {
            lines.push(own.trim_end().to_owned());
            next.clone_into(&mut own);
            is_empty = true;
        }
        if !is_empty {
            own.push(' ');
        }
        own += word;
        is_empty = false;
    }
    lines.push(own.trim_end().to_owned());
    lines
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

/// Prints a table, without the blanks that fill its last column, in lines that fit the terminal where there is one.
pub(super) fn print_table(table: &Table) -> io::Result<()> {
    table_lines(table).into_iter().try_for_each(line)
}

/// The lines that [`print_table`] prints.
pub(super) fn table_lines(table: &Table) -> Vec<String> {
    match known_width() {
        Some(width) => fitted(table, width),
        None => table.lines().map(|row| row.trim_end().to_owned()).collect(),
    }
}

/// Whether no row of a table has to be broken.
pub(super) fn is_within_width(table: &Table) -> bool {
    let whole =
        |table: &Table| table.clone().set_width(u16::MAX).lines().map(|row| row.trim_end().to_owned()).collect();
    let rows: Vec<String> = whole(table);
    known_width().is_none_or(|width| rows.iter().all(|row| measure_text_width(row) <= usize::from(width)))
}

/// Prints a table whose rows each end with a remark.
pub(super) fn print_with_remarks(table: &Table, remarks: &[String]) -> io::Result<()> {
    with_remarks(table, remarks, known_width()).into_iter().try_for_each(line)
}

/// Prints a text that begins with `first`, in lines that fit the terminal where there is one.
pub(super) fn fitting_line(first: &str, text: &str) -> io::Result<()> {
    match known_width() {
        Some(width) => wrapped(first, text, usize::from(width)).into_iter().try_for_each(line),
        None => line(format!("{first}{text}")),
    }
}

/// Rows as CSV.
pub(super) fn csv_text(rows: impl IntoIterator<Item = Vec<String>>) -> Result<String, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Other(format!("the CSV: {error}"));
    let bytes = csv_bytes(rows).map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

/// How errors are shown on standard error, and how wide.
pub(super) fn error_style() -> (ReportStyle, usize) {
    let terminal = Term::stderr();
    let colour = terminal.is_term() && console::colors_enabled_stderr();
    let width = asked_width().or_else(|| columns_of(&terminal)).map_or(DEFAULT_WIDTH, usize::from);
    (if colour { ReportStyle::Colour } else { ReportStyle::Plain }, width)
}
