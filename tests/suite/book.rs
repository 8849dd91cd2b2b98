//! What the README and the book show is what people get.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Workspace, files_below, stderr, stdout};

mod counted;
mod diagnose;
mod examples;
mod markdown;
mod own_kernel;
mod user_kernel;
mod workflows;

use markdown::{anchors, code_spans, links, root, text};

/// The most lines of the README: one page before the first result.
const README_LINES: usize = 150;

/// Every document: the README and its neighbours, the pages of the book, and the pages beside the runs and scripts.
fn documents() -> Vec<PathBuf> {
    let mut documents: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).into();
    for folder in ["docs/src", "docs/slurm", "results", "tests/gpu"] {
        let pages = files_below(&root().join(folder)).into_iter();
        documents.extend(pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    documents
}

/// The first fenced block of this language, after the text `after`.
fn block<'a>(page: &'a str, after: &str, language: &str) -> &'a str {
    let start = page.find(after).unwrap_or_else(|| panic!("the page says no more: {after}"));
    let fence = format!("```{language}\n");
    let block = &page[start..];
    let block = &block[block.find(&fence).expect("a block") + fence.len()..];
    &block[..block.find("```").expect("an end")]
}

#[test]
fn the_readme_is_one_page() {
    let lines = text("README.md").lines().count();
    assert!(
        lines <= README_LINES,
        "README.md has {lines} lines, {README_LINES} at most: move something into docs/src/"
    );
}

#[test]
fn the_scenario_in_the_readme_runs() {
    let workspace = Workspace::new();
    fs::write(workspace.path("small.toml"), block(&text("README.md"), "A scenario of your own", "toml")).unwrap();
    let assert = workspace.sweep("", &["--set", "width=32"]).code(0);
    assert!(stdout(&assert).contains("12 of 12 points: 12 ok"), "{}", stdout(&assert));
    assert!(!stdout(&assert).contains("no fit"), "{}", stdout(&assert));
}

#[test]
fn the_scenario_with_every_key_runs() {
    let page = text("docs/src/how-to/own-scenario.md");
    let workspace = Workspace::new();
    fs::write(workspace.path("small.toml"), block(&page, "## Every key", "toml")).unwrap();
    let assert = workspace.sweep("", &["--set", "width=32"]).code(0);
    assert!(stdout(&assert).contains("24 of 24 points: 24 ok"), "{}", stdout(&assert));
}

#[test]
fn mistakes_are_reported_as_the_book_shows() {
    let page = text("docs/src/how-to/own-scenario.md");
    let workspace = Workspace::new();
    fs::write(workspace.path("bad.toml"), block(&page, "## If something is wrong", "toml")).unwrap();
    let assert = workspace.apbench(&["sweep", "bad.toml", "--dry-run"]).assert().code(2);
    assert_eq!(stderr(&assert), block(&page, "## If something is wrong", "text"));
}

/// Whether git ignores one of these files.
fn are_ignored(files: &[PathBuf]) -> bool {
    let mut git = std::process::Command::new("git");
    let output = git.current_dir(root()).args(["check-ignore", "--"]).args(files).output();
    output.is_ok_and(|output| output.status.success())
}

