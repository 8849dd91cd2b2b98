//! Kernels of the user's, compiled before anything is built of them, and their files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::failure::Failure;
use super::output::tell;
use crate::compiler::{CompileError, compile};
use crate::data_file::{Keep, survey};
use crate::properties::{Origin, Properties};
use crate::run::kept_kernel;
use crate::scenario::{Point, Scenario};
use crate::user_kernel::Compiled;

/// Compiles the kernel of a scenario, if it has one of its own, for these points, reads its files, and holds both against what the scenario says.
/// Workloads can be built then.
pub(super) fn load(scenario: &Scenario, points: &[Point], device: &Properties) -> Result<(), Failure> {
    let loading = Loading { simulated: simulated(device), of_files: points, keep: Keep::Contents, run: None };
    loading.load(scenario, points)
}

/// The same where nothing is executed, so that nobody asks for registers.
pub(super) fn load_unexecuted(scenario: &Scenario, points: &[Point]) -> Result<(), Failure> {
    Loading { simulated: None, of_files: points, keep: Keep::Contents, run: None }.load(scenario, points)
}

/// The same for workers, which build the workloads and read the files again: of the whole grid, so that every part of it tells the same files.
/// Registers are those of the `run` that is gone on with.
pub(super) fn load_for_workers(
    scenario: &Scenario,
    (points, grid): (&[Point], &[Point]),
    device: &Properties,
    run: Option<&Path>,
) -> Result<(), Failure> {
    Loading { simulated: simulated(device), of_files: grid, keep: Keep::Nothing, run }.load(scenario, points)
}

/// The compute capability of a simulated device.
fn simulated(device: &Properties) -> Option<(u32, u32)> {
    (device.origin == Origin::Simulated).then(|| device.capability())
}

/// What is needed of a kernel, and for what.
struct Loading<'a> {
    /// The compute capability of the device if it is simulated.
    simulated: Option<(u32, u32)>,
    /// The points whose files are read.
    of_files: &'a [Point],
    keep: Keep,
    /// The directory of the run that is gone on with.
    run: Option<&'a Path>,
}

impl Loading<'_> {
    fn load(self, scenario: &Scenario, points: &[Point]) -> Result<(), Failure> {
        let Self { simulated, of_files, keep, run } = self;
        let Some(kernel) = scenario.kernel else { return Ok(()) };
        let uses = kernel.file_uses(of_files.iter().map(|point| &point.parameters));
        let files = survey(kernel, &scenario.directory, &uses, keep);
        let named = points.iter().map(|point| (point.variant.name, &point.parameters));
        let compiled = compile(kernel, &scenario.directory, &kernel.needs(named), simulated, tell_once);
        let compiled = match compiled {
            Ok(compiled) => {
                let compiled = scenario.filled(compiled)?;
                Ok(match run.and_then(kept_kernel) {
                    Some(kept) => compiled.with_registers_of(&kept),
                    None => compiled,
                })
            }
            Err(error) => Err(error),
        };
        let (compiled, problems) = match (compiled, files) {
            (Ok(compiled), Ok(files)) => (Compiled { files, ..compiled }, Vec::new()),
            (Ok(compiled), Err(problems)) => (compiled, problems),
            (Err(error @ CompileError::Source { .. }), files) if !scenario.is_of_options() => {
                return Err(scenario.source_error(error.to_string(), &files.err().unwrap_or_default()).into());
            }
            (Err(error), Ok(_)) => return Err(error.into()),
            (Err(error), Err(problems)) => {
                Failure::from(error).tell();
                return Err(scenario.file_errors(&problems).into());
            }
        };
        scenario.load_kernel(&compiled)?;
        scenario.check_kernel(points, &problems)?;
        let named = points.iter().map(|point| (point.variant.name, &point.parameters));
        kernel.other_values(named).iter().for_each(tell);
        compiled.unset_constants().into_iter().chain(compiled.spilled_kernels()).for_each(tell_once);
        Ok(())
    }
}

/// Tells a note that is the same for every scenario and device on which a source is compiled.
fn tell_once(note: String) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(note.clone()) {
        tell(note);
    }
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        Self::Usage(error.to_string())
    }
}
