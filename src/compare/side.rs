//! The part of a run that a comparison needs, in little memory.

use std::collections::HashMap;

use ecow::EcoString;
use rayon::prelude::*;
use serde::Serialize;

use super::following::Following;
use super::key::{Keys, NOTHING, Values};
use super::verdict::Observation;
use crate::device::Cache;
use crate::family::Family;
use crate::known_error::{self, known};
use crate::model::group::GroupFit;
use crate::parameter::Parameter;
use crate::properties::{Origin, Properties};
use crate::record::{Column, Flag, PointRecord, Status};
use crate::run::metadata::{RunMetadata, RunStatus};
use crate::scenario::{MeasureSettings, Sizes};
use crate::user_kernel::DataFile;
use least_squares::order_statistics::median;

/// A run, as a comparison takes it.
pub struct Side {
    /// What it was, for those who read the comparison.
    pub facts: Facts,
    /// The family of its kernels.
    pub family: &'static Family,
    /// Its device.
    pub device: Properties,
    /// What comparisons of a kernel with itself differ by on its device, in percent, where `selfcheck` found it out.
    pub floor_pct: Option<f64>,
    /// The laws of its scenario, fitted to its points.
    pub fits: Vec<GroupFit>,
    /// Notes about the run, in words.
    pub notes: Vec<String>,
    /// How it was measured.
    pub measure: MeasureSettings,
    /// Which of its scenario's sizes its points have.
    pub sizes: Sizes,
    /// SHA-256 of the PTX that its kernels were.
    pub ptx_sha256: String,
    /// The virtual architecture that they were compiled for.
    pub target: String,
    /// The files that its buffers were filled with and compared with.
    pub own_files: Vec<DataFile>,
    /// What buffers of a user's kernel hold before it runs, with their names; nothing of a family's.
    pub contents: Vec<(String, String)>,
    pub(super) keys: Keys,
    pub(super) points: Vec<SidePoint>,
}

/// What a run was, in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facts {
    /// Its directory, as the command named it.
    pub name: String,
    /// Its scenario.
    pub scenario: String,
    /// Its device with the origin of its times.
    pub device: String,
    /// Where its times come from.
    pub origin: Origin,
    /// The device's driver.
    pub driver_version: Option<String>,
    /// Start (RFC 3339).
    pub started_at: String,
    /// Points that it has.
    pub points: usize,
}

/// A point, as a comparison takes it.
#[derive(Debug, Clone)]
pub(super) struct SidePoint {
    pub(super) status: Status,
    pub(super) time: Option<SideTime>,
    pub(super) rounds: Box<[Observation]>,
}

/// A point's time.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideTime {
    pub(super) time_us: f64,
    pub(super) interval_us: Option<(f64, f64)>,
    pub(super) clock_mhz: Option<f64>,
    pub(super) rounds: u32,
    pub(super) cache: Cache,
    /// All samples are equal, because the device's times are computed.
    pub(super) exact: bool,
    pub(super) short: bool,
    /// Transfers or work of the host are in it.
    pub(super) of_host: bool,
}

impl Side {
    /// Takes out of a run what is compared. `rounds` are those of its points by their numbers, each with the caches that
    /// they began with; those of a point's other caches are left aside.
    ///
    /// Values are taken from `values`, which all sides of a comparison share.
    pub fn new(
        name: &str,
        metadata: &RunMetadata,
        family: &'static Family,
        points: &[PointRecord],
        mut rounds: HashMap<usize, Vec<(Cache, Observation)>>,
        fits: Vec<GroupFit>,
        values: &mut Values,
    ) -> Self {
        let device = &metadata.device;
        let defaults: Vec<String> =
            family.parameters.iter().map(|parameter| parameter.default.resolve(device).to_string()).collect();
        let times = || -> Vec<SidePoint> {
            let mut own = |point: usize| if rounds.is_empty() { None } else { rounds.remove(&point) };
            points.iter().map(|point| SidePoint::new(point, own(point.point).unwrap_or_default())).collect()
        };
        let ((keys, defaulted), taken) = rayon::join(|| keys(family, points, &defaults, values), times);
        let mut notes = Vec::new();
        if !defaulted.is_empty() && !points.is_empty() {
            let with = |name: &&str| {
                let index = family.parameters.iter().position(|parameter| parameter.name == *name);
                format!("{name}={}", index.and_then(|index| defaults.get(index)).map_or("", String::as_str))
            };
            let named: Vec<String> = defaulted.iter().map(with).collect();
            notes.push(format!("{name} was written by a version without {}: the default is assumed", named.join(", ")));
        }
        notes.extend(known_error::sentence(known(), &metadata.for_known_errors(family, points)));
        if metadata.status != RunStatus::Complete {
            notes.push(format!("{name} is not complete: it has {} of {} points", points.len(), metadata.points));
        }
        let facts = Facts {
            name: name.to_owned(),
            scenario: metadata.scenario.clone(),
            device: device.label(),
            origin: device.origin,
            driver_version: device.driver_version.clone(),
            started_at: metadata.started_at.clone(),
            points: points.len(),
        };
        let floor_pct = metadata.noise_floor.as_ref().map(|floor| floor.floor_pct).filter(|floor| floor.is_finite());
        Self {
            facts,
            family,
            device: device.clone(),
            floor_pct,
            fits,
            notes,
            measure: metadata.measure,
            sizes: metadata.sizes(),
            ptx_sha256: metadata.kernels.ptx_sha256.clone(),
            target: metadata.kernels.target.clone(),
            own_files: metadata.own_files.clone(),
            contents: Vec::new(),
            keys,
            points: taken,
        }
    }
}

