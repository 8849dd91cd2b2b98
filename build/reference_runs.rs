//! Packs the reference runs that commands read by themselves, so that an installed program has them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{file_name, folders};

/// The folders of `results/` whose runs are packed: those right below them, not those at other sizes, which lie deeper.
/// Of a name that several have, the first is meant: of [`WITHOUT_ROUNDS`] only what no folder before has.
const DEVICES: [&str; 5] = ["nvidia-h200", "simulated-8500gt", "simulated-gtx280", "simulated-h200", "nvidia-h100"];
/// Runs that lie deeper and are packed all the same, with the device's: of kernels that its run of the same scenario does not have yet.
const DEEPER: [(&str, &str); 1] = [("nvidia-h200", "whole-sectors/transpose")];
/// Folders whose runs are to be looked at and not compared: without what only comparisons read, which is the most.
const WITHOUT_ROUNDS: [&str; 1] = ["nvidia-h100"];
/// What is read of a run. Files of the same kind follow each other, which packs them best.
const FILES: [&str; 5] = ["run.json", "scenario.toml", "points.csv", "rounds.csv", "estimate.csv"];
/// All texts, one behind the other.
const PACKED: &str = "reference-runs.zlib";
/// A row for each of them: its path in the repository, its length in bytes, and whether it is packed by columns.
const LIST: &str = "reference-runs.rs";

/// Writes [`PACKED`] and [`LIST`] into a folder.
pub(super) fn pack(repository: &Path, output: &Path) -> Result<(), String> {
    let mut runs: Vec<(String, PathBuf)> = Vec::new();
    for device in DEVICES {
        println!("cargo::rerun-if-changed=results/{device}");
        let below = folders(&repository.join("results").join(device))?;
        let below = below.into_iter().filter(|run| run.join(FILES[0]).is_file());
        let before: Vec<String> = runs.iter().map(|(_, run)| file_name(run)).collect();
        let is_new = |run: &PathBuf| !WITHOUT_ROUNDS.contains(&device) || !before.contains(&file_name(run));
        runs.extend(below.filter(is_new).map(|run| (format!("results/{device}/{}", file_name(&run)), run)));
        let deeper = DEEPER.iter().filter(|(own, _)| *own == device).map(|(_, run)| format!("results/{device}/{run}"));
        runs.extend(deeper.map(|run| (run.clone(), repository.join(run))));
    }
    // Runs of a scenario beside each other, whatever the device, pack best.
    runs.sort_by_key(|(_, run)| file_name(run));
    let packed = output.join(PACKED);
    let wrong = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::create(&packed).map_err(|error| wrong(&packed, error))?;
    let mut encoder = ZlibEncoder::new(file, Compression::best());
    let mut list = String::new();
    for name in FILES {
        for (place, run) in &runs {
            let path: PathBuf = run.join(name);
            let is_without = name == "rounds.csv" && WITHOUT_ROUNDS.iter().any(|own| place.contains(own));
            if is_without || !path.is_file() {
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|error| wrong(&path, error))?;
            let columns = by_columns(&text).filter(|_| name != "scenario.toml");
            encoder.write_all(columns.as_ref().unwrap_or(&text).as_bytes()).map_err(|error| wrong(&packed, error))?;
            list += &format!("    (\"{place}/{name}\", {}, {}),\n", text.len(), columns.is_some());
        }
    }
    encoder.finish().map_err(|error| wrong(&packed, error))?;
    let path = output.join(LIST);
    fs::write(&path, format!("&[\n{list}]\n")).map_err(|error| wrong(&path, error))
}

/// A table with its first column's fields in the first line, and so on, which packs better: what is alike is side by side. `None` of what has
/// not as many commas in every line, and would not come back as it was.
fn by_columns(text: &str) -> Option<String> {
    let rows: Vec<Vec<&str>> = text.strip_suffix('\n')?.split('\n').map(|row| row.split(',').collect()).collect();
    let columns = rows.first()?.len();
    if columns == 1 || rows.iter().any(|row| row.len() != columns) {
        return None;
    }
    let column = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<_>>().join(",") + "\n";
    Some((0..columns).map(column).collect())
}
