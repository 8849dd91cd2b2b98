//! Scenarios: a TOML file and the overrides of the command line, as a validated description of a sweep.
//!
//! All errors are told at once, each with its place: see `document` for why serde does not read this.

use std::collections::HashSet;
use std::fmt;
use std::io::Read as _;
use std::path::Path;

use toml::de::DeTable;

use crate::family::{FAMILIES, Family, Variant};
use document::Section;
use overrides::Override;
use problem::{Lines, Place, Problem, Problems, Source};
use report::Sources;
use words::{instead, quote};

mod axis;
mod document;
mod excerpt;
mod grid;
mod overrides;
mod points;
mod problem;
mod report;
mod requests;
mod rewrite;
mod settings;
#[cfg(test)]
mod tests;
mod words;

pub use grid::{Axis, Grid};
pub use points::{Point, varies};
pub use report::{ReportStyle, ScenarioError, ScenarioErrors};
pub use requests::{ChartRequest, FitRequest};
pub use settings::MeasureSettings;

/// Largest scenario file. Ours have less than a thousandth of it.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Longest name that becomes a file's.
const NAME_MAX: usize = 64;

const KEYS: [&str; 10] = ["name", "title", "source", "family", "variants", "grid", "zip", "measure", "fit", "chart"];

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
    /// The variants it compares, in its order.
    pub variants: Vec<&'static Variant>,
    /// The parameters it varies.
    pub grid: Grid,
    /// How it measures.
    pub measure: MeasureSettings,
    /// The laws it fits.
    pub fits: Vec<FitRequest>,
    /// The charts it draws.
    pub charts: Vec<ChartRequest>,
    /// The TOML with the overrides applied: parsed without overrides, it is the same scenario.
    pub text: String,
    /// Where the family is named.
    family_place: Place,
    sources: Sources,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scenario").field("name", &self.name).field("text", &self.text).finish_non_exhaustive()
    }
}

impl Scenario {
    /// Reads and validates a scenario file.
    ///
    /// # Errors
    /// When it cannot be read, and all that is wrong with it and the overrides.
    pub fn load(path: &Path, overrides: &[String], max_points: usize) -> Result<Self, ScenarioErrors> {
        let name = path.display().to_string();
        let refuse = |message: &str, help: &str| Err(ScenarioErrors::of_file(&name, message, help));
        if path.is_dir() {
            return refuse(&format!("{name} is a directory"), "give a scenario file, such as scenarios/branching.toml");
        }
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(TEXT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            let help = if error.kind() == std::io::ErrorKind::NotFound {
                "check the path; the scenarios that come with apbench are in scenarios/"
            } else {
                "check the file's permissions"
            };
            return refuse(&format!("{name} cannot be read: {error}"), help);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Self::parse(&name, &text, overrides, max_points),
            // What was cut off at the limit may have cut a character.
            Err(error) if error.as_bytes().len() > TEXT_BYTES_MAX => refuse(&too_large(&name), TOO_LARGE_HELP),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let line = error
                    .as_bytes()
                    .split(|byte| *byte == b'\n')
                    .scan(0, |end, line| {
                        *end += line.len() + 1;
                        Some(*end)
                    })
                    .take_while(|end| *end <= valid)
                    .count()
                    + 1;
                refuse(&format!("{name} is not UTF-8 text: line {line} has other bytes"), "save the file as UTF-8")
            }
        }
    }

    /// Validates a scenario. `file_name` is what errors call it, and its stem the default of its name.
    ///
    /// # Errors
    /// All that is wrong with the text and the overrides.
    pub fn parse(file_name: &str, text: &str, overrides: &[String], max_points: usize) -> Result<Self, ScenarioErrors> {
        Self::parse_as(&default_name(file_name), file_name, text, overrides, max_points)
    }

    /// Validates the scenario of a run, whose file does not have the scenario's name but is in the run's directory.
    ///
    /// # Errors
    /// All that is wrong with the text.
    pub fn of_run(name: &str, file_name: &str, text: &str) -> Result<Self, ScenarioErrors> {
        Self::parse_as(name, file_name, text, &[], usize::MAX)
    }

    fn parse_as(
        default_name: &str,
        file_name: &str,
        text: &str,
        overrides: &[String],
        max_points: usize,
    ) -> Result<Self, ScenarioErrors> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(ScenarioErrors::of_file(file_name, &too_large(file_name), TOO_LARGE_HELP));
        }
        if text.trim().is_empty() {
            let help = "a scenario needs at least: family = \"branching\"";
            return Err(ScenarioErrors::of_file(file_name, &format!("{file_name} is empty"), help));
        }
        let sources = Sources::new(file_name, text, overrides);
        let mut problems = Problems::default();
        let (table, broken) = document::parse(text, Source::File, &mut problems);
        let syntax_errors = problems.list.len();
        let mut reader = Reader { text, max_points, problems };
        let scenario = reader.scenario(default_name, table.get_ref(), overrides, &sources);
        let mut problems = reader.problems.list;
        if syntax_errors > 0 {
            let found = problems.split_off(syntax_errors);
            let lines = Lines::new(text);
            problems.extend(found.into_iter().filter(|problem| !follows(problem, &lines, &broken)));
        }
        match scenario {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(sources.errors(problems)),
        }
    }
}

