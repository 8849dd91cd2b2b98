//! A ladder in a few sentences: how far its best rung is from its first and from the limit, and which steps gain most.

use super::{Ladder, LadderTable, Rung};
use crate::unit;

/// Steps that are named.
const MOST_STEPS: usize = 2;
/// A step that gains less than this is not worth a word.
const WORTH_TELLING: f64 = 1.1;

impl Ladder {
    /// What there is to conclude of the table that stands for all.
    pub fn conclusion(&self) -> Vec<String> {
        let Some(table) = self.chief() else { return Vec::new() };
        [self.best(table), steps(table)].into_iter().flatten().collect()
    }

    fn best(&self, table: &LadderTable) -> Option<String> {
        let best = table.best()?;
        let first = table.rungs.iter().find(|rung| rung.time_us.is_some() && rung.variant != best.variant)?;
        let (best_us, first_us) = (best.time_us?, first.time_us?);
        let label = table.label();
        let at = if label.is_empty() { String::new() } else { format!(" with {label}") };
        let share = table.share_of_peak().filter(|_| !table.has_phases()).map(|share| {
            let share = unit::significant(share * 100.0, 2);
            format!(", {share} % of the {}", self.peak_name)
        });
        Some(format!(
            "{} is {} times as fast as {}{at}: {}{}.",
            best.variant,
            unit::significant(first_us / best_us, 3),
            first.variant,
            unit::time_us(best_us),
            share.unwrap_or_default()
        ))
    }
}

/// The steps that gain most, the largest first.
fn steps(table: &LadderTable) -> Option<String> {
    let own = |rung: &Rung| rung.step.map(|step| (step.ratio, rung.variant, rung.removes.clone()));
    let mut steps: Vec<_> = table.rungs.iter().filter_map(own).filter(|(ratio, ..)| *ratio >= WORTH_TELLING).collect();
    steps.sort_by(|one, other| other.0.total_cmp(&one.0));
    let told = |(ratio, variant, removes): &(f64, &str, String)| {
        format!("{variant} {} times (without {removes})", unit::significant(*ratio, 3))
    };
    let told: Vec<String> = steps.iter().take(MOST_STEPS).map(told).collect();
    (!told.is_empty()).then(|| format!("Largest steps: {}.", told.join(", ")))
}
