//! Comparing measurements: which of two is slower, and how sure that is.

pub mod verdict;
