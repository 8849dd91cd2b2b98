//! Loops of a kernel: what their steps are, and which parameters decide how often they run.

use super::body::Walk;
use super::expression::{Expression, Names, expression};
use super::token::Token;

impl Walk<'_, '_> {
    /// The condition of a loop, in the brackets of its header: parameters whose elements are in it decide how often it runs.
    pub(super) fn condition(&mut self, header: &[Token<'_>], names: &Names) {
        let inner = header.get(1..header.len().saturating_sub(1)).unwrap_or_default();
        let condition = inner.split(|token| token.is(";")).nth(1).unwrap_or(inner);
        for token in condition.iter().filter(|token| token.is_word()) {
            let deciding = match names.get(token.text) {
                Some(Expression::Local(local)) => self.body.locals[*local].by,
                Some(Expression::Address(parameter, _)) => Some(*parameter),
                _ => None,
            };
            if let Some(own) = deciding.and_then(|place| self.body.uses.get_mut(place)) {
                own.ends_loops = true;
            }
        }
    }

    /// The step of a loop over `name`, and what it ends at.
    pub(super) fn step(&mut self, header: &[Token<'_>], names: &Names) {
        let Some(place) = header.iter().position(|token| token.is("+=")) else { return };
        let Some(end) = header.iter().position(|token| token.is("<")) else { return };
        let (step, _) = expression(&header[place + 1..], names);
        let (end, _) = expression(&header[end + 1..], names);
        self.body.steps.push((step, end));
    }
}
