//! A line for each point of a sweep, as soon as it has ended: a table whose widths are known before it begins.

use crate::record::{PointRecord, Timing};
use crate::scenario::Point;
use crate::unit;

/// Columns that a time takes, such as `1.234 ms`.
const TIME_WIDTH: usize = 8;
/// The heading of times.
const TIME: &str = "time";
/// Spaces between columns.
const GAP: &str = "  ";

/// The columns of a table of points.
pub(super) struct PointRows {
    /// The parameters with the columns that their values take.
    parameters: Vec<(&'static str, usize)>,
    /// The columns that variants take.
    variants: usize,
}

impl PointRows {
    /// Those for points of which these parameters differ.
    pub(super) fn new(points: &[Point], shown: &[&'static str]) -> Self {
        let widest = |heading: &str, texts: &mut dyn Iterator<Item = usize>| texts.fold(heading.len(), usize::max);
        let of_parameter = |name: &&'static str| {
            let values = points.iter().filter_map(|point| point.parameters.get(name));
            (*name, widest(name, &mut values.map(|value| value.to_string().chars().count())))
        };
        let names = points.iter().map(|point| point.variant.name.chars().count());
        let variants = widest("variant", &mut names.into_iter());
        Self { parameters: shown.iter().map(of_parameter).collect(), variants }
    }

    /// The line above the first point.
    pub(super) fn header(&self) -> String {
        let names = self.parameters.iter().map(|(name, width)| format!("{name:<width$}{GAP}"));
        let names: String = names.collect();
        format!("{:<2$}{GAP}{names}{TIME:>TIME_WIDTH$}{GAP}{}", "variant", "95 % interval", self.variants)
    }

    /// The line of a point: its values, and its time or why it has none.
    pub(super) fn row(&self, record: &PointRecord) -> String {
        let value = |name: &str| record.parameters.get(name).map_or("", |text| text.as_str());
        let values = self.parameters.iter().map(|(name, width)| format!("{:<width$}{GAP}", value(name)));
        let values: String = values.collect();
        let result = match &record.timing {
            Some(timing) => timed(timing),
            None => format!("{}: {}", record.status.name(), record.reason),
        };
        format!("{:<1$}{GAP}{values}{result}", record.variant.as_str(), self.variants)
    }
}

/// A time with how far its interval reaches, and what the run flags.
fn timed(timing: &Timing) -> String {
    let median = &timing.median;
    let time = unit::time_us(median.time_us);
    let interval = median.low_us.zip(median.high_us).map(|(low_us, high_us)| {
        let reach_us = (high_us - median.time_us).max(median.time_us - low_us);
        format!("{GAP}±{} %", unit::error_pct(100.0 * reach_us / median.time_us))
    });
    let flags: Vec<&str> = timing.flags.iter().map(|flag| flag.name()).collect();
    let flags = if flags.is_empty() { String::new() } else { format!("{GAP}{}", flags.join(" ")) };
    format!("{time:>TIME_WIDTH$}{}{flags}", interval.unwrap_or_default())
}
