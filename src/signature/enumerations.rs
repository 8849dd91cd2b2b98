//! Enumerations of a source: whole numbers of the type that they say, or of `int`.

use std::collections::HashMap;

use super::brackets::closing;
use super::parameters::{scalar, words_of};
use super::token::Token;
use crate::workload::Element;

/// The enumerations that a text defines, in structures and namespaces, too, by their names.
pub(super) fn all(tokens: &[Token<'_>]) -> HashMap<String, Element> {
    let begins = tokens.iter().enumerate().filter(|(_, token)| token.is("enum")).map(|(place, _)| place);
    begins.flat_map(|place| definition(&tokens[place + 1..])).collect()
}

/// `class Mode : unsigned char { ... }` and `{ ... } Mode`, behind the keyword: the names with the type.
fn definition(tokens: &[Token<'_>]) -> Vec<(String, Element)> {
    let Some(open) = tokens.iter().position(|own| own.is("{") || own.is(";") || own.is("(") || own.is(",")) else {
        return Vec::new();
    };
    if !tokens[open].is("{") {
        return Vec::new();
    }
    let head = &tokens[..open];
    let (named, typed) = match head.iter().position(|own| own.is(":")) {
        Some(colon) => (&head[..colon], &head[colon + 1..]),
        None => (head, &head[..0]),
    };
    let element = if typed.is_empty() { Some(Element::Signed(32)) } else { scalar(&words_of(typed)) };
    let name = named.iter().rfind(|own| own.is_word() && !["class", "struct"].contains(&own.text));
    let behind = closing(&tokens[open..]).and_then(|length| tokens.get(open + length)).filter(|own| own.is_word());
    let all = name.into_iter().chain(behind).map(|own| own.text.to_owned());
    all.filter_map(|name| Some((name, element?))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn enumerations_are_whole_numbers() {
        let text = "enum Mode { FAST, EXACT = 3 }; namespace a { enum class Kind : unsigned char { A }; } typedef enum { ON } Switch; \
                    struct S { enum Inner : long long { B }; Inner inner; }; enum Declared : int; enum { N = 32 };";
        let mut found: Vec<_> = all(&tokens(text)).into_iter().collect();
        found.sort_by(|one, other| one.0.cmp(&other.0));
        let expected = [
            ("Inner", Element::Signed(64)),
            ("Kind", Element::Unsigned(8)),
            ("Mode", Element::Signed(32)),
            ("Switch", Element::Signed(32)),
        ];
        assert_eq!(found, expected.map(|(name, element)| (name.to_owned(), element)));
    }
}
