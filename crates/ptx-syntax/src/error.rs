//! What is wrong with a PTX text, and where.

use std::error::Error;
use std::fmt;

/// Errors that a list keeps; the rest is counted.
const KEPT: usize = 20;
/// Characters of a source line that an error shows.
const SHOWN: usize = 80;
/// Characters of a message about a source line.
const LONGEST_MESSAGE: usize = 200;

/// One thing wrong with a PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxError {
    /// Its line, from 1; 0 where it is about the text as a whole.
    pub line: u32,
    /// Its column in characters, from 1; 0 where only the line is known.
    pub column: u32,
    /// The line or statement, shortened; empty where there is none to show.
    pub text: String,
    /// What is wrong.
    pub message: String,
}

impl PtxError {
    /// An error in a line whose column is not known, such as one about an instruction:
    /// `PtxError::new(instruction.line, &instruction.to_string(), message)`. `text` is shortened.
    pub fn new(line: u32, text: &str, message: impl Into<String>) -> Self {
        Self { line, column: 0, text: shorten(text, 0), message: message.into() }
    }

    /// An error at a column, from 1, of a source line.
    pub(super) fn at(line: u32, column: u32, source_line: &str, message: &str) -> Self {
        let text = shorten(source_line, (column as usize).saturating_sub(1));
        Self { line, column, text, message: cut(message) }
    }
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.message)?;
        if !self.text.is_empty() {
            write!(f, ": `{}`", self.text)?;
        }
        Ok(())
    }
}

impl Error for PtxError {}

/// All that is wrong with a PTX text: at least one error, in order of line. Beyond the twentieth they are only counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxErrors {
    errors: Vec<PtxError>,
    more: usize,
}

impl PtxErrors {
    /// The errors as a result: fine where there are none.
    ///
    /// # Errors
    ///
    /// The list, sorted by place and capped, where there is an error.
    pub fn check(mut errors: Vec<PtxError>) -> Result<(), Self> {
        if errors.is_empty() {
            return Ok(());
        }
        errors.sort_by_key(|error| (error.line, error.column));
        let more = errors.len().saturating_sub(KEPT);
        errors.truncate(KEPT);
        Err(Self { errors, more })
    }

    /// The errors that are kept, in order of line.
    pub fn errors(&self) -> &[PtxError] {
        &self.errors
    }

    /// How many there are, those not kept included.
    pub fn count(&self) -> usize {
        self.errors.len() + self.more
    }
}

impl From<PtxError> for PtxErrors {
    fn from(error: PtxError) -> Self {
        Self { errors: vec![error], more: 0 }
    }
}

impl fmt::Display for PtxErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl Error for PtxErrors {}

/// Collects errors while a text is read, without keeping those that will not be shown.
#[derive(Debug, Default)]
pub(super) struct Collector {
    errors: Vec<PtxError>,
    more: usize,
}

impl Collector {
    /// Whether a further error would be kept; if not, `skip` counts it.
    pub(super) fn keeps(&self) -> bool {
        self.errors.len() < KEPT
    }

    pub(super) fn push(&mut self, error: PtxError) {
        self.errors.push(error);
    }

    pub(super) fn skip(&mut self) {
        self.more += 1;
    }

    /// `value`, or the errors where there are any.
    pub(super) fn finish<T>(self, value: T) -> Result<T, PtxErrors> {
        match PtxErrors::check(self.errors) {
            Ok(()) => Ok(value),
            Err(errors) => Err(PtxErrors { more: errors.more + self.more, ..errors }),
        }
    }
}

/// A message without most of a token that never ends.
fn cut(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{}…", &message[..end]),
        None => message.to_owned(),
    }
}

/// One line of at most [`SHOWN`] characters, of which the `place`-th is one.
fn shorten(text: &str, place: usize) -> String {
    let leading = text.chars().take_while(|c| c.is_whitespace()).count();
    let place = place.saturating_sub(leading);
    let text = text.trim();
    let start = if place < SHOWN { 0 } else { place - SHOWN / 2 };
    let mut rest = text.chars().skip(start);
    let mut shown = if start > 0 { String::from("…") } else { String::new() };
    let mut blank = false;
    for c in rest.by_ref().take(SHOWN) {
        let is_blank = c.is_whitespace() || c.is_control();
        if !is_blank {
            shown.push(c);
        } else if !blank {
            shown.push(' ');
        }
        blank = is_blank;
    }
    if rest.next().is_some() {
        shown.push('…');
    }
    shown
}
