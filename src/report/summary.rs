//! The head of a page, and the findings.

use maud::{Markup, html};

use super::Report;
use super::figure::origin_label;
use super::with_code;
use crate::finding::{Finding, Mark, causes, in_part, measured_run, ok};
use crate::known_error::{self, known};
use crate::ladder::Ladder;
use crate::model::group::fixed_parameters;
use crate::properties::Origin;
use crate::record::{PointRecord, Status};
use crate::run::metadata::RunStatus;

/// Causes of points without a time that are told; every row has its own.
const CAUSES_MAX: usize = 20;
/// Findings that are told; tables have all.
const FINDINGS_MAX: usize = 60;

/// Title, device, origin.
pub(super) fn header(report: &Report<'_>) -> Markup {
    let metadata = &report.run.metadata;
    let origin = metadata.device.origin;
    html! {
        header {
            p.origin-line { (origin_label(origin)) " " (explained(origin)) }
            h1 { (report.scenario.title) }
            p.device { (metadata.device.label()) }
            @let run = report.run.for_known_errors(report.scenario.family);
            @for sentence in [known_error::short(known(), &run), known_error::small_in_short(&run)].into_iter().flatten() {
                p.known-error { (with_code(&sentence)) }
            }
            @if let Some(own) = measured_run(report.run, report.scenario) { p.known-error { "Measured on " (own.gpu) ": " code { (own.command) } "." } }
            p.quiet {
                "Scenario " (metadata.scenario) ", family " (report.scenario.family.name)
                @if let Some(source) = &report.scenario.source { ", " (attributed(source)) }
                ". Begun " time { (metadata.started_at) } "."
            }
            nav aria-label="On this page" { ul {
                @for (id, name) in [("findings", "Findings"), ("diagnosis", "Diagnosis"), ("comparison", "Comparison"), ("charts", "Charts"), ("laws", "Laws and ratios"), ("tables", "Tables"), ("device", "Device"), ("provenance", "Provenance"), ("data", "Data")] {
                    @if id == "comparison" && report.comparison.is_none() || id == "diagnosis" && report.diagnosis.is_none() { "" } @else { li { a href=(format!("#{id}-heading")) { (name) } } }
                }
            } }
        }
    }
}

/// Where a scenario is from, in words that follow its name: `after Cornelis 2010`, but `beyond Cornelis 2010` as it is.
fn attributed(source: &str) -> String {
    let has_own_word = ["after ", "beyond ", "goes beyond "].iter().any(|word| source.starts_with(word));
    if has_own_word { source.strip_prefix("goes ").unwrap_or(source).to_owned() } else { format!("after {source}") }
}

fn explained(origin: Origin) -> &'static str {
    match origin {
        Origin::Measured => "Times of a real GPU.",
        Origin::Simulated => "Times of a model of a GPU; nothing here was measured.",
        Origin::Mock => "Times of a formula, for tests; no GPU, real or simulated, was involved.",
    }
}

/// What the run found, in a few sentences, its points, and those without a time.
pub(super) fn findings(report: &Report<'_>) -> Markup {
    let Report { run, findings, .. } = report;
    let good: Vec<&PointRecord> = run.points.iter().filter(|point| point.status == Status::Ok).collect();
    html! {
        section #findings aria-labelledby="findings-heading" {
            h2 #findings-heading { "Findings" }
            p class=[(run.metadata.status != RunStatus::Complete).then_some("incomplete")] { (points(report)) }
            @for sentence in in_part(&good) { p.known-error { (with_code(&sentence)) } }
            @let of_ladder = report.ladder.as_ref().map(Ladder::conclusion).unwrap_or_default();
            @for sentence in of_ladder.iter().chain(&findings.overview) { p.overview { (sentence) } }
            @for sentence in &findings.doubts { p.quiet { (with_code(sentence)) } }
            (without_time(&run.points))
        }
    }
}

