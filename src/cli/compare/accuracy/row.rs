//! A row of the table: the errors of a scenario, or of all together.

use crate::compare::accuracy::{APART_FROM, Accuracy, Errors, IN_ORDER_FROM, Order, Pair, rank_correlation};
use crate::csv_column::{CsvColumn, Described, described};
use located_toml::words::count;

/// What a row is made of.
pub(super) struct Row<'a> {
    name: &'a str,
    points: usize,
    times: Option<Errors>,
    slowdowns: Option<Errors>,
    rank_correlation: Option<f64>,
    order: Order,
}

impl<'a> Row<'a> {
    /// That of a scenario.
    pub(super) fn of(accuracy: &'a Accuracy) -> Self {
        Self {
            name: &accuracy.scenario,
            points: accuracy.points.len(),
            times: Errors::of(accuracy.times()),
            slowdowns: Errors::of(accuracy.slowdowns()),
            rank_correlation: accuracy.rank_correlation,
            order: accuracy.order,
        }
    }

    /// That of all scenarios.
    pub(super) fn of_all(all: &'a [Accuracy]) -> Self {
        let times: Vec<Pair> = all.iter().flat_map(Accuracy::times).copied().collect();
        Self {
            name: "all",
            points: times.len(),
            rank_correlation: rank_correlation(&times),
            times: Errors::of(&times),
            slowdowns: Errors::of(all.iter().flat_map(Accuracy::slowdowns)),
            order: all.iter().fold(Order::default(), |sum, own| sum.and(own.order)),
        }
    }

    /// The mean size of the times' errors as the table has it, and of how many points: `4.5 % off on average at 233 points`.
    pub(super) fn told(&self) -> String {
        format!("{} % off on average at {}", of(self.times, |own| own.mean), count(self.points, "point"))
    }

    /// The same as JSON.
    pub(super) fn document(&self) -> serde_json::Value {
        serde_json::json!({
            "times": self.times,
            "slowdowns": self.slowdowns,
            "rank_correlation": self.rank_correlation,
            "order": self.order,
        })
    }
}

