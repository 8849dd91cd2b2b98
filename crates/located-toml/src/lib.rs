//! TOML that people write, read with all its errors at once, each with its place, what is allowed and the nearest name.

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;

use toml::de::DeTable;

use problem::{Lines, Place, Problem, Problems, Source};

mod excerpt;
pub mod file;
pub mod problem;
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
