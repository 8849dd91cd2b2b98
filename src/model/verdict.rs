//! Whether a law holds.

use std::fmt;

use crate::unit;

/// Whether a run's times follow a law; see [`fit_law`](super::fit::fit_law) for the rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The law holds over all observations.
    Holds {
        /// The most that a time is from the law, in percent of the time.
        within_pct: f64,
    },
    /// The law holds over all observations except those with the smallest predictors.
    HoldsFrom {
        /// The law's symbol for its predictor.
        symbol: &'static str,
        /// The smallest predictor that is not left out.
        from: f64,
        /// The most that a time is from the law, in percent of the time, from there on.
        within_pct: f64,
    },
    /// The cost that the law describes is not measurable: the times are the same over the whole range.
    NoCost {
        /// The law's symbol for its predictor.
        symbol: &'static str,
        /// The ends of the range.
        range: (f64, f64),
        /// The most that a time is from their middle, in percent.
        within_pct: f64,
        /// Whether the interval of the cost excludes zero all the same.
        is_clear: bool,
    },
    /// The observations cannot tell, for this reason: they are too few, or too noisy for the misfit to mean anything.
    Undecided(String),
    /// The law does not hold, for this reason: a phrase with the figure and the limit that it misses.
    Fails(String),
}

impl Verdict {
    /// Whether the law holds, over the whole range or from some predictor on; so it does where there is no cost to see.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Holds { .. } | Self::HoldsFrom { .. } | Self::NoCost { .. })
    }
}

/// A share in percent, rounded up to two digits: "to within 0.13 %" is never too little. Below a millionth it is rounding.
pub(super) fn within(pct: f64) -> String {
    if pct < 1e-4 {
        return "exactly".to_owned();
    }
    let scale = 10_f64.powf(1.0 - pct.log10().floor());
    format!("to within {} %", unit::significant((pct * scale - 1e-9).ceil() / scale, 2))
}

impl Verdict {
    /// The verdict with the place from which the law holds in other words than its predictor's: `width = 4096 on`.
    pub fn told_from(&self, place: Option<&str>) -> String {
        match (self, place) {
            (Self::HoldsFrom { within_pct, .. }, Some(place)) => format!("holds from {place}, {}", within(*within_pct)),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds { within_pct } => write!(formatter, "holds {}", within(*within_pct)),
            Self::HoldsFrom { symbol, from, within_pct } => {
                write!(formatter, "holds from {symbol} = {from} on, {}", within(*within_pct))
            }
            Self::NoCost { symbol, range: (from, to), within_pct, is_clear } => {
                let cost = if *is_clear { "no cost that matters" } else { "no measurable cost" };
                let agree = if *within_pct < 1e-4 {
                    "are the same".to_owned()
                } else {
                    format!("agree {}", within(*within_pct))
                };
                write!(formatter, "{cost}: from {symbol} = {from} to {to} all times {agree}")
            }
            Self::Undecided(reason) => write!(formatter, "undecided: {reason}"),
            Self::Fails(reason) => write!(formatter, "fails: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_read_as_words() {
        let told = [
            Verdict::Holds { within_pct: 0.0 },
            Verdict::Holds { within_pct: 0.1201 },
            Verdict::HoldsFrom { symbol: "n", from: 2.0, within_pct: 2.0 },
            Verdict::NoCost { symbol: "m", range: (4.0, 100.0), within_pct: 0.3, is_clear: true },
            Verdict::NoCost { symbol: "m", range: (4.0, 100.0), within_pct: 0.0, is_clear: false },
            Verdict::Undecided("the reason".into()),
            Verdict::Fails("the reason".into()),
        ]
        .map(|verdict| (verdict.is_success(), verdict.to_string()));
        let expected = [
            (true, "holds exactly"),
            (true, "holds to within 0.13 %"),
            (true, "holds from n = 2 on, to within 2.0 %"),
            (true, "no cost that matters: from m = 4 to 100 all times agree to within 0.30 %"),
            (true, "no measurable cost: from m = 4 to 100 all times are the same"),
            (false, "undecided: the reason"),
            (false, "fails: the reason"),
        ];
        assert_eq!(told, expected.map(|(success, text)| (success, text.to_owned())));
    }

    #[test]
    fn shares_are_rounded_up() {
        assert_eq!(within(0.101), "to within 0.11 %");
        assert_eq!(within(1.0), "to within 1.0 %");
        assert_eq!(within(12.3), "to within 13 %");
        assert_eq!(within(9.95), "to within 10 %");
    }
}
