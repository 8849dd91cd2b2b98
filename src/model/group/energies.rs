//! Laws of energies: each point with its energy in place of its time.

use super::{GroupFit, Outcome, not_counted};
use crate::family::Family;
use crate::model::law::energy::in_words;
use crate::model::{FitRequest, Of};
use crate::record::{Median, PointRecord, Status};

/// The least width of the interval of an energy, as a part of it: the file has six digits.
const LEAST_WIDTH: f64 = 1e-6;

/// The fits of one request, which is of energies.
pub(super) fn fitted(request: &FitRequest, family: &Family, points: &[PointRecord]) -> Vec<GroupFit> {
    let with_energy: Vec<PointRecord> = points.iter().filter_map(with_energy).collect();
    let of_times = FitRequest { of: None, ..request.clone() };
    let fit = |group, outcome| {
        let FitRequest { name, model, only, .. } = request;
        let only = only.clone();
        GroupFit { name: name.clone(), model: model.clone(), group, outcome, of: Some(Of::Energy), only }
    };
    if with_energy.is_empty() {
        let own = points.iter().filter(|point| point.status == Status::Ok && request.only.admits(family, point));
        let own: Vec<&PointRecord> = own.collect();
        let reason = "no point has an energy: a sweep on a GPU measures them with --energy";
        return not_counted(reason, &own).into_iter().map(|(group, outcome)| fit(group, outcome)).collect();
    }
    let as_times = super::fitted(&[&of_times], family, &with_energy, 0.0);
    as_times.into_iter().map(|own| fit(own.group, of_energies(own.outcome))).collect()
}

/// A point with its energy in the place of its time; `None` where it has none above zero.
fn with_energy(point: &PointRecord) -> Option<PointRecord> {
    let energy = point.energy().filter(|own| own.energy_mj > 0.0)?;
    let mut point = point.clone();
    let timing = point.timing.as_mut()?;
    let half = ((energy.high_mj - energy.low_mj) / 2.0).max(LEAST_WIDTH * energy.energy_mj);
    timing.median = Median {
        time_us: energy.energy_mj,
        low_us: Some(energy.energy_mj - half),
        high_us: Some(energy.energy_mj + half),
        samples: timing.median.samples,
    };
    (timing.hot, timing.phases) = (None, None);
    timing.flags.clear();
    Some(point)
}

fn of_energies(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Law(fit) => match fit.of_energies() {
            Some(fit) => Outcome::Law(Box::new(fit)),
            None => Outcome::NotFitted("energies have no throughput".to_owned()),
        },
        Outcome::NotFitted(reason) => Outcome::NotFitted(in_words(&reason)),
        Outcome::Fails(reason) => Outcome::Fails(in_words(&reason)),
        other => other,
    }
}
