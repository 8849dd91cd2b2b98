//! What does not fit between a scenario and its kernel, and where the scenario says it.

use located_toml::problem::Place;
use located_toml::words::{and_list, count};

/// Something of a kernel that is not as its scenario says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// What is wrong, in a sentence.
    pub problem: String,
    /// What helps, if anything does.
    pub help: Option<String>,
    /// What a scenario may have there instead.
    pub allowed: Option<String>,
    /// Where the scenario says it; `None` where it is of the kernel as a whole.
    pub place: Option<Place>,
    /// The kernel that it is of, where others may have the same.
    entry: Option<String>,
}

/// Kernels that are named where several have the same problem.
const ENTRIES_NAMED: usize = 4;

impl Misfit {
    /// A problem at a place, without help.
    pub fn new(problem: String, place: Option<Place>) -> Self {
        Self { problem, help: None, allowed: None, place, entry: None }
    }

    /// The same of a kernel, which the problem names.
    #[must_use]
    pub(super) fn of(self, entry: &str) -> Self {
        Self { entry: Some(entry.to_owned()), ..self }
    }

    /// Each once: those of several kernels that differ in nothing but the kernel are one, in the words of the first.
    pub(super) fn merged(all: Vec<Self>) -> Vec<Self> {
        let mut merged: Vec<(Self, Vec<String>)> = Vec::new();
        for own in all {
            let Some((first, others)) = merged.iter_mut().find(|(known, _)| known.is_like(&own)) else {
                merged.push((own, Vec::new()));
                continue;
            };
            if let Some(entry) =
                own.entry.filter(|entry| first.entry.as_ref() != Some(entry) && !others.contains(entry))
            {
                others.push(entry);
            }
        }
        merged.into_iter().map(|(first, others)| first.also_of(&others)).collect()
    }

    fn is_like(&self, other: &Self) -> bool {
        let rest = |own: &Self| (own.place, own.help.clone(), own.allowed.clone(), own.entry.is_some());
        rest(self) == rest(other) && self.of_any_kernel() == other.of_any_kernel()
    }

    /// The problem without the kernel's name.
    fn of_any_kernel(&self) -> String {
        let Some(entry) = &self.entry else { return self.problem.clone() };
        self.problem.replace(&format!("`{entry}`"), "``")
    }

    fn also_of(self, others: &[String]) -> Self {
        if others.is_empty() {
            return self;
        }
        let named: Vec<&str> = others.iter().take(ENTRIES_NAMED).map(String::as_str).collect();
        let beyond = others.len() - named.len();
        let named = match beyond {
            0 => and_list(&named),
            _ => format!("{} and {}", and_list(&named).replace(" and ", ", "), count(beyond, "more kernel")),
        };
        Self { problem: format!("{}; the same of {named}", self.problem), ..self }
    }

    /// The same at a place.
    #[must_use]
    pub(super) fn at(self, place: Option<Place>) -> Self {
        Self { place, ..self }
    }

    #[must_use]
    pub(super) fn help(self, help: String) -> Self {
        Self { help: Some(help).filter(|help| !help.is_empty()), ..self }
    }

    #[must_use]
    pub(super) fn allowed(self, allowed: String) -> Self {
        Self { allowed: Some(allowed).filter(|allowed| !allowed.is_empty()), ..self }
    }
}

/// Where a scenario says what a launch is of; nothing where no scenario was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchPlaces {
    /// The kernel.
    pub entry: Option<Place>,
    /// The list of arguments.
    pub list: Option<Place>,
    /// Each argument.
    pub arguments: Vec<Place>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_kernels_have_is_told_once() {
        let missing =
            |entry: &str| Misfit::new(format!("`{entry}` has 3 parameters: one of `{entry}` has none"), None).of(entry);
        let mut all: Vec<Misfit> = ["a", "b", "a", "c"].into_iter().map(missing).collect();
        all.push(missing("d").help("give it".to_owned()));
        all.push(Misfit::new("there is no kernel".to_owned(), None));
        let told: Vec<String> = Misfit::merged(all).into_iter().map(|own| own.problem).collect();
        assert_eq!(
            told,
            [
                "`a` has 3 parameters: one of `a` has none; the same of `b` and `c`",
                "`d` has 3 parameters: one of `d` has none",
                "there is no kernel",
            ]
        );
        let many = Misfit::merged((0..9).map(|number| missing(&format!("k{number}"))).collect());
        assert!(
            many[0].problem.ends_with("the same of `k1`, `k2`, `k3`, `k4` and 4 more kernels"),
            "{}",
            many[0].problem
        );
    }
}
