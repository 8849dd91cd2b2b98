//! From sides to what is shown of them.

use std::collections::HashSet;

use ecow::EcoString;
use foldhash::fast::RandomState;
use rayon::prelude::*;

use super::key::Values;
use super::laws::law_rows;
use super::matching::{MatchError, match_points};
use super::normalise::normalised;
use super::notes::notes;
use super::side::{Side, SidePoint, SideTime};
use super::side_by_side::{Basis, Cell, Judged, Other, PointTime, Relation, Row, SideBySide, Standing};
use super::summary::summarise;
use super::verdict::{
    Comparison, DIFFERENCE_PCT, Judgement, LoneTime, Together, Verdict, between_processes, logarithm_pct, of_medians,
};
use crate::properties::{Origin, Properties};

/// What the times of two processes on the same device may differ by at least, in percent, with nothing changed: on an H200 points of 20 µs
/// and more were 0.28 % apart at worst (`results/nvidia-h200/trust`). A stored noise floor that is higher counts instead.
pub const RUN_TO_RUN_PCT: f64 = 0.3;
/// The same for points that are flagged `short`: those of 5 to 39 µs were 0.5 % apart in the median, 2.0 % at worst. A difference counts
/// from 1 % beyond it, so that not even the worst was one.
pub const RUN_TO_RUN_SHORT_PCT: f64 = 1.5;
/// The same for points whose time has transfers or the host's own work in it: copies from pageable memory, which the host makes, took 14.5 to 20.7 ms in three
/// runs on a machine with an H200.
pub const RUN_TO_RUN_HOST_PCT: f64 = 40.0;

/// What times of two processes may differ by at least, in percent: where the host has a part in one of them, or one is flagged `short`.
pub fn run_to_run_pct(of_host: bool, is_short: bool) -> f64 {
    match (of_host, is_short) {
        (true, _) => RUN_TO_RUN_HOST_PCT,
        (false, true) => RUN_TO_RUN_SHORT_PCT,
        (false, false) => RUN_TO_RUN_PCT,
    }
}

/// Rows whose points are compared before their reasons are put together.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Compares every side but the first with the first.
///
/// # Errors
/// Where the sides cannot be matched.
pub fn compare(sides: &[Side], ignore: &[String], values: Values) -> Result<Option<SideBySide>, MatchError> {
    let matched = match_points(sides, ignore, &values)?;
    let Some((base, others)) = sides.split_first() else { return Ok(None) };
    let points = matched.keys.len() * others.len();
    let of_base = base.usual_variance();
    let together = |other: &Side| Together {
        following: [Side::following([base, other]); 2],
        points,
        usual_variances: [of_base, other.usual_variance()],
    };
    let together: Vec<Together> = others.iter().map(together).collect();
    let relations: Vec<Relation> = others.iter().map(|other| relation(&base.device, &other.device)).collect();
    let row = |reason: &mut EcoString, row: usize| {
        let places = matched.places(row);
        let own = point(base, places.first());
        let cells =
            others.iter().zip(&together).zip(&places[1..]).map(|((side, together), place)| {
                cell((base, own), (side, point(side, Some(place))), *together, reason)
            });
        let time = own.and_then(|point| point.time).map(PointTime::from);
        Row { base_status: own.map(|point| point.status), base: time, others: cells.collect() }
    };
    let count = matched.keys.len();
    let mut rows: Vec<Row> = Vec::with_capacity(count);
    // Many points have the same reason, which is kept once.
    let mut reasons: HashSet<EcoString, RandomState> = HashSet::default();
    let mut last = EcoString::new();
    for first in (0..count).step_by(ROWS_AT_ONCE) {
        rows.par_extend((first..count.min(first + ROWS_AT_ONCE)).into_par_iter().map_init(EcoString::new, row));
        for judged in rows[first..].iter_mut().flat_map(|row| &mut row.others).filter_map(|cell| cell.judged.as_mut()) {
            if judged.reason != last {
                if !reasons.contains(&judged.reason) {
                    reasons.insert(judged.reason.clone());
                }
                last = reasons.get(&judged.reason).cloned().unwrap_or_default();
            }
            judged.reason = last.clone();
        }
    }
    let of_others = others.iter().zip(&relations).enumerate().map(|(index, (other, relation))| {
        let summary = summarise(&rows, index);
        let is_other_model = !matches!(relation, Relation::SameDevice | Relation::SameSimulated | Relation::SameModel);
        let clocks = || rows.iter().filter_map(|row| clocks(base, other, row, index)).collect::<Vec<(f64, f64)>>();
        let normalised =
            if is_other_model { normalised(summary.mean, &base.device, &other.device, &clocks()) } else { Vec::new() };
        // Laws of points that have nothing in common say nothing of each other.
        let laws = if summary.compared > 0 { law_rows(base, other, &matched.ignored) } else { Vec::new() };
        Other { facts: other.facts.clone(), relation: *relation, summary, laws, normalised }
    });
    let others_shown: Vec<Other> = of_others.collect();
    let parameters: Vec<&'static str> = base.family.parameters.iter().map(|parameter| parameter.name).collect();
    let names = std::iter::once("variant").chain(parameters.iter().copied());
    let mut varying = Vec::new();
    let mut fixed = Vec::new();
    for (column, name) in names.enumerate() {
        match matched.keys.distinct(column)[..] {
            [] => {}
            [value] => fixed.push((name.to_owned(), values.text(value).to_owned())),
            _ => varying.push(name),
        }
    }
    let mut all_notes: Vec<String> = Vec::new();
    for note in sides.iter().flat_map(|side| &side.notes) {
        // What is known of a simulated GPU is known of all its runs.
        if !all_notes.contains(note) {
            all_notes.push(note.clone());
        }
    }
    all_notes.extend(notes(sides, &relations, &others_shown, &rows, &matched, &values));
    Ok(Some(SideBySide {
        family: base.family.name,
        base: base.facts.clone(),
        others: others_shown,
        parameters,
        varying,
        fixed,
        ignored: matched.ignored,
        notes: all_notes,
        rows,
        keys: matched.keys,
        values,
    }))
}

