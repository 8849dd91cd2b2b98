//! Which points of a run a line chart shows, and which of them belong together.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use ecow::EcoString;
use foldhash::fast::RandomState;

use super::values::{Good, Valued, ignores, text, valued};
use crate::chart::Dot;
use crate::family::Family;
use crate::model::group::{Numbers, varies};
use crate::model::time::MeasuredTime;
use crate::record::{Column, PointRecord};
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
    /// Whether it is the reference that others are divided by.
    pub(super) is_reference: bool,
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
        let names = view.columns.clone();
        let mut teller = Teller::new(family, &names, &request.x);
        let mut known: HashMap<(Numbers, bool), usize, RandomState> = HashMap::default();
        for own in valued(y, request, family, &good) {
            let Some((x, is_level)) = teller.x(&own) else { continue };
            let index = match known.entry((teller.key(&own), is_level)) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let key = names.iter().map(|name| own.text(family, name)).collect();
                    *entry.insert(view.line(&own.point.variant, key, is_level))
                }
            };
            let (point, is_open) = (Some(own.point.point), false);
            let dot = Dot { x, value: own.value, low: own.low, high: own.high, point, is_open };
            view.lines[index].points.push(Placed { dot, time: own.time });
        }
        view.points = good.shown;
        for line in &mut view.lines {
            line.points.sort_by(|one, other| one.dot.x.total_cmp(&other.dot.x));
        }
        view.arrange();
        view
    }

    /// Puts the lines in the order of the grid: by its parameters in rising order, the variants of each value side by side. Points come in the order in which
    /// they were measured, and some variants have no line for some values.
    fn arrange(&mut self) {
        let parameter = |name: &String| self.family.parameters.iter().position(|own| own.name == name.as_str());
        let mut columns: Vec<usize> = (0..self.columns.len()).collect();
        columns.sort_by_key(|column| match self.columns[*column].as_str() {
            "variant" => usize::MAX,
            _ => parameter(&self.columns[*column]).unwrap_or(usize::MAX - 1),
        });
        let ranks: Vec<Vec<usize>> = columns.into_iter().map(|column| ranks(&self.lines, column)).collect();
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        order.sort_by_key(|line| ranks.iter().map(|of_column| of_column[*line]).collect::<Vec<_>>());
        let mut lines: Vec<Option<Line<'a>>> = self.lines.drain(..).map(Some).collect();
        self.lines.extend(order.into_iter().filter_map(|index| lines[index].take()));
        let place = |(index, line): (usize, &Line<'_>)| ((line.key.clone(), line.is_level), index);
        self.places = self.lines.iter().enumerate().map(place).collect();
    }

    /// The reference of slowdowns is a level line at 1 itself.
    fn add_reference(&mut self, reference: &str, shown: &[&'a PointRecord]) {
        let own = shown.iter().copied().find(|point| point.variant == reference);
        if let Some((point, time)) = own.and_then(|point| Some((point, MeasuredTime::of(point)?))) {
            let key = self.columns.iter().map(|name| (name == "variant").then(|| reference.to_owned())).collect();
            let line = self.line(&point.variant, key, true);
            self.lines[line].is_reference = true;
            self.lines[line].points.push(Placed { dot: Dot::exact(0.0, 1.0), time });
        }
    }

    /// The line of this key, which there is from now on.
    fn line(&mut self, variant: &'a str, key: LineKey, is_level: bool) -> usize {
        let next = self.lines.len();
        let index = *self.places.entry((key.clone(), is_level)).or_insert(next);
        if index == next {
            let label = label(variant, &self.columns, &key);
            self.lines.push(Line { key, variant, label, points: Vec::new(), is_level, is_reference: false });
        }
        index
    }

    /// The line that a point is on in a chart of times.
    pub(super) fn line_of(&self, point: &PointRecord) -> Option<usize> {
        let value = |name: &String| (!ignores(self.family, &point.variant, name)).then(|| text(point, name)).flatten();
        let key: LineKey = self.columns.iter().map(value).collect();
        let found = self.places.get(&(key.clone(), false)).or_else(|| self.places.get(&(key, true)));
        found.copied()
    }
}

/// The place of each line's value of a column among all values: of numbers by size, of texts as they come. Without a value a line is with the first.
fn ranks(lines: &[Line<'_>], column: usize) -> Vec<usize> {
    let mut values: Vec<&str> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    values.extend(lines.iter().filter_map(|line| line.key[column].as_deref()).filter(|value| seen.insert(value)));
    if let Some(numbers) = values.iter().map(|value| value.parse::<f64>().ok()).collect::<Option<Vec<f64>>>() {
        let mut rising: Vec<(f64, &str)> = numbers.into_iter().zip(values).collect();
        rising.sort_by(|one, other| one.0.total_cmp(&other.0));
        values = rising.into_iter().map(|(_, value)| value).collect();
    }
    let places: HashMap<&str, usize> = values.into_iter().enumerate().map(|(place, value)| (value, place)).collect();
    lines
        .iter()
        .map(|line| line.key[column].as_deref().and_then(|value| places.get(value)).copied().unwrap_or(0))
        .collect()
}

/// The x of each value, and what tells its line from others, as numbers.
struct Teller<'n> {
    family: &'n Family,
    names: &'n [String],
    columns: Vec<Column<'n>>,
    x_name: &'n str,
    x: Column<'n>,
    /// Of each variant whether it ignores each of the columns, and x.
    ignored: Vec<(EcoString, Vec<bool>)>,
}

impl<'n> Teller<'n> {
    fn new(family: &'n Family, names: &'n [String], x: &'n str) -> Self {
        let columns = names.iter().map(|name| Column::new(name)).collect();
        Self { family, names, columns, x_name: x, x: Column::new(x), ignored: Vec::new() }
    }

    /// The place in `ignored` of the point's variant.
    fn variant(&mut self, point: &PointRecord) -> usize {
        let found = self.ignored.iter().position(|(variant, _)| *variant == point.variant);
        found.unwrap_or_else(|| {
            let names = self.names.iter().map(String::as_str).chain([self.x_name]);
            let ignored = names.map(|name| ignores(self.family, &point.variant, name)).collect();
            self.ignored.push((point.variant.clone(), ignored));
            self.ignored.len() - 1
        })
    }

    /// The x, and whether that is nowhere as no point depends on it; `None` where a point has none.
    fn x(&mut self, own: &Valued<'_>) -> Option<(f64, bool)> {
        let last = self.names.len();
        for point in std::iter::once(own.point).chain(own.reference) {
            let variant = self.variant(point);
            if !self.ignored[variant].1[last] {
                return Some((self.x.number(point)?, false));
            }
        }
        Some((0.0, true))
    }

    /// What values on the same line share.
    fn key(&mut self, own: &Valued<'_>) -> Numbers {
        let point = (own.point, self.variant(own.point));
        let reference = own.reference.map(|reference| (reference, self.variant(reference)));
        let ignored = &self.ignored;
        Numbers::of(self.columns.iter_mut().enumerate().map(|(index, column)| {
            let mut points = std::iter::once(point).chain(reference);
            column.word(points.find(|(_, variant)| !ignored[*variant].1[index])?.0)
        }))
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
