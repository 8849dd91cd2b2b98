//! Measuring: one point, and a whole sweep.

pub mod check;
pub mod point;
pub mod session;
pub mod statistics;
pub mod sweep;
