//! Sums and products that a kernel compares: `if (2 * i + 1 < n)`.

use super::body::{Local, Walk};
use super::expression::{Expression, Names, expression};
use super::token::Token;

/// The most sums and products that are compared.
const GUARDS_MOST: usize = 64;
/// The most that a variable is held against.
const BOUNDS_MOST: usize = 8;

impl Walk<'_, '_> {
    /// `name < bound`, and where the rest is not done if `name >= bound`.
    pub(super) fn compare(
        &mut self,
        local: usize,
        rest: &[Token<'_>],
        names: &Names,
        [is_loop, is_condition]: [bool; 2],
    ) {
        let Some(operator) = rest.first() else { return };
        let more = match operator.text {
            "<" | ">=" => 0,
            "<=" | ">" => 1,
            "!=" if is_loop => 0,
            _ => return,
        };
        // A loop that goes down is below where it begins.
        if is_loop && [">=", ">"].contains(&operator.text) {
            return;
        }
        let (bound, _) = expression(&rest[1..], names);
        // What is read and then compared decides nothing but a value.
        let is_value = self.body.locals[local].by.is_some() && !is_condition;
        if let Some(found) = if is_value { None } else { self.decides(&bound) } {
            self.body.uses[found].limits |= self.body.locals[local].is_of_thread;
        }
        if is_unknown(&bound) || (!is_loop && bound.number().is_some()) {
            return;
        }
        let bound = more_by(more, bound);
        let is_end = is_loop || ([">=", ">"].contains(&operator.text) && is_left(rest));
        let Local { bounds, ends, .. } = &mut self.body.locals[local];
        if is_end && ends.len() < BOUNDS_MOST && !ends.contains(&bound) {
            ends.push(bound.clone());
        }
        if bounds.len() < BOUNDS_MOST && !bounds.contains(&bound) {
            bounds.push(bound);
        }
    }

    /// `2 * name + 1 < bound` or `blockIdx.x < bound` in a condition, and where the rest is not done if `2 * name + 1 >= bound`.
    pub(super) fn guard(&mut self, tokens: &[Token<'_>], place: usize, names: &Names, is_loop: bool) {
        if self.body.guards.len() >= GUARDS_MOST || !begins_condition(tokens, place, is_loop) {
            return;
        }
        let tokens = &tokens[place..];
        let (guarded, length) = expression(tokens, names);
        let more = match tokens.get(length).map(|operator| operator.text) {
            Some("<" | ">=") => 0,
            Some("<=" | ">") => 1,
            _ => return,
        };
        let is_composed = matches!(guarded, Expression::Sum(..) | Expression::Difference(..) | Expression::Product(..));
        let has_variable = guarded.any(&|own| matches!(own, Expression::Local(_)));
        let is_block = matches!(guarded, Expression::Block(_));
        if !(is_composed && has_variable || is_block) || is_unknown(&guarded) {
            return;
        }
        let (bound, _) = expression(&tokens[length + 1..], names);
        let is_extent =
            |own: &Expression| own.is_given() || matches!(own, Expression::Template(_) | Expression::Local(_));
        if !is_unknown(&bound) && bound.any(&is_extent) {
            self.body.guards.push((guarded, more_by(more, bound)));
        }
    }

    /// Whether an expression is another one for each thread or block.
    pub(super) fn is_of_thread(&self, expression: &Expression) -> bool {
        expression.any(&|own| match own {
            Expression::Thread(_) | Expression::Block(_) => true,
            Expression::Local(local) => self.body.locals[*local].is_of_thread,
            _ => false,
        })
    }
}

/// Whether a part of a condition begins here.
fn begins_condition(tokens: &[Token<'_>], place: usize, is_loop: bool) -> bool {
    let before = |back: usize| place.checked_sub(back).map(|place| tokens[place].text).unwrap_or_default();
    let opens = |back: usize| ["if", "while", "&&", "||", "=", "return"].contains(&before(back));
    match before(1) {
        "(" => opens(2) || (before(2) == "(" && opens(3)),
        ";" => is_loop,
        other => ["&&", "||", "=", "return"].contains(&other),
    }
}

/// Whether what comes behind these tokens is the last part of a sum or a product, so that a comparison behind it is not of it alone.
pub(super) fn ends_term(before: &[Token<'_>]) -> bool {
    before.last().is_some_and(|own| ["+", "-", "*", "/", "%"].contains(&own.text))
}

/// Whether a condition of which these are the last tokens is one that the kernel or a loop is left at: `if (i >= n) return;`
pub(super) fn is_left(rest: &[Token<'_>]) -> bool {
    let mut depth = 0_i32;
    for (place, token) in rest.iter().enumerate() {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            // All of several conditions must hold.
            "&&" | "?" | ";" | "{" | "}" => return false,
            _ => {}
        }
        if depth < 0 {
            let then = rest[place + 1..].iter().find(|own| !(own.is("{") || own.is(")")));
            return then.is_some_and(|own| ["return", "break", "continue"].contains(&own.text));
        }
    }
    false
}

/// Whether nothing is known of a part of an expression.
pub(super) fn is_unknown(expression: &Expression) -> bool {
    expression.any(&|own| matches!(own, Expression::Unknown))
}

/// What is below of an expression, or below of one more.
pub(super) fn more_by(more: i64, expression: Expression) -> Expression {
    match more {
        0 => expression,
        more => Expression::Sum(Box::new(expression), Box::new(Expression::Number(more))),
    }
}

/// Whether a value means the same in each function.
pub(super) fn is_global(value: &Expression) -> bool {
    match value {
        Expression::Number(_) | Expression::Template(_) => true,
        Expression::Address(..) => false,
        other => {
            let parts = other.operands();
            !parts.is_empty() && parts.into_iter().all(is_global)
        }
    }
}
