//! `[[fit]]` and `[[chart]]`: what to make of the measurements.

use toml::de::DeValue;

use crate::family::{Family, Variant};
use crate::model::{FitRequest, Model, Of};
use located_toml::problem::{Problem, Problems};
use located_toml::section::{Field, Section, noun};
use located_toml::words::{instead, quote};

mod chart;
mod fit;
mod only;

pub use chart::{ChartKind, ChartRequest, Scale, Vertical};
pub(super) use chart::{charts, described_chart_keys, keys_of_others};
pub(super) use fit::{FIT_KEYS, check_of, fits};

/// What requests are checked against: the family, if it is known, and the variants that the scenario measures.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) family: Option<&'static Family>,
    pub(super) variants: &'a [&'static Variant],
}

impl Subject<'_> {
    fn variant_names(&self) -> Vec<&'static str> {
        self.variants.iter().map(|variant| variant.name).collect()
    }

    /// Reports a name that is no variant of the scenario's, unless its family is not known.
    fn check_variant(&self, name: &str, problem_at: impl FnOnce(Problem) -> Problem, problems: &mut Problems) {
        let Some(family) = self.family.filter(|_| !self.variants.is_empty()) else { return };
        let names = self.variant_names();
        if names.contains(&name) {
            return;
        }
        let message = if family.variants.iter().any(|variant| variant.name == name) {
            format!("the scenario does not measure the variant {}", quote(name))
        } else {
            format!("{} is not a variant of `{}`", quote(name), family.name)
        };
        problems.push(problem_at(Problem::new(message)).help(instead(name, &names)));
    }
}

/// The names of the fits that are laws, for charts of residuals.
pub(super) fn law_names(fits: &[FitRequest]) -> Vec<&str> {
    let is_law = |fit: &&FitRequest| !matches!(fit.model, Model::Slowdown { .. }) && fit.of != Some(Of::Energy);
    let laws = fits.iter().filter(is_law);
    laws.map(|fit| fit.name.as_str()).collect()
}

/// Reads the variant that slowdowns are relative to. `is_slowdown` says whether there must be one, or must be none; `what`
/// is the section, and `switch` the key and value that ask for slowdowns.
fn reference(
    section: &Section<'_>,
    is_slowdown: bool,
    (what, switch): (&str, &str),
    subject: Subject<'_>,
    problems: &mut Problems,
) -> Option<String> {
    let example = format!("\"{}\"", subject.variants.first().map_or("divergent", |variant| variant.name));
    match section.get("reference") {
        None if is_slowdown => {
            let names = subject.variant_names().join(", ");
            let help = if names.is_empty() { format!("reference = {example}") } else { names };
            let message = format!("a {what} with {switch} needs its `reference`");
            let problem = Problem::new(message).at(section.place);
            problems.push(problem.help(format!("name the variant that all are compared with: {help}")).absence());
            None
        }
        None => None,
        Some(field) if !is_slowdown => {
            let problem = Problem::new(format!("`reference` goes with {switch} only")).at(field.key_place);
            problems.push(problem.help(format!("write {switch} as well, or leave it out")));
            None
        }
        Some(field) if !matches!(field.node.value, DeValue::String(_)) => {
            let found = noun(field.node.value);
            let problem = Problem::new(format!("`reference` names a variant: it must be text, not {found}"));
            let names = subject.variant_names().join(", ");
            let allowed = if names.is_empty() { String::new() } else { format!(". Allowed: {names}") };
            let help = format!("for example: reference = {example}{allowed}");
            problems.push(problem.at(field.node.place).help(help));
            None
        }
        Some(field) => {
            let name = field.line(&example, problems)?;
            subject.check_variant(&name, |problem| problem.at(field.node.place), problems);
            Some(name)
        }
    }
}

/// One of these names.
fn choice<T: Copy>(field: &Field<'_>, choices: &[(&'static str, T)], problems: &mut Problems) -> Option<T> {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let wanted = field.line(&format!("\"{}\"", names.first().unwrap_or(&"")), problems)?;
    let found = choices.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    if found.is_none() {
        let message = format!("`{}` cannot be {}", field.key, quote(&wanted));
        problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
    }
    found
}
