//! Fitting a form of curve to observations, before anything is judged.
//!
//! Fits are relative least squares: each observation is weighted by 1 / time², since times of one sweep span decades and
//! their errors are in proportion to them; unweighted, the largest times alone would set the intercept.

mod kinked;
mod plateaus;
mod smooth;

pub(super) use kinked::most_steps;
pub(super) use plateaus::intervals;

use super::{FitError, Observation};
use crate::model::law::{Form, Law, steps};
use least_squares::order_statistics::median;
use least_squares::{Matrix, Regression, RegressionError, Robust};

/// Huber's constant: 95 % as efficient as least squares where the errors are normal.
const HUBER: f64 = 1.345;
/// The median absolute deviation of a normal distribution, in standard deviations.
const NORMAL_DEVIATION: f64 = 0.674_489_750_196_081_7;

/// Rounds of reweighting at most, and how little weights change when they have settled.
const REWEIGHTINGS: usize = 60;
const SETTLED: f64 = 1e-7;

/// Observations sorted by predictor, with their weights.
#[derive(Debug, Clone)]
pub(super) struct Data<'a> {
    pub(super) observations: &'a [Observation],
    /// In proportion to the smallest time, so that no square leaves the range of floating point needlessly.
    pub(super) weights: Vec<f64>,
    pub(super) smallest_us: f64,
}

impl<'a> Data<'a> {
    pub(super) fn relative(observations: &'a [Observation]) -> Self {
        let smallest_us = observations.iter().fold(f64::INFINITY, |least, one| least.min(one.time_us));
        let weights = observations.iter().map(|one| (smallest_us / one.time_us).powi(2)).collect();
        Self { observations, weights, smallest_us }
    }

    pub(super) fn times_us(&self) -> Vec<f64> {
        self.observations.iter().map(|one| one.time_us).collect()
    }

    pub(super) fn predictors(&self) -> Vec<f64> {
        self.observations.iter().map(|one| one.x).collect()
    }

    /// The weighted squares that rounding alone may leave: they are the same of all times.
    fn rounding(&self) -> f64 {
        self.observations.len() as f64 * (64.0 * f64::EPSILON * self.smallest_us).powi(2)
    }

    /// The weighted sum of the squares of what a curve with these coefficients leaves.
    fn sum_of_squares(&self, form: Form, coefficients: &[f64]) -> f64 {
        let terms = self.observations.iter().zip(&self.weights);
        terms.map(|(one, weight)| weight * (one.time_us - form.time_us(coefficients, one.x)).powi(2)).sum()
    }
}

/// A form fitted to observations.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) form: Form,
    /// In the times, weighted in proportion to the smallest: its leave-one-out predictions keep kinks where they are.
    pub(super) regression: Regression,
    /// The standard deviation of a time, as a share of it.
    pub(super) relative_error: f64,
    /// The weighted squares that it leaves; of a robust fit those that its scale stands for.
    pub(super) squares: f64,
    /// Akaike's corrected criterion.
    pub(super) aicc: f64,
    /// The 95 % interval of the width of steps, or of the break of two lines.
    pub(super) place: Option<(f64, f64)>,
    /// Places that were tried for a break, or widths of steps; 1 of forms without such a search.
    pub(super) places: usize,
    /// Whether a break is at the first or the last place where one is looked for, so that it may be beyond.
    pub(super) is_at_edge: bool,
}

impl Fitted {
    /// Fits a form by relative least squares, or, where `is_robust`, so that outliers count less (Huber).
    pub(super) fn new(form: Form, data: &Data<'_>, is_robust: bool) -> Result<Self, RegressionError> {
        let needed = form.parameters() + 1;
        if data.observations.len() < needed {
            return Err(RegressionError::TooFew { count: data.observations.len(), parameters: form.parameters() });
        }
        match form {
            Form::Constant | Form::Proportional | Form::Affine | Form::Reciprocal | Form::Saturation => {
                let rows = data.observations.iter().map(|one| form.design(one.x).unwrap_or_default());
                let design = Matrix::from_rows(form.parameters(), rows);
                if is_robust {
                    return Ok(Self::robust(
                        form,
                        data,
                        least_squares::huber(&design, &data.times_us(), &data.weights)?,
                    ));
                }
                Ok(Self::of(form, data, least_squares::linear(&design, &data.times_us(), &data.weights)?, None))
            }
            Form::Power | Form::SmoothOverlap | Form::SmoothHiding if is_robust => {
                Ok(Self::robust(form, data, smooth::robust(form, data)?))
            }
            Form::Power | Form::SmoothOverlap | Form::SmoothHiding => {
                Ok(Self::of(form, data, smooth::fit(form, data)?, None))
            }
            Form::Overlap | Form::Hiding | Form::TwoLines | Form::Steps | Form::Plateaus { .. } if is_robust => {
                Self::reweighted(form, data)
            }
            Form::Overlap | Form::Hiding | Form::TwoLines | Form::Steps | Form::Plateaus { .. } => {
                Self::kinked(form, data)
            }
        }
    }

