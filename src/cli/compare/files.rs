//! What `--out` writes: the comparison in every format, and the runs' charts drawn over each other.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::super::analysis::Analysis;
use super::super::failure::Failure;
use super::super::output::write_json;
use super::super::pictures::{Format, look, write_pictures};
use super::super::plot::labels;
use super::{SideBySide, csv, markdown};
use crate::chart::figure::{Colours, Shown, overlay};
use crate::chart::{Chart, Theme};
use crate::run::writer::replace_file_with;
use crate::run::{CHARTS_FOLDER, RunError};
use crate::scenario::ChartRequest;

/// Writes everything; returns the files.
pub(super) fn write(folder: &Path, compared: &SideBySide, runs: &[Analysis]) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder).map_err(RunError::not_made(folder))?;
    let mut files = Vec::new();
    // One after the other, and JSON as it is made: those of a large comparison take more memory than it does.
    let mut write = |name: &str, write: &dyn Fn(&mut File) -> io::Result<()>| -> Result<(), Failure> {
        let path = folder.join(name);
        replace_file_with(&path, write)?;
        files.push(path);
        Ok(())
    };
    let as_csv = csv::text(compared)?;
    write("compare.csv", &|file| file.write_all(as_csv.as_bytes()))?;
    drop(as_csv);
    write("compare.md", &|file| file.write_all(markdown::text(compared).as_bytes()))?;
    write("compare.json", &|file| {
        let mut out = BufWriter::new(file);
        write_json(&mut out, compared)?;
        out.write_all(b"\n")?;
        out.flush()
    })?;
    files.extend(draw(&folder.join(CHARTS_FOLDER), runs)?);
    Ok(files)
}

/// The charts of the base's scenario, with the points of all runs; each with the name of its files.
pub(in crate::cli) fn overlays(runs: &[Analysis]) -> Vec<(String, Chart)> {
    let requests = runs.first().map_or(&[][..], |base| &base.scenario.charts);
    let mut charts: Vec<(String, Chart)> = requests.iter().flat_map(|request| overlaid(request, runs)).collect();
    Colours::default().keep(&mut charts);
    charts
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
    let mut colours = Colours::default();
    for request in runs.first().map_or(&[][..], |base| &base.scenario.charts) {
        let mut pictures = overlaid(request, runs);
        colours.keep(&mut pictures);
        files.extend(write_pictures(&pictures, &look(request, Theme::Light), &[Format::Svg, Format::Png], folder)?);
    }
    Ok(files)
}
