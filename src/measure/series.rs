//! The samples of a point with cold or hot caches, round by round, and their median.

use super::clock::ClockGuard;
use crate::device::{Cache, Phases, Sample, Telemetry};
use crate::record::{Flag, Median, RoundRecord, SampleRecord, StopReason};
use least_squares::order_statistics::{Summary, median, summarise_series, trimmed_mean};

/// A point's samples in one state of the caches.
#[derive(Debug, Clone)]
pub(super) struct Series {
    cache: Cache,
    /// All samples; those of the round at hand, which is not yet closed, at the end.
    pub(super) samples: Vec<SampleRecord>,
    pub(super) rounds: Vec<RoundRecord>,
    /// Why sampling stopped; `None` while it goes on.
    pub(super) stopped_by: Option<StopReason>,
    open_from: usize,
}

impl Series {
    pub(super) fn new(cache: Cache) -> Self {
        Self { cache, samples: Vec::new(), rounds: Vec::new(), stopped_by: None, open_from: 0 }
    }

    /// Adds a sample to the round at hand. `order` is its place among the samples of all points in that round.
    pub(super) fn push(&mut self, round: usize, order: usize, sample: Sample) {
        let flags = if sample.gated { Vec::new() } else { vec![Flag::Ungated] };
        self.samples.push(SampleRecord { round, order, cache: self.cache, sample, flags });
    }

    /// The clocks of the round at hand.
    pub(super) fn open_clocks_mhz(&self) -> impl Iterator<Item = f64> {
        self.samples[self.open_from..].iter().filter_map(|record| record.sample.clock_mhz)
    }

    /// Closes the round at hand, behind which the sensors said this. Gives whether its clock was flagged.
    ///
    /// The flags of the round's clock are those of its samples too. A round has the flag `ungated` where none of its
    /// samples were gated, so that its times are those of ungated ones.
    pub(super) fn close_round(&mut self, round: usize, told: Option<&Telemetry>, guard: &mut ClockGuard) -> bool {
        let samples = &mut self.samples[self.open_from..];
        let counted = counted(samples);
        let (Some(time_us), Some(trimmed_us)) = (median(&counted), trimmed_mean(&counted)) else { return false };
        let clocks: Vec<f64> = samples.iter().filter_map(|record| record.sample.clock_mhz).collect();
        let clock_mhz = median(&clocks);
        let of_clock = guard.judge(clock_mhz, told);
        for record in samples.iter_mut() {
            record.flags.extend(&of_clock);
            record.flags.sort_unstable();
        }
        let mut flags = of_clock.clone();
        if samples.iter().all(|record| !record.sample.gated) {
            flags.push(Flag::Ungated);
        }
        self.rounds.push(RoundRecord {
            round,
            cache: self.cache,
            samples: samples.len(),
            time_us,
            trimmed_us,
            clock_mhz,
            telemetry: told.cloned(),
            flags,
        });
        self.open_from = self.samples.len();
        !of_clock.is_empty()
    }

    /// The median of the samples that count, and how well it is known.
    pub(super) fn summary(&self) -> Option<Summary> {
        summarise_series(&counted(&self.samples))
    }

    pub(super) fn median(&self) -> Option<Median> {
        let Summary { median, low, high, samples } = self.summary()?;
        Some(Median { time_us: median, low_us: low, high_us: high, samples })
    }

    /// The median of each phase over the samples; `None` where the workload has none.
    pub(super) fn phases(&self) -> Option<Phases> {
        let all: Vec<Phases> = self.samples.iter().filter_map(|record| record.sample.phases).collect();
        let middle = |of: fn(&Phases) -> f64| median(&all.iter().map(of).collect::<Vec<_>>());
        let host: Vec<f64> = all.iter().filter_map(|phases| phases.host_us).collect();
        Some(Phases {
            transfer_in_us: middle(|phases| phases.transfer_in_us)?,
            kernel_us: middle(|phases| phases.kernel_us)?,
            transfer_out_us: middle(|phases| phases.transfer_out_us)?,
            host_us: median(&host),
            kernel_hidden_us: middle(|phases| phases.kernel_hidden_us)?,
            total_us: middle(|phases| phases.total_us)?,
        })
    }