    fn kinked(form: Form, data: &Data<'_>) -> Result<Self, RegressionError> {
        match form {
            Form::TwoLines => {
                let kinked::TwoLines { coefficients, interval, places, is_at_edge } = kinked::two_lines(data)?;
                let fitted = Self::linearised(form, data, &coefficients)?;
                let mut fitted = Self { places, place: Some(interval), is_at_edge, ..fitted };
                // The break's place was searched for, so that with few times intervals cover less than they say.
                fitted.regression.degrees = fitted.regression.degrees.saturating_sub(1).max(1);
                Ok(fitted)
            }
            Form::Steps => {
                let width = kinked::width(data)?;
                let design = on_steps(data, width.best);
                let regression = least_squares::linear(&design, &data.times_us(), &data.weights)?;
                Ok(Self::of(form, data, regression, Some(width)))
            }
            Form::Plateaus { breaks } => Self::on_plateaus(form, data, breaks),
            _ => Self::linearised(form, data, &kinked::overlap(form, data)?),
        }
    }

    fn on_plateaus(form: Form, data: &Data<'_>, breaks: usize) -> Result<Self, RegressionError> {
        let (coefficients, places) = plateaus::best(data, breaks)?;
        let mut regression = plateaus::regression(form, data, &coefficients)?;
        let left = data.sum_of_squares(form, &coefficients);
        if left - regression.sum_of_squares > SETTLED * left && left > data.rounding() {
            keep_to_curve(&mut regression, form, data, left);
        }
        // Places and sharpnesses were searched for, whether or not times tell what else moves with them.
        let degrees = data.observations.len().saturating_sub(form.parameters()).max(1);
        let factor = regression.degrees as f64 / degrees as f64;
        regression.covariance = regression.covariance.scaled(factor);
        regression.residual_error *= factor.sqrt();
        regression.degrees = degrees;
        let fitted = Self::of(form, data, regression, None);
        Ok(Self { places, ..fitted })
    }

    /// Fits a form with a kink again and again, with what is far from the fit before counting less.
    fn reweighted(form: Form, data: &Data<'_>) -> Result<Self, RegressionError> {
        let whole = data;
        let mut data = data.clone();
        let full = data.weights.clone();
        let mut fitted = Self::kinked(form, &data)?;
        for _ in 0..REWEIGHTINGS {
            let apart = data.observations.iter().map(|one| (fitted.time_us(one.x) / one.time_us - 1.0).abs());
            let apart: Vec<f64> = apart.collect();
            let reach = HUBER * median(&apart).unwrap_or(0.0) / NORMAL_DEVIATION;
            let mut largest_change: f64 = 0.0;
            for ((weight, full), apart) in data.weights.iter_mut().zip(&full).zip(&apart) {
                let next = full * if *apart > reach { (reach / apart).max(1e-9) } else { 1.0 };
                largest_change = largest_change.max((next - *weight).abs() / full);
                *weight = next;
            }
            if largest_change < SETTLED {
                break;
            }
            fitted = Self::kinked(form, &data)?;
        }
        // Weights that follow from the times say too little of what chance does.
        let robust = match (form, fitted.coefficients()) {
            (Form::Steps, [.., width]) => least_squares::huber(&on_steps(whole, *width), &whole.times_us(), &full),
            (Form::Plateaus { .. }, coefficients) => {
                least_squares::huber(&plateaus::on_plateaus(whole, coefficients), &whole.times_us(), &full)
            }
            (_, coefficients) => {
                let (design, responses) = tangent(form, whole, coefficients);
                least_squares::huber(&design, &responses, &full)
            }
        };
        if let Ok(robust) = robust {
            let ends = [whole.observations[0].x, whole.observations[whole.observations.len() - 1].x];
            fitted.relative_error = fitted.relative_error.max(robust.regression.residual_error / whole.smallest_us);
            fitted.take_intervals_of(&robust, ends);
        }
        Ok(fitted)
    }

