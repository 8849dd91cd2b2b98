//! A kernel's file without a scenario: one is made of the options.

use std::path::Path;

use super::super::failure::Failure;
use super::super::user_kernel;
use super::{POINTS_MAX, missing};
use crate::device::select::profile;
use crate::draft::names_of_parameters;
use crate::properties::Properties;
use crate::scenario::{KernelFile, Scenario, WrongOptions};

/// A GPU profile to make points with: those of a kernel's file are the same on every device.
const PROFILE: &str = "h200";

/// Options of `diagnose` for a kernel's file.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for a kernel's file in place of a scenario")]
pub(super) struct FirstLook {
    /// The kernel, as the source calls it; an instance of a template such as 'sum<256>' [default: the only kernel of the file]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Blocks: X, X,Y or X,Y,Z
    #[arg(long, value_name = "BLOCKS")]
    grid: Option<String>,
    /// Threads of a block: X, X,Y or X,Y,Z
    #[arg(long, value_name = "THREADS")]
    block: Option<String>,
    /// Dynamic shared memory of a block, in bytes
    #[arg(long, value_name = "BYTES")]
    shared: Option<u32>,
    /// The kernel's arguments in order: f32[1048576] is a buffer of random elements, i32[1024]=iota or =zeros or ='i % 7' has others, 1024 or 0.5 is a number, f16:0.5 one with its type
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl FirstLook {
    /// The first of the options that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            ("--entry", self.entry.is_some()),
            ("--grid", self.grid.is_some()),
            ("--block", self.block.is_some()),
            ("--shared", self.shared.is_some()),
            ("--arg", !self.arguments.is_empty()),
        ]
        .iter()
        .find(|(_, given)| *given)
        .map(|(name, _)| *name)
    }

    /// The scenario of a kernel's file.
    pub(super) fn scenario(&self, path: &Path, overrides: &[String]) -> Result<Scenario, Failure> {
        if let Err(error) = std::fs::metadata(path) {
            return Err(Failure::Usage(format!("cannot read {}: {error}", path.display())));
        }
        let only = if self.entry.is_none() { missing::only_kernel(path) } else { None };
        let lacks_arguments = self.arguments.is_empty() && only.as_ref().is_some_and(|own| !own.parameters.is_empty());
        let entry = self.entry.clone().or(only.map(|own| own.name));
        let (Some(entry), Some(grid), Some(block), false) = (&entry, &self.grid, &self.block, lacks_arguments) else {
            let given = [
                ("--entry", entry.is_some()),
                ("--grid", self.grid.is_some()),
                ("--block", self.block.is_some()),
                ("--arg for each of its parameters", !self.arguments.is_empty()),
            ];
            let missing: Vec<&str> = given.iter().filter(|(_, given)| !given).map(|(name, _)| *name).collect();
            return Err(missing::options(path, &missing, self.entry.as_deref()));
        };
        // What cannot be read is told where it is compiled.
        let kernels = missing::kernels(path, std::slice::from_ref(entry)).unwrap_or_default();
        let names = names_of_parameters(&kernels, entry);
        let (shared_bytes, arguments) = (self.shared, &self.arguments);
        let file = KernelFile { path, entry, grid, block, shared_bytes, arguments, names: &names };
        Scenario::of_kernel_file(&file, overrides, POINTS_MAX).map_err(|wrong| with_those_of_the_kernel(*wrong))
    }
}

/// What is wrong with options, and what of the others does not fit the kernel.
fn with_those_of_the_kernel(wrong: WrongOptions) -> Failure {
    let WrongOptions { errors, rest, options } = wrong;
    let of_kernel = |scenario: &Scenario| {
        let properties = Properties::simulated(&profile(PROFILE).ok()?);
        match user_kernel::load_unexecuted(scenario, &scenario.points(&properties).ok()?, &properties) {
            Err(Failure::Document(errors)) => errors.beside(&options),
            // What else there is is told once these are mended.
            Err(_) | Ok(()) => None,
        }
    };
    match rest.as_deref().and_then(of_kernel) {
        Some(more) => errors.followed_by(more).into(),
        None => errors.into(),
    }
}