fn point<'a>(side: &'a Side, place: Option<&Option<u32>>) -> Option<&'a SidePoint> {
    side.points.get(place.copied().flatten()? as usize)
}

impl From<SideTime> for PointTime {
    fn from(time: SideTime) -> Self {
        Self { time_us: time.time_us, interval_us: time.interval_us, clock_mhz: time.clock_mhz, rounds: time.rounds }
    }
}

/// How two devices are related.
pub(super) fn relation(base: &Properties, other: &Properties) -> Relation {
    let is_simulated = |device: &Properties| device.origin == Origin::Simulated;
    match (is_simulated(base), is_simulated(other)) {
        (false, true) => Relation::SimulatedAgainstMeasured,
        (true, false) => Relation::MeasuredAgainstSimulated,
        (true, true) if base.profile == other.profile && base.name == other.name => Relation::SameSimulated,
        (true, true) => Relation::SimulatedDevices,
        _ if base.name != other.name => Relation::DifferentDevices,
        _ if base.uuid != other.uuid => Relation::SameModel,
        _ => Relation::SameDevice,
    }
}

/// The clocks of a row that was compared.
fn clocks(base: &Side, other: &Side, row: &Row, index: usize) -> Option<(f64, f64)> {
    let cell = row.others.get(index).filter(|cell| cell.judged.is_some())?;
    let clock =
        |side: &Side, time: Option<PointTime>| time.and_then(|time| time.clock_mhz).unwrap_or(side.device.sm_clock_mhz);
    let (base_mhz, other_mhz) = (clock(base, row.base), clock(other, cell.time));
    (base_mhz > 0.0 && other_mhz > 0.0).then_some((base_mhz, other_mhz))
}

/// A side with one of its points, if it has it.
type Sided<'a> = (&'a Side, Option<&'a SidePoint>);

/// A point of another side against the base's. `together` is what all points tell. `reason` is that of the point before, which is kept where it is the same.
fn cell(
    (base_side, base): Sided<'_>,
    (other_side, other): Sided<'_>,
    together: Together,
    reason: &mut EcoString,
) -> Cell {
    let standing = match (base, other) {
        (None, None) => Standing::Absent,
        (None, Some(_)) => Standing::Added,
        (Some(_), None) => Standing::Removed,
        (Some(base), Some(other)) if base.time.is_some() && other.time.is_some() => Standing::Compared,
        _ => Standing::Failed,
    };
    let time = other.and_then(|other| other.time);
    let judged =
        base.zip(other).and_then(|(base, other)| judge((base_side, base), (other_side, other), together, reason));
    // Times that are no positive numbers have no ratio.
    let standing = if standing == Standing::Compared && judged.is_none() { Standing::Failed } else { standing };
    Cell { standing, time: time.map(PointTime::from), judged }
}

