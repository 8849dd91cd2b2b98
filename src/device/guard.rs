//! What could spoil measurements on a device, and what came of looking at it.

use serde::{Deserialize, Serialize};

/// The guard of kernels whose blocks hand values to each other, on a device whose times leave that out.
pub const HAND_OVER: &str = "hand_over";

/// What became of something that could spoil measurements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// What was looked at, such as `other_processes` or `clock`.
    pub guard: String,
    /// What came of it.
    pub outcome: GuardOutcome,
    /// The same in words, with figures.
    pub detail: String,
}

/// What came of looking at something that could spoil measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardOutcome {
    /// It is as it should be.
    Ok,
    /// It may spoil measurements.
    Flagged,
    /// It could not be told.
    Unknown,
}

/// Guards of two stretches of a run, or of two runs: of those with the same name the worse outcome, the last where both
/// are as bad.
pub fn merge_guards(first: Vec<Guard>, last: Vec<Guard>) -> Vec<Guard> {
    let badness = |guard: &Guard| match guard.outcome {
        GuardOutcome::Ok => 0,
        GuardOutcome::Unknown => 1,
        GuardOutcome::Flagged => 2,
    };
    let mut merged = first;
    for guard in last {
        match merged.iter_mut().find(|own| own.guard == guard.guard) {
            Some(own) if badness(&guard) >= badness(own) => *own = guard,
            Some(_) => {}
            None => merged.push(guard),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(name: &str, outcome: GuardOutcome, detail: &str) -> Guard {
        Guard { guard: name.to_owned(), outcome, detail: detail.to_owned() }
    }

    #[test]
    fn the_worst_outcome_of_a_guard_is_kept() {
        use GuardOutcome::{Flagged, Ok, Unknown};
        let first = [guard("clock", Flagged, "fell"), guard("ecc", Ok, "on"), guard("mig", Unknown, "not told")];
        let last = [guard("mig", Ok, "off"), guard("clock", Ok, "steady"), guard("ecc", Ok, "still on")];
        let expected =
            [guard("clock", Flagged, "fell"), guard("ecc", Ok, "still on"), guard("mig", Unknown, "not told")];
        assert_eq!(merge_guards(first.to_vec(), last.to_vec()), expected);
        assert_eq!(merge_guards(Vec::new(), last.to_vec()), last);
        assert_eq!(merge_guards(first.to_vec(), Vec::new()), first);
    }
}
