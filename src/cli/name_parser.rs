//! Names among those of the program as arguments, with `-` or `_`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use located_toml::words::meant;

/// Takes one of these names.
#[derive(Debug, Clone)]
pub(super) struct NameParser {
    names: Vec<&'static str>,
    /// One of the names that something else is taken for.
    instead: fn(&str) -> Option<&'static str>,
}

impl NameParser {
    pub(super) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self { names: names.into_iter().collect(), instead: |_| None }
    }

    /// The same, and takes other words for one of the names.
    pub(super) fn or(self, instead: fn(&str) -> Option<&'static str>) -> Self {
        Self { instead, ..self }
    }

    fn exact(&self) -> PossibleValuesParser {
        PossibleValuesParser::new(self.names.clone())
    }
}

impl TypedValueParser for NameParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let name = value.to_str().and_then(|text| meant(text, &self.names).or_else(|| (self.instead)(text)));
        self.exact().parse_ref(command, argument, name.map_or(value, OsStr::new))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.names.iter().map(PossibleValue::new)))
    }
}
