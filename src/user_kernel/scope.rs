//! What names of expressions stand for, and why an expression has no value where they stand for it.

use std::fmt;

use located_toml::problem::Place;

/// Names with their values.
#[derive(Debug, Clone)]
pub struct Scope(Vec<(&'static str, f64)>);

impl Scope {
    /// These names with these values.
    pub fn new(values: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// The same with another value of a name, which is new or replaced.
    #[must_use]
    pub fn with(&self, name: &'static str, value: f64) -> Self {
        let mut all = self.clone();
        match all.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = value,
            None => all.0.push((name, value)),
        }
        all
    }

    /// The values of these names, for messages: `n = 5 and tile = 32`.
    pub(super) fn told(&self, names: &[String]) -> String {
        let told = names.iter().filter_map(|name| Some(format!("{name} = {}", self.value(name)?)));
        told.collect::<Vec<_>>().join(" and ")
    }

    pub(super) fn value(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }
}

/// Why an expression has no value that it can have here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    pub(super) problem: String,
    /// The names in the expression.
    pub(super) names: Vec<String>,
    /// Where the scenario has the expression.
    pub(super) place: Option<Place>,
}

impl Unfit {
    /// Where the scenario has the expression.
    pub(super) fn place(&self) -> Option<Place> {
        self.place
    }

    /// The same, said of a part of something: `grid: ...`.
    pub(super) fn within(self, what: &str) -> Self {
        Self { problem: format!("{what}: {}", self.problem), ..self }
    }

    /// The names that it follows from.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.problem)
    }
}

impl From<Unfit> for String {
    fn from(unfit: Unfit) -> Self {
        unfit.problem
    }
}

/// What follows from no name.
impl From<String> for Unfit {
    fn from(problem: String) -> Self {
        Self { problem, names: Vec::new(), place: None }
    }
}
