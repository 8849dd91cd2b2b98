//! Numbers with a fraction in the host's code: `0.05f`, and what is computed of such.

use std::collections::HashMap;

use super::brackets::{angles, balanced};
use super::expression::{Expression, Names};
use super::parameters::{scalar, words_of};
use super::token::{Kind, Token, whole};
use crate::workload::Element;

/// Names of numbers with a fraction.
pub(super) type Decimals = HashMap<String, f64>;

/// Expressions in expressions that are read.
const DEEPEST: u32 = 60;

/// The value of these tokens, if they are a number that is no whole one by its type, and nothing else.
pub(super) fn decimal(tokens: &[Token<'_>], names: &Names, decimals: &Decimals) -> Option<f64> {
    decimal_at(tokens, names, decimals, 0).filter(|own| !own.is_whole).map(|own| own.value)
}

fn decimal_at(tokens: &[Token<'_>], names: &Names, decimals: &Decimals, depth: u32) -> Option<Decimal> {
    let mut reader = Reader { tokens, place: 0, names, decimals, depth };
    let value = reader.sum()?;
    (reader.place == tokens.len() && value.value.is_finite()).then_some(value)
}

/// A number, and whether quotients of it are rounded.
#[derive(Clone, Copy)]
struct Decimal {
    value: f64,
    is_whole: bool,
}

struct Reader<'r, 'a> {
    tokens: &'r [Token<'a>],
    place: usize,
    names: &'r Names,
    decimals: &'r Decimals,
    depth: u32,
}

impl Reader<'_, '_> {
    /// The operator here, if it is one of these.
    fn operator(&mut self, all: [&'static str; 2]) -> Option<&'static str> {
        let next = self.tokens.get(self.place)?;
        let found = all.into_iter().find(|own| next.is(own))?;
        self.place += 1;
        Some(found)
    }

    fn sum(&mut self) -> Option<Decimal> {
        let mut own = self.product()?;
        while let Some(operator) = self.operator(["+", "-"]) {
            let other = self.product()?;
            let value = if operator == "+" { own.value + other.value } else { own.value - other.value };
            own = Decimal { value, is_whole: own.is_whole && other.is_whole };
        }
        Some(own)
    }

    fn product(&mut self) -> Option<Decimal> {
        let mut own = self.unary()?;
        while let Some(operator) = self.operator(["*", "/"]) {
            let other = self.unary()?;
            let is_whole = own.is_whole && other.is_whole;
            let value = if operator == "*" { own.value * other.value } else { own.value / other.value };
            own = Decimal { value: if is_whole { value.trunc() } else { value }, is_whole };
        }
        Some(own)
    }

    fn unary(&mut self) -> Option<Decimal> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let sign = self.operator(["+", "-"]);
        let own = if sign.is_some() { self.unary() } else { self.primary() };
        self.depth -= 1;
        own.map(|own| if sign == Some("-") { Decimal { value: -own.value, ..own } } else { own })
    }

    fn primary(&mut self) -> Option<Decimal> {
        let token = self.tokens.get(self.place)?;
        match token.kind {
            Kind::Number => {
                self.place += 1;
                number(token.text)
            }
            Kind::Word if token.is("static_cast") => {
                let rest = &self.tokens[self.place + 1..];
                let length = angles(rest);
                let element = scalar(&words_of(rest.get(1..length.saturating_sub(1))?))?;
                self.place += 1 + length;
                self.bracket().map(|own| cast(own, element))
            }
            Kind::Word => {
                self.place += 1;
                if self.tokens.get(self.place).is_some_and(|next| next.is("(")) {
                    // `float(n)`
                    let element = scalar(token.text)?;
                    return self.bracket().map(|own| cast(own, element));
                }
                let whole = self.names.get(token.text).and_then(Expression::number);
                let whole = whole.map(|own| Decimal { value: own as f64, is_whole: true });
                let decimal = self.decimals.get(token.text).map(|own| Decimal { value: *own, is_whole: false });
                whole.or(decimal)
            }
            _ if token.is("(") => {
                let inner = self.tokens.get(self.place + 1..self.place + balanced(&self.tokens[self.place..]) - 1)?;
                if let Some(element) =
                    Some(inner).filter(|own| own.iter().all(Token::is_word)).and_then(|own| scalar(&words_of(own)))
                    && !inner.is_empty()
                {
                    // `(float)n`
                    self.place += inner.len() + 2;
                    return self.unary().map(|own| cast(own, element));
                }
                self.bracket()
            }
            _ => None,
        }
    }

    fn bracket(&mut self) -> Option<Decimal> {
        let rest = self.tokens.get(self.place..).filter(|rest| rest.first().is_some_and(|own| own.is("(")))?;
        let length = balanced(rest);
        self.place += length;
        let inner = rest.get(1..length.saturating_sub(1))?;
        (self.depth < DEEPEST).then(|| decimal_at(inner, self.names, self.decimals, self.depth + 1))?
    }
}

/// A number as C++ writes it.
fn number(text: &str) -> Option<Decimal> {
    if let Some(value) = whole(text) {
        return Some(Decimal { value: value as f64, is_whole: true });
    }
    let plain: String = text.chars().filter(|letter| *letter != '\'').collect();
    let value = plain.trim_end_matches(['f', 'F', 'l', 'L']).parse::<f64>().ok()?;
    Some(Decimal { value, is_whole: false })
}

fn cast(own: Decimal, element: Element) -> Decimal {
    let is_whole = !element.is_float();
    Decimal { value: if is_whole { own.value.trunc() } else { own.value }, is_whole }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn decimals_are_computed_as_c_does() {
        let names = Names::from([("n".to_owned(), Expression::Number(3))]);
        let decimals = Decimals::from([("dt".to_owned(), 0.5)]);
        let of = |text: &str| decimal(&tokens(text), &names, &decimals);
        for (text, value) in [
            ("0.05f", 0.05),
            ("-1.5e-3", -0.0015),
            ("1'000.5", 1000.5),
            ("2 * dt / (n + 1.0f)", 0.25),
            ("n / 2 * dt", 0.5),
            ("(float)n / 2", 1.5),
            ("float(n) / 2", 1.5),
            ("static_cast<double>(n) / 2", 1.5),
            ("(int)2.7 - .5F", 1.5),
        ] {
            assert_eq!(of(text), Some(value), "{text}");
        }
        for text in ["", "x", "rand() / 2", "1.0f / 0", "1.0 2.0", "n ? 1.0 : 2.0", "(", "1.0f +", "3 / 2", "n"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
