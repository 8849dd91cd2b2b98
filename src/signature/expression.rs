//! Expressions of whole numbers in the bodies of kernels, as far as they say which elements a thread has.

use std::collections::HashMap;

use super::axis::Axis;
use super::brackets::{angles, balanced};
use super::members::in_array;
use super::parameters::{scalar, vector, words_of};
use super::token::{Kind, Token, whole};

/// An expression of whole numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// A parameter of the kernel, by its place.
    Parameter(usize),
    /// A structure that the kernel takes by value, by its place among the parameters.
    Structure(usize),
    /// A member of it, by its name, or by the names that lead to it: `size.width`.
    Member(usize, String),
    /// A parameter of the kernel's template.
    Template(String),
    /// `threadIdx`
    Thread(Axis),
    /// `blockIdx`
    Block(Axis),
    /// `blockDim`
    BlockExtent(Axis),
    /// `gridDim`
    GridExtent(Axis),
    /// A variable of the body, by its place in [`Body::locals`](super::Body::locals).
    Local(usize),
    /// A sum.
    Sum(Box<Self>, Box<Self>),
    /// A difference.
    Difference(Box<Self>, Box<Self>),
    /// A product.
    Product(Box<Self>, Box<Self>),
    /// A quotient, rounded towards zero.
    Quotient(Box<Self>, Box<Self>),
    /// The first at most, and below the second: a remainder, or bits of a mask.
    Below(Box<Self>, Box<Self>),
    /// The least of two.
    Least(Box<Self>, Box<Self>),
    /// An element of what a parameter points to.
    Element(usize),
    /// An address: a parameter and the element from there.
    Address(usize, Box<Self>),
    /// Anything else.
    Unknown,
}

impl Expression {
    fn boxed(self) -> Box<Self> {
        Box::new(self)
    }

    /// The expressions that it is made of.
    pub fn operands(&self) -> Vec<&Self> {
        match self {
            Self::Sum(one, other)
            | Self::Difference(one, other)
            | Self::Product(one, other)
            | Self::Quotient(one, other)
            | Self::Below(one, other)
            | Self::Least(one, other) => vec![one, other],
            Self::Address(_, offset) => vec![offset],
            _ => Vec::new(),
        }
    }

    /// The terms of a sum; of what is none, it alone.
    pub fn terms(&self) -> Vec<&Self> {
        match self {
            Self::Sum(one, other) => [one.terms(), other.terms()].concat(),
            own => vec![own],
        }
    }

    /// Whether the launch says it: a number that the kernel takes, by itself or in a structure.
    pub fn is_given(&self) -> bool {
        matches!(self, Self::Parameter(_) | Self::Member(..))
    }

    /// Whether it or one of its parts is like this.
    pub fn any(&self, is_like: &impl Fn(&Self) -> bool) -> bool {
        is_like(self) || self.operands().into_iter().any(|own| own.any(is_like))
    }

    fn sum(self, other: Self) -> Self {
        match (self, other) {
            (Self::Address(parameter, offset), other) | (other, Self::Address(parameter, offset)) => {
                Self::Address(parameter, offset.plus(other).boxed())
            }
            (Self::Number(one), Self::Number(other)) => one.checked_add(other).map_or(Self::Unknown, Self::Number),
            (one, other) => Self::Sum(one.boxed(), other.boxed()),
        }
    }

    fn plus(self, other: Self) -> Self {
        if self == Self::Number(0) { other } else { Self::Sum(self.boxed(), other.boxed()) }
    }

