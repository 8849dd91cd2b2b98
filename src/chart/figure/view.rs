//! Which points of a run a line chart shows, and which of them belong together.

use std::collections::HashMap;

use super::values::{Good, Valued, ignores, text, valued};
use crate::chart::Dot;
use crate::family::Family;
use crate::model::group::varies;
use crate::model::time::MeasuredTime;
use crate::record::PointRecord;
use crate::run::reader::Run;
use crate::scenario::{ChartRequest, Vertical};

/// What tells lines apart: the value of each column, `None` where the line's variant does not depend on it.
pub(super) type LineKey = Vec<Option<String>>;

/// A line of a chart: points that agree in what tells lines apart.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub(super) key: LineKey,
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
    places: HashMap<(LineKey, bool), usize>,
}

impl<'a> View<'a> {
    /// The lines of a run with this on the vertical axis.
    pub(super) fn new(request: &ChartRequest, y: &Vertical, family: &'a Family, run: &'a Run) -> Self {
        let good = Good::of(request, family, run);
        let columns = series_columns(request, family, &good.shown);
        let mut view = Self { family, points: Vec::new(), columns, lines: Vec::new(), places: HashMap::new() };
        if let Vertical::Slowdown { reference } = y {
            view.add_reference(reference, &good.shown);
        }
        for own in valued(y, request, family, &good) {
            view.add_value(request, &own);
        }
        view.points = good.shown;
        for line in &mut view.lines {
            line.points.sort_by(|one, other| one.dot.x.total_cmp(&other.dot.x));
        }
        view
    }

    fn add_value(&mut self, request: &ChartRequest, own: &Valued<'a>) {
        let depending = own.depending(self.family, &request.x);
        let (Some(x), is_level) = (depending.map_or(Some(0.0), |point| point.number(&request.x)), depending.is_none())
        else {
            return;
        };
        let key = self.columns.iter().map(|name| own.text(self.family, name)).collect();
        let dot = Dot { x, value: own.value, low: own.low, high: own.high, point: Some(own.point.point) };
        self.add(&own.point.variant, key, is_level, Placed { dot, time: own.time });
    }

    /// The reference of slowdowns is a level line at 1 itself.
    fn add_reference(&mut self, reference: &str, shown: &[&'a PointRecord]) {
        let own = shown.iter().copied().find(|point| point.variant == reference);
        if let Some((point, time)) = own.and_then(|point| Some((point, MeasuredTime::of(point)?))) {
            let key = self.columns.iter().map(|name| (name == "variant").then(|| reference.to_owned())).collect();
            self.add(&point.variant, key, true, Placed { dot: Dot::exact(0.0, 1.0), time });
        }
    }

    fn add(&mut self, variant: &'a str, key: LineKey, is_level: bool, placed: Placed) {
        let next = self.lines.len();
        let index = *self.places.entry((key.clone(), is_level)).or_insert(next);
        if index == next {
            let label = label(variant, &self.columns, &key);
            self.lines.push(Line { key, variant, label, points: Vec::new(), is_level });
        }
        self.lines[index].points.push(placed);
    }

    /// The line that a point is on in a chart of times.
    pub(super) fn line_of(&self, point: &PointRecord) -> Option<usize> {
        let value = |name: &String| (!ignores(self.family, &point.variant, name)).then(|| text(point, name)).flatten();
        let key: LineKey = self.columns.iter().map(value).collect();
        let found = self.places.get(&(key.clone(), false)).or_else(|| self.places.get(&(key, true)));
        found.copied()
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
        .filter(|name| Some(*name) != request.facets.as_deref())
        .filter(|name| varies(family, name, points))
        .map(str::to_owned)
        .collect()
}

/// A line in words: the variant bare, and so the value of a single column if it is text, else `name value` pairs.
pub(super) fn label(variant: &str, columns: &[String], key: &[Option<String>]) -> String {
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
