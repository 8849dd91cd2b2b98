//! Rows of elements that other elements delimit: `for (j = starts[row]; j < starts[row + 1]; j++)`, as of sparse matrices and graphs.

use super::amount::Amount;
use super::extents;
use super::setting::Setting;
use crate::signature::{Expression, Kernel, Use};

/// Elements of a row where nothing says how many there are.
const PER_ROW: i64 = 4;

/// Parts of names of how many elements all rows have.
const ALL_NAMES: [&str; 5] = ["nnz", "nonzero", "non_zero", "num_entries", "num_edges"];

/// What a buffer says of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delimiters {
    /// The expression of its elements.
    pub(super) fill: String,
    /// What it says, in words, behind its name.
    pub(super) says: String,
}

/// The parameters whose elements say where rows begin and where they end; of most kernels one parameter says both, by neighbours.
fn delimiting(kernel: &Kernel) -> impl Iterator<Item = (usize, usize)> {
    kernel.body.locals.iter().filter(|own| own.grows).filter_map(|local| {
        let begin = local.by?;
        let end = local.bounds.iter().find_map(|bound| deciding(kernel, bound))?;
        (begin != end || has_neighbours(&kernel.body.uses[begin])).then_some((begin, end))
    })
}

/// Whether elements that stand side by side are read, as `starts[row]` and `starts[row + 1]` are.
fn has_neighbours(used: &Use) -> bool {
    let places: Vec<(Vec<&Expression>, i64)> = used.accesses.iter().map(|own| from_there(&own.index)).collect();
    let is_next = |(one, at): &(Vec<&Expression>, i64)| {
        places.iter().any(|(other, further)| other == one && at.checked_add(1) == Some(*further))
    };
    places.iter().any(is_next)
}

/// The terms of an index without numbers, and what the numbers come to.
pub(super) fn from_there(index: &Expression) -> (Vec<&Expression>, i64) {
    let (mut terms, mut number) = (Vec::new(), 0_i64);
    let (whole, taken) = match index {
        Expression::Difference(one, other) => (&**one, other.number()),
        own => (own, Some(0)),
    };
    let Some(taken) = taken else { return (vec![index], 0) };
    for term in whole.terms() {
        match term.number() {
            Some(own) => number = number.saturating_add(own),
            None => terms.push(term),
        }
    }
    (terms, number.saturating_sub(taken))
}

/// The parameter whose elements an expression depends on.
fn deciding(kernel: &Kernel, expression: &Expression) -> Option<usize> {
    match expression {
        Expression::Element(parameter) => Some(*parameter),
        Expression::Local(local) => kernel.body.locals.get(*local)?.by,
        other => other.operands().into_iter().find_map(|own| deciding(kernel, own)),
    }
}

/// What the buffer at this place says of rows, if it does.
pub(super) fn delimiters(setting: &Setting<'_>, place: usize) -> Option<Delimiters> {
    let (begin, end) = delimiting(setting.kernel).find(|(begin, end)| *begin == place || *end == place)?;
    let rows = rows(setting, begin, end)?;
    let next = if begin == place { "i" } else { "(i + 1)" };
    let which = if begin == end || begin == place { "begin" } else { "end" };
    let delimiters = |fill: String, has: String| {
        Some(Delimiters { fill, says: format!("where the elements of each row {which}: here {has}") })
    };
    if let Some(all) = all(setting) {
        return delimiters(
            format!("floor({next} * {} / {})", all.factor(), rows.factor()),
            format!("every row has as many of all {all}"),
        );
    }
    let per_row = per_row(setting, (begin, end), &rows).unwrap_or(PER_ROW);
    delimiters(format!("{per_row} * {next}"), format!("each row has {per_row} of them"))
}

/// How many elements a row has where the source allocates so many for each.
fn per_row(setting: &Setting<'_>, (begin, end): (usize, usize), rows: &Amount) -> Option<i64> {
    let is_of_rows = |used: &Use| used.accesses.iter().any(|own| own.by == Some(begin) || own.by == Some(end));
    let ratio = |(place, used): (usize, &Use)| {
        let allocated = extents::allocated(setting, place).filter(|_| is_of_rows(used))?.amount;
        let (all, rows) = (setting.launched(&allocated)?, setting.launched(rows).filter(|rows| *rows > 0)?);
        Some(all / rows).filter(|own| *own > 0 && all % rows == 0)
    };
    setting.kernel.body.uses.iter().enumerate().find_map(ratio)
}

/// How many elements a buffer has whose elements belong to rows.
pub(super) fn length(setting: &Setting<'_>, used: &Use) -> Option<Amount> {
    let is_of = |(begin, end): &(usize, usize)| {
        let by = |place: usize| used.accesses.iter().any(|access| access.by == Some(place));
        by(*begin) || by(*end)
    };
    let (begin, end) = delimiting(setting.kernel).find(is_of)?;
    all(setting).or_else(|| rows(setting, begin, end)?.times(&Amount::number(PER_ROW)))
}

/// How many rows there are.
fn rows(setting: &Setting<'_>, begin: usize, end: usize) -> Option<Amount> {
    let used = setting.kernel.body.uses.get(begin)?;
    let length = extents::by_indices(setting, used).or_else(|| extents::allocated(setting, begin))?.amount;
    if begin == end { length.minus(&Amount::number(1)) } else { Some(length) }
}

/// What says how many elements all rows have.
fn all(setting: &Setting<'_>) -> Option<Amount> {
    setting.parameters.iter().flatten().find(|name| is_of_all(name)).map(Amount::symbol)
}

/// Whether a number of this name says how many elements all rows have.
fn is_of_all(name: &str) -> bool {
    ALL_NAMES.iter().any(|part| name.contains(part))
}

/// How many elements all rows have where nothing else is said and there are so many rows, if a number of this name says it.
pub(super) fn other_default(name: &str, rows: i64) -> Option<i64> {
    is_of_all(name).then_some(PER_ROW * rows)
}
