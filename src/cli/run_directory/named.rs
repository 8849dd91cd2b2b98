//! Runs that the command line names: by their place in time (`last`, `last~1`, `last:branching`), or as baselines.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::{RESULTS_FOLDER, baselines};
use crate::run::METADATA_FILE;
use crate::run::embedded::Embedded;
use located_toml::regular_file;
use located_toml::words::{count, instead, nearest, quote, same_name};

/// What names begin with.
pub(in crate::cli) const LAST: &str = "last";

/// Takes a run directory: a path, the name of a baseline, or of one of the newest runs under `results/`.
pub(in crate::cli) fn run_directory() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name: OsString| match name.to_str() {
        Some(text) => directory(Path::new(RESULTS_FOLDER), text),
        None => Ok(PathBuf::from(name)),
    })
}

/// The same where published figures may be named, too, so as text.
pub(in crate::cli) fn run_name(name: &str) -> Result<String, String> {
    // Made of text and of names that are checked to be text, so nothing is lost.
    directory(Path::new(RESULTS_FOLDER), name).map(|path| path.display().to_string())
}

/// The directory that a name means: its own path unless there is no such path and it is `last[~N][:SCENARIO]` or a baseline.
fn directory(results: &Path, name: &str) -> Result<PathBuf, String> {
    let itself = PathBuf::from(name);
    let is_path = |path: &str| Path::new(path).symlink_metadata().is_ok();
    if !is_path(name)
        && let Some(baseline) = baselines::find(results, name)
    {
        return Ok(baseline);
    }
    let Some(rest) = name.strip_prefix(LAST) else {
        return if is_path(name) { Ok(itself) } else { other(results, name) };
    };
    let (place, scenario) = match rest.split_once(':') {
        Some((place, scenario)) => (place, Some(scenario)),
        None => (rest, None),
    };
    let before_colon = scenario.map_or(name, |scenario| &name[..name.len() - scenario.len() - 1]);
    let is_name = rest.is_empty() || rest.starts_with(['~', ':']);
    if is_path(name) || is_path(before_colon) {
        return Ok(itself);
    }
    if !is_name {
        return other(results, name);
    }
    let back = match place.strip_prefix('~') {
        None => 0,
        Some("") => return Err(no_run(name, &meant(name).unwrap_or_default())),
        Some(digits) => digits.parse::<usize>().map_err(|_| {
            format!("{} is no number of runs to go back: write {LAST}~1 or {LAST}~1:SCENARIO", quote(digits))
        })?,
    };
    nth_newest(results, back, scenario)
}

/// The path of a name that nothing has; an error where it was probably meant to be a baseline, or one of the newest runs.
fn other(results: &Path, name: &str) -> Result<PathBuf, String> {
    let baselines = if baselines::check_name(name).is_ok() { baselines::names(results)? } else { Vec::new() };
    let baselines: Vec<&str> = baselines.iter().map(String::as_str).collect();
    match (nearest(name, &baselines), meant(name)) {
        (Some(near), _) => Err(format!(
            "no run {}: nothing here has this path; did you mean the baseline `{near}`? Baselines: {}",
            quote(name),
            baselines.join(", ")
        )),
        (None, Some(meant)) => Err(no_run(name, &meant)),
        (None, None) => {
            match of_program(name).map(str::to_owned).or_else(|| beside(name)).or_else(|| here(results, name)) {
                Some(run) => Err(no_run(name, &run)),
                None => Ok(PathBuf::from(name)),
            }
        }
    }
}

/// The run that comes with the program and has this name in its folder.
fn of_program(name: &str) -> Option<&'static str> {
    let is_it = |run: &Embedded| run.directory.rsplit('/').next().is_some_and(|own| same_name(own, name));
    Embedded::all().find(is_it).map(|run| run.directory)
}

/// The run beside which a path would be, on the disk or in the program, whose name it may have been meant to have.
fn beside(name: &str) -> Option<String> {
    let path = name.trim_end_matches('/');
    let is_of_program = Embedded::all().any(|own| own.directory == path);
    // What has runs in it is told with them.
    if path.contains(':') || is_of_program || Embedded::names_in(Path::new(path)).next().is_some() {
        return None;
    }
    let (folder, last) = path.rsplit_once('/')?;
    let on_disk = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|own| own.path().is_dir());
    let mut names: Vec<String> = on_disk.filter_map(|own| own.file_name().into_string().ok()).collect();
    let of_program = Embedded::all().filter_map(|own| own.directory.rsplit_once('/')).filter(|(own, _)| *own == folder);
    names.extend(of_program.map(|(_, name)| name.to_owned()));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(last, &names).map(|near| format!("{folder}/{near}"))
}