    /// A robust fit, with intervals that cover with few times, too.
    fn robust(form: Form, data: &Data<'_>, robust: Robust) -> Self {
        let mut fitted = Self::of(form, data, robust.regression, None);
        fitted.regression.covariance = robust.covariance_of_few;
        fitted.regression.degrees = robust.degrees_of_few;
        fitted
    }

    /// The covariance and the degrees of freedom of a robust fit to what the curve looks like where it is.
    fn take_intervals_of(&mut self, robust: &Robust, [first, last]: [f64; 2]) {
        let reach =
            |regression: &Regression| regression.reach() * regression.standard_error(regression.coefficients.len() - 1);
        let before = reach(&self.regression);
        let parameters = self.regression.coefficients.len();
        self.regression.covariance = robust.covariance_of_few.clone().resized(parameters, parameters);
        self.regression.degrees = robust.degrees_of_few;
        if let (Form::TwoLines, Some((low, high))) = (self.form, &mut self.place) {
            let wider = (reach(&self.regression) / before).max(1.0);
            let at = self.regression.coefficients[parameters - 1];
            // Beyond the first and the last predictor nothing was looked for.
            (*low, *high) = ((at - wider * (at - *low)).max(first), (at + wider * (*high - at)).min(last));
        }
    }

    /// The covariance of all parameters, and leave-one-out predictions, of a fit that has been found: those of the linear fit
    /// that it looks like there.
    fn linearised(form: Form, data: &Data<'_>, coefficients: &[f64]) -> Result<Self, RegressionError> {
        let (design, responses) = tangent(form, data, coefficients);
        let mut regression = least_squares::linear(&design, &responses, &data.weights)?;
        // Leave-one-out predictions of the responses, back to times.
        for ((left_out, response), one) in regression.left_out.iter_mut().zip(&responses).zip(data.observations) {
            *left_out = left_out.map(|predicted| predicted - response + one.time_us);
        }
        regression.coefficients.copy_from_slice(coefficients);
        let left = data.sum_of_squares(form, coefficients);
        if left - regression.sum_of_squares > SETTLED * left && left > data.rounding() {
            keep_to_curve(&mut regression, form, data, left);
        }
        Ok(Self::of(form, data, regression, None))
    }

    fn of(form: Form, data: &Data<'_>, mut regression: Regression, width: Option<kinked::Width>) -> Self {
        let n = data.observations.len();
        if let Some(width) = &width {
            // The width was fitted as well: a degree of freedom less, and a parameter that nothing else moves with.
            let fewer = regression.degrees.saturating_sub(1).max(1);
            let factor = regression.degrees as f64 / fewer as f64;
            regression.covariance = regression.covariance.scaled(factor).resized(3, 3);
            regression.residual_error *= factor.sqrt();
            regression.degrees = fewer;
            regression.coefficients.push(width.best);
        }
        let squares = regression.residual_error.powi(2) * regression.degrees as f64;
        let log_weights = data.weights.iter().map(|weight| weight.ln()).sum();
        let places = width.as_ref().map_or(1, |width| width.places);
        let criterion =
            least_squares::aicc(n, form.weighed_parameters() + 1, squares.max(data.rounding()), log_weights);
        Self {
            form,
            // Which of the widths it is must be told, too: as many bits as that takes, in the units of the criterion.
            aicc: criterion + 2.0 * (places as f64).ln(),
            relative_error: regression.residual_error / data.smallest_us,
            squares,
            regression,
            place: width.map(|width| width.interval),
            places,
            is_at_edge: false,
        }
    }

    /// The estimates.
    pub(super) fn coefficients(&self) -> &[f64] {
        &self.regression.coefficients
    }

    pub(super) fn time_us(&self, x: f64) -> f64 {
        self.form.time_us(self.coefficients(), x)
    }

    /// The root mean square of the leave-one-out errors in percent, and the largest without its sign with where it is.
    pub(super) fn errors(&self, observations: &[Observation]) -> (f64, (f64, usize)) {
        let errors: Vec<(f64, usize)> = observations
            .iter()
            .zip(&self.regression.left_out)
            .enumerate()
            .filter_map(|(index, (one, left_out))| {
                left_out.map(|predicted| ((predicted - one.time_us) / one.time_us * 100.0, index))
            })
            .collect();
        let mean_square = errors.iter().map(|(error, _)| error * error).sum::<f64>() / errors.len().max(1) as f64;
        let larger = |known: (f64, usize), next: (f64, usize)| if next.0 > known.0 { next } else { known };
        let largest = errors.iter().map(|&(error, index)| (error.abs(), index)).fold((0.0, 0), larger);
        (mean_square.sqrt(), largest)
    }

