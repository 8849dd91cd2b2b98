//! The rungs of a ladder: what each gains, and the published ones beside.

use maud::{Markup, html};

use super::Report;
use crate::ladder::{Ladder, LadderTable, PublishedLadder, Rung, Speedup, beside};
use crate::unit;

/// Tables at most; `apbench ladder --all` has every one.
const TABLES_MAX: usize = 12;

/// The tables; nothing where the family is no ladder.
pub(super) fn section(report: &Report<'_>) -> Markup {
    let Some(ladder) = &report.ladder else { return html! {} };
    let left_out = ladder.tables.len().saturating_sub(TABLES_MAX);
    html! {
        section #ladder aria-labelledby="ladder-heading" {
            h2 #ladder-heading { "Ladder" }
            p { "Each rung removes a pattern from the rung before it. A step is its speedup over that rung; below 1, it is slower." }
            @for table in ladder.tables.iter().take(TABLES_MAX) { (rungs(ladder, table)) }
            @if left_out > 0 { p { (left_out) " more tables: apbench ladder --all" } }
            @for published in &ladder.published {
                @if let Some(table) = ladder.nearest(published) { (published_beside(ladder, published, table)) }
            }
        }
    }
}

fn rungs(ladder: &Ladder, own: &LadderTable) -> Markup {
    let caption = format!("{} times {}", ladder.origin.name(), own.label());
    html! {
        div.table tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "rung" }
                    @for head in ["time", "GB/s", "step", "all"] { th.number scope="col" { (head) } }
                    th scope="col" { "removes" }
                } }
                tbody {
                    @for rung in &own.rungs { (row(rung, "")) }
                    @for host in &own.hosts { (row(host, " (host)")) }
                    @if let Some(limit_us) = own.limit_us.filter(|_| !own.has_phases()) {
                        tr {
                            th scope="row" { "limit" }
                            td.number { (unit::time_us(limit_us)) }
                            td.number { @if let Some(peak) = ladder.peak_gb_per_s { (unit::significant(peak, 3)) } }
                            td {} td {}
                            td { (ladder.peak_name) }
                        }
                    }
                }
            }
        }
    }
}

fn row(rung: &Rung, kind: &str) -> Markup {
    html! {
        tr {
            th scope="row" { (rung.variant) (kind) }
            td.number { (rung.time_us.map_or_else(none, unit::time_us)) }
            td.number { (rung.gb_per_s.map_or_else(none, |rate| unit::significant(rate, 3))) }
            td.number { (times(rung.step.as_ref())) }
            td.number { (times(rung.cumulative.as_ref())) }
            td { @if rung.reason.is_empty() { (rung.removes) } @else { (rung.reason) } }
        }
    }
}

fn published_beside(ladder: &Ladder, published: &PublishedLadder, own: &LadderTable) -> Markup {
    let Some(found) = beside(published, own) else { return html! {} };
    let parameters: Vec<String> = published.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let places = published.places.join(", ");
    let caption = format!(
        "published: {} ({}, {places}), {}; here: {}{}",
        published.device,
        published.source,
        parameters.join(" "),
        own.label(),
        ladder.other_sizes(published, own).map_or(String::new(), |told| format!("; other sizes: {told}"))
    );
    let ratio = |value: Option<f64>| value.map_or_else(none, |value| unit::significant(value, 3));
    html! {
        div.table tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "rung" }
                    @for head in [published.metric.as_str(), "step", "step here", "all", "all here"] { th.number scope="col" { (head) } }
                } }
                tbody { @for (rung, step, all) in &found.rungs { tr {
                    th scope="row" { (rung.variant) }
                    td.number { (unit::time_us(rung.time_us)) @if rung.is_derived { " (from the speedup over it)" } }
                    td.number { (ratio(rung.step)) }
                    td.number { (ratio(*step)) }
                    td.number { (ratio(Some(rung.cumulative))) }
                    td.number { (ratio(*all)) }
                } } }
            }
        }
    }
}

fn none() -> String {
    "-".to_owned()
}

fn times(speedup: Option<&Speedup>) -> String {
    speedup.map_or_else(none, |own| unit::significant(own.ratio, 3))
}
