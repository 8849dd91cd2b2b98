//! Data races of a workload's launches, in sentences.

/// Two accesses to the same bytes that nothing orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What happens, where, and in which threads.
    pub what: String,
    /// The lines, each with what stands there, as far as the source is at hand.
    pub lines: Vec<(String, String)>,
    /// What to do about it.
    pub remedy: &'static str,
    /// Whether the outcome is left to chance on every GPU, and not only where the lanes of a warp part.
    pub is_certain: bool,
}

/// What watching the launches of a workload came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RaceReport {
    /// Each pair of lines once, those that are certain first.
    pub found: Vec<Finding>,
    /// Accesses of threads to shared and global memory that were watched.
    pub accesses: u64,
    /// What was not looked at, in sentences.
    pub unchecked: Vec<String>,
}

impl RaceReport {
    /// How many of them leave the outcome to chance on every GPU.
    pub fn certain(&self) -> usize {
        self.found.iter().filter(|own| own.is_certain).count()
    }
}
