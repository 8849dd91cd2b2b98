//! Variables in constant memory, which a host fills before it launches.

use std::collections::{HashMap, HashSet};

use super::body::Function;
use super::parameters::{scalar, vector};
use super::token::{Kind, Token};
use crate::workload::Element;

/// A variable in constant memory without a value of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConstantVariable {
    /// Its name.
    pub name: String,
    /// The numbers that it is made of.
    pub element: Element,
}

/// Words that say how a variable is kept, and nothing of its type.
const STORED: [&str; 8] =
    ["__constant__", "__device__", "__managed__", "const", "extern", "inline", "static", "volatile"];

/// `__constant__ float filter[9], shift;`: those of numbers, and of vectors of numbers.
pub(super) fn all(tokens: &[Token<'_>]) -> Vec<ConstantVariable> {
    let mut found: Vec<ConstantVariable> = Vec::new();
    for (place, _) in tokens.iter().enumerate().filter(|(_, token)| token.is("__constant__")) {
        let begin = tokens[..place].iter().rposition(|own| !STORED.contains(&own.text)).map_or(0, |last| last + 1);
        let rest = &tokens[begin..];
        let Some(end) = rest.iter().position(|own| [";", "=", "{", "}", "("].contains(&own.text)) else { continue };
        if !rest[end].is(";") {
            continue;
        }
        let mut declared = rest[..end].split(|own| own.is(","));
        let name_of = |declared: &[Token<'_>]| {
            let bracket = declared.iter().position(|own| own.is("[")).unwrap_or(declared.len());
            bracket.checked_sub(1).filter(|place| declared[*place].kind == Kind::Word)
        };
        let Some((first, place)) = declared.next().and_then(|first| Some((first, name_of(first)?))) else { continue };
        let is_type = |own: &&Token<'_>| own.kind == Kind::Word && !STORED.contains(&own.text);
        let typed: Vec<&str> = first[..place].iter().filter(is_type).map(|own| own.text).collect();
        let typed = typed.join(" ");
        let Some(element) = scalar(&typed).or_else(|| vector(&typed).map(|(element, _)| element)) else { continue };
        let others = declared.filter_map(|own| Some(own[name_of(own)?].text));
        for name in [first[place].text].into_iter().chain(others) {
            if found.iter().all(|own| own.name != name) {
                found.push(ConstantVariable { name: name.to_owned(), element });
            }
        }
    }
    found
}

/// Those that a body names, or a function that it calls.
pub(super) fn used(
    all: &[ConstantVariable],
    body: &[Token<'_>],
    functions: &HashMap<String, Function<'_, '_>>,
) -> Vec<ConstantVariable> {
    if all.is_empty() {
        return Vec::new();
    }
    let mut words: HashSet<&str> = HashSet::new();
    let mut pending = vec![body];
    while let Some(body) = pending.pop() {
        for token in body.iter().filter(|token| token.kind == Kind::Word) {
            if words.insert(token.text) {
                pending.extend(functions.get(token.text).map(|own| own.body));
            }
        }
    }
    all.iter().filter(|own| words.contains(own.name.as_str())).cloned().collect()
}
