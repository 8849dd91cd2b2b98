//! Which points of a run a chart shows, and which of them belong together.

use crate::chart::{Dot, Series};
use crate::family::Family;
use crate::model::group::varies;
use crate::model::slowdown::{Pair, pairs};
use crate::model::time::MeasuredTime;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::{ChartRequest, Vertical};

/// A line of a chart: points that agree in what tells lines apart.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    /// The value of each column that tells lines apart; `None` where the line's variant does not depend on it.
    pub(super) key: Vec<Option<String>>,
    pub(super) variant: &'a str,
    pub(super) label: String,
    /// Its points, in rising order of x; where the variant does not depend on x, they have none.
    pub(super) points: Vec<Placed>,
    pub(super) is_level: bool,
}

/// A point's place on the chart, and its time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) dot: Dot,
    pub(super) time: MeasuredTime,
}

/// What a chart shows of a run.
pub(super) struct View<'a> {
    pub(super) family: &'a Family,
    /// The points that are shown.
    pub(super) points: Vec<&'a PointRecord>,
    /// The parameters, and `variant`, that tell lines apart.
    pub(super) columns: Vec<String>,
    pub(super) lines: Vec<Line<'a>>,
}

impl<'a> View<'a> {
    /// The lines of a run with this on the vertical axis.
    pub(super) fn new(request: &ChartRequest, y: &Vertical, family: &'a Family, run: &'a Run) -> Self {
        let good: Vec<&PointRecord> =
            run.points.iter().filter(|point| point.status == Status::Ok && point.timing.is_some()).collect();
        let points: Vec<&PointRecord> =
            good.iter().copied().filter(|point| request.only.admits(family, point)).collect();
        let columns = series_columns(request, family, &points);
        let mut view = Self { family, points, columns, lines: Vec::new() };
        match y {
            Vertical::Time => view.add_all(request, time_dot),
            Vertical::Throughput => view.add_all(request, throughput_dot),
            Vertical::Slowdown { reference } => view.add_slowdowns(request, reference, &good),
        }
        for line in &mut view.lines {
            line.points.sort_by(|one, other| one.dot.x.total_cmp(&other.dot.x));
        }
        view
    }

    fn add_all(&mut self, request: &ChartRequest, dot: fn(&PointRecord, MeasuredTime) -> Option<Dot>) {
        for point in self.points.clone() {
            let Some(time) = MeasuredTime::of(point) else { continue };
            let is_level = ignores_x(self.family, &point.variant, &request.x);
            let x = if is_level { Some(0.0) } else { point.number(&request.x) };
            let (Some(x), Some(dot)) = (x, dot(point, time)) else { continue };
            let value = |name: &str| (!self.family.ignores(&point.variant, name)).then(|| point.value(name)).flatten();
            let key = self.columns.iter().map(|name| value(name)).collect();
            self.add(&point.variant, key, is_level, Placed { dot: Dot { x, ..dot }, time });
        }
    }

    /// The ratio of every point to the reference's, which is a level line at 1 itself.
    fn add_slowdowns(&mut self, request: &ChartRequest, reference: &str, good: &[&'a PointRecord]) {
        let shown = |pair: &Pair<'a>| request.only.admits(self.family, pair.point);
        let paired: Vec<Pair<'a>> = pairs(self.family, good, reference).into_iter().filter(shown).collect();
        let mut own = self.points.iter().copied().filter(|point| point.variant == reference);
        if let Some((point, time)) = own.next().and_then(|point| Some((point, MeasuredTime::of(point)?))) {
            let key = self.columns.iter().map(|name| (name == "variant").then(|| reference.to_owned())).collect();
            self.add(&point.variant, key, true, Placed { dot: Dot::exact(0.0, 1.0), time });
        }
        for pair in paired {
            let (Some(ratio), Some(time)) = (pair.ratio(), MeasuredTime::of(pair.point)) else { continue };
            let mut sides = [pair.point, pair.reference].into_iter();
            let with_x = sides.find(|point| !ignores_x(self.family, &point.variant, &request.x));
            let Some(x) = with_x.map_or(Some(0.0), |point| point.number(&request.x)) else { continue };
            let (low, high) = ratio.interval.unwrap_or((ratio.estimate, ratio.estimate));
            let value = |name: &str| match name {
                "variant" => Some(pair.point.variant.clone()),
                name => pair.value(self.family, name),
            };
            let key = self.columns.iter().map(|name| value(name)).collect();
            let dot = Dot { x, value: ratio.estimate, low, high, point: Some(pair.point.point) };
            self.add(&pair.point.variant, key, with_x.is_none(), Placed { dot, time });
        }
    }

    fn add(&mut self, variant: &'a str, key: Vec<Option<String>>, is_level: bool, placed: Placed) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.key == key && line.is_level == is_level) {
            line.points.push(placed);
            return;
        }
        let label = label(variant, &self.columns, &key);
        self.lines.push(Line { key, variant, label, points: vec![placed], is_level });
    }

