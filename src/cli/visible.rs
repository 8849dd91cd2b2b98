//! Text from files and arguments on a terminal: characters that control it, or that turn the direction of what follows, are shown.

use std::borrow::Cow;
use std::fmt::Write as _;

use located_toml::words::is_control;

/// A text in which such characters stand as `\u001b`, as JSON writes them. Line ends and tabs stay.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    shown(text, |own| is_control(own) && !matches!(own, '\n' | '\t'))
}

/// A text for a file or a pipe, in which only characters stand so that control terminals.
pub(super) fn without_control(text: &str) -> Cow<'_, str> {
    shown(text, |own| own.is_control() && !matches!(own, '\n' | '\r' | '\t'))
}

fn shown(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().fold(String::with_capacity(text.len() + 8), |mut shown, own| {
        if is_hidden(own) {
            let _ = write!(shown, "\\u{:04x}", u32::from(own));
        } else {
            shown.push(own);
        }
        shown
    });
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_control_a_terminal_is_shown() {
        assert_eq!(visible("\u{1b}[31mred\r"), "\\u001b[31mred\\u000d");
        assert_eq!(visible("abc\u{202e}fed"), "abc\\u202efed");
        assert_eq!(visible("\u{9b}2J"), "\\u009b2J");
        assert_eq!(without_control("\u{1b}[31mred\r\nabc\u{202e}"), "\\u001b[31mred\r\nabc\u{202e}");
        for plain in ["a line\nand\ta tab", "漢字, µs, é, 😀"] {
            assert!(matches!(visible(plain), Cow::Borrowed(own) if own == plain));
        }
    }
}
