//! A time as comparisons take it.

use std::cmp::Ordering;

use crate::record::PointRecord;

/// A median time with its 95 % interval, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredTime {
    /// The median.
    pub time_us: f64,
    /// The ends of its interval; `None` where there is none, as for times that repeat exactly.
    pub interval_us: Option<(f64, f64)>,
}

impl MeasuredTime {
    /// The time of a point that ended well.
    pub fn of(point: &PointRecord) -> Option<Self> {
        let median = &point.timing.as_ref()?.median;
        Some(Self { time_us: median.time_us, interval_us: median.low_us.zip(median.high_us) })
    }

    /// The smallest and the largest value that it may have.
    fn ends_us(&self) -> (f64, f64) {
        self.interval_us.unwrap_or((self.time_us, self.time_us))
    }

    /// Whether it is less or greater than another; `Equal` if the intervals overlap.
    pub fn against(&self, other: &Self) -> Ordering {
        let ((low, high), (other_low, other_high)) = (self.ends_us(), other.ends_us());
        if high < other_low {
            Ordering::Less
        } else if low > other_high {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    /// Half the width of the interval of its logarithm.
    pub fn half_width(&self) -> Option<f64> {
        let (low, high) = self.interval_us?;
        let half = (high / low).ln() / 2.0;
        half.is_finite().then_some(half)
    }
}
