//! Parameters of a kernel family, the values they take, and the set of values that makes a grid point.

use std::fmt;
use std::ops::RangeInclusive;

use crate::properties::Properties;

mod typed;

pub use typed::{Named, Typed, Weights, Whole};

/// One value of one parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A whole number: a count, a size or an amount of work.
    Integer(i64),
    /// A choice by name, or relative weights such as `9:1`.
    Text(String),
}

impl Value {
    /// The value as a number, for a numeric axis; `None` for text.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(formatter),
            Self::Text(text) => text.fmt(formatter),
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// What values a parameter may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers from `min` to `max`, both included, in multiples of `multiple_of`.
    Integer {
        /// The smallest value allowed.
        min: i64,
        /// The largest value allowed.
        max: i64,
        /// Values must be multiples of this; 1 where any whole number will do.
        multiple_of: i64,
    },
    /// One of these names.
    Choice(&'static [&'static str]),
    /// Relative weights, positive whole numbers joined by colons (`9:1`), at most `max_count` of them.
    Weights {
        /// The largest number of weights.
        max_count: usize,
    },
}

impl Kind {
    /// The value that a text, such as a cell of `points.csv`, is of this kind; where it is none, the text.
    pub fn value(self, text: &str) -> Value {
        match self {
            Self::Integer { .. } => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Integer),
            Self::Choice(_) | Self::Weights { .. } => Value::Text(text.to_owned()),
        }
    }

    /// Checks that `value` may be taken.
    ///
    /// # Errors
    /// Says what is wrong with the value, as a phrase without the parameter's name.
    pub fn check(self, value: &Value) -> Result<(), String> {
        match (self, value) {
            (Self::Integer { min, max, multiple_of }, Value::Integer(number)) => {
                if *number < min || *number > max {
                    Err(format!("{number} is out of range"))
                } else if number % multiple_of != 0 {
                    Err(format!("{number} is not a multiple of {multiple_of}"))
                } else {
                    Ok(())
                }
            }
            (Self::Choice(names), Value::Text(text)) => {
                if names.contains(&text.as_str()) {
                    Ok(())
                } else {
                    Err(format!("`{text}` is not one of its values"))
                }
            }
            (Self::Weights { max_count }, Value::Text(text)) => {
                let weights = parse_weights(text)?;
                if weights.len() > max_count {
                    Err(format!("`{text}` has {} weights, more than {max_count}", weights.len()))
                } else {
                    Ok(())
                }
            }
            (Self::Integer { .. }, Value::Text(text)) => Err(format!("`{text}` is text, not a whole number")),
            (Self::Choice(_) | Self::Weights { .. }, Value::Integer(number)) => {
                Err(format!("{number} is a number, not text"))
            }
        }
    }

    /// What is allowed, in words that complete "expected ...".
    pub fn expectation(self) -> String {
        match self {
            Self::Integer { min, max, multiple_of: 1 } => format!("a whole number from {min} to {max}"),
            Self::Integer { min, max, multiple_of } => format!("a multiple of {multiple_of} from {min} to {max}"),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
            Self::Weights { max_count } => {
                format!("1 to {max_count} positive whole numbers joined by colons, such as \"9:1\"")
            }
        }
    }
}

/// Reads relative weights such as `9:1`.
///
/// # Errors
/// When there is no weight, or one is not a whole number from 1 to 65535.
pub fn parse_weights(text: &str) -> Result<Vec<u32>, String> {
    text.split(':')
        .map(|weight| match weight.parse::<u32>() {
            Ok(number) if (1..=65_535).contains(&number) => Ok(number),
            _ => Err(format!("`{weight}` in `{text}` is not a weight (a whole number from 1 to 65535)")),
        })
        .collect()
}

/// The value of a parameter that a scenario does not mention.
#[derive(Debug, Clone, Copy)]
pub enum Default {
    /// The same whole number everywhere.
    Integer(i64),
    /// The same text everywhere.
    Text(&'static str),
    /// A number that follows the device, such as a size that does not fit in its L2 cache.
    OfDevice(fn(&Properties) -> u64),
}

impl Default {
    /// The value on a device with these properties.
    pub fn resolve(self, properties: &Properties) -> Value {
        match self {
            Self::Integer(number) => Value::Integer(number),
            Self::Text(text) => Value::Text(text.to_owned()),
            Self::OfDevice(choose) => choose(properties).value(),
        }
    }
}

/// A parameter of a family.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in scenarios and as a column of `points.csv`.
    pub name: &'static str,
    /// What it is, with its unit, in one line.
    pub summary: &'static str,
    /// The values it takes.
    pub kind: Kind,
    /// Its value where a scenario is silent.
    pub default: Default,
}

