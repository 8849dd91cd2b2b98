//! Measuring: groups of points, round by round, and a whole sweep.

mod build;
pub mod check;
mod clock;
mod group;
mod guards;
pub mod noise_floor;
pub mod rounds;
mod sampling;
pub mod selfcheck;
mod series;
pub mod session;
pub mod sweep;
mod warm_up;