const TOO_LARGE_HELP: &str = "a scenario is a short text: is this the right file?";

fn too_large(name: &str) -> String {
    format!("{name} is larger than {}", crate::unit::bytes(TEXT_BYTES_MAX as u64))
}

/// Whether a problem may come from a syntax error: it is about something missing, or on a line that did not parse.
fn follows(problem: &Problem, lines: &Lines, broken: &HashSet<usize>) -> bool {
    let on_broken_line = |place: &Place| {
        place.source == Source::File && (lines.of(place.start)..=lines.of(place.end)).any(|line| broken.contains(&line))
    };
    problem.absence || problem.labels.iter().any(|(place, _)| on_broken_line(place))
}

/// Text as a name of files: lower case, everything else a hyphen.
fn slug(text: &str) -> String {
    let hyphenated: String = text
        .chars()
        .take(NAME_MAX)
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    hyphenated.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Collects a scenario and all its problems.
struct Reader<'a> {
    text: &'a str,
    max_points: usize,
    problems: Problems,
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
        let family = self.family(&root);
        let known = family.map(|(family, _)| family);
        root.deny_unknown("a scenario", &KEYS, &mut self.problems, |key| {
            let near = instead(key, &KEYS);
            (known?.parameter(key).is_some()).then(|| format!("it is a parameter: put it below [grid]; {near}"))
        });
        let overrides = overrides::read(arguments, known, self.max_points, &mut self.problems);
        let problems = &mut self.problems;
        let name = match root.get("name") {
            Some(field) => field.file_name("\"branching\"", problems),
            None => Some(default_name.to_owned()),
        };
        let title = root.get("title").and_then(|field| field.line("\"Runtime against branches\"", problems));
        let title = title.or_else(|| name.clone()).unwrap_or_default();
        let source = root.get("source").and_then(|field| field.line("\"Cornelis 2010, figure 3.1\"", problems));
        let measure = root.get("measure").and_then(|field| field.table(problems));
        let measure = measure.map_or_else(MeasureSettings::default, |section| settings::read(&section, problems));
        let fit_sections = root.get("fit").map(|field| field.tables(problems)).unwrap_or_default();
        let chart_sections = root.get("chart").map(|field| field.tables(problems)).unwrap_or_default();
        let fits = requests::fits(&fit_sections, known, problems);
        let charts = requests::charts(&chart_sections, known, &title, problems);
        let grid_section = root.get("grid").and_then(|field| field.table(problems));
        let zip_sections = root.get("zip").map(|field| field.tables(problems)).unwrap_or_default();
        let (family, family_place) = family?;
        let variants = self.variants(&root, family);
        let grid = self.grid(family, grid_section.as_ref(), &zip_sections, &overrides, variants.len());
        if !self.problems.is_empty() {
            return None;
        }
        let text =
            if overrides.is_empty() { Some(self.text.to_owned()) } else { rewrite::apply(self.text, &overrides) };
        let Some(text) = text else {
            let problem = Problem::new("the overrides cannot be written into the scenario's text");
            self.problems.push(problem.at(family_place).help("edit the scenario instead of using --set"));
            return None;
        };
        let sources = sources.clone();
        let name = name?;
        Some(Scenario {
            name,
            title,
            source,
            family,
            variants,
            grid,
            measure,
            fits,
            charts,
            text,
            family_place,
            sources,
        })
    }

    fn family(&mut self, root: &Section<'_>) -> Option<(&'static Family, Place)> {
        let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        let Some(field) = root.get("family") else {
            let place = root.fields.first().map_or(root.place, |field| field.key_place);
            let help = format!("name the pattern to measure, one of: {}", names.join(", "));
            self.problems.push(Problem::new("the scenario has no `family`").at(place).help(help).absence());
            return None;
        };
        let wanted = field.line("\"branching\"", &mut self.problems)?;
        let found = Family::find(&wanted);
        if found.is_none() {
            let message = format!("{} is not a family", quote(&wanted));
            self.problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
        }
        found.map(|family| (family, field.node.place))
    }

    fn variants(&mut self, root: &Section<'_>, family: &'static Family) -> Vec<&'static Variant> {
        let Some(field) = root.get("variants") else { return family.variants.iter().collect() };
        let names: Vec<&str> = family.variants.iter().map(|variant| variant.name).collect();
        let example = format!("[\"{}\"]", names.first().copied().unwrap_or_default());
        let Some(texts) = field.texts(&example, &mut self.problems) else { return Vec::new() };
        document::deny_duplicates("the variant", &texts, "name each variant once", &mut self.problems);
        let mut variants = Vec::new();
        for (text, place) in texts {
            match family.variants.iter().find(|variant| variant.name == text) {
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
        let grid = grid::read(family, grid, zips, overrides, self.max_points, &mut self.problems);
        grid::check_size(&grid, variants, self.max_points, &mut self.problems);
        grid
    }
}

/// The file's stem as a name.
fn default_name(file_name: &str) -> String {
    let stem = Path::new(file_name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = slug(&stem);
    if name.is_empty() { "scenario".to_owned() } else { name }
}
