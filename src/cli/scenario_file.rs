//! Scenarios as arguments: a file, or the name of one that comes with the program.

use std::path::Path;

use super::failure::Failure;
use super::output::tell;
use crate::family::{FAMILIES, Family};
use crate::run::METADATA_FILE;
use crate::scenario::{EMBEDDED, Origin, Scenario};
use located_toml::words::{and_list, meant, quote};

/// Reads a scenario, and says so where it is not read from the file that was asked for.
pub(super) fn load(path: &Path, overrides: &[String], max_points: usize) -> Result<Scenario, Failure> {
    if is_kernel(path) {
        let kernel = path.display();
        return Err(Failure::Usage(format!(
            "{kernel} is a kernel, not a scenario; write a scenario of it: apbench new {kernel}"
        )));
    }
    // A run in a folder of the scenario's name does not hide the scenario.
    let is_folder = matches!(Origin::of(path), Origin::File(file) if file == path);
    if is_folder && path.join(METADATA_FILE).is_file() {
        let run = path.display();
        return Err(Failure::Usage(format!(
            "{run} is a run, not a scenario; apbench fit {run} shows what it found, and apbench sweep SCENARIO --out {run} --resume \
             continues it"
        )));
    }
    if let Some(family) = family_meant(path) {
        let own = family.name;
        let of_family =
            EMBEDDED.iter().filter(|scenario| scenario.text.lines().any(|line| line == format!("family = \"{own}\"")));
        let names: Vec<&str> = of_family.map(|scenario| scenario.name).collect();
        let scenarios =
            if names.is_empty() { String::new() } else { format!("; scenarios of it: {}", names.join(", ")) };
        return Err(Failure::Usage(format!(
            "{} is a family, not a scenario{scenarios}; apbench list {own} has its parameters",
            quote(&path.to_string_lossy())
        )));
    }
    let scenario = Scenario::load(path, overrides, max_points)?;
    if let Origin::Program(own) = Origin::of(path)
        && path.as_os_str() != own.name
    {
        let missing = own.title_in_errors();
        tell(format!("note: {missing} is not here; the scenario is the one that comes with apbench"));
    }
    for (variant, buffers) in scenario.kernel.iter().flat_map(|kernel| kernel.not_taken()) {
        tell(format!("note: `{variant}` does not take {}, so nothing is compared there", and_list(&buffers)));
    }
    Ok(scenario)
}

/// The family whose name stands where a scenario is wanted, unless a file or a scenario has it, too.
pub(super) fn family_meant(path: &Path) -> Option<&'static Family> {
    let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
    let is_missing = matches!(Origin::of(path), Origin::File(file) if !file.exists());
    meant(path.to_str().filter(|_| is_missing)?, &names).and_then(Family::find)
}

/// Whether a file is a kernel's source, by its ending.
pub(super) fn is_kernel(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["ptx", "cu", "cuh", "cpp"].iter().any(|own| ending == *own))
}
