//! The text of a CSV file that may have been cut off in the middle of a row.

use std::ops::Range;
use std::path::Path;

use csv::StringRecord;
use rayon::prelude::*;

use super::RunError;

/// A header and whole rows.
#[derive(Debug)]
pub(super) struct Table {
    /// The columns' names.
    pub(super) header: StringRecord,
    /// The rows below it.
    pub(super) rows: Vec<Row>,
    /// Bytes of the header and the whole rows; what is behind them is a row that was cut off.
    pub(super) whole_bytes: usize,
}

/// A row and where it is.
#[derive(Debug)]
pub(super) struct Row {
    /// Its cells, as many as the header has.
    pub(super) cells: StringRecord,
    /// Its first line, from 1.
    pub(super) line: u64,
    /// Its place in the text, with the end of its last line.
    pub(super) bytes: Range<usize>,
}

impl Table {
    /// Reads the whole rows of a text. A row that is cut off at its end is left aside with a note.
    pub(super) fn read(path: &Path, text: &str, notes: &mut Vec<String>) -> Result<Self, RunError> {
        let places = whole_rows(text);
        let whole_bytes = note_cut(path, text, &places, notes);
        let mut header = StringRecord::new();
        let keep = |own: &StringRecord| {
            header.clone_from(own);
            Ok(())
        };
        let mut cells: Vec<StringRecord> = Vec::new();
        read_rows(
            path,
            text,
            &mut Vec::new(),
            keep,
            |(), (): &mut (), cells| Ok(cells.clone()),
            |(), part| {
                cells.extend(part);
            },
        )?;
        let rows =
            cells.into_iter().zip(places.into_iter().skip(1)).map(|(cells, (line, bytes))| Row { cells, line, bytes });
        Ok(Self { header, rows: rows.collect(), whole_bytes })
    }

    /// The place of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|own| own == name)
    }

    /// The points that the rows are of.
    pub(super) fn points(&self, path: &Path) -> Result<Vec<usize>, RunError> {
        let column = self.column("point");
        let number = |row: &Row| {
            let text = column.and_then(|column| row.cells.get(column)).unwrap_or_default();
            let problem = || format!("point is `{text}`, expected a whole number");
            text.parse().map_err(|_| RunError::malformed(path, Some(row.line), problem()))
        };
        self.rows.iter().map(number).collect()
    }
}

/// Rows that one thread reads at a time.
const ROWS_AT_ONCE: usize = 8192;
/// Such parts that are read before the rows are handed on, so that no more than these are there twice.
const PARTS_AT_ONCE: usize = 16;

/// Reads the whole rows of a text, several at once, each as `record` says it; a table of a million rows is never there as
/// text cells. `columns` looks at the header first. Rows come in parts, each with what `record` kept of them beside, and
/// `take` takes these in their order; returns what `columns` found. A row that is cut off at its end is left aside with a note.
///
/// # Errors
/// The first row that has another number of cells than the header, or that `record` refuses, with its line.
pub(super) fn read_rows<C: Sync, N: Default + Send, T: Send>(
    path: &Path,
    text: &str,
    notes: &mut Vec<String>,
    columns: impl FnOnce(&StringRecord) -> Result<C, RunError>,
    record: impl Fn(&C, &mut N, &StringRecord) -> Result<T, String> + Sync,
    mut take: impl FnMut(N, Vec<T>),
) -> Result<C, RunError> {
    let places = whole_rows(text);
    note_cut(path, text, &places, notes);
    let header_place = places.first().map_or(0..0, |(_, bytes)| bytes.clone());
    let mut header = StringRecord::new();
    rows_of(&text[header_place]).read_record(&mut header).map_err(|error| malformed(path, 1, &error))?;
    let columns = columns(&header)?;
    let read = |places: &[(u64, Range<usize>)]| -> Result<(N, Vec<T>), RunError> {
        let (mut kept, mut records) = (N::default(), Vec::with_capacity(places.len()));
        let (Some((_, first)), Some((_, last))) = (places.first(), places.last()) else {
            return Ok((kept, records));
        };
        let mut rows = rows_of(&text[first.start..last.end]);
        let mut cells = StringRecord::new();
        for (line, _) in places {
            if !rows.read_record(&mut cells).map_err(|error| malformed(path, *line, &error))? {
                return Err(odd_lines(path));
            }
            let refused = |problem: String| RunError::malformed(path, Some(*line), problem);
            check_length(&header, &cells).map_err(refused)?;
            records.push(record(&columns, &mut kept, &cells).map_err(refused)?);
        }
        if rows.read_record(&mut cells).unwrap_or(true) { Err(odd_lines(path)) } else { Ok((kept, records)) }
    };
    for places in places.get(1..).unwrap_or_default().chunks(ROWS_AT_ONCE * PARTS_AT_ONCE) {
        let parts: Vec<_> = places.par_chunks(ROWS_AT_ONCE).map(read).collect();
        for part in parts {
            let (kept, records) = part?;
            take(kept, records);
        }
    }
    Ok(columns)
}

/// The lines of the rows for which `is_wanted` says so of their number, from 0 behind the header.
pub(super) fn lines_where(text: &str, is_wanted: impl Fn(usize) -> bool) -> Vec<u64> {
    let rows = whole_rows(text).into_iter().skip(1).enumerate();
    rows.filter(|(row, _)| is_wanted(*row)).map(|(_, (line, _))| line).collect()
}

