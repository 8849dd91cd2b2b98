//! What names of the host's code stand for at a launch: numbers, sums of what the kernel is given, and extents in up to three dimensions.

use std::collections::HashMap;

use super::body::Function;
use super::brackets::balanced;
use super::expression::{Expression, Names, value};
use super::launches::Known;
use super::parameters::{parts, scalar};
use super::token::Token;

/// Calls of functions in functions that are followed.
const CALLS_DEEPEST: u32 = 4;

/// A macro that is like a function.
pub(super) struct Macro<'a> {
    pub(super) name: &'a str,
    pub(super) parameters: Vec<&'a str>,
    pub(super) body: Vec<Token<'a>>,
}

/// What functions that only return something return, and what macros stand for.
pub(super) fn returned<'t, 'a>(
    functions: &HashMap<String, Function<'t, 'a>>,
    macros: &'t [Macro<'a>],
) -> HashMap<String, Function<'t, 'a>> {
    let of_functions = functions.iter().filter_map(|(name, own)| {
        let body = own.body.split_first().filter(|(first, _)| first.is("return"))?.1;
        Some((name.clone(), Function { parameters: own.parameters.clone(), templates: Vec::new(), body }))
    });
    let of_macros = macros.iter().map(|own| {
        let parameters = own.parameters.iter().map(|name| Some((*name).to_owned())).collect();
        (own.name.to_owned(), Function { parameters, templates: Vec::new(), body: &own.body })
    });
    of_functions.chain(of_macros).collect()
}

/// What is known at a place of the host's code.
pub(super) struct Host<'k, 't, 'a> {
    known: &'k Known<'k, 't, 'a>,
    names: Names,
    extents: HashMap<String, Vec<Expression>>,
}

impl<'k, 't, 'a> Host<'k, 't, 'a> {
    /// What is known behind these tokens of a function. The names in `given` mean that, whatever they were set to.
    pub(super) fn at(before: &[Token<'_>], known: &'k Known<'k, 't, 'a>, given: &Names) -> Self {
        let mut own = Self { known, names: known.constants.clone(), extents: HashMap::new() };
        own.names.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
        for place in 0..before.len() {
            let rest = &before[place..];
            if rest[0].is("dim3") {
                own.declare_extents(&rest[1..]);
            } else if rest[0].is_word() && !given.contains_key(rest[0].text) {
                own.set(rest, place.checked_sub(1).map(|place| before[place]));
            }
        }
        own
    }

    /// `dim3 grid(4, 2), block = dim3(32, 8);`
    fn declare_extents(&mut self, mut tokens: &[Token<'_>]) {
        while let [name, open, ..] = tokens
            && name.is_word()
        {
            let length = if open.is("=") {
                let length = up_to_end(&tokens[2..]);
                let extents = self.extents(&tokens[2..=1 + length]);
                self.extents.insert(name.text.to_owned(), extents);
                2 + length
            } else if open.is("(") || open.is("{") {
                let length = balanced(&tokens[1..]);
                let extents = self.list(&tokens[1..=length]);
                self.extents.insert(name.text.to_owned(), extents);
                1 + length
            } else {
                return;
            };
            match tokens.get(length) {
                Some(next) if next.is(",") => tokens = &tokens[length + 1..],
                _ => return,
            }
        }
    }

    /// `int blocks = ...`, `int blocks{...}` or `blocks = ...`.
    fn set(&mut self, tokens: &[Token<'_>], before: Option<Token<'_>>) {
        let [name, next, rest @ ..] = tokens else { return };
        let is_typed = before.is_some_and(|own| own.is("auto") || scalar(own.text).is_some());
        let value = match next.text {
            "=" => {
                let extents = self.extents(&rest[..up_to_end(rest)]);
                if let [only] = &extents[..] {
                    only.clone()
                } else {
                    self.extents.insert(name.text.to_owned(), extents);
                    return;
                }
            }
            "(" | "{" if is_typed => {
                let length = balanced(&tokens[1..]);
                self.value(tokens.get(2..length).unwrap_or_default())
            }
            "+=" | "-=" | "*=" | "/=" | "++" | "--" => Expression::Unknown,
            _ => return,
        };
        self.names.insert(name.text.to_owned(), value);
    }

    /// The extents that are given for a grid or a block.
    pub(super) fn extents(&self, tokens: &[Token<'_>]) -> Vec<Expression> {
        match tokens {
            [only] if self.extents.contains_key(only.text) => self.extents[only.text].clone(),
            [name, open, ..] if name.is("dim3") && (open.is("(") || open.is("{")) => self.list(&tokens[1..]),
            [open, ..] if open.is("{") => self.list(tokens),
            _ => vec![self.value(tokens)],
        }
    }

    /// `(4, 2)` or `{4, 2}`
    fn list(&self, tokens: &[Token<'_>]) -> Vec<Expression> {
        let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
        parts(inner).into_iter().map(|part| self.value(part)).collect()
    }

    /// An expression of the host, also of what one of the source's functions or macros returns.
    pub(super) fn value(&self, tokens: &[Token<'_>]) -> Expression {
        self.value_with(tokens, &self.names, 0)
    }

    fn value_with(&self, tokens: &[Token<'_>], names: &Names, depth: u32) -> Expression {
        let [name, open, ..] = tokens else { return value(tokens, names) };
        let is_call = open.is("(") && 1 + balanced(&tokens[1..]) == tokens.len();
        let Some(function) = self.known.functions.get(name.text).filter(|_| is_call && depth < CALLS_DEEPEST) else {
            return value(tokens, names);
        };
        let given = parts(&tokens[2..tokens.len() - 1]).into_iter().map(|part| self.value_with(part, names, depth + 1));
        let mut inner = self.known.constants.clone();
        inner.extend(function.parameters.iter().zip(given).filter_map(|(name, value)| Some((name.clone()?, value))));
        let body = match function.body.iter().position(|own| own.is("return")) {
            Some(place) => &function.body[place + 1..],
            None => function.body,
        };
        self.value_with(&body[..up_to_end(body)], &inner, depth + 1)
    }
}

/// How many tokens there are before the comma or the semicolon that ends an expression.
fn up_to_end(tokens: &[Token<'_>]) -> usize {
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match token.text {
            "(" | "[" | "{" => place += balanced(&tokens[place..]),
            ";" | "," | ")" | "}" => return place,
            _ => place += 1,
        }
    }
    // What is not closed leads behind the end.
    place.min(tokens.len())
}
