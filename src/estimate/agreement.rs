//! How well estimates agree with what was measured.

/// Estimates against measured times.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// For each rung that has both, the error of the estimate in percent of the measured time.
    pub errors_pct: Vec<f64>,
    /// The median of their sizes.
    pub median_error_pct: f64,
    /// Pairs of rungs whose measured times differ by more than the tolerance.
    pub pairs: usize,
    /// How many of them the estimates have in the same order.
    pub ordered_pairs: usize,
}

/// Times closer to each other than this have no order.
const TIE_PCT: f64 = 2.0;

/// Estimated and measured times of rungs, in microseconds; `None` where there are none.
pub fn agreement(times_us: &[(f64, f64)]) -> Option<Agreement> {
    if times_us.is_empty() {
        return None;
    }
    let errors_pct: Vec<f64> =
        times_us.iter().map(|(estimated, measured)| 100.0 * (estimated / measured - 1.0)).collect();
    let mut sizes: Vec<f64> = errors_pct.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let middle = sizes.len() / 2;
    let median = if sizes.len() % 2 == 1 { sizes[middle] } else { f64::midpoint(sizes[middle - 1], sizes[middle]) };
    let (mut pairs, mut ordered_pairs) = (0, 0);
    for (index, (estimated, measured)) in times_us.iter().enumerate() {
        for (other_estimated, other_measured) in &times_us[index + 1..] {
            if (measured / other_measured).max(other_measured / measured) <= 1.0 + TIE_PCT / 100.0 {
                continue;
            }
            pairs += 1;
            ordered_pairs += usize::from((estimated > other_estimated) == (measured > other_measured));
        }
    }
    Some(Agreement { errors_pct, median_error_pct: median, pairs, ordered_pairs })
}
