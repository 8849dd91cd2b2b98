//! Options of the command line that stand for keys of `[measure]`, such as `--precision 0.2`.

use toml::Spanned;
use toml::de::DeTable;

use super::choice;
use located_toml::problem::{Place, Problem, Problems, Source};
use located_toml::section::{self, Field, Node, Section};
use located_toml::words::quote;

/// Options, and the keys that they stand for.
pub const MEASURE_OPTIONS: [(&str, &str); 7] = [
    ("--sampling", "sampling"),
    ("--flush", "flush"),
    ("--precision", "precision_pct"),
    ("--budget", "budget_s"),
    ("--rounds", "rounds_min"),
    ("--seed", "seed"),
    ("--energy", "energy"),
];

/// The key that a parsed value has for the time being.
const PLACEHOLDER: &str = "v";

/// A key of `[measure]` that an option sets.
#[derive(Debug)]
pub(super) struct MeasureOption {
    source: Source,
    pub(super) key: &'static str,
    option: &'static str,
    /// The value as TOML.
    pub(super) toml: String,
    /// A line of TOML in which the value is where it is in the argument.
    line: String,
}

/// Whether an argument is such an option, not a parameter with its values.
pub(super) fn is_option(argument: &str) -> bool {
    argument.starts_with("--")
}

/// Takes the arguments that are options, such as `--precision 0.2` or `--flush "memset"`.
pub(super) fn take(arguments: &[String], problems: &mut Problems) -> Vec<MeasureOption> {
    let mut options: Vec<MeasureOption> = Vec::new();
    for (index, argument) in arguments.iter().enumerate().filter(|(_, argument)| is_option(argument)) {
        if choice::named(argument).is_some() {
            continue;
        }
        let source = Source::Override(index);
        let (name, value) = argument.split_once(' ').unwrap_or((argument, ""));
        let Some((option, key)) = MEASURE_OPTIONS.iter().find(|(option, _)| *option == name) else {
            let names: Vec<&str> = MEASURE_OPTIONS.iter().map(|(option, _)| *option).collect();
            let problem = Problem::new(format!("{} is not an option of [measure]", quote(name)));
            let place = Place::new(source, 0..name.len());
            problems.push(problem.at(place).help(format!("options: {}", names.join(", "))));
            continue;
        };
        let start = argument.len() - value.len();
        let line = format!("{:<start$}{value}", format!("{PLACEHOLDER}="));
        options.push(MeasureOption { source, key, option, toml: value.to_owned(), line });
    }
    options
}

/// The values of options, parsed.
pub(super) fn parse<'a>(options: &'a [MeasureOption], problems: &mut Problems) -> Vec<Spanned<DeTable<'a>>> {
    options.iter().map(|option| section::parse(&option.line, option.source, problems).0).collect()
}

/// `[measure]` with the options in place of what the file says.
pub(super) fn merge<'doc>(
    measure: Option<Section<'doc>>,
    options: &'doc [MeasureOption],
    tables: &'doc [Spanned<DeTable<'doc>>],
) -> Option<Section<'doc>> {
    let mut merged = measure;
    for (option, table) in options.iter().zip(tables) {
        let Some((key, value)) = table.get_ref().iter().find(|(key, _)| key.get_ref() == PLACEHOLDER) else { continue };
        let place = Place::new(option.source, key.span().start..option.option.len());
        let section = merged.get_or_insert_with(|| Section { place, fields: Vec::new() });
        section.fields.retain(|field| field.key != option.key);
        let node = Node { value: value.get_ref(), place: Place::new(option.source, value.span()) };
        section.fields.push(Field { key: option.key, key_place: place, node });
    }
    merged
}
