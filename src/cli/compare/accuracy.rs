//! `apbench compare MEASURED SIMULATED --accuracy`: how far a simulated GPU is off.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::super::failure::{Failure, Status};
use super::super::output::{csv_text, line, print_table, table, tell, width, wrapped};
use super::Arguments;
use crate::compare::accuracy::{Accuracy, ComparedPoint, Errors, IN_ORDER_FROM, Order, Pair, rank_correlation};
use crate::family::Family;
use crate::properties::Origin;
use crate::run::METADATA_FILE;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// The columns of the table on the screen and in Markdown.
const COLUMNS: [&str; 8] =
    ["scenario", "points", "times off", "bias", "within 20 %", "slowdowns off", "rank", "order right"];
/// The columns of a file; parts are in percent.
const FILE_COLUMNS: [&str; 10] = [
    "scenario",
    "points",
    "time_error_pct",
    "time_median_error_pct",
    "time_bias_pct",
    "time_within_20_pct",
    "slowdown_error_pct",
    "slowdown_bias_pct",
    "rank_correlation",
    "order_right_pct",
];
/// Worst points that are shown.
const WORST: usize = 10;

const EXPLANATION: &str = "An error is simulated / measured - 1. \"off\" is the mean of its sizes, \"bias\" keeps the signs: below zero, the \
    simulated GPU is too fast. A slowdown is the time over that of the scenario's first variant at the same parameters. \"rank\" is Spearman's \
    correlation of the times. \"order right\": of pairs of variants at the same parameters whose measured times differ by 5 % or more, those that \
    are simulated in the same order. Of workloads with transfers the kernels' time is taken.";

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let [measured, simulated] = arguments.runs.as_slice() else {
        let problem = "--accuracy holds two against each other: apbench compare MEASURED SIMULATED --accuracy, each a run or a folder of runs";
        return Err(Failure::Usage(problem.to_owned()));
    };
    let pairs = pairs(Path::new(measured), Path::new(simulated))?;
    let mut all = Vec::with_capacity(pairs.len());
    let mut devices = BTreeSet::new();
    for (measured, simulated) in pairs {
        let (accuracy, of) = compared(&measured, &simulated)?;
        if accuracy.points.is_empty() {
            tell(format!(
                "note: {} has no point in common with {}: sweep both with the same --sizes",
                simulated.display(),
                measured.display()
            ));
            continue;
        }
        devices.insert(of);
        all.push(accuracy);
    }
    if all.is_empty() {
        return Err(Failure::Usage("no point of the runs can be compared".to_owned()));
    }
    let devices: Vec<String> = devices.into_iter().collect();
    if arguments.json {
        line(format!("{:#}", document(&devices, &all)))?;
    } else if arguments.csv {
        let rows = all.iter().map(|own| cells(&Row::of(own)).to_vec());
        line(csv_text(std::iter::once(FILE_COLUMNS.map(str::to_owned).to_vec()).chain(rows))?.trim_end())?;
    } else if arguments.markdown {
        line(markdown(&devices, &all))?;
    } else {
        screen(&devices, &all)?;
    }
    Ok(Status::Success)
}

