//! A place in the tokens of a text, and the errors found so far.

use super::error::{Collector, PtxError};
use super::lexer::{Kind, Token, tokens};
use super::literal::{self, Literal};

/// What is wrong at a token. It is reported where reading can go on.
#[derive(Debug)]
pub(super) struct Fault {
    /// Index of the token.
    pub(super) token: usize,
    /// What is wrong.
    pub(super) message: String,
    /// Whether the next statement begins right here.
    pub(super) resumes: bool,
}

/// A reader of tokens. It never moves behind the last one.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// Index of the current token.
    pub(super) at: usize,
    errors: Collector,
    /// Whether the comment that swallows the end of the text is reported.
    comment_reported: bool,
    /// Zeros that initializers of this text may still leave unwritten inside nested braces.
    pub(super) padding_left: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let errors = Collector::default();
        Self { text, tokens: tokens(text), at: 0, errors, comment_reported: false, padding_left: 1 << 20 }
    }

    /// `value`, or the errors that were reported.
    pub(super) fn finish<T>(self, value: T) -> Result<T, super::PtxErrors> {
        self.errors.finish(value)
    }

    /// The token of an index; the last one behind it.
    pub(super) fn token(&self, index: usize) -> Token {
        let last = Token { kind: Kind::End, start: self.text.len(), end: self.text.len(), line: 1 };
        self.tokens.get(index).or(self.tokens.last()).copied().unwrap_or(last)
    }

    pub(super) fn kind(&self) -> Kind {
        self.token(self.at).kind
    }

    pub(super) fn next_kind(&self) -> Kind {
        self.token(self.at + 1).kind
    }

    /// Line of the current token.
    pub(super) fn line(&self) -> u32 {
        self.token(self.at).line
    }

    /// Whether nothing follows that could be read.
    pub(super) fn at_end(&self) -> bool {
        matches!(self.kind(), Kind::End | Kind::OpenComment)
    }

    /// The text of the token at an index.
    pub(super) fn text_at(&self, index: usize) -> &'a str {
        let token = self.token(index);
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    pub(super) fn advance(&mut self) {
        if !self.at_end() {
            self.at += 1;
        }
    }

    /// Whether the current token is this punctuation.
    pub(super) fn sees(&self, byte: u8) -> bool {
        self.kind() == Kind::Punctuation(byte)
    }

    /// Moves over this punctuation where it is there.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let seen = self.sees(byte);
        if seen {
            self.advance();
        }
        seen
    }

    pub(super) fn expect(&mut self, byte: u8, expected: &str) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Moves over an identifier.
    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str, Fault> {
        if self.kind() != Kind::Word {
            return Err(self.unexpected(expected));
        }
        let word = self.text_at(self.at);
        self.advance();
        Ok(word)
    }

    /// What follows the dot of the current token, such as `global`.
    pub(super) fn dotted(&self) -> Option<&'a str> {
        if self.kind() == Kind::Dotted { self.text_at(self.at).strip_prefix('.') } else { None }
    }

    /// Moves over a string and gives what is between its quotes.
    pub(super) fn string(&mut self) -> Result<&'a str, Fault> {
        if self.kind() != Kind::Text {
            return Err(self.unexpected("a string"));
        }
        let quoted = self.text_at(self.at);
        self.advance();
        Ok(quoted.get(1..quoted.len() - 1).unwrap_or_default())
    }

    /// Moves over a number with or without a sign. `WARP_SZ` is 32: PTX ISA 4.5.4.
    pub(super) fn number(&mut self, expected: &str) -> Result<Literal, Fault> {
        let negative = self.sees(b'-');
        if negative || self.sees(b'+') {
            self.advance();
        }
        let literal = match self.kind() {
            Kind::Number => literal::read(self.text_at(self.at)).map_err(|message| self.fault(message))?,
            Kind::Word if self.text_at(self.at) == "WARP_SZ" => Literal::Integer(32),
            _ => return Err(self.unexpected(expected)),
        };
        let signed = if negative { literal.negated() } else { Some(literal) };
        let signed = signed.ok_or_else(|| self.fault("the number is too small for 64 bits".to_owned()))?;
        self.advance();
        Ok(signed)
    }

    /// Moves over a whole number without a sign.
    pub(super) fn count(&mut self, expected: &str) -> Result<u64, Fault> {
        let start = self.at;
        if self.sees(b'-') || self.sees(b'+') {
            return Err(self.unexpected(expected));
        }
        match self.number(expected)? {
            Literal::Integer(number) => Ok(number),
            _ => Err(Self::fault_at(start, format!("expected {expected}, not `{}`", self.text_at(start)))),
        }
    }

    /// As [`Self::count`], in 32 bits.
    pub(super) fn count_u32(&mut self, expected: &str) -> Result<u32, Fault> {
        let start = self.at;
        let number = self.count(expected)?;
        u32::try_from(number).map_err(|_| Self::fault_at(start, format!("number {number} is too large for 32 bits")))
    }

    /// Moves over `;`. Where the line ends without one, the next line is read as a statement of its own.
    pub(super) fn end_of_statement(&mut self, expected: &str) -> Result<(), Fault> {
        if self.take(b';') {
            return Ok(());
        }
        let begins =
            matches!(self.kind(), Kind::Word | Kind::Dotted | Kind::Punctuation(b'@' | b'{' | b'}') | Kind::End);
        if begins && (self.is_first_of_line(self.at) || self.at_end()) {
            let token = self.at.saturating_sub(1);
            let message = format!("missing `;` after `{}`", self.text_at(token));
            return Err(Fault { token, message, resumes: true });
        }
        Err(self.unexpected(expected))
    }

    /// Whether a token is the first of its line.
    pub(super) fn is_first_of_line(&self, index: usize) -> bool {
        index == 0 || self.token(index - 1).line < self.token(index).line
    }

    /// Moves over `open`, what is inside, and the `close` that belongs to it.
    pub(super) fn skip_balanced(&mut self, open: u8, close: u8) -> Result<(), Fault> {
        let start = self.at;
        self.expect(open, &format!("`{}`", char::from(open)))?;
        let mut depth = 1_u64;
        while depth > 0 {
            if self.at_end() {
                return Err(self.unclosed(start));
            }
            if self.sees(open) {
                depth += 1;
            } else if self.sees(close) {
                depth -= 1;
            }
            self.advance();
        }
        Ok(())
    }

    /// The fault that the bracket at an index is not closed, unless a comment may have swallowed its end.
    pub(super) fn unclosed(&self, open: usize) -> Fault {
        let token = if self.kind() == Kind::OpenComment { self.at } else { open };
        Self::fault_at(token, format!("this `{}` is not closed", self.text_at(open)))
    }

    /// A fault at the current token.
    pub(super) fn fault(&self, message: String) -> Fault {
        Self::fault_at(self.at, message)
    }

    /// A fault at a token.
    pub(super) fn fault_at(token: usize, message: String) -> Fault {
        Fault { token, message, resumes: false }
    }

    /// The fault that something else than the current token is expected.
    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let token = self.text_at(self.at);
        self.fault(match self.kind() {
            Kind::End => format!("the text ends where {expected} is expected"),
            Kind::Foreign => format!("`{token}` does not belong in PTX; expected {expected}"),
            Kind::OpenText => "the string is not closed".to_owned(),
            _ => format!("expected {expected}, not `{token}`"),
        })
    }

    /// Keeps a fault as an error with its place.
    pub(super) fn report(&mut self, fault: &Fault) {
        let token = self.token(fault.token);
        let mut message = fault.message.as_str();
        // Whatever else is missing, an open comment swallowed it.
        if self.kind() == Kind::OpenComment && fault.token >= self.at.saturating_sub(usize::from(fault.resumes)) {
            self.report_comment();
            return;
        }
        if !self.errors.keeps() {
            self.errors.skip();
            return;
        }
        if token.kind == Kind::OpenText {
            message = "the string is not closed";
        }
        self.errors.push(self.located(token, message));
    }

    /// Reports a comment that is not closed, once.
    pub(super) fn report_comment(&mut self) {
        if self.kind() != Kind::OpenComment || self.comment_reported {
            return;
        }
        self.comment_reported = true;
        if self.errors.keeps() {
            self.errors.push(self.located(self.token(self.at), "the comment is not closed"));
        } else {
            self.errors.skip();
        }
    }

    fn located(&self, token: Token, message: &str) -> PtxError {
        let line_start = self.text.get(..token.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let rest = self.text.get(line_start..).unwrap_or_default();
        let source_line = rest.split('\n').next().unwrap_or_default();
        let column = 1 + self.text.get(line_start..token.start).unwrap_or_default().chars().count();
        PtxError::at(token.line, u32::try_from(column).unwrap_or(u32::MAX), source_line, message)
    }
}
