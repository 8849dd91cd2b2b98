//! What the tests of the command line share.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::Command;
use tempfile::TempDir;

/// Whether checks are to be run in full that a part of is enough for most changes: `APBENCH_EXHAUSTIVE=1`.
pub(crate) fn is_exhaustive() -> bool {
    std::env::var_os("APBENCH_EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// A profile of a simulated device to change.
pub(crate) const H200: &str = include_str!("../../crates/gpu-simulator/src/profile/h200.toml");

/// A folder of its own for a test, with a small scenario in it.
pub(crate) struct Workspace {
    folder: TempDir,
}

/// Two operations and four numbers of branches, small enough to run in no time.
pub(crate) const SCENARIO: &str = r#"
title = "Runtime against branches"
family = "branching"
variants = ["divergent"]

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
        command.current_dir(self.folder.path()).env("NO_COLOR", "1").env_remove("COLUMNS").args(arguments);
        command
    }

    /// `apbench` with these arguments, started in the folder. What it says on standard error can be read.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        std::process::Command::new(env!("CARGO_BIN_EXE_apbench"))
            .current_dir(self.folder.path())
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// How many points a run has so far.
    pub(crate) fn rows(&self, run: &str) -> usize {
        let text = fs::read_to_string(self.path(run).join("points.csv")).unwrap_or_default();
        text.lines().count().saturating_sub(1)
    }

    /// Sweeps the small scenario on the mock into `run`.
    pub(crate) fn sweep(&self, mock: &str, more: &[&str]) -> assert_cmd::assert::Assert {
        let device = format!("mock:{mock}");
        let mut arguments = vec!["sweep", "small.toml", "--device", &device, "--out", "run"];
        arguments.extend(more);
        self.apbench(&arguments).assert()
    }
}

/// Waits for what will hold some time, whatever else the machine does.
pub(crate) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Puts a named pipe in the place of a file.
#[cfg(unix)]
pub(crate) fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Sends a signal, such as `-INT`.
pub(crate) fn send(signal: &str, child: &Child) {
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// How a process ended, and what it said on standard error.
pub(crate) fn ended(mut child: Child) -> (ExitStatus, String) {
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    (child.wait().unwrap(), errors)
}

/// Standard output as text.
pub(crate) fn stdout(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// A text without the ends of its lines, which depend on the terminal's width.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
