//! What crossed the gate of `--fail-on`, on standard error.

use super::super::output::tell;
use super::{SideBySide, words};
use crate::compare::gate::{Condition, Kind, Offence, Outcome, ROUNDS_PROMISED, SIGNIFICANCE};
use located_toml::words::{count, have};

/// Offending points that are told one by one.
const SHOWN_MAX: usize = 20;

/// Whether the gate is crossed; says why on standard error.
pub(super) fn is_crossed(compared: &SideBySide, conditions: &[Condition], outcome: &Outcome) -> bool {
    if outcome.not_eligible > 0 {
        tell(format!(
            "note: --fail-on ignores {} points: they have no interval, or compare cold times with hot ones",
            outcome.not_eligible
        ));
    }
    if outcome.few_rounds > 0 {
        tell(format!(
            "note: {} fewer than {ROUNDS_PROMISED} rounds, of which --fail-on promises nothing: chance may cross it more often than once in twenty comparisons",
            have(outcome.few_rounds, "point")
        ));
    }
    if outcome.undecided > 0 {
        let all = outcome.looked_at + outcome.undecided;
        tell(format!(
            "note: --fail-on leaves {} of {all} points undecided: their rounds contradict each other",
            outcome.undecided
        ));
    }
    if let Some((coarse, from_pct)) = outcome.coarse {
        tell(format!(
            "note: of {} --fail-on sees differences from {from_pct:.1} % on at best: two runs of the same kernels differ by nearly that where times are short or the host has a part in them",
            count(coarse, "point")
        ));
    }
    if outcome.unsure > 0 {
        tell(format!(
            "note: {} a verdict that --fail-on asks for, and {} not cross: a verdict errs once in twenty points, --fail-on once in twenty comparisons of all {}. More rounds, or fewer points, would decide",
            have(outcome.unsure, "point"),
            if outcome.unsure == 1 { "does" } else { "do" },
            outcome.looked_at
        ));
    }
    let looks_at_times = conditions.iter().any(|condition| condition.kind != Kind::Missing);
    if outcome.is_empty_handed(conditions) {
        tell("--fail-on: failed, because no point could be compared");
        return true;
    }
    if looks_at_times && !outcome.failed.is_empty() {
        tell(format!("--fail-on: failed, because {} no time in one of the runs", have(outcome.failed.len(), "point")));
        for (row, other) in outcome.failed.iter().take(SHOWN_MAX) {
            let name = compared.others.get(*other).map_or("", |other| other.facts.name.as_str());
            tell(format!("  {}: FAILED, {name}", compared.label(*row)));
        }
        if outcome.failed.len() > SHOWN_MAX {
            tell(format!("  and {} more", outcome.failed.len() - SHOWN_MAX));
        }
    }
    for condition in conditions {
        let own: Vec<&Offence> = outcome.offences.iter().filter(|offence| offence.condition == *condition).collect();
        if own.is_empty() {
            continue;
        }
        let level = if condition.kind == Kind::Missing {
            String::new()
        } else {
            format!(", significant at {:.0} % after Holm's correction over all points", SIGNIFICANCE * 100.0)
        };
        tell(format!("--fail-on {condition}: met by {}{level}", count(own.len(), "point")));
        for offence in own.iter().take(SHOWN_MAX) {
            tell(format!("  {}", offending(compared, offence)));
        }
        if own.len() > SHOWN_MAX {
            tell(format!("  and {} more", own.len() - SHOWN_MAX));
        }
    }
    let is_crossed = !outcome.offences.is_empty() || (looks_at_times && !outcome.failed.is_empty());
    if !is_crossed {
        let all: Vec<String> = conditions.iter().map(Condition::to_string).collect();
        tell(format!("--fail-on {}: passed", all.join(",")));
    }
    is_crossed
}

fn offending(compared: &SideBySide, offence: &Offence) -> String {
    let label = compared.label(offence.row);
    let name = compared.others.get(offence.other).map_or("", |other| other.facts.name.as_str());
    let relation = compared.others.get(offence.other).map(|other| other.relation);
    let cell = compared.rows.get(offence.row).and_then(|row| row.others.get(offence.other));
    let Some((cell, relation)) = cell.zip(relation) else { return label };
    match &cell.judged {
        Some(judged) => {
            let interval = words::interval(judged.interval);
            let interval = if interval.is_empty() { "exact".to_owned() } else { interval };
            let verdict = relation.told(judged.verdict);
            format!("{label}: {} ({interval}) {verdict}, {name}", words::ratio(judged.ratio))
        }
        None => format!("{label}: {}, {name}", cell.standing.name()),
    }
}