/// Files of the repository that a document points to are there, and not ignored by git.
#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    for document in documents() {
        let page = fs::read_to_string(&document).unwrap();
        let folder = document.parent().unwrap();
        let name = document.strip_prefix(root()).unwrap().display();
        for link in links(&page) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { document.clone() } else { folder.join(file) };
            let has_heading = |page: String| anchors(&page).iter().any(|anchor| anchor == heading);
            let is_there = heading.is_empty() || fs::read_to_string(&target).is_ok_and(has_heading);
            if !target.exists() || !is_there {
                broken.push(format!("{name}: {link}"));
            }
        }
        let files: Vec<PathBuf> =
            links(&page).into_iter().map(|link| folder.join(link.split('#').next().unwrap())).collect();
        if !files.is_empty() && are_ignored(&files) {
            broken.push(format!("{name}: a link leads to a file that git ignores"));
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Where the tables of `ARCHITECTURE.md` and `CONTRIBUTING.md` say that their paths begin.
const PATHS_BEGIN: [&str; 11] = [
    "",
    "src",
    "src/chart",
    "src/device",
    "src/family",
    "src/report",
    "src/scenario/requests",
    "cuda",
    "docs",
    "crates/gpu-simulator",
    "crates/gpu-simulator/src",
];

/// Whether a piece of code is a file or folder of the repository, and not of a run or a pattern such as `cuda/NAME.cu`.
fn is_path(span: &str) -> bool {
    let is_file = [".rs", ".cu", ".sh", ".md"].iter().any(|end| span.len() > end.len() && span.ends_with(end));
    (is_file || span.contains('/')) && !["NAME", "*", " ", "://", "target/"].iter().any(|odd| span.contains(odd))
}

#[test]
fn paths_named_for_contributors_exist() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let spans = code_spans(&text(document));
        let paths: Vec<&String> = spans.iter().filter(|span| is_path(span)).collect();
        assert!(paths.len() > 20, "{document}: the paths were not found");
        let is_there = |path: &str| PATHS_BEGIN.iter().any(|base| root().join(base).join(path).exists());
        let lost: Vec<_> = paths.into_iter().filter(|path| !is_there(path)).collect();
        assert!(lost.is_empty(), "{document} names what is not there: {lost:?}");
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let source = root().join("docs/src");
    let summary = text("docs/src/SUMMARY.md");
    let listed: Vec<PathBuf> = links(&summary).into_iter().map(|link| source.join(link)).collect();
    for page in files_below(&source) {
        let is_page = page.extension().is_some_and(|extension| extension == "md") && !page.ends_with("SUMMARY.md");
        assert!(!is_page || listed.contains(&page), "docs/src/SUMMARY.md does not list {}", page.display());
    }
    for page in &listed {
        assert!(page.exists(), "docs/src/SUMMARY.md lists {}, which does not exist", page.display());
    }
}

/// Parts of the book that are files elsewhere, such as `ARCHITECTURE.md`, are there.
#[test]
fn included_files_exist() {
    for page in files_below(&root().join("docs/src")) {
        for included in fs::read_to_string(&page).unwrap_or_default().split("{{#include ").skip(1) {
            let file = included.split("}}").next().unwrap();
            assert!(page.parent().unwrap().join(file).exists(), "{}: includes {file}", page.display());
        }
    }
}

/// The header of a CSV text.
fn header(csv: &str) -> impl Iterator<Item = &str> {
    csv.lines().next().unwrap().split(',')
}

/// Asserts that the reference page explains every column, unless it is a parameter, which `apbench list` explains.
fn assert_documented<'a>(what: &str, columns: impl Iterator<Item = &'a str>) {
    let page = text("docs/src/reference/columns.md");
    let parameters = stdout(&Workspace::new().apbench(&["list", "--json"]).assert().code(0));
    for column in columns {
        let is_documented = page.contains(&format!("`{column}`"));
        let is_parameter = parameters.contains(&format!("\"name\": \"{column}\""));
        assert!(is_documented || is_parameter, "{what}: docs/src/reference/columns.md does not explain {column}");
    }
}

#[test]
fn every_column_that_is_printed_is_explained() {
    let run = |name: &str| Path::new(&root()).join("results").join(name).display().to_string();
    let (measured, simulated) = (run("nvidia-h200/branching"), run("simulated-h200/branching"));
    let ladder = run("nvidia-h200/trapezoid");
    for arguments in [&["compare", &measured, &simulated, "--csv"][..], &["ladder", &ladder, "--csv"]] {
        let printed = stdout(&Workspace::new().apbench(arguments).assert().code(0));
        assert_documented(&arguments.join(" "), header(&printed));
    }
    let table =
        Workspace::new().apbench(&["compare", "--table", "4.1", &measured, "--csv"]).current_dir(root()).assert();
    assert_documented("compare --table", header(&stdout(&table.code(0))));
}
