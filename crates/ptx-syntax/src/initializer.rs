//! What a variable holds at first. PTX ISA, 5.4.4 "Initializers".

use super::cursor::{Cursor, Fault};
use super::lexer::Kind;
use super::literal::Literal;
use super::module::{Constant, Type, Variable};
use super::operand::offset;

/// Elements of an array, as braces nest: at depth 0 all of them.
struct Shape {
    /// Elements in the braces of a depth; `None` where the first extent is left out.
    capacities: Vec<Option<u64>>,
}

impl Shape {
    fn new(variable: &Variable) -> Self {
        let mut extents = variable.dimensions.clone();
        if variable.vector > 1 || extents.is_empty() {
            extents.push(Some(u64::from(variable.vector)));
        }
        let mut capacities = Vec::with_capacity(extents.len());
        let mut inner = Some(1_u64);
        for extent in extents.iter().rev() {
            inner = inner.zip(*extent).map(|(inner, extent)| inner.saturating_mul(extent));
            capacities.push(inner);
        }
        capacities.reverse();
        Self { capacities }
    }

    /// Elements in the braces of a depth; `None` where that is open.
    fn capacity(&self, depth: usize) -> Option<u64> {
        self.capacities.get(depth).copied().flatten()
    }
}

/// Reads an initializer into memory order; elements that nested braces leave out are zeros.
pub(super) fn initializer(cursor: &mut Cursor<'_>, variable: &Variable) -> Result<Vec<Constant>, Fault> {
    if !cursor.sees(b'{') {
        if !variable.dimensions.is_empty() || variable.vector > 1 {
            return Err(cursor.unexpected("`{`, as there are several elements"));
        }
        return Ok(vec![constant(cursor, variable.ty)?]);
    }
    let shape = Shape::new(variable);
    let mut flat = Vec::new();
    // Beginnings of the open braces, and the least length before the next element.
    let mut starts = Vec::new();
    let mut filled = 0;
    loop {
        if cursor.sees(b'{') {
            if starts.len() >= shape.capacities.len() {
                return Err(cursor.fault("the braces nest deeper than the array's dimensions".to_owned()));
            }
            if let (Some(start), Some(stride)) = (starts.last(), shape.capacity(starts.len())) {
                let blocks = (flat.len() as u64).saturating_sub(*start).div_ceil(stride.max(1));
                filled = filled.max(start.saturating_add(blocks.saturating_mul(stride)));
            }
            pad(cursor, &mut flat, filled)?;
            cursor.advance();
            starts.push(flat.len() as u64);
            if !cursor.sees(b'}') {
                continue;
            }
        } else {
            pad(cursor, &mut flat, filled)?;
            flat.push(constant(cursor, variable.ty)?);
        }
        while cursor.sees(b'}') {
            let start = starts.pop().unwrap_or_default();
            if let Some(capacity) = shape.capacity(starts.len()) {
                let given = (flat.len() as u64).saturating_sub(start);
                if given > capacity {
                    return Err(cursor.fault(format!("{given} elements are given, {capacity} have room")));
                }
                filled = start.saturating_add(capacity);
            }
            cursor.advance();
            if starts.is_empty() {
                return Ok(flat);
            }
        }
        cursor.expect(b',', "`,` or `}`")?;
    }
}

/// Fills up with zeros, within what a text may ask for.
fn pad(cursor: &mut Cursor<'_>, flat: &mut Vec<Constant>, length: u64) -> Result<(), Fault> {
    let zeros = length.saturating_sub(flat.len() as u64);
    let Some(left) = cursor.padding_left.checked_sub(zeros) else {
        return Err(cursor.fault("the initializers leave too many elements out".to_owned()));
    };
    cursor.padding_left = left;
    flat.extend(std::iter::repeat_n(Constant::Integer(0), zeros as usize));
    Ok(())
}

/// Reads a number or an address.
fn constant(cursor: &mut Cursor<'_>, ty: Type) -> Result<Constant, Fault> {
    let word = cursor.text_at(cursor.at);
    if cursor.kind() == Kind::Word && word != "WARP_SZ" {
        cursor.advance();
        let generic = word == "generic" && cursor.take(b'(');
        let name = if generic { cursor.word("the name of a variable")? } else { word };
        if generic {
            cursor.expect(b')', "`)`")?;
        }
        let offset = offset(cursor)?.unwrap_or(0);
        return Ok(Constant::Address { name: name.to_owned(), offset, generic });
    }
    let number = cursor.number("a number or a name")?;
    if cursor.sees(b'(') {
        return Err(cursor.fault(format!("a part of an address, such as `{word}(name)`, is not supported")));
    }
    Ok(match number {
        Literal::Integer(number) => Constant::Integer(number),
        Literal::Float32(bits) => Constant::Float32(bits),
        Literal::Float64(bits) => Constant::Float64(bits),
        Literal::Decimal(number) if ty == Type::Float(32) => Constant::Float32((number as f32).to_bits()),
        Literal::Decimal(number) => Constant::Float64(number.to_bits()),
    })
}
