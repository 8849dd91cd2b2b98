//! Whether what a row says of its time can be so.

use crate::record::{Median, StopReason, TIMES_BELOW_US, Timing};
use crate::scenario::MeasureSettings;
use crate::unit::plain;

/// What cannot be so of a time that was measured with these settings; `None` if all can.
pub(super) fn wrong(timing: &Timing, measure: &MeasureSettings) -> Option<String> {
    let median = timing.median;
    if median.samples == 0 {
        return Some("samples is 0, but there is a time".to_owned());
    }
    let most = measure.samples_max;
    if median.samples > most {
        return Some(format!(
            "samples is {}, and no point of this run has more than samples_max, {most}",
            median.samples
        ));
    }
    if let Some(problem) = wrong_reason(&timing.stopped_by) {
        return Some(problem);
    }
    let most = measure.rounds_max;
    if timing.rounds == 0 || timing.rounds > most {
        return Some(format!(
            "rounds is {}, expected a whole number from 1 to the run's rounds_max, {most}",
            timing.rounds
        ));
    }
    if let Some(clock_mhz) = timing.clock_mhz.filter(|clock_mhz| *clock_mhz <= 0.0) {
        return Some(format!("clock_mhz is {}, expected a number above zero", plain(clock_mhz)));
    }
    let hot = timing.hot.as_deref().and_then(|hot| wrong_median("hot_us", hot));
    wrong_median("time_us", &median).or(hot)
}

/// What is wrong with why sampling stopped; runs of other programs may leave it empty.
fn wrong_reason(stopped_by: &str) -> Option<String> {
    let names = StopReason::ALL.map(StopReason::name);
    let is_known = stopped_by.is_empty() || names.contains(&stopped_by);
    (!is_known).then(|| format!("stopped_by is `{stopped_by}`, expected one of {}", names.join(", ")))
}

/// What cannot be so of the median in the column `name`.
fn wrong_median(name: &str, median: &Median) -> Option<String> {
    let Median { time_us, low_us, high_us, .. } = *median;
    if let (Some(end_us), None) | (None, Some(end_us)) = (low_us, high_us) {
        return Some(format!("the interval of {name} has one end, {end_us}, and no other"));
    }
    if let Some(low_us) = low_us.filter(|low| *low < 0.0) {
        return Some(format!("{name}_low is {}, expected a number of 0 or more", plain(low_us)));
    }
    if time_us <= 0.0 {
        return Some(format!("{name} is {}, expected a number above zero", plain(time_us)));
    }
    if let Some(long_us) = [Some(time_us), high_us].into_iter().flatten().find(|own| *own >= TIMES_BELOW_US) {
        return Some(format!(
            "{name} or its interval has {}, expected a time below {TIMES_BELOW_US:e}",
            plain(long_us)
        ));
    }
    let is_outside = low_us.is_some_and(|low| low > time_us) || high_us.is_some_and(|high| high < time_us);
    is_outside.then(|| format!("{name} is outside of its interval"))
}
