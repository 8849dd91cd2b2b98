//! A comparison on the terminal: its summary, the laws, and the points that differ most.

use comfy_table::{Cell as TableCell, Color, ColumnConstraint, Row, Table};
use console::Term;
use rayon::prelude::*;

use super::super::failure::Failure;
use super::super::fitting::{fitted, fitted_by, has_room};
use super::super::output::{line, table, width, wrapped};
use super::{SideBySide, words};
use crate::compare::laws::LawRow;
use crate::compare::side::Facts;
use crate::compare::side_by_side::{Cell, Judged, Other, Standing};
use crate::compare::verdict::Verdict;
use crate::unit;
use located_toml::words::count;

/// Points that are shown unless all are asked for.
const POINTS_MAX: usize = 20;
/// Laws' parameters that are shown unless all are asked for.
const LAWS_MAX: usize = 24;
/// Points that only one side has which are named.
const NAMED_MAX: usize = 3;
/// Reasons that are told.
const REASONS_MAX: usize = 5;
/// What `sweep --rounds` takes at most.
const ROUNDS_MOST: usize = 1000;

pub(super) fn print(compared: &SideBySide, all: bool) -> Result<(), Failure> {
    heading(compared)?;
    for index in 0..compared.others.len() {
        summary(compared, index)?;
    }
    laws(compared, all)?;
    points(compared, all)
}

/// Prints lines as wide as the table of the points, broken between words.
pub(super) fn paragraph(first: &str, text: &str) -> Result<(), Failure> {
    Ok(wrapped(first, text, usize::from(width())).into_iter().try_for_each(line)?)
}

fn heading(compared: &SideBySide) -> Result<(), Failure> {
    paragraph("", &format!("{}: ratio = time / time in the base, above 1 is slower", compared.family))?;
    line("")?;
    let side = |mark: &str, facts: &Facts| {
        let driver = facts.driver_version.as_ref().map(|driver| format!(", driver {driver}")).unwrap_or_default();
        line(format!("{mark:<5} {}", facts.name))?;
        line(format!("      {}{driver}, {} points", facts.device, facts.points))
    };
    side("base", &compared.base)?;
    for (index, other) in compared.others.iter().enumerate() {
        side(&words::mark(index), &other.facts)?;
    }
    line("")?;
    let fixed: Vec<String> = compared.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !fixed.is_empty() {
        paragraph("every point: ", &fixed.join(" "))?;
    }
    compared.notes.iter().try_for_each(|note| paragraph("note: ", note))
}

fn summary(compared: &SideBySide, index: usize) -> Result<(), Failure> {
    let Some(other) = compared.others.get(index) else { return Ok(()) };
    let own = &other.summary;
    line("")?;
    let compared_points = format!("{} points compared", own.compared);
    paragraph(
        &format!("{:<5} ", words::mark(index)),
        &format!("{compared_points}: {}", words::counts(compared, index)),
    )?;
    if let Some(mean) = &own.mean {
        let mut rows = table(&[]);
        let label =
            if other.relation.label().is_empty() { String::new() } else { format!(" ({})", other.relation.label()) };
        if let Some((smallest, largest)) = own.range.filter(|(smallest, largest)| smallest < largest) {
            let ratios = format!("{} to {}", words::ratio(smallest), words::ratio(largest));
            rows.add_row(["      ratios".to_owned(), ratios]);
        }
        rows.add_row(["      geometric mean".to_owned(), words::with_interval(mean), label.trim().to_owned()]);
        for normalised in &other.normalised {
            rows.add_row([
                format!("      {}", normalised.label),
                words::with_interval(&normalised.mean),
                format!("x {}: {} against {}", words::ratio(normalised.factor), normalised.other, normalised.base),
            ]);
        }
        print_fitting(&rows)?;
    }
    let most: Vec<String> = own.differ_most.iter().map(|row| most_different(compared, *row, index)).collect();
    if let [first, rest @ ..] = &most[..] {
        paragraph("      differ most: ", first)?;
        rest.iter().try_for_each(|own| paragraph("                   ", own))?;
    }
    for (standing, count) in
        [(Standing::Added, own.added), (Standing::Removed, own.removed), (Standing::Failed, own.failed)]
    {
        if count > 0 {
            let named: Vec<String> =
                words::rows_with(compared, index, standing).take(NAMED_MAX).map(|row| compared.label(row)).collect();
            let more = if count > named.len() { ", ..." } else { "" };
            paragraph("      ", &format!("{} {count}: {}{more}", standing.name(), named.join(", ")))?;
        }
    }
    Ok(())
}

fn most_different(compared: &SideBySide, row: usize, index: usize) -> String {
    let judged = compared.rows.get(row).and_then(|row| row.others.get(index)?.judged.as_ref());
    let ratio = judged.map(|judged| words::ratio(judged.ratio)).unwrap_or_default();
    format!("{ratio} at {}", compared.label(row))
}

