//! Where the pattern and a remedy overtake each other: marks on a chart, and what charts tell of it.

use std::collections::HashMap;

use super::values::{Good, text};
use super::view::{Line, Placed, View};
use crate::chart::{Crossing, Scale, Series};
use crate::family::Family;
use crate::model::crossover::{Crossover, Duel, Passing, crossover};
use crate::model::group::{Key, label};
use crate::run::reader::Run;
use crate::scenario::{ChartRequest, Vertical};

/// A remedy's line with the pattern's, which differs in the variant only.
#[derive(Clone)]
struct Met<'a> {
    pattern: &'a Line<'a>,
    remedy: &'a Line<'a>,
    crossover: Crossover,
    /// What both lines are of, beside their variants: `operation=compute`.
    group: Key,
}

/// What became of the remedies' lines against the pattern's on one chart, whatever that shows: the lines are of times.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartCrossovers {
    /// The parameter or predictor along the chart's axis.
    pub x: String,
    /// What the chart's points are filtered by, where that is one value: it tells the chart from another one of the same lines.
    pub filter: Key,
    /// Each remedy's line with the pattern's, in the order of the lines.
    pub lines: Vec<LineCrossover>,
}

/// A remedy's line against the pattern's.
#[derive(Debug, Clone, PartialEq)]
pub struct LineCrossover {
    /// The pattern's variant.
    pub pattern: String,
    /// The remedy's variant.
    pub remedy: String,
    /// What both lines are of, beside their variants.
    pub group: Key,
    /// Which is faster, and where.
    pub crossover: Crossover,
}

/// What became of each remedy against the pattern in the charts of a run.
pub fn crossovers(charts: &[ChartRequest], family: &Family, pattern: &str, run: &Run) -> Vec<ChartCrossovers> {
    let of_chart = |request: ChartRequest| {
        let view = View::new(&request, &Vertical::Time, family, run);
        let lines = meetings(&view, pattern).into_iter().map(|met| LineCrossover {
            pattern: met.pattern.variant.to_owned(),
            remedy: met.remedy.variant.to_owned(),
            group: met.group,
            crossover: met.crossover,
        });
        let filter = request.only.conditions.iter().filter_map(of_one_value).collect();
        ChartCrossovers { x: request.x.clone(), filter, lines: lines.collect() }
    };
    charts.iter().flat_map(|request| panels(request, family, run)).map(of_chart).collect()
}

/// A chart for each value of the parameter that panels are of; the chart itself without panels, or where variants are in panels of their own.
fn panels(request: &ChartRequest, family: &Family, run: &Run) -> Vec<ChartRequest> {
    let Some(facet) = request.facets.as_ref().filter(|facet| *facet != "variant") else { return vec![request.clone()] };
    let good = Good::of(request, family, run);
    let own = good.shown.iter().filter(|point| !family.ignores(&point.variant, facet));
    let mut values: Vec<String> = own.filter_map(|point| text(point, facet)).collect();
    values.sort_unstable();
    values.dedup();
    super::in_order(&mut values);
    let panel = |value: String| {
        let mut panel = ChartRequest { facets: None, ..request.clone() };
        panel.only.conditions.retain(|(name, _)| name != facet);
        panel.only.conditions.push((facet.clone(), vec![value]));
        panel
    };
    values.into_iter().map(panel).collect()
}

/// The condition `operation=compute`, where it allows one value of a parameter.
fn of_one_value((name, values): &(String, Vec<String>)) -> Option<(String, String)> {
    let [value] = &values[..] else { return None };
    (name != "variant").then(|| (name.clone(), value.clone()))
}

/// More flags than these hide each other.
const MARKS_MAX: usize = 8;

