//! How much slower a variant is than another.

/// What scenarios and `fits.csv` call it.
pub const SLOWDOWN: &str = "slowdown";
