//! Slowdowns that are closer to one than simulated ratios are known to be right.

use crate::known_error::{known, slowdown_error};
use crate::model::group::{GroupFit, Outcome};
use crate::model::slowdown::Slowdown;
use crate::run::reader::Run;
use crate::scenario::Scenario;
use crate::unit;

/// Groups that are named.
const MOST_NAMED: usize = 4;

/// Which slowdowns of a simulated run differ from one by less than its ratios are known to be off, in a sentence; `None` where none does, or
/// where nothing is known.
pub fn within_known_error(run: &Run, scenario: &Scenario, fits: &[GroupFit]) -> Option<String> {
    let (error_pct, whose) = slowdown_error(known(), &run.for_known_errors(scenario.family))?;
    sentence(error_pct, whose, fits)
}

fn sentence(error_pct: f64, whose: &str, fits: &[GroupFit]) -> Option<String> {
    let ratios = |group: &GroupFit| match &group.outcome {
        Outcome::Slowdown(slowdown) => Some((super::variant_of(group), slowdown.clone())),
        _ => None,
    };
    let all: Vec<(String, Slowdown)> = fits.iter().filter_map(ratios).collect();
    let off_pct = |own: &Slowdown| 1e2 * (own.ratio - 1.0).abs();
    // One that is above 1 at some points and below at others comes as close as that somewhere between.
    let crosses = |own: &Slowdown| own.smallest < 1.0 && own.largest > 1.0;
    let close: Vec<&(String, Slowdown)> =
        all.iter().filter(|(_, own)| off_pct(own) < error_pct || crosses(own)).collect();
    let told = |(name, own): &&(String, Slowdown)| {
        if crosses(own) {
            format!("{name} {} to {}", unit::significant(own.smallest, 3), unit::significant(own.largest, 3))
        } else {
            format!("{name} {}", unit::significant(own.ratio, 3))
        }
    };
    // In place of one that is left out its name fits.
    let is_cut = close.len() > MOST_NAMED + 1;
    let mut named: Vec<String> = close.iter().take(if is_cut { MOST_NAMED } else { close.len() }).map(told).collect();
    if is_cut {
        named.push("...".to_owned());
    }
    (!close.is_empty()).then(|| {
        format!(
            "Simulated ratios of {whose} are {} % off on average. So {} of {} slowdowns may be on the other side of 1 on the GPU: {}. There the \
             other variant may be the faster one, and lines may cross elsewhere.",
            unit::significant(error_pct, 2),
            close.len(),
            all.len(),
            named.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::family::Family;
    use crate::known_error::{self, SizesOfPoints};
    use crate::model::Model;
    use crate::record::Only;
    use crate::run::reader::parse_points;

    fn group(variant: &str, ratio: f64) -> GroupFit {
        let (smallest, largest) = (ratio, ratio);
        let slowdown =
            Slowdown { ratio, interval: None, smallest, largest, slower: 0, faster: 0, n: 1, negligible: None };
        GroupFit {
            name: "remedies".to_owned(),
            model: Model::Slowdown { reference: "plain".to_owned() },
            group: vec![("variant".to_owned(), variant.to_owned())],
            outcome: Outcome::Slowdown(slowdown),
            of: None,
            only: Only::default(),
        }
    }

    #[test]
    fn only_slowdowns_within_the_known_error_are_named() {
        let fits = [group("padded", 0.946), group("strided", 3.25)];
        let told = sentence(11.0, "this family", &fits).unwrap();
        assert!(
            told.starts_with("Simulated ratios of this family are 11 % off on average. So 1 of 2 slowdowns"),
            "{told}"
        );
        assert!(told.contains("may be on the other side of 1 on the GPU: padded 0.946."), "{told}");
        assert_eq!(sentence(5.0, "this family", &fits), None);
        let close = ["a", "b", "c", "d", "e", "f"].map(|variant| group(variant, 0.98));
        let told = |fits| sentence(5.0, "this family", fits).unwrap();
        assert!(told(&close[..5]).contains(": a 0.980, b 0.980, c 0.980, d 0.980, e 0.980. "), "{}", told(&close[..5]));
        assert!(told(&close).contains(": a 0.980, b 0.980, c 0.980, d 0.980, .... "), "{}", told(&close));

        let mut crossing = group("staged", 1.6);
        if let Outcome::Slowdown(own) = &mut crossing.outcome {
            (own.smallest, own.largest) = (0.8, 3.0);
        }
        let told = sentence(5.0, "this family", &[crossing]).unwrap();
        assert!(
            told.contains("So 1 of 1 slowdowns may be on the other side of 1 on the GPU: staged 0.800 to 3.00."),
            "{told}"
        );
    }

    /// The scope of a cluster has the device's machine code and simulated time, so what is known of the device's is known of it.
    #[test]
    fn points_of_the_scope_of_a_cluster_count_as_those_of_the_devices() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/simulated-h200/later-at-simulated-sizes/fences");
        let text = include_str!("../../results/simulated-h200/later-at-simulated-sizes/fences/points.csv");
        let family = Family::find("fences").expect("a family");
        let told = |scope: &str| {
            let text = text.replace(",device,", &format!(",{scope},"));
            let points = parse_points("points.csv".as_ref(), &text, &mut Vec::new()).expect("points");
            let run = Run { points, ..Run::read(&path).expect("a run") };
            let points = run.for_known_errors(family);
            let sentence = known_error::sentence(known(), &points).expect("a sentence");
            let short = known_error::short(known(), &points).expect("a line");
            (SizesOfPoints::of(&points), sentence, short)
        };
        let (own, cluster) = (told("device"), told("cluster"));
        assert_eq!((own.0, cluster.0), (SizesOfPoints::Simulated, SizesOfPoints::Simulated));
        let added = " No point with scope=cluster was compared: it has the machine code and the simulated time of scope=device, and counts as that.";
        assert_eq!(cluster.1, own.1 + added);
        assert_eq!(cluster.2, own.2 + " scope=cluster counts as device: the same machine code.");
        assert_eq!(told("other").0, SizesOfPoints::Other);
    }
}
