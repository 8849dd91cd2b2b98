//! `--variant NAME`: some of the scenario's variants, and what of its fits and charts can be made of them.

use super::requests::{self, Subject};
use crate::family::Variant;
use crate::model::FitRequest;
use located_toml::problem::{Place, Problem, Problems, Source};
use located_toml::section::Section;
use located_toml::words::{instead, meant, quote};

use super::ChartRequest;

/// What an argument begins with that is a variant, not a parameter with its values.
const OPTION: &str = "--variant ";

/// The variant that an argument names; `None` where it is another argument.
pub(super) fn named(argument: &str) -> Option<&str> {
    argument.strip_prefix(OPTION)
}

/// Those of the scenario's variants that are asked for, in its order; all where none is.
pub(super) fn variants(
    arguments: &[String],
    all: &[&'static Variant],
    problems: &mut Problems,
) -> Vec<&'static Variant> {
    let asked: Vec<(usize, &str)> =
        arguments.iter().enumerate().filter_map(|(index, argument)| Some((index, named(argument)?))).collect();
    let names: Vec<&str> = all.iter().map(|variant| variant.name).collect();
    for (index, name) in asked.iter().filter(|(_, name)| !all.is_empty() && meant(name, &names).is_none()) {
        let place = Place::new(Source::Override(*index), OPTION.len()..OPTION.len() + name.len());
        let problem = Problem::new(format!("the scenario has no variant {}", quote(name))).at(place);
        problems.push(problem.help(instead(name, &names)));
    }
    let asked: Vec<&str> = asked.iter().filter_map(|(_, name)| meant(name, &names)).collect();
    let is_asked = |variant: &&&Variant| asked.is_empty() || asked.contains(&variant.name);
    all.iter().filter(is_asked).copied().collect()
}

/// The fits and the charts that need no other variants.
pub(super) struct Kept {
    pub(super) fits: Vec<FitRequest>,
    pub(super) charts: Vec<ChartRequest>,
    /// Which of the scenario's they are, from 0.
    pub(super) fit_places: Vec<usize>,
    pub(super) chart_places: Vec<usize>,
}

impl Kept {
    /// Of those of a scenario, all of which are right for all of its variants.
    pub(super) fn of((fits, charts): (&[Section<'_>], &[Section<'_>]), subject: Subject<'_>, title: &str) -> Self {
        let mut kept = Self { fits: Vec::new(), charts: Vec::new(), fit_places: Vec::new(), chart_places: Vec::new() };
        for (place, section) in fits.iter().enumerate() {
            let mut problems = Problems::default();
            let own = requests::fits(std::slice::from_ref(section), subject, &mut problems);
            if problems.is_empty() {
                kept.fits.extend(own);
                kept.fit_places.push(place);
            }
        }
        let laws = requests::law_names(&kept.fits);
        for (place, section) in charts.iter().enumerate() {
            let mut problems = Problems::default();
            let own = requests::charts(std::slice::from_ref(section), subject, &laws, title, &mut problems);
            if problems.is_empty() {
                kept.charts.extend(own);
                kept.chart_places.push(place);
            }
        }
        kept
    }
}

/// Sentences on the fits and charts that are left out.
pub(super) fn left_out(fits: &[FitRequest], charts: &[ChartRequest], kept: &Kept) -> Vec<String> {
    let out = |what: &'static str, count: usize, places: &[usize], name: &dyn Fn(usize) -> String| {
        let missing = (0..count).filter(|place| !places.contains(place));
        missing
            .map(|place| format!("{what} {} is left out: it needs a variant that --variant leaves out", name(place)))
            .collect::<Vec<_>>()
    };
    let mut sentences = out("fit", fits.len(), &kept.fit_places, &|place| fits[place].name.clone());
    sentences.extend(out("chart", charts.len(), &kept.chart_places, &|place| charts[place].name.clone()));
    sentences
}
