//! Expressions of parameters: sizes, numbers of blocks, contents of buffers. `exmex` parses and evaluates them; which operators there are is
//! said in [`operators`].

mod notation;
mod operators;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::ops::Range;

use exmex::{Express, FlatEx, MatchLiteral};
use located_toml::problem::Place;

use super::{Scope, Unfit};
pub use operators::FUNCTIONS;
use operators::{Operators, Worth};

/// Numbers as TOML and C++ have them: `2`, `0.5`, `1e-6`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbers;

impl MatchLiteral for Numbers {
    fn is_literal(text: &str) -> Option<&str> {
        let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(0);
        let fraction = if text[whole..].starts_with('.') { 1 + digits(whole + 1) } else { 0 };
        let end = whole + fraction;
        if whole == 0 && fraction < 2 {
            return None;
        }
        let Some(power) = text[end..].strip_prefix(['e', 'E']) else { return Some(&text[..end]) };
        let sign = usize::from(power.starts_with(['+', '-']));
        let power = digits(end + 1 + sign);
        Some(&text[..if power == 0 { end } else { end + 1 + sign + power }])
    }
}

/// An expression of numbers and names. Its numbers are 64-bit floats, so whole numbers are exact up to 2^53, and `/` does not round.
#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
    // Apart, as it is large.
    parsed: Box<FlatEx<Worth, Operators, Numbers>>,
    /// Where a scenario has it.
    place: Option<Place>,
}

/// What is wrong with the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong, as a phrase.
    pub problem: String,
    /// What is allowed.
    pub help: String,
    /// Which bytes of the text it is about, where that is known.
    pub place: Option<Range<usize>>,
}

impl Expression {
    /// Parses an expression whose names are of these.
    ///
    /// # Errors
    /// What is wrong, where, and what is allowed.
    pub fn parse(text: &str, names: &[&'static str]) -> Result<Self, Unreadable> {
        let allowed = || format!("an expression has numbers, {FUNCTIONS}, brackets, and the names {}", listed(names));
        let unreadable = |problem, help, place| Err(Unreadable { problem, help, place });
        if text.len() > LONGEST {
            let problem = format!("the expression has {} characters", text.len());
            return unreadable(problem, format!("at most {LONGEST} are allowed"), None);
        }
        if text.trim().is_empty() {
            return unreadable("nothing is there".to_owned(), allowed(), None);
        }
        // Nested brackets are parsed by recursion.
        let depth = text.matches('(').count();
        if depth > DEEPEST {
            let problem = format!("the expression has {depth} pairs of brackets");
            return unreadable(problem, format!("at most {DEEPEST} are allowed"), None);
        }
        let written = notation::for_exmex(text, names, &allowed())?;
        let parsed: FlatEx<Worth, Operators, Numbers> = match FlatEx::parse(&written) {
            Ok(parsed) => parsed,
            Err(error) => {
                return unreadable(format!("`{text}` cannot be read: {}", error.msg()), allowed(), None);
            }
        };
        let unknown = parsed.var_names().iter().filter(|own| !names.contains(&own.as_str()));
        if let Some(unknown) = unknown.min_by_key(|own| word_in(text, own).map(|place| place.start)) {
            let within = if unknown == text.trim() { String::new() } else { format!(" in `{text}`") };
            let problem = format!("`{unknown}`{within} is not known");
            let help = if names.is_empty() {
                "there are no names here: write a number".to_owned()
            } else {
                located_toml::words::instead(unknown, names)
            };
            return unreadable(problem, help, word_in(text, unknown));
        }
        Ok(Self { text: text.to_owned(), parsed: Box::new(parsed), place: None })
    }

    /// The same, as a scenario has it at this place.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// How it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names in it.
    pub fn names(&self) -> &[String] {
        self.parsed.var_names()
    }

    /// Its value where names have these values.
    ///
    /// # Errors
    /// Where a name has none, or the value is no finite number: why, with the expression.
    pub fn value(&self, scope: &Scope) -> Result<f64, Unfit> {
        let value = |name: &String| {
            let value = scope.value(name).ok_or_else(|| self.unfit(format!("has no value here for `{name}`")))?;
            Ok(Worth::Number(value))
        };
        let values = self.names().iter().map(value).collect::<Result<Vec<Worth>, Unfit>>()?;
        let worth = self.parsed.eval(&values).map_err(|error| self.unfit(format!("has no value: {}", error.msg())))?;
        let number = worth.number();
        if number.is_finite() {
            return Ok(number);
        }
        Err(self.unfit(if number.is_nan() {
            "is not a number: 0 / 0 is none, nor is the root or the logarithm of a negative number"
        } else {
            "is infinite: it divides by zero, or is too large"
        }))
    }

    /// That it cannot have the value that it has, in words behind its text.
    pub(super) fn unfit(&self, problem: impl Display) -> Unfit {
        Unfit { problem: format!("`{}` {problem}", self.text), names: self.names().to_vec(), place: self.place }
    }

    /// Its value as a whole number from `least` to `most`.
    ///
    /// # Errors
    /// Where it is none: why, with the expression and what is allowed.
    pub fn whole(&self, scope: &Scope, least: u64, most: u64) -> Result<u64, Unfit> {
        let number = self.value(scope)?;
        let near = number.round();
        // Powers and logarithms may miss a whole number by a last place.
        if (number - near).abs() > 1e-9 * near.abs().max(1.0) {
            let problem = format!("is {number}, which is no whole number: ceil() or floor() make one of it");
            return Err(self.unfit(problem));
        }
        if near < least as f64 || near > most as f64 {
            return Err(self.unfit(format!("is {near}, where {least} to {most} is possible")));
        }
        Ok(near as u64)
    }
}

/// Where a name stands in a text, and not a part of another one.
fn word_in(text: &str, name: &str) -> Option<Range<usize>> {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let alone = |(place, _): &(usize, &str)| {
        !text[..*place].ends_with(is_letter) && !text[*place + name.len()..].starts_with(is_letter)
    };
    text.match_indices(name).find(alone).map(|(place, _)| place..place + name.len())
}

/// Characters of the longest expression.
const LONGEST: usize = 1000;
/// Brackets of the deepest expression.
const DEEPEST: usize = 100;

fn listed(names: &[&'static str]) -> String {
    if names.is_empty() { "of parameters, of which there are none".to_owned() } else { names.join(", ") }
}
