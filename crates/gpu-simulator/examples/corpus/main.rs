//! Tells how much of the PTX below a folder the simulated GPU takes: whether each file parses, each kernel decodes, and a small launch
//! of it is accepted.
//!
//!     cargo run --release -p gpu-simulator --example corpus -- FOLDER [--csv FILE.csv] [--gpu-profile h200] [--steps 100000]
//!
//! A launch has two blocks of 64 threads, or of as many as the kernel asks for. Its arguments are made up from the signature: every
//! pointer is to a buffer of small whole numbers, every number is small. A kernel that goes wrong with them was launched all the same:
//! what counts is that nothing in it was refused.

mod judge;
mod tally;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gpu_simulator::{Machine, Profile};
use located_toml::ReportStyle;

use judge::Verdict;

const USAGE: &str = "usage: corpus FOLDER [--csv FILE.csv] [--gpu-profile h200|a100|FILE.toml] [--steps INSTRUCTIONS]";
/// Instructions of a warp, unless others are asked for.
const STEPS: u64 = 100_000;

/// The PTX files below a folder, sorted; links are not followed.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn run(mut words: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(words.next().ok_or(USAGE)?);
    let (mut csv, mut profile, mut steps) = (None, "h200".to_owned(), STEPS);
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
        match option.as_str() {
            "--csv" => csv = Some(value),
            "--gpu-profile" => profile = value,
            "--steps" => steps = value.parse().map_err(|_| format!("`{value}` is not a number of instructions"))?,
            _ => return Err(format!("there is no option {option}\n{USAGE}").into()),
        }
    }
    let mut profile = Profile::load(&profile).map_err(|errors| errors.report(ReportStyle::Plain, 100))?;
    profile.step_limit = steps;
    let machine = Machine::new(profile);
    let mut verdicts: Vec<Verdict> = Vec::new();
    for path in files_below(&folder)? {
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        judge::file(&machine, &name, &String::from_utf8_lossy(&bytes), &mut verdicts);
    }
    if let Some(path) = csv {
        std::fs::write(&path, tally::csv(&verdicts)).map_err(|error| format!("{path}: {error}"))?;
    }
    print!("{}", tally::summary(&verdicts));
    Ok(())
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
