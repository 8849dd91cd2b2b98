//! Data races of a workload's launches, in sentences.

use std::collections::BTreeMap;

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
    /// The launches of which nothing was looked at.
    pub unwatched: UnwatchedLaunches,
}

/// Launches that were not looked at, by the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnwatchedLaunches(BTreeMap<&'static str, u64>);

impl UnwatchedLaunches {
    /// So many more launches, for this reason.
    pub fn add(&mut self, reason: &'static str, launches: u64) {
        if launches > 0 {
            *self.0.entry(reason).or_default() += launches;
        }
    }

    /// Those of another workload, too.
    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(reason, launches)| self.add(reason, *launches));
    }

    /// How many there are.
    pub fn launches(&self) -> u64 {
        self.0.values().sum()
    }

    /// How many there are for each reason, in sentences.
    pub fn told(&self) -> Vec<String> {
        let told = |(reason, launches): (&&str, &u64)| {
            let were = if *launches == 1 { "launch was" } else { "launches were" };
            format!("{launches} {were} not checked for races: {reason}")
        };
        self.0.iter().map(told).collect()
    }
}

impl RaceReport {
    /// How many of them leave the outcome to chance on every GPU.
    pub fn certain(&self) -> usize {
        self.found.iter().filter(|own| own.is_certain).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_that_nobody_watched_are_counted_by_reason() {
        let mut all = UnwatchedLaunches::default();
        assert_eq!((all.launches(), all.told()), (0, Vec::new()));
        all.add("a reason", 0);
        let mut other = UnwatchedLaunches::default();
        other.add("of two", 2);
        other.add("of one", 1);
        all.merge(&other);
        all.merge(&other);
        other.add("of two", 0);
        assert_eq!(all.launches(), 6);
        assert_eq!(
            other.told(),
            ["1 launch was not checked for races: of one", "2 launches were not checked for races: of two"]
        );
    }
}
