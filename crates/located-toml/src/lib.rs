//! TOML that people write, read with all its errors at once, each with its place, what is allowed and the name that was probably
//! meant.
//!
//! [`walk`] parses a text as far as it can be parsed, and hands its table to a function that goes through it: a
//! [`section::Section`] has the keys of a table, a [`section::Field`] reads one value as what it should be and reports what it is
//! instead. What comes of it is told by [`report::Sources::errors`] with excerpts of the text.
//!
//! ```
//! use located_toml::problem::{Place, Source};
//! use located_toml::report::Sources;
//! use located_toml::section::Section;
//! use located_toml::{ReportStyle, walk};
//!
//! let text = "threads = 0\nnmae = \"block\"\n";
//! let (threads, problems) = walk(text, |table, problems| {
//!     let root = Section::new(table, Place::new(Source::File, 0..0));
//!     root.deny_unknown("the settings", &["name", "threads"], problems, |_| None);
//!     root.get("threads").and_then(|field| field.integer(1, 1024, problems))
//! });
//! assert_eq!((threads, problems.len()), (None, 2));
//! let report = Sources::new("settings.toml", text, &[]).errors(problems).report(ReportStyle::Plain, 80);
//! assert!(report.contains("did you mean `name`?") && report.contains("2 errors in settings.toml"));
//! ```
//!
//! What it does not do: deserialise into types (`serde` with the `toml` crate does, up to the first error), and write TOML.
//!
//! Sources: the TOML specification 1.0; the `toml` crate's parser, which recovers from errors.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use toml::de::DeTable;

use problem::{Lines, Place, Problem, Problems, Source};

mod excerpt;
pub mod file;
pub mod problem;
pub mod regular_file;
pub mod report;
pub mod section;
pub mod words;

pub use report::{DocumentError, DocumentErrors, ReportStyle};

/// Parses a file's text as far as it can be parsed and has `read` make something of it. Gives what that made, and all
/// problems but those that may come from a syntax error elsewhere.
pub fn walk<T>(text: &str, read: impl FnOnce(&DeTable<'_>, &mut Problems) -> T) -> (T, Vec<Problem>) {
    let mut problems = Problems::default();
    let (table, broken) = section::parse(text, Source::File, &mut problems);
    let syntax_errors = problems.list.len();
    let result = read(table.get_ref(), &mut problems);
    let mut problems = problems.list;
    if syntax_errors > 0 {
        let found = problems.split_off(syntax_errors);
        let lines = Lines::new(text);
        problems.extend(found.into_iter().filter(|problem| !follows(problem, &lines, &broken)));
    }
    (result, problems)
}

/// Whether a problem may come from a syntax error: it is about something missing, or on a line that did not parse.
fn follows(problem: &Problem, lines: &Lines, broken: &HashSet<usize>) -> bool {
    let on_broken_line = |place: &Place| {
        place.source == Source::File && (lines.of(place.start)..=lines.of(place.end)).any(|line| broken.contains(&line))
    };
    problem.absence || problem.labels.iter().any(|(place, _)| on_broken_line(place))
}
