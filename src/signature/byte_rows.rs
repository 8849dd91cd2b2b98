//! Rows in memory whose length is in bytes: `(float*)((char*)data + row * pitch)`.

use super::body::Walk;
use super::expression::{Expression, Names, expression};
use super::token::Token;

/// A length of rows in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteRow {
    /// The parameter that says it, by its place.
    pub pitch: usize,
    /// What it is multiplied with.
    pub row: Expression,
    /// The parameter that points to the rows.
    pub data: usize,
}

/// Types of one byte.
const BYTES: [&str; 4] = ["char", "uint8_t", "int8_t", "byte"];
/// The most tokens of such an address.
const TOKENS_MOST: usize = 32;
/// The most of them in a kernel.
const ROWS_MOST: usize = 16;

impl Walk<'_, '_> {
    /// The address behind a cast whose type begins with these tokens.
    pub(super) fn byte_row(&mut self, tokens: &[Token<'_>], names: &Names) {
        let [name, star, rest @ ..] = tokens else { return };
        if !BYTES.contains(&name.text) || !star.is("*") || self.body.byte_rows.len() >= ROWS_MOST {
            return;
        }
        let near = &rest[..rest.len().min(TOKENS_MOST)];
        let near = &near[..near.iter().position(|own| own.is(";")).unwrap_or(near.len())];
        let Some(plus) = near.iter().position(|own| own.is("+")) else { return };
        let data = near[..plus].iter().find_map(|own| match names.get(own.text)? {
            Expression::Address(place, _) => Some(*place),
            _ => None,
        });
        let (offset, _) = expression(&near[plus + 1..], names);
        let (Some(data), Expression::Product(one, other)) = (data, offset) else { return };
        let ((row, Expression::Parameter(pitch)) | (Expression::Parameter(pitch), row)) = (*one, *other) else {
            return;
        };
        self.body.byte_rows.push(ByteRow { pitch, row, data });
    }
}
