//! Accuracies of several scenarios as what is known of their families.

use std::collections::BTreeMap;

use super::{Accuracy, Errors, Pair};
use crate::known_error::{KnownError, SizesOfPoints};

/// What two runs that are compared are of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Compared {
    /// What selects the simulated GPU.
    pub profile: String,
    /// The version of the timing model that made the times.
    pub timing_model: u32,
    /// The name of the GPU.
    pub gpu: String,
    /// The sizes of the points.
    pub sizes: SizesOfPoints,
}

/// A row for each family, by simulated GPU, sizes and name: the errors of all points of its scenarios. Where these are several, a row for each of
/// them follows.
pub fn by_family<'a>(all: impl IntoIterator<Item = (&'a Compared, &'a Accuracy)>) -> Vec<KnownError> {
    let mut families: BTreeMap<(&Compared, &str), Vec<&Accuracy>> = BTreeMap::new();
    for (of, own) in all {
        families.entry((of, own.family)).or_default().push(own);
    }
    families.into_iter().flat_map(|((of, family), own)| rows(of, family, &own)).collect()
}

fn rows(of: &Compared, family: &str, all: &[&Accuracy]) -> Vec<KnownError> {
    let names = names(all);
    let several = if names.len() > 1 { names.as_slice() } else { &[] };
    let of_scenario = |name: &&str| {
        let own: Vec<&Accuracy> = all.iter().copied().filter(|own| own.scenario == **name).collect();
        Some(KnownError { scenario: Some((*name).to_owned()), ..row(of, family, &own)? })
    };
    row(of, family, all).into_iter().chain(several.iter().filter_map(of_scenario)).collect()
}

/// The names of scenarios: several runs may be of one.
fn names<'a>(all: &[&'a Accuracy]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for own in all {
        if !names.contains(&own.scenario.as_str()) {
            names.push(&own.scenario);
        }
    }
    names
}

fn row(of: &Compared, family: &str, all: &[&Accuracy]) -> Option<KnownError> {
    let times: Vec<Pair> = all.iter().flat_map(|own| own.times()).copied().collect();
    let slowdowns: Vec<Pair> = all.iter().flat_map(|own| own.slowdowns()).copied().collect();
    let errors = Errors::of(&times)?;
    let names = names(all);
    Some(KnownError {
        profile: of.profile.clone(),
        timing_model: of.timing_model,
        gpu: of.gpu.clone(),
        sizes: of.sizes,
        family: family.to_owned(),
        scenario: None,
        scenarios: names.len(),
        scenario_names: names.join(" "),
        points: errors.count,
        time_error_pct: 100.0 * errors.mean,
        time_bias_pct: 100.0 * errors.bias,
        time_error_95_pct: 100.0 * errors.of_95_pct,
        slowdowns: slowdowns.len(),
        slowdown_error_pct: Errors::of(&slowdowns).map(|errors| 100.0 * errors.mean),
    })
}
