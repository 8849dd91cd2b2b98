//! Modules and functions. PTX ISA, chapter 7 and 11.1 to 11.2.

use super::PtxErrors;
use super::cursor::{Cursor, Fault};
use super::lexer::Kind;
use super::module::{Function, Item, Linkage, Module, Statement};
use super::statement::{begins_function, body, file, location, pragmas};
use super::variable::{parameters, variables};

/// The newest major version that is plausible; what a newer instruction means is not asked here.
const NEWEST_MAJOR: u32 = 20;

/// Reads a text without control bytes.
pub(super) fn parse(text: &str) -> Result<Module, PtxErrors> {
    let mut cursor = Cursor::new(text);
    let mut parser = Parser::default();
    if cursor.kind() == Kind::End {
        cursor.report(&cursor.fault("the text is empty".to_owned()));
    } else if !cursor.at_end() && cursor.dotted() != Some("version") {
        cursor.report(&cursor.fault("`.version` must come first".to_owned()));
    }
    let mut placed = false;
    while !cursor.at_end() {
        let start = cursor.at;
        let is_function_word = cursor.dotted().is_some_and(|word| !matches!(word, "version" | "target" | "file"));
        if parser.target.is_none() && is_function_word && !placed {
            placed = true;
            cursor.report(&cursor.fault("`.target` must come before this".to_owned()));
        }
        if let Err(fault) = parser.directive(&mut cursor) {
            cursor.report(&fault);
            recover(&mut cursor, start, &fault);
        }
    }
    cursor.report_comment();
    if parser.target.is_none() && parser.version.is_some() && !placed && cursor.kind() == Kind::End {
        cursor.report(&cursor.fault("`.target` is missing".to_owned()));
    }
    cursor.finish(Module {
        version: parser.version.unwrap_or_default(),
        target: parser.target.unwrap_or_default(),
        address_bits: parser.address_bits.unwrap_or(32),
        items: parser.items,
    })
}

/// What is read of a module so far.
#[derive(Debug, Default)]
struct Parser {
    version: Option<(u32, u32)>,
    target: Option<Vec<String>>,
    address_bits: Option<u32>,
    items: Vec<Item>,
}

impl Parser {
    /// Reads one directive of a module.
    fn directive(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let Some(word) = cursor.dotted() else {
            return match cursor.kind() {
                Kind::Punctuation(b';') => {
                    cursor.advance();
                    Ok(())
                }
                Kind::Punctuation(b'}') => Err(cursor.fault("this `}` closes nothing".to_owned())),
                Kind::Word | Kind::Punctuation(b'@' | b'{') => {
                    Err(cursor.fault("this is outside of a function".to_owned()))
                }
                _ => Err(cursor.unexpected("a directive")),
            };
        };
        let repeated = match word {
            "version" => self.version.is_some(),
            "target" => self.target.is_some(),
            "address_size" => self.address_bits.is_some(),
            _ => false,
        };
        if repeated {
            return Err(cursor.fault(format!("a second `.{word}`")));
        }
        match word {
            "version" => self.version = Some(version(cursor)?),
            "target" => {
                // A wrong one is no missing one.
                self.target = Some(Vec::new());
                self.target = Some(target(cursor)?);
            }
            "address_size" => self.address_bits = Some(address_bits(cursor)?),
            "file" => file(cursor)?,
            "loc" => drop(location(cursor)?),
            "pragma" => drop(pragmas(cursor)?),
            "section" => {
                cursor.advance();
                cursor.advance();
                cursor.skip_balanced(b'{', b'}')?;
            }
            "entry" | "func" | "global" | "const" | "shared" | "local" | "tex" => self.declaration(cursor, None)?,
            _ => match linkage(word) {
                Some(linkage) => {
                    cursor.advance();
                    self.declaration(cursor, Some(linkage))?;
                }
                None => return Err(cursor.fault(format!("unknown directive `.{word}` outside of a function"))),
            },
        }
        Ok(())
    }

    /// Reads a function or variables behind their linkage.
    fn declaration(&mut self, cursor: &mut Cursor<'_>, linkage: Option<Linkage>) -> Result<(), Fault> {
        match cursor.dotted() {
            Some("entry" | "func") => self.items.push(Item::Function(function(cursor, linkage)?)),
            Some("global" | "const" | "shared" | "local" | "tex") => {
                self.items.extend(variables(cursor, linkage)?.into_iter().map(Item::Variable));
            }
            _ => return Err(cursor.unexpected("`.entry`, `.func` or a state space such as `.global`")),
        }
        Ok(())
    }
}

fn linkage(word: &str) -> Option<Linkage> {
    Some(match word {
        "visible" => Linkage::Visible,
        "extern" => Linkage::Extern,
        "weak" => Linkage::Weak,
        "common" => Linkage::Common,
        _ => return None,
    })
}

/// Reads `.version major.minor`.
fn version(cursor: &mut Cursor<'_>) -> Result<(u32, u32), Fault> {
    cursor.advance();
    let text = cursor.text_at(cursor.at);
    let parts = text.split_once('.').map(|(major, minor)| (major.parse::<u32>(), minor.parse::<u32>()));
    let Some((Ok(major), Ok(minor))) = parts else {
        return Err(cursor.unexpected("a version such as `9.0`"));
    };
    if !(1..=NEWEST_MAJOR).contains(&major) {
        return Err(cursor.fault(format!("there is no PTX version {text}")));
    }
    cursor.advance();
    Ok((major, minor))
}