/// The marks on a chart with these series, which are `shown`'s lines.
///
/// # Errors
/// How many there are, where they are too many to show.
pub(super) fn crossings(
    request: &ChartRequest,
    family: &Family,
    pattern: &str,
    run: &Run,
    shown: &[Line<'_>],
    series: &[Series],
) -> Result<Vec<Crossing>, usize> {
    // Most charts of a million points have one variant, which nothing overtakes.
    if shown.iter().all(|line| line.variant == pattern) || shown.iter().all(|line| line.variant != pattern) {
        return Ok(Vec::new());
    }
    let view = View::new(request, &Vertical::Time, family, run);
    let mut passings = Vec::new();
    for met in meetings(&view, pattern) {
        match met.crossover {
            Crossover::FasterFrom(passing) | Crossover::FasterAlsoBefore { passing, .. } => {
                passings.push((met, passing, "faster"));
            }
            Crossover::SlowerFrom { passing, since } => {
                passings.extend(since.map(|since| (met.clone(), since, "faster")));
                passings.push((met, passing, "slower"));
            }
            _ => {}
        }
    }
    passings.retain(|(_, passing, _)| passing.is_lasting);
    if passings.len() > MARKS_MAX {
        return Err(passings.len());
    }
    let mark = |(met, passing, ahead): (Met<'_>, Passing, &str)| {
        // In another quantity a line may be several, as the reference's; the first will do.
        let find = |line: &Line<'_>| {
            let same = |shown: &&Line<'_>| shown.key == line.key;
            shown.iter().position(|own| same(&own)).or_else(|| shown.iter().position(|own| own.variant == line.variant))
        };
        let found = (find(met.pattern), find(met.remedy));
        let drawn = found.0.zip(found.1).map(|(pattern, remedy)| (&series[pattern], &series[remedy]));
        let group = if met.group.is_empty() { String::new() } else { format!(" ({})", label(&met.group)) };
        Crossing {
            x: place(&passing, drawn, request.x_scale, request.y_scale),
            series: found.1,
            label: format!(
                "{} {ahead} than {} from {} = {} on{group}",
                met.remedy.variant, met.pattern.variant, request.x, passing.from
            ),
        }
    };
    Ok(passings.into_iter().map(mark).collect())
}

/// Every remedy's line with the pattern's that it meets.
fn meetings<'a>(view: &'a View<'a>, pattern: &str) -> Vec<Met<'a>> {
    let Some(variant) = view.columns.iter().position(|name| name == "variant") else { return Vec::new() };
    // What one variant does not depend on does not keep it from being compared.
    let masked = |line: &Line<'_>| -> Vec<bool> { line.key.iter().map(Option::is_some).collect() };
    let mut remedies: HashMap<Vec<bool>, Vec<&Line<'_>>> = HashMap::new();
    for remedy in view.lines.iter().filter(|line| line.variant != pattern) {
        remedies.entry(masked(remedy)).or_default().push(remedy);
    }
    // Remedies by what they share with a pattern's lines, which follows from which columns both depend on.
    let mut by_shared: HashMap<Vec<bool>, Vec<SharedMap<'_>>> = HashMap::new();
    let mut found: Vec<(&Line<'_>, &Line<'_>)> = Vec::new();
    for own in view.lines.iter().filter(|line| line.variant == pattern) {
        let mask = masked(own);
        let maps = by_shared.entry(mask.clone()).or_insert_with(|| {
            let shared = |other: &Vec<bool>| {
                let both = mask.iter().zip(other).enumerate();
                both.filter(|(index, (one, two))| *index != variant && **one && **two).map(|(index, _)| index).collect()
            };
            remedies.iter().map(|(other, lines)| SharedMap::of(shared(other), lines)).collect()
        });
        found.extend(maps.iter().flat_map(|map| map.like(own)).map(|remedy| (own, remedy)));
    }
    // In the order of the lines, whatever the order of the maps.
    found.sort_by_key(|(own, remedy)| (std::ptr::from_ref(*own).addr(), std::ptr::from_ref(*remedy).addr()));
    let mut met = Vec::new();
    for (own, remedy) in found {
        let Some(crossover) = duels(own, remedy).and_then(|duels| crossover(&duels)) else { continue };
        let both = own.key.iter().zip(&remedy.key).enumerate();
        let group = both.filter(|(index, _)| *index != variant).filter_map(|(index, (one, other))| {
            Some((view.columns[index].clone(), one.as_ref().or(other.as_ref())?.clone()))
        });
        let group = group.collect();
        met.push(Met { pattern: own, remedy, crossover, group });
    }
    met
}

