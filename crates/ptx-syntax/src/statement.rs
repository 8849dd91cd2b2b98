//! Statements of a function. PTX ISA, 4.3 "Statements" and 11.3 to 11.5 for the directives.

use super::cursor::{Cursor, Fault};
use super::lexer::Kind;
use super::module::{Guard, Instruction, Statement};
use super::operand::operand;
use super::variable::{parameters, registers, space, variables};

/// Blocks that may be open inside each other.
const DEEPEST: usize = 64;

/// Reads `{ ... }`, the body of a function. What is wrong inside is reported; a fault says that its end is missing.
pub(super) fn body(cursor: &mut Cursor<'_>) -> Result<Vec<Statement>, Fault> {
    let mut open = cursor.at;
    cursor.expect(b'{', "`{`")?;
    let mut current = Vec::new();
    let mut outer: Vec<(usize, Vec<Statement>)> = Vec::new();
    loop {
        match cursor.kind() {
            Kind::End | Kind::OpenComment => break,
            Kind::Punctuation(b';') => cursor.advance(),
            Kind::Punctuation(b'{') if outer.len() + 1 >= DEEPEST => {
                cursor.report(&cursor.fault(format!("blocks nest deeper than {DEEPEST}")));
                if let Err(fault) = cursor.skip_balanced(b'{', b'}') {
                    cursor.report(&fault);
                    return Ok(current);
                }
            }
            Kind::Punctuation(b'{') => {
                outer.push((open, std::mem::take(&mut current)));
                open = cursor.at;
                cursor.advance();
            }
            Kind::Punctuation(b'}') => {
                cursor.advance();
                let Some((before, statements)) = outer.pop() else {
                    return Ok(current);
                };
                open = before;
                let block = std::mem::replace(&mut current, statements);
                current.push(Statement::Block(block));
            }
            Kind::Dotted if cursor.dotted().is_some_and(begins_function) => break,
            _ => {
                let start = cursor.at;
                if let Err(fault) = statement(cursor, &mut current) {
                    cursor.report(&fault);
                    recover(cursor, start, &fault);
                }
            }
        }
    }
    Err(cursor.unclosed(open))
}

/// Whether a directive cannot be inside a function.
pub(super) fn begins_function(word: &str) -> bool {
    matches!(word, "visible" | "extern" | "weak" | "common" | "entry" | "func" | "version" | "target" | "address_size")
}

/// Moves to where the next statement seems to begin, behind `start`, where the faulty one begins.
fn recover(cursor: &mut Cursor<'_>, start: usize, fault: &Fault) {
    if fault.resumes {
        return;
    }
    let reached = cursor.at.max(start + 1);
    cursor.at = start;
    let mut depth = 0_u64;
    while !cursor.at_end() {
        let may_stop = cursor.at >= reached;
        match cursor.kind() {
            Kind::Punctuation(b';') if may_stop => return cursor.advance(),
            Kind::Punctuation(b'}') if depth == 0 && may_stop => return,
            Kind::Punctuation(b'{') => depth += 1,
            Kind::Punctuation(b'}') => depth = depth.saturating_sub(1),
            _ if may_stop && begins_statement(cursor) => return,
            _ => {}
        }
        cursor.advance();
    }
}

/// Whether the current token looks like the beginning of a statement on a line of its own.
fn begins_statement(cursor: &Cursor<'_>) -> bool {
    cursor.is_first_of_line(cursor.at)
        && match cursor.kind() {
            Kind::Punctuation(b'@') => true,
            Kind::Dotted => cursor.dotted().is_some_and(|word| {
                space(word).is_some() || begins_function(word) || matches!(word, "pragma" | "loc" | "file")
            }),
            Kind::Word => match cursor.next_kind() {
                Kind::Punctuation(b':') => true,
                Kind::Dotted => !cursor.text_at(cursor.at).starts_with('%'),
                _ => false,
            },
            _ => false,
        }
}

/// Reads a statement that is not a block.
fn statement(cursor: &mut Cursor<'_>, all: &mut Vec<Statement>) -> Result<(), Fault> {
    if let Some(word) = cursor.dotted() {
        return directive(cursor, word, all);
    }
    match cursor.kind() {
        Kind::Word if cursor.next_kind() == Kind::Punctuation(b':') => {
            let label = cursor.word("a label")?.to_owned();
            cursor.advance();
            all.push(labelled(cursor, label)?);
        }
        Kind::Word | Kind::Punctuation(b'@') => all.push(Statement::Instruction(instruction(cursor)?)),
        _ => return Err(cursor.unexpected("a statement")),
    }
    Ok(())
}

fn directive(cursor: &mut Cursor<'_>, word: &str, all: &mut Vec<Statement>) -> Result<(), Fault> {
    match word {
        "reg" => all.push(registers(cursor)?),
        "pragma" => all.extend(pragmas(cursor)?.into_iter().map(Statement::Pragma)),
        "loc" => all.push(Statement::Location(location(cursor)?)),
        "file" => file(cursor)?,
        "branchtargets" | "calltargets" | "callprototype" => {
            return Err(cursor.fault(format!("`.{word}` needs a label before it")));
        }
        _ if space(word).is_some() => all.extend(variables(cursor, None)?.into_iter().map(Statement::Variable)),
        _ => return Err(cursor.fault(format!("unknown directive `.{word}`"))),
    }
    Ok(())
}

