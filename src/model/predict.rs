//! Predicts the times of points that a run does not have, from its laws.

use std::collections::{HashMap, HashSet};

use super::fit::{LawFit, Observation};
use super::group::{GroupFit, Key, members};
use super::verdict::Verdict;
use super::{FitRequest, Model, Of, counter, explained_by};
use crate::family::{Family, Request};
use crate::parameter::{Kind, ParameterSet, Value};
use crate::properties::Properties;
use crate::record::PointRecord;

/// Values of some parameters, as they were asked for.
pub type Asked = Vec<(&'static str, Value)>;

/// The time of one point by a law.
#[derive(Debug, Clone)]
pub struct Prediction<'a> {
    /// The law with its group.
    pub group: &'a GroupFit,
    /// The law with its figures.
    pub fit: &'a LawFit,
    /// The values asked for, of the parameters that the law's predictor follows from.
    pub asked: Asked,
    /// The value of the predictor at these values.
    pub x: f64,
    /// Why no kernel takes these values; `None` if one does.
    pub beyond: Option<String>,
}

impl Prediction<'_> {
    /// The time in microseconds; `None` where the law's curve is not above zero.
    pub fn time_us(&self) -> Option<f64> {
        Some(self.fit.time_us(self.x)).filter(|time_us| *time_us > 0.0)
    }

    /// Whether the law holds, at this value of the predictor too.
    pub fn holds(&self) -> bool {
        self.fit.verdict.is_success() && self.holds_from().is_none()
    }

    /// The smallest predictor that the law holds at, where this one is smaller.
    pub fn holds_from(&self) -> Option<f64> {
        match self.fit.verdict {
            Verdict::HoldsFrom { from, .. } if self.x < from => Some(from),
            _ => None,
        }
    }

    /// The ends of the 95 % interval that a new time would be in, in microseconds; `None` where the law does not hold.
    pub fn interval_us(&self) -> Option<(f64, f64)> {
        self.fit.prediction_us(self.x).filter(|_| self.holds())
    }

    /// Whether the predictor is outside the range that the law was fitted to.
    pub fn is_extrapolated(&self) -> bool {
        self.x < self.fit.from || self.x > self.fit.to
    }
}

/// The run that is asked.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Its family.
    pub family: &'static Family,
    /// Its device, by whose rules predictors follow from parameters.
    pub device: &'a Properties,
    /// Its points.
    pub points: &'a [PointRecord],
    /// The seed of its inputs.
    pub seed: u64,
}

/// The predictions of every fitted law for each combination of values that is asked for, in each of its groups that the
/// values do not rule out, and why some values have none. `variant` restricts them to one.
///
/// # Errors
/// Why there is none, in words for the user.
pub fn predict<'a>(
    subject: Subject<'_>,
    requests: &[FitRequest],
    fits: &'a [GroupFit],
    asked: &[Asked],
    variant: Option<&str>,
) -> Result<(Vec<Prediction<'a>>, Vec<String>), String> {
    let mut found = Vec::new();
    let mut refusals: Vec<String> = Vec::new();
    let mut by_key: HashMap<(&str, &Key), (&GroupFit, &LawFit)> = HashMap::new();
    for group in fits {
        if let Some(fit) = group.outcome.law() {
            by_key.insert((&group.name, &group.group), (group, fit));
        }
    }
    if by_key.is_empty() {
        let asks_for_law = |own: &FitRequest| !matches!(own.model, Model::Slowdown { .. } | Model::Speedup { .. });
        let why = if requests.iter().any(asks_for_law) {
            "no law could be fitted to predict from: apbench fit -v RUN, with the same --law and --predictor, says why"
        } else {
            "the run has no fit of a law to predict from, only of ratios: ask for one with --law, and --predictor where the law takes any"
        };
        return Err(why.to_owned());
    }
    for request in requests {
        let Some(predictor) = request.model.predictor() else { continue };
        let explained = explained_by(subject.family, predictor);
        for (key, members) in members(request, subject.family, subject.points) {
            let Some((group, fit)) = by_key.get(&(request.name.as_str(), &key)) else { continue };
            let own = members[0].0.variant.as_str();
            if variant.is_some_and(|wanted| wanted != own) {
                continue;
            }
            let question = Asker { subject, predictor, explained: &explained, key: &key, members: &members };
            let mut seen = HashSet::new();
            for values in asked {
                match question.place(values) {
                    Ok(Some(Placed { asked, x, beyond })) => {
                        if seen.insert(format!("{asked:?}")) {
                            found.push(Prediction { group, fit, asked, x, beyond });
                        }
                    }
                    Ok(None) => {}
                    Err(refusal) => {
                        if !refusals.contains(&refusal) {
                            refusals.push(refusal);
                        }
                    }
                }
            }
        }
    }
    if found.is_empty() {
        return Err(if refusals.is_empty() {
            nothing(subject.family, requests, asked, variant)
        } else {
            refusals.join("; ")
        });
    }
    Ok((found, refusals))
}

