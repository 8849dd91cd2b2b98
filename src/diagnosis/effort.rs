//! How many simulations a diagnosis makes where nothing else is asked for: as many as take some twenty seconds.

/// Patterns that are priced at most.
const PRICED_MOST: usize = 24;
/// Those that are priced however long it takes.
const PRICED_LEAST: usize = 4;
/// Simulations beside the prices of launches that take long: twice as they are, and without all patterns.
const SIMULATIONS_BESIDE: f64 = 3.0;
/// Warp instructions that are executed or timed for all prices together: some twenty seconds' on two processors.
const INSTRUCTIONS_MOST: f64 = 400e6;
/// Simulations for a price: without the pattern, and with what a remedy leaves or with the next pattern.
const SIMULATIONS_OF_A_PRICE: f64 = 2.0;
/// Simulations in that time below which nothing but prices is simulated.
const SIMULATIONS_FEW: f64 = 6.0;

/// How many simulations are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Effort {
    /// Patterns that are priced at most.
    pub(super) priced_most: usize,
    /// Whether nothing else is simulated: not what pays next, nor what a remedy leaves, no pattern on all lines, no more warps or blocks.
    pub(super) prices_alone: bool,
}

impl Effort {
    /// What is asked for, or else what launches leave time for of which a simulation executes and times so many warp instructions.
    pub(super) fn of(priced_most: Option<usize>, instructions: f64) -> Self {
        if let Some(priced_most) = priced_most {
            return Self { priced_most, prices_alone: false };
        }
        let simulations = INSTRUCTIONS_MOST / instructions.max(1.0);
        let prices_alone = simulations < SIMULATIONS_FEW;
        let (priced, least) = if prices_alone {
            (simulations - SIMULATIONS_BESIDE, 1)
        } else {
            (simulations / SIMULATIONS_OF_A_PRICE, PRICED_LEAST)
        };
        Self { priced_most: (priced as usize).clamp(least, PRICED_MOST), prices_alone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_gets_fewer_prices_and_at_last_nothing_else() {
        let of = |instructions| {
            let Effort { priced_most, prices_alone } = Effort::of(None, instructions);
            (priced_most, prices_alone)
        };
        assert_eq!(of(0.0), (24, false));
        assert_eq!(of(20e6), (10, false));
        assert_eq!(of(60e6), (4, false));
        assert_eq!(of(70e6), (2, true));
        assert_eq!(of(85e6), (1, true));
        assert_eq!(of(1e12), (1, true));
        assert_eq!(Effort::of(Some(7), 1e12), Effort { priced_most: 7, prices_alone: false }, "it was asked for");
    }
}
