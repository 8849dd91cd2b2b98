//! Families of kernels: one anti-parallel pattern each, with its parameters, variants and host reference.

use crate::kernel::Ptx;
use crate::parameter::{Mismatch, Parameter, ParameterSet, Value};
use crate::properties::{Origin, Properties};
use crate::workload::Workload;
use located_toml::words::same_name;

pub mod asynchronous_copies;
pub mod atomic_rate;
pub mod atomic_types;
pub mod atomics;
pub mod block_start;
pub mod block_sum;
pub mod block_sync;
pub mod branching;
pub mod cluster_exchange;
pub mod cluster_sum;
pub mod cluster_sync;
pub mod data_layout;
mod declare;
pub mod fences;
#[cfg(test)]
pub(crate) mod fixtures;
pub mod global_access;
pub mod global_sync;
pub mod histogram;
mod implementation;
mod inputs;
pub mod instruction_rate;
pub mod l2_residency;
pub mod l2_sectors;
pub mod launch_overlap;
pub mod launch_rate;
pub mod matrix_fragments;
pub mod matrix_tiles;
pub mod memory_bandwidth;
pub mod memory_latency;
mod multiply_add;
pub mod partition;
pub mod prefix_sum;
pub mod reduction;
mod residency;
pub mod select_sum;
mod shared;
pub mod shared_access;
mod shares;
pub mod stencil;
mod summation;
#[cfg(test)]
mod tests;
mod traffic;
pub mod transpose;
pub mod trapezoid;
pub mod wait_cost;

pub use crate::declare_family;
pub use implementation::{Declared, FamilyPoint, Implementation, Predicted, TypedFamily};
pub(crate) use inputs::drawn_words;
pub(crate) use shared::shared;

/// One way to write a family's kernels: the pattern itself or a remedy against it.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name in scenarios and in the `variant` column.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The lowest compute capability that can run it.
    pub since: (u32, u32),
    /// The parameters it does not depend on: it is run once for all their values, with their defaults.
    pub ignores: &'static [&'static str],
    /// The pattern that it removes from the variant before it; `None` where variants are no rungs of a ladder.
    pub removes: Option<&'static str>,
    /// Whether the host does it, without the device.
    pub is_host: bool,
}

impl Variant {
    /// Why a device with these properties cannot run it.
    pub fn refusal(&self, properties: &Properties) -> Option<String> {
        if self.is_host && properties.origin == Origin::Simulated {
            return Some(format!("{} runs on the host, whose times are compared with those of GPUs only", self.name));
        }
        let (major, minor) = self.since;
        let own = &properties.compute_capability;
        let too_old = properties.capability() < self.since;
        too_old.then(|| format!("{} needs compute capability {major}.{minor} and not {own}", self.name))
    }
}

/// A number that a point's parameters determine and that laws are fitted against.
#[derive(Debug, Clone, Copy)]
pub struct Predictor {
    /// Its name, a column of `points.csv`.
    pub name: &'static str,
    /// What it counts, in one line.
    pub summary: &'static str,
    /// The parameters it follows from. Points that differ in any other parameter belong to different fits.
    pub parameters: &'static [&'static str],
    /// Whether it also depends on how many registers a kernel has, which another compiler may make others.
    pub rests_on_registers: bool,
}

/// Values that are each within range but do not go together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The parameters concerned, the one to change first in front.
    pub parameters: &'static [&'static str],
    /// What is wrong, with the values.
    pub problem: String,
    /// What would do instead.
    pub help: String,
}

/// A point to build a workload for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The variant's name, one of the family's.
    pub variant: &'a str,
    /// A value for every parameter, within range.
    pub parameters: &'a ParameterSet,
    /// The device that is to run it, whose rules and limits the predictors follow.
    pub device: &'a Properties,
    /// Seeds the generator of the inputs.
    pub seed: u64,
}

/// The parameter that is the size of a point and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The parameter, a whole number.
    pub parameter: &'static str,
    /// The power of it with which the point's elements grow: 1 for a number of elements, 2 for the width of a square matrix.
    pub power: i32,
}

