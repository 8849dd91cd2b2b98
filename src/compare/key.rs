//! What tells points apart: the variant and the values of the parameters that it depends on, as small numbers.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rayon::prelude::*;

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

    /// The number here of each text of others, by the number that it has there.
    pub fn numbers_of(&mut self, others: &Self) -> Vec<u32> {
        others.texts.iter().map(|text| self.number(text)).collect()
    }

    /// The text of a number; empty for [`NOTHING`].
    pub fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }
}

/// The keys of many points, one after another: a column for the variant, then one for each parameter. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    cells: Arc<Vec<u32>>,
    columns: usize,
}

impl Keys {
    /// None yet, of so many columns.
    pub fn new(columns: usize) -> Self {
        Self { cells: Arc::default(), columns }
    }

    /// Adds one.
    pub fn push(&mut self, cells: impl IntoIterator<Item = u32>) {
        Arc::make_mut(&mut self.cells).extend(cells.into_iter().take(self.columns));
    }

    /// Adds others, whose cells have these numbers here.
    pub fn extend(&mut self, others: &Self, numbers: &[u32]) {
        Arc::make_mut(&mut self.cells)
            .par_extend(others.cells.par_iter().map(|cell| numbers.get(*cell as usize).copied().unwrap_or(NOTHING)));
    }

    /// The same keys, blank in these columns, which they have.
    #[must_use]
    pub fn without(&self, blank: &[usize]) -> Self {
        let mut keys = self.clone();
        if !blank.is_empty() {
            let clear = |key: &mut [u32]| blank.iter().for_each(|column| key[*column] = NOTHING);
            Arc::make_mut(&mut keys.cells).par_chunks_exact_mut(keys.columns.max(1)).for_each(clear);
        }
        keys
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

    /// All of them, by several threads.
    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = &[u32]> {
        self.cells.par_chunks_exact(self.columns.max(1))
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
