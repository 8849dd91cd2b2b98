//! Expressions of parameters: sizes, numbers of blocks, contents of buffers. `exmex` parses and evaluates them; which operators there are is
//! said here.

use std::fmt::Display;
use std::ops::Range;

use exmex::{BinOp, Express, FlatEx, MakeOperators, MatchLiteral, Operator};
use located_toml::problem::Place;

use super::{Scope, Unfit};

/// The functions that expressions have, for messages and the reference.
pub const FUNCTIONS: &str = "+ - * / % ^ and ceil floor round abs sqrt log2 exp sin cos min(a, b) max(a, b)";

/// The operators of expressions. There are no constants, so that no name is taken from parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Operators;

impl MakeOperators<f64> for Operators {
    fn make<'a>() -> Vec<Operator<'a, f64>> {
        let binary = |repr: &'a str, apply: fn(f64, f64) -> f64, prio: i64, is_commutative: bool| {
            Operator::make_bin(repr, BinOp { apply, prio, is_commutative })
        };
        vec![
            binary("^", f64::powf, 4, false),
            binary("*", |one, other| one * other, 2, false),
            binary("/", |one, other| one / other, 2, false),
            binary("%", f64::rem_euclid, 2, false),
            Operator::make_bin_unary(
                "+",
                BinOp { apply: |one, other| one + other, prio: 0, is_commutative: false },
                |one| one,
            ),
            Operator::make_bin_unary(
                "-",
                BinOp { apply: |one, other| one - other, prio: 0, is_commutative: false },
                |one: f64| -one,
            ),
            binary("min", f64::min, 5, true),
            binary("max", f64::max, 5, true),
            Operator::make_unary("ceil", f64::ceil),
            Operator::make_unary("floor", f64::floor),
            Operator::make_unary("round", f64::round),
            Operator::make_unary("abs", f64::abs),
            Operator::make_unary("sqrt", f64::sqrt),
            Operator::make_unary("log2", f64::log2),
            Operator::make_unary("exp", f64::exp),
            Operator::make_unary("sin", f64::sin),
            Operator::make_unary("cos", f64::cos),
        ]
    }
}

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
    parsed: Box<FlatEx<f64, Operators, Numbers>>,
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
        if let Some((place, letter)) = text.char_indices().find(|(_, letter)| !letter.is_ascii()) {
            let problem = format!("`{letter}` in `{text}` cannot be read");
            return unreadable(problem, allowed(), Some(place..place + letter.len_utf8()));
        }
        // Names in braces may be anything; nested brackets are parsed by recursion.
        let depth = text.matches('(').count();
        if text.contains(['{', '}']) || depth > DEEPEST {
            let place = text.find(['{', '}']).map(|place| place..place + 1);
            return unreadable(format!("`{text}` cannot be read"), allowed(), place);
        }
        let parsed: FlatEx<f64, Operators, Numbers> = match FlatEx::parse(&braced(text, names)) {
            Ok(parsed) => parsed,
            Err(error) => {
                let message = match error.msg() {
                    own if own.contains("we always need one more node than op") => {
                        "there is no operator between two values, or no value between two operators"
                    }
                    own if own.contains("wlog") => {
                        "there is no operator between a value and a bracket, or nothing between two"
                    }
                    own => own,
                };
                let problem = format!("`{text}` cannot be read: {message}");
                return unreadable(problem, allowed(), stumbled_at(text, error.msg()));
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
        let value =
            |name: &String| scope.value(name).ok_or_else(|| self.unfit(format!("has no value here for `{name}`")));
        let values = self.names().iter().map(value).collect::<Result<Vec<f64>, Unfit>>()?;
        let number = self.parsed.eval(&values).map_err(|error| self.unfit(format!("has no value: {}", error.msg())))?;
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

/// The text with braces around names that begin like a function, such as `max_iterations`, where the parser would read the function.
fn braced(text: &str, names: &[&'static str]) -> String {
    let is_like = |name: &&&'static str| {
        name.split_once('_').is_some_and(|(first, _)| Operators::make().iter().any(|own| own.repr() == first))
    };
    let mut like: Vec<&&'static str> = names.iter().filter(is_like).collect();
    like.sort_unstable();
    like.dedup();
    let mut braced = text.to_owned();
    for name in like {
        let mut from = 0;
        while let Some(place) = word_in(&braced[from..], name) {
            let (start, end) = (from + place.start, from + place.end);
            braced.replace_range(start..end, &format!("{{{name}}}"));
            from = end + 2;
        }
    }
    braced
}

/// Where reading stopped: at a bracket without its other half, at what no token begins with, or at an operator at the end.
fn stumbled_at(text: &str, message: &str) -> Option<Range<usize>> {
    let mut open = Vec::new();
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => open.push(place),
            ')' if open.pop().is_none() => return Some(place..place + 1),
            _ => {}
        }
    }
    if let Some(place) = open.last() {
        return Some(*place..*place + 1);
    }
    if let Some(rest) = message.strip_prefix("don't know how to parse ").filter(|rest| text.ends_with(rest)) {
        let start = text.len() - rest.len();
        return Some(start..start + rest.chars().next()?.len_utf8());
    }
    let last = text.trim_end();
    let begin = last.char_indices().last()?.0;
    message.contains("the last element cannot be an operator").then_some(begin..last.len())
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let names = ["width", "tile"];
        let parsed = Expression::parse(text, &names).map_err(|own| format!("{}; {}", own.problem, own.help))?;
        Ok(parsed.value(&Scope::new([("width", 100.0), ("tile", 32.0)]))?)
    }

    #[test]
    fn expressions_have_the_usual_precedence_and_do_not_round() {
        for (text, expected) in [
            ("ceil(width / tile)", 4.0),
            ("width / tile", 3.125),
            ("2 * 4 * width * width", 80_000.0),
            ("tile * (tile + 1) * 4", 4224.0),
            ("width % tile", 4.0),
            ("1 - 2 - 3", -4.0),
            ("8 / 2 / 2", 2.0),
            ("7 * 8 / 4", 14.0),
            ("8 / 4 * 7", 14.0),
            ("2 ^ 10 - 1", 1023.0),
            ("-width + 1", -99.0),
            ("min(width, tile) + max(width, tile)", 132.0),
            ("floor(log2(width))", 6.0),
            ("100 % 7 * 2", 4.0),
            ("2 * 7 % 4", 2.0),
            ("1 + 2 - 3 + 4", 4.0),
            ("1e-3 * 2E+3 + .5", 2.5),
            ("2.e1", 20.0),
            ("1e3-1", 999.0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn names_may_begin_like_functions() {
        let names = ["max_iterations", "max_iterations_more", "min_x", "cos_phi", "max", "exponent"];
        let values = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0];
        let scope = Scope::new(names.into_iter().zip(values));
        for (text, expected) in [
            ("max_iterations * max_iterations_more + max_iterations", 8.0),
            ("max(min_x, 2) + min(cos_phi,min_x)", 10.0),
            ("exponent - cos_phi", 6.0),
            ("min_x", 5.0),
        ] {
            let parsed = Expression::parse(text, &names).unwrap_or_else(|own| panic!("{text}: {}", own.problem));
            assert_eq!(parsed.value(&scope).ok(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_what_is_allowed() {
        for (text, part) in [
            ("widht * 2", "did you mean `width`"),
            ("width +", "cannot be read"),
            ("width / 0", "is inf"),
            ("{width}", "cannot be read"),
            ("(width", "cannot be read"),
            ("pi", "is not known"),
            ("", "nothing is there"),
            ("width (2)", "no operator between a value and a bracket"),
        ] {
            let problem = value(text).unwrap_err();
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }

    #[test]
    fn the_place_of_what_is_wrong_is_told() {
        for (text, part) in [
            ("width * (tile + 1", "("),
            ("width + tile) * 2", ")"),
            ("width # 2", "#"),
            ("width · 2", "·"),
            ("width +", "+"),
            ("2 * {width}", "{"),
            ("widths + width2 + widt", "widths"),
            ("tile + til + 1", "til "),
        ] {
            let place = Expression::parse(text, &["width", "tile"]).unwrap_err().place.unwrap_or(0..0);
            assert_eq!(&text[place.clone()], part.trim(), "{text}: {place:?}");
            assert!(text[place.start..].starts_with(part), "{text}: {place:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_panic(text in "[-+*/%^()., 0-9.eEnai_minaxsqrt{}é]{0,40}") {
            match Expression::parse(&text, &["n", "i"]) {
                Ok(parsed) => drop(parsed.whole(&Scope::new([("n", 3.0), ("i", 0.0)]), 0, 10)),
                Err(Unreadable { place, .. }) => {
                    prop_assert!(place.is_none_or(|place| text.get(place).is_some_and(|part| !part.is_empty())));
                }
            }
        }

        #[test]
        fn numbers_are_what_they_are(number in -1e20_f64..1e20) {
            let parsed = Expression::parse(&format!("{number:e}"), &[]).unwrap();
            prop_assert_eq!(parsed.value(&Scope::new([])), Ok(number));
        }
    }

    #[test]
    fn whole_numbers_are_asked_for_with_their_range() {
        let scope = Scope::new([("n", 1000.0)]);
        let whole = |text: &str| Expression::parse(text, &["n"]).unwrap().whole(&scope, 1, 2000).map_err(String::from);
        assert_eq!(whole("n"), Ok(1000));
        assert_eq!(whole("log2(n) / log2(10)"), Ok(3));
        assert!(whole("n / 3").unwrap_err().contains("ceil()"));
        assert_eq!(whole("n * 3"), Err("`n * 3` is 3000, where 1 to 2000 is possible".to_owned()));
        assert!(whole("0 - n").unwrap_err().contains("where 1 to 2000 is possible"));
    }
}
