//! The reference pages are those that the program writes, and they list what the committed runs have.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use apbench::family::FAMILIES;

use crate::common::{Workspace, files_below};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

pub(crate) fn committed(page: &str) -> String {
    let path = root().join("docs/src/reference").join(page);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_pages_are_those_that_the_program_writes() {
    let workspace = Workspace::new();
    workspace.apbench(&["reference", "--out", "pages"]).assert().code(0);
    for page in ["commands.md", "scenarios.md", "columns.md", "families.md", "laws.md", "profiles.md", "drivers.md"] {
        let (committed, written) = (committed(page), workspace.read(&format!("pages/{page}")));
        let difference = committed.lines().zip(written.lines()).find(|(one, other)| one != other);
        assert!(
            committed == written,
            "docs/src/reference/{page} is not what the program writes; `cargo run -- reference` mends it; first \
             difference: {difference:?}"
        );
    }
}

/// The names in the first column of the tables below a heading, up to the next of its level.
pub(crate) fn names_below(page: &str, heading: &str) -> BTreeSet<String> {
    let start = page.find(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let section = &page[start + 1..];
    let section = section.find("\n## ").map_or(section, |end| &section[..end]);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_owned).collect()
}

/// The columns of a file of the committed runs, over all of them.
fn columns_of(file: &str) -> BTreeSet<String> {
    let files = files_below(&root().join("results"));
    let files = files.iter().filter(|path| path.file_name().is_some_and(|name| name == file));
    let headers: Vec<String> =
        files.map(|path| fs::read_to_string(path).unwrap().lines().next().unwrap_or_default().to_owned()).collect();
    assert!(!headers.is_empty(), "no {file}");
    headers.iter().flat_map(|header| header.split(',')).map(str::to_owned).collect()
}

/// What tells points of families apart, and what laws are fitted against.
fn names_of_families() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for family in FAMILIES {
        names.extend(family.parameters.iter().map(|own| own.name.to_owned()));
        names.extend(family.predictors.iter().map(|own| own.name.to_owned()));
    }
    names.insert("variant".to_owned());
    names
}

#[test]
fn the_reference_lists_the_columns_of_committed_runs_and_no_others() {
    let page = committed("columns.md");
    let of_families = names_of_families();
    for file in ["points.csv", "rounds.csv", "fits.csv", "estimate.csv"] {
        let (listed, mut written) = (names_below(&page, &format!("`{file}`")), columns_of(file));
        // Flags are words of a column, and stand below the columns of points.
        let flags: BTreeSet<String> = ["clock", "throttled", "ungated", "short"].map(str::to_owned).into();
        let listed: BTreeSet<String> = listed.difference(&flags).cloned().collect();
        // What only some runs have is in tables of its own.
        let of_some: BTreeSet<String> =
            ["Clocks that kernels read", "Energies"].iter().flat_map(|title| names_below(&page, title)).collect();
        let is_listed = |name: &String| [&listed, &of_some, &of_families].iter().any(|names| names.contains(name));
        let unlisted: Vec<_> = written.iter().filter(|name| !is_listed(name)).collect();
        assert!(unlisted.is_empty(), "{file} has columns that the reference does not list: {unlisted:?}");
        written.extend(of_families.iter().cloned());
        let unwritten: Vec<_> = listed.difference(&written).collect();
        assert!(unwritten.is_empty(), "the reference lists columns that no committed {file} has: {unwritten:?}");
    }
}

#[test]
fn the_reference_lists_the_columns_of_samples() {
    let workspace = Workspace::new();
    workspace.sweep("", &[]).code(0);
    let header = workspace.read("run/samples.csv").lines().next().unwrap_or_default().to_owned();
    let written: BTreeSet<String> = header.split(',').map(str::to_owned).collect();
    assert_eq!(names_below(&committed("columns.md"), "`samples.csv`"), written);
}

/// Keys of JSON, those of inner objects behind a point, of lists behind `[]`.
pub(crate) fn keys(key: &str, value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members) => members.iter().for_each(|(name, member)| {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            keys(&key, member, found);
        }),
        serde_json::Value::Array(members) if members.iter().any(serde_json::Value::is_object) => {
            members.iter().for_each(|member| keys(&format!("{key}[]"), member, found));
        }
        _ => {
            found.insert(key.to_owned());
        }
    }
}

#[test]
fn the_reference_lists_the_keys_of_committed_runs() {
    let listed = names_below(&committed("columns.md"), "`run.json`");
    let covers =
        |known: &str, key: &str| key.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    // What is `null`, or an empty list, has no keys of its own.
    let is_above = |known: &str, key: &str| known.strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', '[']));
    for path in files_below(&root().join("results")).iter().filter(|path| path.ends_with("run.json")) {
        let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let mut found = BTreeSet::new();
        keys("", &json, &mut found);
        for key in found {
            let is_listed = listed.iter().any(|known| covers(known, &key) || is_above(known, &key));
            assert!(is_listed, "{}: the reference does not list {key}", path.display());
        }
    }
}
