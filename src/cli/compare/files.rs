//! What `--out` writes: the comparison in every format, and the runs' charts drawn over each other.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::analysis::Analysis;
use super::super::failure::Failure;
use super::super::output::tell;
use super::{SideBySide, csv, json, markdown};
use crate::chart::figure::{Shown, overlay};
use crate::chart::{Chart, ChartError, Look};
use crate::run::writer::replace_file;
use crate::run::{CHARTS_FOLDER, RunError};

/// Writes everything; returns the files.
pub(super) fn write(
    folder: &Path,
    compared: &SideBySide,
    runs: &[(String, Analysis)],
) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder).map_err(RunError::io(folder))?;
    let mut files = Vec::new();
    for (name, text) in [
        ("compare.csv", csv::text(compared)?),
        ("compare.md", markdown::text(compared)),
        ("compare.json", format!("{}\n", json::text(compared)?)),
    ] {
        let path = folder.join(name);
        replace_file(&path, text.as_bytes())?;
        files.push(path);
    }
    files.extend(draw(folder, overlays(runs))?);
    Ok(files)
}

/// The charts of the base's scenario, with the points of all runs; each with the name of its files.
pub(in crate::cli) fn overlays(runs: &[(String, Analysis)]) -> Vec<(String, Chart)> {
    let Some((_, base)) = runs.first() else { return Vec::new() };
    let labels = labels(runs);
    let shown: Vec<Shown<'_>> = runs
        .iter()
        .zip(&labels)
        .map(|((_, analysis), label)| Shown { label, run: &analysis.run, fits: &analysis.fits })
        .collect();
    let charts = base.scenario.charts.iter();
    charts.flat_map(|request| overlay(request, base.scenario.family, base.pattern(), &shown)).collect()
}

fn draw(folder: &Path, charts: Vec<(String, Chart)>) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (name, chart) in charts {
        let failed = |error| Failure::Other(format!("chart {name}: {error}"));
        let svg = match crate::chart::svg(&chart, &Look::default()) {
            Err(error @ ChartError::NoPoints) => {
                tell(format!("note: chart {name} is not drawn: {error}"));
                continue;
            }
            result => result.map_err(failed)?,
        };
        let png = crate::chart::png(&svg).map_err(failed)?;
        for (extension, contents) in [("svg", svg.into_bytes()), ("png", png)] {
            let path = folder.join(CHARTS_FOLDER).join(format!("{name}.{extension}"));
            replace_file(&path, &contents)?;
            files.push(path);
        }
    }
    Ok(files)
}

/// What runs are called on charts: their devices, or their directories where these are the same.
fn labels(runs: &[(String, Analysis)]) -> Vec<String> {
    let devices: Vec<String> = runs.iter().map(|(_, analysis)| analysis.run.metadata.device.name.clone()).collect();
    let is_told_apart = devices.iter().enumerate().all(|(index, name)| !devices[..index].contains(name));
    if is_told_apart {
        return devices;
    }
    let directory = |name: &String| {
        let path = Path::new(name);
        path.file_name().map_or_else(|| name.clone(), |last| last.to_string_lossy().into_owned())
    };
    let last: Vec<String> = runs.iter().map(|(name, _)| directory(name)).collect();
    let is_told_apart = last.iter().enumerate().all(|(index, name)| !last[..index].contains(name));
    if is_told_apart { last } else { runs.iter().map(|(name, _)| name.clone()).collect() }
}
