//! A constant as a calibration leaves it.

use toml_edit::Value;

/// Where the value of a constant is from.
#[derive(Debug, Clone, PartialEq)]
pub enum Origin {
    /// The driver told it.
    Told,
    /// It was measured, and is sure to this many percent.
    Measured {
        /// Half of its 95 % interval, in percent.
        uncertainty_pct: f64,
    },
    /// It was measured, but its points are as near to what was measured with any value beyond.
    Limit,
    /// It is that of another profile, for this reason.
    Kept(Unknown),
}

/// Why a constant was not measured.
#[derive(Debug, Clone, PartialEq)]
pub enum Unknown {
    /// No benchmark gives it.
    NoBenchmark,
    /// There are no points to find it from.
    NoPoints(String),
    /// The points hardly depend on it.
    Insensitive(String),
    /// With no value of it do the points take as long as was measured.
    Unreached {
        /// The points.
        place: String,
        /// How near they come, in percent.
        apart_pct: f64,
    },
    /// The points cannot be simulated.
    NotSimulated(String),
}

/// A constant with its value and where that is from.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its key: `global.l2.latency_cycles`.
    pub key: String,
    /// Its value as TOML.
    pub value: Value,
    /// Where it is from.
    pub origin: Origin,
    /// The same in a sentence, for the profile.
    pub source: String,
}

impl Found {
    /// Its value as a number; `None` for words.
    pub fn number(&self) -> Option<f64> {
        number(&self.value)
    }
}

/// A TOML value as a number.
pub(super) fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|own| own as f64))
}

impl Unknown {
    /// In words that go on a sentence: `no benchmark gives it`.
    pub fn told(&self) -> String {
        match self {
            Self::NoBenchmark => "no benchmark gives it".to_owned(),
            Self::NoPoints(problem) => problem.clone(),
            Self::Insensitive(place) => format!("{place} hardly depends on it"),
            Self::Unreached { place, apart_pct } => {
                format!("{place} is {apart_pct:.0} % apart when simulated, and comes no nearer with another value")
            }
            Self::NotSimulated(problem) => format!("its points cannot be simulated: {problem}"),
        }
    }
}
