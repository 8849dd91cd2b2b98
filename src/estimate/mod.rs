//! What the parts of a kernel cost by the fitted laws of the pattern scenarios on the same device: the estimate that Cornelis (2010)
//! makes in chapter 7 for each version of a prefix sum, with numbers. `docs/src/concepts/estimates.md` has the method with its formulas.

mod agreement;
mod coefficients;
mod evidence;
mod formula;

pub use agreement::{Agreement, agreement};
pub use coefficients::{Coefficient, Coefficients, Missing};
pub use evidence::{Evidence, Observed, PATTERNS, Pattern, Wanted};
pub use formula::{Part, RungEstimate, estimate};

#[cfg(test)]
mod tests;
