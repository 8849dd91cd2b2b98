//! Text from files and arguments on a terminal: characters that control it, turn the direction of what follows, or take no place are shown.

use std::borrow::Cow;
use std::io::{self, Write};

use located_toml::words::{escaped, is_control};

/// A text in which such characters stand as `\u001b`, as JSON writes them. Line ends and tabs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |own| is_control(own) && !matches!(own, '\n' | '\t'))
}

/// A text for a file or a pipe, in which only characters stand so that control terminals.
pub(super) fn without_control(text: &str) -> Cow<'_, str> {
    escaped(text, |own| own.is_control() && !matches!(own, '\n' | '\r' | '\t'))
}

/// Bytes of lines that are written at once.
const LINES_AT_ONCE: usize = 1 << 16;

/// A stream on which texts become [`visible`], many lines at a time.
pub(super) struct VisibleLines<W> {
    out: W,
    held: Vec<u8>,
}

impl<W: Write> VisibleLines<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, held: Vec::with_capacity(2 * LINES_AT_ONCE) }
    }

    /// Writes what is held, and a line end.
    pub(super) fn end(mut self) -> io::Result<()> {
        self.write_held(self.held.len())?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }

    fn write_held(&mut self, count: usize) -> io::Result<()> {
        self.out.write_all(visible(&String::from_utf8_lossy(&self.held[..count])).as_bytes())?;
        self.held.drain(..count);
        Ok(())
    }
}

impl<W: Write> Write for VisibleLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() >= LINES_AT_ONCE
            && let Some(end) = self.held.iter().rposition(|byte| *byte == b'\n')
        {
            self.write_held(end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_text_however_they_are_cut() {
        let text = "é \u{202e} 漢字\n".repeat(20_000) + "no line end: µ";
        for length in [1, 7, 70_000] {
            let mut out = Vec::new();
            let mut lines = VisibleLines::new(&mut out);
            text.as_bytes().chunks(length).for_each(|chunk| lines.write_all(chunk).unwrap());
            lines.end().unwrap();
            assert!(String::from_utf8(out).unwrap() == format!("{}\n", visible(&text)), "{length}");
        }
    }

    #[test]
    fn what_would_control_a_terminal_is_shown() {
        assert_eq!(visible("\u{1b}[31mred\r"), "\\u001b[31mred\\u000d");
        assert_eq!(visible("abc\u{202e}fed"), "abc\\u202efed");
        assert_eq!(visible("\u{9b}2J"), "\\u009b2J");
        assert_eq!(
            visible("a\u{200b}b\u{ad}c\u{feff}d\u{2028}e\u{3164}f"),
            "a\\u200bb\\u00adc\\ufeffd\\u2028e\\u3164f"
        );
        assert_eq!(without_control("\u{1b}[31mred\r\nabc\u{202e}"), "\\u001b[31mred\r\nabc\u{202e}");
        assert_eq!(visible("a\u{e0041}\u{1d173}"), "a\\udb40\\udc41\\ud834\\udd73");
        for plain in ["a line\nand\ta tab", "漢字, µs, é, 😀, 👩\u{200d}🔬, ☀\u{fe0f}"] {
            assert!(matches!(visible(plain), Cow::Borrowed(own) if own == plain));
        }
    }
}
