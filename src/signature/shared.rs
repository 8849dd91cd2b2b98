//! Arrays in shared memory, and which of their elements a kernel touches.

use super::body::Walk;
use super::brackets::balanced;
use super::expression::{Expression, Names, expression, value};
use super::token::{Kind, Token};
use crate::workload::Element;

/// An array in shared memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedArray {
    /// Its name.
    pub name: String,
    /// The type of its elements, as the source has it.
    pub declared: String,
    /// Bytes of an element, where that is known.
    pub element_bytes: Option<u64>,
    /// Its extents; empty if the launch says how large it is.
    pub extents: Vec<Expression>,
    /// The elements that are touched, each by an index for every extent.
    pub indices: Vec<Vec<Expression>>,
}

impl Walk<'_, '_> {
    /// An element of an array in shared memory.
    pub(super) fn element(&mut self, tokens: &[Token<'_>], names: &Names) {
        const INDICES_MOST: usize = 64;
        let is_known = |own: &SharedArray| own.name == tokens[0].text && own.indices.len() < INDICES_MOST;
        let Some(array) = self.body.shared.iter_mut().rev().find(|own| is_known(own)) else { return };
        array.indices.push(bracketed(&tokens[1..]).map(|index| value(index, names)).collect());
    }

    /// `__shared__ float tile[32][33];`
    pub(super) fn shared(&mut self, tokens: &[Token<'_>], place: usize, names: &Names) {
        let rest = &tokens[place + 1..];
        let Some(end) = rest.iter().position(|token| token.is("[") || token.is(";")) else { return };
        if !rest[end].is("[") || end == 0 {
            return;
        }
        let typed: Vec<&str> = rest[..end - 1]
            .iter()
            .filter(|token| token.kind == Kind::Word && !["extern", "volatile", "const"].contains(&token.text))
            .map(|token| token.text)
            .collect();
        let extents = bracketed(&rest[end..]).filter(|extent| !extent.is_empty());
        let extents = extents.map(|extent| expression(extent, names).0).collect();
        let declared = typed.join(" ");
        let element_bytes = super::parameters::scalar(&declared).map(Element::bytes);
        let name = rest[end - 1].text.to_owned();
        self.body.shared.push(SharedArray { name, declared, element_bytes, extents, indices: Vec::new() });
    }
}

/// What stands in the square brackets that follow each other here.
fn bracketed<'t, 'a>(tokens: &'t [Token<'a>]) -> impl Iterator<Item = &'t [Token<'a>]> {
    let mut rest = tokens;
    std::iter::from_fn(move || {
        rest.first().filter(|token| token.is("["))?;
        let (own, behind) = rest.split_at(balanced(rest));
        rest = behind;
        own.get(1..own.len() - 1)
    })
}
