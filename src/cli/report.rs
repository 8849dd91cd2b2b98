//! `apbench report`: a finished run as one HTML page that opens offline.

use std::path::{Path, PathBuf};

use super::analysis::{Analysis, analyse};
use super::compare::{Compared, compared, overlays};
use super::failure::{Failure, Status};
use super::ladder::ladder_of;
use super::new::shell;
use super::output::{line, tell};
use super::run_directory::{run_directory, run_name};
use crate::chart::figure::Colours;
use crate::chart::{Chart, figure};
use crate::diagnosis::Document;
use crate::finding::summary;
use crate::report::{Comparison, PageTheme, Points, Report, page};
use crate::run::embedded::Embedded;
use crate::run::fits::fit_rows;
use crate::run::reader::Run;
use crate::run::writer::{csv_text, replace_file};
use crate::run::{DIAGNOSIS_FILE, POINTS_FILE, REPORT_FILE, RunError};
use located_toml::regular_file;

/// Options of `report`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Run directory, a baseline, or last, last~1, last:SCENARIO
    #[arg(value_name = "RUN", value_parser = run_directory())]
    run: PathBuf,
    /// File to write [default: report.html in the run directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Colours: as the reader's system sets them (auto), or fixed
    #[arg(long, value_enum, default_value_t)]
    theme: Theme,
    /// Also show these runs beside the run, as `apbench compare` does
    #[arg(long, value_name = "RUN", num_args = 1.., value_parser = run_name)]
    compare: Vec<String>,
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
    let theme = arguments.theme.into();
    let path = if arguments.compare.is_empty() {
        let analysis = analyse(&arguments.run)?;
        let path = write(&analysis, arguments.out.as_deref(), theme)?;
        if analysis.scenario.kernel.is_some() && !analysis.run.directory.join(DIAGNOSIS_FILE).exists() {
            let run = shell(&arguments.run.display().to_string());
            tell(format!(
                "note: the page has no findings of a diagnosis; apbench diagnose {}.toml --run {run} adds them",
                shell(&analysis.run.metadata.scenario)
            ));
        }
        path
    } else {
        beside_others(arguments, theme)?
    };
    line(format!("wrote {}", path.display()))?;
    Ok(Status::Success)
}

fn beside_others(arguments: &Arguments, theme: PageTheme) -> Result<PathBuf, Failure> {
    if Embedded::meant(&arguments.run).is_some() {
        // The page has the text of its files.
        return Err(RunError::Embedded(arguments.run.clone()).into());
    }
    let base = arguments.run.display().to_string();
    let runs: Vec<String> = std::iter::once(base).chain(arguments.compare.iter().cloned()).collect();
    let Compared { side_by_side, runs } = compared(&runs, &[], true)?;
    let mut charts = overlays(&runs);
    for (name, chart) in &mut charts {
        *name = format!("compared-{name}");
        forget_points(chart);
    }
    let [analysis, ..] = &runs[..] else { return Err(Failure::Usage("there is no run".to_owned())) };
    page_of(analysis, Some(Comparison { side_by_side, charts }), arguments.out.as_deref(), theme)
}

/// Numbers of points are those of several runs here, and the page has the points of one.
fn forget_points(chart: &mut Chart) {
    let panels = match chart {
        Chart::Lines(lines) => std::slice::from_mut(lines),
        Chart::Panels(panels) => &mut panels.panels[..],
        Chart::Bars(_) | Chart::Heat(_) => return,
    };
    let series = panels.iter_mut().flat_map(|panel| &mut panel.series);
    series.flat_map(|series| &mut series.points).for_each(|dot| dot.point = None);
}

/// Writes the page of a run into its directory, or to `file`.
pub(super) fn write(analysis: &Analysis, file: Option<&Path>, theme: PageTheme) -> Result<PathBuf, Failure> {
    page_of(analysis, None, file, theme)
}

/// What was found in the run's kernel, where `apbench diagnose` wrote it there.
fn diagnosis_of(run: &Run) -> Result<Option<Document>, Failure> {
    let path = run.directory.join(DIAGNOSIS_FILE);
    if !path.exists() {
        return Ok(None);
    }
    let text = regular_file::read_text(&path).map_err(RunError::io(&path))?;
    let document = Document::parse(&text).map_err(|error| {
        Failure::Usage(format!("{}: {error}; apbench diagnose --run writes it anew", path.display()))
    })?;
    Ok(Some(document))
}

fn page_of(
    analysis: &Analysis,
    comparison: Option<Comparison>,
    file: Option<&Path>,
    theme: PageTheme,
) -> Result<PathBuf, Failure> {
    let Analysis { run, scenario, fits } = analysis;
    let path = file.map_or_else(|| run.directory.join(REPORT_FILE), Path::to_owned);
    let points_path = run.directory.join(POINTS_FILE);
    let text = regular_file::read(&points_path).map_err(RunError::io(&points_path))?;
    let points = Points::read(&String::from_utf8_lossy(&text), run.points.len(), scenario.family);
    let charts = scenario.charts.iter();
    let charts = charts.flat_map(|request| figure::charts(request, scenario.family, analysis.pattern(), run, fits));
    let mut charts: Vec<_> = charts.collect();
    Colours::default().keep(&mut charts);
    let rows = fit_rows(fits);
    let fits_text = csv_text(rows.iter().cloned()).map_err(RunError::io(&path))?;
    let report = Report {
        run,
        scenario,
        findings: summary(run, scenario, fits),
        charts,
        points: points.map_err(|error| RunError::io(&points_path)(error.into()))?,
        fits: rows,
        fits_text: String::from_utf8_lossy(&fits_text).into_owned(),
        ladder: ladder_of(analysis, &[])?,
        diagnosis: diagnosis_of(run)?,
        comparison,
        theme,
    };
    let text = page(&report).map_err(|error| RunError::io(&path)(error.into()))?;
    replace_file(&path, text.as_bytes())?;
    Ok(path)
}