fn laws(compared: &SideBySide, all: bool) -> Result<(), Failure> {
    for (index, other) in compared.others.iter().enumerate().filter(|(_, other)| !other.laws.is_empty()) {
        line("")?;
        line(format!("laws {}", words::mark(index)))?;
        let shown = if all { other.laws.len() } else { LAWS_MAX.min(other.laws.len()) };
        let mut heading = String::new();
        let mut rows = table(&["", "base", words::mark(index).as_str(), "ratio", "95 % interval"]);
        for law in &other.laws[..shown] {
            let own = format!("{} {}", law.fit, law.group);
            if own != heading {
                heading = own;
                if rows.row_count() > 0 {
                    print_fitting(&rows)?;
                    rows = table(&[]);
                }
                paragraph("   ", &heading)?;
            }
            rows.add_row(law_cells(law));
        }
        print_fitting(&rows)?;
        if shown < other.laws.len() {
            line(format!("   and {} more; --all shows all", other.laws.len() - shown))?;
        }
    }
    Ok(())
}

fn law_cells(law: &LawRow) -> [String; 5] {
    let known = |known: Option<f64>| known.map_or("-".to_owned(), |value| unit::of_law(value, &law.unit));
    [
        format!("     {}", law.parameter),
        known(law.base.map(|base| base.estimate)),
        known(law.other.map(|other| other.estimate)),
        law.ratio.map_or("-".to_owned(), |own| words::ratio(own.ratio)),
        law.ratio.map_or(String::new(), |own| words::interval(own.interval)),
    ]
}

/// The rows to show, and how many differ: all, or those that differ in any of the others, the largest ratios first.
fn chosen(compared: &SideBySide, all: bool) -> (Vec<usize>, usize) {
    if all {
        return ((0..compared.rows.len()).collect(), compared.rows.len());
    }
    let size = |cell: &Cell| {
        let judged = cell.judged.as_ref().filter(|judged| judged.verdict != Verdict::Same)?;
        Some(judged.ratio.ln().abs())
    };
    let rows = compared.rows.par_iter().enumerate();
    let differing = rows.filter_map(|(row, own)| Some((row, own.others.iter().filter_map(size).reduce(f64::max)?)));
    let mut differing: Vec<(usize, f64)> = differing.collect();
    let count = differing.len();
    let order =
        |(row, one): &(usize, f64), (other_row, other): &(usize, f64)| other.total_cmp(one).then(row.cmp(other_row));
    if count > POINTS_MAX {
        differing.select_nth_unstable_by(POINTS_MAX, order);
        differing.truncate(POINTS_MAX);
    }
    differing.sort_by(order);
    (differing.into_iter().map(|(row, _)| row).collect(), count)
}

fn points(compared: &SideBySide, all: bool) -> Result<(), Failure> {
    let (rows, count) = chosen(compared, all);
    if rows.is_empty() {
        return Ok(());
    }
    line("")?;
    if all {
        line(format!("{count} points"))?;
    } else if rows.len() < count {
        line(format!("{count} points differ or may differ; the {} that differ most (--all: every point)", rows.len()))?;
    } else {
        line("points that differ or may differ (--all: every point)")?;
    }
    let (names, common) = told_apart_by(compared, &rows);
    if !common.is_empty() {
        paragraph("   ", &common)?;
    }
    let mut shown = table(&[]);
    shown.set_header(header(compared, &names));
    for row in &rows {
        shown.add_row(cells(compared, &names, *row));
    }
    keep_numbers_whole(&mut shown, names.len(), compared.others.len());
    fitted_by(&shown, width(), names.len()).into_iter().try_for_each(line)?;
    reasons(compared, &rows)
}

/// Of what tells points apart that which tells these apart, and the rest in words.
fn told_apart_by<'a>(compared: &'a SideBySide, rows: &[usize]) -> (Vec<&'a str>, String) {
    let value = |name: &str| rows.first().map_or("", |row| compared.value(*row, name));
    let differs = |name: &&str| rows.iter().any(|row| compared.value(*row, name) != value(name));
    let (apart, common): (Vec<&str>, Vec<&str>) = compared.varying.iter().copied().partition(differs);
    let common: Vec<String> = common
        .into_iter()
        .filter(|name| !value(name).is_empty())
        .map(|name| format!("{name}={}", value(name)))
        .collect();
    (apart, common.join(" "))
}

