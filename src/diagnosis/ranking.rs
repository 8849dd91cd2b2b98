//! The order of findings.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Finding, Place};

/// The costliest line first, and on it the costliest pattern; lines and patterns without prices come last, in the order that findings have until now.
pub(super) fn sort(findings: &mut [Finding]) {
    let mut of_lines: BTreeMap<(&'static str, Place), (Option<f64>, usize)> = BTreeMap::new();
    for (rank, finding) in findings.iter().enumerate() {
        let (cost, _) = of_lines.entry((finding.kernel, finding.place.clone())).or_insert((None, rank));
        if let Some(price) = finding.price {
            *cost = Some(cost.unwrap_or_default() + price.us);
        }
    }
    let key = |own: &Finding| {
        let (cost, rank) = of_lines.get(&(own.kernel, own.place.clone())).copied().unwrap_or_default();
        // Nothing is less than a cost, so that lines without one come last.
        (cost, if cost.is_none() { rank } else { 0 }, own.price.map(|price| price.us))
    };
    findings.sort_by(|one, other| {
        let ((line, rank, us), (other_line, other_rank, other_us)) = (key(one), key(other));
        let by_line = other_line.partial_cmp(&line).unwrap_or(Ordering::Equal).then(rank.cmp(&other_rank));
        let by_place = by_line.then_with(|| one.place.cmp(&other.place));
        by_place.then(other_us.partial_cmp(&us).unwrap_or(Ordering::Equal))
    });
}
