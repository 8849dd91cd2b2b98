//! Runs beside printed figures: `--table`, and published figures as a side of a comparison.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::super::analysis::tell_embedded;
use super::super::failure::{Failure, Status};
use super::super::output::tell;
use super::named::{Named, chosen_device, default_file, read_published};
use super::sides::read_side;
use super::{Arguments, Side, figures_shown};
use crate::compare::figure::{FigureTable, figure_table};
use crate::compare::key::Values;
use crate::published::Figure;
use crate::published::printed::{PrintedTable, tables};
use crate::run::embedded::Embedded;
use crate::run::{METADATA_FILE, SCENARIO_FILE};
use located_toml::regular_file;

/// Where runs are looked for.
const RESULTS_FOLDER: &str = "results";

/// `--table`: a printed table with a column for each device of the source and each run.
pub(super) fn table(arguments: &Arguments, wanted: &str) -> Result<Status, Failure> {
    let (mut file, mut runs) = (None, Vec::new());
    for name in &arguments.runs {
        match Named::of(name) {
            Named::Published { file: own, .. } => file = Some(own),
            Named::Run(run) => runs.push(run),
        }
    }
    let file = file.unwrap_or_else(default_file);
    let figures = read_published(&file)?;
    let chosen: Vec<Figure> = figures.iter().filter(|figure| is_table(&figure.table, wanted)).cloned().collect();
    if chosen.is_empty() {
        let mut names: Vec<&str> = Vec::new();
        for figure in &figures {
            if !names.contains(&figure.table.as_str()) {
                names.push(&figure.table);
            }
        }
        return Err(Failure::Usage(format!(
            "--table {wanted}: no such table in {}; there are: {}",
            file.display(),
            names.join(", ")
        )));
    }
    let device = arguments.device.as_deref().map(|device| chosen_device(&chosen, Some(device))).transpose()?;
    let (mut shown, mut embedded) = (Vec::new(), Vec::new());
    for printed in tables(&chosen) {
        let mut values = Values::default();
        let is_given = !runs.is_empty();
        let candidates = if is_given { runs.clone() } else { runs_of(&printed.family) };
        let mut sides = Vec::new();
        for name in &candidates {
            let (side, _) = read_side(name, &mut values)?;
            if side.family.name == printed.family {
                sides.push(side);
            } else if chosen.iter().all(|figure| figure.family == printed.family) {
                tell(format!("note: {name} measured {}, the table is about {}", side.family.name, printed.family));
            }
        }
        if !is_given {
            sides = best_of_devices(&printed, sides, &values);
        }
        embedded.extend(sides.iter().map(|side| PathBuf::from(&side.facts.name)));
        shown.push(figure_table(&printed, device.as_deref(), &sides, &values));
    }
    tell_embedded(embedded.iter().map(PathBuf::as_path));
    figures_shown::print(arguments, &shown)
}

/// The figures of `results/published/`, or those that the program was built with.
pub(in crate::cli) fn published_figures() -> Result<Vec<Figure>, Failure> {
    read_published(&default_file())
}

/// Whether a table is meant: by its whole name, or by the number that it begins with.
fn is_table(table: &str, wanted: &str) -> bool {
    let number = wanted.trim().trim_start_matches("table").trim();
    table.eq_ignore_ascii_case(number) || table.split_whitespace().next().is_some_and(|first| first == number)
}

/// Runs under `results/` of a family, by their directories, and those that come with the program where it has none of that path. One
/// whose family cannot be found out is told.
fn runs_of(family: &str) -> Vec<String> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                tell(format!("note: {}: {error}; the runs in it are left out", folder.display()));
                return Vec::new();
            }
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.retain(|path| path.is_dir());
        folders.sort();
        folders
    };
    let is_run = |path: &PathBuf| path.join(METADATA_FILE).is_file();
    let first = below(Path::new(RESULTS_FOLDER));
    let second: Vec<PathBuf> = first.iter().filter(|path| !is_run(path)).flat_map(|path| below(path)).collect();
    let on_disk = first.into_iter().chain(second).filter(is_run);
    // As on the disk: not those further below.
    let is_right_below = |run: &Embedded| run.directory.matches('/').count() == 2;
    let embedded = Embedded::all().filter(is_right_below).map(|run| PathBuf::from(run.directory));
    let all = on_disk.chain(embedded.filter(|path| Embedded::meant(path).is_some()));
    let is_of_family = |path: &PathBuf| match family_of(path) {
        Ok(own) => own.as_deref() == Some(family),
        Err(problem) => {
            tell(format!("note: {}: {problem}; this run is left out", path.join(SCENARIO_FILE).display()));
            false
        }
    };
    all.filter(is_of_family).map(|path| path.display().to_string()).collect()
}

