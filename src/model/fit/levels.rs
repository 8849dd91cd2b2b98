//! How many breaks there are between plateaus.

use super::rule::{Candidate, judged, sorted};
use super::{FitError, LawFit, Observation};
use crate::model::law::{Form, Law};
use least_squares::MOST_BREAKS;

/// Fits plateaus with as many breaks as the times show: the most of which each wins more than noise would. Where not even one does,
/// with one.
///
/// # Errors
/// As [`fit_law`](super::fit_law) for one break, where no plateaus can be fitted.
pub fn fit_plateaus(
    predictor: &'static str,
    observations: &[Observation],
    is_robust: bool,
    is_thorough: bool,
) -> Result<LawFit, FitError> {
    let of = |breaks: usize| Law::of_form(Form::Plateaus { breaks });
    let sorted = sorted(of(1), predictor, observations)?;
    let distinct = sorted.chunk_by(|a, b| a.x.total_cmp(&b.x).is_eq()).count();
    let is_clear = |law: &&'static Law| {
        distinct >= law.form.fewest_for_verdict()
            && Candidate::fit(law, predictor, &sorted, is_robust).is_ok_and(|candidate| candidate.cost(false).is_ok())
    };
    let law = (1..=MOST_BREAKS).rev().map(of).find(is_clear).unwrap_or(of(1));
    judged(law, predictor, &sorted, is_robust, is_thorough)
}
