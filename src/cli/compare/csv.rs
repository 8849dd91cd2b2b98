//! A comparison as CSV: a row for each point and each run except the base.

use super::super::failure::Failure;
use super::super::output::csv_text;
use super::SideBySide;
use crate::compare::normalise::By;
use crate::compare::side_by_side::{Cell, Judged, Other, PointTime, Row};
use crate::csv_column::{CsvColumn, Described, described};
use crate::unit::{decimals, significant};

/// A point of one run beside that of the base.
struct Pair<'a> {
    /// The run.
    other: &'a Other,
    /// The point in the base.
    base: &'a Row,
    /// The point in the run.
    cell: &'a Cell,
}

/// How the cell of a row is made.
type PairCell = fn(&Pair<'_>) -> String;

/// The columns behind the run, the variant and the parameters.
static COLUMNS: [CsvColumn<PairCell>; 25] = [
    CsvColumn::new(
        "standing",
        "text",
        "`COMPARED`; `ADDED`: only this run has the point; `REMOVED`: only the base has it; `FAILED`: it has no time in one of \
         the two",
        |pair| pair.cell.standing.name().to_owned(),
    ),
    CsvColumn::new(
        "verdict",
        "text",
        "`SLOWER`, `FASTER`, `SAME`, `LIKELY_SLOWER`, `LIKELY_FASTER` or `UNSURE`: this run against the base",
        |pair| pair.word(|judged| judged.verdict.name().to_owned()),
    ),
    CsvColumn::new(
        "label",
        "text",
        "`other device` or `simulated` where the verdict is not about one GPU; else empty",
        |pair| pair.word(|_| pair.other.relation.label().to_owned()),
    ),
    CsvColumn::new("ratio", "ratio", "time of this run over that of the base", |pair| {
        pair.ratio(|own| Some(own.ratio))
    }),
    CsvColumn::new("ratio_low", "ratio", "lower end of the 95 % interval of `ratio`", |pair| {
        pair.ratio(|own| own.interval.map(|ends| ends.0))
    }),
    CsvColumn::new("ratio_high", "ratio", "upper end of the 95 % interval of `ratio`", |pair| {
        pair.ratio(|own| own.interval.map(|ends| ends.1))
    }),
    CsvColumn::new(
        "basis",
        "text",
        "what the interval rests on: `rounds`, `medians`, `exact` (times repeat exactly) or `none`",
        |pair| pair.word(|judged| judged.basis.name().to_owned()),
    ),
    CsvColumn::new("base_us", "µs", "median time in the base", |pair| time(pair.base.base, Part::Median)),
    CsvColumn::new("base_us_low", "µs", "lower end of the 95 % interval of `base_us`", |pair| {
        time(pair.base.base, Part::Low)
    }),
    CsvColumn::new("base_us_high", "µs", "upper end of the 95 % interval of `base_us`", |pair| {
        time(pair.base.base, Part::High)
    }),
    CsvColumn::new("other_us", "µs", "median time in this run", |pair| time(pair.cell.time, Part::Median)),
    CsvColumn::new("other_us_low", "µs", "lower end of the 95 % interval of `other_us`", |pair| {
        time(pair.cell.time, Part::Low)
    }),
    CsvColumn::new("other_us_high", "µs", "upper end of the 95 % interval of `other_us`", |pair| {
        time(pair.cell.time, Part::High)
    }),
    CsvColumn::new("ratio_robust", "ratio", "the ratio as ranks of rounds give it (Hodges and Lehmann)", |pair| {
        pair.ratio(|own| own.ratio_robust)
    }),
    CsvColumn::new("ratio_robust_low", "ratio", "lower end of its exact 95 % interval (Mann and Whitney)", |pair| {
        pair.ratio(|own| own.interval_robust.map(|ends| ends.0))
    }),
    CsvColumn::new("ratio_robust_high", "ratio", "upper end of its exact 95 % interval", |pair| {
        pair.ratio(|own| own.interval_robust.map(|ends| ends.1))
    }),
    CsvColumn::new(
        "ratio_per_clock",
        "ratio",
        "`ratio` times the ratio of the clocks; empty where the GPUs are of one model, as in the next two columns",
        |pair| if pair.other.normalised.is_empty() { String::new() } else { pair.ratio(|own| own.ratio_per_clock) },
    ),
    CsvColumn::new(
        "ratio_per_multiprocessor",
        "ratio",
        "`ratio` times the ratio of the numbers of multiprocessors",
        |pair| pair.normalised(By::Multiprocessors),
    ),
    CsvColumn::new("ratio_per_bandwidth", "ratio", "`ratio` times the ratio of the peak bandwidths", |pair| {
        pair.normalised(By::Bandwidth)
    }),
    CsvColumn::new("compared_rounds", "count", "rounds of the run that has fewer", |pair| {
        pair.word(|judged| judged.rounds.to_string())
    }),
    CsvColumn::new("rounds_needed", "count", "of `UNSURE`: rounds that would settle the verdict", |pair| {
        pair.word(|judged| judged.rounds_needed.map(|rounds| rounds.to_string()).unwrap_or_default())
    }),
    CsvColumn::new("delta_pct", "%", "smallest difference that counts", |pair| pair.ratio(|own| Some(own.delta_pct))),
    CsvColumn::new("allowance_pct", "%", "what two processes on one machine may differ by", |pair| {
        pair.ratio(|own| Some(own.allowance_pct))
    }),
    CsvColumn::new("base_status", "text", "how the point ended in the base, as in `points.csv`", |pair| {
        pair.base.base_status.map(|status| status.name().to_owned()).unwrap_or_default()
    }),
    CsvColumn::new("why", "text", "why the verdict is not `SLOWER`, `FASTER` or `SAME`; empty where it is", |pair| {
        pair.word(|judged| judged.reason.to_string())
    }),
];

/// What the reference says of the columns before the parameters, and of those behind them.
pub(in crate::cli) fn columns() -> (Vec<Described>, Vec<Described>) {
    let first = vec![
        Described::new("run", "text", "directory of the run that is compared with the base"),
        Described::new("variant", "text", "how the kernel is written: a variant of the family"),
    ];
    (first, described(&COLUMNS).collect())
}

pub(super) fn text(compared: &SideBySide) -> Result<String, Failure> {
    let (first, last) = columns();
    let owned = |column: Described| column.name.to_owned();
    let parameters = compared.parameters.iter().map(|&parameter| parameter.to_owned());
    let header = first.into_iter().map(owned).chain(parameters).chain(last.into_iter().map(owned)).collect();
    let pairs = compared.rows.iter().enumerate().flat_map(|(number, base)| {
        compared.others.iter().zip(&base.others).map(move |(other, cell)| {
            let name = [other.facts.name.as_str(), compared.value(number, "variant")];
            let parameters = compared.parameters.iter().map(|parameter| compared.value(number, parameter));
            let pair = Pair { other, base, cell };
            let cells = COLUMNS.iter().map(|column| (column.cell)(&pair));
            name.into_iter().chain(parameters).map(str::to_owned).chain(cells).collect::<Vec<_>>()
        })
    });
    csv_text([header].into_iter().chain(pairs))
}

impl Pair<'_> {
    /// Text about points that both have a time of.
    fn word(&self, of: impl Fn(&Judged) -> String) -> String {
        self.cell.judged.as_ref().map(of).unwrap_or_default()
    }

    /// A number about such points.
    fn ratio(&self, of: impl Fn(&Judged) -> Option<f64>) -> String {
        let value = self.cell.judged.as_ref().and_then(of);
        value.map(|value| significant(value, 6)).unwrap_or_default()
    }

    /// The ratio with one difference of the devices taken out.
    fn normalised(&self, by: By) -> String {
        let factor = self.other.normalised.iter().find(|own| own.by == by).map(|own| own.factor);
        self.ratio(|judged| Some(judged.ratio * factor?))
    }
}

/// A part of a time with its interval.
#[derive(Clone, Copy)]
enum Part {
    Median,
    Low,
    High,
}

fn time(time: Option<PointTime>, part: Part) -> String {
    let value = time.and_then(|time| match part {
        Part::Median => Some(time.time_us),
        Part::Low => time.interval_us.map(|ends| ends.0),
        Part::High => time.interval_us.map(|ends| ends.1),
    });
    value.map(|value| decimals(value, 3)).unwrap_or_default()
}
