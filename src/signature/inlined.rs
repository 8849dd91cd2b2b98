//! Functions of the source that a kernel calls: what they do is done there.

use super::body::Walk;
use super::brackets::{angles, balanced};
use super::expression::{Expression, Names, value};
use super::guards::is_global;
use super::parameters::parts;
use super::token::Token;

/// The most functions that call each other.
const CALLS_DEEPEST: usize = 6;

impl Walk<'_, '_> {
    /// A call of a function of the source: its body is walked with what it is given.
    pub(super) fn call(&mut self, tokens: &[Token<'_>], place: usize, names: &Names, depth: usize) {
        let Some(function) = self.functions.get(tokens[place].text).filter(|_| depth < CALLS_DEEPEST) else { return };
        let mut rest = &tokens[place + 1..];
        let mut instance: &[Token<'_>] = &[];
        if rest.first().is_some_and(|next| next.is("<")) {
            let length = angles(rest);
            instance = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
            rest = &rest[length..];
        }
        if !rest.first().is_some_and(|next| next.is("(")) {
            return;
        }
        let list = &rest[1..balanced(rest).saturating_sub(1).max(1)];
        let given = parts(list).into_iter().map(|part| value(part, names));
        let mut inner: Names = names
            .iter()
            .filter(|(name, value)| is_global(value) || name.starts_with(|own: char| own.is_ascii_digit()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        for (name, part) in function.templates.iter().zip(parts(instance)) {
            inner.insert(name.clone(), value(part, names));
        }
        for (name, value) in function.parameters.iter().zip(given) {
            let Some(name) = name else { continue };
            let value = match value {
                Expression::Unknown => self.local(value),
                value => value,
            };
            inner.insert(name.clone(), value);
        }
        self.walk(function.body, inner, depth + 1);
    }
}