/// The family that a run's scenario names; one with a kernel of its own names none.
fn family_of(run: &Path) -> Result<Option<String>, String> {
    let text = match Embedded::meant(run) {
        Some(own) => own.text(SCENARIO_FILE).map_err(|error| error.to_string())?.unwrap_or_default().to_owned(),
        None => regular_file::read_text(&run.join(SCENARIO_FILE)).map_err(|error| error.to_string())?,
    };
    let scenario = text.parse::<toml::Table>().map_err(|error| error.message().to_owned())?;
    Ok(scenario.get("family").and_then(|own| own.as_str()).map(str::to_owned))
}

/// Of several runs on a device the one that has most of the table's rows; none of those that have none.
fn best_of_devices(printed: &PrintedTable, sides: Vec<Side>, values: &Values) -> Vec<Side> {
    let count = |side: &Side| {
        let table = figure_table(printed, Some(""), std::slice::from_ref(side), values);
        let points: usize = table.rows.iter().filter_map(|row| row.cells.last()).map(|cell| cell.points).sum();
        (table.figures_of(0), points)
    };
    let mut best: Vec<(Side, (usize, usize))> = Vec::new();
    for side in sides {
        let own = count(&side);
        if own.0 == 0 {
            continue;
        }
        match best.iter_mut().find(|(other, _)| other.facts.device == side.facts.device) {
            Some(other) if other.1 < own => *other = (side, own),
            Some(_) => {}
            None => best.push((side, own)),
        }
    }
    best.into_iter().map(|(side, _)| side).collect()
}

/// Published figures as one side, runs as the others: every table that has figures of the device and of the runs' family.
pub(super) fn compared(arguments: &Arguments, sides: &[Named]) -> Result<Status, Failure> {
    let mut published = sides.iter().enumerate().filter_map(|(index, own)| match own {
        Named::Published { file, device } => Some((index, file, device)),
        Named::Run(_) => None,
    });
    let (Some((place, file, named)), None) = (published.next(), published.next()) else {
        return Err(Failure::Usage(
            "published figures stand beside runs, one device of them at a time; `compare --table NUMBER` has all devices of a table"
                .to_owned(),
        ));
    };
    let mut values = Values::default();
    let mut runs = Vec::new();
    for own in sides {
        if let Named::Run(name) = own {
            tell_embedded([Path::new(name)]);
            runs.push(read_side(name, &mut values)?.0);
        }
    }
    let Some(family) = runs.first().map(|side| side.family.name) else {
        return Err(Failure::Usage("published figures need a run to compare with".to_owned()));
    };
    if let Some(other) = runs.iter().find(|side| side.family.name != family) {
        return Err(Failure::Usage(format!(
            "{} measured {}, {} {family}: runs of different families have nothing in common",
            other.facts.name, other.family.name, runs[0].facts.name
        )));
    }
    let of_family: Vec<Figure> = read_published(file)?.into_iter().filter(|figure| figure.family == family).collect();
    if of_family.is_empty() {
        return Err(Failure::Usage(format!("{} has no figures of {family}", file.display())));
    }
    let device = chosen_device(&of_family, arguments.device.as_deref().or(named.as_deref()))?;
    let of_device: Vec<Figure> = of_family.into_iter().filter(|figure| figure.device == device).collect();
    let shown = tables(&of_device).into_iter().map(|printed| {
        let mut table: FigureTable = figure_table(&printed, Some(&device), &runs, &values);
        // The published column is the first; the base is whatever was named first.
        table.against(usize::from(place > 0));
        table
    });
    let shown: Vec<FigureTable> = shown.collect();
    figures_shown::print(arguments, &shown)
}