/// Reads `.target architecture, option, ...`.
fn target(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Fault> {
    cursor.advance();
    let first = cursor.word("an architecture such as `sm_75`")?;
    if !first.starts_with("sm_") && !first.starts_with("compute_") {
        return Err(Cursor::fault_at(
            cursor.at - 1,
            format!("expected an architecture such as `sm_75`, not `{first}`"),
        ));
    }
    let mut target = vec![first.to_owned()];
    while cursor.take(b',') {
        target.push(cursor.word("an option of the target")?.to_owned());
    }
    Ok(target)
}

fn address_bits(cursor: &mut Cursor<'_>) -> Result<u32, Fault> {
    cursor.advance();
    let place = cursor.at;
    match cursor.count("32 or 64")? {
        32 => Ok(32),
        64 => Ok(64),
        other => Err(Cursor::fault_at(place, format!("an address has 32 or 64 bits, not {other}"))),
    }
}

/// Reads `.entry` or `.func` with all that belongs to it.
fn function(cursor: &mut Cursor<'_>, linkage: Option<Linkage>) -> Result<Function, Fault> {
    let entry = cursor.dotted() == Some("entry");
    cursor.advance();
    let skip_attribute = |cursor: &mut Cursor<'_>| {
        if cursor.dotted() == Some("attribute") {
            cursor.advance();
            return cursor.skip_balanced(b'(', b')');
        }
        Ok(())
    };
    skip_attribute(cursor)?;
    let results = if !entry && cursor.sees(b'(') { parameters(cursor)? } else { Vec::new() };
    let line = cursor.line();
    let name = cursor.word("the name of a function")?.to_owned();
    let parameters = if cursor.sees(b'(') { parameters(cursor)? } else { Vec::new() };
    let (directives, pragmas) = header(cursor)?;
    let mut function = Function { linkage, entry, name, results, parameters, directives, body: None, line };
    // Some compilers end a prototype with its line.
    let ends = !entry && cursor.is_first_of_line(cursor.at) && (cursor.at_end() || cursor.dotted().is_some());
    if cursor.take(b';') || ends {
        return Ok(function);
    }
    if !cursor.sees(b'{') {
        return Err(cursor.unexpected(&format!("`{{` or `;` for the function `{}`", function.name)));
    }
    let mut statements: Vec<_> = pragmas.into_iter().map(Statement::Pragma).collect();
    match body(cursor) {
        Ok(body) => statements.extend(body),
        Err(fault) => cursor.report(&fault),
    }
    function.body = Some(statements);
    Ok(function)
}

/// What stands between parameters and body: directives with their numbers, and pragmas.
type Header = (Vec<(String, Vec<u64>)>, Vec<String>);

/// Reads the directives of a function. Unknown ones are reported and left out. Pragmas belong to the body's beginning.
fn header(cursor: &mut Cursor<'_>) -> Result<Header, Fault> {
    let (mut directives, mut all_pragmas) = Header::default();
    while let Some(word) = cursor.dotted() {
        let is_next = cursor.is_first_of_line(cursor.at) && begins_item(word);
        if begins_function(word) || is_next {
            break;
        }
        if word == "pragma" {
            all_pragmas.extend(pragmas(cursor)?);
            continue;
        }
        if !is_function_directive(word) {
            cursor.report(&cursor.fault(format!("unknown directive `.{word}` of a function")));
        }
        cursor.advance();
        let mut numbers = Vec::new();
        if cursor.kind() == Kind::Number {
            numbers.push(cursor.count("a number")?);
            while cursor.take(b',') {
                numbers.push(cursor.count("a number")?);
            }
        }
        directives.push((word.to_owned(), numbers));
    }
    Ok((directives, all_pragmas))
}

/// Whether a word begins a variable of the module, or something that is in no function.
fn begins_item(word: &str) -> bool {
    matches!(word, "global" | "const" | "shared" | "local" | "tex" | "file" | "section")
}

/// PTX ISA, 11.4 "Performance-Tuning Directives" and 11.7 "Cluster Dimension Directives".
fn is_function_directive(word: &str) -> bool {
    matches!(
        word,
        "maxntid"
            | "reqntid"
            | "minnctapersm"
            | "maxnctapersm"
            | "maxnreg"
            | "noreturn"
            | "reqnctapercluster"
            | "explicitcluster"
            | "maxclusterrank"
            | "blocksareclusters"
            | "abi_preserve"
            | "abi_preserve_control"
    )
}

/// Moves to where the next directive of the module seems to begin, behind `start`, where the faulty one begins.
fn recover(cursor: &mut Cursor<'_>, start: usize, fault: &Fault) {
    if fault.resumes {
        return;
    }
    let reached = cursor.at.max(start + 1);
    // What is outside of a function was meant to be inside: whatever follows is no news until the next function.
    let is_stray = !matches!(cursor.token(start).kind, Kind::Dotted);
    cursor.at = start;
    let mut depth = 0_u64;
    while !cursor.at_end() {
        let may_stop = cursor.at >= reached;
        match cursor.kind() {
            Kind::Punctuation(b'{') => depth += 1,
            Kind::Punctuation(b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 && may_stop && !is_stray {
                    return cursor.advance();
                }
            }
            Kind::Punctuation(b';') if depth == 0 && may_stop && !is_stray => return cursor.advance(),
            Kind::Dotted if may_stop && cursor.is_first_of_line(cursor.at) => {
                let word = cursor.dotted().unwrap_or_default();
                let begins = begins_function(word) || word == "section";
                if begins || (depth == 0 && matches!(word, "global" | "const" | "file")) {
                    return;
                }
            }
            _ => {}
        }
        cursor.advance();
    }
}
