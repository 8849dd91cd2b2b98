//! Energy of launches, by a counter of the board: what it draws while the launches run again and again, without what it draws idle.
//!
//! The counter stands still between two updates. So every stretch begins and ends where it changes, and is long enough that the moment at which
//! the change is noticed does not matter.

use serde::{Deserialize, Serialize};

use super::DeviceError;
use crate::csv_column::{CsvColumn, Described, described, names};
use crate::unit::significant;

/// Between two looks at the counter, in seconds.
const POLL_S: f64 = 0.5e-3;
/// Changes of the counter that its update period is taken over.
const PERIOD_CHANGES: usize = 10;
/// A counter that does not change for so long is none, in seconds.
const STILL_S: f64 = 3.0;
/// What a device is left alone for before its idle power is measured, in seconds: what it drew before is out of every mean then.
const SETTLE_S: f64 = 1.0;
/// The least that idle power is measured over, in seconds.
const IDLE_S: f64 = 1.0;
/// How long the launches run before their energy is measured: a power reading may be the mean of the second before it.
const WARM_S: f64 = 1.0;
/// Windows that the energy of a point is measured in, one after the other.
pub const WINDOWS: usize = 5;
/// The least length of a window, in seconds ...
pub const WINDOW_S: f64 = 0.4;
/// ... and in update periods of the counter.
pub const WINDOW_PERIODS: f64 = 10.0;
/// Student's quantile for a 95 % interval of the mean of [`WINDOWS`] windows.
const STUDENT: f64 = 2.776;
/// A power reading that differs by more than this from the counter contradicts it, in percent.
pub const APART_PCT: f64 = 5.0;

/// What measures the energy of a board, with a clock.
pub trait EnergyMeter {
    /// The energy that the board has drawn since some moment, in millijoules.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn energy_mj(&mut self) -> Result<f64, String>;

    /// The power reading of the board, in watts, which is independent of the counter; `None` where there is none.
    fn power_w(&mut self) -> Option<f64>;

    /// Other processes on the device; `None` where that is not told.
    fn others(&mut self) -> Option<usize>;

    /// The time, in seconds since some moment.
    fn now_s(&self) -> f64;

    /// Lets some time pass, in seconds.
    fn pause(&mut self, seconds: f64);
}

/// Launches that a device goes through again and again.
pub trait Load {
    /// Hands over so many launches that the device does not wait for more, and tells how often it has gone through all of them since the first.
    ///
    /// # Errors
    /// What the driver says.
    fn keep_busy(&mut self) -> Result<f64, DeviceError>;

    /// Waits until the device has done everything.
    ///
    /// # Errors
    /// What the driver says.
    fn finish(&mut self) -> Result<(), DeviceError>;
}

/// What is known of a counter of energy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EnergyCounter {
    /// How long it stands still between two updates, in milliseconds.
    pub update_period_ms: f64,
    /// The power of the device that is open and does nothing, before the first point, in watts.
    pub idle_w: f64,
}

/// The energy of a workload's launches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyReading {
    /// Of one time through the launches, without what the idle device draws meanwhile, in millijoules.
    pub energy_mj: f64,
    /// The ends of its 95 % interval, from the windows.
    pub interval_mj: (f64, f64),
    /// Mean power of the board while the launches ran, by the counter, in watts.
    pub power_w: f64,
    /// By how much the mean of the power readings is larger, in percent; `None` where there are none.
    pub power_apart_pct: Option<f64>,
    /// Power of the idle device before, in watts.
    pub idle_w: f64,
    /// Time of one time through the launches while their energy was measured, in microseconds.
    pub time_us: f64,
    /// How often they were gone through.
    pub passes: f64,
    /// How long that took, in seconds.
    pub seconds: f64,
    /// Other processes on the device; `None` where that is not told.
    pub others: Option<usize>,
}

/// How the cell of a point is made.
type EnergyCell = fn(&EnergyReading) -> String;

