//! What a choice gains for each variant, where a scenario draws the values of the choice side by side.

use crate::model::slowdown::{Pair, Slowdown};
use crate::parameter::Kind;
use crate::record::{PointRecord, Status};
use crate::run::reader::Run;
use crate::scenario::{ChartKind, ChartRequest, Scenario, Vertical};
use crate::unit;

/// How many times as large as the smallest the largest of some ratios is at least, where the mean alone would mislead.
const FAR_APART: f64 = 2.0;

/// For each chart whose bars are variants, beside each other by a choice: a sentence for each value, against the first one that the run has.
pub(super) fn choices(run: &Run, scenario: &Scenario) -> Vec<String> {
    scenario.charts.iter().flat_map(|chart| of_chart(run, scenario, chart).unwrap_or_default()).collect()
}

/// The choice that the bars of a chart of variants differ in.
fn choice<'a>(scenario: &Scenario, chart: &'a ChartRequest) -> Option<&'a str> {
    let is_of_variants = matches!(chart.kind, ChartKind::Bars) && chart.x == "variant" && chart.of.is_none();
    let [name] = &chart.series.as_ref()?[..] else { return None };
    let is_choice = matches!(scenario.family.parameter(name)?.kind, Kind::Choice(_));
    (is_of_variants && is_choice && matches!(chart.y, Vertical::Time)).then_some(name)
}

fn of_chart(run: &Run, scenario: &Scenario, chart: &ChartRequest) -> Option<Vec<String>> {
    let choice = choice(scenario, chart)?;
    let family = scenario.family;
    let timed = |point: &&PointRecord| point.status == Status::Ok && point.timing.is_some();
    let good: Vec<&PointRecord> =
        run.points.iter().filter(timed).filter(|point| chart.only.admits(family, point)).collect();
    let mut values: Vec<String> = Vec::new();
    for value in good.iter().filter_map(|point| point.value(choice)) {
        if !values.iter().any(|own| *own == value) {
            values.push(value.into_owned());
        }
    }
    let (base, others) = values.split_first()?;
    let names: Vec<&str> = family.parameters.iter().map(|own| own.name).filter(|name| *name != choice).collect();
    let of_value = |value: &String| -> Vec<&PointRecord> {
        good.iter().copied().filter(|point| point.value(choice).as_deref() == Some(value)).collect()
    };
    let bases = of_value(base);
    let alike = |one: &PointRecord, other: &PointRecord| {
        one.variant == other.variant && names.iter().all(|name| one.value(name) == other.value(name))
    };
    let with = common(run, chart, &good, choice);
    let told = others.iter().filter_map(|value| {
        let own = of_value(value);
        let with_base = own.iter().map(|point| Some((*point, bases.iter().copied().find(|base| alike(base, point))?)));
        let pairs: Vec<Pair<'_>> = with_base.flatten().map(|(point, reference)| Pair { point, reference }).collect();
        sentence(scenario, &pairs, &format!("{choice}={value}"), &format!("{choice}={base}"), &with)
    });
    Some(told.collect())
}

/// What all points of a chart have that others of the run have not: ` with memory=global`.
fn common(run: &Run, chart: &ChartRequest, good: &[&PointRecord], choice: &str) -> String {
    let told = chart.only.conditions.iter().filter_map(|(name, _)| {
        let value = good.first()?.value(name)?;
        let is_common = good.iter().all(|point| point.value(name).as_ref() == Some(&value));
        let has_others = run.points.iter().any(|point| point.value(name).is_some_and(|own| own != value));
        (name != choice && is_common && has_others).then(|| format!("{name}={value}"))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { String::new() } else { format!(" with {}", told.join(" ")) }
}

/// For which variants a value is faster than another, for which slower, and by how much.
fn sentence(scenario: &Scenario, pairs: &[Pair<'_>], value: &str, base: &str, with: &str) -> Option<String> {
    let (mut faster, mut slower, mut same, mut mixed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for variant in &scenario.variants {
        let own: Vec<Pair<'_>> = pairs.iter().filter(|pair| pair.point.variant == variant.name).copied().collect();
        let Some(slowdown) = Slowdown::over(&own) else { continue };
        let name = variant.name;
        if slowdown.faster == slowdown.n {
            faster.push(format!(
                "{name} {}",
                figure(1.0 / slowdown.ratio, 1.0 / slowdown.largest, 1.0 / slowdown.smallest)
            ));
        } else if slowdown.slower == slowdown.n {
            slower.push(format!("{name} {}", figure(slowdown.ratio, slowdown.smallest, slowdown.largest)));
        } else if slowdown.faster + slowdown.slower == 0 {
            same.push(name.to_owned());
        } else {
            let [least, most] = [slowdown.largest, slowdown.smallest].map(|ratio| unit::significant(1.0 / ratio, 3));
            mixed.push(format!("{name} {least} to {most}"));
        }
    }
    let all = faster.len() + slower.len() + same.len() + mixed.len();
    // What all figures are is said of the first.
    let part = |mut own: Vec<String>, what: &str, unit: &str| {
        let every = if own.len() == all { format!("{what} for every variant, ") } else { String::new() };
        *own.first_mut()? += unit;
        Some(format!("{every}{}", own.join(", ")))
    };
    let same_told = match same.len() {
        0 => None,
        own if own == all => Some("as fast for every variant".to_owned()),
        _ => Some(format!("as fast for {}", same.join(", "))),
    };
    let mixed_told = (!mixed.is_empty()).then(|| format!("{} times as fast, depending on the point", mixed.join(", ")));
    let told =
        [part(faster, "faster", " times as fast"), part(slower, "slower", " times as long"), mixed_told, same_told];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("{value} against {base}{with}: {}.", told.join("; ")))
}

/// A mean, with the smallest and the largest where these are far apart.
fn figure(mean: f64, smallest: f64, largest: f64) -> String {
    let [mean, least, most] = [mean, smallest, largest].map(|ratio| unit::significant(ratio, 3));
    if largest / smallest >= FAR_APART { format!("{mean} ({least} to {most})") } else { mean }
}