/// Runs that belong together: the two, or those with the same names in two folders.
fn pairs(measured: &Path, simulated: &Path) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let is_run = |folder: &Path| folder.join(METADATA_FILE).is_file();
    if is_run(measured) || is_run(simulated) {
        return Ok(vec![(measured.to_owned(), simulated.to_owned())]);
    }
    let names = |folder: &Path| -> Result<BTreeSet<String>, Failure> {
        let wrong =
            |error| Failure::Usage(format!("{} is neither a run nor a folder of runs: {error}", folder.display()));
        let entries = fs::read_dir(folder).map_err(wrong)?.flatten();
        Ok(entries
            .filter(|entry| is_run(&entry.path()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect())
    };
    let both: Vec<_> = names(measured)?.intersection(&names(simulated)?).cloned().collect();
    if both.is_empty() {
        let problem = format!("{} and {} have no run of the same name", measured.display(), simulated.display());
        return Err(Failure::Usage(problem));
    }
    Ok(both.into_iter().map(|name| (measured.join(&name), simulated.join(name))).collect())
}

/// Two runs, and what they are of.
fn compared(measured: &Path, simulated: &Path) -> Result<(Accuracy, String), Failure> {
    let [measured, simulated] = [Run::read(measured)?, Run::read(simulated)?];
    let expected = [(&measured, Origin::Measured, "first"), (&simulated, Origin::Simulated, "second")];
    for (run, origin, place) in expected {
        if run.metadata.device.origin != origin {
            return Err(Failure::Usage(format!(
                "--accuracy: the {place} run must be {}, but {} is {}",
                origin.name(),
                run.directory.display(),
                run.metadata.device.origin.name()
            )));
        }
    }
    let [one, other] = [family(&measured)?, family(&simulated)?];
    if one.name != other.name {
        return Err(Failure::Usage(format!(
            "{} measured {} and {} {}: only runs of the same family can be compared",
            measured.directory.display(),
            one.name,
            simulated.directory.display(),
            other.name
        )));
    }
    let of = format!("{} against {}", simulated.metadata.device.spec, measured.metadata.device.label());
    Ok((Accuracy::of(&measured.metadata.scenario, one, &measured.points, &simulated.points), of))
}

fn family(run: &Run) -> Result<&'static Family, Failure> {
    Ok(Scenario::of_run(&run.metadata.scenario, "scenario.toml", &run.scenario)?.family)
}

/// What a row of the table is made of.
struct Row<'a> {
    name: &'a str,
    times: Vec<Pair>,
    slowdowns: Vec<Pair>,
    rank_correlation: Option<f64>,
    order: Order,
}

impl<'a> Row<'a> {
    fn of(accuracy: &'a Accuracy) -> Self {
        Self {
            name: &accuracy.scenario,
            times: accuracy.times().copied().collect(),
            slowdowns: accuracy.slowdowns().copied().collect(),
            rank_correlation: accuracy.rank_correlation,
            order: accuracy.order,
        }
    }

    fn of_all(all: &'a [Accuracy]) -> Self {
        let times: Vec<Pair> = all.iter().flat_map(Accuracy::times).copied().collect();
        Self {
            name: "all",
            rank_correlation: rank_correlation(&times),
            times,
            slowdowns: all.iter().flat_map(Accuracy::slowdowns).copied().collect(),
            order: all.iter().fold(Order::default(), |sum, own| sum.and(own.order)),
        }
    }
}

/// A row in numbers, parts in percent; empty where there is none.
fn cells(row: &Row<'_>) -> [String; 10] {
    let percent = |part: f64| format!("{:.1}", 100.0 * part);
    let [times, slowdowns] = [Errors::of(&row.times), Errors::of(&row.slowdowns)];
    let of = |errors: Option<Errors>, part: fn(Errors) -> f64| errors.map(|own| percent(part(own))).unwrap_or_default();
    let right = (row.order.pairs > 0).then(|| percent(row.order.right as f64 / row.order.pairs as f64));
    [
        row.name.to_owned(),
        row.times.len().to_string(),
        of(times, |own| own.mean),
        of(times, |own| own.median),
        of(times, |own| own.bias),
        of(times, |own| own.within_fifth),
        of(slowdowns, |own| own.mean),
        of(slowdowns, |own| own.bias),
        row.rank_correlation.map(|rank| format!("{rank:.2}")).unwrap_or_default(),
        right.unwrap_or_default(),
    ]
}

/// The columns of the screen, with units.
fn shown(row: &Row<'_>) -> Vec<String> {
    let [name, points, off, _, bias, within, slowdowns_off, _, rank, _] = cells(row);
    let percent = |cell: String| if cell.is_empty() { cell } else { cell + " %" };
    let Order { pairs, right } = row.order;
    let order = if pairs == 0 { String::new() } else { format!("{right} of {pairs}") };
    vec![name, points, percent(off), percent(bias), percent(within), percent(slowdowns_off), rank, order]
}

fn title(devices: &[String]) -> String {
    format!("how far the simulated times are off: {}", devices.join("; "))
}

