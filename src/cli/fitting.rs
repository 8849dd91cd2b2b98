//! Tables in lines of at most so many columns, in which no word is broken that fits on a line.

use comfy_table::{Cell, Column, ColumnConstraint, Row, Table, Width};

use super::output::wrapped;

/// Stands at the beginning of each row and takes no room, so that the lines of a row are known.
const MARK: char = '\u{2060}';
/// Blanks before what stands below a line of columns that were taken out.
const BELOW: u16 = 2;
/// Blanks between the values of columns that have a line of their own.
const BETWEEN: &str = "  ";
/// Stands before remarks below the rows that they are of.
const REMARK_INDENT: &str = "      ";

/// The lines of a table. Where even the longest words of all columns are wider together than a line, the columns with the longest ones are
/// taken out, and their values stand on a line of their own above the rows that have them.
pub(super) fn fitted(table: &Table, width: u16) -> Vec<String> {
    fitted_by(table, width, 0)
}

/// The same of a table whose first `names` columns say what a row is of: these are taken out before others, the first one first.
pub(super) fn fitted_by(table: &Table, width: u16, names: usize) -> Vec<String> {
    let plain = lines(indented(table).set_width(width));
    if is_whole(table, &plain) && is_within(&plain, width) {
        return plain;
    }
    let mut own = indented(table);
    let least: Vec<usize> = (0..own.column_iter().count()).map(|column| least_width(&own, column)).collect();
    let mut taken = taken_out(&least, usize::from(width), names);
    if !taken.is_empty() {
        let padding = own.column_iter().map(Column::padding_width).min().unwrap_or(0);
        taken = taken_out(&least, usize::from(width.saturating_sub((BELOW + 1).saturating_sub(padding))), names);
    }
    let shown = (0..least.len()).find(|index| !taken.contains(index));
    for (index, column) in own.column_iter_mut().enumerate() {
        let mut least = least[index] as u16;
        if !taken.is_empty() && shown == Some(index) {
            least = least.saturating_sub(column.padding_width()) + BELOW + 1;
            column.set_padding((BELOW, 1));
        }
        if taken.contains(&index) {
            column.set_constraint(ColumnConstraint::Hidden);
        } else if column.constraint().is_none() {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
    }
    own.set_width(width);
    if taken.is_empty() { lines(&own) } else { below(&own, &taken, usize::from(width)) }
}

/// Whether no column has to be taken out.
pub(super) fn has_room(table: &Table, width: u16) -> bool {
    let columns = 0..table.column_iter().count();
    columns.map(|column| least_width(table, column)).sum::<usize>() <= usize::from(width)
}

/// The lines of a table whose rows each end with a remark: beside them where that fits into `width`, else on a line below each. The header says
/// nothing of the remarks.
pub(super) fn with_remarks(table: &Table, remarks: &[String], width: Option<u16>) -> Vec<String> {
    let joined = |row: &Row, remark: &str| row.cell_iter().cloned().chain([Cell::new(remark)]).collect::<Vec<_>>();
    let mut beside = super::output::table(&[]);
    if let Some(header) = table.header() {
        beside.set_header(joined(header, ""));
    }
    beside.add_rows(table.row_iter().zip(remarks).map(|(row, remark)| joined(row, remark)));
    let Some(width) = width else { return lines(&beside) };
    let whole = lines(beside.clone().set_width(u16::MAX));
    let rows = fitted(table, width);
    let header = usize::from(table.header().is_some());
    if is_within(&whole, width) || rows.len() != header + remarks.len() {
        return fitted(&beside, width);
    }
    let (header, rows) = rows.split_at(header);
    let remarked = rows.iter().zip(remarks).flat_map(|(row, remark)| {
        let told = if remark.is_empty() { Vec::new() } else { wrapped(REMARK_INDENT, remark, usize::from(width)) };
        [vec![row.clone()], told].concat()
    });
    header.iter().cloned().chain(remarked).collect()
}

fn lines(table: &Table) -> Vec<String> {
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

fn is_within(lines: &[String], width: u16) -> bool {
    lines.iter().all(|line| console::measure_text_width(line) <= usize::from(width))
}

/// Whether all words of the cells are in the lines.
fn is_whole(table: &Table, lines: &[String]) -> bool {
    let cells = table.header().into_iter().chain(table.row_iter()).flat_map(Row::cell_iter);
    let contents: Vec<String> = cells.map(Cell::content).collect();
    let mut wanted: Vec<&str> = contents.iter().flat_map(|content| content.split_whitespace()).collect();
    let shown: Vec<String> = lines.iter().map(|line| console::strip_ansi_codes(line).into_owned()).collect();
    let mut found: Vec<&str> = shown.iter().flat_map(|line| line.split_whitespace()).collect();
    wanted.sort_unstable();
    found.sort_unstable();
    wanted == found
}

/// The same table, with the blanks in front of all cells of its first column as that column's padding: breaking a cell would lose them.
fn indented(table: &Table) -> Table {
    let first = |row: &Row| row.cell_iter().next().map(Cell::content).unwrap_or_default();
    let blanks = |row: &Row| {
        let content = first(row);
        (!content.trim().is_empty()).then(|| content.chars().take_while(|own| *own == ' ').count())
    };
    let least = table.header().into_iter().chain(table.row_iter()).filter_map(blanks).min().unwrap_or(0);
    if least == 0 {
        return table.clone();
    }
    let mut own = replaced(table, 0, |content| content.get(least..).unwrap_or_default().to_owned());
    if let Some(column) = own.column_mut(0) {
        column.set_padding((1 + least as u16, 1));
    }
    own
}

/// The table with other contents in one of its columns, but for the header's where that is none.
fn replaced(table: &Table, place: usize, change: impl Fn(&str) -> String) -> Table {
    let mut own = table.clone();
    let of_row = |row: &Row| -> Vec<Cell> {
        let cells = row.cell_iter().enumerate();
        cells
            .map(|(index, cell)| if index == place { Cell::new(change(&cell.content())) } else { cell.clone() })
            .collect()
    };
    if let Some(header) = table.header() {
        own.set_header(of_row(header));
    }
    for (row, changed) in own.row_iter_mut().zip(table.row_iter()) {
        *row = Row::from(of_row(changed));
    }
    own
}

/// The least width of a column in which no word is broken, with its padding; of one whose cells are not to be broken that of the longest cell.
fn least_width(table: &Table, index: usize) -> usize {
    let Some(column) = table.column(index) else { return 0 };
    let is_unbroken = matches!(column.constraint(), Some(ColumnConstraint::ContentWidth));
    let of_cell = |cell: &Cell| {
        let content = cell.content();
        if is_unbroken {
            return content.lines().map(console::measure_text_width).max().unwrap_or(0);
        }
        content.split_whitespace().map(console::measure_text_width).max().unwrap_or(0)
    };
    let cells = table.header().into_iter().chain(table.row_iter()).filter_map(|row| row.cell_iter().nth(index));
    cells.map(of_cell).max().unwrap_or(0) + usize::from(column.padding_width())
}

/// The columns that have no room beside the others: the names from the first one on, then those with the longest words.
fn taken_out(least: &[usize], width: usize, names: usize) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    let rest = |taken: &[usize]| -> usize {
        least.iter().enumerate().filter(|(index, _)| !taken.contains(index)).map(|(_, own)| own).sum()
    };
    while rest(&taken) > width && taken.len() + 1 < least.len() {
        let left = (0..least.len()).filter(|index| !taken.contains(index));
        let name = left.clone().find(|index| *index < names);
        let longest = || left.max_by_key(|index| (least[*index], std::cmp::Reverse(*index)));
        let Some(next) = name.or_else(longest) else { break };
        taken.push(next);
    }
    taken.sort_unstable();
    taken
}

/// The lines of a table whose columns `taken` are hidden, with what these have above each row that differs in it from the row before.
fn below(table: &Table, taken: &[usize], width: usize) -> Vec<String> {
    let above = |row: &Row| -> Vec<String> {
        let contents: Vec<String> = row.cell_iter().map(Cell::content).collect();
        let own = taken.iter().filter_map(|index| contents.get(*index)).map(|own| own.trim());
        let own: Vec<&str> = own.filter(|own| !own.is_empty()).collect();
        wrapped(" ", &own.join(BETWEEN), width)
    };
    let shown = (0..table.column_iter().count()).find(|index| !taken.contains(index)).unwrap_or(0);
    let marked = {
        let mut marked = table.clone();
        let with_mark = replaced(table, shown, |content| format!("{MARK}{content}"));
        for (row, own) in marked.row_iter_mut().zip(with_mark.row_iter()) {
            *row = own.clone();
        }
        marked
    };
    let mut found: Vec<String> = table.header().map(above).unwrap_or_default();
    let rows: Vec<Vec<String>> = table.row_iter().map(above).collect();
    let mut number = 0;
    for line in lines(&marked) {
        if line.contains(MARK) {
            if number == 0 || rows.get(number) != rows.get(number - 1) {
                found.extend(rows.get(number).cloned().unwrap_or_default());
            }
            number += 1;
        }
        found.push(line.replace(MARK, "").trim_end().to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::output::table;
    use super::*;

    fn names() -> Table {
        let mut rows = table(&["   group", "smallest", "verdict"]);
        for name in ["variant=read_coalesced_write_uncoalesced", "variant=straight"] {
            rows.add_row([format!("   {name}"), "1.037".to_owned(), "slower at all 7 points".to_owned()]);
        }
        rows
    }

    #[test]
    fn names_stay_whole_where_they_fit_beside_the_rest() {
        let lines = fitted(&names(), 70);
        assert!(lines.iter().all(|line| line.chars().count() <= 70), "{lines:#?}");
        let names = |line: &&String| line.contains("   variant=read_coalesced_write_uncoalesced  1.037 ");
        assert_eq!(lines.iter().filter(names).count(), 1, "{lines:#?}");
    }

    #[test]
    fn remarks_without_room_beside_the_rows_stand_below_them() {
        let mut rows = table(&["   group", "mean"]);
        for name in ["variant=padded", "variant=shared_swizzled"] {
            rows.add_row([format!("   {name}"), "1.037".to_owned()]);
        }
        let remarks = ["slower at all 7 points".to_owned(), "slower at 14 and faster at 1 of 15 points".to_owned()];
        let beside = with_remarks(&rows, &remarks, Some(80));
        assert_eq!(beside, with_remarks(&rows, &remarks, None));
        assert!(beside[2].starts_with("    variant=shared_swizzled  1.037  slower at 14"), "{beside:#?}");
        assert_eq!(
            with_remarks(&rows, &remarks, Some(60)),
            [
                "    group                    mean",
                "    variant=padded           1.037",
                "      slower at all 7 points",
                "    variant=shared_swizzled  1.037",
                "      slower at 14 and faster at 1 of 15 points",
            ]
        );
    }

    #[test]
    fn names_without_room_beside_the_rest_stand_above_it() {
        let lines = fitted(&names(), 45);
        assert!(lines.iter().all(|line| line.chars().count() <= 45), "{lines:#?}");
        assert_eq!(lines.iter().filter(|line| line.trim() == "variant=read_coalesced_write_uncoalesced").count(), 1);
        assert!(lines.iter().all(|line| !line.contains(MARK)));
    }

    #[test]
    fn rows_with_the_same_name_have_it_above_the_first() {
        let mut rows = table(&["variant", "kernel", "threads"]);
        for threads in ["32", "64", "128"] {
            rows.add_row(["naive", "transpose_naive_of_32_and_4", threads]);
        }
        assert_eq!(
            fitted(&rows, 20),
            [
                " kernel",
                "  variant  threads",
                " transpose_naive_of_32_and_4",
                "  naive    32",
                "  naive    64",
                "  naive    128"
            ]
        );
    }

    /// A number above a row would not say what the row is of.
    #[test]
    fn columns_of_names_are_taken_out_before_longer_ones() {
        let mut rows = table(&["variant", "width", "time", "interval"]);
        for (variant, width) in [("copy", "1024"), ("copy", "2048"), ("naive", "1024")] {
            rows.add_row([variant, width, "5.0", "0.860–0.886"]);
        }
        assert_eq!(
            fitted_by(&rows, 29, 2),
            [
                " variant",
                "  width  time  interval",
                " copy",
                "  1024   5.0   0.860–0.886",
                "  2048   5.0   0.860–0.886",
                " naive",
                "  1024   5.0   0.860–0.886",
            ]
        );
    }

    #[test]
    fn tables_that_fit_stay_as_they_are() {
        assert_eq!(fitted(&names(), 200), lines(&names()));
    }
}
