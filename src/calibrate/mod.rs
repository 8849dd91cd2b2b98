//! A GPU profile from measured runs: which sweeps are wanted, which constant each point gives, and how it is found.
//!
//! A constant is found by simulating the point that it has most to do with: it is the value with which the simulated point takes as long as the
//! measured one. So what else the point does, such as the loop around a chain of loads, is left out as far as the simulator knows it.

mod check;
mod document;
mod found;
mod points;
mod root;
mod solve;
mod step;
mod sweeps;
#[cfg(test)]
mod tests;
mod told;

pub use check::{AGREES_WITHIN_PCT, Check, Checked, check};
pub use document::{Heading, nearest};
pub use found::{Found, Origin, Unknown};
pub use points::{Measured, MissingRun};
pub use solve::{Calibration, calibrate};
pub use step::{Observable, STEPS, Step, step_folders};
pub use sweeps::{CHECKS, SWEEPS, Sweep, values_of_pattern};