fn rows(all: &[Accuracy]) -> Vec<Vec<String>> {
    let sum = (all.len() > 1).then(|| shown(&Row::of_all(all)));
    all.iter().map(|own| shown(&Row::of(own))).chain(sum).collect()
}

/// The points whose times are furthest off, the furthest first: by how many times, either way.
fn worst(all: &[Accuracy]) -> Vec<(&str, &ComparedPoint)> {
    let points = all.iter().flat_map(|own| own.points.iter().map(|point| (own.scenario.as_str(), point)));
    let mut points: Vec<_> = points.collect();
    let times = |point: &ComparedPoint| (point.time_us.simulated / point.time_us.measured).ln().abs();
    points.sort_by(|one, other| times(other.1).total_cmp(&times(one.1)));
    points.truncate(WORST);
    points
}

fn place(point: &ComparedPoint) -> String {
    let values = point.parameters.iter().map(|(name, value)| format!(" {name}={value}"));
    format!("{}{}", point.variant, values.collect::<String>())
}

const WORST_COLUMNS: [&str; 6] =
    ["scenario", "point", "measured", "simulated", "error", "simulated bound, measured rate"];

fn worst_rows(all: &[Accuracy]) -> Vec<[String; 6]> {
    let row = |(scenario, point): (&str, &ComparedPoint)| {
        let rate = point
            .measured_gb_per_s
            .filter(|rate| *rate >= 1.0)
            .map_or(String::new(), |rate| format!(", {rate:.0} GB/s"));
        [
            scenario.to_owned(),
            place(point),
            unit::time_us(point.time_us.measured),
            unit::time_us(point.time_us.simulated),
            format!("{:+.0} %", 100.0 * point.time_us.error()),
            format!("{}{rate}", point.bound),
        ]
    };
    worst(all).into_iter().map(row).collect()
}

fn screen(devices: &[String], all: &[Accuracy]) -> Result<(), Failure> {
    line(title(devices))?;
    line("")?;
    let mut numbers = table(&COLUMNS);
    for row in rows(all) {
        numbers.add_row(row);
    }
    print_table(&numbers)?;
    line("")?;
    line("furthest off")?;
    let mut furthest = table(&WORST_COLUMNS);
    for row in worst_rows(all) {
        furthest.add_row(row);
    }
    print_table(&furthest)?;
    line("")?;
    wrapped("", EXPLANATION, usize::from(width())).into_iter().try_for_each(line)?;
    let alone: usize = all.iter().map(|own| own.alone).sum();
    if alone > 0 {
        line(format!("{alone} points have a time in one of the runs only"))?;
    }
    Ok(())
}

fn markdown(devices: &[String], all: &[Accuracy]) -> String {
    let row = |cells: &[String]| format!("| {} |", cells.join(" | "));
    let header = |names: &[&str]| format!("| {} |\n|{}", names.join(" | "), " --- |".repeat(names.len()));
    let mut lines = vec![format!("# {}\n", title(devices)), header(&COLUMNS)];
    lines.extend(rows(all).iter().map(|cells| row(cells)));
    lines.push(format!("\n## Furthest off\n\n{}", header(&WORST_COLUMNS)));
    lines.extend(worst_rows(all).iter().map(|cells| row(cells)));
    lines.push(format!("\n{EXPLANATION}"));
    lines.join("\n")
}

fn document(devices: &[String], all: &[Accuracy]) -> serde_json::Value {
    let summary = |row: &Row<'_>| {
        json!({
            "times": Errors::of(&row.times),
            "slowdowns": Errors::of(&row.slowdowns),
            "rank_correlation": row.rank_correlation,
            "order": row.order,
        })
    };
    let scenarios = all.iter().map(|own| {
        json!({"scenario": own.scenario, "family": own.family, "summary": summary(&Row::of(own)), "alone": own.alone, "points": own.points})
    });
    json!({
        "devices": devices,
        "in_order_from": IN_ORDER_FROM,
        "summary": summary(&Row::of_all(all)),
        "scenarios": scenarios.collect::<Vec<_>>(),
    })
}