/// The columns of `points.csv`.
static COLUMNS: [CsvColumn<EnergyCell>; 8] = [
    CsvColumn::new(
        "energy_mj",
        "mJ",
        "energy of one time through the launches with hot caches, by the board's counter, without what the idle GPU draws in that time",
        |own| significant(own.energy_mj, 6),
    ),
    CsvColumn::new(
        "energy_mj_low",
        "mJ",
        "lower end of the 95 % interval of `energy_mj` in this run, from five windows one after the other",
        |own| significant(own.interval_mj.0, 6),
    ),
    CsvColumn::new("energy_mj_high", "mJ", "upper end of the 95 % interval of `energy_mj`", |own| {
        significant(own.interval_mj.1, 6)
    }),
    CsvColumn::new(
        "power_w",
        "W",
        "mean power of the board while the launches ran, by the same counter; idle power is in it",
        |own| significant(own.power_w, 4),
    ),
    CsvColumn::new(
        "power_apart_pct",
        "%",
        "by how much the mean of the board's power readings in the same time is larger than `power_w`; empty without readings",
        |own| own.power_apart_pct.map(|apart| format!("{:.2}", apart + 0.0)).unwrap_or_default(),
    ),
    CsvColumn::new(
        "idle_w",
        "W",
        "power of the idle GPU, measured right before, which `energy_mj` is without",
        |own| significant(own.idle_w, 4),
    ),
    CsvColumn::new(
        "energy_time_us",
        "µs",
        "time of one time through the launches while their energy was measured: `energy_mj` is (`power_w` - `idle_w`) times this",
        |own| significant(own.time_us, 6),
    ),
    CsvColumn::new(
        "energy_passes",
        "count",
        "how often the launches were gone through while their energy was measured",
        |own| format!("{:.0}", own.passes),
    ),
];

/// The names of the columns of `points.csv`, where energies are measured.
pub const ENERGY_COLUMNS: [&str; 8] = names(&COLUMNS);

/// What the reference says of the columns.
pub fn described_columns() -> impl Iterator<Item = Described> {
    described(&COLUMNS)
}

impl EnergyReading {
    /// Its cells, in the order of [`ENERGY_COLUMNS`].
    pub fn cells(&self) -> Vec<(&'static str, String)> {
        COLUMNS.iter().map(|column| (column.name, (column.cell)(self))).collect()
    }
}

impl EnergyCounter {
    /// Watches a counter on an idle device: how often it changes, and by how much.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn look(meter: &mut dyn EnergyMeter) -> Result<Self, String> {
        let update_period_ms = update_period_s(meter)? * 1e3;
        let idle_w = idle_power_w(meter, update_period_ms / 1e3)?;
        // Microseconds and milliwatts are more than is known.
        let [update_period_ms, idle_w] = [update_period_ms, idle_w].map(|own| (own * 1e3).round() / 1e3);
        Ok(Self { update_period_ms, idle_w })
    }

    /// The least length of a window, in seconds.
    pub fn window_s(&self) -> f64 {
        least_s(WINDOW_S, self.update_period_ms / 1e3)
    }
}

fn least_s(seconds: f64, period_s: f64) -> f64 {
    seconds.max(WINDOW_PERIODS * period_s)
}

/// What a counter shows at a moment.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at_s: f64,
    energy_mj: f64,
}

impl Mark {
    fn now(meter: &mut dyn EnergyMeter) -> Result<Self, String> {
        Ok(Self { energy_mj: meter.energy_mj()?, at_s: meter.now_s() })
    }

    /// Mean power from here to there, in watts.
    fn power_to(&self, end: &Self) -> f64 {
        (end.energy_mj - self.energy_mj) / 1e3 / (end.at_s - self.at_s)
    }
}

/// Waits until the counter changes, and tells when.
fn next_change(meter: &mut dyn EnergyMeter) -> Result<Mark, String> {
    let before = Mark::now(meter)?;
    loop {
        meter.pause(POLL_S);
        let mark = Mark::now(meter)?;
        if mark.energy_mj > before.energy_mj {
            return Ok(mark);
        }
        if mark.at_s - before.at_s > STILL_S {
            return Err(stands_still());
        }
    }
}

fn stands_still() -> String {
    format!("the counter of energy did not change in {STILL_S} s")
}

fn update_period_s(meter: &mut dyn EnergyMeter) -> Result<f64, String> {
    let first = next_change(meter)?;
    let mut last = first;
    for _ in 0..PERIOD_CHANGES {
        last = next_change(meter)?;
    }
    Ok((last.at_s - first.at_s) / PERIOD_CHANGES as f64)
}

/// The power of a device that nobody uses, in watts.
fn idle_power_w(meter: &mut dyn EnergyMeter, period_s: f64) -> Result<f64, String> {
    meter.pause(SETTLE_S);
    let first = next_change(meter)?;
    loop {
        let last = next_change(meter)?;
        if last.at_s - first.at_s >= least_s(IDLE_S, period_s) {
            return Ok(first.power_to(&last));
        }
    }
}

/// How far launches have come, as it was noticed.
#[derive(Debug, Default)]
struct Progress {
    noticed: Vec<(f64, f64)>,
}

impl Progress {
    fn note(&mut self, at_s: f64, passes: f64) {
        if self.noticed.last().is_none_or(|(_, last)| passes > *last) {
            self.noticed.push((at_s, passes));
        }
    }

