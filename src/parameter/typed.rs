//! Values of parameters as Rust types: whole numbers, choices among names, relative weights.

use std::fmt;

use super::{Value, parse_weights};

/// A type that a parameter's values are read as.
pub trait Typed: Sized {
    /// The value as this type; `None` where it is of another kind, or out of the type's range.
    fn read(value: &Value) -> Option<Self>;

    /// This as a value, which reads as the same again.
    fn value(&self) -> Value;
}

/// A type of whole numbers.
pub trait Whole: Typed {
    /// The largest number of the type that a [`Value`] can hold.
    const LARGEST: i64;
}

macro_rules! whole {
    ($($type:ident)+) => {$(
        impl Typed for $type {
            fn read(value: &Value) -> Option<Self> {
                match value {
                    Value::Integer(number) => Self::try_from(*number).ok(),
                    Value::Text(_) => None,
                }
            }

            fn value(&self) -> Value {
                Value::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
            }
        }
    )+};
}
whole!(u32 u64);

impl Whole for u32 {
    const LARGEST: i64 = Self::MAX as i64;
}

impl Whole for u64 {
    const LARGEST: i64 = i64::MAX;
}

/// An enum whose values have names: a family's variants, or the values of a parameter that is a choice.
pub trait Named: Copy + 'static {
    /// All values, in the order of their declaration.
    const ALL: &'static [Self];

    /// The name in scenarios and tables.
    fn name(self) -> &'static str;

    /// The value of this name; `None` where none has it.
    fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|own| own.name() == name)
    }
}

/// Relative weights, such as `9:1`: at least one, each a whole number from 1 to 65535.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights(Vec<u32>);

impl Weights {
    /// How a single weight is written.
    pub const ONE: &'static str = "1";

    /// A single weight of 1, the default of parameters that are weights.
    pub fn one() -> Self {
        Self(vec![1])
    }

    /// Reads weights joined by colons.
    ///
    /// # Errors
    /// When there is no weight, or one is not a whole number from 1 to 65535.
    pub fn parse(text: &str) -> Result<Self, String> {
        parse_weights(text).map(Self)
    }

    /// The weights, in the order in which they are written; at least one.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, weight) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ":" };
            write!(formatter, "{separator}{weight}")?;
        }
        Ok(())
    }
}

impl Typed for Weights {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Self::parse(text).ok(),
            Value::Integer(_) => None,
        }
    }

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_within_the_range_of_their_type_alone() {
        assert_eq!(u32::read(&Value::Integer(7)), Some(7));
        assert_eq!(u32::read(&Value::Integer(-1)), None);
        assert_eq!(u32::read(&Value::Integer(1 << 32)), None);
        assert_eq!(u64::read(&Value::Integer(1 << 32)), Some(1 << 32));
        assert_eq!(u64::read(&Value::from("7")), None);
        assert_eq!(7_u32.value(), Value::Integer(7));
    }

    #[test]
    fn weights_are_written_as_they_are_read() {
        for text in [Weights::ONE, "9:1", "1:2:3:4:5:6:7:8"] {
            let weights = Weights::read(&Value::from(text)).unwrap();
            assert_eq!(weights.value(), Value::from(text));
        }
        assert_eq!(Weights::one().to_string(), Weights::ONE);
        assert_eq!(Weights::parse("9:1").unwrap().as_slice(), [9, 1]);
        assert_eq!(["", "0", "1:", "a", "65536"].map(|text| Weights::read(&Value::from(text))), [const { None }; 5]);
        assert_eq!(Weights::read(&Value::Integer(1)), None);
    }
}
