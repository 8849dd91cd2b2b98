//! `fits.csv`: a row for each fitted parameter.

use std::path::{Path, PathBuf};

use super::writer::{csv_text, replace_file};
use super::{FITS_FILE, RunError};
use crate::model::group::GroupFit;
use crate::unit::significant;

/// Writes `fits.csv` into a run directory, replacing an older one.
///
/// # Errors
/// When the file cannot be written.
pub fn write_fits(directory: &Path, fits: &[GroupFit]) -> Result<PathBuf, RunError> {
    let path = directory.join(FITS_FILE);
    let text = csv_text(fit_rows(fits)).map_err(RunError::io(&path))?;
    replace_file(&path, &text)?;
    Ok(path)
}

/// The header, then the rows. Columns of the groups are those that any fit is grouped by.
fn fit_rows(fits: &[GroupFit]) -> Vec<Vec<String>> {
    let mut grouping: Vec<&str> = Vec::new();
    for (name, _) in fits.iter().flat_map(|fit| &fit.group) {
        if !grouping.contains(&name.as_str()) {
            grouping.push(name);
        }
    }
    let columns = ["fit", "model"].into_iter().chain(grouping.iter().copied()).chain([
        "parameter",
        "estimate",
        "low",
        "high",
        "unit",
        "r2",
        "error_pct",
        "n",
        "verdict",
    ]);
    let mut rows = vec![columns.map(str::to_owned).collect::<Vec<_>>()];
    for group in fits {
        let value = |name: &str| group.group.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        let mut start = vec![group.name.clone(), group.law.name.to_owned()];
        start.extend(grouping.iter().map(|name| value(name).unwrap_or_default()));
        match &group.fit {
            Ok(fit) => rows.extend(fit.estimates.iter().map(|estimate| {
                let numbers = [estimate.estimate, estimate.low, estimate.high].map(|number| significant(number, 6));
                let mut row = start.clone();
                row.push(estimate.parameter.to_owned());
                row.extend(numbers);
                row.extend([
                    estimate.unit.to_owned(),
                    format!("{:.9}", fit.r2),
                    significant(fit.error_pct, 3),
                    fit.n.to_string(),
                    fit.verdict.to_string(),
                ]);
                row
            })),
            Err(problem) => {
                let mut row = start;
                row.extend(std::iter::repeat_n(String::new(), 8));
                row.push(format!("fails: {problem}"));
                rows.push(row);
            }
        }
    }
    rows
}
