//! Names among those of the program as arguments, with `-` or `_`.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use located_toml::words::meant;

/// Takes one of these names.
#[derive(Debug, Clone)]
pub(super) struct NameParser(Vec<&'static str>);

impl NameParser {
    pub(super) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self(names.into_iter().collect())
    }

    fn exact(&self) -> PossibleValuesParser {
        PossibleValuesParser::new(self.0.clone())
    }
}

impl TypedValueParser for NameParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        let name = value.to_str().and_then(|text| meant(text, &self.0));
        self.exact().parse_ref(command, argument, name.map_or(value, OsStr::new))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}