/// The run whose name a word without a folder may have been meant to be: of this folder, of the newest runs, or of those that come with the program.
fn here(results: &Path, name: &str) -> Option<String> {
    if name.contains(['/', ':']) {
        return None;
    }
    let runs_in = |folder: &Path| -> Vec<String> {
        let on_disk = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let runs = on_disk.filter(|own| own.path().join(METADATA_FILE).is_file());
        runs.filter_map(|own| own.file_name().into_string().ok()).collect()
    };
    let near = |names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        nearest(name, &names).map(str::to_owned)
    };
    let of_program = || {
        let names: Vec<&str> = Embedded::all().filter_map(|own| own.directory.rsplit('/').next()).collect();
        of_program(nearest(name, &names)?).map(str::to_owned)
    };
    near(&runs_in(Path::new(".")))
        .or_else(|| near(&runs_in(results)).map(|own| format!("{}/{own}", results.display())))
        .or_else(of_program)
}

/// What to say of a name that nothing has, and what it may have been meant to be.
fn no_run(name: &str, meant: &str) -> String {
    format!("no run {}: nothing here has this path; did you mean `{meant}`?", quote(name))
}

/// Other words for the newest run.
const NEWEST: [&str; 4] = ["latest", "newest", "lastest", "last-run"];
/// Letters of a word at most that may be a misspelt `last`.
const LETTERS_MOST: usize = 5;

/// The name of one of the newest runs that this may have been meant to be: `last~1` for `LAST~1`, `last1` and `last~~1`.
fn meant(name: &str) -> Option<String> {
    let (place, scenario) = name.split_once(':').map_or((name, None), |(place, scenario)| (place, Some(scenario)));
    let lower = place.to_lowercase();
    let end = lower.find(|letter: char| !letter.is_alphabetic()).unwrap_or(lower.len());
    let (word, rest) = if NEWEST.contains(&lower.as_str()) { (lower.as_str(), "") } else { lower.split_at(end) };
    let is_last = NEWEST.contains(&word) || word.chars().count() <= LETTERS_MOST && nearest(word, &[LAST]).is_some();
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    let is_back = rest.chars().all(|letter| letter.is_ascii_digit() || "~^-_. ".contains(letter));
    if !is_last || !is_back {
        return None;
    }
    let back = if rest.is_empty() { String::new() } else { format!("~{}", digits.parse::<usize>().unwrap_or(1)) };
    let scenario = scenario.map_or(String::new(), |scenario| format!(":{scenario}"));
    Some(format!("{LAST}{back}{scenario}"))
}

/// What of `run.json` decides which run is meant: the same in all versions of it.
#[derive(Deserialize)]
struct Started {
    scenario: String,
    #[serde(deserialize_with = "timestamp")]
    started_at: Timestamp,
}

fn timestamp<'text, D: Deserializer<'text>>(deserializer: D) -> Result<Timestamp, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

fn nth_newest(results: &Path, back: usize, scenario: Option<&str>) -> Result<PathBuf, String> {
    let shown = results.display();
    let mut runs = runs_under(results)?;
    if runs.is_empty() {
        let problem = "run a sweep without --out first (apbench sweep branching), or give a run's directory";
        return Err(format!("no run in {shown}/: {problem}"));
    }
    if let Some(wanted) = scenario {
        let mut scenarios: Vec<String> = runs.iter().map(|(run, _)| run.scenario.clone()).collect();
        scenarios.sort_unstable();
        scenarios.dedup();
        runs.retain(|(run, _)| same_name(&run.scenario, wanted));
        if runs.is_empty() {
            let names: Vec<&str> = scenarios.iter().map(String::as_str).collect();
            return Err(format!("no run of {} in {shown}/; {}", quote(wanted), instead(wanted, &names)));
        }
    }
    runs.sort_by(|(one, one_path), (other, other_path)| {
        (other.started_at, other_path).cmp(&(one.started_at, one_path))
    });
    let found = runs.len();
    let of = scenario.map_or(String::new(), |scenario| format!(" of {}", quote(scenario)));
    let in_scenario = scenario.map_or(String::new(), |scenario| format!(":{scenario}"));
    let path = runs.into_iter().nth(back).map(|(_, path)| path).ok_or_else(|| {
        let oldest = if found == 1 { LAST.to_owned() } else { format!("{LAST}~{}", found - 1) };
        format!("{shown}/ has {}{of}; the oldest is {oldest}{in_scenario}", count(found, "run"))
    })?;
    match path.to_str() {
        Some(_) => Ok(path),
        None => Err(format!("{} is meant, but its name is not UTF-8: rename it", path.display())),
    }
}

