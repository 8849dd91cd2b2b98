//! The cells of a row that every family has.

use csv::StringRecord;

use super::{Columns, cache, finite, flags, whole};
use crate::device::Phases;
use crate::record::{Median, RESULT_COLUMNS, Timing};

/// The place of each of [`RESULT_COLUMNS`] among them, found by the compiler and not for each cell.
macro_rules! column {
    ($name:literal) => {
        const { $crate::run::reader::cells::place_of($name) }
    };
}

pub(super) use column;

/// The cells of a row that every family has.
pub(super) struct Results<'a> {
    pub(super) columns: &'a Columns,
    pub(super) row: &'a StringRecord,
}

/// Where a column is among [`RESULT_COLUMNS`]. A name that is not there does not compile.
pub(super) const fn place_of(name: &str) -> usize {
    let mut place = 0;
    while !is_same(RESULT_COLUMNS[place].as_bytes(), name.as_bytes()) {
        place += 1;
    }
    place
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

impl<'a> Results<'a> {
    /// The text in one of [`RESULT_COLUMNS`]; empty where the run has no such column.
    pub(super) fn text(&self, column: usize) -> &'a str {
        self.columns.results[column].and_then(|place| self.row.get(place)).unwrap_or_default()
    }

    fn finite(&self, column: usize) -> Result<f64, String> {
        finite(RESULT_COLUMNS[column], self.text(column))
    }

    fn known(&self, column: usize) -> Result<Option<f64>, String> {
        if self.text(column).is_empty() { Ok(None) } else { self.finite(column).map(Some) }
    }

    fn whole(&self, column: usize) -> Result<u64, String> {
        whole(RESULT_COLUMNS[column], self.text(column))
    }

    pub(super) fn known_count(&self, column: usize) -> Result<Option<u64>, String> {
        if self.text(column).is_empty() { Ok(None) } else { self.whole(column).map(Some) }
    }

    /// The phases; `None` where the point has none, or the run is from before they were told.
    fn phases(&self) -> Result<Option<Phases>, String> {
        let Some(total_us) = self.known(column!("total_us"))? else { return Ok(None) };
        Ok(Some(Phases {
            transfer_in_us: self.finite(column!("transfer_in_us"))?,
            kernel_us: self.finite(column!("kernel_us"))?,
            transfer_out_us: self.finite(column!("transfer_out_us"))?,
            host_us: self.known(column!("host_us"))?,
            kernel_hidden_us: self.finite(column!("kernel_hidden_us"))?,
            total_us,
        }))
    }

    pub(super) fn timing(&self) -> Result<Timing, String> {
        let median = Median {
            time_us: self.finite(column!("time_us"))?,
            low_us: self.known(column!("time_us_low"))?,
            high_us: self.known(column!("time_us_high"))?,
            samples: self.whole(column!("samples"))? as usize,
        };
        let hot = match self.known(column!("hot_us"))? {
            Some(time_us) => {
                let (low_us, high_us) = (self.known(column!("hot_us_low"))?, self.known(column!("hot_us_high"))?);
                Some(Box::new(Median { time_us, low_us, high_us, samples: 0 }))
            }
            None => None,
        };
        Ok(Timing {
            median,
            cache: cache(self.text(column!("cache")))?,
            hot,
            rounds: self.known_count(column!("rounds"))?.unwrap_or(1) as usize,
            clock_mhz: self.known(column!("clock_mhz"))?,
            stopped_by: self.text(column!("stopped_by")).into(),
            flags: flags(self.text(column!("flags")))?,
            phases: self.phases()?.map(Box::new),
        })
    }
}
