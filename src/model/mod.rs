//! Laws, and how well a run's times follow them; slowdowns of one variant against another.

pub mod crossover;
pub mod fit;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod group;
pub mod law;
pub mod linear;
pub mod regression;
pub mod slowdown;
pub mod time;
pub mod verdict;

use law::Law;

/// What a run's times are held against.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A law in one predictor.
    Law(&'static Law),
    /// The times of each variant over those of another.
    Slowdown {
        /// The variant that times are divided by.
        reference: String,
    },
}

impl Model {
    /// Its name in scenarios and in the `model` column of `fits.csv`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Law(law) => law.name,
            Self::Slowdown { .. } => slowdown::SLOWDOWN,
        }
    }
}