    pub(super) fn clock_mhz(&self) -> Option<f64> {
        let clocks: Vec<f64> = self.samples.iter().filter_map(|record| record.sample.clock_mhz).collect();
        median(&clocks)
    }

    /// The flags that more than half of the rounds have: what concerns fewer rounds hardly moves the median.
    pub(super) fn flags(&self) -> Vec<Flag> {
        let has = |flag: Flag| self.rounds.iter().filter(|round| round.flags.contains(&flag)).count();
        let most = |flag: &Flag| 2 * has(*flag) > self.rounds.len();
        [Flag::Clock, Flag::Throttled, Flag::Ungated].into_iter().filter(most).collect()
    }
}

/// The times that count: those of gated samples where there are any, as the others may hold launch latency.
fn counted(samples: &[SampleRecord]) -> Vec<f64> {
    let any_gated = samples.iter().any(|record| record.sample.gated);
    let counts = samples.iter().filter(|record| record.sample.gated || !any_gated);
    counts.map(|record| record.sample.time_us).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "the very digits are meant")]

    use super::*;

    fn sample(time_us: f64, clock_mhz: f64, gated: bool) -> Sample {
        Sample { time_us, host_us: None, clock_mhz: Some(clock_mhz), repeats: 1, gated, phases: None }
    }

    /// A series whose rounds have these clocks, with a guard whose reference is 1000 MHz.
    fn with_clocks(clocks_mhz: &[f64]) -> Series {
        let mut guard = ClockGuard::with_reference(1000.0);
        let mut series = Series::new(Cache::Cold);
        for (round, clock_mhz) in clocks_mhz.iter().enumerate() {
            series.push(round, 0, sample(10.0, *clock_mhz, true));
            assert_eq!(series.close_round(round, None, &mut guard), *clock_mhz < 970.0);
        }
        series
    }

    #[test]
    fn ungated_samples_are_left_out_where_there_are_others() {
        let mut guard = ClockGuard::default();
        let mut series = Series::new(Cache::Cold);
        for (order, time_us) in [10.0, 11.0, 12.0].into_iter().enumerate() {
            series.push(0, order, sample(time_us, 1000.0, true));
        }
        series.push(0, 3, sample(99.0, 1000.0, false));
        series.close_round(0, None, &mut guard);
        assert_eq!((series.rounds[0].time_us, series.rounds[0].samples), (11.0, 4));
        assert_eq!(series.rounds[0].flags, []);
        let flags: Vec<_> = series.samples.iter().map(|record| record.flags.clone()).collect();
        assert_eq!(flags, [vec![], vec![], vec![], vec![Flag::Ungated]]);
        assert_eq!(series.median().unwrap().samples, 3);

        series.push(1, 0, sample(50.0, 1000.0, false));
        series.close_round(1, None, &mut guard);
        assert_eq!((series.rounds[1].time_us, &series.rounds[1].flags[..]), (50.0, &[Flag::Ungated][..]));
        assert_eq!(series.median().unwrap().time_us, 11.0);
        assert_eq!(series.flags(), [], "one round of two is no more than half");
    }

    #[test]
    fn where_no_sample_is_gated_all_count_and_the_point_says_so() {
        let mut series = Series::new(Cache::Hot);
        series.push(0, 0, sample(50.0, 1000.0, false));
        series.close_round(0, None, &mut ClockGuard::default());
        assert_eq!(series.median().unwrap().time_us, 50.0);
        assert_eq!(series.flags(), [Flag::Ungated]);
        assert_eq!(series.samples[0].cache, Cache::Hot);
    }

    #[test]
    fn a_point_has_the_flags_of_more_than_half_of_its_rounds() {
        assert_eq!(with_clocks(&[900.0, 900.0, 1000.0]).flags(), [Flag::Clock]);
        assert_eq!(with_clocks(&[900.0, 1000.0]).flags(), []);
        let series = with_clocks(&[900.0, 1000.0]);
        assert_eq!(series.samples[0].flags, [Flag::Clock]);
        assert_eq!(series.samples[1].flags, []);
        assert_eq!(series.clock_mhz(), Some(950.0));
    }

    #[test]
    fn a_round_without_samples_is_none() {
        let mut series = Series::new(Cache::Cold);
        assert!(!series.close_round(0, None, &mut ClockGuard::default()));
        assert!(series.rounds.is_empty() && series.median().is_none());
    }
}
