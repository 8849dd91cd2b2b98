//! Other runs beside the page's own: how many times as long they take, point by point, law by law, and on charts.

use maud::{Markup, html};

use super::figure::{self, Figures, origin_label};
use super::{Comparison, Report, with_code};
use crate::compare::SideBySide;
use crate::compare::ratio::{Known, Ratio};
use crate::unit;

/// Rows of the table of points at most.
const ROWS_MAX: usize = 500;

/// Everything about the other runs; nothing where there are none.
pub(super) fn section(report: &Report<'_>, figures: &Figures) -> Markup {
    let Some(comparison) = &report.comparison else { return html! {} };
    let Comparison { side_by_side, charts } = comparison;
    html! {
        section #comparison aria-labelledby="comparison-heading" {
            h2 #comparison-heading { "Comparison" }
            p { "The ratio is the time divided by the time in the base. Above 1, the point is slower." }
            (runs(side_by_side))
            @if !side_by_side.notes.is_empty() { ul.notes { @for note in &side_by_side.notes { li { (with_code(note)) } } } }
            (summaries(side_by_side))
            @for (name, chart) in charts { (figure::figure(report, name, chart, figures, &origins(side_by_side))) }
            (laws(side_by_side))
            (points(side_by_side))
        }
    }
}

fn origins(all: &SideBySide) -> Vec<crate::properties::Origin> {
    let mut origins = vec![all.base.origin];
    for other in &all.others {
        if !origins.contains(&other.facts.origin) {
            origins.push(other.facts.origin);
        }
    }
    origins
}

/// How the others are called.
fn mark(other: usize) -> String {
    format!("[{}]", other + 1)
}

fn ratio(value: f64) -> String {
    unit::significant(value, if (0.1..1.0).contains(&value) { 3 } else { 4 })
}

fn interval(ends: Option<(f64, f64)>) -> String {
    ends.map_or(String::new(), |(low, high)| format!("{} to {}", ratio(low), ratio(high)))
}

fn with_interval(own: &Ratio) -> String {
    if own.interval.is_some() { format!("{} ({})", ratio(own.ratio), interval(own.interval)) } else { ratio(own.ratio) }
}

