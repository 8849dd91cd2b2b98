//! Scenarios: a TOML file and the overrides of the command line, as a validated description of a sweep.
//!
//! All errors are told at once, each with its place: see `located_toml::section` for why serde does not read this.

use std::fmt;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use crate::family::{FAMILIES, Family, Variant};
use crate::model::FitRequest;
use crate::user_kernel::{FileKey, UserKernel};
use located_toml::DocumentErrors;
use located_toml::file::FileKind;
use located_toml::problem::{Place, Problem, Problems, Source};
use located_toml::report::{OptionPlace, Sources};
use located_toml::section::{self, Section};
use located_toml::words::{instead, meant, nearest, quote, slug};
use overrides::Override;

mod axis;
mod charts;
mod choice;
mod embedded;
mod grid;
mod kernel_checks;
mod kernel_file;
pub mod keys;
mod options;
mod overrides;
mod points;
mod requests;
mod rewrite;
mod settings;
mod sizes;
#[cfg(test)]
mod tests;
mod user_kernel;
mod without_family;

pub use charts::ChartOption;
pub use embedded::{EMBEDDED, Embedded, Origin};
pub use grid::{Axis, Grid};
pub use kernel_checks::FileProblem;
pub use kernel_file::{KernelFile, WrongOptions};
pub use options::MEASURE_OPTIONS;
pub use points::{Point, groups, varies};
pub use requests::{ChartKind, ChartRequest, Scale, Vertical};
pub use settings::{MeasureSettings, Sampling};
pub use sizes::Sizes;

/// Everything that is wrong with a scenario.
pub type ScenarioErrors = DocumentErrors;

const FILE: FileKind = FileKind {
    noun: "scenario",
    instead_of_directory: "give a scenario file, such as scenarios/branching.toml",
    where_missing: "check the path; apbench list has the names of the scenarios that come with it",
    least: "a scenario needs at least family = \"branching\", or the table [kernel]",
};

const KEYS: [&str; 17] = keys::names(&keys::KEYS);

/// A sweep: what to measure, how, and what to make of it.
pub struct Scenario {
    /// Its name, of the characters a-z, 0-9 and -, for directories.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The figure or table it reproduces.
    pub source: Option<String>,
    /// The pattern it measures.
    pub family: &'static Family,
    /// The kernel of the user's that it describes in place of naming a family.
    pub kernel: Option<&'static UserKernel>,
    /// Where the file is, and the kernel's source beside it.
    pub directory: PathBuf,
    /// The variants it compares, in its order.
    pub variants: Vec<&'static Variant>,
    /// The parameters it varies.
    pub grid: Grid,
    /// The parameters it varies where the device is simulated; `None` where they are the same.
    pub simulated_grid: Option<Grid>,
    /// Whether simulated devices have the values of `[simulated]` unless those of GPUs are asked for, which would take them minutes.
    pub small_when_simulated: bool,
    /// How it measures.
    pub measure: MeasureSettings,
    /// The laws it fits.
    pub fits: Vec<FitRequest>,
    /// The charts it draws.
    pub charts: Vec<ChartRequest>,
    /// Sentences on fits and charts of the file that need variants which were not asked for.
    pub left_out: Vec<String>,
    /// The TOML with the overrides applied: parsed without overrides, it is the same scenario.
    pub text: String,
    /// Where the family is named.
    family_place: Place,
    /// Where the buffers of the user's kernel name files.
    file_places: Vec<(String, FileKey, Place)>,
    sources: Sources,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scenario").field("name", &self.name).field("text", &self.text).finish_non_exhaustive()
    }
}

impl Scenario {
    /// Reads and validates a scenario: that of a file, or one that comes with the program ([`Origin::of`]). Each override is
    /// what follows `--set`, one of [`MEASURE_OPTIONS`] with a blank and its value as TOML, or `--variant` with a blank and the name of a variant.
    ///
    /// # Errors
    /// When it cannot be read, and all that is wrong with it and the overrides.
    pub fn load(path: &Path, overrides: &[String], max_points: usize) -> Result<Self, ScenarioErrors> {
        match Origin::of(path) {
            Origin::File(path) => {
                let text =
                    if path.exists() { FILE.read(&path)? } else { FILE.read(&path).map_err(|_| missing(&path))? };
                let mut scenario = Self::parse(&path.display().to_string(), &text, overrides, max_points)?;
                scenario.directory = path.parent().map(Path::to_owned).unwrap_or_default();
                Ok(scenario)
            }
            Origin::Program(own) => Self::parse(&own.title_in_errors(), own.text, overrides, max_points),
        }
    }

