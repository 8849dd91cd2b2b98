//! `fits.csv`: a row for each fitted parameter.

use std::path::{Path, PathBuf};

use super::writer::{csv_text, replace_file};
use super::{FITS_FILE, RunError};
use crate::model::fit::{LawFit, Selection};
use crate::model::group::{GroupFit, Outcome};
use crate::model::slowdown::{SLOWDOWN, Slowdown};
use crate::model::speedup::{SPEEDUP, Speedup};
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
pub fn fit_rows(fits: &[GroupFit]) -> Vec<Vec<String>> {
    let mut grouping: Vec<&str> = Vec::new();
    // A handful of names, whatever the number of groups.
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
        "predictor",
        "interval_method",
        "lack_of_fit_p",
        "runners_up",
    ]);
    let mut rows = vec![columns.map(str::to_owned).collect::<Vec<_>>()];
    for group in fits {
        let value = |name: &str| group.group.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        let mut start = vec![group.name.clone(), group.model_name().to_owned()];
        start.extend(grouping.iter().map(|name| value(name).unwrap_or_default()));
        let cells = match &group.outcome {
            Outcome::Law(fit) => line_cells(fit),
            Outcome::Slowdown(slowdown) => slowdown_cells(slowdown),
            Outcome::Speedup(speedup) => vec![speedup_cells(speedup)],
            Outcome::NotFitted(_) | Outcome::Fails(_) => vec![Default::default()],
        };
        let predictor = group.model.predictor().unwrap_or_default().to_owned();
        let [interval, p, runners_up] = group.outcome.law().map(method_cells).unwrap_or_default();
        let end = [group.outcome.verdict(), predictor, interval, p, runners_up];
        rows.extend(cells.into_iter().map(|cells: [String; 8]| {
            let row = start.iter().cloned().chain(cells);
            row.chain(end.iter().cloned()).collect::<Vec<_>>()
        }));
    }
    rows
}

/// The cells of a law's parameters, from the parameter's name to the number of points.
fn line_cells(fit: &LawFit) -> Vec<[String; 8]> {
    let cells = fit.estimates.iter().map(|estimate| {
        let [value, low, high] = [estimate.estimate, estimate.low, estimate.high].map(|number| significant(number, 6));
        let (parameter, unit) = (estimate.parameter.to_owned(), estimate.unit.to_owned());
        let r2 = format!("{:.9}", fit.r2);
        [parameter, value, low, high, unit, r2, significant(fit.error_pct, 3), fit.n.to_string()]
    });
    cells.collect()
}

/// How a law's intervals were found, how likely its misfit is if it is true, and what it was chosen from.
fn method_cells(fit: &LawFit) -> [String; 3] {
    let p = fit.replication.map(|replication| significant(replication.p, 3)).unwrap_or_default();
    let runners_up = fit.selection.as_ref().map(Selection::cell).unwrap_or_default();
    [fit.interval.name().to_owned(), p, runners_up]
}

/// The cells of a speedup.
fn speedup_cells(speedup: &Speedup) -> [String; 8] {
    let (low, high) = speedup.interval.unzip();
    let number = |number: Option<f64>| number.map(|number| significant(number, 6)).unwrap_or_default();
    let [estimate, low, high] = [Some(speedup.ratio), low, high].map(number);
    let none = String::new;
    [SPEEDUP.to_owned(), estimate, low, high, "ratio".to_owned(), none(), none(), speedup.n.to_string()]
}

/// The cells of a slowdown: its mean with the interval, and the ends of its range.
fn slowdown_cells(slowdown: &Slowdown) -> Vec<[String; 8]> {
    let (low, high) = slowdown.interval.unzip();
    let rows = [
        (SLOWDOWN, slowdown.ratio, low, high),
        ("slowdown_smallest", slowdown.smallest, None, None),
        ("slowdown_largest", slowdown.largest, None, None),
    ];
    let number = |number: Option<f64>| number.map(|number| significant(number, 6)).unwrap_or_default();
    let cells = rows.map(|(parameter, estimate, low, high)| {
        let [estimate, low, high] = [Some(estimate), low, high].map(number);
        let (none, n) = (String::new, slowdown.n.to_string());
        [parameter.to_owned(), estimate, low, high, "ratio".to_owned(), none(), none(), n]
    });
    cells.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::model::fixtures::{FAMILY, law, numbered, point, request};
    use crate::model::group::fit_points;

    #[test]
    fn laws_and_slowdowns_share_their_columns() {
        let pattern = [1, 2, 3, 4].map(|n| point("divergent", n, "compute", 5.0 + 10.0 * f64::from(n), 0.0));
        let points = numbered(pattern.into_iter().chain([point("uniform", 2, "compute", 20.0, 0.0)]));
        let requests = [
            request("branches", law("branches")),
            request("ratio", Model::Slowdown { reference: "divergent".to_owned() }),
        ];
        let fits = fit_points(&requests, &FAMILY, &points);
        let rows: Vec<String> = fit_rows(&fits).iter().map(|row| row.join(",")).collect();
        // 20 over 15, 25, 35 and 45: the fourth root of 256 / 945.
        let expected = [
            "fit,model,variant,parameter,estimate,low,high,unit,r2,error_pct,n,verdict,predictor,interval_method,lack_of_fit_p,runners_up",
            "branches,branches,divergent,t_outside,5.00000,5.00000,5.00000,us,1.000000000,0,4,holds exactly,branches_per_warp,student,,",
            "branches,branches,divergent,t_branch,10.0000,10.0000,10.0000,us,1.000000000,0,4,holds exactly,branches_per_warp,student,,",
            "branches,branches,uniform,,,,,,,,,not fitted: uniform does not depend on branches_per_warp,branches_per_warp,,,",
            "ratio,slowdown,uniform,slowdown,0.721443,,,ratio,,,4,slower at 1 and faster at 3 of 4 points,,,,",
            "ratio,slowdown,uniform,slowdown_smallest,0.444444,,,ratio,,,4,slower at 1 and faster at 3 of 4 points,,,,",
            "ratio,slowdown,uniform,slowdown_largest,1.33333,,,ratio,,,4,slower at 1 and faster at 3 of 4 points,,,,",
        ];
        assert_eq!(rows, expected);
    }
}
