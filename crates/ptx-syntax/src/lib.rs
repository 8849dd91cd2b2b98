//! PTX, the instruction text of NVIDIA GPUs: from text to a syntax tree and back.
//!
//! [`parse`] gives a [`Module`] or all that is wrong with the text at once, each error with its line; a module prints as PTX that
//! reads as the same module.
//!
//! ```
//! use ptx_syntax::{Item, parse};
//!
//! let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
//! let module = parse(text)?;
//! let Item::Function(kernel) = &module.items[0] else { panic!("a kernel") };
//! assert_eq!((kernel.name.as_str(), kernel.entry), ("nothing", true));
//! assert_eq!(parse(&module.to_string())?.without_lines(), module.without_lines());
//! let errors = parse(".version 8.0\n.target sm_75\n.visible .entry nothing( { }").unwrap_err();
//! assert_eq!(errors.errors()[0].line, 3);
//! # Ok::<(), ptx_syntax::PtxErrors>(())
//! ```
//!
//! What it does not do: resolve names, know opcodes or check their operands, keep comments and debugging sections, and compile. Nothing
//! here knows of devices.
//!
//! Source: the PTX ISA manual, chapters 4 (syntax), 5 (state spaces and types), 6 (operands), 7 (functions) and 11 (directives).

#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cursor;
mod error;
mod initializer;
mod lexer;
mod lines;
mod literal;
pub mod module;
mod operand;
mod parser;
mod print;
mod source_lines;
mod statement;
#[cfg(test)]
mod tests;
mod variable;

pub use error::{PtxError, PtxErrors};
pub use module::*;
pub use source_lines::{SourceLines, SourcePlace};

/// Reads a PTX text.
///
/// What has no meaning for a run is read and dropped: comments, `.file`, `.section`, `.ptr` and `.attribute` of
/// variables, and pragmas outside functions. `.address_size` is 32 where it is not written, as the manual says.
///
/// # Errors
///
/// All that is wrong with the text, in order of line. An opcode that no GPU has is not an error here.
pub fn parse(text: &str) -> Result<Module, PtxErrors> {
    let text = text.trim_end_matches('\0');
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.bytes().position(is_binary) {
        Some(offset) => Err(not_text(text.as_bytes(), offset)),
        None => parser::parse(text),
    }
}

/// Reads a PTX text whose encoding is not known yet; zeros behind its end are ignored.
///
/// # Errors
///
/// As [`parse`], and one error where the bytes are no text.
pub fn parse_bytes(bytes: &[u8]) -> Result<Module, PtxErrors> {
    match str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => Err(not_text(bytes, error.valid_up_to())),
    }
}

/// Control bytes that no text has.
fn is_binary(byte: u8) -> bool {
    byte == 0x7f || (byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0b | 0x0c))
}

fn not_text(bytes: &[u8], offset: usize) -> PtxErrors {
    let before = bytes.get(..offset).unwrap_or_default();
    let line = before.split(|&byte| byte == b'\n').count();
    let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
    let byte = bytes.get(offset).copied().unwrap_or_default();
    let message = format!("this is not PTX text: byte {offset} is 0x{byte:02X}");
    let mut error = PtxError::new(u32::try_from(line).unwrap_or(u32::MAX), "", message);
    error.column = u32::try_from(column).unwrap_or(u32::MAX);
    PtxErrors::from(error)
}