    /// The most that a time is from the curve, in percent of the time.
    pub(super) fn within_pct(&self, observations: &[Observation]) -> f64 {
        let apart = observations.iter().map(|one| (self.time_us(one.x) / one.time_us - 1.0).abs() * 100.0);
        apart.fold(0.0, f64::max)
    }

    /// The share of the weighted variation of the times about their mean that the curve explains.
    pub(super) fn r2(&self, data: &Data<'_>) -> f64 {
        let first = data.observations[0].time_us;
        let total: f64 = data.weights.iter().sum();
        let pairs = || data.observations.iter().zip(&data.weights);
        let mean = pairs().map(|(one, weight)| weight * (one.time_us - first)).sum::<f64>() / total;
        let variation: f64 = pairs().map(|(one, weight)| weight * (one.time_us - first - mean).powi(2)).sum();
        if variation > 0.0 { (1.0 - self.squares / variation).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Makes the figures those of the curve itself, which leaves these squares: where a kink is held at a predictor, the linear fit that the curve looks
/// like there would go on beyond it, and leave less.
fn keep_to_curve(regression: &mut Regression, form: Form, data: &Data<'_>, left: f64) {
    if regression.sum_of_squares > 0.0 {
        regression.covariance = regression.covariance.clone().scaled(left / regression.sum_of_squares);
    }
    (regression.sum_of_squares, regression.residual_error) = (left, (left / regression.degrees as f64).sqrt());
    for (index, one) in data.observations.iter().enumerate() {
        let residual = one.time_us - form.time_us(&regression.coefficients, one.x);
        let slack = 1.0 - regression.leverages[index];
        regression.residuals[index] = residual;
        regression.left_out[index] = regression.left_out[index].map(|_| one.time_us - residual / slack);
    }
}

/// What a regression's refusal means for a law.
pub(super) fn refusal(
    error: &RegressionError,
    law: &'static Law,
    symbol: &'static str,
    observations: &[Observation],
) -> FitError {
    let distinct = observations.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()).count();
    let (parameters, count) = (law.form.parameters(), observations.len());
    match error {
        RegressionError::TooFew { .. } => FitError::TooFew { law: law.name, least: parameters + 1, count },
        _ if distinct == 1 => FitError::SamePredictor { law: law.name, symbol, x: observations[0].x, count },
        _ if distinct < parameters => FitError::TooFewPredictors { law: law.name, symbol, parameters, distinct },
        RegressionError::OutOfRange | RegressionError::NotFinite { .. } | RegressionError::BadWeight { .. } => {
            FitError::OutOfRange { law: law.name }
        }
        RegressionError::Deficient { .. } if matches!(law.form, Form::Plateaus { .. }) => {
            FitError::NoPlateaus { law: law.name, symbol, on_plateau: least_squares::ON_PLATEAU }
        }
        RegressionError::AtEdge { value } if *value == smooth::OF_A_SUM => FitError::AboveSum { law: law.name },
        RegressionError::AtEdge { value } if *value == smooth::SHARPEST => {
            let sharp = if law.form == Form::SmoothHiding { Form::Hiding } else { Form::Overlap };
            FitError::NoBend { law: law.name, sharp: Law::of_form(sharp).name }
        }
        _ => FitError::Undetermined { law: law.name },
    }
}

/// The design of the linear fit that a curve looks like where its coefficients are these, and its responses.
fn tangent(form: Form, data: &Data<'_>, coefficients: &[f64]) -> (Matrix, Vec<f64>) {
    let rows: Vec<Vec<f64>> = data.observations.iter().map(|one| form.gradient(coefficients, one.x)).collect();
    let response = |(one, row): (&Observation, &Vec<f64>)| {
        let along: f64 = row.iter().zip(coefficients).map(|(g, c)| g * c).sum();
        one.time_us - form.time_us(coefficients, one.x) + along
    };
    let responses = data.observations.iter().zip(&rows).map(response).collect();
    (Matrix::from_rows(form.parameters(), rows.into_iter()), responses)
}

/// The design of steps of this width.
fn on_steps(data: &Data<'_>, width: f64) -> Matrix {
    Matrix::from_rows(2, data.observations.iter().map(|one| vec![1.0, steps(one.x, width)]))
}
