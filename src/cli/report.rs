//! `apbench report`: a finished run as one HTML page that opens offline.

use std::fs;
use std::path::{Path, PathBuf};

use super::analysis::{Analysis, analyse};
use super::failure::{Failure, Status};
use super::output::line;
use crate::chart::figure;
use crate::finding::summary;
use crate::report::{PageTheme, Points, Report, page};
use crate::run::fits::fit_rows;
use crate::run::writer::{csv_text, replace_file};
use crate::run::{POINTS_FILE, REPORT_FILE, RunError};

/// Options of `report`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The run directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The page [default: report.html in the run directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Its colours: those that the reader's system has, or always the same
    #[arg(long, value_enum, default_value_t)]
    theme: Theme,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

impl From<Theme> for PageTheme {
    fn from(theme: Theme) -> Self {
        match theme {
            Theme::Auto => Self::Auto,
            Theme::Light => Self::Light,
            Theme::Dark => Self::Dark,
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let analysis = analyse(&arguments.run)?;
    let path = write(&analysis, arguments.out.as_deref(), arguments.theme.into())?;
    line(format!("wrote {}", path.display()))?;
    Ok(Status::Success)
}

/// Writes the page of a run into its directory, or to `file`.
pub(super) fn write(analysis: &Analysis, file: Option<&Path>, theme: PageTheme) -> Result<PathBuf, Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let path = file.map_or_else(|| run.directory.join(REPORT_FILE), Path::to_owned);
    let points_path = run.directory.join(POINTS_FILE);
    let text = fs::read(&points_path).map_err(RunError::io(&points_path))?;
    let points = Points::read(&String::from_utf8_lossy(&text), run.points.len(), scenario.family);
    let charts = scenario.charts.iter();
    let rows = fit_rows(fits);
    let fits_text = csv_text(rows.iter().cloned()).map_err(RunError::io(&path))?;
    let report = Report {
        run,
        scenario,
        findings: summary(run, scenario, fits),
        charts: charts
            .flat_map(|request| figure::charts(request, scenario.family, analysis.pattern(), run, fits))
            .collect(),
        points: points.map_err(|error| RunError::io(&points_path)(error.into()))?,
        fits: rows,
        fits_text: String::from_utf8_lossy(&fits_text).into_owned(),
        theme,
    };
    let text = page(&report).map_err(|error| RunError::io(&path)(error.into()))?;
    replace_file(&path, text.as_bytes())?;
    Ok(path)
}
