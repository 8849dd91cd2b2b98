//! Operands. PTX ISA, chapter 6.

use super::cursor::{Cursor, Fault};
use super::lexer::Kind;
use super::literal::Literal;
use super::module::Operand;

/// Reads an operand.
pub(super) fn operand(cursor: &mut Cursor<'_>) -> Result<Operand, Fault> {
    match cursor.kind() {
        Kind::Punctuation(b'{') => elements(cursor, b'}', "`,` or `}`").map(Operand::Vector),
        Kind::Punctuation(b'(') => elements(cursor, b')', "`,` or `)`").map(Operand::List),
        Kind::Punctuation(b'[') => address(cursor),
        _ => simple(cursor),
    }
}

/// Reads what is between brackets, which do not nest. Only a call's list may be empty.
fn elements(cursor: &mut Cursor<'_>, close: u8, expected: &str) -> Result<Vec<Operand>, Fault> {
    cursor.advance();
    let mut all = Vec::new();
    if close == b')' && cursor.take(close) {
        return Ok(all);
    }
    loop {
        all.push(simple(cursor)?);
        if !cursor.take(b',') {
            cursor.expect(close, expected)?;
            return Ok(all);
        }
    }
}

/// Reads an operand without brackets.
fn simple(cursor: &mut Cursor<'_>) -> Result<Operand, Fault> {
    if cursor.take(b'!') {
        return Ok(Operand::Not(name(cursor, "a predicate")?));
    }
    let word = cursor.text_at(cursor.at);
    if cursor.kind() != Kind::Word || word == "WARP_SZ" {
        return Ok(match cursor.number("an operand")? {
            Literal::Integer(number) => Operand::Integer(number),
            Literal::Float32(bits) => Operand::Float32(bits),
            Literal::Float64(bits) => Operand::Float64(bits),
            Literal::Decimal(number) => Operand::Float64(number.to_bits()),
        });
    }
    let first = name_or_discard(cursor)?;
    if cursor.take(b'|') {
        let second = name_or_discard(cursor)?;
        return Ok(Operand::Pair(Box::new(first), Box::new(second)));
    }
    match first {
        // PTX ISA, 6.4.3 "Arrays as Operands".
        Operand::Name(name) if cursor.take(b'[') => {
            let index = cursor.count("the place of an element")?;
            cursor.expect(b']', "`]`")?;
            Ok(Operand::Element { name, index })
        }
        Operand::Name(name) => Ok(match offset(cursor)? {
            Some(offset) => Operand::Sum { name, offset },
            None => Operand::Name(name),
        }),
        other => Ok(other),
    }
}

fn name_or_discard(cursor: &mut Cursor<'_>) -> Result<Operand, Fault> {
    let name = name(cursor, "a register")?;
    Ok(if name == "_" { Operand::Discard } else { Operand::Name(name) })
}

/// Reads a name with its component, such as `%tid.x`.
fn name(cursor: &mut Cursor<'_>, expected: &str) -> Result<String, Fault> {
    let mut name = cursor.word(expected)?.to_owned();
    if let Some(component) = cursor.dotted() {
        cursor.advance();
        name.push('.');
        name.push_str(component);
    }
    Ok(name)
}

/// Reads `[name + offset]`, `[name]` or `[number]`.
fn address(cursor: &mut Cursor<'_>) -> Result<Operand, Fault> {
    cursor.advance();
    let is_name = cursor.kind() == Kind::Word && !matches!(cursor.text_at(cursor.at), "WARP_SZ" | "_");
    let operand = if is_name {
        let base = name(cursor, "an address")?;
        if cursor.take(b',') {
            return texel(cursor, base);
        }
        let base = Some(base);
        Operand::Address { base, offset: offset(cursor)?.unwrap_or(0) }
    } else {
        Operand::Address { base: None, offset: whole(cursor, "an address")? }
    };
    cursor.expect(b']', "`+` and a number, or `]`")?;
    Ok(operand)
}

/// Reads what is behind the first comma of `[texture, sampler, {x, y}]`. PTX ISA, "Texture Instructions".
fn texel(cursor: &mut Cursor<'_>, texture: String) -> Result<Operand, Fault> {
    let mut parts = vec![Operand::Name(texture)];
    loop {
        parts.push(if cursor.sees(b'{') {
            elements(cursor, b'}', "`,` or `}`").map(Operand::Vector)?
        } else {
            simple(cursor)?
        });
        if !cursor.take(b',') {
            cursor.expect(b']', "`,` or `]`")?;
            return Ok(Operand::Texel(parts));
        }
    }
}

/// Reads `+4`, `-4` or `+-4` where it is there.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> Result<Option<i64>, Fault> {
    if cursor.sees(b'+') && matches!(cursor.next_kind(), Kind::Punctuation(b'-' | b'+')) {
        cursor.advance();
    }
    if !cursor.sees(b'+') && !cursor.sees(b'-') {
        return Ok(None);
    }
    whole(cursor, "a number of bytes").map(Some)
}

/// Reads a whole number as two's complement.
fn whole(cursor: &mut Cursor<'_>, expected: &str) -> Result<i64, Fault> {
    let start = cursor.at;
    match cursor.number(expected)? {
        Literal::Integer(number) => Ok(number.cast_signed()),
        _ => Err(Cursor::fault_at(start, format!("expected {expected}, not a float"))),
    }
}
