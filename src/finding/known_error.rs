//! Slowdowns that are closer to one than simulated ratios are known to be right.

use crate::known_error::{known, slowdown_error_pct};
use crate::model::group::{GroupFit, Outcome};
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// Groups that are named.
const MOST_NAMED: usize = 4;

/// Which slowdowns of a simulated run differ from one by less than its ratios are known to be off, in a sentence; `None` where none does, or
/// where nothing is known.
pub fn within_known_error(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Option<String> {
    sentence(slowdown_error_pct(known(), &run.for_known_errors(scenario.family))?, fits)
}

fn sentence(error_pct: f64, fits: &[GroupFit]) -> Option<String> {
    let ratio = |group: &GroupFit| match &group.outcome {
        Outcome::Slowdown(slowdown) => Some((super::variant_of(group), 1e2 * (slowdown.ratio - 1.0).abs())),
        _ => None,
    };
    let all: Vec<(String, f64)> = fits.iter().filter_map(ratio).collect();
    let close: Vec<&(String, f64)> = all.iter().filter(|(_, off_pct)| *off_pct < error_pct).collect();
    let told = |(name, off_pct): &&(String, f64)| format!("{name} {} %", unit::significant(*off_pct, 2));
    let mut named: Vec<String> = close.iter().take(MOST_NAMED).map(told).collect();
    if close.len() > MOST_NAMED {
        named.push("...".to_owned());
    }
    (!close.is_empty()).then(|| {
        format!(
            "Simulated ratios of this family are {} % off on average. {} of {} slowdowns are closer to 1 than that: {}. On the GPU the other variant \
             may be the faster one, and crossings may be elsewhere.",
            unit::significant(error_pct, 2),
            close.len(),
            all.len(),
            named.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use crate::model::slowdown::Slowdown;

    fn group(variant: &str, ratio: f64) -> GroupFit {
        let (smallest, largest) = (ratio, ratio);
        let slowdown =
            Slowdown { ratio, interval: None, smallest, largest, slower: 0, faster: 0, n: 1, negligible: None };
        GroupFit {
            name: "remedies".to_owned(),
            model: Model::Slowdown { reference: "plain".to_owned() },
            group: vec![("variant".to_owned(), variant.to_owned())],
            outcome: Outcome::Slowdown(slowdown),
        }
    }

    #[test]
    fn only_slowdowns_within_the_known_error_are_named() {
        let fits = [group("padded", 0.946), group("strided", 3.25)];
        let told = sentence(11.0, &fits).unwrap();
        assert!(
            told.starts_with("Simulated ratios of this family are 11 % off on average. 1 of 2 slowdowns"),
            "{told}"
        );
        assert!(told.contains("closer to 1 than that: padded 5.4 %."), "{told}");
        assert_eq!(sentence(5.0, &fits), None);
    }
}
