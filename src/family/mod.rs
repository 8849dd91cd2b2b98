//! Families of kernels: one anti-parallel pattern each, with its parameters, variants and host reference.

use crate::device::Properties;
use crate::parameter::{Parameter, ParameterSet};
use crate::workload::Workload;

pub mod branching;

/// One way to write a family's kernels: the pattern itself or a remedy against it.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Its name in scenarios and in the `variant` column.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
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
    /// Seeds the generator of the inputs.
    pub seed: u64,
}

/// A family of kernels.
pub struct Family {
    /// Its name in scenarios, and of its file in `cuda/`.
    pub name: &'static str,
    /// The pattern it measures, in one line.
    pub summary: &'static str,
    /// Its compiled kernels, from `cuda/`.
    pub ptx: &'static str,
    /// The ways its kernels are written; every one computes the same function.
    pub variants: &'static [Variant],
    /// Its parameters, in the order of the columns of `points.csv`.
    pub parameters: &'static [Parameter],
    /// What its laws are fitted against, in the order of the columns of `points.csv`.
    pub predictors: &'static [Predictor],
    /// Checks what no single parameter's range can.
    pub check: fn(&ParameterSet) -> Result<(), Conflict>,
    /// Device memory a point needs, without building its workload.
    pub device_bytes: fn(&ParameterSet) -> u64,
    /// Builds a point's workload.
    pub workload: fn(&Request<'_>) -> Workload,
    /// Small points, odd sizes among them, at which every variant is verified.
    pub verification: fn(&Properties) -> Vec<ParameterSet>,
}

/// Every family there is.
pub const FAMILIES: &[Family] = &[branching::FAMILY];

impl Family {
    /// The family of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().find(|family| family.name == name)
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The predictor of this name.
    pub fn predictor(&self, name: &str) -> Option<&'static Predictor> {
        self.predictors.iter().find(|predictor| predictor.name == name)
    }
}
