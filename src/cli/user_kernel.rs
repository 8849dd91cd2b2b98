//! Kernels of the user's, compiled before anything is built of them, and their files.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::failure::Failure;
use super::output::tell;
use crate::compiler::{CompileError, Purpose, compile};
use crate::data_file::{Keep, survey};
use crate::properties::Properties;
use crate::run::kept_kernel;
use crate::scenario::{Point, Scenario};
use crate::user_kernel::Compiled;

/// Compiles the kernel of a scenario, if it has one of its own, for these points, reads its files, and holds both against what the scenario says.
/// Workloads can be built then.
pub(super) fn load(scenario: &Scenario, points: &[Point], device: &Properties) -> Result<(), Failure> {
    load_for_both(scenario, points, device, None)
}

/// The same for kernels that run on another device, too.
pub(super) fn load_for_both(
    scenario: &Scenario,
    points: &[Point],
    device: &Properties,
    other: Option<&Properties>,
) -> Result<(), Failure> {
    let purpose = Purpose::run_on(device).and_on(other);
    Loading { purpose, of_files: points, keep: Keep::Contents, run: None }.load(scenario, points)
}

/// The same where nothing is executed, so that nobody asks for registers.
pub(super) fn load_unexecuted(scenario: &Scenario, points: &[Point], device: &Properties) -> Result<(), Failure> {
    let purpose = Purpose::unexecuted_on(device);
    Loading { purpose, of_files: points, keep: Keep::Contents, run: None }.load(scenario, points)
}

/// The same for workers, which build the workloads and read the files again: of the whole grid, so that every part of it tells the same files.
/// Registers are those of the `run` that is gone on with, and so is the target.
pub(super) fn load_for_workers(
    scenario: &Scenario,
    (points, grid): (&[Point], &[Point]),
    device: &Properties,
    run: Option<&Path>,
) -> Result<(), Failure> {
    let purpose = Purpose::run_on(device);
    Loading { purpose, of_files: grid, keep: Keep::Nothing, run }.load(scenario, points)
}

/// What is needed of a kernel, and for what.
struct Loading<'a> {
    purpose: Purpose,
    /// The points whose files are read.
    of_files: &'a [Point],
    keep: Keep,
    /// The directory of the run that is gone on with.
    run: Option<&'a Path>,
}

impl Loading<'_> {
    fn load(self, scenario: &Scenario, points: &[Point]) -> Result<(), Failure> {
        let Self { purpose, of_files, keep, run } = self;
        let Some(kernel) = scenario.kernel else { return Ok(()) };
        let uses = kernel.file_uses(of_files.iter().map(|point| &point.parameters));
        let files = survey(kernel, &scenario.directory, &uses, keep);
        let named = points.iter().map(|point| (point.variant.name, &point.parameters));
        let kept = run.and_then(kept_kernel);
        let purpose = purpose.kept(kept.as_ref().map(|kept| kept.target.clone()));
        let compiled = compile(kernel, &scenario.directory, &kernel.needs(named), &purpose, tell_once);
        let compiled = match compiled {
            Ok(compiled) => {
                let compiled = scenario.filled(compiled)?;
                Ok(match &kept {
                    Some(kept) => compiled.with_registers_of(kept),
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
