//! How far simulated times are off, by family: what `results/known-errors.csv` holds.

use serde_json::json;

use super::super::super::failure::{Failure, Status};
use super::super::super::output::{csv_text, data, line, unbroken_line};
use super::super::Arguments;
use super::{Held, files, screen};
use crate::compare::accuracy::by_family;
use crate::csv_column::names;
use crate::known_error::{COLUMNS, KnownError};

/// The columns of the screen and of Markdown.
const SHOWN_COLUMNS: [&str; 7] = ["family", "sizes", "points", "times\noff", "bias", "95 % are\nwithin", "ratios\noff"];

/// What these mean.
const LEGEND: &screen::Legend = &[
    ("sizes", "those of the scenarios for simulated devices (simulated), theirs for GPUs (gpu), or neither (other)"),
    screen::ERROR,
    screen::TIMES_OFF,
    screen::BIAS,
    ("95 % are within", "what the errors of 95 % of the points are at most, either way"),
    screen::RATIOS_OFF,
    ("empty cells", "no other variant at the same parameters"),
];

pub(super) fn print(arguments: &Arguments, all: &[Held]) -> Result<Status, Failure> {
    let rows = by_family(all.iter().map(|own| (&own.of, &own.accuracy)));
    let mut devices: Vec<String> = rows.iter().map(|own| format!("{} against {}", own.profile, own.gpu)).collect();
    devices.dedup();
    let families = || rows.iter().filter(|own| own.is_of_family());
    let title = screen::title(&devices);
    if arguments.json {
        unbroken_line(format!(
            "{:#}",
            json!({"families": families().collect::<Vec<_>>(), "scenarios": rows.iter().filter(|own| !own.is_of_family()).collect::<Vec<_>>()})
        ))?;
    } else if arguments.csv {
        let header = names(&COLUMNS).map(str::to_owned).to_vec();
        let cells = rows.iter().map(|own| COLUMNS.iter().map(|column| (column.cell)(own)).collect());
        data(csv_text(std::iter::once(header).chain(cells))?)?;
    } else if arguments.markdown {
        let table = files::table(&SHOWN_COLUMNS, families().map(|own| shown(own).to_vec()));
        line(format!("# {title}\n\n{table}\n\n{}", files::legend(LEGEND)))?;
    } else {
        line(title)?;
        line("")?;
        screen::numbers(&SHOWN_COLUMNS, families().map(shown), 2)?;
        line("")?;
        screen::legend(LEGEND)?;
    }
    Ok(Status::Success)
}

fn shown(own: &KnownError) -> [String; 7] {
    let percent = |value: f64| format!("{value:.1} %");
    [
        own.family.clone(),
        own.sizes.name().to_owned(),
        own.points.to_string(),
        percent(own.time_error_pct),
        percent(own.time_bias_pct),
        percent(own.time_error_95_pct),
        own.slowdown_error_pct.map(percent).unwrap_or_default(),
    ]
}
