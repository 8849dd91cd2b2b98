//! measure.

pub mod statistics;
