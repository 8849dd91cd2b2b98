//! How well a law predicts times that it has not seen: some points are held out, and the law is fitted to the others.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Model;
use super::fit::{FEWEST_PREDICTORS, Observation};
use super::group::{Outcome, fit_model};

/// How well the fit to the other points predicts the points held out.
#[derive(Debug, Clone, PartialEq)]
pub struct Holdout {
    /// The points that the law was fitted to.
    pub fitted: usize,
    /// The points that were held out and predicted.
    pub held_out: usize,
    /// The median of their errors without sign, in percent of the times.
    pub median_pct: f64,
    /// The largest error without sign, in percent of the time.
    pub worst_pct: f64,
    /// The predictor at the largest error.
    pub worst_at: f64,
    /// The number of held-out points within their 95 % prediction intervals.
    pub within: usize,
    /// The law that was fitted; for `auto`, the law chosen without the held-out points.
    pub law: &'static str,
}

/// Fits a model to all observations but a share of them, drawn by `seed`, and predicts these. At least as many distinct
/// predictors stay as a verdict on the law needs.
///
/// # Errors
/// The reason in words: too few points, or no fit to the others.
pub fn hold_out(model: &Model, observations: &[Observation], share: f64, seed: u64) -> Result<Holdout, String> {
    let parameters = match model {
        Model::Law { law, .. } => law.form.parameters(),
        _ => 2,
    };
    let least = FEWEST_PREDICTORS.max(parameters + 2);
    let mut order: Vec<usize> = (0..observations.len()).collect();
    // So that not the file's order but the seed alone decides.
    order.sort_by(|one, other| {
        let (one, other) = (&observations[*one], &observations[*other]);
        one.x.total_cmp(&other.x).then(one.time_us.total_cmp(&other.time_us))
    });
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    for last in (1..order.len()).rev() {
        order.swap(last, (generator.next_u64() % (last as u64 + 1)) as usize);
    }
    let wanted = ((observations.len() as f64 * share).round() as usize).max(1);
    let mut held = vec![false; observations.len()];
    let distinct = |held: &[bool]| {
        let mut kept: Vec<f64> =
            observations.iter().zip(held).filter(|(_, held)| !**held).map(|(one, _)| one.x).collect();
        kept.sort_by(f64::total_cmp);
        kept.dedup_by(|one, other| one.total_cmp(other).is_eq());
        kept.len()
    };
    let mut held_out = 0;
    for index in order {
        if held_out == wanted {
            break;
        }
        held[index] = true;
        if distinct(&held) < least {
            held[index] = false;
        } else {
            held_out += 1;
        }
    }
    if held_out == 0 {
        let count = distinct(&vec![false; observations.len()]);
        return Err(format!("{count} distinct predictors are too few to hold points out; {} are needed", least + 1));
    }
    let kept: Vec<Observation> =
        observations.iter().zip(&held).filter(|(_, held)| !**held).map(|(one, _)| *one).collect();
    let fit = match fit_model(model, &kept, false) {
        Outcome::Law(fit) => fit,
        other => return Err(other.verdict()),
    };
    let mut errors: Vec<(f64, f64)> = Vec::new();
    let mut within = 0;
    for (one, _) in observations.iter().zip(&held).filter(|(_, held)| **held) {
        errors.push(((fit.time_us(one.x) / one.time_us - 1.0).abs() * 100.0, one.x));
        // Rounding may leave an exact law a hair beside an interval of no width.
        let slack = 1e-9 * one.time_us;
        let inside = |(low, high): (f64, f64)| one.time_us >= low - slack && one.time_us <= high + slack;
        within += usize::from(fit.prediction_us(one.x).is_some_and(inside));
    }
    errors.sort_by(|one, other| one.0.total_cmp(&other.0));
    let middle = errors.len() / 2;
    let median_pct =
        if errors.len() % 2 == 1 { errors[middle].0 } else { f64::midpoint(errors[middle - 1].0, errors[middle].0) };
    let (worst_pct, worst_at) = errors[errors.len() - 1];
    Ok(Holdout { fitted: kept.len(), held_out, median_pct, worst_pct, worst_at, within, law: fit.law.name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::law;

    fn line(count: u32) -> Vec<Observation> {
        (1..=count).map(f64::from).map(|x| Observation::exact(x, 9.0 + 23.0 * x)).collect()
    }

    fn model() -> Model {
        law("branches")
    }

    #[test]
    fn an_exact_law_predicts_what_it_has_not_seen() {
        let told = hold_out(&model(), &line(16), 0.25, 1).unwrap();
        assert_eq!((told.fitted, told.held_out, told.within, told.law), (12, 4, 4, "branches"));
        assert!(told.worst_pct < 1e-9);
    }

    #[test]
    fn an_outlier_that_is_held_out_is_told() {
        let mut all = line(8);
        all[3].time_us *= 2.0;
        // Each seed holds two of eight out; the outlier is the worst of some.
        let worst = (0..32).filter_map(|seed| hold_out(&model(), &all, 0.25, seed).ok());
        assert!(
            worst.clone().any(|told| told.worst_at.total_cmp(&4.0).is_eq()
                && told.worst_pct > 45.0
                && told.within < told.held_out)
        );
        assert!(worst.clone().any(|told| told.worst_at.total_cmp(&4.0).is_ne()));
    }

    #[test]
    fn a_law_keeps_what_it_needs() {
        let told = hold_out(&model(), &line(6), 0.9, 1).unwrap();
        assert_eq!((told.fitted, told.held_out), (4, 2));
        let refused = hold_out(&model(), &line(4), 0.25, 1).unwrap_err();
        assert_eq!(refused, "4 distinct predictors are too few to hold points out; 5 are needed");
    }

    #[test]
    fn the_seed_alone_decides() {
        let uneven = |one: Observation| Observation { time_us: one.time_us * (1.0 + one.x / 100.0), ..one };
        let forward: Vec<Observation> = line(12).into_iter().map(uneven).collect();
        let backward: Vec<Observation> = forward.iter().rev().copied().collect();
        assert_eq!(hold_out(&model(), &forward, 0.25, 3), hold_out(&model(), &backward, 0.25, 3));
    }
}