    /// Validates a scenario. `file_name` is what errors call it, and its stem the default of its name.
    ///
    /// # Errors
    /// All that is wrong with the text and the overrides.
    pub fn parse(file_name: &str, text: &str, overrides: &[String], max_points: usize) -> Result<Self, ScenarioErrors> {
        Self::parse_as(&default_name(file_name), file_name, text, overrides, max_points)
    }

    /// Points of a family without a file: these variants (all where none is named), each override of a parameter what follows
    /// `--set`, the other parameters at their defaults.
    ///
    /// # Errors
    /// All that is wrong with the names and the overrides.
    pub fn of_family(
        family: &str,
        variants: &[String],
        overrides: &[String],
        max_points: usize,
    ) -> Result<Self, ScenarioErrors> {
        let mut text = format!("family = {}\n", toml_edit::Value::from(family));
        if !variants.is_empty() {
            let names: toml_edit::Array = variants.iter().map(String::as_str).collect();
            text += &format!("variants = {names}\n");
        }
        Self::parse("the arguments", &text, overrides, max_points)
    }

    /// Validates the scenario of a run, whose file does not have the scenario's name but is in the run's directory.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn of_run(name: &str, file_name: &str, text: &str) -> Result<Self, ScenarioErrors> {
        Self::parse_as(name, file_name, text, &[], usize::MAX)
    }

    /// The same with other fits, which are TOML, and without charts.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn with_fits(&self, fits: &str) -> Result<Self, ScenarioErrors> {
        let text = rewrite::with_fits(&self.text, fits).unwrap_or_else(|| self.text.clone());
        Self::parse_as(&self.name, "the arguments", &text, &[], usize::MAX)
    }

    /// Points of its family with the other parameters at their defaults, as [`Self::of_family`] has them; also where the family is a kernel of the
    /// user's.
    ///
    /// # Errors
    /// All that is wrong with the overrides.
    pub fn of_same_family(&self, overrides: &[String], max_points: usize) -> Result<Self, ScenarioErrors> {
        if self.kernel.is_none() {
            return Self::of_family(self.family.name, &[], overrides, max_points);
        }
        let kernel = rewrite::without(&self.text, &["grid", "zip", "simulated", "fit", "chart", "variants"]);
        let text = kernel.unwrap_or_else(|| self.text.clone());
        Self::parse_as(&self.name, "the arguments", &text, overrides, max_points)
    }

    fn parse_as(
        default_name: &str,
        file_name: &str,
        text: &str,
        overrides: &[String],
        max_points: usize,
    ) -> Result<Self, ScenarioErrors> {
        Self::parse_with(default_name, file_name, text, overrides, max_points, Vec::new())
    }

    /// The same of a text that was made of options.
    fn parse_with(
        default_name: &str,
        file_name: &str,
        text: &str,
        overrides: &[String],
        max_points: usize,
        options: Vec<OptionPlace>,
    ) -> Result<Self, ScenarioErrors> {
        FILE.check(file_name, text)?;
        let sources = Sources::new(file_name, text, overrides).of_options(options);
        let (scenario, problems) = located_toml::walk(text, |table, problems| {
            Reader { text, max_points, problems }.scenario(default_name, table, overrides, &sources)
        });
        match scenario {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(sources.errors(problems)),
        }
    }
}

/// Collects a scenario and all its problems.
struct Reader<'a> {
    text: &'a str,
    max_points: usize,
    problems: &'a mut Problems,
}

