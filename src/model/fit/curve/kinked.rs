//! The best kink: where a maximum changes sides, where two lines meet, how wide steps are. Sums of squares have many
//! valleys there, so that every place is tried at which the assignment of observations changes.

use super::{Data, Form, Matrix, Regression, RegressionError};
use crate::model::fit::Observation;
use crate::model::law::steps;

/// Widths that are tried at most.
const WIDTHS_MAX: usize = 8192;

/// The coefficients of `max(a, b x)` or `max(a, b / x)`: for each split of the observations both sides' best.
pub(super) fn overlap(form: Form, data: &Data<'_>) -> Result<Vec<f64>, RegressionError> {
    let is_hiding = form == Form::Hiding;
    let along = |x: f64| if is_hiding { 1.0 / x } else { x };
    // Sums up to each observation: of the floor, and of what grows.
    let mut sums = vec![[0.0; 4]];
    for (one, weight) in data.observations.iter().zip(&data.weights) {
        let grown = along(one.x);
        let terms = [*weight, weight * one.time_us, weight * grown * grown, weight * grown * one.time_us];
        let before = sums[sums.len() - 1];
        sums.push([0, 1, 2, 3].map(|index| before[index] + terms[index]));
    }
    let all = sums[sums.len() - 1];
    let mut best: Option<(f64, Vec<f64>)> = None;
    for split in splits(data.observations, 1) {
        let before = sums[split];
        let after = [0, 1, 2, 3].map(|index| all[index] - before[index]);
        let (floor, rising) = if is_hiding { (after, before) } else { (before, after) };
        let coefficients = vec![floor[1] / floor[0], rising[3] / rising[2]];
        let left = data.sum_of_squares(form, &coefficients);
        if left.is_finite() && best.as_ref().is_none_or(|(least, _)| left < *least) {
            best = Some((left, coefficients));
        }
    }
    best.map(|(_, coefficients)| coefficients).ok_or(RegressionError::Deficient { column: 1 })
}

/// Two lines that meet.
pub(super) struct TwoLines {
    pub(super) coefficients: Vec<f64>,
    /// The 95 % interval of the break: where the best lines leave no more than chance would, beside the best break (a profile of the
    /// likelihood; Seber and Wild, Nonlinear Regression, section 5.4).
    pub(super) interval: (f64, f64),
    /// Pairs of neighbouring predictors between which the break was looked for.
    pub(super) places: usize,
    /// Whether the break is at the first or the last of all places.
    pub(super) is_at_edge: bool,
}

/// The best two lines that meet (Hudson, Fitting segmented curves whose join points have to be estimated, JASA 61,
/// 1966): between each two neighbouring predictors the meeting point of the best lines on both sides, where it
/// lies between them, else one of the predictors themselves.
pub(super) fn two_lines(data: &Data<'_>) -> Result<TwoLines, RegressionError> {
    let observations = data.observations;
    let (mut breaks, mut places) = (Vec::new(), 0);
    // A piece through two predictors would have nothing that it could miss.
    for split in splits(observations, 3) {
        places += 1;
        let (before, after) = observations.split_at(split);
        let (left, right) = (line(before, &data.weights[..split]), line(after, &data.weights[split..]));
        let (start, end) = (before[split - 1].x, after[0].x);
        breaks.push(start);
        if let (Some((a, b)), Some((c, d))) = (left, right) {
            let meeting = (a - c) / (d - b);
            if meeting > start && meeting < end {
                breaks.push(meeting);
            }
        }
        breaks.push(end);
    }
    breaks.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let largest = observations[observations.len() - 1].x;
    let times_us = data.times_us();
    let broken_at = |at: f64| {
        let rows = observations.iter().map(|one| vec![1.0, one.x, (one.x - at).max(0.0)]);
        least_squares::linear(&Matrix::from_rows(3, rows), &times_us, &data.weights)
    };
    let tried = breaks.into_iter().filter(|at| *at < largest);
    let fits: Vec<(f64, Regression)> = tried.filter_map(|at| Some((at, broken_at(at).ok()?))).collect();
    let left = |index: usize| fits[index].1.sum_of_squares;
    let best = (0..fits.len()).min_by(|one, other| left(*one).total_cmp(&left(*other)));
    let index = best.ok_or(RegressionError::Deficient { column: 3 })?;
    let degrees = observations.len().saturating_sub(Form::TwoLines.parameters()).max(1);
    let most = left(index) * (1.0 + least_squares::student_reach(degrees).powi(2) / degrees as f64);
    let is_possible = |at: f64| broken_at(at).is_ok_and(|fit| fit.sum_of_squares <= most);
    // Where it may be at the end of where it was looked for, it may be anywhere beyond.
    let first = (0..index).rfind(|index| left(*index) > most);
    let last = (index + 1..fits.len()).find(|index| left(*index) > most);
    let low = first.map_or(observations[0].x, |first| edge(is_possible, fits[first + 1].0, fits[first].0));
    let high = last.map_or(largest, |last| edge(is_possible, fits[last - 1].0, fits[last].0));
    let (at, regression) = &fits[index];
    let coefficients = [&regression.coefficients[..], &[*at]].concat();
    Ok(TwoLines { coefficients, interval: (low, high), places, is_at_edge: index == 0 || index + 1 == fits.len() })
}

