//! The data inside a page, as JSON.

use std::io;

use serde::Serialize;

use super::Report;
use super::figure::Figures;
use super::interactive::Interactive;
use super::points::Points;
use crate::run::writer::csv_text;

#[derive(Serialize)]
struct Embedded<'a> {
    points: &'a Points,
    /// The text of `fits.csv`.
    fits: String,
    /// The text of `scenario.toml`.
    scenario: &'a str,
    charts: &'a [Interactive],
}

/// The page's data. Its `<` are escaped, so that no text of a run can end the element that it is in.
pub(super) fn embedded(report: &Report<'_>, figures: &Figures) -> io::Result<String> {
    let fits = csv_text(report.fits.iter().cloned())?;
    let data = Embedded {
        points: &report.points,
        fits: String::from_utf8_lossy(&fits).into_owned(),
        scenario: &report.run.scenario,
        charts: &figures.interactive,
    };
    Ok(serde_json::to_string(&data)?.replace('<', "\\u003c"))
}
