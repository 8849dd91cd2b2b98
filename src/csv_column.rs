//! Columns of CSV files: a name, what it means, and how its cell is made, in one row of a table.
//!
//! A writer takes header and cells from the same table, and the reference its rows, so that the three cannot differ.

/// A column of a CSV file.
#[derive(Debug, Clone, Copy)]
pub struct CsvColumn<C> {
    /// Its name in the header.
    pub name: &'static str,
    /// The unit of its numbers, or what else its cells are: `count`, `ratio`, `text`.
    pub unit: &'static str,
    /// What its cells say, in words for the reference; names in backquotes.
    pub meaning: &'static str,
    /// How the cell of a row is made.
    pub cell: C,
}

impl<C> CsvColumn<C> {
    /// A column with this name and unit, what it means, and how its cell is made.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str, cell: C) -> Self {
        Self { name, unit, meaning, cell }
    }

    /// What the reference says of it.
    pub fn described(&self) -> Described {
        Described { name: self.name, unit: self.unit, meaning: self.meaning }
    }
}

/// A column, or a key, as the reference lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// The unit of its numbers, or what else its values are.
    pub unit: &'static str,
    /// What it says.
    pub meaning: &'static str,
}

impl Described {
    /// A column or key of this name, its unit, and what it means.
    pub const fn new(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, meaning }
    }
}

/// What the reference says of these columns.
pub fn described<C>(columns: &[CsvColumn<C>]) -> impl Iterator<Item = Described> {
    columns.iter().map(CsvColumn::described)
}

/// The names of columns, in their order.
pub const fn names<C, const N: usize>(columns: &[CsvColumn<C>; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut place = 0;
    while place < N {
        names[place] = columns[place].name;
        place += 1;
    }
    names
}

/// Names of columns, then those of others; `ALL` is how many that makes.
///
/// # Panics
/// When compiled, if `ALL` is another number.
pub const fn joined<const ALL: usize>(first: &[&'static str], last: &[&'static str]) -> [&'static str; ALL] {
    assert!(first.len() + last.len() == ALL, "ALL is the number of names");
    let mut names = [""; ALL];
    let mut place = 0;
    while place < ALL {
        names[place] = if place < first.len() { first[place] } else { last[place - first.len()] };
        place += 1;
    }
    names
}
