//! `fits.csv`: a row for each fitted parameter.

use std::path::{Path, PathBuf};

use super::writer::{csv_text, replace_file};
use super::{FITS_FILE, RunError};
use crate::csv_column::{CsvColumn, Described, described, names};
use crate::model::fit::{Estimate, LawFit, Selection};
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

/// A row: a parameter of a fit, or a fit that could not be done.
struct Row<'a> {
    group: &'a GroupFit,
    parameter: Parameter,
}

/// What is told of one parameter; empty where a fit could not be done.
#[derive(Default)]
struct Parameter {
    name: &'static str,
    estimate: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    unit: &'static str,
    n: Option<usize>,
}

/// How the cell of a row is made.
type RowCell = fn(&Row<'_>) -> String;

/// Columns before those of the group.
static LEADING: [CsvColumn<RowCell>; 2] = [
    CsvColumn::new("fit", "text", "name of the fit in the scenario", |row| row.group.name.clone()),
    CsvColumn::new("model", "text", "its law (of `auto` the law that was chosen), `slowdown` or `speedup`", |row| {
        row.group.model_name().to_owned()
    }),
];

/// Columns behind those of the group.
static COLUMNS: [CsvColumn<RowCell>; 13] = [
    CsvColumn::new(
        "parameter",
        "text",
        "parameter of the law; `speedup`; `slowdown` (the geometric mean of the ratios), `slowdown_smallest`, `slowdown_largest`",
        |row| row.parameter.name.to_owned(),
    ),
    CsvColumn::new("estimate", "`unit`", "estimate of the parameter", |row| number(row.parameter.estimate)),
    CsvColumn::new("low", "`unit`", "lower end of its 95 % interval", |row| number(row.parameter.low)),
    CsvColumn::new("high", "`unit`", "upper end of its 95 % interval", |row| number(row.parameter.high)),
    CsvColumn::new(
        "unit",
        "text",
        "unit of the three columns before: `us`, `mj` (of energies), `gb_per_s`, `ratio`, `1` for exponents, or the name of the predictor whose unit it is",
        |row| row.parameter.unit.to_owned(),
    ),
    CsvColumn::new("r2", "ratio", "R²: the share of the variation of the times that the law explains", |row| {
        row.law().map(|fit| format!("{:.9}", fit.r2)).unwrap_or_default()
    }),
    CsvColumn::new("error_pct", "%", "root mean square of the leave-one-out errors", |row| {
        row.law().map(|fit| significant(fit.error_pct, 3)).unwrap_or_default()
    }),
    CsvColumn::new("n", "count", "points used; of a slowdown pairs of points", |row| {
        row.parameter.n.map(|count| count.to_string()).unwrap_or_default()
    }),
    CsvColumn::new("verdict", "text", "whether the law holds; where nothing could be fitted, why", |row| {
        row.group.outcome.verdict()
    }),
    CsvColumn::new("predictor", "text", "what the law is fitted against; empty for slowdowns", |row| {
        row.group.model.predictor().unwrap_or_default().to_owned()
    }),
    CsvColumn::new(
        "interval_method",
        "text",
        "how the intervals were found: `student` (covariance of the parameters) or `huber` (the same of a robust fit)",
        |row| row.law().map(|fit| fit.interval.name().to_owned()).unwrap_or_default(),
    ),
    CsvColumn::new(
        "lack_of_fit_p",
        "probability",
        "probability of a misfit this large if the law is true; empty where times repeat exactly",
        |row| {
            let replication = row.law().and_then(|fit| fit.replication);
            replication.map(|replication| significant(replication.p, 3)).unwrap_or_default()
        },
    ),
    CsvColumn::new(
        "runners_up",
        "text",
        "of `auto`: the laws that were not chosen, each with the difference of its criterion and its leave-one-out error",
        |row| row.law().and_then(|fit| fit.selection.as_ref()).map(Selection::cell).unwrap_or_default(),
    ),
];

/// What the reference says of the columns before those of the group, and of those behind them.
pub fn described_columns() -> (Vec<Described>, Vec<Described>) {
    (described(&LEADING).collect(), described(&COLUMNS).collect())
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
    let columns = names(&LEADING).into_iter().chain(grouping.iter().copied()).chain(names(&COLUMNS));
    let mut rows = vec![columns.map(str::to_owned).collect::<Vec<_>>()];
    for group in fits {
        let value = |name: &str| group.group.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        rows.extend(parameters(&group.outcome).into_iter().map(|parameter| {
            let row = Row { group, parameter };
            let mut cells: Vec<String> = LEADING.iter().map(|column| (column.cell)(&row)).collect();
            cells.extend(grouping.iter().map(|name| value(name).unwrap_or_default()));
            cells.extend(COLUMNS.iter().map(|column| (column.cell)(&row)));
            cells
        }));
    }
    rows
}

impl Row<'_> {
    fn law(&self) -> Option<&LawFit> {
        self.group.outcome.law()
    }
}

/// What there is a row for.
fn parameters(outcome: &Outcome) -> Vec<Parameter> {
    match outcome {
        Outcome::Law(fit) => fit.estimates.iter().map(|estimate| of_law(fit, estimate)).collect(),
        Outcome::Slowdown(slowdown) => of_slowdown(slowdown),
        Outcome::Speedup(Speedup { ratio, interval, n, .. }) => vec![of_ratio(SPEEDUP, *ratio, *interval, *n)],
        Outcome::NotFitted(_) | Outcome::Fails(_) => vec![Parameter::default()],
    }
}

fn of_law(fit: &LawFit, estimate: &Estimate) -> Parameter {
    let Estimate { parameter, estimate, low, high, unit } = *estimate;
    Parameter { name: parameter, estimate: Some(estimate), low: Some(low), high: Some(high), unit, n: Some(fit.n) }
}

/// Its mean with the interval, and the ends of its range.
fn of_slowdown(slowdown: &Slowdown) -> Vec<Parameter> {
    let Slowdown { ratio, interval, smallest, largest, n, .. } = *slowdown;
    vec![
        of_ratio(SLOWDOWN, ratio, interval, n),
        of_ratio("slowdown_smallest", smallest, None, n),
        of_ratio("slowdown_largest", largest, None, n),
    ]
}

fn of_ratio(name: &'static str, ratio: f64, interval: Option<(f64, f64)>, n: usize) -> Parameter {
    let (low, high) = interval.unzip();
    Parameter { name, estimate: Some(ratio), low, high, unit: "ratio", n: Some(n) }
}

fn number(value: Option<f64>) -> String {
    value.map(|value| significant(value, 6)).unwrap_or_default()
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
