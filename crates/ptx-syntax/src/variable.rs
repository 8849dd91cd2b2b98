//! Declarations of variables, parameters and registers. PTX ISA, 5.4 "Variables".

use super::cursor::{Cursor, Fault};
use super::initializer::initializer;
use super::lexer::Kind;
use super::module::{Linkage, Opaque, Space, Statement, Type, Variable};

/// What stands before the names of a declaration.
#[derive(Debug, Clone, Copy)]
struct Prefix {
    space: Space,
    alignment: Option<u32>,
    vector: u8,
    ty: Type,
}

/// The state space of a word without its dot.
pub(super) fn space(word: &str) -> Option<Space> {
    Some(match word {
        // PTX 1 has a state space for textures, which is in global memory.
        "global" | "tex" => Space::Global,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "const" => Space::Const,
        "param" => Space::Param,
        "reg" => Space::Register,
        _ => return None,
    })
}

/// The type of a word without its dot. `.f16x2` is two halves in 32 bits.
fn fundamental(word: &str) -> Option<Type> {
    Some(match word {
        "b8" => Type::Bits(8),
        "b16" => Type::Bits(16),
        "b32" | "f16x2" => Type::Bits(32),
        "b64" => Type::Bits(64),
        "u8" => Type::Unsigned(8),
        "u16" => Type::Unsigned(16),
        "u32" => Type::Unsigned(32),
        "u64" => Type::Unsigned(64),
        "s8" => Type::Signed(8),
        "s16" => Type::Signed(16),
        "s32" => Type::Signed(32),
        "s64" => Type::Signed(64),
        "f16" => Type::Float(16),
        "f32" => Type::Float(32),
        "f64" => Type::Float(64),
        "pred" => Type::Predicate,
        "texref" => Type::Opaque(Opaque::Texture),
        "samplerref" => Type::Opaque(Opaque::Sampler),
        "surfref" => Type::Opaque(Opaque::Surface),
        _ => return None,
    })
}

/// Reads a state space, a type and what may stand between and behind them, in any order.
fn prefix(cursor: &mut Cursor<'_>) -> Result<Prefix, Fault> {
    let Some(space_of_all) = cursor.dotted().and_then(space) else {
        return Err(cursor.unexpected("a state space such as `.param`"));
    };
    cursor.advance();
    let mut pointer = false;
    let (mut alignment, mut vector, mut ty) = (None, 1, None);
    while let Some(word) = cursor.dotted() {
        let place = cursor.at;
        cursor.advance();
        match (word, fundamental(word)) {
            ("align", _) => {
                let bytes = cursor.count_u32("an alignment in bytes")?;
                if !bytes.is_power_of_two() {
                    return Err(Cursor::fault_at(place, format!("alignment {bytes} is not a power of two")));
                }
                // Behind `.ptr` it is about what the parameter points to.
                if !pointer {
                    alignment = Some(bytes);
                }
            }
            ("v2", _) => vector = 2,
            ("v4", _) => vector = 4,
            ("ptr", _) => pointer = true,
            ("attribute", _) => cursor.skip_balanced(b'(', b')')?,
            (_, Some(_)) if ty.is_some() => return Err(Cursor::fault_at(place, format!("a second type `.{word}`"))),
            (_, Some(fundamental)) => ty = Some(fundamental),
            _ if pointer && space(word).is_some() => {}
            _ => return Err(Cursor::fault_at(place, format!("`.{word}` is no type that is supported here"))),
        }
    }
    match ty {
        Some(ty) => Ok(Prefix { space: space_of_all, alignment, vector, ty }),
        None => Err(cursor.unexpected("a type such as `.u32`")),
    }
}

/// Reads a name and its extents.
fn named(cursor: &mut Cursor<'_>, prefix: Prefix, linkage: Option<Linkage>) -> Result<Variable, Fault> {
    let line = cursor.line();
    let name = cursor.word("a name")?.to_owned();
    if cursor.sees(b'<') {
        return Err(cursor.fault("only registers are declared by a count".to_owned()));
    }
    let mut dimensions = Vec::new();
    while cursor.take(b'[') {
        if cursor.sees(b']') {
            if !dimensions.is_empty() {
                return Err(cursor.fault("only the first extent of an array may be left out".to_owned()));
            }
            dimensions.push(None);
        } else {
            dimensions.push(Some(cursor.count("an extent")?));
        }
        cursor.expect(b']', "`]`")?;
    }
    let Prefix { space, alignment, vector, ty } = prefix;
    Ok(Variable { linkage, space, alignment, vector, ty, name, dimensions, initializer: None, line })
}

/// Reads `.space type name [= initializer], ...;`.
pub(super) fn variables(cursor: &mut Cursor<'_>, linkage: Option<Linkage>) -> Result<Vec<Variable>, Fault> {
    let prefix = prefix(cursor)?;
    let mut all = Vec::new();
    loop {
        let mut variable = named(cursor, prefix, linkage)?;
        if cursor.take(b'=') {
            if matches!(variable.ty, Type::Opaque(_)) {
                // `{ addr_mode_0 = wrap, ... }`
                cursor.skip_balanced(b'{', b'}')?;
            } else {
                variable.initializer = Some(initializer(cursor, &variable)?);
            }
        }
        all.push(variable);
        if !cursor.take(b',') {
            cursor.end_of_statement("`,`, `=` or `;`")?;
            return Ok(all);
        }
    }
}

/// Reads `(parameter, ...)`. A wrong parameter is reported and left out.
pub(super) fn parameters(cursor: &mut Cursor<'_>) -> Result<Vec<Variable>, Fault> {
    cursor.expect(b'(', "`(`")?;
    let mut all = Vec::new();
    if cursor.take(b')') {
        return Ok(all);
    }
    loop {
        match prefix(cursor).and_then(|prefix| named(cursor, prefix, None)) {
            Ok(parameter) => all.push(parameter),
            Err(fault) => {
                cursor.report(&fault);
                while !cursor.at_end() && !matches!(cursor.kind(), Kind::Punctuation(b',' | b')' | b'{' | b';')) {
                    cursor.advance();
                }
            }
        }
        if !cursor.take(b',') {
            cursor.expect(b')', "`,` or `)`")?;
            return Ok(all);
        }
    }
}

/// Reads `.reg .type name<count>, ...;`.
pub(super) fn registers(cursor: &mut Cursor<'_>) -> Result<Statement, Fault> {
    let Prefix { vector, ty, .. } = prefix(cursor)?;
    let mut names = Vec::new();
    loop {
        let name = cursor.word("the name of a register")?.to_owned();
        let count = if cursor.take(b'<') {
            let count = cursor.count_u32("a count of registers")?;
            cursor.expect(b'>', "`>`")?;
            Some(count)
        } else {
            None
        };
        names.push((name, count));
        if !cursor.take(b',') {
            cursor.end_of_statement("`,` or `;`")?;
            return Ok(Statement::Registers { vector, ty, names });
        }
    }
}
