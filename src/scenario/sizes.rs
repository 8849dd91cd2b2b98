//! The same scenario at one kind of sizes, whatever the device.

use super::{Scenario, ScenarioErrors, rewrite};

/// Which values a scenario's parameters have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Those of `[grid]`: made for GPUs.
    Gpu,
    /// Those of `[grid]` with `[simulated]` in their place where it has values: made for simulated devices.
    Simulated,
}

impl Scenario {
    /// The scenario with these sizes on every device: the table `[simulated]` is gone, so a run's file says which sizes it has.
    /// A scenario without that table stays as it is.
    ///
    /// # Errors
    /// None that reading the scenario did not have; the text is read again.
    pub fn with_sizes(self, sizes: Sizes) -> Result<Self, ScenarioErrors> {
        let Some(text) = rewrite::resolve(&self.text, sizes) else { return Ok(self) };
        Self::parse_as(&self.name, &self.name, &text, &[], usize::MAX)
    }
}
