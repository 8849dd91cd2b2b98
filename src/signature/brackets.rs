//! Brackets of a text, and the tokens between them.

use super::token::Token;

/// The tokens from a bracket to the one that closes it, both counted; all where none does.
pub(super) fn balanced(tokens: &[Token<'_>]) -> usize {
    closing(tokens).unwrap_or(tokens.len())
}

/// The tokens from a bracket to the one that closes it, both counted; `None` where none does.
pub(super) fn closing(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_i32;
    for (place, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return Some(place + 1);
        }
    }
    None
}

/// The tokens from `<` to the `>` that closes it, both counted; all where none does.
pub(super) fn angles(tokens: &[Token<'_>]) -> usize {
    let (mut depth, mut place) = (0_i32, 0);
    while place < tokens.len() {
        match tokens[place].text {
            "<" => depth += 1,
            ">" => depth -= 1,
            "(" | "[" | "{" => place += balanced(&tokens[place..]).saturating_sub(1),
            ";" => return place,
            _ => {}
        }
        place += 1;
        if depth <= 0 {
            return place;
        }
    }
    tokens.len()
}
