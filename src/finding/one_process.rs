//! What intervals of a run do not know: that another process has other times.

use crate::compare::{RUN_TO_RUN_HOST_PCT, RUN_TO_RUN_PCT, RUN_TO_RUN_SHORT_PCT};
use crate::properties::Origin;
use crate::record::{Flag, PointRecord};

/// By how much another run of the same kernels may differ beyond the intervals of this one; nothing where times repeat exactly. A sentence without its capital and its full stop.
pub fn of_one_process(points: &[PointRecord]) -> Option<String> {
    let timings =
        points.iter().filter(|point| point.origin == Origin::Measured).filter_map(|point| point.timing.as_ref());
    let with_intervals: Vec<_> = timings.filter(|timing| timing.median.low_us.is_some()).collect();
    if with_intervals.is_empty() {
        return None;
    }
    let is_short = with_intervals.iter().any(|timing| timing.flags.contains(&Flag::Short));
    let short = if is_short { format!(", points flagged short by {RUN_TO_RUN_SHORT_PCT} %") } else { String::new() };
    let has_phases = with_intervals.iter().any(|timing| timing.phases.is_some());
    let phases = if has_phases {
        format!(", times with transfers or work of the host by {RUN_TO_RUN_HOST_PCT} %")
    } else {
        String::new()
    };
    Some(format!(
        "intervals are of the rounds of this run on this one GPU: another run on the same GPU may be further off, \
         mostly by no more than {RUN_TO_RUN_PCT} %{short}{phases}; another GPU, also of the same kind, by more"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::point;

    #[test]
    fn only_measured_times_with_intervals_are_of_one_process() {
        let measured = |half| PointRecord { origin: Origin::Measured, ..point("divergent", 1, "compute", 10.0, half) };
        let told = of_one_process(&[measured(0.1)]).unwrap();
        assert_eq!(
            told,
            "intervals are of the rounds of this run on this one GPU: another run on the same GPU may be further off, mostly by no more than 0.3 %; another GPU, also of the same kind, by more"
        );
        let simulated = PointRecord { origin: Origin::Simulated, ..measured(0.1) };
        assert_eq!(of_one_process(&[simulated]), None);
        assert_eq!(of_one_process(&[]), None);
        let mut short = measured(0.1);
        short.timing.as_mut().unwrap().flags = vec![Flag::Short];
        assert!(
            of_one_process(&[short]).unwrap().contains("mostly by no more than 0.3 %, points flagged short by 1.5 %; ")
        );
    }
}