/// Why no law tells the times that were asked for, and of which parameters there are predictions.
fn nothing(family: &Family, requests: &[FitRequest], asked: &[Asked], variant: Option<&str>) -> String {
    let mut along: Vec<&str> = Vec::new();
    let mut of_figures: Vec<String> = Vec::new();
    let names: HashSet<&str> = asked.iter().flatten().map(|(name, _)| *name).collect();
    for request in requests {
        let Some(predictor) = request.model.predictor() else { continue };
        let explained = explained_by(family, predictor);
        match &request.of {
            Some(Of::Fit(of)) if explained.iter().any(|name| names.contains(name)) => {
                of_figures.push(format!(
                    "the law `{}` is of {} of the law `{}`, not of times",
                    request.name, of.parameter, of.fit
                ));
            }
            Some(Of::Fit(_)) => {}
            _ if matches!(request.model, Model::Slowdown { .. } | Model::Speedup { .. }) => {}
            _ => along.extend(explained.iter().filter(|name| !along.contains(name)).copied().collect::<Vec<_>>()),
        }
    }
    let mut wanted: Vec<&str> = names.into_iter().collect();
    wanted.sort_unstable();
    let of_variant = variant.map_or(String::new(), |variant| format!(" of {variant}"));
    let mut why =
        vec![format!("no law of times{of_variant} is fitted to points with such values of {}", wanted.join(", "))];
    why.extend(of_figures);
    if let [first, ..] = &along[..] {
        why.push(format!(
            "times can be predicted at other values of {} (apbench predict RUN --set {first}=...), with the other parameters as the run has them",
            along.join(", ")
        ));
    }
    why.push("apbench fit -v RUN shows all laws".to_owned());
    why.join("; ")
}

/// Whether there are kernels for these values of all parameters, `asked` among them; the error says why not.
fn buildable(family: &Family, parameters: &ParameterSet, asked: &Asked) -> Result<(), String> {
    for (name, value) in asked {
        if let Some(parameter) = family.parameter(name)
            && parameter.kind.check(value).is_err()
        {
            return Err(format!("no kernel has {name} = {value}, only {}", parameter.kind.expectation()));
        }
    }
    family.check(parameters).map_err(|conflict| format!("no kernel has these values: {}", conflict.problem))
}

/// The place of a point on a law's curve.
struct Placed {
    asked: Asked,
    x: f64,
    beyond: Option<String>,
}

/// One group, asked for values.
struct Asker<'a> {
    subject: Subject<'a>,
    predictor: &'static str,
    explained: &'a [&'static str],
    key: &'a Key,
    members: &'a [(&'a PointRecord, Observation)],
}

