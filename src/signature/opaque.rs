//! Structures whose members no scenario can list, and why.

use std::collections::HashMap;

use super::brackets::closing;
use super::token::Token;

/// What a structure has that lists of members have no words for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opaque {
    /// A union, or being one.
    Union,
    /// Fields of so many bits.
    BitField,
}

/// The structures and unions of a text that have such members, those of the structures in them among them, by their names.
pub(super) fn all(tokens: &[Token<'_>]) -> HashMap<String, Opaque> {
    let mut found = HashMap::new();
    for (place, token) in tokens.iter().enumerate() {
        if ["struct", "class", "union"].contains(&token.text)
            && let Some((names, body)) = definition(&tokens[place + 1..])
            && let Some(why) = if token.is("union") { Some(Opaque::Union) } else { why(body, &found) }
        {
            for name in names {
                found.entry(name).or_insert(why);
            }
        }
    }
    found
}

/// The names of what is defined behind the keyword, and what is between its brackets.
fn definition<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<(Vec<String>, &'t [Token<'a>])> {
    let open = tokens.iter().position(|own| ["{", ";", ",", ">", "="].contains(&own.text))?;
    let length = closing(&tokens[open..]).filter(|_| tokens[open].is("{"))?;
    // What stands before the name has brackets: `__align__(16)`; a base stands behind it.
    let head = &tokens[..open];
    let head = &head[..head.iter().position(|own| own.is(":")).unwrap_or(open)];
    let name = head.iter().rfind(|own| own.is_word() && !own.is("final"));
    let behind = tokens.get(open + length).filter(|own| own.is_word());
    let names = name.into_iter().chain(behind).map(|own| own.text.to_owned()).collect();
    Some((names, &tokens[open + 1..(open + length - 1).max(open + 1)]))
}

/// What is in a body, on the level of its members.
fn why(body: &[Token<'_>], known: &HashMap<String, Opaque>) -> Option<Opaque> {
    let mut place = 0;
    let mut is_chosen = false;
    while let Some(token) = body.get(place) {
        match token.text {
            "union" => return Some(Opaque::Union),
            // `? :` in what a member is at first.
            "?" => is_chosen = true,
            ";" => is_chosen = false,
            ":" if !is_chosen
                && place > 0
                && body[place - 1].is_word()
                && body.get(place + 2).is_some_and(|own| own.is(";") || own.is(",")) =>
            {
                return Some(Opaque::BitField);
            }
            "{" | "(" => {
                place += closing(&body[place..]).unwrap_or(1);
                continue;
            }
            name => {
                if let Some(why) = known.get(name) {
                    // An address of one is an address.
                    if !body.get(place + 1).is_some_and(|next| next.is("*")) {
                        return Some(*why);
                    }
                }
            }
        }
        place += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn unions_and_fields_of_bits_are_told() {
        let of = |text: &str| all(&tokens(text)).get("S").copied();
        for text in [
            "union S { int a; float b; };",
            "struct S { int n; union { int a; float b; }; };",
            "union U { int a; float b; }; struct S { U u; };",
            "typedef union { int a; } S;",
            "struct __align__(8) S { union { int a; } u; int b; };",
        ] {
            assert_eq!(of(text), Some(Opaque::Union), "{text}");
        }
        for text in ["struct S { int a : 3; };", "struct S { unsigned a : 3, b : 5; };", "class S : T { int a : N; };"]
        {
            assert_eq!(of(text), Some(Opaque::BitField), "{text}");
        }
        for text in [
            "struct S { public: int a; };",
            "struct S { int a = b ? 1 : 2; };",
            "struct S { S() : a(1) { switch (a) { default: break; } } int a; };",
            "union U { int a; }; struct S { U* u; };",
            "struct S : public T { int a; };",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
