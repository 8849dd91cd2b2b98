//! Whether a law holds.

use std::fmt;

/// Whether a run's times follow a law; see [`fit_law`](super::fit::fit_law) for the rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Over every observation.
    Holds,
    /// Over every observation but those with the smallest predictors.
    HoldsFrom {
        /// The law's symbol for its predictor.
        symbol: &'static str,
        /// The smallest predictor that is not left out.
        from: f64,
    },
    /// It does not, for this reason: a phrase with the figure and the limit that it misses.
    Fails(String),
}

impl Verdict {
    /// Whether the law holds, over the whole range or from some predictor on.
    pub fn is_success(&self) -> bool {
        !matches!(self, Self::Fails(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => formatter.write_str("holds"),
            Self::HoldsFrom { symbol, from } => write!(formatter, "holds from {symbol} >= {from}"),
            Self::Fails(reason) => write!(formatter, "fails: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_read_as_words() {
        assert_eq!(Verdict::Holds.to_string(), "holds");
        assert_eq!(Verdict::HoldsFrom { symbol: "n", from: 2.0 }.to_string(), "holds from n >= 2");
        assert_eq!(Verdict::Fails("the reason".into()).to_string(), "fails: the reason");
        assert!(Verdict::Holds.is_success() && Verdict::HoldsFrom { symbol: "n", from: 2.0 }.is_success());
        assert!(!Verdict::Fails(String::new()).is_success());
    }
}