impl Asker<'_> {
    /// The values of the parameters that the predictor follows from, and the predictor; `None` where the group is another.
    fn place(&self, values: &Asked) -> Result<Option<Placed>, String> {
        let Subject { family, device, seed, .. } = self.subject;
        let first = self.members[0].0;
        let mut parameters = ParameterSet::defaults(family.parameters, device);
        for parameter in family.parameters {
            let value = Self::value_of(first, parameter.name, parameter.kind)?;
            parameters.set(parameter.name, value).map_err(|mismatch| mismatch.to_string())?;
        }
        let mut asked = Vec::new();
        for (name, value) in values {
            if family.ignores(&first.variant, name) {
                continue;
            }
            let text = value.to_string();
            if let Some((_, own)) = self.key.iter().find(|(own, _)| own == name) {
                if *own != text {
                    return Ok(None);
                }
            } else if self.explained.contains(name) {
                asked.push((*name, value.clone()));
                parameters.set(name, value.clone()).map_err(|mismatch| mismatch.to_string())?;
            } else if first.value(name).is_none_or(|own| own != text) {
                let own = first.value(name).unwrap_or_default();
                return Err(format!(
                    "{name} is {own} at every point of the run, so its laws cannot predict {name} = {text}"
                ));
            }
        }
        for name in self.explained.iter().filter(|name| !family.ignores(&first.variant, name)) {
            let is_asked = asked.iter().any(|(own, _)| own == name);
            let own = first.value(name);
            if !is_asked && self.members.iter().any(|(point, _)| point.value(name) != own) {
                return Err(format!(
                    "the law's predictor {} depends on {name}: give it with --set {name}=...",
                    self.predictor
                ));
            }
        }
        // Where no kernel can be built, only a predictor that is the parameter itself is known.
        if let Err(why) = buildable(family, &parameters, &asked) {
            let is_itself = |name: &str| {
                self.predictor == name
                    || self.members.iter().all(|(point, observation)| point.number(name) == Some(observation.x))
            };
            let itself = match &asked[..] {
                [(name, value)] if is_itself(name) => value.as_number(),
                _ => None,
            };
            return match itself {
                Some(x) => Ok(Some(Placed { asked, x, beyond: Some(why) })),
                None => Err(format!("{why}: the value of {} is not known", self.predictor)),
            };
        }
        Ok(Some(Placed { x: self.predictor_at(first, &parameters, seed)?, asked, beyond: None }))
    }

    fn value_of(point: &PointRecord, name: &str, kind: Kind) -> Result<Value, String> {
        let text = point.value(name).unwrap_or_default();
        match kind {
            Kind::Integer { .. } => match text.parse::<i64>() {
                Ok(number) => Ok(Value::Integer(number)),
                Err(_) => Err(format!("{name} of point {} is `{text}`, expected a whole number", point.point)),
            },
            _ => Ok(Value::Text(text.to_string())),
        }
    }

    /// The predictor at these parameters: the parameter itself, that of a point of the run with the same values, or
    /// what the family says of a point that is built for it.
    fn predictor_at(&self, first: &PointRecord, parameters: &ParameterSet, seed: u64) -> Result<f64, String> {
        let Subject { family, device, .. } = self.subject;
        let is_counter = counter(family, self.predictor).is_some();
        if family.predictor(self.predictor).is_none() && !is_counter {
            return parameters
                .get(self.predictor)
                .and_then(Value::as_number)
                .ok_or_else(|| format!("{} is not a number", self.predictor));
        }
        let is_same = |point: &PointRecord| {
            self.explained.iter().all(|name| {
                family.ignores(&point.variant, name)
                    || point
                        .value(name)
                        .is_some_and(|own| parameters.get(name).is_some_and(|value| value.to_string() == own))
            })
        };
        if let Some((_, observation)) = self.members.iter().find(|(point, _)| is_same(point)) {
            return Ok(observation.x);
        }
        if is_counter {
            return Err(format!(
                "{} is counted where a point is simulated, so it is known at the run's own points alone; a law in a parameter or a predictor \
                 says more",
                self.predictor
            ));
        }
        let variant = first.variant.as_str();
        let request = Request { variant, parameters, device, seed };
        let predictors = family.predictors(&request).map_err(|mismatch| mismatch.to_string())?;
        let found = predictors.iter().find(|(name, _)| *name == self.predictor);
        found.map(|(_, x)| *x).ok_or_else(|| format!("{variant} has no {}", self.predictor))
    }
}