    /// How often the launches were gone through at a moment, between two at which that was noticed; `None` outside of these.
    fn at(&self, at_s: f64) -> Option<f64> {
        let place = self.noticed.partition_point(|(own, _)| *own < at_s);
        let (after_s, after) = *self.noticed.get(place)?;
        if after_s <= at_s {
            return Some(after);
        }
        let (before_s, before) = *self.noticed.get(place.checked_sub(1)?)?;
        Some(before + (after - before) * (at_s - before_s) / (after_s - before_s))
    }
}

/// Measures the energy of launches, on a device that is idle before.
///
/// # Errors
/// What the driver says, or why the counter cannot be read.
pub fn measure(
    meter: &mut dyn EnergyMeter,
    load: &mut dyn Load,
    counter: &EnergyCounter,
) -> Result<EnergyReading, DeviceError> {
    let idle_w = idle_power_w(meter, counter.update_period_ms / 1e3).map_err(DeviceError::Failed)?;
    let watched = watch(meter, load, counter);
    // Whatever came of it, nothing is left queued.
    load.finish()?;
    let (progress, marks, readings) = watched?;
    let others = meter.others();
    let too_long =
        || DeviceError::Unsupported("its launches take too long to tell how many of them a stretch has".to_owned());
    let passes: Option<Vec<f64>> = marks.iter().map(|mark| progress.at(mark.at_s)).collect();
    let passes = passes.ok_or_else(too_long)?;
    let of = |first: usize, last: usize| {
        let seconds = marks[last].at_s - marks[first].at_s;
        let own_mj = marks[last].energy_mj - marks[first].energy_mj - idle_w * seconds * 1e3;
        own_mj / (passes[last] - passes[first])
    };
    let last = marks.len() - 1;
    let windows: Vec<f64> = (0..last).map(|window| of(window, window + 1)).collect();
    let energy_mj = of(0, last);
    let count = windows.len() as f64;
    let mean = windows.iter().sum::<f64>() / count;
    let variance = windows.iter().map(|own| (own - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let half = STUDENT * (variance / count).sqrt();
    let (seconds, all) = (marks[last].at_s - marks[0].at_s, passes[last] - passes[0]);
    if !(energy_mj.is_finite() && half.is_finite() && all > 0.0) {
        return Err(too_long());
    }
    let power_w = marks[0].power_to(&marks[last]);
    let read_w = (!readings.is_empty()).then(|| readings.iter().sum::<f64>() / readings.len() as f64);
    Ok(EnergyReading {
        energy_mj,
        interval_mj: (energy_mj - half, energy_mj + half),
        power_w,
        // To hundredths, and nothing is no less than nothing.
        power_apart_pct: read_w.map(|read_w| ((read_w / power_w - 1.0) * 1e4).round() / 1e2 + 0.0),
        idle_w,
        time_us: seconds * 1e6 / all,
        passes: all,
        seconds,
        others,
    })
}

/// How far the launches came, the ends of the windows, and the power readings in them, in watts.
type Watched = (Progress, Vec<Mark>, Vec<f64>);

/// Keeps the device busy for all windows.
fn watch(meter: &mut dyn EnergyMeter, load: &mut dyn Load, counter: &EnergyCounter) -> Result<Watched, DeviceError> {
    let (mut progress, mut marks, mut readings) = (Progress::default(), Vec::<Mark>::new(), Vec::new());
    let mut last = Mark::now(meter).map_err(DeviceError::Failed)?;
    let began_s = last.at_s;
    let mut window_s = counter.window_s();
    loop {
        let passes = load.keep_busy()?;
        let mark = Mark::now(meter).map_err(DeviceError::Failed)?;
        progress.note(mark.at_s, passes);
        if marks.len() > WINDOWS {
            // The last window ends between two moments at which it is known how far the launches are.
            if progress.noticed.last().is_some_and(|(at_s, _)| *at_s >= marks[WINDOWS].at_s) {
                return Ok((progress, marks, readings));
            }
        } else if mark.energy_mj > last.energy_mj {
            let is_warm = mark.at_s - began_s >= WARM_S && passes > 0.0;
            let is_end = marks.last().is_none_or(|own| mark.at_s - own.at_s >= window_s);
            if is_warm && is_end {
                // A window has at least one time through the launches.
                window_s = window_s.max((mark.at_s - began_s) / passes.max(1.0));
                marks.push(mark);
            }
            if !marks.is_empty() {
                readings.extend(meter.power_w());
            }
            last = mark;
        } else if mark.at_s - last.at_s > STILL_S {
            return Err(DeviceError::Failed(stands_still()));
        }
        meter.pause(POLL_S);
    }
}

#[cfg(test)]
mod tests;
