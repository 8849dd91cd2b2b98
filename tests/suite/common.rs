//! What the tests of the command line share.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// A folder of its own for a test, with a small scenario in it.
pub(crate) struct Workspace {
    folder: TempDir,
}

/// Two operations and four numbers of branches, small enough to run in no time.
pub(crate) const SCENARIO: &str = r#"
title = "Runtime against branches"
family = "branching"

[grid]
operation = ["compute", "convolution"]
branches = [1, 2, 4, 8]
width = 64
work = 2

[[fit]]
law = "branches"

[[chart]]
x = "branches"
series = ["operation"]
"#;

impl Workspace {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("small.toml"), SCENARIO).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// `apbench` with these arguments, run in the folder.
    pub(crate) fn apbench(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("apbench").unwrap();
        command.current_dir(self.folder.path()).env("NO_COLOR", "1").args(arguments);
        command
    }

    /// Sweeps the small scenario on the mock into `run`.
    pub(crate) fn sweep(&self, mock: &str, more: &[&str]) -> assert_cmd::assert::Assert {
        let device = format!("mock:{mock}");
        let mut arguments = vec!["sweep", "small.toml", "--device", &device, "--out", "run"];
        arguments.extend(more);
        self.apbench(&arguments).assert()
    }
}

/// Standard output as text.
pub(crate) fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Standard error as text.
pub(crate) fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// The cells of one column of a CSV text, by its header.
pub(crate) fn column(text: &str, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let index =
        reader.headers().unwrap().iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"));
    reader.records().map(|row| row.unwrap()[index].to_owned()).collect()
}

/// Every file below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}
