//! What of a kernel its data decides.

use super::body::Walk;
use super::brackets::balanced;
use super::expression::{Expression, Names, expression};
use super::guards::is_unknown;
use super::token::Token;

/// The most tokens of an expression that are looked at.
const TOKENS_MOST: usize = 256;

impl Walk<'_, '_> {
    /// Marks the parameters whose elements are in an expression.
    pub(super) fn decides(&mut self, bound: &Expression) -> Option<usize> {
        let found = self.data(bound)?;
        self.body.uses[found].decides = true;
        Some(found)
    }

    /// `if (level[node] != current)`: what elements are compared with in the condition that these tokens begin with.
    pub(super) fn compare_elements(&mut self, tokens: &[Token<'_>], names: &Names) {
        let header = &tokens[..balanced(&tokens[..tokens.len().min(TOKENS_MOST)])];
        let Some(inner) = header.get(1..header.len().saturating_sub(1)) else { return };
        for part in inner.split(|own| own.is("&&") || own.is("||")) {
            let Some(place) = part.iter().position(|own| own.is("==") || own.is("!=")) else { continue };
            let side = |tokens: &[Token<'_>]| {
                expression(&tokens[tokens.iter().take_while(|own| own.is("(")).count()..], names).0
            };
            let (left, right) = (side(&part[..place]), side(&part[place + 1..]));
            let (found, value) = match (self.data(&left), self.data(&right)) {
                (Some(found), None) => (found, right),
                (None, Some(found)) => (found, left),
                _ => continue,
            };
            self.body.uses[found].compared.get_or_insert(value);
        }
    }

    /// The parameter whose elements an expression depends on.
    pub(super) fn data(&self, expression: &Expression) -> Option<usize> {
        match expression {
            Expression::Element(parameter) => Some(*parameter),
            Expression::Local(local) => self.body.locals[*local].by,
            Expression::Below(_, limit) if !matches!(**limit, Expression::Unknown) => None,
            other => other.operands().into_iter().find_map(|own| self.data(own)),
        }
    }

    /// The same of the expression that these tokens begin with, also where it is not known what it is: `int(data[i] * scale)`.
    pub(super) fn data_of(&self, expression: &Expression, tokens: &[Token<'_>], names: &Names) -> Option<usize> {
        if let Some(found) = self.data(expression) {
            return Some(found);
        }
        if !is_unknown(expression) {
            return None;
        }
        let own = tokens.iter().take(TOKENS_MOST).take_while(|own| !own.is(";")).enumerate();
        own.filter(|(_, own)| own.is_word()).find_map(|(place, own)| match names.get(own.text)? {
            Expression::Address(parameter, _) if tokens.get(place + 1).is_some_and(|next| next.is("[")) => {
                Some(*parameter)
            }
            Expression::Local(local) => self.body.locals[*local].by,
            _ => None,
        })
    }
}
