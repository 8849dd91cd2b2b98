//! How much memory the host's names lead to: what it allocates, and its vectors and arrays.

use std::collections::HashMap;

use super::brackets::{angles, balanced};
use super::expression::Expression;
use super::host::{Host, up_to_end};
use super::parameters::{parts, words_of};
use super::token::Token;

/// Memory that the host has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocated {
    /// How much, in terms of what the kernel is given.
    pub bytes: Expression,
    /// The line that says so, from 1.
    pub line: u32,
    /// Bytes of an element to the kernel that it is for, where that is another instance of the template.
    pub element_bytes: Option<u64>,
}

/// What names lead to.
pub(super) type Allocations = HashMap<String, Allocated>;

/// The most tokens of a type or a cast.
const TYPE_LONGEST: usize = 32;
/// Functions that take the address of a name, and how many bytes it is to lead to.
const BY_ADDRESS: [&str; 5] = ["cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocHost", "cudaHostAlloc"];

impl Host<'_, '_, '_> {
    /// Memory that is allocated by what stands at this place.
    pub(super) fn allocate(&mut self, tokens: &[Token<'_>], place: usize) {
        let rest = &tokens[place..];
        let name = rest[0].text;
        if BY_ADDRESS.contains(&name) {
            self.by_address(rest);
        } else if name == "malloc" || name == "calloc" {
            let Some(given) = behind(&rest[1..]) else { return };
            let sizes: Vec<Expression> = parts(given).into_iter().map(|part| self.value(part)).collect();
            let bytes = sizes.into_iter().reduce(|one, other| Expression::binary("*", one, other));
            if let (Some(key), Some(bytes)) = (set_by(&tokens[..place]), bytes) {
                self.add(key, bytes, rest[0].line);
            }
        } else if name == "new" {
            let mut near = rest.iter().take(TYPE_LONGEST);
            let Some(open) = near.position(|own| ["[", "(", "{", ";"].contains(&own.text)) else { return };
            if let Some(key) = set_by(&tokens[..place]).filter(|_| rest[open].is("[")) {
                let given = rest.get(open + 1..).unwrap_or_default();
                let elements = self.value(&given[..up_to_end(given)]);
                self.add_elements(key, &rest[1..open], elements, rest[0].line);
            }
        } else if name.ends_with("vector") && rest.get(1).is_some_and(|own| own.is("<")) {
            let length = angles(&rest[1..]);
            let typed = rest.get(2..length).unwrap_or_default();
            let [own, open, given @ ..] = rest.get(1 + length..).unwrap_or_default() else { return };
            if own.is_word() && open.is("(") {
                let elements = self.value(&given[..up_to_end(given)]);
                self.name(own.text.to_owned(), elements.clone());
                self.add_elements(own.text.to_owned(), typed, elements, own.line);
            }
        } else if rest.get(1).is_some_and(|own| own.is("[")) && place > 0 {
            self.array(tokens, place);
        }
    }

    /// `cudaMalloc(&name, bytes)`
    fn by_address(&mut self, tokens: &[Token<'_>]) {
        let Some(given) = behind(tokens.get(1..).unwrap_or_default()) else { return };
        let [address, bytes, ..] = parts(given)[..] else { return };
        let bytes = self.value(bytes);
        let name = address.iter().rposition(|own| own.is("&")).map_or(address, |place| &address[place + 1..]);
        if let Some((key, _)) = name.iter().position(Token::is_word).and_then(|place| key(&name[place..])) {
            self.add(key, bytes, tokens[0].line);
        }
    }

    /// `float name[4][8];`
    fn array(&mut self, tokens: &[Token<'_>], place: usize) {
        let near = &tokens[place.saturating_sub(TYPE_LONGEST)..place];
        let begin = near.iter().rposition(|own| [";", "{", "}", ")", ","].contains(&own.text));
        let typed = &near[begin.map_or(0, |begin| begin + 1)..];
        let Some(element) = self.bytes_of_type(typed) else { return };
        let mut bytes = Expression::Number(element);
        let mut rest = &tokens[place + 1..];
        while rest.first().is_some_and(|own| own.is("[")) {
            let length = balanced(rest);
            let extent = self.value(rest.get(1..length).unwrap_or_default());
            bytes = Expression::binary("*", bytes, extent);
            rest = rest.get(length..).unwrap_or_default();
        }
        self.name(format!("sizeof {}", tokens[place].text), bytes.clone());
        self.add(tokens[place].text.to_owned(), bytes, tokens[place].line);
    }

    fn add_elements(&mut self, key: String, typed: &[Token<'_>], elements: Expression, line: u32) {
        if let Some(bytes) = self.bytes_of_type(typed) {
            self.add(key, Expression::binary("*", elements, Expression::Number(bytes)), line);
        }
    }

    fn add(&mut self, key: String, bytes: Expression, line: u32) {
        let is_known = !bytes.any(&|own| *own == Expression::Unknown);
        if is_known {
            self.allocations.insert(key, Allocated { bytes, line, element_bytes: None });
        } else {
            self.allocations.remove(&key);
        }
    }

    fn bytes_of_type(&self, typed: &[Token<'_>]) -> Option<i64> {
        let is_type = !typed.is_empty() && typed.iter().all(|own| own.is_word() || own.is("::"));
        is_type.then(|| self.value_of_size(&words_of(typed)))?
    }

    /// What the name in an argument leads to: `p`, `v.data()`, `raw_pointer_cast(&v[0])`.
    pub(super) fn allocated(&self, part: &[Token<'_>]) -> Option<&Allocated> {
        // A part of it is less.
        if part.iter().any(|own| own.is("+") || own.is("-")) {
            return None;
        }
        let mut keys = (0..part.len()).filter(|place| part[*place].is_word()).filter_map(|place| key(&part[place..]));
        keys.find_map(|(long, short)| self.allocations.get(&long).or_else(|| self.allocations.get(&short)))
    }
}

/// What stands in the brackets here.
fn behind<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    tokens.first().filter(|own| own.is("("))?;
    tokens.get(1..balanced(tokens).saturating_sub(1))
}

/// The name that tokens begin with, with its members and alone: `p.x` and `p`.
pub(super) fn key(tokens: &[Token<'_>]) -> Option<(String, String)> {
    let first = tokens.first().filter(|own| own.is_word())?;
    let mut own = first.text.to_owned();
    let mut rest = &tokens[1..];
    while let [dot, name, behind @ ..] = rest
        && (dot.is(".") || dot.is("->"))
        && name.is_word()
    {
        own = format!("{own}.{}", name.text);
        rest = behind;
    }
    Some((own, first.text.to_owned()))
}

/// The name that is set to what comes behind these tokens: `float* name = (float*)`.
fn set_by(before: &[Token<'_>]) -> Option<String> {
    let is_cast = |own: &&Token<'_>| own.is_word() || ["(", ")", "*", "<", ">", "::"].contains(&own.text);
    let cast = before.iter().rev().take(TYPE_LONGEST).take_while(is_cast).count();
    let before = &before[..before.len() - cast];
    let (equals, before) = before.split_last()?;
    if !equals.is("=") {
        return None;
    }
    let is_name = |own: &&Token<'_>| own.is_word() || own.is(".") || own.is("->");
    let mut begin = before.len() - before.iter().rev().take(TYPE_LONGEST).take_while(is_name).count();
    // A type may stand before it.
    while begin + 1 < before.len() && before[begin].is_word() && before[begin + 1].is_word() {
        begin += 1;
    }
    key(&before[begin..]).map(|(long, _)| long)
}
