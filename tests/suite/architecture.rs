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
    assert!(!files.is_empty(), "the sources of {folder} were not found");
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
fn only_worker_cli_and_compiler_start_processes() {
    assert_only(&["worker", "cli", "compiler"], &["process::{Child", "process::Command", "Command::new(", "Stdio"]);
}

#[test]
fn only_chart_knows_plotters_and_tiny_skia() {
    assert_only(&["chart"], &["plotters", "tiny_skia", "ttf_parser"]);
}

/// Fits with their intervals are the crate `least-squares`; what is left here are the tests between two runs.
#[test]
fn only_compare_knows_distributions() {
    assert_only(&["compare"], &["statrs"]);
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
        "known_error",
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

#[test]
fn files_are_short_on_the_whole() {
    let all = ["src", "crates"].into_iter().flat_map(sources_of);
    let mut lines: Vec<usize> = all.map(|(_, text)| text.lines().count()).collect();
    lines.sort_unstable();
    let median = lines[lines.len() / 2];
    assert!(median < 200, "half of the files have {median} lines or more");
}

/// A function: its name, its lines as they are below its first, and whether it belongs to a trait's implementation.
struct Function {
    name: String,
    lines: Vec<String>,
    is_of_trait: bool,
}

/// The functions of a text that rustfmt has laid out: each ends with a brace as far in as it begins.
fn functions(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut found, mut is_of_trait) = (Vec::new(), false);
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with("impl") {
            is_of_trait = line.contains(" for ");
        }
        let words = line.trim_start().split("fn ").next().unwrap_or_default();
        let is_function =
            words.split_whitespace().all(|word| word.starts_with("pub") || ["const", "in"].contains(&word));
        let Some((_, rest)) = line.split_once("fn ").filter(|_| is_function) else { continue };
        let name = rest.split(|end: char| !end.is_alphanumeric() && end != '_').next().unwrap_or_default().to_owned();
        let end = |other: &&str| other.trim() == "}" && indent(other) == indent(line);
        let body = lines[number + 1..].iter().take_while(|other| !end(other));
        let lines = std::iter::once(rest).chain(body.map(|line| line.trim())).map(str::to_owned).collect();
        found.push(Function { name, lines, is_of_trait: is_of_trait && line.starts_with(' ') });
    }
    found
}

#[test]
fn no_function_is_written_twice() {
    /// Lines from which on a copy costs more than a name for it.
    const LINES_LEAST: usize = 4;
    let mut places: BTreeMap<Vec<String>, BTreeSet<String>> = BTreeMap::new();
    for folder in ["src", "crates", "tests/suite"] {
        for (path, text) in sources_of(folder) {
            for function in functions(&text).into_iter().filter(|function| function.lines.len() >= LINES_LEAST) {
                places.entry(function.lines).or_default().insert(format!("{folder}/{path}: {}", function.name));
            }
        }
    }
    assert!(places.len() > 1000, "the functions were not found");
    let copied: Vec<_> = places.into_values().filter(|places| places.len() > 1).collect();
    assert!(copied.is_empty(), "functions that are copies of each other: {copied:#?}");
}

/// A file without comments and without what is compiled for tests alone.
fn without_tests(text: &str) -> String {
    let mut lines = text.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept += line.split("//").next().unwrap_or_default();
            kept.push('\n');
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - line.trim_start().len()]);
        if lines.next().is_some_and(|item| item.ends_with('{')) {
            lines.by_ref().take_while(|line| *line != end).for_each(drop);
        }
    }
    kept
}

/// The compiler says so of what is private.
#[test]
fn no_function_is_for_tests_alone() {
    let is_shipped = |path: &str| !["tests/", "tests.rs", "fixtures"].iter().any(|word| path.contains(word));
    let own: Vec<(String, String)> = sources().into_iter().filter(|(path, _)| is_shipped(path)).collect();
    let own: Vec<(String, String)> = own.into_iter().map(|(path, text)| (path, without_tests(&text))).collect();
    let benchmarks = sources_of("tests/bench").into_iter().chain(sources_of("tests/fuzz")).map(|(_, text)| text);
    let others: Vec<String> = benchmarks.collect();
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    for text in own.iter().map(|(_, text)| text).chain(&others) {
        // What is only passed on is not used.
        for line in text.lines().filter(|line| !line.starts_with("pub use ") && !line.starts_with("use ")) {
            for word in line.split(|end: char| !end.is_alphanumeric() && end != '_') {
                *named.entry(word).or_default() += 1;
            }
        }
    }
    let mut unused = Vec::new();
    for (path, text) in &own {
        let functions = functions(text).into_iter().filter(|function| !function.is_of_trait && function.name != "main");
        unused.extend(
            functions.filter(|own| named[own.name.as_str()] == 1).map(|own| format!("src/{path}: {}", own.name)),
        );
    }
    assert!(unused.is_empty(), "functions that only tests call: {unused:#?}");
}
