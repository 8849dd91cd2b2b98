//! Cycles that kernels read from the clock of their multiprocessor, beside the times that events give.
//!
//! A kernel reads its clock around a loop, and events are around the whole launch. So what both must agree on is what one more turn of the loop takes.

use std::collections::BTreeMap;

use super::group::Member;
use super::guards::guard;
use super::session::Session;
use crate::csv_column::{CsvColumn, Described, described, names};
use crate::device::{Guard, GuardOutcome};
use crate::record::PointRecord;
use crate::workload::POISON;

/// Differences of times that are shorter are mostly noise, in microseconds.
const LEAST_US: f64 = 20.0;
/// How far cycles and events may be apart in the median, in percent.
const MOST_PCT: f64 = 1.0;
/// The column of `points.csv`.
static COLUMNS: [CsvColumn<()>; 1] = [CsvColumn::new(
    "device_cycles",
    "count",
    "cycles of the multiprocessor that the loop took in the last launch, as the first thread of the first block read them from the clock register; \
     empty after 2^32 cycles, where it comes round to 0",
    (),
)];

/// The name of the column, in runs of families whose kernels read the clock, on devices that have one.
pub const CLOCK_COLUMNS: [&str; 1] = names(&COLUMNS);

/// What the reference says of the column.
pub fn described_columns() -> impl Iterator<Item = Described> {
    described(&COLUMNS)
}

/// A point's size, its time, and the cycles that its loop took.
#[derive(Debug, Clone, Copy)]
struct Reading {
    size: f64,
    time_us: f64,
    /// By the clock of the samples.
    loop_us: f64,
}

/// The readings so far, by all that tells a point but its size.
#[derive(Debug, Clone, Default)]
pub(super) struct ClockTally {
    readings: BTreeMap<String, Vec<Reading>>,
}

/// Reads the cycles of the points that have times. A point without is as good as the others.
pub(super) fn read(session: &mut Session<'_>, members: &mut [Member<'_>]) {
    if !session.has_cycles() {
        return;
    }
    let size = session.family.size.as_ref().map(|size| size.parameter);
    for member in members.iter_mut().filter(|member| member.is_well()) {
        let Some(timing) = member.timing() else { continue };
        let Some(cycles) = member.cycles() else { continue };
        let Some(clock_mhz) = timing.clock_mhz.filter(|mhz| mhz * timing.median.time_us < f64::from(u32::MAX)) else {
            continue;
        };
        member.fill(&[(CLOCK_COLUMNS[0], cycles.to_string())]);
        let loop_us = f64::from(cycles) / clock_mhz;
        session.tally.clocks.note(member.record(), size, timing.median.time_us, loop_us);
    }
}

impl Member<'_> {
    /// The cycles that a kernel left in the last launch.
    fn cycles(&mut self) -> Option<u32> {
        let buffer = self.workload().cycles_buffer()?;
        let mut words = Vec::new();
        self.prepared.as_mut()?.read_into(buffer, &mut words).ok()?;
        words.first().copied().filter(|cycles| *cycles != POISON)
    }
}

impl ClockTally {
    fn note(&mut self, record: &PointRecord, size: Option<&str>, time_us: f64, loop_us: f64) {
        let Some(size) = size else { return };
        let Some(value) = record.parameters.get(size).and_then(|value| value.parse().ok()) else { return };
        let others =
            record.parameters.iter().filter(|(name, _)| *name != size).map(|(name, own)| format!("{name}={own}"));
        let key = [record.variant.to_string()].into_iter().chain(others).collect::<Vec<_>>().join(" ");
        self.readings.entry(key).or_default().push(Reading { size: value, time_us, loop_us });
    }

    /// By how many percent more the loop takes by its clock than by events, for all points that differ in their size alone.
    fn apart_pct(&self) -> impl Iterator<Item = f64> {
        self.readings.values().filter_map(|readings| {
            let by_size = |one: &&Reading, other: &&Reading| one.size.total_cmp(&other.size);
            let (first, last) = (readings.iter().min_by(by_size)?, readings.iter().max_by(by_size)?);
            let event_us = last.time_us - first.time_us;
            (event_us >= LEAST_US).then(|| ((last.loop_us - first.loop_us) / event_us - 1.0) * 100.0)
        })
    }

    /// Whether both agree; `None` where there is nothing to compare.
    pub(super) fn guard(&self) -> Option<Guard> {
        let mut apart: Vec<f64> = self.apart_pct().map(f64::abs).collect();
        apart.sort_by(f64::total_cmp);
        let (median, most) = (apart.get(apart.len() / 2)?, apart.last()?);
        let outcome = if *median <= MOST_PCT { GuardOutcome::Ok } else { GuardOutcome::Flagged };
        let detail = format!(
            "what loops take by the clock of the multiprocessor is {median:.2} % from what events say in the median of {}, {most:.1} % at most",
            located_toml::words::count(apart.len(), "slope")
        );
        Some(guard("device_clock", outcome, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(readings: &[(&str, [f64; 3])]) -> ClockTally {
        let mut tally = ClockTally::default();
        for (key, [size, time_us, loop_us]) in readings {
            let reading = Reading { size: *size, time_us: *time_us, loop_us: *loop_us };
            tally.readings.entry((*key).to_owned()).or_default().push(reading);
        }
        tally
    }

    #[test]
    fn slopes_are_compared_and_not_what_launches_take() {
        let told = tally(&[
            ("a", [1.0, 105.0, 100.0]),
            ("a", [2.0, 205.0, 200.5]),
            ("b", [4.0, 405.0, 404.0]),
            ("b", [2.0, 205.0, 200.0]),
        ]);
        let guard = told.guard().unwrap();
        assert_eq!(guard.outcome, GuardOutcome::Flagged);
        assert!(
            guard.detail.ends_with("2.00 % from what events say in the median of 2 slopes, 2.0 % at most"),
            "{}",
            guard.detail
        );
        let agreed = tally(&[("a", [1.0, 105.0, 100.0]), ("a", [2.0, 205.0, 200.5])]).guard().unwrap();
        assert_eq!(agreed.outcome, GuardOutcome::Ok);
    }

    #[test]
    fn one_size_and_short_differences_say_nothing() {
        assert!(ClockTally::default().guard().is_none());
        assert!(
            tally(&[("a", [1.0, 105.0, 100.0]), ("a", [2.0, 106.0, 300.0]), ("b", [1.0, 900.0, 1.0])])
                .guard()
                .is_none()
        );
    }
}
