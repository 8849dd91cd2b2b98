//! Laws, and how well a run's times follow them.

pub mod law;
pub mod linear;
