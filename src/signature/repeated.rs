//! Loops of the host around a place, and the names that they change.

use std::collections::HashMap;
use std::ops::Range;

use super::brackets::balanced;
use super::host::up_to_end;
use super::loops::statement;
use super::token::Token;

/// Loops around a place that are looked at.
const LOOPS_MOST: usize = 8;
/// Names that are set to each other and are followed.
const SET_DEEPEST: usize = 4;

/// The loops around a place of a function.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// Where the steps of `for` loops stand: they are done behind what is repeated.
    pub(super) steps: Vec<Range<usize>>,
    /// The names that loops change, with the line of the innermost.
    pub(super) lines: HashMap<String, u32>,
}

impl Repeated {
    /// What is repeated around a place of this body.
    pub(super) fn around(body: &[Token<'_>], place: usize) -> Self {
        let mut own = Self::default();
        let mut at = 0;
        while at < place && own.steps.len() < LOOPS_MOST {
            let Some((header, end)) = repeats(body, at) else {
                at += 1;
                continue;
            };
            if end <= place {
                at = end;
                continue;
            }
            let step = step(body, &header);
            for name in changed(&body[header.start..end], step.start - header.start..step.end - header.start) {
                own.lines.insert(name.to_owned(), body[at].line);
            }
            own.steps.push(step);
            at = header.end.max(at + 1);
        }
        own
    }

    /// The line of the loop that changes what these tokens name.
    pub(super) fn line(&self, tokens: &[Token<'_>]) -> Option<u32> {
        tokens.iter().filter(|own| own.is_word()).find_map(|own| self.lines.get(own.text).copied())
    }
}

/// The header of the loop that begins here, and where it ends.
fn repeats(body: &[Token<'_>], at: usize) -> Option<(Range<usize>, usize)> {
    let rest = body.get(at + 1..)?;
    let header = match body[at].text {
        "for" | "while" if rest.first().is_some_and(|own| own.is("(")) => balanced(rest),
        "do" => 0,
        _ => return None,
    };
    let begin = at + 1;
    Some((begin..begin + header, begin + header + statement(&rest[header..])))
}

/// What a `for` loop does behind each round; nothing of other loops.
fn step(body: &[Token<'_>], header: &Range<usize>) -> Range<usize> {
    let mut ends = header.clone().filter(|place| body[*place].is(";"));
    match (ends.next(), ends.next()) {
        (Some(_), Some(end)) => end + 1..header.end - 1,
        _ => header.end..header.end,
    }
}

/// The names that a loop changes from round to round.
fn changed<'a>(tokens: &[Token<'a>], step: Range<usize>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for _ in 0..SET_DEEPEST {
        let before = names.len();
        for (place, own) in tokens.iter().enumerate().filter(|(_, own)| own.is_word()) {
            if !names.contains(&own.text) && is_changed(tokens, place, &names, &step) {
                names.push(own.text);
            }
        }
        if names.len() == before {
            break;
        }
    }
    names
}

/// Whether the name at this place is changed there, where loops change these names.
fn is_changed(tokens: &[Token<'_>], place: usize, names: &[&str], step: &Range<usize>) -> bool {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|own| own.is(text));
    let one_of = |at: usize, all: &[&str]| all.iter().any(|text| is(at, text));
    let is_before = place.checked_sub(1).is_some_and(|at| one_of(at, &["++", "--"]));
    let is_shifted = (is(place + 1, "<<") && is(place + 2, "=")) || (is(place + 1, ">") && is(place + 2, ">="));
    // `for (int n : sizes)`
    let is_each = is(place + 1, ":") && !is(place + 2, ":") && step.is_empty() && place < step.start;
    let is_set = is(place + 1, "=") && {
        let value = &tokens[place + 2..];
        let value = &value[..up_to_end(value)];
        let is_own = |own: &Token<'_>| own.is_word() && (own.is(tokens[place].text) || names.contains(&own.text));
        step.contains(&place) || value.iter().any(is_own)
    };
    one_of(place + 1, &["++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="])
        || is_before
        || is_shifted
        || is_each
        || is_set
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    /// The names that loops change around the word `here`, with the lines of these.
    fn lines(text: &str) -> Vec<(String, u32)> {
        let all = tokens(text);
        let place = all.iter().position(|own| own.is("here")).unwrap();
        let mut lines: Vec<(String, u32)> = Repeated::around(&all, place).lines.into_iter().collect();
        lines.sort();
        lines
    }

    fn told(all: &[(&str, u32)]) -> Vec<(String, u32)> {
        all.iter().map(|(name, line)| ((*name).to_owned(), *line)).collect()
    }

    #[test]
    fn names_that_loops_change_have_the_line_of_the_innermost() {
        let nested = "for (int k = 2; k <= n; k <<= 1)\nfor (int j = k >> 1; j > 0; j = j / 2)\n{ int m = j + 1, z = 3; here(m); }";
        assert_eq!(lines(nested), told(&[("j", 2), ("k", 1), ("m", 2)]));
        assert_eq!(lines("while (s < n) { here(s); s *= 2; }"), told(&[("s", 1)]));
        assert_eq!(lines("do { here(s); --s; } while (s);"), told(&[("s", 1)]));
        assert_eq!(lines("for (int n : {1, 2}) here(n);"), told(&[("n", 1)]));
        assert_eq!(lines("for (;;) { here(s); s >>= 1; }"), told(&[("s", 1)]));
    }

    #[test]
    fn loops_before_and_behind_change_nothing_there() {
        assert_eq!(lines("for (int i = 0; i < n; i++) a[i] = i; here(n); while (n) n--;"), told(&[]));
        assert_eq!(lines("for (int i = 0; i < n; i++) { a(); } if (n) { here(n); }"), told(&[]));
    }
}