/// How often the way to an edge is halved.
const HALVINGS: usize = 24;

/// The place between one that is possible and one that is not, up to which others are.
fn edge(is_possible: impl Fn(f64) -> bool, inside: f64, outside: f64) -> f64 {
    let halve = |(inside, outside): (f64, f64), _| {
        let middle = 0.5 * (inside + outside);
        if is_possible(middle) { (middle, outside) } else { (inside, middle) }
    };
    (0..HALVINGS).fold((inside, outside), halve).0
}

/// The width of steps.
pub(super) struct Width {
    pub(super) best: f64,
    /// Its 95 % interval: the widths that leave no more than chance would, beside the best one (a profile of the likelihood; Seber and
    /// Wild, Nonlinear Regression, section 5.4). Widths that leave every time on its step are in it together.
    pub(super) interval: (f64, f64),
    /// Widths that were tried.
    pub(super) places: usize,
}

/// The most steps that are tried over so many distinct predictors: with two on each step on average, or steps are no different from a
/// line.
pub(in crate::model::fit) fn most_steps(distinct: usize) -> usize {
    (distinct / 2).max(2).min(WIDTHS_MAX / distinct.max(1)).max(2)
}

/// The best width of steps.
pub(super) fn width(data: &Data<'_>) -> Result<Width, RegressionError> {
    let mut distinct: Vec<f64> = data.observations.iter().map(|one| one.x).collect();
    distinct.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let largest = distinct[distinct.len() - 1];
    let most_steps = most_steps(distinct.len());
    let mut widths: Vec<f64> = distinct
        .iter()
        .flat_map(|x| (1..=most_steps).map(move |count| x / count as f64))
        .filter(|width| *width < largest && steps(largest, *width) <= most_steps as f64)
        .collect();
    widths.sort_by(f64::total_cmp);
    widths.dedup_by(|a, b| (*a / *b - 1.0).abs() < 1e-9);
    let left: Vec<f64> = widths.iter().map(|width| unexplained(data, *width)).collect();
    let finite = left.iter().enumerate().filter(|(_, left)| left.is_finite());
    let best = finite.min_by(|(_, one), (_, other)| one.total_cmp(other));
    let Some((index, least)) = best else { return Err(RegressionError::Deficient { column: 2 }) };
    let degrees = data.observations.len().saturating_sub(Form::Steps.parameters()).max(1);
    let most = least * (1.0 + least_squares::student_reach(degrees).powi(2) / degrees as f64);
    let is_possible = |index: &usize| left[*index] <= most;
    let narrowest = (0..=index).find(is_possible).unwrap_or(index);
    let widest = (index..widths.len()).rfind(is_possible).unwrap_or(index);
    let interval = (widths[narrowest], widths.get(widest + 1).copied().unwrap_or(largest));
    Ok(Width { best: widths[index], interval, places: widths.len() })
}

/// The weighted squares that the best steps of this width leave.
fn unexplained(data: &Data<'_>, width: f64) -> f64 {
    let stepped: Vec<Observation> =
        data.observations.iter().map(|one| Observation { x: steps(one.x, width), ..*one }).collect();
    match line(&stepped, &data.weights) {
        Some((a, b)) => {
            let terms = stepped.iter().zip(&data.weights);
            terms.map(|(one, weight)| weight * (one.time_us - a - b * one.x).powi(2)).sum()
        }
        None => f64::NAN,
    }
}

/// Where the predictor changes, with at least so many distinct predictors on both sides.
fn splits(observations: &[Observation], least: usize) -> impl Iterator<Item = usize> {
    let mut ends: Vec<usize> = Vec::new();
    let mut end = 0;
    for group in observations.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()) {
        end += group.len();
        ends.push(end);
    }
    let count = ends.len().saturating_sub(least);
    ends.into_iter().take(count).skip(least - 1)
}

/// The intercept and the slope of the weighted line; `None` where the predictors do not differ.
fn line(observations: &[Observation], weights: &[f64]) -> Option<(f64, f64)> {
    let pairs = || observations.iter().zip(weights);
    let total: f64 = weights.iter().sum();
    let x = pairs().map(|(one, weight)| weight * one.x).sum::<f64>() / total;
    let y = pairs().map(|(one, weight)| weight * one.time_us).sum::<f64>() / total;
    let sxx: f64 = pairs().map(|(one, weight)| weight * (one.x - x).powi(2)).sum();
    let sxy: f64 = pairs().map(|(one, weight)| weight * (one.x - x) * (one.time_us - y)).sum();
    let slope = sxy / sxx;
    (sxx > 0.0 && slope.is_finite()).then_some((y - slope * x, slope))
}