    /// The line that a point is on in a chart of times.
    pub(super) fn line_of(&self, point: &PointRecord) -> Option<usize> {
        let value = |name: &String| (!self.family.ignores(&point.variant, name)).then(|| point.value(name)).flatten();
        let key: Vec<Option<String>> = self.columns.iter().map(value).collect();
        self.lines.iter().position(|line| line.key == key)
    }

    /// The lines as they are drawn.
    pub(super) fn series(&self) -> Vec<Series> {
        let lines = self.lines.iter().map(|line| Series {
            label: line.label.clone(),
            points: line.points.iter().map(|placed| placed.dot).collect(),
            is_level: line.is_level,
            ..Series::default()
        });
        lines.collect()
    }
}

#[allow(clippy::unnecessary_wraps, reason = "one of several, of which another may have no value")]
fn time_dot(point: &PointRecord, time: MeasuredTime) -> Option<Dot> {
    let (low, high) = time.interval_us.unwrap_or((time.time_us, time.time_us));
    Some(Dot { x: 0.0, value: time.time_us, low, high, point: Some(point.point) })
}

/// 10^9 bytes a second; `None` where a point moves nothing.
fn throughput_dot(point: &PointRecord, time: MeasuredTime) -> Option<Dot> {
    let bytes = point.bytes.filter(|bytes| *bytes > 0)? as f64;
    let rate = |time_us: f64| bytes / time_us / 1e3;
    let (low, high) = time.interval_us.unwrap_or((time.time_us, time.time_us));
    Some(Dot { x: 0.0, value: rate(time.time_us), low: rate(high), high: rate(low), point: Some(point.point) })
}

/// Whether the variant does not depend on x: a parameter, or a predictor all of whose parameters it ignores.
fn ignores_x(family: &Family, variant: &str, x: &str) -> bool {
    match family.predictor(x) {
        Some(predictor) => {
            !predictor.parameters.is_empty() && predictor.parameters.iter().all(|name| family.ignores(variant, name))
        }
        None => family.ignores(variant, x),
    }
}

/// What tells one line from another: what the scenario says, else the variant and every parameter that varies and that
/// x does not follow from.
fn series_columns(request: &ChartRequest, family: &Family, points: &[&PointRecord]) -> Vec<String> {
    if let Some(columns) = &request.series {
        return columns.clone();
    }
    let explained = family.predictor(&request.x).map_or(&[][..], |predictor| predictor.parameters);
    let parameters = family.parameters.iter().map(|parameter| parameter.name);
    std::iter::once("variant")
        .chain(parameters.filter(|name| *name != request.x && !explained.contains(name)))
        .filter(|name| varies(family, name, points))
        .map(str::to_owned)
        .collect()
}

/// A line in words: the variant bare, and so the value of a single column if it is text, else `name value` pairs.
fn label(variant: &str, columns: &[String], key: &[Option<String>]) -> String {
    let known: Vec<(&str, &str)> =
        columns.iter().zip(key).filter_map(|(name, value)| Some((name.as_str(), value.as_deref()?))).collect();
    let bare = |value: &str| value.parse::<f64>().is_err() && !value.contains(':');
    match known[..] {
        [] => variant.to_owned(),
        [(_, value)] if columns.len() == 1 && bare(value) => value.to_owned(),
        _ => {
            let word = |(name, value): &(&str, &str)| match *name {
                "variant" => (*value).to_owned(),
                name => format!("{name} {value}"),
            };
            known.iter().map(word).collect::<Vec<_>>().join(", ")
        }
    }
}