/// The keys of the points, and the parameters that some point has no cell for, whose defaults are taken.
fn keys(
    family: &'static Family,
    points: &[PointRecord],
    defaults: &[String],
    values: &mut Values,
) -> (Keys, Vec<&'static str>) {
    let mut keys = Keys::new(family.parameters.len() + 1);
    let mut defaulted: Vec<&str> = Vec::new();
    let parts = points.par_chunks(POINTS_AT_ONCE).map(|points| keys_of(family, points, defaults));
    for (own, own_values, own_defaulted) in parts.collect::<Vec<_>>() {
        keys.extend(&own, &values.numbers_of(&own_values));
        let is_new = |name: &&str| !defaulted.contains(name);
        let new: Vec<&str> = own_defaulted.into_iter().filter(is_new).collect();
        defaulted.extend(new);
    }
    (keys, defaulted)
}

/// Points whose keys one thread makes, at a time.
const POINTS_AT_ONCE: usize = 1 << 16;

/// The same of some points, with values of their own.
fn keys_of(family: &'static Family, points: &[PointRecord], defaults: &[String]) -> (Keys, Values, Vec<&'static str>) {
    let mut values = Values::default();
    let mut defaulted: Vec<&str> = Vec::new();
    let mut keys = Keys::new(family.parameters.len() + 1);
    // Of each column the numbers that its words have among the values.
    let mut columns: Vec<(Column<'_>, Vec<Option<u32>>)> =
        family.parameters.iter().map(|parameter| (Column::new(parameter.name), Vec::new())).collect();
    // Of each variant the number of its name among the values, and which parameters it does not depend on.
    let mut ignored: Vec<(EcoString, u32, Vec<bool>)> = Vec::new();
    for point in points {
        let variant = ignored.iter().position(|(own, ..)| *own == point.variant).unwrap_or_else(|| {
            let of_variant = |parameter: &Parameter| family.ignores(&point.variant, parameter.name);
            let blanks = family.parameters.iter().map(of_variant).collect();
            ignored.push((point.variant.clone(), values.number(&point.variant), blanks));
            ignored.len() - 1
        });
        let (_, variant, blanks) = &ignored[variant];
        let of_columns = columns.iter_mut().zip(family.parameters).zip(defaults).zip(blanks);
        let cells = of_columns.map(|((((column, known), parameter), default), ignores)| {
            if *ignores {
                return NOTHING;
            }
            let Some(word) = column.word(point).map(|word| word as usize) else {
                if !defaulted.contains(&parameter.name) {
                    defaulted.push(parameter.name);
                }
                return values.number(default);
            };
            if known.len() <= word {
                known.resize(word + 1, None);
            }
            *known[word].get_or_insert_with(|| values.number(&point.value(parameter.name).unwrap_or_default()))
        });
        keys.push(std::iter::once(*variant).chain(cells));
    }
    (keys, values, defaulted)
}

impl Side {
    /// How much rounds are like those before them, by all points together.
    pub(super) fn following(sides: [&Self; 2]) -> Following {
        let logarithms =
            |point: &SidePoint| -> Vec<f64> { point.rounds.iter().map(|own| own.trimmed_us.ln()).collect() };
        let of_side = |side: &'_ Self| -> Vec<Vec<f64>> {
            side.points
                .iter()
                .filter(|point| !point.rounds.is_empty())
                .take(POINTS_OF_FOLLOWING)
                .map(logarithms)
                .collect()
        };
        let points = sides.map(of_side).concat();
        Following::of(points.iter().map(Vec::as_slice))
    }
}

/// Points from which on their variances tell what is usual.
const POINTS_OF_USUAL_LEAST: usize = 8;

impl Side {
    /// The variance of the logarithms of a point's rounds, in the median over points; 0 of few points.
    pub(super) fn usual_variance(&self) -> f64 {
        let variance = |point: &SidePoint| {
            let count = point.rounds.len() as f64;
            let mean = point.rounds.iter().map(|own| own.trimmed_us.ln()).sum::<f64>() / count;
            let squares = point.rounds.iter().map(|own| (own.trimmed_us.ln() - mean).powi(2)).sum::<f64>();
            squares / (count - 1.0)
        };
        let points = self.points.iter().filter(|point| point.rounds.len() > 1).take(POINTS_OF_FOLLOWING);
        let variances: Vec<f64> = points.map(variance).filter(|own| own.is_finite()).collect();
        if variances.len() < POINTS_OF_USUAL_LEAST {
            return 0.0;
        }
        median(&variances).unwrap_or(0.0)
    }
}

/// Points whose rounds are looked at for that: more would not make it surer.
const POINTS_OF_FOLLOWING: usize = 10_000;

impl SidePoint {
    fn new(point: &PointRecord, rounds: Vec<(Cache, Observation)>) -> Self {
        let timing = point.timing.as_ref().filter(|_| point.status == Status::Ok);
        let time = timing.map(|timing| SideTime {
            time_us: timing.median.time_us,
            interval_us: timing.median.low_us.zip(timing.median.high_us),
            clock_mhz: timing.clock_mhz.filter(|clock| *clock > 0.0),
            rounds: timing.rounds as u32,
            cache: timing.cache,
            exact: point.repeats_exactly(),
            short: timing.flags.contains(&Flag::Short),
            of_host: timing.phases.is_some(),
        });
        let own = time.map(|time| time.cache);
        let rounds = rounds.into_iter().filter(|(cache, _)| Some(*cache) == own).map(|(_, round)| round);
        Self { status: point.status, time, rounds: rounds.collect() }
    }
}