/// How a cell of the file is made.
type Cell = fn(&Row<'_>) -> String;

/// The columns of the file.
pub(super) const FILE_COLUMNS: [CsvColumn<Cell>; 15] = [
    CsvColumn::new("scenario", "text", "the scenario", |row| row.name.to_owned()),
    CsvColumn::new("points", "count", "points that both runs have a time of", |row| row.points.to_string()),
    CsvColumn::new(
        "time_error_pct",
        "%",
        "mean of the sizes of the times' errors; an error is simulated / measured - 1",
        |row| of(row.times, |own| own.mean),
    ),
    CsvColumn::new("time_median_error_pct", "%", "median of their sizes", |row| of(row.times, |own| own.median)),
    CsvColumn::new("time_bias_pct", "%", "mean, signs kept: below zero, the simulated GPU is too fast", |row| {
        of(row.times, |own| own.bias)
    }),
    CsvColumn::new("time_within_20_pct", "%", "part of the points whose times are at most 20 % off", |row| {
        of(row.times, |own| own.within_fifth)
    }),
    CsvColumn::new(
        "slowdown_error_pct",
        "%",
        "mean of the sizes of the slowdowns' errors; a slowdown is the time over that of the scenario's first variant at the same parameters",
        |row| of(row.slowdowns, |own| own.mean),
    ),
    CsvColumn::new("slowdown_bias_pct", "%", "their mean, signs kept", |row| of(row.slowdowns, |own| own.bias)),
    CsvColumn::new("rank_correlation", "ratio", "Spearman's rank correlation of the times", |row| {
        row.rank_correlation.map(|rank| format!("{rank:.2}")).unwrap_or_default()
    }),
    CsvColumn::new(
        "order_right_pct",
        "%",
        "part of the pairs of variants at the same parameters that are simulated in the order in which they were measured",
        |row| part(row.order.right, row.order.pairs),
    ),
    CsvColumn::new("order_pairs", "count", "those pairs, whose measured times differ by at least 5 %", |row| {
        row.order.pairs.to_string()
    }),
    CsvColumn::new(
        "order_right_of_20_pct",
        "%",
        "the same part of the pairs whose measured times differ by at least 20 %",
        |row| part(row.order.right_apart, row.order.pairs_apart),
    ),
    CsvColumn::new("groups", "count", "groups of points that differ in their variant alone", |row| {
        row.order.groups.to_string()
    }),
    CsvColumn::new(
        "fastest_right_pct",
        "%",
        "the part of these groups in which what is simulated as the fastest is measured as the fastest, or as less than 5 % slower",
        |row| part(row.order.fastest_right, row.order.groups),
    ),
    CsvColumn::new("time_error_95_pct", "%", "what the times of 95 % of the points are off by at most", |row| {
        of(row.times, |own| own.of_95_pct)
    }),
];

// The words above say so.
const _: () = assert!(IN_ORDER_FROM == 0.05 && APART_FROM == 0.2);

fn of(errors: Option<Errors>, part: fn(Errors) -> f64) -> String {
    errors.map(|own| percent(part(own))).unwrap_or_default()
}

fn percent(part: f64) -> String {
    format!("{:.1}", 100.0 * part)
}

fn part(right: usize, pairs: usize) -> String {
    if pairs == 0 { String::new() } else { percent(right as f64 / pairs as f64) }
}

/// What is said below the table of the order of variants that are far apart; `None` where there are no such pairs.
pub(super) fn order_of_those_apart(all: &[Accuracy]) -> Option<String> {
    let Order { pairs_apart, right_apart, .. } = Row::of_all(all).order;
    let right_pct = part(right_apart, pairs_apart);
    (pairs_apart > 0).then(|| {
        let right_pct = right_pct.strip_suffix(".0").filter(|own| *own == "100").unwrap_or(&right_pct);
        format!("Of {pairs_apart} pairs of variants whose measured times differ by 20 % or more, {right_pct} % are in the right order.")
    })
}

/// What is said below that of the fastest variants; `None` where no points differ in their variant alone.
pub(super) fn fastest(all: &[Accuracy]) -> Option<String> {
    let Order { groups, fastest_right, .. } = Row::of_all(all).order;
    (groups > 0).then(|| {
        let points = if groups == 1 { "group of points that differ" } else { "groups of points that differ" };
        format!(
            "Of {groups} {points} in the variant alone, {fastest_right} have the right one as the fastest: what is simulated as the fastest is \
             measured as the fastest, or as less than 5 % slower."
        )
    })
}

/// What the reference says of the columns of the file.
pub(in crate::cli) fn columns() -> impl Iterator<Item = Described> {
    described(&FILE_COLUMNS)
}

/// The columns of the screen and of Markdown; titles break where lines may.
pub(super) const SHOWN_COLUMNS: [&str; 8] =
    ["scenario", "points", "times\noff", "bias", "within\n20 %", "ratios\noff", "rank", "order\nright"];

/// The cells of those, with units.
pub(super) fn shown(row: &Row<'_>) -> [String; 8] {
    let cell = |name: &str| {
        let column = FILE_COLUMNS.iter().find(|column| column.name == name);
        column.map(|column| (column.cell)(row)).unwrap_or_default()
    };
    let percent = |name: &str| {
        let value = cell(name);
        if value.is_empty() {
            value
        } else {
            format!("{} %", value.strip_suffix(".0").filter(|own| *own == "100").unwrap_or(&value))
        }
    };
    [
        cell("scenario"),
        cell("points"),
        percent("time_error_pct"),
        percent("time_bias_pct"),
        percent("time_within_20_pct"),
        percent("slowdown_error_pct"),
        cell("rank_correlation"),
        percent("order_right_pct"),
    ]
}

/// The rows of the table: one for each scenario, and one for all where there are several.
pub(super) fn rows(all: &[Accuracy]) -> Vec<[String; 8]> {
    let sum = (all.len() > 1).then(|| shown(&Row::of_all(all)));
    all.iter().map(|own| shown(&Row::of(own))).chain(sum).collect()
}
