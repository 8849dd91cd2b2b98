//! `[[fit]]`: laws, slowdowns and speedups.

use super::only::{self, ONLY};
use super::{Subject, reference};
use crate::family::Family;
use crate::model::law::{LAWS, Law};
use crate::model::slowdown::SLOWDOWN;
use crate::model::speedup::SPEEDUP;
use crate::model::{AUTO, Among, FitRequest, Model, Of, OfFit, PLATEAUS, counter, near_counter, predictor_names};
use crate::scenario::keys::{Allowed, Key, names};
use located_toml::problem::{Place, Problem, Problems};
use located_toml::section::{Field, Section, deny_duplicates};
use located_toml::words::{begins_like_formula, instead, nearest, quote};

/// The keys of `[[fit]]`.
pub(in crate::scenario) const FIT_KEYS: [Key; 7] = [
    Key::new("name", Allowed::Text, "the law's", "names the fit; no two fits of a scenario have the same name"),
    Key::new(
        "law",
        Allowed::OneOf(|| law_names(None)),
        "required",
        "law to fit; `auto`: the best form; `plateaus`: with as many breaks as there are; or a ratio",
    ),
    Key::new(
        "predictor",
        Allowed::Other(
            "a parameter that is a number, a predictor of the family, or a counter of simulated devices: a column of `points.csv`",
        ),
        "the law's own",
        "what times are fitted against; required for laws without a predictor of their own, for `auto`, `plateaus` and `speedup`",
    ),
    Key::new(
        "reference",
        Allowed::Other("a variant"),
        "none",
        "with `law = \"slowdown\"`, and required there: variant whose times the others are divided by",
    ),
    OF,
    Key::new("robust", Allowed::Flag, "`false`", "outliers count less (Huber's estimate); for laws only"),
    ONLY,
];

/// The key of fits and charts that are of another fit.
pub(super) const OF: Key = Key::new(
    "of",
    Allowed::Other(
        "of fits and charts: the name of another fit and a parameter of its law that is a time: `\"dependent_loads.t_load\"`; of fits also \
         `\"energy_mj\"`",
    ),
    "times",
    "takes a parameter of another fit's law in place of times: each group of it whose law holds is a point; or the energies of the points, where \
     the run has them",
);

const KEYS: [&str; 7] = names(&FIT_KEYS);

/// Reads every `[[fit]]`. Without a family, the predictors of laws are not checked.
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
        let only = section.get("only").and_then(|field| only::read(field, subject, problems)).unwrap_or_default();
        let Some(field) = section.get("law") else {
            let help = format!("give its law: {}", law_names(subject.family).join(", "));
            problems.push(Problem::new("a [[fit]] without `law`").at(section.place).help(help).absence());
            continue;
        };
        let Some(wanted) = field.line("\"branches\"", problems) else { continue };
        let Some(model) = model(section, field, &wanted, subject, problems) else { continue };
        let of = section.get(OF.name).and_then(|field| of(field, &model, problems));
        if let (Some(Of::Energy), Model::Law { law, .. }) = (&of, &model)
            && law.of_energy().is_none()
        {
            let problem =
                Problem::new(format!("the law `{}` is about a throughput, which energies have none of", law.name));
            problems.push(problem.at(field.node.place).help("law = \"affine\" takes any predictor"));
        }
        let place = name_field.map_or(field.node.place, |field| field.node.place);
        let name = name.unwrap_or(wanted);
        if begins_like_formula(&name) {
            let message = format!(
                "the name {} begins like a formula: a spreadsheet would compute its cell of fits.csv",
                quote(&name)
            );
            problems.push(Problem::new(message).at(place).help("begin it with a letter or a digit".to_owned()));
        }
        names.push((name.clone(), place));
        fits.push(FitRequest { name, model, only, of });
    }
    deny_duplicates("the fit", &names, "give one of them another `name` (without one it has its law's)", problems);
    fits
}

/// Reads `of` of a fit.
fn of(field: &Field<'_>, model: &Model, problems: &mut Problems) -> Option<Of> {
    let is_energy = field.line("", &mut Problems::default()).as_deref() == Some(Of::ENERGY);
    let refused = match model {
        Model::Speedup { .. } => Some(("`of` is for laws and slowdowns, not for speedups", "leave it out")),
        Model::Slowdown { .. } if is_energy => Some((
            "slowdowns are of times, not of energies",
            "name a fit and a parameter of its law, or leave `of` out",
        )),
        _ => None,
    };
    if let Some((problem, help)) = refused {
        problems.push(Problem::new(problem).at(field.key_place).help(help));
        return None;
    }
    if is_energy { Some(Of::Energy) } else { read_of(field, problems).map(Of::Fit) }
}

