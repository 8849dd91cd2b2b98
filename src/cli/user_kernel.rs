//! Kernels of the user's, compiled before anything is built of them.

use super::failure::Failure;
use crate::compiler::{CompileError, compile};
use crate::scenario::{Point, Scenario};

/// Compiles the kernel of a scenario, if it has one of its own, for these points, and holds it against what the scenario says.
pub(super) fn load(scenario: &Scenario, points: &[Point]) -> Result<(), Failure> {
    let Some(kernel) = scenario.kernel else { return Ok(()) };
    let named = points.iter().map(|point| (point.variant.name, &point.parameters));
    let compiled = compile(kernel, &scenario.directory, &kernel.needs(named))?;
    scenario.load_kernel(&compiled)?;
    scenario.check_kernel(points)?;
    Ok(())
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        Self::Usage(error.to_string())
    }
}
