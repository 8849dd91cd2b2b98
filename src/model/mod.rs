//! Laws, and how well a run's times follow them.

pub mod fit;
pub mod law;
pub mod linear;
pub mod verdict;
