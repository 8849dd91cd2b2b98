//! Which sizes the points of a run have, by the values of their parameters.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::family::Family;
use crate::parameter::Kind;
use crate::properties::Properties;
use crate::record::{Column, PointRecord, Status};
use crate::scenario::{EMBEDDED, Grid, Scenario, Sizes};
use gpu_simulator::Bound;

/// The sizes that points have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SizesOfPoints {
    /// Those that a scenario of the program has for GPUs.
    Gpu,
    /// Those that it has for simulated devices.
    Simulated,
    /// Neither.
    Other,
}

impl From<Sizes> for SizesOfPoints {
    fn from(sizes: Sizes) -> Self {
        match sizes {
            Sizes::Gpu => Self::Gpu,
            Sizes::Simulated => Self::Simulated,
        }
    }
}

impl fmt::Display for SizesOfPoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Gpu => "the sizes for GPUs",
            Self::Simulated => "the sizes for simulated devices",
            Self::Other => "other sizes",
        })
    }
}

/// A value of a parameter that is another one in machine code and in simulated times, and counts as that.
#[derive(Debug, Clone, Copy)]
pub struct SameCode {
    /// The name of the parameter.
    pub parameter: &'static str,
    /// The value.
    pub value: &'static str,
    /// The other one.
    pub other: &'static str,
}

/// A cluster's scope: no assembler has anything for it but the device's (`tests/ptx/scopes.py`), and neither has the simulator.
pub const SAME_CODE: SameCode = SameCode { parameter: "scope", value: "cluster", other: "device" };

impl SameCode {
    /// The other value, where this is the one that counts as it.
    fn counts_as(self, parameter: &str, value: &str) -> Option<&'static str> {
        (parameter == self.parameter && value == self.value).then_some(self.other)
    }
}

/// A run, as far as it says which sizes its points have.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// Its family.
    pub family: &'static Family,
    /// The device.
    pub device: &'a Properties,
    /// The points.
    pub points: &'a [PointRecord],
    /// The sizes that the run was asked for.
    pub asked: Sizes,
}

/// Where launching takes most of the time of more than one point in so many, they are told to be small.
const LAUNCHES_ONE_IN: usize = 3;

impl SizesOfPoints {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Simulated, Self::Gpu, Self::Other];

    /// The word that files have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Simulated => "simulated",
            Self::Other => "other",
        }
    }

    /// Those of a run: the ones that it was asked for if the program's scenario has all values of its points there, else the others if it
    /// has them there. The scenario is the one with the run's name; where there is none, any of the family.
    pub fn of(run: &Points<'_>) -> Self {
        let values = values(run);
        let fits = |sizes: Sizes| scenarios(run).iter().any(|own| has(own, run.device, sizes, &values));
        let other = if run.asked == Sizes::Gpu { Sizes::Simulated } else { Sizes::Gpu };
        [run.asked, other].into_iter().find(|sizes| fits(*sizes)).map_or(Self::Other, Self::from)
    }

    /// Whether a run's points are small: a parameter that the scenario has smaller values of on simulated devices is below all values
    /// that it has for GPUs.
    pub fn are_small(run: &Points<'_>) -> bool {
        let values = values(run);
        let told: Vec<bool> = scenarios(run).iter().filter_map(|own| is_smaller(own, &values)).collect();
        !told.is_empty() && told.iter().all(|small| *small)
    }

    /// Whether a run says little of a GPU that is busy: launching takes most of the time of many points, or the blocks of most do not fill the
    /// GPU once. Points at the sizes that a scenario of the program has for GPUs are meant to be as they are.
    pub fn leave_gpu_idle(run: &Points<'_>) -> bool {
        let timed = || run.points.iter().filter(|point| point.status == Status::Ok);
        let is_launch = |point: &PointRecord| point.value("bound").is_some_and(|bound| bound == Bound::Launch.name());
        let is_idle = |point: &&PointRecord| point.number("waves_per_sm").is_some_and(|waves| waves < 1.0);
        let all = timed().count();
        let launches = timed().filter(|point| is_launch(point)).count();
        let says_little = launches * LAUNCHES_ONE_IN > all || 2 * timed().filter(is_idle).count() > all;
        says_little && Self::of(run) != Self::Gpu
    }

    /// Whether `--sizes gpu` gives a run's scenario larger points: it was asked for others, or is below them.
    pub fn has_larger(run: &Points<'_>) -> bool {
        Self::of(run) == Self::Simulated || Self::are_small(run)
    }

    /// Whether the run's scenario has small sizes on simulated devices since those of GPUs would take them minutes.
    pub fn are_small_to_be_fast(run: &Points<'_>) -> bool {
        scenarios(run).iter().any(|own| own.small_when_simulated)
    }
}

impl SizesOfPoints {
    /// Whether points of a run have a value that counts as another one.
    pub fn has_same_code(run: &Points<'_>) -> bool {
        let SameCode { parameter, value, .. } = SAME_CODE;
        let mut depending = run.points.iter().filter(|point| !run.family.ignores(&point.variant, parameter));
        !run.family.is_user && depending.any(|point| point.value(parameter).is_some_and(|own| own == value))
    }