fn judge(
    (base_side, base): (&Side, &SidePoint),
    (other_side, other): (&Side, &SidePoint),
    together: Together,
    last_reason: &mut EcoString,
) -> Option<Judged> {
    let (base_time, other_time) = (base.time?, other.time?);
    let is_time = |time: f64| time.is_finite() && time > 0.0;
    if !(is_time(base_time.time_us) && is_time(other_time.time_us)) {
        return None;
    }
    let floor_pct = match (base_side.floor_pct, other_side.floor_pct) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    };
    let either = |of: fn(&SideTime) -> bool| of(&base_time) || of(&other_time);
    let least = run_to_run_pct(either(|time| time.of_host), either(|time| time.short));
    let (basis, allowance_pct) = match (base_time.exact, other_time.exact) {
        (true, true) => (Basis::Exact, 0.0),
        (false, false) if base.rounds.len() > 1 && other.rounds.len() > 1 => (Basis::Rounds, least),
        _ => (Basis::Medians, least),
    };
    let allowance_pct = if basis == Basis::Exact { 0.0 } else { allowance_pct.max(floor_pct.unwrap_or(0.0)) };
    let judgement = match basis {
        Basis::Rounds => between_processes(&base.rounds, &other.rounds, floor_pct, allowance_pct, together),
        Basis::Exact => of_medians(exact(base_time), exact(other_time), None, 0.0),
        _ => of_medians(lone(base_time), lone(other_time), floor_pct, allowance_pct),
    };
    let Judgement { comparison, robust, delta_pct, evidence, is_contradicted } = judgement;
    let Comparison { ratio, low, high, ratio_robust, verdict, reason, rounds, rounds_needed } = comparison;
    if *last_reason != reason {
        *last_reason = reason.into();
    }
    let ratio = ratio?;
    let interval = low.zip(high).filter(|_| basis != Basis::Exact);
    let clock = |side: &Side, time: SideTime| time.clock_mhz.unwrap_or(side.device.sm_clock_mhz);
    let clocks = clock(other_side, other_time) / clock(base_side, base_time);
    let judged = Judged {
        ratio,
        interval,
        ratio_robust,
        interval_robust: robust,
        verdict,
        reason: last_reason.clone(),
        basis: if basis == Basis::Medians && interval.is_none() { Basis::None } else { basis },
        rounds,
        rounds_needed,
        delta_pct: if basis == Basis::Exact { DIFFERENCE_PCT } else { delta_pct },
        allowance_pct,
        ratio_per_clock: Some(ratio * clocks).filter(|ratio| ratio.is_finite() && *ratio > 0.0),
        evidence,
        is_contradicted,
    };
    Some(if base_time.cache == other_time.cache { judged } else { judged.of_different_caches(base_time, other_time) })
}

impl Judged {
    /// From how many percent on a difference beyond a threshold is seen, where processes differ by more than the least difference that counts.
    pub fn coarse_from_pct(&self, threshold_pct: Option<f64>) -> Option<f64> {
        let allowance = logarithm_pct(self.allowance_pct);
        let threshold = logarithm_pct(threshold_pct.unwrap_or(self.delta_pct));
        (self.allowance_pct >= self.delta_pct).then(|| (threshold + allowance).exp_m1() * 100.0)
    }

    /// Cold and hot times are not comparable.
    fn of_different_caches(self, base: SideTime, other: SideTime) -> Self {
        let reason = format!("{} times against {} ones", other.cache.name(), base.cache.name()).into();
        Self { verdict: Verdict::Unsure, reason, rounds_needed: None, evidence: None, is_contradicted: false, ..self }
    }
}

fn exact(time: SideTime) -> LoneTime {
    LoneTime { time_us: time.time_us, half_width: 0.0, rounds: 1 }
}

/// A time with its interval. One that repeats exactly has none, and needs none; one that should have one and has not is
/// known to nothing.
fn lone(time: SideTime) -> LoneTime {
    let half_width = match time.interval_us {
        Some((low, high)) => (high / low).ln() / 2.0,
        None if time.exact => 0.0,
        None => f64::NAN,
    };
    LoneTime { time_us: time.time_us, half_width, rounds: time.rounds.max(1) as usize }
}

#[cfg(test)]
mod tests;