impl Reader<'_> {
    /// Reads everything that can be read; `None` where something a scenario must have is missing.
    fn scenario(
        &mut self,
        default_name: &str,
        table: &DeTable<'_>,
        arguments: &[String],
        sources: &Sources,
    ) -> Option<Scenario> {
        let root = Section::new(table, Place::new(Source::File, 0..0));
        let (family, kernel) = self.family_or_kernel(&root);
        let known = family.map(|(family, _)| family);
        root.deny_unknown("a scenario", &KEYS, self.problems, |key| {
            let near = instead(key, &KEYS);
            (known?.parameter(key).is_some()).then(|| format!("it is a parameter: put it below [grid]; {near}"))
        });
        let overrides = overrides::read(arguments, known, self.max_points, self.problems);
        let problems = &mut *self.problems;
        let name = match root.get("name") {
            Some(field) => field.file_name("\"branching\"", problems),
            None => Some(default_name.to_owned()),
        };
        let title = root.get("title").and_then(|field| field.line("\"Runtime against branches\"", problems));
        let title = title.or_else(|| name.clone()).unwrap_or_default();
        let source = root.get("source").and_then(|field| field.line("\"Cornelis 2010, figure 3.1\"", problems));
        let measure = root.get("measure").and_then(|field| field.table(problems));
        let options = options::take(arguments, problems);
        let values = options::parse(&options, problems);
        let measure = options::merge(measure, &options, &values);
        let measure = measure.map_or_else(MeasureSettings::default, |section| settings::read(&section, problems));
        let fit_sections = root.get("fit").map(|field| field.tables(problems)).unwrap_or_default();
        let chart_sections = root.get("chart").map(|field| field.tables(problems)).unwrap_or_default();
        let grid_section = root.get("grid").and_then(|field| field.table(problems));
        let simulated = root.get("simulated").and_then(|field| field.table(problems));
        let small_when_simulated =
            root.get("small_when_simulated").and_then(|field| field.flag(problems)).unwrap_or(false);
        let zip_sections = root.get("zip").map(|field| field.tables(problems)).unwrap_or_default();
        if known.is_none() && root.get("kernel").is_none() {
            let tables = grid_section.iter().chain(&simulated).chain(&zip_sections);
            without_family::check(&root, tables, &chart_sections, problems);
        }
        let all = known.map(|family| self.variants(&root, family)).unwrap_or_default();
        let subject = requests::Subject { family: known, variants: &all };
        let fits = requests::fits(&fit_sections, subject, self.problems);
        requests::check_of(&fit_sections, &fits, self.problems);
        requests::check_of(&chart_sections, &fits, self.problems);
        let laws = requests::law_names(&fits);
        let charts = requests::charts(&chart_sections, subject, &laws, &title, self.problems);
        let variants = choice::variants(arguments, &all, self.problems);
        let kept = (variants.len() < all.len()).then(|| {
            let subject = requests::Subject { family: known, variants: &variants };
            choice::Kept::of((&fit_sections, &chart_sections), subject, &title)
        });
        let (family, family_place) = family?;
        let grid = self.grid(family, grid_section.as_ref(), &zip_sections, &overrides, variants.len());
        let simulated_grid = simulated.map(|section| {
            let replaced =
                grid::simulated(family, &section, &grid, &zip_sections, &overrides, self.max_points, self.problems);
            // A grid that is too large with and without the table is told once.
            if self.problems.is_empty() {
                grid::check_size(&replaced, variants.len(), self.max_points, self.problems);
            }
            replaced
        });
        if !self.problems.is_empty() {
            return None;
        }
        let text = if arguments.is_empty() {
            Some(self.text.to_owned())
        } else {
            let text = rewrite::apply(self.text, &overrides, &options);
            match &kept {
                Some(kept) => text.and_then(|text| rewrite::with_variants(&text, &variants, kept)),
                None => text,
            }
        };
        let left_out = kept.as_ref().map(|kept| choice::left_out(&fits, &charts, kept)).unwrap_or_default();
        let (fits, charts) = kept.map_or((fits, charts), |kept| (kept.fits, kept.charts));
        let Some(text) = text else {
            let problem = Problem::new("the overrides cannot be written into the scenario's text");
            self.problems.push(problem.at(family_place).help("edit the scenario instead of using --set"));
            return None;
        };
        let sources = sources.clone();
        let buffers = root.get("buffers").and_then(|field| field.table(&mut Problems::default()));
        let file_places = buffers.map(|section| user_kernel::file_places(&section)).unwrap_or_default();
        let name = name?;
        Some(Scenario {
            name,
            title,
            source,
            family,
            kernel,
            directory: PathBuf::new(),
            variants,
            grid,
            simulated_grid,
            small_when_simulated,
            measure,
            fits,
            charts,
            left_out,
            text,
            family_place,
            file_places,
            sources,
        })
    }

    /// The family that the scenario names, or that which it describes with its kernel.
    fn family_or_kernel(
        &mut self,
        root: &Section<'_>,
    ) -> (Option<(&'static Family, Place)>, Option<&'static UserKernel>) {
        let Some(field) = root.get("kernel") else {
            for name in user_kernel::TABLES {
                if let Some(field) = root.get(name) {
                    let problem = Problem::new(format!("[{name}] is for a kernel of your own")).at(field.key_place);
                    self.problems
                        .push(problem.help("describe the kernel in the table [kernel], or leave this one out"));
                }
            }
            return (self.family(root), None);
        };
        if let Some(family) = root.get("family") {
            let problem = Problem::new("the scenario has both `family` and [kernel]");
            let problem = problem
                .label(family.key_place, "kernels of the program")
                .label(field.key_place, "a kernel of your own");
            self.problems.push(problem.help("leave one of them out"));
        }
        let Some(section) = field.table(self.problems) else { return (None, None) };
        let kernel = user_kernel::read(root, &section, self.problems);
        (kernel.map(|kernel| (kernel.family(), field.key_place)), kernel)
    }

    /// The family that is named; of a misspelt name, for what else is wrong, the one that it is most like.
    fn family(&mut self, root: &Section<'_>) -> Option<(&'static Family, Place)> {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let Some(field) = root.get("family") else {
            let place = root.fields.first().map_or(root.place, |field| field.key_place);
            let help = format!(
                "name the family to measure, one of: {}; or describe a kernel of your own in [kernel]",
                names.join(", ")
            );
            self.problems.push(Problem::new("the scenario has no `family`").at(place).help(help).absence());
            return None;
        };
        let wanted = field.line("\"branching\"", self.problems)?;
        let mut found = Family::find(&wanted);
        if found.is_none() {
            found = nearest(&wanted, &names).and_then(Family::find);
            let message = format!("{} is not a family", quote(&wanted));
            self.problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
        }
        found.map(|family| (family, field.node.place))
    }

    fn variants(&mut self, root: &Section<'_>, family: &'static Family) -> Vec<&'static Variant> {
        let Some(field) = root.get("variants") else { return family.variants.iter().collect() };
        let names: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
        let example = format!("[\"{}\"]", names.first().copied().unwrap_or_default());
        let Some(texts) = field.texts(&example, self.problems) else { return Vec::new() };
        section::deny_duplicates("the variant", &texts, "name each variant once", self.problems);
        let mut variants = Vec::new();
        for (text, place) in texts {
            match family.variants.iter().find(|variant| Some(variant.name) == meant(&text, &names)) {
                Some(variant) => variants.push(variant),
                None => self.problems.push(
                    Problem::new(format!("{} is not a variant of `{}`", quote(&text), family.name))
                        .at(place)
                        .help(instead(&text, &names)),
                ),
            }
        }
        variants
    }

    fn grid(
        &mut self,
        family: &'static Family,
        grid: Option<&Section<'_>>,
        zips: &[Section<'_>],
        overrides: &[Override],
        variants: usize,
    ) -> Grid {
        let grid = grid::read(family, grid, zips, overrides, self.max_points, self.problems);
        grid::check_size(&grid, variants, self.max_points, self.problems);
        grid
    }
}

/// There is no such file: which of the program's scenarios may be meant.
fn missing(path: &Path) -> ScenarioErrors {
    let name = path.display().to_string();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let names: Vec<&str> = EMBEDDED.iter().map(|own| own.name).collect();
    let help = match nearest(&stem, &names) {
        _ if is_setting(&name) => format!("values of a parameter are given with --set {name}"),
        Some(near) => format!("did you mean `{near}`, which comes with apbench? `apbench list` has all of them"),
        None => "check the path; `apbench list` has the names of the scenarios that come with it".to_owned(),
    };
    DocumentErrors::of_file(&name, &format!("there is no file {name}, and no scenario of that name"), &help)
}

/// Whether a path looks like values of a parameter: `width=64`.
fn is_setting(name: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|own| own.is_ascii_alphanumeric() || own == '_');
    name.split_once('=').is_some_and(|(parameter, values)| is_word(parameter) && !values.is_empty())
}

/// The file's stem as a name.
fn default_name(file_name: &str) -> String {
    let stem = Path::new(file_name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = slug(&stem);
    if name.is_empty() { "scenario".to_owned() } else { name }
}