/// A family of kernels.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name in scenarios, and of its file in `cuda/`.
    pub name: &'static str,
    /// The pattern it measures, in one line.
    pub summary: &'static str,
    /// Its compiled kernels, from `cuda/`.
    pub ptx: Ptx,
    /// What makes a point larger and changes nothing else; `None` where no parameter does.
    pub size: Option<Size>,
    /// Whether it is a kernel of the user's, described by a scenario, and not one of the program's.
    pub is_user: bool,
    /// Whether its kernels leave the cycles of their loops in a buffer.
    pub reads_clock: bool,
    /// The ways its kernels are written; every one computes the same function.
    pub variants: &'static [Variant],
    /// Its parameters, in the order of the columns of `points.csv`.
    pub parameters: &'static [Parameter],
    /// What its laws are fitted against, in the order of the columns of `points.csv`.
    pub predictors: &'static [Predictor],
    /// What it does with its points.
    pub implementation: &'static dyn Implementation,
}

/// Every family there is.
pub static FAMILIES: &[&Family] = &[
    &branching::FAMILY,
    &block_sum::FAMILY,
    &global_access::FAMILY,
    &data_layout::FAMILY,
    &transpose::FAMILY,
    &shared_access::FAMILY,
    &matrix_fragments::FAMILY,
    &asynchronous_copies::FAMILY,
    &matrix_tiles::FAMILY,
    &block_sync::FAMILY,
    &global_sync::FAMILY,
    &launch_overlap::FAMILY,
    &cluster_sync::FAMILY,
    &cluster_exchange::FAMILY,
    &cluster_sum::FAMILY,
    &stencil::FAMILY,
    &atomics::FAMILY,
    &atomic_types::FAMILY,
    &partition::FAMILY,
    &prefix_sum::FAMILY,
    &reduction::FAMILY,
    &select_sum::FAMILY,
    &trapezoid::FAMILY,
    &memory_latency::FAMILY,
    &histogram::FAMILY,
    &instruction_rate::FAMILY,
    &wait_cost::FAMILY,
    &fences::FAMILY,
    &atomic_rate::FAMILY,
    &memory_bandwidth::FAMILY,
    &l2_residency::FAMILY,
    &l2_sectors::FAMILY,
    &launch_rate::FAMILY,
    &block_start::FAMILY,
];

/// The families that measure constants of a GPU.
const OF_CONSTANTS: [&str; 7] = [
    "atomic_rate",
    "block_start",
    "instruction_rate",
    "launch_rate",
    "memory_bandwidth",
    "memory_latency",
    "wait_cost",
];

impl Family {
    /// The family of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().copied().find(|family| same_name(family.name, name))
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Whether the parameter of this name may take the value; `false` for names that are none.
    pub fn allows(&self, parameter: &str, value: &Value) -> bool {
        self.parameter(parameter).is_some_and(|parameter| parameter.kind.check(value).is_ok())
    }

    /// Whether the variant of this name does not depend on the parameter; `false` for names that are none.
    pub fn ignores(&self, variant: &str, parameter: &str) -> bool {
        self.variants.iter().any(|own| own.name == variant && own.ignores.contains(&parameter))
    }

    /// Whether it measures constants of a GPU, one at a time, and not what a pattern costs.
    pub fn is_of_constants(&self) -> bool {
        OF_CONSTANTS.contains(&self.name)
    }

    /// Whether the variants are the rungs of a ladder.
    pub fn is_ladder(&self) -> bool {
        self.variants.iter().any(|variant| variant.removes.is_some())
    }

    /// The predictor of this name.
    pub fn predictor(&self, name: &str) -> Option<&'static Predictor> {
        self.predictors.iter().find(|predictor| predictor.name == name)
    }

    /// Checks what no single parameter's range can.
    ///
    /// # Errors
    /// Which values do not go together, and what to do.
    pub fn check(&self, parameters: &ParameterSet) -> Result<(), Conflict> {
        self.implementation.check(parameters)
    }

    /// Device memory that a point needs, in bytes, without building its workload.
    ///
    /// # Errors
    /// When the values are not the family's.
    pub fn device_bytes(&self, parameters: &ParameterSet) -> Result<u64, Mismatch> {
        self.implementation.device_bytes(parameters)
    }

    /// Builds a point's workload.
    ///
    /// # Errors
    /// When the variant or the values are not the family's.
    pub fn workload(&self, request: &Request<'_>) -> Result<Workload, Mismatch> {
        self.implementation.workload(request)
    }

    /// The predictors of a point, without building its workload.
    ///
    /// # Errors
    /// When the variant or the values are not the family's, or a predictor has no value there.
    pub fn predictors(&self, request: &Request<'_>) -> Result<Vec<(&'static str, f64)>, Mismatch> {
        self.implementation.predictors(request)
    }

    /// Small points, odd sizes among them, at which every variant is verified on a device with these properties.
    pub fn verification(&self, device: &Properties) -> Vec<ParameterSet> {
        self.implementation.verification(device)
    }
}
