//! Verdicts as a table, and in a few lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::judge::{Outcome, Verdict};

/// Reasons that are told of each outcome.
const REASONS: usize = 40;

/// A row for each kernel, and for each file that does not parse.
pub(crate) fn csv(verdicts: &[Verdict]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut rows = String::from("file,kernel,outcome,reasons\n");
    for Verdict { file, kernel, outcome, reasons } in verdicts {
        let reasons = quoted(&reasons.join("; "));
        rows += &format!("{},{},{},{reasons}\n", quoted(file), quoted(kernel), outcome.name());
    }
    rows
}

/// The rates, and the most frequent reasons of each outcome.
pub(crate) fn summary(verdicts: &[Verdict]) -> String {
    let files: BTreeSet<&str> = verdicts.iter().map(|verdict| verdict.file.as_str()).collect();
    let parsed = files.len() - count(verdicts, |verdict| verdict.outcome == Outcome::NotParsed);
    let kernels = count(verdicts, |verdict| !verdict.kernel.is_empty());
    let beyond = |outcome| count(verdicts, |verdict| !verdict.kernel.is_empty() && verdict.outcome > outcome);
    let decoded = beyond(Outcome::Unsupported);
    let mut lines = String::new();
    for (what, some, all) in [
        ("files that parse", parsed, files.len()),
        ("kernels that decode", decoded, kernels),
        ("of these, launched", beyond(Outcome::Refused), decoded),
        ("of these, came to their end", beyond(Outcome::StepLimit), decoded),
    ] {
        let percent = 100.0 * some as f64 / (all.max(1)) as f64;
        let _ = writeln!(lines, "{what:28} {some:>7} of {all:>7} {percent:6.2} %");
    }
    for outcome in Outcome::ALL {
        let of_it = || verdicts.iter().filter(|verdict| verdict.outcome == outcome);
        let _ = writeln!(lines, "\n{}: {}", outcome.name(), of_it().count());
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        of_it().flat_map(|verdict| &verdict.reasons).for_each(|reason| *reasons.entry(reason).or_default() += 1);
        let mut sorted: Vec<(&str, usize)> = reasons.into_iter().collect();
        sorted.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        for (reason, times) in sorted.iter().take(REASONS) {
            let _ = writeln!(lines, "{times:>7} {reason}");
        }
    }
    lines
}

fn count(verdicts: &[Verdict], holds: impl Fn(&Verdict) -> bool) -> usize {
    verdicts.iter().filter(|verdict| holds(verdict)).count()
}
