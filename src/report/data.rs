//! The data inside a page, as JSON.

use serde::Serialize;

use super::Report;
use super::figure::Figures;
use super::interactive::Interactive;
use super::points::Points;

#[derive(Serialize)]
struct Embedded<'a> {
    points: &'a Points,
    /// The text of `fits.csv`.
    fits: &'a str,
    /// The text of `scenario.toml`.
    scenario: &'a str,
    charts: &'a [Interactive],
}

/// The page's data. Its `<` are escaped, so that no text of a run can end the element that it is in.
pub(super) fn embedded(report: &Report<'_>, figures: &Figures) -> serde_json::Result<String> {
    let data = Embedded {
        points: &report.points,
        fits: &report.fits_text,
        scenario: &report.run.scenario,
        charts: &figures.interactive,
    };
    Ok(serde_json::to_string(&data)?.replace('<', "\\u003c"))
}
