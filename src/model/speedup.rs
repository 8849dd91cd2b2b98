//! How many times as fast a run is with more of something for each thread than with the least: section 6.3 of Cornelis 2010.
//!
//! There a multiprocessor takes `t_1` for blocks whose threads process one element each and `t_k` where they process k, of
//! which there are a k-th as many: the speedup is `k t_1 / t_k`. Whole launches over the same elements have these
//! numbers of blocks already, so that it is the ratio of their times; `t_k / t_1` is k over it.

use std::fmt;

use super::slowdown::{Pair, Slowdown};
use crate::unit;

/// Ratios that are no further from one make no difference.
const SMALLEST_DIFFERENCE: f64 = 0.01;

/// What scenarios and `fits.csv` call it.
pub const SPEEDUP: &str = "speedup";

/// The time at the smallest value of a predictor over that at another.
#[derive(Debug, Clone, PartialEq)]
pub struct Speedup {
    /// The predictor.
    pub predictor: &'static str,
    /// Its smallest value.
    pub base: f64,
    /// The value that is compared with it.
    pub at: f64,
    /// The ratio of the times, above 1 where `at` is faster; the geometric mean where there are several.
    pub ratio: f64,
    /// The ends of its 95 % interval, which follows from the intervals of the times; `None` where one has none.
    pub interval: Option<(f64, f64)>,
    /// Pairs of points.
    pub n: usize,
}

impl Speedup {
    /// Over pairs whose point is at the smallest value and whose reference is at the other; `None` where none has a ratio.
    pub(super) fn over(predictor: &'static str, base: f64, at: f64, pairs: &[Pair<'_>]) -> Option<Self> {
        let Slowdown { ratio, interval, n, .. } = Slowdown::over(pairs)?;
        Some(Self { predictor, base, at, ratio, interval, n })
    }

    /// Whether it is clearly faster.
    pub fn is_faster(&self) -> bool {
        self.ratio > 1.0 && self.compared().is_empty()
    }

    /// What is to be said of the ratio beside its value: nothing where that says which is faster.
    pub fn compared(&self) -> &'static str {
        let (low, high) = self.interval.unwrap_or((self.ratio, self.ratio));
        if low <= 1.0 && high >= 1.0 {
            "as fast, within the intervals"
        } else if (self.ratio - 1.0).abs() <= SMALLEST_DIFFERENCE {
            "as fast, to within 1 %"
        } else if self.ratio < 1.0 {
            "slower"
        } else {
            ""
        }
    }
}

impl fmt::Display for Speedup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { predictor, base, ratio, interval, .. } = self;
        let (low, high) = interval.unwrap_or((*ratio, *ratio));
        if low <= 1.0 && high >= 1.0 {
            return write!(formatter, "as fast as {predictor} = {base}, within the intervals");
        }
        if (ratio - 1.0).abs() <= SMALLEST_DIFFERENCE {
            return write!(formatter, "as fast as {predictor} = {base}, to within 1 %");
        }
        let (times, word) = if *ratio > 1.0 { (*ratio, "fast") } else { (1.0 / ratio, "slow") };
        write!(
            formatter,
            "{} times as {word} as {predictor} = {base}",
            unit::significant(times, unit::ratio_digits(self.interval))
        )
    }
}
