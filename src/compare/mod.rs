//! Two or more runs side by side: which points belong together, which of two times is the longer one, and how sure that is.
//!
//! A [`Side`] is what a run has to say in a comparison, and no more: runs of a million points are read one after another. [`compare`]
//! matches the points of sides by variant and parameters and judges every pair by the rule of [`verdict`]; [`figure`] puts runs beside the figures
//! that the sources print.

pub mod accuracy;
mod build;
pub mod counters;
pub mod figure;
mod following;
pub mod gate;
pub mod key;
pub mod laws;
pub mod matching;
pub mod normalise;
mod notes;
pub mod ratio;
pub mod side;
pub mod side_by_side;
pub mod summary;
pub mod verdict;

pub use build::{RUN_TO_RUN_HOST_PCT, RUN_TO_RUN_PCT, RUN_TO_RUN_SHORT_PCT, compare, run_to_run_pct};
pub use side::Side;
pub use side_by_side::SideBySide;
