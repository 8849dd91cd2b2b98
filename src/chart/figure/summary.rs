//! More lines than can be told apart: what they have in common.

use std::collections::HashMap;

use super::view::View;
use crate::chart::{Dot, LineChart, Series};

/// As many lines as colours, shapes and a legend can tell apart.
pub(super) const LINES_MAX: usize = 24;

/// Replaces the lines of a chart that has too many by one for each value of the first of the columns that tell them apart: the median
/// over the lines at each x, with the range that they are in. A note says so. `views` are where the lines are from, in their order.
pub(super) fn summarise(chart: &mut LineChart, views: &[View<'_>]) {
    let count = chart.series.len();
    if count <= LINES_MAX {
        return;
    }
    let columns = views.first().map(|view| view.columns.clone()).unwrap_or_default();
    let keys = |kept: usize| {
        let lines = views.iter().enumerate().flat_map(|(run, view)| view.lines.iter().map(move |line| (run, line)));
        lines.map(move |(run, line)| (run, line.is_level, line.key.iter().take(kept).cloned().collect::<Vec<_>>()))
    };
    let distinct = |kept: usize| keys(kept).collect::<std::collections::HashSet<_>>().len();
    let kept = (0..columns.len()).rev().find(|kept| distinct(*kept) <= LINES_MAX).unwrap_or(0);
    let mut places: HashMap<_, usize> = HashMap::new();
    let mut groups: Vec<(Series, Vec<Dot>, usize)> = Vec::new();
    let run_suffix = |label: &str| label.rsplit_once(" · ").map_or(String::new(), |(_, run)| format!(" · {run}"));
    for (series, key) in chart.series.drain(..).zip(keys(kept)) {
        let next = groups.len();
        let words: Vec<String> = columns
            .iter()
            .zip(&key.2)
            .filter_map(|(name, value)| {
                let value = value.as_ref()?;
                Some(if name == "variant" { value.clone() } else { format!("{name} {value}") })
            })
            .collect();
        let index = *places.entry(key).or_insert(next);
        if index == next {
            let what = if words.is_empty() { "all".to_owned() } else { words.join(", ") };
            let label = format!("{what}{}", run_suffix(&series.label));
            groups.push((Series { label, kind: None, points: Vec::new(), ..series.clone() }, Vec::new(), 0));
        }
        groups[index].1.extend(series.points);
        groups[index].2 += 1;
    }
    let others = columns[kept..].join(", ");
    chart.laws.clear();
    chart.crossings.clear();
    chart.series = groups.into_iter().map(|(series, dots, lines)| median(&series, dots, lines)).collect();
    chart.notes.push(format!(
        "{count} lines, which differ in {others}, are more than can be told apart: shown are the medians over them at each x, \
         and strips from the smallest to the largest value. Laws are not drawn."
    ));
}

/// The median of the dots at each x, and the range that they are in.
fn median(series: &Series, mut dots: Vec<Dot>, lines: usize) -> Series {
    dots.sort_by(|one, other| one.x.total_cmp(&other.x).then(one.value.total_cmp(&other.value)));
    let same_x = |one: &Dot, other: &Dot| series.is_level || one.x.total_cmp(&other.x).is_eq();
    let mut points = Vec::new();
    let mut range = Vec::new();
    for group in dots.chunk_by(same_x) {
        let middle = group[group.len() / 2];
        let dot = if group.len() == 1 { middle } else { Dot::exact(middle.x, middle.value) };
        points.push(dot);
        range.push((middle.x, group[0].value, group[group.len() - 1].value));
    }
    if series.is_level {
        range.clear();
    }
    let label = if lines == 1 { series.label.clone() } else { format!("{}, {lines} lines", series.label) };
    Series { label, points, range, ..series.clone() }
}
