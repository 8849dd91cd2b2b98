//! A comparison as CSV: a row for each point and each run except the base.

use super::super::failure::Failure;
use super::SideBySide;
use crate::compare::normalise::By;
use crate::compare::side_by_side::{Cell, Judged, Other, PointTime, Row};
use crate::record::decimals;
use crate::unit::significant;

/// The columns behind the run, the variant and the parameters.
const COLUMNS: [&str; 25] = [
    "standing",
    "verdict",
    "label",
    "ratio",
    "ratio_low",
    "ratio_high",
    "basis",
    "base_us",
    "base_us_low",
    "base_us_high",
    "other_us",
    "other_us_low",
    "other_us_high",
    "ratio_robust",
    "ratio_robust_low",
    "ratio_robust_high",
    "ratio_per_clock",
    "ratio_per_multiprocessor",
    "ratio_per_bandwidth",
    "compared_rounds",
    "rounds_needed",
    "delta_pct",
    "allowance_pct",
    "base_status",
    "why",
];

pub(super) fn text(compared: &SideBySide) -> Result<String, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Other(format!("the CSV: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = ["run", "variant"].into_iter().chain(compared.parameters.iter().copied()).chain(COLUMNS);
    writer.write_record(header).map_err(|error| wrong(&error))?;
    for (number, row) in compared.rows.iter().enumerate() {
        for (other, cell) in compared.others.iter().zip(&row.others) {
            let name = [other.facts.name.as_str(), compared.value(number, "variant")];
            let parameters = compared.parameters.iter().map(|parameter| compared.value(number, parameter));
            let start = name.into_iter().chain(parameters).map(str::to_owned);
            writer.write_record(start.chain(cells(other, row, cell))).map_err(|error| wrong(&error))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| wrong(&error))?;
    String::from_utf8(bytes).map_err(|error| wrong(&error))
}

fn cells(other: &Other, row: &Row, cell: &Cell) -> [String; 25] {
    let judged = cell.judged.as_ref();
    let ratio = |value: Option<f64>| value.map(|value| significant(value, 6)).unwrap_or_default();
    let of = |value: fn(&Judged) -> Option<f64>| ratio(judged.and_then(value));
    let word = |value: fn(&Judged) -> String| judged.map(value).unwrap_or_default();
    let time = |time: Option<PointTime>| {
        let interval = time.and_then(|time| time.interval_us).unzip();
        let cell = |value: Option<f64>| value.map(|value| decimals(value, 3)).unwrap_or_default();
        [cell(time.map(|time| time.time_us)), cell(interval.0), cell(interval.1)]
    };
    let factor = |by: By| other.normalised.iter().find(|own| own.by == by).map(|own| own.factor);
    let normalised = |by: By| ratio(judged.and_then(|judged| Some(judged.ratio * factor(by)?)));
    let [base_us, base_low, base_high] = time(row.base);
    let [other_us, other_low, other_high] = time(cell.time);
    [
        cell.standing.name().to_owned(),
        word(|judged| judged.verdict.name().to_owned()),
        judged.map(|_| other.relation.label().to_owned()).unwrap_or_default(),
        of(|judged| Some(judged.ratio)),
        of(|judged| judged.interval.map(|ends| ends.0)),
        of(|judged| judged.interval.map(|ends| ends.1)),
        word(|judged| judged.basis.name().to_owned()),
        base_us,
        base_low,
        base_high,
        other_us,
        other_low,
        other_high,
        of(|judged| judged.ratio_robust),
        of(|judged| judged.interval_robust.map(|ends| ends.0)),
        of(|judged| judged.interval_robust.map(|ends| ends.1)),
        if other.normalised.is_empty() { String::new() } else { of(|judged| judged.ratio_per_clock) },
        normalised(By::Multiprocessors),
        normalised(By::Bandwidth),
        word(|judged| judged.rounds.to_string()),
        word(|judged| judged.rounds_needed.map(|rounds| rounds.to_string()).unwrap_or_default()),
        of(|judged| Some(judged.delta_pct)),
        of(|judged| Some(judged.allowance_pct)),
        row.base_status.map(|status| status.name().to_owned()).unwrap_or_default(),
        word(|judged| judged.reason.to_string()),
    ]
}