impl Parameter {
    /// A parameter that is a whole number, a multiple of `multiple_of` in `range`; `largest` is what the type that it is read as can hold.
    ///
    /// # Panics
    /// When the default is out of the range, or the range out of the type's: an error of the compiler where the parameter is declared.
    pub const fn whole(
        (name, summary): (&'static str, &'static str),
        range: RangeInclusive<i64>,
        multiple_of: i64,
        largest: i64,
        default: Default,
    ) -> Self {
        let (min, max) = (*range.start(), *range.end());
        assert!(0 <= min && min <= max && max <= largest, "the type cannot hold all values of the range");
        if let Default::Integer(default) = default {
            assert!(min <= default && default <= max && default % multiple_of == 0, "the default is out of the range");
        }
        Self { name, summary, kind: Kind::Integer { min, max, multiple_of }, default }
    }

    /// A parameter that is one of `names`.
    pub const fn choice(
        (name, summary): (&'static str, &'static str),
        names: &'static [&'static str],
        default: &'static str,
    ) -> Self {
        Self { name, summary, kind: Kind::Choice(names), default: Default::Text(default) }
    }

    /// A parameter that is at most `max_count` relative weights, [`Weights::ONE`] where a scenario is silent.
    pub const fn weights((name, summary): (&'static str, &'static str), max_count: usize) -> Self {
        Self { name, summary, kind: Kind::Weights { max_count }, default: Default::Text(Weights::ONE) }
    }
}

/// Why a variant and values are none of a family. What a scenario says was checked before, so this is a defect of whoever asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The family has no such variant.
    #[error("there is no variant `{0}`")]
    Variant(String),
    /// The family has no such parameter.
    #[error("there is no parameter `{0}`")]
    Unknown(String),
    /// A parameter of the family has no value.
    #[error("the parameter `{0}` has no value")]
    Missing(&'static str),
    /// A kernel of the user's cannot be launched with these values.
    #[error("{0}")]
    Kernel(String),
    /// The value is not of the parameter's type.
    #[error("the parameter `{name}` cannot be `{value}`")]
    Value {
        /// The parameter.
        name: &'static str,
        /// The value that it has.
        value: Value,
    },
}

/// A value for every parameter of a family, in the family's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSet {
    entries: Vec<(&'static str, Value)>,
}

impl ParameterSet {
    /// The parameters at their defaults on a device with these properties.
    pub fn defaults(parameters: &[Parameter], properties: &Properties) -> Self {
        let entries =
            parameters.iter().map(|parameter| (parameter.name, parameter.default.resolve(properties))).collect();
        Self { entries }
    }

    /// These names with these values.
    pub fn new(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        Self { entries: entries.into_iter().collect() }
    }

    /// Replaces the value of the parameter `name`.
    ///
    /// # Errors
    /// [`Mismatch::Unknown`] when there is no such parameter.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), Mismatch> {
        let entry = self.entries.iter_mut().find(|(own, _)| *own == name);
        entry.ok_or_else(|| Mismatch::Unknown(name.to_owned()))?.1 = value.into();
        Ok(())
    }

    /// The value of the parameter `name` as its type.
    ///
    /// # Errors
    /// [`Mismatch::Missing`] without such a parameter, [`Mismatch::Value`] when its value is not of the type.
    pub fn read<T: Typed>(&self, name: &'static str) -> Result<T, Mismatch> {
        let value = self.get(name).ok_or(Mismatch::Missing(name))?;
        T::read(value).ok_or_else(|| Mismatch::Value { name, value: value.clone() })
    }

    /// The value of the parameter `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Names and values, in the family's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.entries.iter().map(|(name, value)| (*name, value))
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(formatter, "{separator}{name}={value}")?;
        }
        Ok(())
    }
}
