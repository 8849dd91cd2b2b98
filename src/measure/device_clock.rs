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
/// How far cycles and events of a slope may be apart, in percent.
const MOST_PCT: f64 = 1.0;
/// Which share of a variant's slopes may be further apart: single ones are disturbed by what else the GPU and its host do.
const MOST_SHARE: f64 = 0.25;
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

/// All that tells points but their size: the variant, and values of parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    variant: String,
    values: String,
}

/// The least and the largest of the points of a place: what lies between says nothing of the slope.
#[derive(Debug, Clone, Copy)]
struct Ends {
    least: Reading,
    largest: Reading,
}

/// A slope by both clocks.
#[derive(Debug, Clone, Copy)]
struct Slope<'a> {
    place: &'a Place,
    /// By how many percent the loop takes more by its clock than by events, without a sign.
    apart_pct: f64,
}

/// The ends of the slopes so far.
#[derive(Debug, Clone, Default)]
pub(super) struct ClockTally {
    ends: BTreeMap<Place, Ends>,
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
        let values = others.collect::<Vec<_>>().join(", ");
        let place = Place { variant: record.variant.to_string(), values };
        self.keep(place, Reading { size: value, time_us, loop_us });
    }

    fn keep(&mut self, place: Place, reading: Reading) {
        let ends = self.ends.entry(place).or_insert(Ends { least: reading, largest: reading });
        if reading.size < ends.least.size {
            ends.least = reading;
        }
        if reading.size > ends.largest.size {
            ends.largest = reading;
        }
    }

    /// The slopes that are long enough, between points that differ in their size alone.
    fn slopes(&self) -> impl Iterator<Item = Slope<'_>> {
        self.ends.iter().filter_map(|(place, Ends { least, largest })| {
            let event_us = largest.time_us - least.time_us;
            let loop_us = largest.loop_us - least.loop_us;
            (event_us >= LEAST_US).then(|| Slope { place, apart_pct: ((loop_us / event_us - 1.0) * 100.0).abs() })
        })
    }

    /// Whether both agree; `None` where there is nothing to compare.
    pub(super) fn guard(&self) -> Option<Guard> {
        let mut slopes: Vec<Slope<'_>> = self.slopes().collect();
        slopes.sort_by(|one, other| one.apart_pct.total_cmp(&other.apart_pct));
        let (median, worst) = (slopes.get(slopes.len() / 2)?, slopes.last()?);
        // Of each variant its slopes, and how many of them are too far apart.
        let mut variants: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for slope in &slopes {
            let (all, apart) = variants.entry(&slope.place.variant).or_default();
            *all += 1;
            *apart += usize::from(slope.apart_pct > MOST_PCT);
        }
        let is_apart = |(all, apart): &(usize, usize)| *apart as f64 > MOST_SHARE * *all as f64;
        let outcome = if variants.values().any(is_apart) { GuardOutcome::Flagged } else { GuardOutcome::Ok };
        let apart: Vec<String> = variants
            .iter()
            .filter(|(_, (_, apart))| *apart > 0)
            .map(|(variant, (all, apart))| format!("{apart} of {all} of {variant}"))
            .collect();
        let too_far = if apart.is_empty() {
            format!("none is more than {MOST_PCT} % apart")
        } else {
            format!("more than {MOST_PCT} % apart are {}", apart.join(", "))
        };
        let Place { variant, values } = worst.place;
        let detail = format!(
            "what loops take by the clock of the multiprocessor is {:.2} % from what events say in the median of {}; {too_far}; the worst is {:.1} % \
             apart: {variant}{}{values}",
            median.apart_pct,
            located_toml::words::count(slopes.len(), "slope"),
            worst.apart_pct,
            if values.is_empty() { "" } else { ", " },
        );
        Some(guard("device_clock", outcome, detail))
    }
}

#[cfg(test)]
mod tests;
