//! The cells of a row that every family has.

use csv::StringRecord;

use super::{Columns, cache, finite, flags, whole};
use crate::device::Phases;
use crate::record::{Median, RESULT_COLUMNS, Timing};
use crate::unit::{decimals, plain};

/// The place of each of [`RESULT_COLUMNS`] among them, found by the compiler and not for each cell.
macro_rules! column {
    ($name:literal) => {
        const { $crate::run::reader::cells::place_of($name) }
    };
}

pub(super) use column;

/// How far a cell with three decimals is from its number, and a little for the digits of floats.
const ROUNDED: f64 = 0.000_501;

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

/// A rate with three decimals, as its cell has it.
fn told_rate(rate: f64) -> String {
    if rate < 1e15 { decimals(rate, 3) } else { plain(rate) }
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
        let Some(total_us) = self.known(column!("total_us"))? else {
            let parts = [
                column!("transfer_in_us"),
                column!("kernel_us"),
                column!("transfer_out_us"),
                column!("host_us"),
                column!("kernel_hidden_us"),
            ];
            let part = parts.into_iter().find(|part| !self.text(*part).is_empty());
            let problem =
                |part: usize| format!("{} is {}, but there is no total_us", RESULT_COLUMNS[part], self.text(part));
            return part.map_or(Ok(None), |part| Err(problem(part)));
        };
        Ok(Some(Phases {
            transfer_in_us: self.finite(column!("transfer_in_us"))?,
            kernel_us: self.finite(column!("kernel_us"))?,
            transfer_out_us: self.finite(column!("transfer_out_us"))?,
            host_us: self.known(column!("host_us"))?,
            kernel_hidden_us: self.finite(column!("kernel_hidden_us"))?,
            total_us,
        }))
    }

    /// The time of hot samples beside cold ones.
    fn hot(&self) -> Result<Option<Median>, String> {
        let [low_us, high_us] = [column!("hot_us_low"), column!("hot_us_high")];
        let Some(time_us) = self.known(column!("hot_us"))? else {
            let end = [low_us, high_us].into_iter().find(|end| !self.text(*end).is_empty());
            let problem = |end: usize| format!("{} is {}, but there is no hot_us", RESULT_COLUMNS[end], self.text(end));
            return end.map_or(Ok(None), |end| Err(problem(end)));
        };
        Ok(Some(Median { time_us, low_us: self.known(low_us)?, high_us: self.known(high_us)?, samples: 0 }))
    }

    /// Whether a rate is the amount over the time, as far as its cell says one.
    fn check_rate(&self, rate: usize, amount: usize, time_us: f64) -> Result<(), String> {
        let Some(told) = self.known(rate)?.filter(|_| time_us > 0.0) else { return Ok(()) };
        let count = self.known_count(amount)?.unwrap_or(0) as f64;
        let at = |time_us: f64| if time_us > 0.0 { count / time_us / 1e3 } else { f64::INFINITY };
        // The rate is of the time before it was rounded for its cell, and is rounded itself.
        if (at(time_us + ROUNDED) - ROUNDED..=at(time_us - ROUNDED) + ROUNDED).contains(&told) {
            return Ok(());
        }
        let (rate, amount, expected) = (RESULT_COLUMNS[rate], RESULT_COLUMNS[amount], told_rate(at(time_us)));
        Err(format!("{rate} is {}, but {amount} over time_us is {expected}", plain(told)))
    }

    pub(super) fn timing(&self) -> Result<Timing, String> {
        let median = Median {
            time_us: self.finite(column!("time_us"))?,
            low_us: self.known(column!("time_us_low"))?,
            high_us: self.known(column!("time_us_high"))?,
            samples: self.whole(column!("samples"))? as usize,
        };
        self.check_rate(column!("gb_per_s"), column!("bytes"), median.time_us)?;
        self.check_rate(column!("gop_per_s"), column!("operations"), median.time_us)?;
        Ok(Timing {
            median,
            cache: cache(self.text(column!("cache")))?,
            hot: self.hot()?.map(Box::new),
            rounds: self.known_count(column!("rounds"))?.unwrap_or(1) as usize,
            clock_mhz: self.known(column!("clock_mhz"))?,
            stopped_by: self.text(column!("stopped_by")).into(),
            flags: flags(self.text(column!("flags")))?,
            phases: self.phases()?.map(Box::new),
        })
    }
}
