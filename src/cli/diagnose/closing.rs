//! What a diagnosis ends with: how far it can be trusted and how to check it, in a few lines, or in all words.

use super::super::output::{width, wrapped};
use super::Told;
use crate::diagnosis::{KernelFacts, PointDiagnosis, counts, meaning_of_range, meaning_of_range_in_short, source_name};
use located_toml::words::count;

/// Columns that a line of the short form has at most, on a terminal that has them.
const COLUMNS: usize = 80;

/// The lines, after an empty one.
pub(super) fn lines(told: &Told, is_verbose: bool) -> Vec<String> {
    let points: Vec<&PointDiagnosis> = told.variants.iter().filter_map(|own| own.outcome.as_ref().ok()).collect();
    let paragraphs = if is_verbose { in_full(told, &points) } else { in_short(told, &points) };
    let width = usize::from(width()).max(40);
    let (between, width) = if is_verbose { (true, width) } else { (false, width.min(COLUMNS)) };
    let mut lines = Vec::new();
    for (place, paragraph) in paragraphs.into_iter().enumerate() {
        if place == 0 || between {
            lines.push(String::new());
        }
        lines.extend(wrapped("", &paragraph, width));
    }
    lines
}

fn has_ranges(points: &[&PointDiagnosis]) -> bool {
    points.iter().any(|point| point.findings.iter().any(|finding| finding.price_range(point).is_some()))
}

/// A line each.
fn in_short(told: &Told, points: &[&PointDiagnosis]) -> Vec<String> {
    let ranges = has_ranges(points).then(meaning_of_range_in_short);
    let trust = told.trust.clone().filter(|_| !points.is_empty());
    let check = told.verifiable.as_ref().map(|scenario| {
        let command = |scenario: &str| format!("Races and bad accesses at all sizes: apbench verify {scenario}");
        Some(command(scenario)).filter(|own| own.chars().count() <= COLUMNS).unwrap_or_else(|| command("SCENARIO"))
    });
    [ranges, in_part(points), trust, check].into_iter().flatten().collect()
}

/// Kernels of which some blocks stand for all: `histogram (66 of 4,096 blocks)`.
fn in_part(points: &[&PointDiagnosis]) -> Option<String> {
    let blocks = |own: &KernelFacts| own.grid.iter().map(|extent| u64::from(*extent)).product::<u64>();
    let kernels = points.iter().flat_map(|point| &point.kernels);
    let partly: Vec<&KernelFacts> = kernels.filter(|own| own.blocks_counted < blocks(own)).collect();
    let (first, more) = partly.split_first()?;
    let of = counts(blocks(first) as f64, "block");
    let others = if more.is_empty() { String::new() } else { format!(", and {}", count(more.len(), "more kernel")) };
    let told = |name: &str| format!("Counted in part: {name} ({} of {of}){others}.", first.blocks_counted);
    let name = source_name(first.kernel);
    Some(told(&name)).filter(|own| own.chars().count() <= COLUMNS).or_else(|| Some(told("a kernel")))
}

/// A paragraph each.
fn in_full(told: &Told, points: &[&PointDiagnosis]) -> Vec<String> {
    let ranges = has_ranges(points).then(meaning_of_range);
    let verify = told.verifiable.as_ref().map(|scenario| {
        format!("`apbench verify {scenario}` looks for races and accesses outside of buffers at all sizes.")
    });
    let known = told.known_error.clone().filter(|_| !points.is_empty());
    [ranges, verify, known].into_iter().flatten().collect()
}