/// Reads `of`, whatever fits there are.
pub(super) fn read_of(field: &Field<'_>, problems: &mut Problems) -> Option<OfFit> {
    let text = field.line("\"dependent_loads.t_load\"", problems)?;
    let of = OfFit::read(&text);
    if of.is_none() {
        let problem = Problem::new(format!("{} is no fit with a parameter that is a time", quote(&text)));
        let parameter = text.rsplit_once('.').map_or("", |(_, parameter)| parameter);
        let mut names: Vec<&str> = OfFit::parameters().collect();
        names.sort_unstable();
        names.dedup();
        let near = nearest(parameter, &names).map(|near| format!("did you mean the parameter `{near}`? "));
        let help =
            format!("{}write of = \"FIT.PARAMETER\", such as \"dependent_loads.t_load\"", near.unwrap_or_default());
        problems.push(problem.at(field.node.place).help(help));
    }
    of
}

/// Reports each `of` of a fit or a chart that names no fit of a law.
pub(in crate::scenario) fn check_of(sections: &[Section<'_>], fits: &[FitRequest], problems: &mut Problems) {
    let is_law =
        |fit: &&FitRequest| fit.of.is_none() && !matches!(fit.model, Model::Slowdown { .. } | Model::Speedup { .. });
    let of_laws: Vec<&FitRequest> = fits.iter().filter(is_law).collect();
    let names: Vec<&str> = of_laws.iter().map(|fit| fit.name.as_str()).collect();
    for field in sections.iter().filter_map(|section| section.get(OF.name)) {
        let Some(of) = field.line("", &mut Problems::default()).as_deref().and_then(OfFit::read) else { continue };
        let message = match of_laws.iter().find(|fit| fit.name == of.fit).map(|fit| &fit.model) {
            None => format!("no [[fit]] of times is called {}", quote(&of.fit)),
            Some(Model::Law { law, .. }) if law.parameters.iter().all(|own| own.name != of.parameter) => {
                format!("the law `{}` has no parameter `{}`", law.name, of.parameter)
            }
            Some(_) => continue,
        };
        problems.push(Problem::new(message).at(field.node.place).help(instead(&of.fit, &names)));
    }
}

/// What asks for slowdowns, and where.
const SLOWDOWNS: (&str, &str) = ("[[fit]]", "law = \"slowdown\"");

/// The model that `law`, `predictor`, `reference` and `robust` ask for together.
fn model(
    section: &Section<'_>,
    field: &Field<'_>,
    wanted: &str,
    subject: Subject<'_>,
    problems: &mut Problems,
) -> Option<Model> {
    let is_slowdown = wanted == SLOWDOWN;
    let is_ratio_or_auto = [AUTO, PLATEAUS, SLOWDOWN, SPEEDUP].contains(&wanted);
    if !is_ratio_or_auto && Law::find(wanted).is_none() {
        // Which keys go with a law that there is not is not known; their values can be wrong besides.
        law(wanted, field.node.place, subject.family, problems);
        if section.get("reference").is_some() {
            reference(section, true, SLOWDOWNS, subject, problems);
        }
        if section.get("predictor").is_some() {
            predictor(section, wanted, None, subject.family, problems);
        }
        robust(section, false, problems);
        return None;
    }
    let reference = reference(section, is_slowdown, SLOWDOWNS, subject, problems);
    let robust = robust(section, is_slowdown || wanted == SPEEDUP, problems);
    let law = if is_ratio_or_auto { None } else { Some(law(wanted, field.node.place, subject.family, problems)?) };
    let fixed = law.map_or(is_slowdown.then_some(""), |law| law.predictor);
    let predictor = match fixed {
        Some(fixed) => {
            if let Some(field) = section.get("predictor") {
                let message = match fixed {
                    "" => format!("`predictor` does not go with law = {}", quote(wanted)),
                    _ => format!("the law `{wanted}` has its own predictor, `{fixed}`"),
                };
                let help = format!("leave it out; a `predictor` goes with: {}", generic_names().join(", "));
                problems.push(Problem::new(message).at(field.key_place).help(help));
            }
            Some(fixed)
        }
        None => predictor(section, wanted, law, subject.family, problems),
    };
    match (law, wanted) {
        (_, SLOWDOWN) => reference.map(|reference| Model::Slowdown { reference }),
        (Some(law), _) => Some(Model::Law { law, predictor: predictor?, robust }),
        (None, SPEEDUP) => Some(Model::Speedup { predictor: predictor? }),
        (None, PLATEAUS) => Some(Model::Auto { among: Among::Plateaus, predictor: predictor?, robust }),
        (None, _) => Some(Model::Auto { among: Among::Forms, predictor: predictor?, robust }),
    }
}

/// Whether outliers are to count less.
fn robust(section: &Section<'_>, is_ratio: bool, problems: &mut Problems) -> bool {
    let Some(field) = section.get("robust") else { return false };
    let Some(robust) = field.flag(problems) else { return false };
    if is_ratio {
        let problem = Problem::new("`robust` is for laws, not for ratios").at(field.key_place);
        problems.push(problem.help("leave it out: ratios are taken point by point"));
    }
    robust
}

/// The law of this name, if the family has its predictor.
fn law(wanted: &str, place: Place, family: Option<&'static Family>, problems: &mut Problems) -> Option<&'static Law> {
    let Some(law) = Law::find(wanted) else {
        let message = format!("{} is not a law", quote(wanted));
        problems.push(Problem::new(message).at(place).help(instead(wanted, &law_names(family))));
        return None;
    };
    if let (Some(family), Some(predictor)) = (family, law.predictor)
        && !predictor_names(family).contains(&predictor)
    {
        let message = format!("the law `{wanted}` needs the predictor `{predictor}`, which `{}` has not", family.name);
        let help = format!("laws for this family: {}", law_names(Some(family)).join(", "));
        problems.push(Problem::new(message).at(place).help(help));
        return None;
    }
    Some(law)
}

/// The predictor of a law that has none of its own.
fn predictor(
    section: &Section<'_>,
    wanted: &str,
    law: Option<&'static Law>,
    family: Option<&'static Family>,
    problems: &mut Problems,
) -> Option<&'static str> {
    let Some(field) = section.get("predictor") else {
        let names = family.map(predictor_names).unwrap_or_default();
        let help = format!("name the parameter or predictor to fit against: {}", names.join(", "));
        let message = format!("a [[fit]] with law = {} needs its `predictor`", quote(wanted));
        problems.push(Problem::new(message).at(section.place).help(help).absence());
        return None;
    };
    let text = field.line("\"branches\"", problems)?;
    let Some(family) = family else { return Some("") };
    let names = predictor_names(family);
    let found = names.iter().find(|name| **name == text).copied().or_else(|| counter(family, &text));
    if found.is_none() {
        let message = if family.parameter(&text).is_some() {
            format!("`{text}` is text, and no law can be fitted against it")
        } else {
            format!("{} is neither a parameter nor a predictor of `{}`, nor a counter", quote(&text), family.name)
        };
        let help = near_counter(&text, &names).unwrap_or_else(|| instead(&text, &names));
        problems.push(Problem::new(message).at(field.node.place).help(help));
    } else if law.is_some_and(Law::counts_bytes) && !text.contains("bytes") {
        let bytes: Vec<&str> = names.into_iter().filter(|name| name.contains("bytes")).collect();
        let help = match &bytes[..] {
            [] => format!("`{}` has none; law = \"affine\" takes any predictor", family.name),
            names => format!("allowed: {}", names.join(", ")),
        };
        let message = format!("the law `{wanted}` needs a predictor that counts bytes, which `{text}` does not");
        problems.push(Problem::new(message).at(field.node.place).help(help));
        return None;
    }
    found
}

/// What a `predictor` goes with.
fn generic_names() -> Vec<&'static str> {
    let generic = LAWS.iter().filter(|law| law.predictor.is_none()).map(|law| law.name);
    generic.chain([AUTO, PLATEAUS, SPEEDUP]).collect()
}

/// The laws whose predictor the family has, those for any predictor, and what is no law of its own.
fn law_names(family: Option<&Family>) -> Vec<&'static str> {
    let fits = |law: &&Law| match (family, law.predictor) {
        (Some(family), Some(predictor)) => predictor_names(family).contains(&predictor),
        _ => true,
    };
    LAWS.iter().filter(fits).map(|law| law.name).chain([AUTO, PLATEAUS, SLOWDOWN, SPEEDUP]).collect()
}
