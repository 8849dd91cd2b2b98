//! Whether the user's kernel and its files are what the scenario says, told at the places where it says so.

use super::kernel_file::ARGUMENTS;
use super::{Point, Scenario, ScenarioErrors};
use crate::user_kernel::{Compiled, FileKey, Misfit};
use located_toml::problem::Problem;

/// What is wrong with a file that a buffer of the user's kernel names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// The key that names it.
    pub key: FileKey,
    /// Its buffer.
    pub buffer: &'static str,
    /// What is wrong, with the name of the file.
    pub problem: String,
}

impl Scenario {
    /// The modules with the values that it gives to variables of the source.
    ///
    /// # Errors
    /// Which of them cannot have these.
    pub fn filled(&self, compiled: Compiled) -> Result<Compiled, ScenarioErrors> {
        let Some(kernel) = self.kernel else { return Ok(compiled) };
        kernel
            .with_constants(compiled, self.measure.seed)
            .map_err(|problems| self.kernel_and_file_errors(problems, &[]))
    }

    /// Takes the modules that were compiled of its kernel.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn load_kernel(&self, compiled: &Compiled) -> Result<(), ScenarioErrors> {
        let Some(kernel) = self.kernel else { return Ok(()) };
        let errors = |problem| self.kernel_and_file_errors(vec![Misfit::new(problem, None)], &[]);
        kernel.load(compiled).map_err(errors)
    }

    /// Holds its kernel against the launches of these points. What is wrong with its files is told with it.
    ///
    /// # Errors
    /// What of the kernel does not fit what the scenario says.
    pub fn check_kernel(&self, points: &[Point], files: &[FileProblem]) -> Result<(), ScenarioErrors> {
        let Some(kernel) = self.kernel else { return Ok(()) };
        let points = points.iter().map(|point| (point.variant.name, &point.parameters));
        let problems = kernel.check_arguments(points).err().unwrap_or_default();
        if problems.is_empty() && files.is_empty() {
            return Ok(());
        }
        Err(self.kernel_and_file_errors(problems, files))
    }

    /// Whether options of the command line describe its kernel, and no file does.
    pub fn is_of_options(&self) -> bool {
        !self.sources.options().is_empty()
    }

    /// That its source cannot be read, and what is wrong with its files besides.
    pub fn source_error(&self, problem: String, files: &[FileProblem]) -> ScenarioErrors {
        let mut misfit = Misfit::new(problem, None);
        misfit.help = Some("name the kernel's source in [kernel], from the scenario's directory".to_owned());
        self.kernel_and_file_errors(vec![misfit], files)
    }

    /// What is wrong with files alone.
    pub fn file_errors(&self, files: &[FileProblem]) -> ScenarioErrors {
        self.kernel_and_file_errors(Vec::new(), files)
    }

    fn kernel_and_file_errors(&self, problems: Vec<Misfit>, files: &[FileProblem]) -> ScenarioErrors {
        let of_file = |own: &FileProblem| {
            let (buffer, key) = (own.buffer, own.key);
            let known = self.file_places.iter().find(|(name, other, _)| name == buffer && *other == key);
            let place = known.map_or(self.family_place, |(.., place)| *place);
            Problem::new(format!("`{}` of `{buffer}`: {}", key.name(), own.problem)).at(place)
        };
        let is_of_options = self.is_of_options();
        let problem = |misfit: Misfit| {
            let Misfit { problem, help, allowed, place, .. } = misfit;
            let allowed = allowed.map(|own| if is_of_options { ARGUMENTS.to_owned() } else { own });
            let subject = if is_of_options { "option" } else { "scenario" };
            let help = help.or(allowed).unwrap_or_else(|| format!("correct the {subject}, or the kernel's source"));
            Problem::new(problem).at(place.unwrap_or(self.family_place)).help(help)
        };
        self.sources.errors(problems.into_iter().map(problem).chain(files.iter().map(of_file)).collect())
    }
}
