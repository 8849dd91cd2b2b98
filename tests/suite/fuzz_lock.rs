//! The lock file of the fuzz targets, which no build of the workspace reads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

fn table(path: &Path) -> Table {
    fs::read_to_string(path).unwrap().parse().unwrap()
}

/// What a package that others depend on is built with.
fn dependencies(manifest: &Table) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = targets.filter_map(Value::as_table).chain([manifest]);
    let kinds = tables.flat_map(|table| [table.get("dependencies"), table.get("build-dependencies")]);
    kinds.flatten().filter_map(Value::as_table).flat_map(Table::keys).cloned().collect()
}

#[test]
fn the_fuzz_targets_lock_file_has_what_the_packages_depend_on() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = table(&root.join("tests/fuzz/Cargo.lock"));
    let mut locked: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().unwrap() {
        let names = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        // Where several versions are locked, a name has its version behind it.
        let names = names.map(|name| name.as_str().unwrap().split(' ').next().unwrap().to_owned());
        // What is of this repository has no source.
        if package.get("source").is_none() {
            locked.insert(package["name"].as_str().unwrap(), names.collect());
        }
    }
    assert!(locked.len() > 3, "{locked:?}");
    for (name, locked) in locked {
        let folder = match name {
            "apbench" => root.to_owned(),
            "apbench-fuzz" => root.join("tests/fuzz"),
            library => root.join("crates").join(library),
        };
        let expected = dependencies(&table(&folder.join("Cargo.toml")));
        assert_eq!(locked, expected, "{name}: cargo update --workspace --manifest-path tests/fuzz/Cargo.toml mends it");
    }
}
