//! Expressions of parameters: sizes, numbers of blocks, contents of buffers. `exmex` parses and evaluates them; which operators there are is
//! said here.

use exmex::{BinOp, Express, FlatEx, MakeOperators, Operator};

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

/// Names with their values.
#[derive(Debug, Clone)]
pub struct Scope(Vec<(&'static str, f64)>);

impl Scope {
    /// These names with these values.
    pub fn new(values: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// The same with another value of a name, which is new or replaced.
    pub fn with(&self, name: &'static str, value: f64) -> Self {
        let mut all = self.clone();
        match all.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => *own = value,
            None => all.0.push((name, value)),
        }
        all
    }

    fn value(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }
}

/// An expression of numbers and names. Its numbers are 64-bit floats, so whole numbers are exact up to 2^53, and `/` does not round.
#[derive(Debug, Clone)]
pub struct Expression {
    text: String,
    parsed: FlatEx<f64, Operators>,
}

impl Expression {
    /// Parses an expression whose names are of these.
    ///
    /// # Errors
    /// What is wrong, as a phrase, and what is allowed.
    pub fn parse(text: &str, names: &[&'static str]) -> Result<Self, (String, String)> {
        let allowed = || format!("an expression has numbers, {FUNCTIONS}, brackets, and the names {}", listed(names));
        if text.len() > LONGEST {
            return Err((
                format!("the expression has {} characters", text.len()),
                format!("at most {LONGEST} are allowed"),
            ));
        }
        // Names in braces may be anything; nested brackets are parsed by recursion.
        let depth = text.matches('(').count();
        if text.contains(['{', '}']) || depth > DEEPEST {
            return Err((format!("`{text}` cannot be read"), allowed()));
        }
        let parsed: FlatEx<f64, Operators> =
            FlatEx::parse(text).map_err(|error| (format!("`{text}` cannot be read: {}", error.msg()), allowed()))?;
        if let Some(unknown) = parsed.var_names().iter().find(|own| !names.contains(&own.as_str())) {
            return Err((
                format!("`{unknown}` in `{text}` is not known"),
                located_toml::words::instead(unknown, names),
            ));
        }
        Ok(Self { text: text.to_owned(), parsed })
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
    pub fn value(&self, scope: &Scope) -> Result<f64, String> {
        let value =
            |name: &String| scope.value(name).ok_or_else(|| format!("`{name}` in `{}` has no value here", self.text));
        let values = self.names().iter().map(value).collect::<Result<Vec<f64>, String>>()?;
        let number = self.parsed.eval(&values).map_err(|error| format!("`{}`: {}", self.text, error.msg()))?;
        if number.is_finite() { Ok(number) } else { Err(format!("`{}` is {number}", self.text)) }
    }

    /// Its value as a whole number from `least` to `most`.
    ///
    /// # Errors
    /// Where it is none: why, with the expression and what is allowed.
    pub fn whole(&self, scope: &Scope, least: u64, most: u64) -> Result<u64, String> {
        let number = self.value(scope)?;
        let near = number.round();
        // Powers and logarithms may miss a whole number by a last place.
        if (number - near).abs() > 1e-9 * near.abs().max(1.0) {
            return Err(format!(
                "`{}` is {number}, which is no whole number: ceil() or floor() make one of it",
                self.text
            ));
        }
        if near < least as f64 || near > most as f64 {
            return Err(format!("`{}` is {near}, where {least} to {most} is possible", self.text));
        }
        Ok(near as u64)
    }
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
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let names = ["width", "tile"];
        let parsed = Expression::parse(text, &names).map_err(|(problem, help)| format!("{problem}; {help}"))?;
        parsed.value(&Scope::new([("width", 100.0), ("tile", 32.0)]))
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
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
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
            ("", "cannot be read"),
        ] {
            let problem = value(text).unwrap_err();
            assert!(problem.contains(part), "{text}: {problem}");
        }
    }

    #[test]
    fn whole_numbers_are_asked_for_with_their_range() {
        let scope = Scope::new([("n", 1000.0)]);
        let whole = |text: &str| Expression::parse(text, &["n"]).unwrap().whole(&scope, 1, 2000);
        assert_eq!(whole("n"), Ok(1000));
        assert_eq!(whole("log2(n) / log2(10)"), Ok(3));
        assert!(whole("n / 3").unwrap_err().contains("ceil()"));
        assert_eq!(whole("n * 3"), Err("`n * 3` is 3000, where 1 to 2000 is possible".to_owned()));
        assert!(whole("0 - n").unwrap_err().contains("where 1 to 2000 is possible"));
    }
}