/// Reads what is behind `label:`: a list of targets, a prototype, or anything else, which is a statement of its own.
fn labelled(cursor: &mut Cursor<'_>, label: String) -> Result<Statement, Fault> {
    let Some(word) = cursor.dotted() else {
        return Ok(Statement::Label(label));
    };
    let statement = match word {
        "branchtargets" => Statement::BranchTargets { label, targets: targets(cursor)? },
        "calltargets" => Statement::CallTargets { label, targets: targets(cursor)? },
        "callprototype" => prototype(cursor, label)?,
        _ => return Ok(Statement::Label(label)),
    };
    cursor.end_of_statement("`,` or `;`")?;
    Ok(statement)
}

fn targets(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Fault> {
    cursor.advance();
    let mut targets = vec![cursor.word("a target")?.to_owned()];
    while cursor.take(b',') {
        targets.push(cursor.word("a target")?.to_owned());
    }
    Ok(targets)
}

/// Reads `.callprototype (results) _ (parameters) .noreturn`. What `.abi_preserve` asks of registers is dropped.
fn prototype(cursor: &mut Cursor<'_>, label: String) -> Result<Statement, Fault> {
    cursor.advance();
    let results = if cursor.sees(b'(') { parameters(cursor)? } else { Vec::new() };
    cursor.word("`_`")?;
    let parameters = if cursor.sees(b'(') { parameters(cursor)? } else { Vec::new() };
    let mut noreturn = false;
    while let Some(word) = cursor.dotted() {
        match word {
            "noreturn" => noreturn = true,
            "abi_preserve" | "abi_preserve_control" => {}
            _ => return Err(cursor.fault(format!("unknown directive `.{word}`"))),
        }
        cursor.advance();
        if word != "noreturn" {
            cursor.count("a count of registers")?;
        }
    }
    Ok(Statement::CallPrototype { label, results, parameters, noreturn })
}

/// Reads `.pragma "...", ...;`.
pub(super) fn pragmas(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Fault> {
    cursor.advance();
    let mut pragmas = vec![cursor.string()?.to_owned()];
    while cursor.take(b',') {
        pragmas.push(cursor.string()?.to_owned());
    }
    cursor.end_of_statement("`,` or `;`")?;
    Ok(pragmas)
}

/// Reads `.loc file line column`; drops `, function_name label + number, inlined_at file line column`.
pub(super) fn location(cursor: &mut Cursor<'_>) -> Result<[u32; 3], Fault> {
    cursor.advance();
    let place = three(cursor)?;
    while cursor.take(b',') {
        match cursor.word("`function_name` or `inlined_at`")? {
            "inlined_at" => {
                three(cursor)?;
            }
            _ if cursor.kind() == Kind::Number => {
                cursor.count("a label")?;
            }
            _ => {
                cursor.word("a label")?;
                if cursor.take(b'+') {
                    cursor.count("a number of bytes")?;
                }
            }
        }
    }
    Ok(place)
}

fn three(cursor: &mut Cursor<'_>) -> Result<[u32; 3], Fault> {
    let file = cursor.count_u32("the number of a file")?;
    let line = cursor.count_u32("a line")?;
    Ok([file, line, cursor.count_u32("a column")?])
}

/// Reads `.file number "path", time, size`, which ends without a semicolon.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    cursor.advance();
    cursor.count("the number of a file")?;
    cursor.string()?;
    while cursor.take(b',') {
        cursor.count("a time or a size")?;
    }
    Ok(())
}

fn instruction(cursor: &mut Cursor<'_>) -> Result<Instruction, Fault> {
    let line = cursor.line();
    let guard = if cursor.take(b'@') {
        let negated = cursor.take(b'!');
        Some(Guard { register: cursor.word("a predicate")?.to_owned(), negated })
    } else {
        None
    };
    if cursor.text_at(cursor.at).starts_with(['%', '$']) {
        return Err(cursor.unexpected("an opcode"));
    }
    let opcode = cursor.word("an opcode")?.to_owned();
    let mut modifiers = Vec::new();
    while let Some(modifier) = cursor.dotted() {
        modifiers.push(modifier.to_owned());
        cursor.advance();
    }
    let mut operands = Vec::new();
    let begins_anew = cursor.at_end() || begins_statement(cursor);
    if !cursor.sees(b';') && !cursor.sees(b'}') && !begins_anew {
        operands.push(operand(cursor)?);
        while cursor.take(b',') {
            operands.push(operand(cursor)?);
        }
    }
    cursor.end_of_statement(if operands.is_empty() { "an operand or `;`" } else { "`,` or `;`" })?;
    Ok(Instruction { guard, opcode, modifiers, operands, line })
}