/// Where lines are too long, breaks verdicts and what stands above the intervals: numbers stay whole.
fn keep_numbers_whole(shown: &mut Table, names: usize, others: usize) {
    for (index, column) in shown.column_iter_mut().enumerate() {
        let is_verdict =
            if others == 1 { index == names + 4 } else { index > names && (index - names).is_multiple_of(2) };
        if index >= names && !is_verdict {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
        column.set_padding(if index == 0 { (1, 1) } else { (0, 1) });
    }
    if !has_room(shown, width()) && others == 1 {
        let header = shown.header().into_iter().flat_map(Row::cell_iter).map(TableCell::content);
        let header: Vec<String> = header.map(|own| own.replace(INTERVAL, INTERVAL_IN_LINES)).collect();
        shown.set_header(header);
    }
}

/// What stands above intervals, ...
const INTERVAL: &str = "95 % interval";
/// ... and the same in as many columns as an interval has.
const INTERVAL_IN_LINES: &str = "95 %\ninterval";

fn header(compared: &SideBySide, names: &[&str]) -> Vec<String> {
    let mut header: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    header.push("base".to_owned());
    for index in 0..compared.others.len() {
        let mark = words::mark(index);
        if compared.others.len() == 1 {
            let verdict = if is_of_simulated(compared) { "simulated verdict" } else { "verdict" };
            header.extend([mark, "ratio".to_owned(), INTERVAL.to_owned(), verdict.to_owned()]);
        } else {
            header.extend([format!("{mark} ratio"), format!("{mark} verdict")]);
        }
    }
    header
}

/// What verdicts end with that are of simulated times.
const SIMULATED: &str = " simulated";

/// Whether the only other side makes each verdict one of simulated times, which the head of the column says for all.
fn is_of_simulated(compared: &SideBySide) -> bool {
    matches!(&compared.others[..], [only] if only.relation.label() == SIMULATED.trim_start())
}

fn cells(compared: &SideBySide, names: &[&str], row: usize) -> Vec<TableCell> {
    let own = &compared.rows[row];
    let mut cells: Vec<TableCell> = names.iter().map(|name| TableCell::new(compared.value(row, name))).collect();
    let time = |time_us: Option<f64>| TableCell::new(time_us.map_or("-".to_owned(), |time| unit::time_us_to(time, 4)));
    cells.push(time(own.base.map(|base| base.time_us)));
    for (other, cell) in compared.others.iter().zip(&own.others) {
        let ratio = cell.judged.as_ref().map_or("-".to_owned(), |judged| words::ratio(judged.ratio));
        let interval = words::dashed(cell.judged.as_ref().and_then(|judged| judged.interval));
        if compared.others.len() == 1 {
            cells.push(time(cell.time.map(|time| time.time_us)));
            cells.extend([TableCell::new(ratio), TableCell::new(interval)]);
        } else {
            cells.push(TableCell::new(ratio));
        }
        let told = cell.told(other.relation);
        let is_said = is_of_simulated(compared);
        let told = told.strip_suffix(SIMULATED).filter(|_| is_said).map_or(told.clone(), str::to_owned);
        cells.push(coloured(told, cell, other));
    }
    cells
}

/// A verdict in its colour, on a terminal that has colours.
fn coloured(text: String, cell: &Cell, other: &Other) -> TableCell {
    let own = TableCell::new(text);
    // What simulated times say is no alarm.
    if !console::colors_enabled() || !Term::stdout().is_term() || other.relation.label() == "simulated" {
        return own;
    }
    match cell.judged.as_ref().map(|judged| judged.verdict) {
        Some(Verdict::Slower | Verdict::LikelySlower) => own.fg(Color::Red),
        Some(Verdict::Faster | Verdict::LikelyFaster) => own.fg(Color::Green),
        Some(Verdict::Unsure) => own.fg(Color::Yellow),
        Some(Verdict::Same) | None => own,
    }
}

/// Prints why points shown have no definite verdict, and how many rounds would give one: each reason once.
fn reasons(compared: &SideBySide, rows: &[usize]) -> Result<(), Failure> {
    let judged = rows.iter().flat_map(|row| {
        let cells = compared.others.iter().zip(&compared.rows[*row].others);
        cells.map(move |(other, cell)| (*row, cell.told(other.relation), cell))
    });
    let open: Vec<(usize, String, &Judged)> = judged
        .filter_map(|(row, told, cell)| {
            Some((row, told, cell.judged.as_ref().filter(|judged| !judged.reason.is_empty())?))
        })
        .collect();
    if open.is_empty() {
        return Ok(());
    }
    line("")?;
    let mut alike: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for (row, told, judged) in &open {
        match alike.iter_mut().find(|(own, reason, _)| own == told && *reason == judged.reason) {
            Some((.., rows)) => rows.push(*row),
            None => alike.push((told, &judged.reason, vec![*row])),
        }
    }
    for (told, reason, rows) in alike.iter().take(REASONS_MAX) {
        let place = match rows[..] {
            [row] => compared.label(row),
            _ => format!("{} of these points", rows.len()),
        };
        paragraph("   ", &format!("{told} at {place}: {reason}"))?;
    }
    if alike.len() > REASONS_MAX {
        line(format!("   and {} more: see column why of --csv", count(alike.len() - REASONS_MAX, "reason")))?;
    }
    if let Some(rounds) = open.iter().filter_map(|(_, _, judged)| judged.rounds_needed).max() {
        let advice = if rounds > ROUNDS_MOST {
            format!("not all of them can be decided: a sweep takes {ROUNDS_MOST} rounds at most")
        } else {
            format!("to decide all of them, sweep both runs again with --rounds {rounds}")
        };
        paragraph("   ", &advice)?;
    }
    Ok(())
}

/// Prints a table in lines of as many columns as there are, or as most terminals have.
pub(super) fn print_fitting(rows: &Table) -> Result<(), Failure> {
    Ok(fitted(rows, width()).into_iter().try_for_each(line)?)
}
