//! The command that continues a run.

use std::path::{Path, PathBuf};

use crate::cli::shell::quoted;

/// The command line `given`, for one run: the scenario at `kept` of all `scenarios`, on `device` where one must be named,
/// into `directory`.
pub(super) fn command(
    given: &[String],
    scenarios: &[PathBuf],
    kept: &Path,
    device: Option<&str>,
    directory: &Path,
) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut kept_once = false;
    let mut rest = given.iter();
    while let Some(word) = rest.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        let is_dropped = name == "--out" || (name == "--device" && device.is_some());
        if is_dropped {
            if value.is_none() {
                rest.next();
            }
        } else if word == "--set" || word == "--variant" {
            words.push(word.clone());
            words.extend(rest.next().cloned());
        } else if word == "--resume" {
            // It comes at the end.
        } else if scenarios.iter().any(|scenario| scenario.as_os_str() == word.as_str()) {
            if Path::new(word) == kept && !std::mem::replace(&mut kept_once, true) {
                words.push(word.clone());
            }
        } else {
            words.push(word.clone());
        }
    }
    if let Some(device) = device {
        words.extend(["--device".to_owned(), device.to_owned()]);
    }
    words.extend(["--out".to_owned(), directory.display().to_string(), "--resume".to_owned()]);
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command_of(given: &[&str], scenarios: &[&str], device: Option<&str>, directory: &str) -> String {
        let given: Vec<String> = given.iter().map(|&word| word.to_owned()).collect();
        let scenarios: Vec<PathBuf> = scenarios.iter().map(PathBuf::from).collect();
        command(&given, &scenarios, &scenarios[0], device, Path::new(directory))
    }

    #[test]
    fn what_was_asked_is_kept_and_the_run_named() {
        assert_eq!(
            command_of(&["apbench", "sweep", "a.toml", "--set", "work=1,2"], &["a.toml"], None, "results/a-1"),
            "apbench sweep a.toml --set work=1,2 --out results/a-1 --resume"
        );
        assert_eq!(
            command_of(
                &["apbench", "sweep", "--out", "run", "--resume", "--device=mock", "a.toml"],
                &["a.toml"],
                None,
                "run"
            ),
            "apbench sweep --device=mock a.toml --out run --resume"
        );
    }

    #[test]
    fn a_variant_may_be_called_as_the_scenario() {
        assert_eq!(
            command_of(&["apbench", "sweep", "sum", "--variant", "sum", "--variant=b"], &["sum"], None, "r"),
            "apbench sweep sum --variant sum --variant=b --out r --resume"
        );
    }

    #[test]
    fn of_several_runs_one_is_named() {
        assert_eq!(
            command_of(
                &["apbench", "sweep", "b.toml", "a.toml", "--device", "cuda:0", "--device=all", "--part", "0/2"],
                &["a.toml", "b.toml"],
                Some("cuda:3"),
                "r"
            ),
            "apbench sweep a.toml --part 0/2 --device cuda:3 --out r --resume"
        );
    }

    #[test]
    fn a_shell_reads_it_back() {
        let set = "branches={ from = 1, to = 8, step = 1 }";
        assert_eq!(
            command_of(&["apbench", "sweep", "it's.toml", "--set", set], &["it's.toml"], None, "my run"),
            r"apbench sweep 'it'\''s.toml' --set 'branches={ from = 1, to = 8, step = 1 }' --out 'my run' --resume"
        );
    }
}
