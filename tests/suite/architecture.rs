//! The invariants of `ARCHITECTURE.md` that text can show.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Files under `src/`, by their path from there, with their text.
fn sources() -> Vec<(String, String)> {
    sources_of("src")
}

/// Files under a folder, by their path from there, with their text.
fn sources_of(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    source_files(&root, &mut files);
    assert!(files.len() > 20, "the sources were not found");
    files
        .iter()
        .map(|path| (path.strip_prefix(&root).unwrap().display().to_string(), fs::read_to_string(path).unwrap()))
        .collect()
}

/// Asserts that no file outside `allowed` folders contains one of `words` outside comments.
fn assert_only(allowed: &[&str], words: &[&str]) {
    for (path, text) in sources() {
        if allowed.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for word in words {
                assert!(!code.contains(word), "src/{path}:{}: only {allowed:?} may use {word}: {line}", number + 1);
            }
        }
    }
}

#[test]
fn only_device_cuda_knows_cudarc() {
    assert_only(&["device/cuda"], &["cudarc"]);
}

#[test]
fn only_device_cuda_knows_nvml() {
    assert_only(&["device/cuda"], &["nvml_wrapper"]);
}

#[test]
fn only_worker_and_cli_start_processes() {
    assert_only(&["worker", "cli"], &["process::{Child", "process::Command", "Command::new(", "Stdio"]);
}

#[test]
fn only_chart_knows_plotters_and_tiny_skia() {
    assert_only(&["chart"], &["plotters", "tiny_skia", "ttf_parser"]);
}

#[test]
fn only_cli_prints() {
    assert_only(
        &["cli"],
        &["println!", "eprintln!", "print!(", "eprint!(", "stdout()", "stderr()", "indicatif", "clap"],
    );
}

#[test]
fn pure_modules_do_no_input_or_output() {
    let pure = [
        "compare",
        "estimate",
        "family",
        "finding",
        "ladder",
        "model",
        "workload",
        "malformed.rs",
        "parameter",
        "published",
        "record",
        "report",
    ];
    for (path, text) in sources() {
        if pure.iter().any(|module| path.starts_with(module)) {
            for word in ["std::fs", "File::", "std::io", "std::env"] {
                assert!(!text.contains(word), "src/{path} uses {word}");
            }
        }
    }
}

/// The top-level module that a file under `src/` is of.
fn module_of(path: &str) -> &str {
    path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

/// Which top-level module names which other one, with the lines that do, tests among them.
fn dependencies(sources: &[(String, String)]) -> BTreeMap<(&str, &str), Vec<String>> {
    let modules: BTreeSet<&str> = sources.iter().map(|(path, _)| module_of(path)).collect();
    let mut found: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for (path, text) in sources.iter().filter(|(path, _)| path != "lib.rs" && path != "main.rs") {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for after in code.split("crate::").skip(1) {
                assert!(!after.starts_with('{'), "src/{path}:{}: `use` each module of the crate by itself", number + 1);
                let name = after.split(|end: char| !end.is_alphanumeric() && end != '_').next().unwrap_or_default();
                if let Some(other) = modules.get(name).filter(|other| **other != module_of(path)) {
                    let place = format!("src/{path}:{}: {}", number + 1, code.trim());
                    found.entry((module_of(path), *other)).or_default().push(place);
                }
            }
        }
    }
    found
}

#[test]
fn top_level_modules_have_no_circles() {
    let sources = sources();
    let dependencies = dependencies(&sources);
    assert!(dependencies.contains_key(&("chart", "scenario")), "the dependencies were not found");
    let reaches = |from: &str, to: &str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(module) = left.pop().filter(|module| *module != to) {
            let next = dependencies.keys().filter(|(from, _)| *from == module).map(|(_, to)| *to);
            left.extend(next.filter(|module| seen.insert(*module)));
        }
        seen.contains(to)
    };
    let circular = dependencies.iter().filter(|((from, to), _)| reaches(to, from));
    let told: Vec<String> =
        circular.map(|((from, to), lines)| format!("{from} -> {to}\n    {}", lines.join("\n    "))).collect();
    assert!(told.is_empty(), "modules that depend on each other:\n{}", told.join("\n"));
}

/// Borders between crates are Cargo's; these are within one.
#[test]
fn layers_of_the_simulator_know_only_those_below() {
    let simulator = "crates/gpu-simulator/src";
    for (layer, words) in [
        ("hardware", &["arithmetic::", "program::", "execute::", "cost::", "counters::", "timing::", "machine::"][..]),
        ("arithmetic", &["execute::", "cost::", "counters::", "timing::", "profile::", "program::", "machine::"]),
        ("program", &["execute::", "cost::", "counters::", "timing::", "profile::", "machine::"]),
        ("execute", &["cost::", "counters::", "timing::", "machine::"]),
        ("cost", &["execute::", "counters::", "timing::", "program::", "machine::"]),
        ("timing", &["counters::", "machine::"]),
    ] {
        let is_of_layer = |path: &str| path.starts_with(layer) && !path.contains("test");
        let files: Vec<_> = sources_of(simulator).into_iter().filter(|(path, _)| is_of_layer(path)).collect();
        assert!(!files.is_empty(), "{simulator}/{layer} is not there");
        for (path, text) in files {
            for word in words {
                assert!(!text.contains(&format!("crate::{word}")), "{simulator}/{path} uses {word}");
                assert!(!text.contains(&format!("super::{word}")), "{simulator}/{path} uses {word}");
            }
        }
    }
}

#[test]
fn files_stay_short_enough_to_read() {
    for folder in ["src", "crates"] {
        for (path, text) in sources_of(folder) {
            let lines = text.lines().count();
            assert!(lines <= 500, "{folder}/{path} has {lines} lines; split it by purpose");
        }
    }
}
