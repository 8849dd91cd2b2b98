//! What tells points apart: the variant and the values of the parameters that it depends on, as small numbers.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// Texts that many points share, each once.
#[derive(Debug, Clone, Default)]
pub struct Values {
    texts: Vec<String>,
    numbers: HashMap<String, u32, RandomState>,
}

/// The cell of a parameter that a point's variant does not depend on, or that is ignored.
pub const NOTHING: u32 = u32::MAX;

impl Values {
    /// The number of a text.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The text of a number; empty for [`NOTHING`].
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}

/// The keys of many points, one after another: a column for the variant, then one for each parameter.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    cells: Vec<u32>,
    columns: usize,
}

impl Keys {
    /// None yet, of so many columns.
    pub fn new(columns: usize) -> Self {
        Self { cells: Vec::new(), columns }
    }

    /// Adds one.
    pub fn push(&mut self, cells: impl IntoIterator<Item = u32>) {
        self.cells.extend(cells.into_iter().take(self.columns));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The cells of one; none where there is no such key.
    pub fn get(&self, index: usize) -> &[u32] {
        self.cells.get(index * self.columns..(index + 1) * self.columns).unwrap_or_default()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.cells.chunks_exact(self.columns.max(1))
    }

    /// The values of a column, each once, in the order in which they come first; not [`NOTHING`].
    pub fn distinct(&self, column: usize) -> Vec<u32> {
        // Numbers are places among the values, so that there are few.
        let mut seen: Vec<bool> = Vec::new();
        let mut is_new = |cell: u32| {
            let place = cell as usize;
            if seen.len() <= place {
                seen.resize(place + 1, false);
            }
            !std::mem::replace(&mut seen[place], true)
        };
        let cells = self.iter().filter_map(|key| key.get(column).copied()).filter(|cell| *cell != NOTHING);
        // Neighbours mostly have the same value, which need not be looked for again.
        let mut last = NOTHING;
        cells.filter(|cell| std::mem::replace(&mut last, *cell) != *cell && is_new(*cell)).collect()
    }
}
