//! Fewer points that make the same picture.

use crate::chart::{Dot, LineChart, Series};

/// The chart with at most about so many points. Of each stretch of a series, the first, the lowest, the highest and the
/// last stay (M4 of Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation", 2014), so that lines and
/// outliers look as before. `None` if no points are left out.
pub(super) fn thinned(chart: &LineChart, most: usize) -> Option<LineChart> {
    let all: usize = chart.series.iter().map(|series| series.points.len()).sum();
    if all <= most {
        return None;
    }
    let series = chart.series.iter().map(|series| {
        let share = (series.points.len() as f64 / all as f64 * most as f64) as usize;
        Series { points: thin(&series.points, share.max(4)), ..series.clone() }
    });
    let mut chart = LineChart { series: series.collect(), ..chart.clone() };
    let left: usize = chart.series.iter().map(|series| series.points.len()).sum();
    chart.notes.push(format!("Thinned: {left} of {all} points, with the lowest and the highest of each stretch."));
    Some(chart)
}

fn thin(points: &[Dot], most: usize) -> Vec<Dot> {
    if points.len() <= most {
        return points.to_vec();
    }
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| one.x.total_cmp(&other.x));
    let stretch = sorted.len().div_ceil((most / 4).max(1));
    let kept = sorted.chunks(stretch).flat_map(|chunk| {
        let by_value = |one: &usize, other: &usize| chunk[*one].value.total_cmp(&chunk[*other].value);
        let places = || 0..chunk.len();
        let mut kept: Vec<usize> = vec![0, chunk.len() - 1];
        kept.extend(places().min_by(by_value).into_iter().chain(places().max_by(by_value)));
        kept.sort_unstable();
        kept.dedup();
        kept.into_iter().map(|place| chunk[place]).collect::<Vec<_>>()
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_and_the_highest_stay() {
        let points: Vec<Dot> = (0..10_000).map(|x| Dot::exact(f64::from(x), f64::from(x % 97))).collect();
        let mut spiked = points.clone();
        spiked[4321].value = 1e6;
        spiked[8765].value = -5.0;
        let chart = LineChart { series: vec![Series { points: spiked, ..Series::default() }], ..LineChart::default() };
        let thin = thinned(&chart, 400).unwrap();
        let kept = &thin.series[0].points;
        assert!(kept.len() <= 400 && kept.len() > 100, "{}", kept.len());
        assert!(kept.iter().any(|dot| dot.value > 9e5) && kept.iter().any(|dot| dot.value < -4.0));
        assert_eq!((kept[0].x, kept[kept.len() - 1].x), (0.0, 9999.0));
        assert!(kept.windows(2).all(|pair| pair[0].x < pair[1].x));
        assert_eq!(thinned(&thin, 400), None);
    }
}
