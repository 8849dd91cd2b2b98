//! Cells that differ from family to family, while a table is read in parts.

use super::reader::Columns;
use crate::record::{Block, Numbers, PointRecord, Texts, Words};

/// Those of the rows of a part, one row after another.
#[derive(Default)]
pub(super) struct Draft {
    /// The texts of this part.
    pub(super) words: Words,
    pub(super) parameters: Vec<u32>,
    pub(super) counters: Vec<u32>,
    pub(super) predictors: Vec<Option<f64>>,
}

/// Those of all parts, in their order.
#[derive(Default)]
pub(super) struct Drafts {
    words: Words,
    parts: Vec<(Draft, usize)>,
}

impl Drafts {
    /// Adds a part of so many rows.
    pub(super) fn add(&mut self, mut draft: Draft, rows: usize) {
        let numbers = self.words.numbers_of(&draft.words);
        for cell in draft.parameters.iter_mut().chain(&mut draft.counters) {
            *cell = numbers[*cell as usize];
        }
        draft.words = Words::default();
        self.parts.push((draft, rows));
    }

    /// Gives the rows their cells.
    pub(super) fn finish(self, columns: &Columns, points: &mut [PointRecord]) {
        let texts = self.words.into_texts();
        let mut rest = points;
        for (draft, rows) in self.parts {
            let parameters = Block::new(&columns.parameters.names, draft.parameters, &texts);
            let counters = Block::new(&columns.counters.names, draft.counters, &texts);
            let predictors = Block::new(&columns.predictors.names, draft.predictors, &texts);
            let (part, behind) = rest.split_at_mut(rows);
            for (row, point) in part.iter_mut().enumerate() {
                point.parameters = Texts::of(&parameters, row);
                point.counters = Texts::of(&counters, row);
                point.predictors = Numbers::of(&predictors, row);
            }
            rest = behind;
        }
    }
}