/// The runs in this folder. One whose start cannot be read is an error: it might be the one that is meant.
fn runs_under(results: &Path) -> Result<Vec<(Started, PathBuf)>, String> {
    let entries = match results.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("{}: {error}", results.display())),
    };
    let mut runs = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", results.display()))?.path();
        let file = path.join(METADATA_FILE);
        let text = match regular_file::read_text(&file) {
            Ok(text) => text,
            // Folders of other things, and files.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => continue,
            Err(error) => return Err(format!("{}: {error}; give the run's directory instead", file.display())),
        };
        let run = serde_json::from_str(&text)
            .map_err(|error| format!("{}: {error}; give the run's directory instead", file.display()))?;
        runs.push((run, path));
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Runs of which the order of names is not that of starts, and a folder of something else.
    fn results() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let runs = [
            ("a", "branching", "2026-03-01T12:00:00+02:00"),
            ("b", "branching", "2026-01-01T00:00:00+00:00"),
            // Later than `a` as text, earlier in time.
            ("c", "transpose", "2026-03-01T13:00:00+05:00"),
        ];
        for (name, scenario, started_at) in runs {
            let directory = folder.path().join(name);
            fs::create_dir(&directory).expect("a run");
            let text = format!("{{\"scenario\": \"{scenario}\", \"started_at\": \"{started_at}\", \"more\": 1}}");
            fs::write(directory.join(METADATA_FILE), text).expect("its metadata");
        }
        fs::create_dir(folder.path().join("published")).expect("another folder");
        fs::write(folder.path().join("known-errors.csv"), "").expect("a file");
        folder
    }

    fn found(name: &str) -> Result<String, String> {
        let results = results();
        let place = results.path().display().to_string();
        match directory(results.path(), name) {
            Ok(path) => Ok(path.strip_prefix(results.path()).unwrap_or(&path).display().to_string()),
            Err(error) => Err(error.replace(&place, "results")),
        }
    }

    #[test]
    fn runs_are_counted_back_by_their_start() {
        for (name, run) in [
            ("last", "a"),
            ("last~0", "a"),
            ("last~1", "c"),
            ("last~2", "b"),
            ("last:branching", "a"),
            ("last~1:branching", "b"),
            ("last:transpose", "c"),
        ] {
            assert_eq!(found(name), Ok(run.to_owned()), "{name}");
        }
    }

    #[test]
    fn other_names_are_paths() {
        for name in ["lasting", "last/run", "my-run", "results/last", "C:last"] {
            assert_eq!(found(name), Ok(name.to_owned()));
        }
    }

    #[test]
    fn what_there_is_not_is_told_with_what_there_is() {
        for (name, error) in [
            ("last~3", "results/ has 3 runs; the oldest is last~2"),
            ("last~1:transpose", "results/ has 1 run of `transpose`; the oldest is last:transpose"),
            (
                "last:transposed",
                "no run of `transposed` in results/; did you mean `transpose`? Allowed: branching, transpose",
            ),
            ("Last", "no run `Last`: nothing here has this path; did you mean `last`?"),
            ("latest", "no run `latest`: nothing here has this path; did you mean `last`?"),
            ("LAST~1", "no run `LAST~1`: nothing here has this path; did you mean `last~1`?"),
            (
                "lsat~2:transpose",
                "no run `lsat~2:transpose`: nothing here has this path; did you mean `last~2:transpose`?",
            ),
            ("last~", "no run `last~`: nothing here has this path; did you mean `last~1`?"),
            ("last^2", "no run `last^2`: nothing here has this path; did you mean `last~2`?"),
            ("last-1", "no run `last-1`: nothing here has this path; did you mean `last~1`?"),
            ("last~one", "`one` is no number of runs to go back: write last~1 or last~1:SCENARIO"),
        ] {
            assert_eq!(found(name), Err(error.to_owned()), "{name}");
        }
    }

    #[test]
    fn baselines_are_found_by_their_names() {
        let results = results();
        for name in ["before", "lasting"] {
            let baseline = results.path().join("baselines").join(name);
            fs::create_dir_all(&baseline).expect("a baseline");
            fs::write(baseline.join(METADATA_FILE), "{}").expect("its metadata");
            assert_eq!(directory(results.path(), name), Ok(baseline), "{name}");
        }
        let baseline = results.path().join("baselines").join("driver-580_beta");
        fs::create_dir_all(&baseline).expect("a baseline");
        fs::write(baseline.join(METADATA_FILE), "{}").expect("its metadata");
        assert_eq!(directory(results.path(), "driver_580-beta"), Ok(baseline.clone()));
        fs::remove_dir_all(baseline).expect("removed again");
        // The folder of baselines is no run.
        assert_eq!(directory(results.path(), "last"), Ok(results.path().join("a")));
        for name in ["befor", "Before1"] {
            let error = directory(results.path(), name).expect_err(name);
            assert!(error.contains("did you mean the baseline `before`? Baselines: before, lasting"), "{error}");
        }
        for name in ["unlike", "my/before", "results/published:befor"] {
            assert_eq!(directory(results.path(), name), Ok(PathBuf::from(name)), "{name}");
        }
    }

    #[test]
    fn a_run_without_a_start_might_be_the_one() {
        let results = results();
        fs::write(results.path().join("b").join(METADATA_FILE), "{\"scenario\": \"branching\"}").expect("metadata");
        let error = directory(results.path(), "last").expect_err("no start");
        assert!(error.contains("missing field `started_at`") && error.contains("run.json"), "{error}");
    }
}