/// What is compared with what.
fn runs(all: &SideBySide) -> Markup {
    let others = all.others.iter().enumerate().map(|(place, other)| (mark(place), &other.facts));
    html! {
        div.table tabindex="0" role="region" aria-label="Runs" { table {
            caption { "Runs" }
            thead { tr {
                th scope="col" { "" span.hidden { "mark" } } th scope="col" { "run" } th scope="col" { "device" } th scope="col" { "origin" }
                th scope="col" { "driver" } th scope="col" { "begun" } th.number scope="col" { "points" }
            } }
            tbody { @for (mark, facts) in std::iter::once(("base".to_owned(), &all.base)).chain(others) { tr {
                th scope="row" { (mark) } td { (facts.name) } td { (facts.device) } td { (origin_label(facts.origin)) }
                td { (facts.driver_version.as_deref().unwrap_or_default()) } td { time { (facts.started_at) } } td.number { (facts.points) }
            } } }
        } }
        @if !all.fixed.is_empty() {
            p.quiet { "Every point: " (all.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")) "." }
        }
    }
}

/// The summary of all points of a run.
fn summaries(all: &SideBySide) -> Markup {
    html! { @for (place, other) in all.others.iter().enumerate() {
        @let own = &other.summary;
        ul.findings { li.compared {
            p.about { span.mark { (mark(place)) } " " (other.facts.name) ", " (other.facts.device) }
            p.sentence {
                @match &own.mean {
                    Some(mean) => {
                        "takes " @if let Some((smallest, largest)) = own.range { (ratio(smallest)) " to " (ratio(largest)) }
                        " times as long as the base; the geometric mean of " (own.compared) " points is " (with_interval(mean))
                    }
                    None => { "no point could be compared" }
                }
            }
            ul {
                @if !own.verdicts.is_empty() { li {
                    (own.verdicts.iter().map(|(found, count)| format!("{count} {}", other.relation.told(*found))).collect::<Vec<_>>().join(", "))
                } }
                @for (count, words) in [(own.added, "only here"), (own.removed, "only in the base"), (own.failed, "without a time on one side")] {
                    @if count > 0 { li { (count) " points " (words) } }
                }
                @for same in &other.normalised { li { (same.label) ": " (with_interval(&same.mean)) " (" (same.other) " against " (same.base) ")" } }
                @for row in &own.differ_most {
                    @if let Some(judged) = all.rows.get(*row).and_then(|row| row.others.get(place)?.judged.as_ref()) {
                        li { "among those that differ most: " (ratio(judged.ratio)) " at " (all.label(*row)) }
                    }
                }
            }
        } }
    } }
}

fn known(known: Option<Known>, unit: &str) -> String {
    let figure = |value: f64| if unit == "us" { unit::time_us_to(value, 4) } else { unit::significant(value, 4) };
    known.map_or(String::new(), |known| {
        format!("{} ({} to {})", unit::of_law(known.estimate, unit), figure(known.low), figure(known.high))
    })
}

/// The parameters of laws side by side.
fn laws(all: &SideBySide) -> Markup {
    html! { @if all.others.iter().any(|other| !other.laws.is_empty()) {
        div.table tabindex="0" role="region" aria-label="Laws side by side" { table.sortable {
            caption { "Laws side by side, with 95 % intervals" }
            thead { tr {
                th scope="col" { "run" } th scope="col" { "fit" } th scope="col" { "points" } th scope="col" { "parameter" }
                th.number scope="col" { "base" } th.number scope="col" { "other" } th.number scope="col" { "ratio" } th.number scope="col" { "95 % interval" }
            } }
            tbody { @for (place, other) in all.others.iter().enumerate() { @for law in &other.laws { tr {
                th scope="row" { (mark(place)) } td { (law.fit) } td { (law.group) } td { (law.parameter) }
                td.number data-value=(value(law.base)) { (known(law.base, &law.unit)) }
                td.number data-value=(value(law.other)) { (known(law.other, &law.unit)) }
                td.number { (law.ratio.map(|own| ratio(own.ratio)).unwrap_or_default()) }
                td.number { (interval(law.ratio.and_then(|own| own.interval))) }
            } } } }
        } }
    } }
}

fn value(known: Option<Known>) -> String {
    known.map(|known| known.estimate.to_string()).unwrap_or_default()
}

/// The points side by side.
fn points(all: &SideBySide) -> Markup {
    let time = |time_us: Option<f64>| time_us.map(|time| unit::time_us_to(time, 5)).unwrap_or_default();
    let raw = |time_us: Option<f64>| time_us.map(|time| time.to_string()).unwrap_or_default();
    html! {
        div.table tabindex="0" role="region" aria-label="Points side by side" { table.sortable {
            caption {
                "Points side by side"
                @if all.rows.len() > ROWS_MAX { ": the first " (ROWS_MAX) " of " (all.rows.len()) ", apbench compare --csv has all" }
            }
            thead { tr {
                th scope="col" { "point" } th.number scope="col" { "base" }
                @for place in 0..all.others.len() {
                    th.number scope="col" { (mark(place)) } th.number scope="col" { (mark(place)) " ratio" }
                    th.number scope="col" { (mark(place)) " 95 % interval" } th scope="col" { (mark(place)) " verdict" }
                }
            } }
            tbody { @for (number, row) in all.rows.iter().enumerate().take(ROWS_MAX) {
                @let base = row.base.map(|base| base.time_us);
                tr {
                    th scope="row" { (all.label(number)) } td.number data-value=(raw(base)) { (time(base)) }
                    @for (other, cell) in all.others.iter().zip(&row.others) {
                        @let own = cell.time.map(|time| time.time_us);
                        @let judged = cell.judged.as_ref();
                        td.number data-value=(raw(own)) { (time(own)) }
                        td.number { (judged.map(|judged| ratio(judged.ratio)).unwrap_or_default()) }
                        td.number { (interval(judged.and_then(|judged| judged.interval))) }
                        td title=[judged.map(|judged| judged.reason.as_str()).filter(|reason| !reason.is_empty())] { (cell.told(other.relation)) }
                    }
                }
            } }
        } }
    }
}
