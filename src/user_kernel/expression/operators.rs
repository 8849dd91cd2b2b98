//! The operators of expressions, as `exmex` has them.

#![allow(clippy::float_cmp, reason = "numbers are compared as they are written")]

use std::str::FromStr;

use exmex::{BinOp, MakeOperators, Operator};

/// The functions that expressions have, for messages and the reference.
pub const FUNCTIONS: &str = "+ - * / % ^ < <= > >= == != && || ! and ceil floor round abs sqrt log2 exp sin cos min(a, b) max(a, b) if(a, b, c)";

/// The function of a condition and two values, one of which it is.
pub(super) const CHOICE: &str = "if";

/// How `exmex` reads a choice, whose operators have two values each: `((a) ? (b) : (c))`.
pub(super) const CHOSEN: [&str; 2] = ["?", ":"];

/// What a part of an expression comes to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Worth {
    /// A number. A condition is 1 where it holds, otherwise 0.
    Number(f64),
    /// The first value of a choice where its condition does not hold: the choice is its second one.
    #[default]
    NotChosen,
}

impl Worth {
    /// The number that it is.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::NotChosen => f64::NAN,
        }
    }
}

impl FromStr for Worth {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self::Number)
    }
}

macro_rules! of_one {
    ($apply:expr) => {
        |own: Worth| Worth::Number($apply(own.number()))
    };
}

macro_rules! of_two {
    ($apply:expr, $prio:expr) => {
        // Of an operator that is commutative, `exmex` computes numbers first, and applies a function of the whole to these alone.
        BinOp {
            apply: |one: Worth, other: Worth| Worth::Number($apply(one.number(), other.number())),
            prio: $prio,
            is_commutative: false,
        }
    };
}

/// 1 where a condition holds of two values, otherwise 0; no number where one of them is none.
macro_rules! condition {
    ($holds:expr, $prio:expr) => {
        of_two!(
            |one: f64, other: f64| {
                if one.is_nan() || other.is_nan() { f64::NAN } else { f64::from(u8::from($holds(one, other))) }
            },
            $prio
        )
    };
}

/// The operators of expressions. There are no constants, so that no name is taken from parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operators;

impl MakeOperators<Worth> for Operators {
    fn make<'a>() -> Vec<Operator<'a, Worth>> {
        let chosen = |one: Worth, other: Worth| match one.number() {
            condition if condition.is_nan() => one,
            0.0 => Worth::NotChosen,
            _ => other,
        };
        let otherwise = |one: Worth, other: Worth| if matches!(one, Worth::NotChosen) { other } else { one };
        vec![
            Operator::make_bin("||", condition!(|one, other| one != 0.0 || other != 0.0, 0)),
            Operator::make_bin("&&", condition!(|one, other| one != 0.0 && other != 0.0, 1)),
            Operator::make_bin("==", condition!(|one, other| one == other, 2)),
            Operator::make_bin("!=", condition!(|one, other| one != other, 2)),
            Operator::make_bin("<", condition!(|one, other| one < other, 3)),
            Operator::make_bin("<=", condition!(|one, other| one <= other, 3)),
            Operator::make_bin(">", condition!(|one, other| one > other, 3)),
            Operator::make_bin(">=", condition!(|one, other| one >= other, 3)),
            Operator::make_bin_unary("+", of_two!(|one: f64, other: f64| one + other, 4), |own| own),
            Operator::make_bin_unary("-", of_two!(|one: f64, other: f64| one - other, 4), of_one!(|own: f64| -own)),
            Operator::make_bin("*", of_two!(|one: f64, other: f64| one * other, 5)),
            Operator::make_bin("/", of_two!(|one: f64, other: f64| one / other, 5)),
            Operator::make_bin("%", of_two!(f64::rem_euclid, 5)),
            Operator::make_bin("^", of_two!(f64::powf, 6)),
            Operator::make_bin("min", of_two!(f64::min, 7)),
            Operator::make_bin("max", of_two!(f64::max, 7)),
            Operator::make_bin(CHOSEN[0], BinOp { apply: chosen, prio: 7, is_commutative: false }),
            Operator::make_bin(CHOSEN[1], BinOp { apply: otherwise, prio: 7, is_commutative: false }),
            Operator::make_unary(
                "!",
                of_one!(|own: f64| if own.is_nan() { own } else { f64::from(u8::from(own == 0.0)) }),
            ),
            Operator::make_unary("ceil", of_one!(f64::ceil)),
            Operator::make_unary("floor", of_one!(f64::floor)),
            Operator::make_unary("round", of_one!(f64::round)),
            Operator::make_unary("abs", of_one!(f64::abs)),
            Operator::make_unary("sqrt", of_one!(f64::sqrt)),
            Operator::make_unary("log2", of_one!(f64::log2)),
            Operator::make_unary("exp", of_one!(f64::exp)),
            Operator::make_unary("sin", of_one!(f64::sin)),
            Operator::make_unary("cos", of_one!(f64::cos)),
        ]
    }
}

/// How many values a function has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    One,
    More,
    /// A condition and two values.
    Choice,
}

impl Values {
    /// The values in words.
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::One => "of one value",
            Self::More => "of two values or more",
            Self::Choice => "of a condition and two values",
        }
    }

    /// An example of the values.
    pub(super) fn example(self) -> &'static str {
        match self {
            Self::One => "a",
            Self::More => "a, b",
            Self::Choice => "i < 5, a, b",
        }
    }

    /// Whether so many commas may stand between the values.
    pub(super) fn allow(self, commas: usize) -> bool {
        match self {
            Self::One => commas == 0,
            Self::More => commas > 0,
            Self::Choice => commas == 2,
        }
    }
}

/// How many values a function of this name has.
pub(super) fn values_of(function: &str) -> Option<Values> {
    if function == CHOICE {
        return Some(Values::Choice);
    }
    let operators = Operators::make();
    let own = operators.iter().find(|own| own.repr() == function && function.starts_with(char::is_alphabetic))?;
    Some(if own.has_bin() { Values::More } else { Values::One })
}

/// The names of all functions.
pub(super) fn functions() -> Vec<&'static str> {
    let operators = Operators::make();
    let named = operators.iter().map(Operator::repr).filter(|own| own.starts_with(char::is_alphabetic));
    named.chain([CHOICE]).collect()
}
