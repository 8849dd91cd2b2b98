//! The progress of sweeps, on standard error: a bar for each device where that is a terminal, and a line a point where all is to be told.

mod point_rows;

use std::time::Duration;

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::output::{is_quiet, is_verbose, tell};
use super::visible::visible;
use crate::properties::Properties;
use crate::record::PointRecord;
use crate::scenario::{Point, varies};
use crate::sweep::Observer;
use crate::unit;
use point_rows::PointRows;

/// All bars.
pub(super) struct Display {
    bars: MultiProgress,
    /// Whether each bar names its device.
    names_devices: bool,
}

impl Display {
    pub(super) fn new(names_devices: bool) -> Self {
        let bars = MultiProgress::new();
        if is_quiet() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bars, names_devices }
    }

    /// Does something that prints, without the bars in between.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bars.suspend(print)
    }

    /// A bar for these points on a device, some of which are done already.
    pub(super) fn progress(&self, device: &Properties, points: &[Point], finished: usize) -> Progress<'_> {
        let bar = self.bars.add(ProgressBar::new(points.len() as u64));
        let name = if self.names_devices { format!("{} {}: ", device.spec, device.name) } else { String::new() };
        let name = visible(&name).replace(['{', '}'], "");
        let template = format!("{name}{{bar:20}} {{pos}}/{{len}} points{{left}}{{prefix}}  {{wide_msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.with_key("left", left));
        }
        bar.set_position(finished as u64);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        let names = points.first().into_iter().flat_map(|point| point.parameters.iter().map(|(name, _)| name));
        let shown: Vec<&'static str> = names.filter(|name| varies(name, points)).collect();
        let rows = is_verbose().then(|| PointRows::new(points, &shown));
        Progress { display: self, bar, shown, rows, name, is_begun: false }
    }
}

/// The time left, once a point tells how long points take.
pub(super) fn left(state: &ProgressState, text: &mut dyn std::fmt::Write) {
    let left = state.eta();
    if !left.is_zero() {
        let _ = write!(text, ", {:#} left", HumanDuration(left));
    }
}

/// A bar, with the points at hand, the time left, and the last result.
pub(super) struct Progress<'a> {
    display: &'a Display,
    bar: ProgressBar,
    /// The parameters that differ between points, which are the ones worth showing.
    shown: Vec<&'static str>,
    /// The table of points, where it is asked for.
    rows: Option<PointRows>,
    /// What lines begin with, where there are several devices.
    name: String,
    /// Whether the table has its heading.
    is_begun: bool,
}

impl Progress<'_> {
    fn print(&mut self, record: &PointRecord) {
        let Some(rows) = &self.rows else { return };
        let name = &self.name;
        self.display.suspend(|| {
            if !self.is_begun {
                tell(format!("{name}{}", rows.header()));
            }
            tell(format!("{name}{}", rows.row(record)));
        });
        self.is_begun = true;
    }
}

impl Observer for Progress<'_> {
    fn group_started(&mut self, group: &[Point]) {
        let Some(point) = group.first() else { return };
        let values: Vec<String> = self
            .shown
            .iter()
            .filter_map(|name| point.parameters.get(name).map(|value| format!("{name}={value}")))
            .collect();
        let mut variants: Vec<&str> = Vec::new();
        for point in group {
            if !variants.contains(&point.variant.name) {
                variants.push(point.variant.name);
            }
        }
        let message = format!("{} {}", variants.join(" "), values.join(" "));
        self.bar.set_message(visible(&message).into_owned());
    }

    fn printed(&mut self, line: &str) {
        self.display.suspend(|| tell(line));
    }

    fn point_finished(&mut self, record: &PointRecord) {
        let result = match &record.timing {
            Some(timing) => unit::time_us(timing.median.time_us),
            None => record.status.name().to_owned(),
        };
        self.bar.set_prefix(format!(", last {result}"));
        self.bar.inc(1);
        self.print(record);
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        self.display.bars.remove(&self.bar);
    }
}
