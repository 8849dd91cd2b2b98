//! The same series has the same colour in all charts of a run.

use std::collections::{HashMap, HashSet};

use crate::chart::{Chart, Series};

/// Which kind, and by that which colour and shape, series have in charts that were drawn before.
#[derive(Debug, Clone, Default)]
pub struct Colours {
    kinds: HashMap<String, usize>,
}

impl Colours {
    /// Gives series of these charts the kinds that they have in earlier ones, where no other series of the chart has it, and keeps those of new ones.
    pub fn keep(&mut self, charts: &mut [(String, Chart)]) {
        for (_, chart) in charts {
            match chart {
                Chart::Lines(lines) => self.keep_in(vec![&mut lines.series]),
                Chart::Panels(panels) => {
                    self.keep_in(panels.panels.iter_mut().map(|panel| &mut panel.series).collect());
                }
                Chart::Bars(_) | Chart::Heat(_) => {}
            }
        }
    }

    /// Panels have the same series in the same order.
    fn keep_in(&mut self, panels: Vec<&mut Vec<Series>>) {
        let Some(first) = panels.first() else { return };
        let mut own: HashMap<String, usize> = HashMap::new();
        let mut taken: HashSet<usize> = HashSet::new();
        for label in first.iter().map(bare) {
            let known = self.kinds.get(label).copied().filter(|kind| !own.contains_key(label) && taken.insert(*kind));
            own.extend(known.map(|kind| (label.to_owned(), kind)));
        }
        for series in first.iter().filter(|series| series.kind.is_some()) {
            let label = bare(series);
            if !own.contains_key(label) {
                // One of more kinds than series is free.
                let kind = (0..=taken.len()).find(|kind| !taken.contains(kind)).unwrap_or_default();
                taken.insert(kind);
                own.insert(label.to_owned(), kind);
                self.kinds.entry(label.to_owned()).or_insert(kind);
            }
        }
        for series in panels.into_iter().flatten().filter(|series| series.kind.is_some()) {
            series.kind = own.get(bare(series)).copied().or(series.kind);
        }
    }
}

/// What a series is of, without the name of its run.
fn bare(series: &Series) -> &str {
    series.label.rsplit_once(" · ").map_or(series.label.as_str(), |(bare, _)| bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::LineChart;

    #[test]
    fn series_keep_their_colours_from_chart_to_chart() {
        let chart = |labels: &[&str]| {
            let series = labels.iter().enumerate().map(|(place, label)| Series {
                label: (*label).to_owned(),
                kind: Some(place),
                ..Series::default()
            });
            ("name".to_owned(), Chart::Lines(LineChart { series: series.collect(), ..LineChart::default() }))
        };
        let mut charts = [chart(&["a", "b"]), chart(&["b · one", "c · one", "a · one", "b · two"]), chart(&["d", "b"])];
        Colours::default().keep(&mut charts);
        let kinds = charts.iter().map(|(_, chart)| {
            let Chart::Lines(lines) = chart else { panic!("no lines") };
            lines.series.iter().map(|series| series.kind.expect("a kind")).collect::<Vec<_>>()
        });
        assert_eq!(kinds.collect::<Vec<_>>(), [vec![0, 1], vec![1, 2, 0, 1], vec![0, 1]]);
    }
}