fn rows_of(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes())
}

fn check_length(header: &StringRecord, cells: &StringRecord) -> Result<(), String> {
    let (expected, found) = (header.len(), cells.len());
    if found == expected { Ok(()) } else { Err(format!("has {found} cells, where the header has {expected}")) }
}

fn malformed(path: &Path, line: u64, error: &csv::Error) -> RunError {
    RunError::malformed(path, Some(line), error.to_string())
}

fn odd_lines(path: &Path) -> RunError {
    RunError::malformed(path, None, "its lines do not end like the lines of a CSV file")
}

/// Notes a row that is cut off behind the whole ones, and says how many bytes these have.
fn note_cut(path: &Path, text: &str, places: &[(u64, Range<usize>)], notes: &mut Vec<String>) -> usize {
    let whole_bytes = places.last().map_or(0, |(_, bytes)| bytes.end);
    if whole_bytes < text.len() {
        let line = text[..whole_bytes].lines().count() + 1;
        let lines = text[whole_bytes..].lines().count();
        let what =
            if lines > 1 { format!("; it has {lines} lines, because a quote is not closed") } else { String::new() };
        notes.push(format!("{}:{line}: the last row is cut off and is ignored{what}", path.display()));
    }
    whole_bytes
}

/// Line and place of every row that ends in a line's end, the header's first. Cells in quotes may have lines of their
/// own, so that not every line's end is a row's.
fn whole_rows(text: &str) -> Vec<(u64, Range<usize>)> {
    enum Within {
        Start,
        Plain,
        Quotes,
        QuoteInQuotes,
    }
    let mut rows = Vec::new();
    if !text.contains('"') {
        let mut start = 0;
        for (line, row) in (1..).zip(text.split_inclusive('\n')) {
            let is_row = row.ends_with('\n') && !row.trim_end_matches(['\r', '\n']).is_empty();
            rows.extend(is_row.then(|| (line, start..start + row.len())));
            start += row.len();
        }
        return rows;
    }
    let mut within = Within::Start;
    let (mut start, mut line, mut first_line) = (0, 1, 1);
    for (index, byte) in text.bytes().enumerate() {
        within = match (within, byte) {
            (Within::Quotes, b'"') => Within::QuoteInQuotes,
            (Within::Quotes, _) | (Within::Start | Within::QuoteInQuotes, b'"') => Within::Quotes,
            (_, b',' | b'\n') => Within::Start,
            _ => Within::Plain,
        };
        if byte != b'\n' {
            continue;
        }
        line += 1;
        if matches!(within, Within::Start) {
            // Empty lines are no rows.
            if !text[start..index].trim_end_matches('\r').is_empty() {
                rows.push((first_line, start..index + 1));
            }
            (start, first_line) = (index + 1, line);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run::file::csv_text;

    fn read(text: &str) -> Table {
        Table::read(Path::new("rows.csv"), text, &mut Vec::new()).unwrap()
    }

    #[test]
    fn rows_have_their_lines_and_places() {
        let text = "a,b\n1,\"two\nlines, and \"\"quotes\"\"\"\n3,4\n";
        let table = read(text);
        let rows: Vec<_> = table.rows.iter().map(|row| (row.line, &text[row.bytes.clone()])).collect();
        assert_eq!(rows, [(2, "1,\"two\nlines, and \"\"quotes\"\"\"\n"), (4, "3,4\n")]);
        assert_eq!(&table.rows[0].cells[1], "two\nlines, and \"quotes\"");
        assert_eq!((table.column("b"), table.column("c"), table.whole_bytes), (Some(1), None, text.len()));
    }

    #[test]
    fn a_row_that_is_cut_off_in_quotes_is_no_row() {
        let mut notes = Vec::new();
        let table = Table::read(Path::new("rows.csv"), "a,b\n1,2\n3,\"four\n", &mut notes).unwrap();
        assert_eq!((table.rows.len(), table.whole_bytes), (1, 8));
        assert_eq!(notes, ["rows.csv:3: the last row is cut off and is ignored"]);
    }

    proptest! {
        #[test]
        fn a_text_that_is_cut_has_the_rows_before_the_cut(
            rows in prop::collection::vec(prop::collection::vec("[a\",\n ]{0,4}", 2..=2), 1..6), cut in 0_usize..200,
        ) {
            // A first column of one letter, so that no row is an empty line.
            let rows: Vec<Vec<String>> = rows.into_iter().map(|row| [vec!["x".to_owned()], row].concat()).collect();
            let text = String::from_utf8(csv_text(rows.clone()).unwrap()).unwrap();
            let cut = cut.min(text.len());
            let table = read(&text[..cut]);
            let found: Vec<Vec<String>> =
                table.rows.iter().map(|row| row.cells.iter().map(str::to_owned).collect()).collect();
            let whole = (0..=rows.len())
                .filter(|&count| csv_text(rows[..count].to_vec()).unwrap().len() <= cut)
                .max()
                .unwrap_or(0);
            prop_assert_eq!(&found[..], rows.get(1..whole).unwrap_or_default());
            prop_assert_eq!(table.whole_bytes, csv_text(rows[..whole].to_vec()).unwrap().len());
        }

        #[test]
        fn no_text_panics(text in "[a\",\r\n é]{0,40}") {
            let _ = Table::read(Path::new("rows.csv"), &text, &mut Vec::new());
        }
    }
}
