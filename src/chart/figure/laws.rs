//! Fitted laws as lines.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::view::View;
use crate::chart::{LawLine, Scale};
use crate::model::Of;
use crate::model::fit::LawFit;
use crate::model::group::{GroupFit, Numbers, Outcome};
use crate::model::verdict::Verdict;
use crate::record::{Column, PointRecord};
use crate::scenario::{ChartRequest, Vertical};
use crate::unit;

/// Places between the ends of a law that is drawn over its own predictor.
const STEPS: u32 = 64;

/// How far a line may be from the straight one between its ends, as a share, to be drawn as that.
const STRAIGHT: f64 = 2e-3;

/// How far a predictor may be from a form along x, as a share, to have that form: sizes that are rounded up to whole blocks have it.
const SAME: f64 = 0.01;

/// Fits by what their groups' points have in some columns.
type ByValues = HashMap<Numbers, Vec<usize>, RandomState>;

/// Which laws each point is of, found without going through all of them.
pub(super) struct Members<'a> {
    fits: Vec<(&'a GroupFit, &'a LawFit)>,
    /// The fits whose groups have values of the same columns, by these values.
    by_columns: Vec<(Vec<&'a str>, Vec<Column<'a>>, ByValues)>,
}

impl<'a> Members<'a> {
    /// Those of times, or those of energies.
    pub(super) fn of(fits: &'a [GroupFit], y: &Vertical) -> Self {
        let wanted = (*y == Vertical::Energy).then_some(Of::Energy);
        // What is of something else has no place among them.
        let laws = fits.iter().filter(|group| group.of == wanted).filter_map(|group| match &group.outcome {
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

/// The lines of the laws that hold and are functions of the chart's x, each from where on it holds; and how many functions of x do not hold, and are undecided.
pub(super) fn law_lines(fits: &[GroupFit], request: &ChartRequest, view: &View<'_>) -> (Vec<LawLine>, [usize; 2]) {
    let members = Members::of(fits, &request.y).gather(&view.points);
    let mut holding = Vec::new();
    let [mut failing, mut undecided] = [0, 0];
    for (group, fit, mut points) in members {
        // A group's key does not tell what a fit of a part of the points leaves out.
        points.retain(|point| group.only.admits(view.family, point));
        match law_line(fit, &points, request, view) {
            Some(law) if law.holds => holding.push(law),
            Some(_) if matches!(fit.verdict, Verdict::Undecided(_)) => undecided += 1,
            Some(_) => failing += 1,
            None => {}
        }
    }
    (holding, [failing, undecided])
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
    // Where one x stands for several predictors, as when x is one parameter of many, a line would zigzag.
    let is_function = places.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if places.len() < 2 || !is_function {
        return None;
    }
    // Parameters are whole numbers: between neighbours there is none.
    places.retain(|(x, _)| holds_from_x.is_none_or(|from| *x >= from));
    // Beyond the points that it was fitted to nobody knows whether it holds: a fit may be to a part of the points.
    places.retain(|(_, predictor)| (fit.from..=fit.to).contains(predictor));
    let has_none_between =
        view.family.parameter(&request.x).is_some() && places.windows(2).all(|pair| pair[1].0 - pair[0].0 <= 1.0);
    if !has_none_between {
        let along = Along::of(&places)?;
        if !is_straight(fit, along, &places, request) {
            let (from, to) = (places[0].0, places[places.len() - 1].0);
            places.extend(between(from, to, request.x_scale).map(|x| (x, along.predictor(x))));
            places.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
    }
    let band = places.iter().filter_map(|(x, predictor)| {
        let (low, high) = fit.band_us(*predictor)?;
        Some((*x, low, high))
    });
    let first = points.first().and_then(|point| view.line_of(point));
    let own = first.filter(|first| points.iter().all(|point| view.line_of(point) == Some(*first)));
    let place = holds_from_x.filter(|_| request.x != fit.predictor).map(|from| format!("{} = {from} on", request.x));
    let verdict = fit.verdict.told_from(place.as_deref());
    let law = format!("{}, R² = {}", fit.equation(), unit::r2(fit.r2));
    let short = match fit.verdict {
        Verdict::Fails(_) => format!("{law}: fails"),
        Verdict::Undecided(_) => format!("{law}: undecided"),
        _ => fit.equation(),
    };
    Some(LawLine {
        series: own,
        label: format!("{law}: {verdict}{}", no_cost(fit)),
        short,
        path: places.iter().map(|(x, predictor)| (*x, fit.time_us(*predictor))).collect(),
        band: band.collect(),
        holds_from_x,
        holds: fit.verdict.is_success(),
    })
}

/// That a fixed cost of the equation is none, where it is below zero.
fn no_cost(fit: &LawFit) -> String {
    let below = fit.fixed_below_zero().filter(|_| fit.verdict.is_success());
    below.map_or_else(String::new, |own| format!(" ({} below zero is no cost)", own.parameter))
}

/// How a predictor follows from a chart's x, also between points.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Along {
    /// They are the same.
    Itself,
    /// `factor * x ^ exponent`, such as the bytes of a square matrix along its width.
    Power { factor: f64, exponent: f64 },
    /// `start + step * x`.
    Straight { start: f64, step: f64 },
}

impl Along {
    /// The form that all points have; `None` where none of these is it: between the points the law is not known then.
    fn of(places: &[(f64, f64)]) -> Option<Self> {
        if places.iter().all(|(x, predictor)| x.total_cmp(predictor).is_eq()) {
            return Some(Self::Itself);
        }
        // Through two places goes any form.
        let [(x0, first), _, .., (x1, last)] = places else { return None };
        let step = (last - first) / (x1 - x0);
        let straight = Self::Straight { start: first - step * x0, step };
        let exponent = (last / first).ln() / (x1 / x0).ln();
        let power = Self::Power { factor: first / x0.powf(exponent), exponent };
        let is_met = |form: &Self| {
            places.iter().all(|(x, predictor)| (form.predictor(*x) - predictor).abs() <= SAME * predictor.abs())
        };
        [straight, power].into_iter().find(is_met)
    }

    fn predictor(self, x: f64) -> f64 {
        match self {
            Self::Itself => x,
            Self::Power { factor, exponent } => factor * x.powf(exponent),
            Self::Straight { start, step } => start + step * x,
        }
    }
}

/// Whether the law is a straight line between the points on these axes, so that they are enough of it.
fn is_straight(fit: &LawFit, along: Along, places: &[(f64, f64)], request: &ChartRequest) -> bool {
    let is_linear = request.x_scale == Scale::Linear && request.y_scale == Scale::Linear;
    is_linear
        && places.windows(2).all(|pair| {
            let [from, to] = [pair[0], pair[1]].map(|(_, predictor)| fit.time_us(predictor));
            let middle = fit.time_us(along.predictor(f64::midpoint(pair[0].0, pair[1].0)));
            let straight = f64::midpoint(from, to);
            (middle - straight).abs() <= STRAIGHT * straight.abs()
        })
}

/// Places from one end to the other, evenly on the axis.
fn between(from: f64, to: f64, scale: Scale) -> impl Iterator<Item = f64> {
    (1..STEPS).map(move |step| {
        let part = f64::from(step) / f64::from(STEPS);
        if scale == Scale::Log && from > 0.0 { from * (to / from).powf(part) } else { from + (to - from) * part }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A predictor at these places.
    fn at(xs: &[f64], predictor: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        xs.iter().map(|x| (*x, predictor(*x))).collect()
    }

    #[test]
    fn a_predictor_is_known_between_points_where_all_of_them_have_one_form() {
        let xs = [64.0, 1024.0, 2048.0, 8192.0];
        assert_eq!(Along::of(&at(&xs, |x| x)), Some(Along::Itself));
        let square = Along::of(&at(&xs, |x| 8.0 * x * x)).unwrap();
        assert!((square.predictor(4096.0) / (8.0 * 4096.0 * 4096.0) - 1.0).abs() < 1e-12, "{square:?}");
        let line = Along::of(&at(&xs, |x| 5.0 + 3.0 * x)).unwrap();
        assert!((line.predictor(100.0) / 305.0 - 1.0).abs() < 1e-12, "{line:?}");
        // Waves of blocks rise in steps.
        assert_eq!(Along::of(&at(&xs, |x| (x / 1000.0).ceil())), None);
        assert_eq!(Along::of(&at(&xs[..2], |x| 8.0 * x * x)), None);
        assert_eq!(Along::of(&at(&xs, |x| if x < 2000.0 { 1.0 } else { 2.0 })), None);
    }
}
