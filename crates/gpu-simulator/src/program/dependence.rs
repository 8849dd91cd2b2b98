//! Launches that depend on each other.

/// What a launch has to do with those before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// The next launch may begin.
    Signals,
    /// The launch before must have ended.
    Waits,
}