/// Each law, ratio and crossing of the run.
pub(super) fn laws(report: &Report<'_>) -> Markup {
    let Report { run, scenario, findings, .. } = report;
    let good: Vec<&PointRecord> = run.points.iter().filter(|point| point.status == Status::Ok).collect();
    let about = run.for_known_errors(scenario.family);
    html! {
        section #laws aria-labelledby="laws-heading" {
            h2 #laws-heading { "Laws and ratios" }
            @if scenario.fits.is_empty() { p { "The scenario asks for no law." } }
            @else if findings.each.is_empty() { p { "There is no law: no point succeeded." } }
            @for sentence in [known_error::sentence(known(), &about), known_error::small(&about)].into_iter().flatten() {
                p.known-error { (with_code(&sentence)) }
            }
            ul.findings { @for finding in findings.each.iter().take(FINDINGS_MAX) { (item(finding)) } }
            @if findings.each.len() > FINDINGS_MAX { p { "... and " (findings.each.len() - FINDINGS_MAX) " more: the tables have them." } }
            @if !good.is_empty() {
                @let fixed = fixed_parameters(scenario.family, &good);
                @if !fixed.is_empty() { p.quiet { "Every point: " (fixed) "." } }
            }
        }
    }
}

fn item(finding: &Finding) -> Markup {
    let (class, mark) = match finding.mark {
        Mark::Holds => ("holds", "holds"),
        Mark::NoCost => ("holds", "no cost"),
        Mark::Fails => ("fails", "does not hold"),
        Mark::Undecided => ("undecided", "undecided"),
        Mark::NotFitted => ("undecided", "not fitted"),
        Mark::Compared => ("compared", "compared"),
    };
    html! {
        li class=(class) {
            p.about { span.mark { (mark) } " " (finding.heading) }
            p.sentence { (finding.sentence) }
            @if !finding.details.is_empty() { ul { @for detail in &finding.details { li { (detail) } } } }
        }
    }
}

/// How many points there are, how they ended, and how the run did.
fn points(report: &Report<'_>) -> String {
    let run = report.run;
    let count = |status| run.points.iter().filter(|point| point.status == status).count();
    let mut text = format!("{} of {} points of the grid: {}", run.points.len(), run.metadata.points, ok(&run.points));
    for status in [Status::Wrong, Status::Failed, Status::NotRun, Status::Skipped] {
        if count(status) > 0 {
            text += &format!(", {} {}", count(status), status.name());
        }
    }
    if let Some(part) = run.metadata.part {
        text += &format!("; this is part {part}");
    }
    text += match run.metadata.status {
        RunStatus::Complete => ".",
        RunStatus::Interrupted => "; the sweep was interrupted.",
        RunStatus::Running => "; the sweep was killed, or is still running.",
    };
    text
}

/// Why points have no time, for each variant.
fn without_time(points: &[PointRecord]) -> Markup {
    let causes = causes(points);
    html! { @if !causes.is_empty() {
        div.table tabindex="0" role="region" aria-label="Points without a time" { table.sortable {
            caption { "Points without a time, by variant and cause; of several points the first one's" @if causes.len() > CAUSES_MAX { ": the first " (CAUSES_MAX) " of " (causes.len()) " causes" } }
            thead { tr { th scope="col" { "variant" } th scope="col" { "status" } th scope="col" { "points" } th scope="col" { "values" } th scope="col" { "cause" } } }
            tbody { @for cause in causes.iter().take(CAUSES_MAX) { @if let Some(first) = cause.first() { tr {
                th scope="row" { (first.variant) } td { (first.status.name()) } td { (cause.points()) } td { (cause.values()) } td { (first.reason) }
            } } } }
        } }
    } }
}

#[cfg(test)]
mod tests {
    use super::attributed;

    #[test]
    fn a_source_that_says_how_it_is_meant_gets_no_second_word() {
        assert_eq!(attributed("Cornelis 2010, section 4.2"), "after Cornelis 2010, section 4.2");
        assert_eq!(attributed("beyond Cornelis 2010"), "beyond Cornelis 2010");
        assert_eq!(attributed("goes beyond Cornelis 2010"), "beyond Cornelis 2010");
        assert_eq!(attributed("after Cornelis 2010"), "after Cornelis 2010");
    }
}
