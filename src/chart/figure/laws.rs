//! Fitted laws as lines.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::view::View;
use crate::chart::{LawLine, Scale};
use crate::model::fit::LawFit;
use crate::model::group::{GroupFit, Numbers, Outcome};
use crate::model::verdict::Verdict;
use crate::record::{Column, PointRecord};
use crate::scenario::ChartRequest;
use crate::unit;

/// Places between the ends of a law that is drawn over its own predictor.
const STEPS: u32 = 64;

/// How far a line may be from the straight one between its ends, as a share, to be drawn as that.
const STRAIGHT: f64 = 2e-3;

/// Fits by what their groups' points have in some columns.
type ByValues = HashMap<Numbers, Vec<usize>, RandomState>;

/// Which laws each point is of, found without going through all of them.
pub(super) struct Members<'a> {
    fits: Vec<(&'a GroupFit, &'a LawFit)>,
    /// The fits whose groups have values of the same columns, by these values.
    by_columns: Vec<(Vec<&'a str>, Vec<Column<'a>>, ByValues)>,
}

impl<'a> Members<'a> {
    pub(super) fn of(fits: &'a [GroupFit]) -> Self {
        let laws = fits.iter().filter_map(|group| match &group.outcome {
            Outcome::Law(fit) => Some((group, &**fit)),
            _ => None,
        });
        let fits: Vec<_> = laws.collect();
        let mut by_columns: Vec<(Vec<&str>, Vec<Column<'_>>, ByValues)> = Vec::new();
        for (index, (group, _)) in fits.iter().enumerate() {
            let (columns, values): (Vec<&str>, Vec<&str>) =
                group.group.iter().map(|(name, value)| (name.as_str(), value.as_str())).unzip();
            let place = by_columns.iter().position(|(own, ..)| *own == columns).unwrap_or(by_columns.len());
            if place == by_columns.len() {
                let cells = columns.iter().map(|name| Column::new(name)).collect();
                by_columns.push((columns, cells, HashMap::default()));
            }
            let (_, cells, by_values) = &mut by_columns[place];
            let key = Numbers::of(cells.iter_mut().zip(values).map(|(column, value)| Some(column.word_of(value))));
            by_values.entry(key).or_default().push(index);
        }
        Self { fits, by_columns }
    }

    /// Each law with those of the points that it is of.
    pub(super) fn gather<'p>(
        mut self,
        points: &[&'p PointRecord],
    ) -> Vec<(&'a GroupFit, &'a LawFit, Vec<&'p PointRecord>)> {
        let mut members: Vec<Vec<&PointRecord>> = vec![Vec::new(); self.fits.len()];
        for &point in points {
            for (_, columns, by_values) in &mut self.by_columns {
                let key = Numbers::of(columns.iter_mut().map(|column| column.word(point)));
                for &fit in by_values.get(&key).into_iter().flatten() {
                    members[fit].push(point);
                }
            }
        }
        self.fits.iter().zip(members).map(|((group, fit), points)| (*group, *fit, points)).collect()
    }
}

/// The lines of all laws that are functions of the chart's x.
pub(super) fn law_lines(fits: &[GroupFit], request: &ChartRequest, view: &View<'_>) -> Vec<LawLine> {
    let members = Members::of(fits).gather(&view.points);
    members.into_iter().filter_map(|(_, fit, points)| law_line(fit, &points, request, view)).collect()
}

fn law_line(fit: &LawFit, points: &[&PointRecord], request: &ChartRequest, view: &View<'_>) -> Option<LawLine> {
    // The predictor at each x.
    let mut places: Vec<(f64, f64)> = Vec::new();
    let mut holds_from_x: Option<f64> = None;
    for point in points {
        let (Some(x), Some(predictor)) = (point.number(&request.x), point.number(fit.predictor)) else {
            continue;
        };
        places.push((x, predictor));
        if matches!(fit.verdict, Verdict::HoldsFrom { from, .. } if predictor >= from) {
            holds_from_x = Some(holds_from_x.map_or(x, |known| known.min(x)));
        }
    }
    places.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    places.dedup();
    // Where one x stands for several predictors, as when x is one parameter of many, a line would zigzag; and so it would
    // where the predictor rises and falls along x.
    let is_function = places.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let is_own = places.iter().all(|(x, predictor)| x.total_cmp(predictor).is_eq());
    let is_monotone =
        places.windows(2).all(|pair| pair[0].1 <= pair[1].1) || places.windows(2).all(|pair| pair[0].1 >= pair[1].1);
    if places.len() < 2 || !is_function || !is_monotone {
        return None;
    }
    if is_own && !is_straight(fit, &places) {
        places = between(places[0].0, places[places.len() - 1].0, request.x_scale);
    }
    let band = places.iter().filter_map(|(x, predictor)| {
        let (low, high) = fit.band_us(*predictor)?;
        Some((*x, low, high))
    });
    let first = points.first().and_then(|point| view.line_of(point));
    let own = first.filter(|first| points.iter().all(|point| view.line_of(point) == Some(*first)));
    Some(LawLine {
        series: own,
        label: format!("{}, R² = {}: {}", fit.equation(), unit::r2(fit.r2), fit.verdict),
        path: places.iter().map(|(x, predictor)| (*x, fit.time_us(*predictor))).collect(),
        band: band.collect(),
        holds_from_x,
        holds: fit.verdict.is_success(),
    })
}

/// Whether the law is straight between the points, so that these are enough of it.
fn is_straight(fit: &LawFit, places: &[(f64, f64)]) -> bool {
    places.windows(2).all(|pair| {
        let (from, to) = (pair[0].1, pair[1].1);
        let (middle, straight) =
            (fit.time_us(f64::midpoint(from, to)), f64::midpoint(fit.time_us(from), fit.time_us(to)));
        (middle - straight).abs() <= STRAIGHT * straight.abs()
    })
}

/// Places from one end to the other, evenly on the axis.
fn between(from: f64, to: f64, scale: Scale) -> Vec<(f64, f64)> {
    let place = |step: u32| {
        let part = f64::from(step) / f64::from(STEPS);
        match step {
            0 => from,
            STEPS => to,
            _ if scale == Scale::Log && from > 0.0 => from * (to / from).powf(part),
            _ => from + (to - from) * part,
        }
    };
    (0..=STEPS).map(|step| (place(step), place(step))).collect()
}
