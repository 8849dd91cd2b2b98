//! Loops of a kernel: what their steps are, and which parameters decide how often they run.

use super::body::Walk;
use super::brackets::balanced;
use super::expression::{Expression, Names, expression};
use super::token::Token;

/// The most tokens of a condition and of what is done where it holds.
const TOKENS_MOST: usize = 256;
/// Variables that are set to each other and are followed.
const DEEPEST: u32 = 4;

impl Walk<'_, '_> {
    /// The condition of a loop, in the brackets of its header: parameters whose elements are in it decide how often it runs.
    pub(super) fn condition(&mut self, header: &[Token<'_>], names: &Names) {
        let inner = header.get(1..header.len().saturating_sub(1)).unwrap_or_default();
        let condition = inner.split(|token| token.is(";")).nth(1).unwrap_or(inner);
        for token in condition.iter().filter(|token| token.is_word()) {
            let deciding = names.get(token.text).and_then(|own| self.element_in(own, 0));
            if let Some(own) = deciding.and_then(|place| self.body.uses.get_mut(place)) {
                own.ends_loops = true;
            }
        }
        self.ends(condition, "!=", names);
        self.roots(condition, "!=", names);
        self.sought = sought(condition, names);
    }

    /// `parents[node] != node`
    fn roots(&mut self, condition: &[Token<'_>], operator: &str, names: &Names) {
        for (place, _) in condition.iter().enumerate().filter(|(_, own)| own.is(operator)) {
            let ([.., name, open, node, close], [other, ..]) = (&condition[..place], &condition[place + 1..]) else {
                continue;
            };
            if let Some(Expression::Address(found, _)) = names.get(name.text)
                && open.is("[")
                && close.is("]")
                && node.is(other.text)
            {
                self.body.uses[*found].has_roots = true;
            }
        }
    }

    /// `name = next[name]` in a loop that ends at a value of `name`.
    pub(super) fn lead_on(&mut self, name: &str, value: &[Token<'_>], names: &Names) {
        let Some(end) = self.sought.as_ref().filter(|(sought, _)| sought == name).map(|(_, end)| *end) else { return };
        let [next, open, place, close, ..] = value else { return };
        if let Some(Expression::Address(found, _)) = names.get(next.text)
            && open.is("[")
            && place.is(name)
            && close.is("]")
        {
            self.body.uses[*found].leads_on = Some(end);
        }
    }

    /// A condition in a loop, in the brackets that these tokens begin with: where the loop is left if it holds, the elements in it decide how often the
    /// loop runs.
    pub(super) fn leave(&mut self, tokens: &[Token<'_>], names: &Names) {
        let tokens = &tokens[..tokens.len().min(TOKENS_MOST)];
        let (header, rest) = tokens.split_at(balanced(tokens));
        let then = &rest[..statement(rest)];
        let is_any = |words: &[&str]| then.iter().any(|own| words.contains(&own.text));
        if !is_any(&["break", "return"]) || is_any(&["for", "while", "switch"]) {
            return;
        }
        for part in header.split(|own| own.is("&&") || own.is("||")) {
            let equals = part.iter().position(|own| own.is("==") || own.is("!="));
            let data_of = |tokens: &[Token<'_>]| -> Vec<usize> {
                let words = tokens.iter().filter(|own| own.is_word());
                words.filter_map(|own| self.element_in(names.get(own.text)?, 0)).collect()
            };
            let found = match equals.map(|place| (data_of(&part[..place]), data_of(&part[place..]))) {
                // What is looked for, and where: the one or the other.
                Some((one, other)) if !one.is_empty() && !other.is_empty() => continue,
                Some((one, other)) => [one, other].concat(),
                None => data_of(part),
            };
            for place in found {
                self.body.uses[place].ends_loops = true;
            }
        }
        self.ends(header, "==", names);
        self.roots(header, "==", names);
    }

    /// Values of elements at which a loop ends: numbers that they are compared with by this operator.
    fn ends(&mut self, condition: &[Token<'_>], operator: &str, names: &Names) {
        for (place, _) in condition.iter().enumerate().filter(|(_, own)| own.is(operator)) {
            let begin = condition[..place].iter().rposition(|own| ["&&", "||"].contains(&own.text));
            let left = &condition[begin.map_or(0, |begin| begin + 1)..place];
            let opening = left.iter().take_while(|own| own.is("(")).count();
            let (element, number) =
                (expression(&left[opening..], names).0, expression(&condition[place + 1..], names).0);
            let (Some(found), Some(number)) = (self.data(&element), number.number()) else { continue };
            self.body.uses[found].ends_at = Some(number);
        }
    }

    /// The parameter whose elements are in an expression, also where they are bounded.
    pub(super) fn element_in(&self, expression: &Expression, depth: u32) -> Option<usize> {
        match expression {
            _ if depth > DEEPEST => None,
            Expression::Element(place) | Expression::Address(place, _) => Some(*place),
            Expression::Local(local) => {
                let own = &self.body.locals[*local];
                own.by.or_else(|| self.element_in(&own.value, depth + 1))
            }
            other => other.operands().into_iter().find_map(|own| self.element_in(own, depth + 1)),
        }
    }

    /// The step of a loop over `name`, and what it ends at.
    pub(super) fn step(&mut self, header: &[Token<'_>], names: &Names) {
        let Some(place) = header.iter().position(|token| token.is("+=")) else { return };
        let Some(end) = header.iter().position(|token| token.is("<")) else { return };
        let (step, _) = expression(&header[place + 1..], names);
        let (end, _) = expression(&header[end + 1..], names);
        let begin = header.iter().position(|token| token.is("=")).filter(|begin| *begin < end_of_begin(header));
        if begin.is_some_and(|begin| self.is_thread(&expression(&header[begin + 1..], names).0, 0)) {
            self.body.steps_of_threads.push(step.clone());
        }
        self.body.steps.push((step, end));
    }

    /// Whether the index of a thread is in an expression, or in what its variables are set to.
    fn is_thread(&self, expression: &Expression, depth: u32) -> bool {
        match expression {
            _ if depth > DEEPEST => false,
            Expression::Thread(_) => true,
            Expression::Local(local) => self.is_thread(&self.body.locals[*local].value, depth + 1),
            other => other.operands().into_iter().any(|own| self.is_thread(own, depth + 1)),
        }
    }
}

/// Where the first part of a loop's header ends.
fn end_of_begin(header: &[Token<'_>]) -> usize {
    header.iter().position(|token| token.is(";")).unwrap_or(header.len())
}

/// The name that a condition begins with, and the value at which that ends a loop: `node != -1` and `node >= 0` do at -1.
fn sought(condition: &[Token<'_>], names: &Names) -> Option<(String, i64)> {
    let [name, operator, rest @ ..] = &condition[condition.iter().take_while(|own| own.is("(")).count()..] else {
        return None;
    };
    let number = expression(rest, names).0.number()?;
    let end = match operator.text {
        "!=" | ">" => number,
        ">=" => number.checked_sub(1)?,
        _ => return None,
    };
    name.is_word().then(|| (name.text.to_owned(), end))
}

/// The tokens of the statement that begins here.
pub(super) fn statement(tokens: &[Token<'_>]) -> usize {
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match token.text {
            "{" => return place + balanced(&tokens[place..]),
            "(" | "[" => place += balanced(&tokens[place..]),
            "}" => return place,
            ";" => return place + 1,
            _ => place += 1,
        }
    }
    tokens.len()
}
