//! Why sampling of a point stopped.

/// Why sampling stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The median is known as precisely as was asked.
    Precise,
    /// The budget of time is spent.
    Budget,
    /// The number of samples reached its limit.
    SamplesMax,
    /// The number of rounds reached its limit.
    RoundsMax,
    /// All samples would be equal, because the device computes its times by a model.
    RepeatsExactly,
}

impl StopReason {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Precise, Self::Budget, Self::SamplesMax, Self::RoundsMax, Self::RepeatsExactly];

    /// The word in the `stopped_by` column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Precise => "precise",
            Self::Budget => "budget",
            Self::SamplesMax => "samples_max",
            Self::RoundsMax => "rounds_max",
            Self::RepeatsExactly => "repeats_exactly",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_names() {
        let names = ["precise", "budget", "samples_max", "rounds_max", "repeats_exactly"];
        assert_eq!(StopReason::ALL.map(StopReason::name), names);
    }
}
