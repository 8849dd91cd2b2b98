//! Intervals from resampled residuals, for laws whose kinks and steps take their estimates far from Student's distribution.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Observation;
use super::curve::{Data, Fitted};

/// How often residuals are drawn anew: the 2.5 and 97.5 % points of so many fits are known well enough.
const DRAWS: usize = 400;

/// The 95 % percentile intervals of a law's parameters: of fits to the curve with its relative residuals drawn anew (Efron and
/// Tibshirani, An Introduction to the Bootstrap, section 9.4). The draws are the same in every run.
pub(super) fn percentiles(fitted: &Fitted, data: &Data<'_>, is_robust: bool) -> Vec<(f64, f64)> {
    let observations = data.observations;
    let n = observations.len();
    // Residuals are smaller than errors, by what the fit has taken of their freedom.
    let inflation = (n as f64 / fitted.degrees as f64).sqrt();
    let residuals: Vec<f64> =
        observations.iter().map(|one| inflation * (one.time_us / fitted.time_us(one.x) - 1.0)).collect();
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut draws: Vec<Vec<f64>> = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let resampled: Vec<Observation> = observations
            .iter()
            .map(|one| {
                let drawn = residuals[(generator.next_u64() % n as u64) as usize];
                Observation { time_us: fitted.time_us(one.x) * (1.0 + drawn), ..*one }
            })
            .collect();
        if resampled.iter().all(|one| one.time_us > 0.0)
            && let Ok(draw) = Fitted::new(fitted.form, &Data::relative(&resampled), is_robust)
        {
            draws.push(fitted.form.read(&draw.coefficients));
        }
    }
    let read = fitted.form.read(&fitted.coefficients);
    let interval = |index: usize| {
        let mut values: Vec<f64> = draws.iter().map(|draw| draw[index]).collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| values.get(((values.len() as f64 - 1.0).max(0.0) * share).round() as usize).copied();
        let (low, high) = (at(0.025).unwrap_or(f64::NEG_INFINITY), at(0.975).unwrap_or(f64::INFINITY));
        let (low, high) = (low.min(read[index]), high.max(read[index]));
        match (fitted.width, index) {
            (Some((start, end)), 2) => (low.min(start), high.max(end)),
            _ => (low, high),
        }
    };
    (0..read.len()).map(interval).collect()
}
