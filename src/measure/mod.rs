//! Measuring: one point, and a whole sweep.

pub mod check;
pub mod point;
pub mod statistics;
pub mod sweep;
