//! What `--out` writes: the comparison in every format, and the runs' charts drawn over each other.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::analysis::Analysis;
use super::super::failure::Failure;
use super::super::output::write_json;
use super::super::pictures::{Format, look, write_pictures};
use super::super::plot::labels;
use super::{SideBySide, csv, markdown};
use crate::chart::figure::{Shown, overlay};
use crate::chart::{Chart, Theme};
use crate::run::writer::replace_file;
use crate::run::{CHARTS_FOLDER, RunError};
use crate::scenario::ChartRequest;

/// Writes everything; returns the files.
pub(super) fn write(folder: &Path, compared: &SideBySide, runs: &[Analysis]) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder).map_err(RunError::not_made(folder))?;
    let mut files = Vec::new();
    let as_json = || {
        let mut text = Vec::new();
        write_json(&mut text, compared)?;
        text.push(b'\n');
        Ok(text)
    };
    // One after the other: those of a large comparison take more memory than it does.
    let formats: [(&str, &dyn Fn() -> Result<Vec<u8>, Failure>); 3] = [
        ("compare.csv", &|| Ok(csv::text(compared)?.into_bytes())),
        ("compare.md", &|| Ok(markdown::text(compared).into_bytes())),
        ("compare.json", &as_json),
    ];
    for (name, text) in formats {
        let path = folder.join(name);
        replace_file(&path, &text()?)?;
        files.push(path);
    }
    files.extend(draw(&folder.join(CHARTS_FOLDER), runs)?);
    Ok(files)
}

/// The charts of the base's scenario, with the points of all runs; each with the name of its files.
pub(in crate::cli) fn overlays(runs: &[Analysis]) -> Vec<(String, Chart)> {
    let requests = runs.first().map_or(&[][..], |base| &base.scenario.charts);
    requests.iter().flat_map(|request| overlaid(request, runs)).collect()
}

/// One of these charts, which may be several pictures.
fn overlaid(request: &ChartRequest, runs: &[Analysis]) -> Vec<(String, Chart)> {
    let Some(base) = runs.first() else { return Vec::new() };
    let labels = labels(runs);
    let shown: Vec<Shown<'_>> = runs
        .iter()
        .zip(&labels)
        .map(|(analysis, label)| Shown { label, run: &analysis.run, fits: &analysis.fits })
        .collect();
    overlay(request, base.scenario.family, base.pattern(), &shown)
}

fn draw(folder: &Path, runs: &[Analysis]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for request in runs.first().map_or(&[][..], |base| &base.scenario.charts) {
        let pictures = overlaid(request, runs);
        files.extend(write_pictures(&pictures, &look(request, Theme::Light), &[Format::Svg, Format::Png], folder)?);
    }
    Ok(files)
}
