//! Scenarios as arguments: a file, or the name of one that comes with the program.

use std::path::Path;

use super::failure::Failure;
use super::output::tell;
use crate::scenario::{Origin, Scenario};

/// Reads a scenario, and says so where it is not read from the file that was asked for.
pub(super) fn load(path: &Path, overrides: &[String], max_points: usize) -> Result<Scenario, Failure> {
    let scenario = Scenario::load(path, overrides, max_points)?;
    if let Origin::Program(own) = Origin::of(path)
        && path.as_os_str() != own.name
    {
        let missing = own.title_in_errors();
        tell(format!("note: {missing} is not here; the scenario is the one that comes with apbench"));
    }
    Ok(scenario)
}