    pub(super) fn binary(operator: &str, one: Self, other: Self) -> Self {
        let numbers = match (&one, &other) {
            (Self::Number(one), Self::Number(other)) => Some((*one, *other)),
            _ => None,
        };
        let folded = |value: Option<i64>| value.map_or(Self::Unknown, Self::Number);
        match (operator, numbers) {
            ("+", _) => one.sum(other),
            ("-", Some((one, other))) => folded(one.checked_sub(other)),
            ("-", None) => Self::Difference(one.boxed(), other.boxed()),
            ("*", Some((one, other))) => folded(one.checked_mul(other)),
            ("*", None) => Self::Product(one.boxed(), other.boxed()),
            ("/", Some((one, other))) => folded(one.checked_div(other)),
            ("/", None) => Self::Quotient(one.boxed(), other.boxed()),
            ("%", Some((one, other))) => folded(one.checked_rem(other)),
            ("%", None) => Self::Below(one.boxed(), other.boxed()),
            ("&", None) => match other {
                Self::Number(mask) if (0..i64::MAX).contains(&mask) => {
                    Self::Below(one.boxed(), Self::Number(mask + 1).boxed())
                }
                Self::Parameter(_) => Self::Below(one.boxed(), other.sum(Self::Number(1)).boxed()),
                _ => Self::Unknown,
            },
            ("<<", _) => match u32::try_from(other.number().unwrap_or(-1)).ok().and_then(|by| 1_i64.checked_shl(by)) {
                Some(factor) if factor > 0 => Self::binary("*", one, Self::Number(factor)),
                _ => Self::Unknown,
            },
            (">>", _) => match u32::try_from(other.number().unwrap_or(-1)).ok().and_then(|by| 1_i64.checked_shl(by)) {
                Some(factor) if factor > 0 => Self::binary("/", one, Self::Number(factor)),
                _ => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }

    /// Its value, if it is a number.
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

/// What names stand for.
pub(super) type Names = HashMap<String, Expression>;

/// Reads expressions from tokens.
pub(super) struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    place: usize,
    names: &'t Names,
    depth: u32,
}

/// Expressions in expressions that are read; deeper ones are unknown.
const DEEPEST: u32 = 60;

/// Operators that bind tighter than comparisons, with how tight.
fn precedence(operator: &str) -> Option<u32> {
    match operator {
        "&" => Some(1),
        "<<" | ">>" => Some(2),
        "+" | "-" => Some(3),
        "*" | "/" | "%" => Some(4),
        _ => None,
    }
}

/// The value that tokens begin with; what is compared, chosen between or joined bit by bit is unknown.
pub(super) fn value(tokens: &[Token<'_>], names: &Names) -> Expression {
    let (read, length) = expression(tokens, names);
    let ends = |next: &Token<'_>| [";", ",", ")", "]", "}"].contains(&next.text);
    if tokens.get(length).is_none_or(ends) { read } else { Expression::Unknown }
}

/// The expression that tokens begin with, up to an operator that binds less tightly, a comma or a bracket that closes; and how many tokens it has.
pub(super) fn expression(tokens: &[Token<'_>], names: &Names) -> (Expression, usize) {
    let mut reader = Reader { tokens, place: 0, names, depth: 0 };
    (reader.binary(1), reader.place)
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<Token<'_>> {
        self.tokens.get(self.place).copied()
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    fn operator(&self) -> Option<&'static str> {
        let text = self.peek()?.text;
        let known = ["&", "<<", "+", "-", "*", "/", "%"].into_iter().find(|own| *own == text);
        let is_shift = text == ">" && self.tokens.get(self.place + 1).is_some_and(|next| next.is(">"));
        known.or(is_shift.then_some(">>"))
    }

    fn binary(&mut self, least: u32) -> Expression {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.depth -= 1;
            return Expression::Unknown;
        }
        let mut one = self.unary();
        while let Some(operator) = self.operator() {
            let Some(tight) = precedence(operator).filter(|own| *own >= least) else { break };
            self.place += if operator == ">>" { 2 } else { 1 };
            let other = self.binary(tight + 1);
            one = Expression::binary(operator, one, other);
        }
        self.depth -= 1;
        one
    }

    fn unary(&mut self) -> Expression {
        let mut is_negative = false;
        let mut is_known = true;
        if self.is("*") {
            // What an address leads to.
            self.place += 1;
            return match self.postfix() {
                Expression::Address(parameter, _) => Expression::Element(parameter),
                _ => Expression::Unknown,
            };
        }
        while let Some(token) = self.peek() {
            match token.text {
                "-" => is_negative = !is_negative,
                "+" => {}
                "!" | "~" | "*" | "&" | "++" | "--" => is_known = false,
                _ => break,
            }
            self.place += 1;
        }
        let value = self.postfix();
        match value {
            _ if !is_known => Expression::Unknown,
            Expression::Number(number) if is_negative => Expression::Number(number.saturating_neg()),
            value if is_negative => Expression::binary("-", Expression::Number(0), value),
            value => value,
        }
    }

    fn postfix(&mut self) -> Expression {
        let mut value = self.primary();
        while let Some(token) = self.peek() {
            match token.text {
                "[" => {
                    self.skip();
                    value = match value {
                        Expression::Address(parameter, _) => Expression::Element(parameter),
                        Expression::Member(place, name) => Expression::Member(place, in_array(&name)),
                        _ => Expression::Unknown,
                    };
                }
                "(" => {
                    self.skip();
                    value = Expression::Unknown;
                }
                "." | "->" => {
                    let member = self.tokens.get(self.place + 1).filter(|own| own.is_word() && token.is("."));
                    value = member.map_or(Expression::Unknown, |member| value.member(member.text, self.names));
                    self.place += 2;
                }
                "++" | "--" => self.place += 1,
                _ => break,
            }
        }
        value
    }

    /// Goes behind the bracket that closes this one.
    fn skip(&mut self) {
        self.place += balanced(&self.tokens[self.place..]).max(1);
    }

    fn primary(&mut self) -> Expression {
        let Some(token) = self.peek() else { return Expression::Unknown };
        let (kind, text) = (token.kind, token.text.to_owned());
        match kind {
            Kind::Number => {
                self.place += 1;
                whole(&text).map_or(Expression::Unknown, Expression::Number)
            }
            Kind::Word => self.word(&text),
            _ if text == "(" => self.bracket(),
            _ if [")", "]", "}", ",", ";"].contains(&&*text) => Expression::Unknown,
            _ => {
                self.place += 1;
                Expression::Unknown
            }
        }
    }

    fn word(&mut self, name: &str) -> Expression {
        self.place += 1;
        if self.is(".")
            && let Some(axis) = self.tokens.get(self.place + 1).and_then(|token| Axis::of(token.text))
        {
            let builtin = match name {
                "threadIdx" => Some(Expression::Thread(axis)),
                "blockIdx" => Some(Expression::Block(axis)),
                "blockDim" => Some(Expression::BlockExtent(axis)),
                "gridDim" => Some(Expression::GridExtent(axis)),
                _ => None,
            };
            if let Some(builtin) = builtin {
                self.place += 2;
                return builtin;
            }
        }
        if self.is(".")
            && let Some(member) = self.tokens.get(self.place + 1)
            && let Some(value) = self.names.get(&format!("{name}.{}", member.text))
        {
            self.place += 2;
            return value.clone();
        }
        if name == "warpSize" && !self.names.contains_key(name) {
            return Expression::Number(32);
        }
        if ["static_cast", "reinterpret_cast", "const_cast"].contains(&name) && self.is("<") {
            self.place += angles(&self.tokens[self.place..]);
            let is_number = name == "static_cast";
            let value = if self.is("(") { self.bracket() } else { Expression::Unknown };
            return if is_number { value } else { Expression::Unknown };
        }
        if name == "sizeof" && self.is("(") {
            let list = &self.tokens[self.place..self.place + balanced(&self.tokens[self.place..])];
            self.place += list.len().max(1);
            let typed = words_of(list.get(1..list.len().saturating_sub(1)).unwrap_or_default());
            let element = scalar(&typed).map(|own| own.bytes() as i64);
            let bytes = element.or_else(|| vector(&typed).map(|(own, count)| own.bytes() as i64 * i64::from(count)));
            let named = || self.names.get(&format!("sizeof {typed}")).cloned().unwrap_or(Expression::Unknown);
            return bytes.map_or_else(named, Expression::Number);
        }
        if ["int", "unsigned", "long", "size_t", "min", "max"].contains(&name) && self.is("(") {
            let list = &self.tokens[self.place..self.place + balanced(&self.tokens[self.place..])];
            let inner = list.get(1..list.len().saturating_sub(1)).unwrap_or_default();
            self.place += list.len().max(1);
            let mut values = super::parameters::parts(inner).into_iter().map(|part| self.inner(part));
            return match (name, values.next(), values.next()) {
                ("min", Some(one), Some(other)) => Expression::Least(one.boxed(), other.boxed()),
                ("max", ..) | (_, None, _) => Expression::Unknown,
                (_, Some(only), _) => only,
            };
        }
        self.names.get(name).cloned().unwrap_or(Expression::Unknown)
    }

    fn inner(&self, tokens: &[Token<'_>]) -> Expression {
        let mut reader = Reader { tokens, place: 0, names: self.names, depth: self.depth + 1 };
        if reader.depth > DEEPEST { Expression::Unknown } else { reader.binary(1) }
    }

    /// An expression in brackets, or one behind a cast.
    fn bracket(&mut self) -> Expression {
        let length = balanced(&self.tokens[self.place..]).max(1);
        let inner = &self.tokens[self.place + 1..(self.place + length).saturating_sub(1).max(self.place + 1)];
        self.place += length;
        let is_cast = !inner.is_empty()
            && inner.iter().all(|token| {
                (token.is_word() && !self.names.contains_key(token.text)) || token.is("*") || token.is("::")
            })
            && self.peek().is_some_and(|next| next.is_word() || next.kind == Kind::Number || next.is("("));
        if !is_cast {
            let mut reader = Reader { tokens: inner, place: 0, names: self.names, depth: self.depth + 1 };
            let value = if reader.depth > DEEPEST { Expression::Unknown } else { reader.binary(1) };
            return if reader.place < inner.len() { Expression::Unknown } else { value };
        }
        let is_address = inner.iter().any(|token| token.is("*"));
        self.depth += 1;
        let value = if self.depth > DEEPEST { Expression::Unknown } else { self.postfix() };
        self.depth -= 1;
        if is_address { Expression::Unknown } else { value }
    }
}
