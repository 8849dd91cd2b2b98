//! Curves without kinks that are not linear in their coefficients.

use super::kinked::overlap;
use super::{Data, Form, Matrix};
use least_squares::{Curve, Regression, RegressionError, Robust};

/// Sharpnesses to begin with: hardly any overlap, some, and almost all.
const SHARPNESSES: [f64; 3] = [1.5, 4.0, 16.0];
/// A sharpness beyond this cannot be told from a maximum.
pub(super) const SHARPEST: f64 = 100.0;
/// The sharpness of a sum. Below it times are above the sum, which no overlap makes.
pub(super) const OF_A_SUM: f64 = 1.0;

impl Curve for Form {
    fn value(&self, parameters: &[f64], x: f64) -> f64 {
        // What is a time or a sharpness is above zero; the exponent of a power may have any sign.
        let bounded = if *self == Self::Power { &parameters[..1] } else { parameters };
        if bounded.iter().all(|one| *one > 0.0) { self.time_us(parameters, x) } else { f64::NAN }
    }

    fn gradient(&self, parameters: &[f64], x: f64) -> Vec<f64> {
        Self::gradient(*self, parameters, x)
    }
}

/// The fit with the least squares, from several starts.
pub(super) fn fit(form: Form, data: &Data<'_>) -> Result<Regression, RegressionError> {
    let regression = unbounded(form, data)?;
    bounded(&regression)?;
    Ok(regression)
}

/// A fit from there on by which outliers count less.
pub(super) fn robust(form: Form, data: &Data<'_>) -> Result<Robust, RegressionError> {
    let start = unbounded(form, data)?.coefficients;
    let robust = least_squares::huber_curve(&form, &data.predictors(), &data.times_us(), &data.weights, &start)?;
    bounded(&robust.regression)?;
    Ok(robust)
}

/// Whether the sharpness is one that can be, and known: an interval over all that can be says nothing of it.
fn bounded(regression: &Regression) -> Result<(), RegressionError> {
    let [_, _, sharpness] = regression.coefficients[..] else { return Ok(()) };
    let (low, high) = regression.interval(2);
    if high < OF_A_SUM {
        Err(RegressionError::AtEdge { value: OF_A_SUM })
    } else if sharpness > SHARPEST || !(low >= OF_A_SUM || high <= SHARPEST) {
        Err(RegressionError::AtEdge { value: SHARPEST })
    } else {
        Ok(())
    }
}

fn unbounded(form: Form, data: &Data<'_>) -> Result<Regression, RegressionError> {
    let starts = if form == Form::Power {
        vec![power_on_logarithms(data)?]
    } else {
        let hard = overlap(if form == Form::SmoothOverlap { Form::Overlap } else { Form::Hiding }, data)?;
        SHARPNESSES.map(|sharpness| vec![hard[0], hard[1], sharpness]).to_vec()
    };
    let starts: Vec<&[f64]> = starts.iter().map(Vec::as_slice).collect();
    let (x, y) = (data.predictors(), data.times_us());
    least_squares::nonlinear_from(&form, &x, &y, &data.weights, &starts)
}

/// The line through the logarithms, near enough to begin with.
fn power_on_logarithms(data: &Data<'_>) -> Result<Vec<f64>, RegressionError> {
    let rows = data.observations.iter().map(|one| vec![1.0, one.x.ln()]);
    let logarithms: Vec<f64> = data.observations.iter().map(|one| one.time_us.ln()).collect();
    let line = least_squares::linear(&Matrix::from_rows(2, rows), &logarithms, &vec![1.0; logarithms.len()])?;
    Ok(vec![line.coefficients[0].exp(), line.coefficients[1]])
}
