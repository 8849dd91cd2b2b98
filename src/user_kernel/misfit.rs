//! What does not fit between a scenario and its kernel, and where the scenario says it.

use located_toml::problem::Place;

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
}

impl Misfit {
    /// A problem at a place, without help.
    pub fn new(problem: String, place: Option<Place>) -> Self {
        Self { problem, help: None, allowed: None, place }
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
