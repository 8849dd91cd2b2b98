//! Names as scenarios have them, of the names of a source.

use crate::record::{LEADING_COLUMNS, RESULT_COLUMNS};
use crate::user_kernel::{FUNCTIONS, STEP};

/// The most letters of a name.
const LONGEST: usize = 40;

/// Names that are given so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: Vec<String>,
}

impl Names {
    /// A name that nobody has yet, as close to this one as scenarios allow.
    pub(super) fn take(&mut self, name: &str) -> String {
        let mut own = snake(name);
        if is_reserved(&own) {
            own += "_of_kernel";
        }
        let mut found = own.clone();
        let mut number = 2;
        while self.taken.contains(&found) {
            found = format!("{own}_{number}");
            number += 1;
        }
        self.taken.push(found.clone());
        found
    }
}

/// Whether a name means something in a scenario already.
fn is_reserved(name: &str) -> bool {
    let of_expressions = FUNCTIONS.split(|letter: char| !letter.is_ascii_alphanumeric());
    let columns = LEADING_COLUMNS.into_iter().chain(RESULT_COLUMNS).chain([STEP, "i", "bytes", "operations"]);
    columns.chain(of_expressions.filter(|own| own.len() > 1)).any(|own| own == name)
}

/// `numElements` as `num_elements`: lower case, beginning with a letter, no longer than names are.
pub(super) fn snake(name: &str) -> String {
    let mut own = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && was_lower {
            own.push('_');
        }
        was_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        own.push(if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' });
    }
    while own.contains("__") {
        own = own.replace("__", "_");
    }
    let own = own.trim_matches('_');
    let begins = own.starts_with(|letter: char| letter.is_ascii_lowercase());
    let own = if begins { own.to_owned() } else { format!("p_{own}") };
    // Room for a number and for what sets it apart from a column.
    own.chars().take(LONGEST - 14).collect::<String>().trim_end_matches('_').to_owned()
}

/// Names without what all of them begin with, up to a `_`.
pub(super) fn without_common_start(names: &[String]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = names.iter().map(|name| name.split('_').collect()).collect();
    let is_common = |count: usize| parts.iter().all(|own| own.len() > count && own[..count] == parts[0][..count]);
    let begins =
        |count: usize| parts.iter().all(|own| own[count].starts_with(|first: char| first.is_ascii_lowercase()));
    let common = (0..8).take_while(|count| is_common(*count)).filter(|count| begins(*count)).last().unwrap_or(0);
    if names.len() < 2 {
        return names.to_vec();
    }
    parts.iter().map(|own| own[common..].join("_")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sources_become_names_of_scenarios() {
        let mut names = Names::default();
        for (source, expected) in [
            ("numElements", "num_elements"),
            ("N", "n"),
            ("n", "n_2"),
            ("__x", "x"),
            ("3d", "p_3d"),
            ("status", "status_of_kernel"),
            ("max", "max_of_kernel"),
            ("a::b<32>", "a_b_32"),
            ("größe", "gr_e"),
            ("", "p"),
        ] {
            assert_eq!(names.take(source), expected, "{source}");
        }
    }

    #[test]
    fn variants_have_what_sets_them_apart() {
        let names = |all: &[&str]| without_common_start(&all.iter().map(|own| (*own).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["transpose_naive", "transpose_tiled"]), ["naive", "tiled"]);
        assert_eq!(names(&["stencil_float_3", "stencil_float_5"]), ["float_3", "float_5"]);
        assert_eq!(names(&["sum", "sum_fast"]), ["sum", "sum_fast"]);
        assert_eq!(names(&["saxpy_one"]), ["saxpy_one"]);
    }
}
