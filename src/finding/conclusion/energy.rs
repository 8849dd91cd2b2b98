//! What a launch costs in energy, where the scenario asks for energies: that comes first, also where nothing was measured.

use super::extremes::told_of;
use crate::model::Of;
use crate::model::group::{GroupFit, varying};
use crate::properties::Origin;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// The least and the most energy of a launch, where no law of energies holds that would tell what something costs; or that no energy was measured.
pub(super) fn of_energies(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Option<String> {
    let is_asked = scenario.fits.iter().any(|fit| matches!(fit.of, Some(Of::Energy)));
    let good: Vec<&PointRecord> = run.points.iter().filter(|point| point.status == Status::Ok).collect();
    if !is_asked || good.is_empty() {
        return None;
    }
    let mut known: Vec<(f64, &PointRecord)> =
        good.iter().filter_map(|point| Some((point.energy()?.energy_mj, *point))).collect();
    known.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let (Some((least, frugal)), Some((most, greedy))) = (known.first(), known.last()) else {
        let why = if run.metadata.device.origin == Origin::Simulated { ": a simulated GPU has none" } else { "" };
        return Some(format!("No energy was measured{why}. The times alone say this:"));
    };
    let is_told =
        |group: &GroupFit| group.outcome.law().is_some_and(|own| own.law.is_of_energy() && own.verdict.is_success());
    if fits.iter().any(is_told) || known.len() < 2 {
        return None;
    }
    let names = scenario.family.parameters.iter().map(|parameter| parameter.name);
    let shown: Vec<&str> = varying(scenario.family, names, &good);
    let place = |point: &PointRecord| told_of(scenario.family, point, &shown, false);
    let time_us = |point: &PointRecord| point.timing.as_ref().map(|timing| timing.median.time_us);
    let times = time_us(greedy).zip(time_us(frugal)).map(|(most, least)| unit::significant(most / least, 3));
    let times = times.map(|times| format!(" in {times} times the time")).unwrap_or_default();
    let told = |energy_mj: f64| unit::of_law(energy_mj, crate::model::law::energy::ENERGY_UNIT);
    Some(format!(
        "Least energy of a launch: {} with {}; most: {}, {} times as much{times}, with {}.",
        told(*least),
        place(frugal),
        told(*most),
        unit::significant(most / least, 3),
        place(greedy)
    ))
}
