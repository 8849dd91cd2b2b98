//! The commands of the README and the book, run as they stand.
//!
//! A block of `sh` is a list of commands. A block of `console` has commands behind `$ `, each with what it prints, in which a
//! line `...` stands for any lines. The comment `<!-- not run: REASON -->` before a block keeps its commands from being run.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{LazyLock, Mutex};

use tempfile::TempDir;

use super::documents;
use super::markdown::{Block, blocks, code_spans, root};
use crate::common::files_below;

/// Runs that examples name, and the committed runs that stand for them.
const RUNS: [(&str, &str); 3] = [
    ("my-run", "results/nvidia-h200/branching"),
    ("other-run", "results/simulated-h200/branching"),
    ("my-ladder", "results/nvidia-h200/trapezoid"),
];
/// What a sweep into a directory gets, so that it takes no time.
pub(super) const SMALL_SWEEP: &str = " --device mock --set width=64 --set branches=1,2,4,8";

/// A folder that looks like the repository, in which examples may write.
pub(super) fn scratch(page: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["scenarios", "crates"] {
        symlink(root().join(name), folder.path().join(name)).unwrap();
    }
    let devices = fs::read_dir(root().join("results")).unwrap().map(|entry| entry.unwrap().path());
    for device in devices.filter(|path| path.is_dir()) {
        let here = folder.path().join("results").join(device.file_name().unwrap());
        fs::create_dir_all(&here).unwrap();
        for run in fs::read_dir(&device).unwrap().map(|entry| entry.unwrap().path()) {
            let name = run.strip_prefix(root()).unwrap().display().to_string();
            let target = folder.path().join(&name);
            if page.contains(&name) { copy(&run, &target) } else { symlink(&run, &target).unwrap() }
        }
    }
    for (name, run) in RUNS {
        copy(&root().join(run), &folder.path().join(name));
    }
    fs::write(folder.path().join("mine.toml"), "family = \"branching\"\n").unwrap();
    folder
}

/// Copies a file or folder.
fn copy(from: &Path, to: &Path) {
    let files = if from.is_dir() { files_below(from) } else { vec![from.to_owned()] };
    for file in files {
        let target = if from.is_dir() { to.join(file.strip_prefix(from).unwrap()) } else { to.to_owned() };
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(&file, target).unwrap();
    }
}

/// Runs a line of shell in a folder, where `apbench` is on the PATH.
pub(super) fn shell(command: &str, folder: &Path) -> Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_apbench")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .env("HOME", folder);
    shell.env_remove("XDG_STATE_HOME").output().unwrap()
}

/// The commands of a block of `sh`, without their comments; a line that ends with a backslash goes on.
fn commands(block: &Block<'_>) -> Vec<String> {
    let whole = block.lines.join("\n").replace("\\\n", " ");
    let without_comment = |line: &str| line.split(" #").next().unwrap_or_default().trim().to_owned();
    whole.lines().map(without_comment).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The command as the test runs it: a sweep whose run is used is a small one on the mock, any other a dry run.
fn quickened(command: &str, is_used: bool) -> String {
    match command {
        sweep if !sweep.starts_with("apbench sweep ") || sweep.contains("--dry-run") => sweep.to_owned(),
        sweep if is_used || sweep.contains(" --out ") => format!("{sweep}{SMALL_SWEEP}"),
        sweep => format!("{sweep} --dry-run"),
    }
}

/// Whether the lines that were printed are those expected, in which `...` stands for any lines.
pub(super) fn agrees(expected: &[&str], printed: &[&str]) -> bool {
    match expected {
        [] => printed.is_empty(),
        ["...", rest @ ..] => (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..])),
        [line, rest @ ..] => printed.first() == Some(line) && agrees(rest, &printed[1..]),
    }
}

/// What is wrong with the examples of a page.
fn mistakes(page: &str) -> Vec<String> {
    let folder = scratch(page);
    let mut mistakes = Vec::new();
    let mut run = |command: &str, run: &str| {
        let output = shell(run, folder.path());
        if !output.status.success() {
            mistakes.push(format!("$ {command}\n{}: {}", output.status, String::from_utf8_lossy(&output.stderr)));
        }
        String::from_utf8(output.stdout).unwrap()
    };
    let mut different = Vec::new();
    for block in blocks(page).iter().filter(|block| block.not_run.is_none()) {
        if block.language == "sh" {
            let uses_last = block.lines.iter().any(|line| line.contains(" last"));
            for command in
                commands(block).iter().filter(|command| command.starts_with("apbench ") || command.starts_with("cp "))
            {
                run(command, &quickened(command, uses_last));
            }
        }
        if block.language == "console" {
            let [command, expected @ ..] = &block.lines[..] else { continue };
            let command = command.strip_prefix("$ ").expect("a block of console begins with a command");
            let printed = run(command, command);
            if !agrees(expected, &printed.lines().collect::<Vec<_>>()) {
                different.push(format!("$ {command}\nprints something else:\n{printed}"));
            }
        }
    }
    mistakes.extend(different);
    mistakes
}

#[test]
fn examples_do_what_the_page_says() {
    let has_examples = |page: &String| blocks(page).iter().any(|block| ["sh", "console"].contains(&block.language));
    let pages = documents().into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap()));
    let pages: Vec<_> = pages.filter(|(_, page)| has_examples(page)).collect();
    assert!(pages.len() > 10, "the pages were not found");
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for (path, page) in &pages {
            let found = &found;
            scope.spawn(move || {
                let mistakes = mistakes(page);
                found.lock().unwrap().insert(path, mistakes)
            });
        }
    });
    let mut told = String::new();
    for (path, mistakes) in found.into_inner().unwrap().into_iter().filter(|(_, mistakes)| !mistakes.is_empty()) {
        told += &format!("{}:\n{}\n", path.display(), mistakes.join("\n"));
    }
    assert!(told.is_empty(), "{told}");
}

/// The help of each command, by its name.
static HELP: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let help =
        |arguments: &str| String::from_utf8(shell(&format!("apbench {arguments}"), folder.path()).stdout).unwrap();
    let overview = help("--help");
    let listed = overview.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(|name| (name.to_owned(), help(&format!("{name} --help")))).collect()
});

/// What is wrong with a command that is not run: an unknown command or option.
fn unknown_words(command: &str) -> Option<String> {
    let mut words = command.split_whitespace().skip(1);
    let name = words.next()?;
    let Some(help) = HELP.get(name) else {
        let is_placeholder =
            name.starts_with('-') || name.starts_with(|first: char| first.is_uppercase() || first == '.');
        return (!is_placeholder).then(|| format!("`{command}`: there is no command {name}"));
    };
    let options = words.filter(|word| word.starts_with("--")).map(|word| word.split('=').next().unwrap_or(word));
    let unknown =
        options.filter(|option| !help.contains(&format!("{option} ")) && !help.contains(&format!("{option}\n")));
    unknown.map(|option| format!("`{command}`: there is no option {option}")).next()
}

#[test]
fn commands_in_documents_exist() {
    for path in documents() {
        let page = fs::read_to_string(&path).unwrap();
        let blocks = blocks(&page);
        let shown = blocks.iter().filter(|block| block.language == "sh").flat_map(commands);
        let mut found: Vec<String> = code_spans(&page).into_iter().chain(shown).collect();
        found.retain(|command| command.starts_with("apbench "));
        let unknown: Vec<String> = found.iter().filter_map(|command| unknown_words(command)).collect();
        assert!(unknown.is_empty(), "{}:\n{}", path.display(), unknown.join("\n"));
    }
}
