//! The progress of a sweep, on standard error: a bar where that is a terminal, nothing elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::tell;
use crate::measure::sweep::Observer;
use crate::record::PointRecord;
use crate::scenario::{Point, varies};
use crate::unit;

/// The bar, with the point at hand, the time left, and the last result.
pub(super) struct Progress {
    bar: ProgressBar,
    /// The parameters that differ between points, which are the ones worth showing.
    shown: Vec<&'static str>,
}

impl Progress {
    pub(super) fn new(points: &[Point]) -> Self {
        let bar = ProgressBar::new(points.len() as u64);
        let template = "{bar:20} {pos}/{len} points, {eta} left{prefix}  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let names = points.first().into_iter().flat_map(|point| point.parameters.iter().map(|(name, _)| name));
        Self { bar, shown: names.filter(|name| varies(name, points)).collect() }
    }
}

impl Observer for Progress {
    fn point_started(&mut self, point: &Point) {
        let values: Vec<String> = self
            .shown
            .iter()
            .filter_map(|name| point.parameters.get(name).map(|value| format!("{name}={value}")))
            .collect();
        self.bar.set_message(format!("{} {}", point.variant.name, values.join(" ")));
    }

    fn point_printed(&mut self, text: &str) {
        self.bar.suspend(|| tell(text.trim_end()));
    }

    fn point_finished(&mut self, record: &PointRecord) {
        let result = match &record.timing {
            Some(timing) => unit::time_us(timing.median.time_us),
            None => record.status.name().to_owned(),
        };
        self.bar.set_prefix(format!(", last {result}"));
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
