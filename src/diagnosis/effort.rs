//! How many simulations a diagnosis makes where nothing else is asked for: as many as take some twenty seconds.

use crate::device::sim::Examined;

/// Patterns that are priced at most.
const PRICED_MOST: usize = 24;
/// Those that are priced however long it takes.
const PRICED_LEAST: usize = 4;
/// See [`PRICED_LEAST`], where nothing but prices is simulated.
const PRICED_LEAST_ALONE: usize = 2;
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
    /// What is asked for, or else what launches like these leave time for.
    pub(super) fn of(priced_most: Option<usize>, base: &Examined) -> Self {
        if let Some(priced_most) = priced_most {
            return Self { priced_most, prices_alone: false };
        }
        let instructions: f64 =
            base.launches.iter().map(|(_, report)| report.instructions_timed + report.instructions_executed()).sum();
        let simulations = INSTRUCTIONS_MOST / instructions.max(1.0);
        let prices_alone = simulations < SIMULATIONS_FEW;
        let least = if prices_alone { PRICED_LEAST_ALONE } else { PRICED_LEAST };
        Self { priced_most: ((simulations / SIMULATIONS_OF_A_PRICE) as usize).clamp(least, PRICED_MOST), prices_alone }
    }
}
