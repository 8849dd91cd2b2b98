//! `[[fit]]`: laws and slowdowns.

use super::{Subject, reference};
use crate::document::problem::{Place, Problem, Problems};
use crate::document::section::{Section, deny_duplicates};
use crate::document::words::{instead, quote};
use crate::family::Family;
use crate::model::Model;
use crate::model::law::{LAWS, Law};
use crate::model::slowdown::SLOWDOWN;

const KEYS: [&str; 3] = ["name", "law", "reference"];

/// What to make of the times.
#[derive(Debug, Clone)]
pub struct FitRequest {
    /// The fit's name, unique in the scenario.
    pub name: String,
    /// The law to fit, or the slowdown to compute.
    pub model: Model,
}

/// Reads every `[[fit]]`. Without a family, laws are not held against its predictors.
pub(in crate::scenario) fn fits(
    sections: &[Section<'_>],
    subject: Subject<'_>,
    problems: &mut Problems,
) -> Vec<FitRequest> {
    let mut fits = Vec::new();
    let mut names: Vec<(String, Place)> = Vec::new();
    for section in sections {
        section.deny_unknown("[[fit]]", &KEYS, problems, |key| {
            matches!(key, "model" | "laws").then(|| format!("did you mean `law`? Allowed: {}", KEYS.join(", ")))
        });
        let name_field = section.get("name");
        let name = name_field.and_then(|field| field.line("\"per-branch\"", problems));
        let Some(field) = section.get("law") else {
            let help = format!("give its law: {}", law_names(subject.family).join(", "));
            problems.push(Problem::new("a [[fit]] without `law`").at(section.place).help(help).absence());
            continue;
        };
        let Some(wanted) = field.line("\"branches\"", problems) else { continue };
        let is_slowdown = wanted == SLOWDOWN;
        let reference = reference(section, is_slowdown, ("[[fit]]", "law = \"slowdown\""), subject, problems);
        let model = if is_slowdown {
            reference.map(|reference| Model::Slowdown { reference })
        } else {
            law(&wanted, field.node.place, subject.family, problems).map(Model::Law)
        };
        let Some(model) = model else { continue };
        let place = name_field.map_or(field.node.place, |field| field.node.place);
        let name = name.unwrap_or(wanted);
        names.push((name.clone(), place));
        fits.push(FitRequest { name, model });
    }
    deny_duplicates("the fit", &names, "give one of them another `name` (without one it has its law's)", problems);
    fits
}

/// The law of this name, if the family has its predictor.
fn law(wanted: &str, place: Place, family: Option<&'static Family>, problems: &mut Problems) -> Option<&'static Law> {
    let Some(law) = Law::find(wanted) else {
        let message = format!("{} is not a law", quote(wanted));
        problems.push(Problem::new(message).at(place).help(instead(wanted, &law_names(family))));
        return None;
    };
    if let Some(family) = family
        && family.predictor(law.predictor).is_none()
    {
        let message =
            format!("the law `{wanted}` needs the predictor `{}`, which `{}` has not", law.predictor, family.name);
        let help = format!("laws for this family: {}", law_names(Some(family)).join(", "));
        problems.push(Problem::new(message).at(place).help(help));
        return None;
    }
    Some(law)
}

/// The laws whose predictor the family has, and the slowdown, which needs none.
fn law_names(family: Option<&Family>) -> Vec<&'static str> {
    let fits = |law: &&Law| family.is_none_or(|family| family.predictor(law.predictor).is_some());
    LAWS.iter().filter(fits).map(|law| law.name).chain([SLOWDOWN]).collect()
}