/// Lines by their values of some columns.
struct SharedMap<'a> {
    columns: Vec<usize>,
    lines: HashMap<Vec<&'a Option<String>>, Vec<&'a Line<'a>>>,
}

impl<'a> SharedMap<'a> {
    fn of(columns: Vec<usize>, lines: &[&'a Line<'a>]) -> Self {
        let mut map: HashMap<Vec<&Option<String>>, Vec<&Line<'_>>> = HashMap::new();
        for line in lines {
            map.entry(columns.iter().map(|index| &line.key[*index]).collect()).or_default().push(line);
        }
        Self { columns, lines: map }
    }

    /// Those that agree with this one.
    fn like(&self, own: &'a Line<'a>) -> impl Iterator<Item = &'a Line<'a>> {
        let key: Vec<&Option<String>> = self.columns.iter().map(|index| &own.key[*index]).collect();
        self.lines.get(&key).into_iter().flatten().copied()
    }
}

/// The times of both at each x that both have; `None` where a line has several at one x, so that there is no telling
/// which to compare.
fn duels(pattern: &Line<'_>, remedy: &Line<'_>) -> Option<Vec<Duel>> {
    let rises = |points: &[Placed]| points.windows(2).all(|pair| pair[0].dot.x < pair[1].dot.x);
    let is_line = |line: &Line<'_>| if line.is_level { line.points.len() == 1 } else { rises(&line.points) };
    if !is_line(pattern) || !is_line(remedy) {
        return None;
    }
    let mut duels = Vec::new();
    let (mut own, mut other) = (pattern.points.iter().peekable(), remedy.points.iter().peekable());
    while let (Some(one), Some(two)) = (own.peek(), other.peek()) {
        let (x, step_own, step_other) = match (pattern.is_level, remedy.is_level) {
            (false, true) => (Some(one.dot.x), true, false),
            (true, false) => (Some(two.dot.x), false, true),
            _ if one.dot.x < two.dot.x => (None, true, false),
            _ if one.dot.x > two.dot.x => (None, false, true),
            _ => (Some(one.dot.x), true, true),
        };
        duels.extend(x.map(|x| Duel { x, pattern: one.time, remedy: two.time }));
        if step_own {
            own.next();
        }
        if step_other {
            other.next();
        }
    }
    Some(duels)
}

/// Where the mark of a passing is: where the lines cross, if one is ahead from the next x on. If they are together at some x before that, it is
/// where the one begins to be ahead, as the flag says.
fn place(passing: &Passing, lines: Option<(&Series, &Series)>, x: Scale, y: Scale) -> f64 {
    let is_next = passing.between.1.total_cmp(&passing.from).is_eq();
    if is_next { interpolated(passing.between, lines, x, y) } else { passing.from }
}

/// Where the lines between two neighbouring x cross as they are drawn, straight on the axes' scales; half-way where they
/// do not, as a quantity other than the time may have it.
fn interpolated((from, to): (f64, f64), lines: Option<(&Series, &Series)>, x: Scale, y: Scale) -> f64 {
    let height = |series: &Series, at: f64| {
        let dot = series.points.iter().find(|dot| series.is_level || dot.x.total_cmp(&at).is_eq())?;
        let height = if y == Scale::Log { dot.value.ln() } else { dot.value };
        height.is_finite().then_some(height)
    };
    let part = lines.and_then(|(one, other)| {
        let apart = |at| Some(height(one, at)? - height(other, at)?);
        let (before, after) = (apart(from)?, apart(to)?);
        let part = before / (before - after);
        (0.0..=1.0).contains(&part).then_some(part)
    });
    let part = part.unwrap_or(0.5);
    if x == Scale::Log && from > 0.0 { from * (to / from).powf(part) } else { from + (to - from) * part }
}
