//! The same scenario at one kind of sizes, whatever the device.

use serde::{Deserialize, Serialize};

use crate::properties::{Origin, Properties};

use super::{Grid, Scenario, ScenarioErrors, rewrite};

/// The first compute capability whose GPUs have blocks and memory for today's sizes.
const CAPABILITY_OF_SIZES: (u32, u32) = (2, 0);

/// Which values a scenario's parameters have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sizes {
    /// Those of `[grid]`: made for GPUs.
    Gpu,
    /// Those of `[grid]` with `[simulated]` in their place where it has values: what a simulated device does in seconds.
    Simulated,
}

impl Sizes {
    /// Those of a run that does not say them, from a time when simulated devices had their own unless others were asked for.
    pub fn of_old_run(origin: Origin) -> Self {
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

/// Some values: all of a few, else the first and the last.
fn shortened(values: &[String]) -> String {
    match values {
        [first, _, _, _, .., last] => format!("{first} to {last}"),
        few => few.join(", "),
    }
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

    /// Its sizes on a device with these properties, unless others are asked for: those of GPUs, but for simulated GPUs of the first
    /// compute capability, which have neither the memory nor the blocks for them, and where the scenario says so.
    pub fn usual_sizes(&self, properties: &Properties) -> Sizes {
        let is_small = self.small_when_simulated || properties.capability() < CAPABILITY_OF_SIZES;
        if properties.origin == Origin::Simulated && is_small { Sizes::Simulated } else { Sizes::Gpu }
    }

    /// What a user may not know of the sizes that the scenario has on a device: that `--sizes simulated` changes nothing, or what
    /// `[simulated]` replaces, and why.
    pub fn note_on_sizes(&self, properties: &Properties, asked: Option<Sizes>) -> Option<String> {
        if asked.unwrap_or_else(|| self.usual_sizes(properties)) == Sizes::Gpu {
            return None;
        }
        let replaced = self.replaced();
        if replaced.is_empty() {
            let why = match &self.simulated_grid {
                Some(_) => "what [simulated] would replace was given by --set".to_owned(),
                None => format!("{} has no [simulated]", self.name),
            };
            return asked.map(|_| format!("--sizes simulated changes nothing: {why}"));
        }
        let told = |own: &Replaced| {
            let [instead, simulated] = [&own.measured, &own.simulated].map(|values| shortened(values));
            // With the same first and last value only the whole list tells what is another.
            let [instead, simulated] = if instead == simulated {
                [own.measured.join(", "), own.simulated.join(", ")]
            } else {
                [instead, simulated]
            };
            let instead = if own.measured.is_empty() { "its default".to_owned() } else { instead };
            format!("{} is {simulated} instead of {instead}", own.parameter)
        };
        let why = match asked {
            Some(_) => "",
            None if self.small_when_simulated => {
                ", the default of this scenario on simulated devices (--sizes gpu takes the others)"
            }
            None => ", the default on this device (--sizes gpu takes the others)",
        };
        let all: Vec<String> = replaced.iter().map(told).collect();
        Some(format!("{} has its small sizes{why}: {}", self.name, all.join(", ")))
    }

    /// The scenario with the sizes asked for, or else with those that are usual on the device.
    ///
    /// # Errors
    /// Values that do not go together on the device.
    pub fn on(&self, properties: &Properties, asked: Option<Sizes>) -> Result<Self, ScenarioErrors> {
        let sizes = asked.unwrap_or_else(|| self.usual_sizes(properties));
        let own = match &self.simulated_grid {
            Some(grid) if sizes == Sizes::Simulated => grid,
            _ => &self.grid,
        };
        self.points_of(own, properties)?;
        self.with_sizes(sizes)
    }

    /// The scenario with these sizes on every device: the table `[simulated]` is gone, so a run's file says which sizes it has.
    /// A scenario without that table stays as it is.
    ///
    /// # Errors
    /// None that reading the scenario did not have; the text is read again.
    pub fn with_sizes(&self, sizes: Sizes) -> Result<Self, ScenarioErrors> {
        let text = rewrite::resolve(&self.text, sizes).unwrap_or_else(|| self.text.clone());
        // Places are those of the file where its text is what it was.
        let (file_name, options) =
            if text == self.text { (self.sources.file_name(), self.sources.options()) } else { (&*self.name, &[][..]) };
        let scenario = Self::parse_with(&self.name, file_name, &text, &[], usize::MAX, options.to_vec())?;
        Ok(Self { directory: self.directory.clone(), ..scenario })
    }
}
