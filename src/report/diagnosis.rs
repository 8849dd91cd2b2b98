//! What was found in a kernel: findings with their costs, and the source with the costs beside its lines.

use maud::{Markup, html};

use crate::diagnosis::{
    Document, FindingDocument, PointDocument, SMALL_PART, counts, gain, is_remedy_told, meaning_of_range,
    only_together, some_launches,
};
use crate::unit;

/// The section of a page with the findings of a run's diagnosis.
pub fn section(document: &Document) -> Markup {
    html! {
        section #diagnosis aria-labelledby="diagnosis-heading" {
            h2 #diagnosis-heading { "Diagnosis" @if let Some(size) = &document.size { ": " (size) } }
            p { "Which patterns the kernel has, on which line, and what each costs: the difference to the same launches simulated without it ("
                (document.simulated) ", " code { (document.profile) } ")." }
            @if let Some(made_up) = &document.made_up { p.note { (made_up) } }
            @if let Some(meaning) = meaning_of_ranges(document) { p.note { (meaning) } }
            @for variant in &document.variants {
                h3 { (variant.variant) @if let Some(point) = &variant.diagnosis { ": " (time(variant.measured_time_us, point)) } }
                @if let Some(wrong) = &variant.wrong_outputs { p.incomplete { "Wrong outputs at " (wrong) } }
                @for race in &variant.races { p.incomplete { "Race: " (race) } }
                @if let Some(error) = &variant.error { p.incomplete { "Not diagnosed: " (error) } }
                @if let Some(point) = &variant.diagnosis { (of_point(point)) (source(document, point)) }
            }
        }
    }
}

fn time(measured_us: Option<f64>, point: &PointDocument) -> String {
    let simulated = unit::time_us_to(point.time_us, 3);
    let busy = match (point.busy_multiprocessors, point.multiprocessors) {
        (Some(busy), Some(all)) => format!(" (with {busy} of {all} multiprocessors)"),
        (Some(busy), None) => format!(" (with {})", counts(busy as f64, "multiprocessor")),
        (None, _) => String::new(),
    };
    match measured_us {
        Some(measured_us) => {
            format!(
                "{} measured, {simulated} simulated, bound by {}{busy}",
                unit::time_us_to(measured_us, 3),
                point.bound
            )
        }
        None => format!("{simulated} simulated, bound by {}{busy}", point.bound),
    }
}

fn of_point(point: &PointDocument) -> Markup {
    let is_large = |finding: &&FindingDocument| finding.price_part.is_none_or(|part| part >= SMALL_PART);
    let large: Vec<&FindingDocument> = point.findings.iter().filter(is_large).collect();
    let is_partial = |finding: &FindingDocument, remedied_us: f64| {
        let without_us = finding.time_without_us.unwrap_or(point.time_us);
        !finding.partial_remedy.is_empty() && is_remedy_told(remedied_us, without_us)
    };
    html! {
        @if let (Some(some), Some(all)) = (point.launches_simulated, point.launches) {
            p.note { (some_launches(some, all)) "." }
        }
        @for kernel in &point.kernels { @for sentence in kernel.facts.values() { p { code { (kernel.kernel) } ": " (sentence) } } }
        @if let Some(problem) = &point.unpriced { p.note { (problem) } }
        @if large.is_empty() && point.unpriced.is_none() { p { "No pattern costs 2 % of the time or more." } }
        ul.findings { @for finding in &large {
            li.fails {
                p.about { code { (finding.file) ":" (finding.line) } " " code { (finding.source) } }
                p.sentence { (finding.title) ": " (finding.counted) @if let Some(price_us) = finding.price_us {
                    ". It costs " span.mark { (unit::time_us_to(price_us, 3)) } " of " (unit::time_us_to(point.time_us, 3))
                    " (" (percent(finding.price_part)) (range(finding)) ")"
                    @if finding.price_is_shared { ", its share of what several patterns cost together" } "."
                } }
                p { "Remedy: " (finding.remedy) "." }
                @if let Some(remedied_us) = finding.time_remedied_us.filter(|us| is_partial(finding, *us)) {
                    p.about { "With a remedy, " (finding.partial_remedy) ": " (unit::time_us_to(remedied_us, 3)) ", "
                        @if remedied_us < point.time_us * (1.0 - SMALL_PART) { (gain(point.time_us, remedied_us)) } @else { "no gain" } "." }
                }
                @if let (Some(without_us), Some(bound)) = (finding.time_without_us, &finding.bound_without) {
                    p.about { "Without it: " (unit::time_us_to(without_us, 3)) ", " (gain(point.time_us, without_us)) ", bound by " (bound) "." }
                }
            }
        } }
        @if let Some(without_us) = point.time_without_all_us.filter(|us| *us < point.time_us * (1.0 - SMALL_PART)) {
            p { "Without all of them: " (unit::time_us_to(without_us, 3)) ", " (gain(point.time_us, without_us))
                @if let Some(us) = point.time_of_several_us { "; " (only_together(&unit::time_us_to(us, 3))) }
                "; expect less, as remedies may take away only a part of them."
            }
        }
    }
}

/// From where to where a price is told to be.
fn range(finding: &FindingDocument) -> String {
    let told = |(from, to): (f64, f64)| format!(", {} to {}", unit::time_us_to(from, 3), unit::time_us_to(to, 3));
    finding.price_range_us.map(told).unwrap_or_default()
}

/// What a range of prices says, where there is one.
fn meaning_of_ranges(document: &Document) -> Option<String> {
    let points = document.variants.iter().filter_map(|variant| variant.diagnosis.as_ref());
    let has_ranges = points.flat_map(|point| &point.findings).any(|finding| finding.price_range_us.is_some());
    has_ranges.then(meaning_of_range)
}

fn percent(part: Option<f64>) -> String {
    part.map_or_else(String::new, |part| format!("{:.0} %", 1e2 * part))
}

/// The source, with the cost of each line beside it.
fn source(document: &Document, point: &PointDocument) -> Markup {
    let Some((name, text)) = &document.source else { return Markup::default() };
    let part_of = |line: u32| {
        let here = point.findings.iter().filter(|finding| finding.line == line && finding.file == *name);
        here.filter_map(|finding| finding.price_part).sum::<f64>()
    };
    let titles_of = |line: u32| {
        let here = point.findings.iter().filter(|finding| finding.line == line && finding.file == *name);
        here.map(|finding| finding.title.as_str()).collect::<Vec<_>>().join(", ")
    };
    html! {
        details {
            summary { "The source with the cost of its lines: " code { (name) } }
            div.table tabindex="0" role="region" aria-label=(format!("Costs by line of {name}")) {
                table.source {
                    thead { tr { th scope="col" class="number" { "line" } th scope="col" class="number" { "cost" } th scope="col" { "source" } } }
                    tbody { @for (number, line) in (1_u32..).zip(text.lines()) {
                        @let part = part_of(number);
                        tr class=[(part >= SMALL_PART).then_some("costs")] title=(titles_of(number)) {
                            td.number { (number) }
                            td.number style=(format!("--part: {:.3}", part.clamp(0.0, 1.0))) { @if part >= SMALL_PART { (percent(Some(part))) } }
                            td { code { (line) } }
                        }
                    } }
                }
            }
        }
    }
}
