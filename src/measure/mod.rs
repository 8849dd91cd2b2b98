//! Measuring: groups of points, round by round.

mod agree;
mod build;
pub mod check;
mod clock;
mod comparison;
pub mod device_clock;
mod endless;
mod energies;
mod group;
mod guards;
pub mod rounds;
mod sampling;
mod series;
pub mod session;
mod side_by_side;
mod warm_up;