    /// The parameters of a run that go as far as they may: of whole numbers, all that differ between its points, or all where none does; none where
    /// one of them can be raised.
    pub fn at_their_ends(run: &Points<'_>) -> Vec<&'static str> {
        let values = values(run);
        let numbers = run.family.parameters.iter().filter_map(|parameter| {
            let Kind::Integer { max, multiple_of, .. } = parameter.kind else { return None };
            let (_, own) = values.iter().find(|(name, _)| *name == parameter.name)?;
            let own: BTreeSet<i64> = own.iter().filter_map(|value| value.parse().ok()).collect();
            let is_at_end = own.last()?.checked_add(multiple_of).is_none_or(|next| next > max);
            Some((parameter.name, own.len() > 1, is_at_end))
        });
        let numbers: Vec<(&str, bool, bool)> = numbers.collect();
        let any_varies = numbers.iter().any(|(_, varies, _)| *varies);
        let asked: Vec<_> = numbers.into_iter().filter(|(_, varies, _)| *varies || !any_varies).collect();
        if asked.iter().all(|(.., is_at_end)| *is_at_end) {
            asked.into_iter().map(|(name, ..)| name).collect()
        } else {
            Vec::new()
        }
    }
}

/// Whether these values are below all that the scenario has for GPUs, of a parameter at least; `None` where it has the same numbers on all
/// devices.
fn is_smaller(scenario: &Scenario, values: &[(&str, Vec<String>)]) -> Option<bool> {
    let numbers = |texts: &[String]| texts.iter().map(|text| text.parse::<f64>().ok()).collect::<Option<Vec<f64>>>();
    let least_and_most = |numbers: Vec<f64>| {
        let least = numbers.iter().copied().min_by(f64::total_cmp)?;
        Some((least, numbers.into_iter().max_by(f64::total_cmp)?))
    };
    let mut told = None;
    for replaced in scenario.replaced() {
        let Some((least, _)) = numbers(&replaced.measured).and_then(least_and_most) else { continue };
        let own = values.iter().find(|(name, _)| *name == replaced.parameter);
        let most = own.and_then(|(_, own)| numbers(own)).and_then(least_and_most);
        told = Some(told == Some(true) || most.is_some_and(|(_, most)| most < least));
    }
    told
}

/// The values of each parameter, over all points of variants that depend on it; those that are another one in machine code as that one.
fn values(run: &Points<'_>) -> Vec<(&'static str, Vec<String>)> {
    let of_parameter = |name: &'static str| {
        let mut column = Column::new(name);
        let mut seen: Vec<bool> = Vec::new();
        let mut values: Vec<String> = Vec::new();
        for point in run.points {
            let Some(word) = column.word(point).map(|word| word as usize) else { continue };
            if seen.get(word) == Some(&true) || run.family.ignores(&point.variant, name) {
                continue;
            }
            seen.resize(seen.len().max(word + 1), false);
            if let Some(own) = seen.get_mut(word) {
                *own = true;
            }
            let own = point.value(name).filter(|value| !value.is_empty());
            values.extend(own.map(|value| SAME_CODE.counts_as(name, &value).unwrap_or(&value).to_owned()));
        }
        (name, values)
    };
    run.family.parameters.iter().map(|parameter| of_parameter(parameter.name)).collect()
}

/// The program's scenarios that a run may be of.
fn scenarios(run: &Points<'_>) -> Vec<Scenario> {
    let named = |own: &&crate::scenario::Embedded| own.name == run.scenario;
    let read = |own: &crate::scenario::Embedded| Scenario::of_run(own.name, own.name, own.text).ok();
    if run.family.is_user {
        return Vec::new();
    }
    let of_family = |own: &Scenario| own.family.name == run.family.name;
    let same: Vec<Scenario> = EMBEDDED.iter().filter(named).filter_map(read).filter(of_family).collect();
    if same.is_empty() { EMBEDDED.iter().filter_map(read).filter(of_family).collect() } else { same }
}

/// Whether a scenario has all these values at these sizes.
fn has(scenario: &Scenario, device: &Properties, sizes: Sizes, values: &[(&str, Vec<String>)]) -> bool {
    let grid = match (&scenario.simulated_grid, sizes) {
        (Some(simulated), Sizes::Simulated) => simulated,
        _ => &scenario.grid,
    };
    values.iter().all(|(name, own)| {
        let allowed = allowed(scenario.family, grid, device, name);
        own.iter().all(|value| allowed.contains(value))
    })
}

/// The values that a parameter has on a grid; its default where the grid has none.
fn allowed(family: &Family, grid: &Grid, device: &Properties, name: &str) -> Vec<String> {
    let rows = grid.axes().iter().flat_map(|axis| (0..axis.len()).flat_map(|step| axis.row(step)));
    let values: Vec<String> = rows.filter(|(own, _)| *own == name).map(|(_, value)| value.to_string()).collect();
    let default = || family.parameter(name).map(|parameter| parameter.default.resolve(device).to_string());
    if values.is_empty() { default().into_iter().collect() } else { values }
}
