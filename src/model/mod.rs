//! Laws, and how well a run's times follow them; slowdowns of one variant against another, and speedups.

pub mod crossover;
pub mod fit;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod group;
pub mod holdout;
pub mod law;
pub mod predict;
pub mod slowdown;
pub mod speedup;
pub mod time;
pub mod two_groups;
pub mod verdict;

use gpu_simulator::COUNTERS;
use law::Law;
use located_toml::words::nearest;

use crate::device::energy::ENERGY_COLUMNS;
use crate::family::Family;
use crate::parameter::{Kind, Parameter};
use crate::record::Only;

/// What scenarios call the choice among all laws that apply.
pub const AUTO: &str = "auto";
/// What scenarios call the choice of how many breaks there are between plateaus.
pub const PLATEAUS: &str = "plateaus";

/// Which laws one is chosen from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// The forms for any predictor.
    Forms,
    /// Plateaus with one, two or three breaks.
    Plateaus,
}

/// What is fitted to the times of a run, or computed from them.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A law in one predictor.
    Law {
        /// The law.
        law: &'static Law,
        /// The predictor: the law's own, or the one that the scenario chose, which may be a counter.
        predictor: &'static str,
        /// Whether outliers count less (Huber).
        robust: bool,
    },
    /// Whichever law is best of several.
    Auto {
        /// Of which.
        among: Among,
        /// What it is fitted against.
        predictor: &'static str,
        /// Whether outliers count less (Huber).
        robust: bool,
    },
    /// The times of each variant over those of another.
    Slowdown {
        /// The variant that times are divided by.
        reference: String,
    },
    /// The times at the smallest value of a predictor over those at the others.
    Speedup {
        /// The parameter or predictor.
        predictor: &'static str,
    },
}

/// A parameter of a law, which takes the place of times: that of each group of another fit is a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfFit {
    /// The name of the other fit.
    pub fit: String,
    /// The parameter, a time.
    pub parameter: &'static str,
}

impl OfFit {
    /// What a scenario says as `fit.parameter`, if a law has such a time among its parameters.
    pub fn read(text: &str) -> Option<Self> {
        let (fit, parameter) = text.rsplit_once('.')?;
        let parameter = Self::parameters().find(|own| *own == parameter)?;
        (!fit.is_empty()).then(|| Self { fit: fit.to_owned(), parameter })
    }

    /// The parameters that are times.
    pub fn parameters() -> impl Iterator<Item = &'static str> {
        let times = law::LAWS.iter().flat_map(|law| law.parameters).filter(|parameter| parameter.unit == "us");
        times.map(|parameter| parameter.name)
    }
}

/// What a fit is of in place of times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    /// The energies of the points.
    Energy,
    /// A parameter of another fit's law.
    Fit(OfFit),
}

impl Of {
    /// What a scenario calls energies: their column in `points.csv`.
    pub const ENERGY: &str = ENERGY_COLUMNS[0];

    /// What a scenario says as `energy_mj` or as `fit.parameter`.
    pub fn read(text: &str) -> Option<Self> {
        if text == Self::ENERGY { Some(Self::Energy) } else { OfFit::read(text).map(Self::Fit) }
    }

    /// The other fit, where it is of one.
    pub fn fit(&self) -> Option<&OfFit> {
        match self {
            Self::Energy => None,
            Self::Fit(of) => Some(of),
        }
    }
}

/// What to make of a run's times.
#[derive(Debug, Clone)]
pub struct FitRequest {
    /// The fit's name, unique in the scenario.
    pub name: String,
    /// The law to fit, or the ratios to compute.
    pub model: Model,
    /// The points that it is of.
    pub only: Only,
    /// What it is of in place of times.
    pub of: Option<Of>,
}

impl Model {
    /// Its name in scenarios.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Law { law, .. } => law.name,
            Self::Auto { among: Among::Forms, .. } => AUTO,
            Self::Auto { among: Among::Plateaus, .. } => PLATEAUS,
            Self::Slowdown { .. } => slowdown::SLOWDOWN,
            Self::Speedup { .. } => speedup::SPEEDUP,
        }
    }

    /// Makes outliers count less, where it is a law.
    pub fn make_robust(&mut self) {
        if let Self::Law { robust, .. } | Self::Auto { robust, .. } = self {
            *robust = true;
        }
    }

    /// The predictor or parameter that times are fitted against or compared along; `None` for slowdowns.
    pub fn predictor(&self) -> Option<&'static str> {
        match self {
            Self::Law { predictor, .. } | Self::Auto { predictor, .. } | Self::Speedup { predictor } => Some(predictor),
            Self::Slowdown { .. } => None,
        }
    }
}

/// What the laws of a family can be fitted against: its predictors, and its parameters that are numbers.
pub fn predictor_names(family: &Family) -> Vec<&'static str> {
    let predictors = family.predictors.iter().map(|predictor| predictor.name);
    let numeric = family.parameters.iter().filter(|parameter| matches!(parameter.kind, Kind::Integer { .. }));
    predictors.chain(numeric.map(|parameter| parameter.name)).collect()
}

/// The counter of simulated devices with this name, which laws can be fitted against, too; `None` where it is what the family calls something else.
pub fn counter(family: &Family, name: &str) -> Option<&'static str> {
    let is_of_family = family.predictor(name).is_some() || family.parameter(name).is_some();
    COUNTERS.iter().map(|counter| counter.name).find(|own| !is_of_family && *own == name)
}

/// The counter that may be meant by a name which is none of `names`, in words.
pub fn near_counter(name: &str, names: &[&str]) -> Option<String> {
    let counters: Vec<&str> = COUNTERS.iter().map(|counter| counter.name).collect();
    let near = nearest(name, &counters).filter(|_| nearest(name, names).is_none())?;
    Some(format!("did you mean the counter `{near}`? Others: {}", names.join(", ")))
}

/// The parameters that a predictor follows from; a parameter follows from itself, a counter from all that are numbers.
pub fn explained_by(family: &Family, predictor: &str) -> Vec<&'static str> {
    if let Some(predictor) = family.predictor(predictor) {
        return predictor.parameters.to_vec();
    }
    let is_counter = counter(family, predictor).is_some();
    let is_explained =
        |own: &&Parameter| own.name == predictor || (is_counter && matches!(own.kind, Kind::Integer { .. }));
    family.parameters.iter().filter(is_explained).map(|parameter| parameter.name).collect()
}
