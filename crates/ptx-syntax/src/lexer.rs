//! From PTX text to tokens. PTX ISA, chapter 4.

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier: `mov`, `%r1`, `$L__BB0_1`, `_`.
    Word,
    /// A dot and what is glued to it: `.global`, `.L1::no_allocate`.
    Dotted,
    /// What begins with a digit; not checked yet.
    Number,
    /// A string, with its quotes.
    Text,
    /// One byte of punctuation.
    Punctuation(u8),
    /// A byte or more that PTX does not have.
    Foreign,
    /// A string that its line does not close.
    OpenText,
    /// A comment that the text does not close.
    OpenComment,
    /// Behind the last token.
    End,
}

/// A token: where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// First byte.
    pub(super) start: usize,
    /// Byte behind the last.
    pub(super) end: usize,
    /// Line, from 1.
    pub(super) line: u32,
}

/// All tokens of a text; the last one is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: text.as_bytes(), at: 0, line: 1 };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == Kind::End {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

impl Lexer<'_> {
    /// The byte `ahead` of the current one; 0 behind the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) -> Token {
        let open_comment = self.skip_blanks();
        let (start, line) = (self.at, self.line);
        let kind = match (open_comment, self.peek(0)) {
            (Some(start), _) => return Token { kind: Kind::OpenComment, start, end: start + 2, line },
            _ if start >= self.bytes.len() => Kind::End,
            (_, byte) if is_word_start(byte) => {
                self.at += 1;
                self.skip_word();
                Kind::Word
            }
            (_, b'.') if is_word_byte(self.peek(1)) => {
                self.at += 1;
                self.skip_word();
                while self.peek(0) == b':' && self.peek(1) == b':' && is_word_byte(self.peek(2)) {
                    self.at += 2;
                    self.skip_word();
                }
                Kind::Dotted
            }
            (_, b'0'..=b'9') => {
                self.skip_number();
                Kind::Number
            }
            (_, b'"') => self.skip_text(),
            (_, byte) if b"{}()[]<>,;:=+-!@|.".contains(&byte) => {
                self.at += 1;
                Kind::Punctuation(byte)
            }
            _ => {
                self.at += 1;
                // A character of several bytes is one token.
                while self.peek(0) & 0xc0 == 0x80 {
                    self.at += 1;
                }
                Kind::Foreign
            }
        };
        Token { kind, start, end: self.at, line }
    }

    /// Skips blanks and comments; gives the beginning of a comment that is not closed.
    fn skip_blanks(&mut self) -> Option<usize> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line = self.line.saturating_add(1);
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0x0b | 0x0c, _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    let (start, line) = (self.at, self.line);
                    self.at += 2;
                    while (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        if self.at >= self.bytes.len() {
                            self.line = line;
                            return Some(start);
                        }
                        self.line = self.line.saturating_add(u32::from(self.peek(0) == b'\n'));
                        self.at += 1;
                    }
                    self.at += 2;
                }
                _ => return None,
            }
        }
    }

    fn skip_word(&mut self) {
        while is_word_byte(self.peek(0)) {
            self.at += 1;
        }
    }

    fn skip_digits(&mut self) {
        while self.peek(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    /// A number and all word bytes glued to it, so that a malformed one is one token.
    fn skip_number(&mut self) {
        let radix = self.peek(0) == b'0' && matches!(self.peek(1) | 0x20, b'x' | b'b' | b'f' | b'd');
        if !radix {
            self.skip_digits();
            if self.peek(0) == b'.' {
                self.at += 1;
                self.skip_digits();
            }
            let sign = usize::from(matches!(self.peek(1), b'+' | b'-'));
            if self.peek(0) | 0x20 == b'e' && self.peek(1 + sign).is_ascii_digit() {
                self.at += 1 + sign;
            }
        }
        self.skip_word();
    }

    fn skip_text(&mut self) -> Kind {
        self.at += 1;
        loop {
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return Kind::Text;
                }
                b'\n' => return Kind::OpenText,
                b'\\' if !matches!(self.peek(1), b'\n' | 0) => self.at += 2,
                _ if self.at >= self.bytes.len() => return Kind::OpenText,
                _ => self.at += 1,
            }
        }
    }
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%')
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}
