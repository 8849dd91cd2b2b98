//! The same scenario at one kind of sizes, whatever the device.

use serde::{Deserialize, Serialize};

use crate::properties::Origin;

use super::{Grid, Scenario, ScenarioErrors, rewrite};

/// Which values a scenario's parameters have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sizes {
    /// Those of `[grid]`: made for GPUs.
    Gpu,
    /// Those of `[grid]` with `[simulated]` in their place where it has values: made for simulated devices.
    Simulated,
}

impl Sizes {
    /// Those of a device whose times have this origin, unless others are asked for.
    pub fn usual(origin: Origin) -> Self {
        if origin == Origin::Simulated { Self::Simulated } else { Self::Gpu }
    }

    /// The word that files and options have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Simulated => "simulated",
        }
    }
}

/// A parameter whose values are others on simulated devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// Its name.
    pub parameter: &'static str,
    /// Its values on a GPU; empty where that is its default.
    pub measured: Vec<String>,
    /// Its values on a simulated device.
    pub simulated: Vec<String>,
}

/// The values of a grid's parameters, each once, in their order.
fn values(grid: &Grid) -> Vec<(&'static str, Vec<String>)> {
    let mut all: Vec<(&'static str, Vec<String>)> = Vec::new();
    for axis in grid.axes() {
        for (parameter, value) in (0..axis.len()).flat_map(|step| axis.row(step)) {
            let value = value.to_string();
            match all.iter_mut().find(|(own, _)| *own == parameter) {
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) => values.push(value),
                None => all.push((parameter, vec![value])),
            }
        }
    }
    all
}

impl Scenario {
    /// The parameters whose values `[simulated]` replaces by others.
    pub fn replaced(&self) -> Vec<Replaced> {
        let measured = values(&self.grid);
        let of_measured = |parameter: &str| measured.iter().find(|(own, _)| *own == parameter);
        let both = self.simulated_grid.iter().flat_map(values).map(|(parameter, simulated)| {
            let measured = of_measured(parameter).map(|(_, values)| values.clone()).unwrap_or_default();
            Replaced { parameter, measured, simulated }
        });
        both.filter(|own| own.measured != own.simulated).collect()
    }

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
