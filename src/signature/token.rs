//! The tokens of CUDA C++, without comments.

use logos::{Lexer, Logos};

/// What a token is.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\x0b]+")]
#[logos(skip r"\\\r?\n")]
#[logos(skip(r"//([^\n\\]|\\\r?\n|\\[^\r\n])*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(super) enum Kind {
    /// A name or a keyword.
    #[regex(r"[\p{XID_Start}_$][\p{XID_Continue}$]*")]
    Word,
    /// A number, as the preprocessor has them.
    #[regex(r"\.?[0-9]([0-9A-Za-z_.']|[eEpP][+-])*")]
    Number,
    /// A string or a character.
    #[regex(r#""([^"\\\n]|\\[^\n]|\\\r?\n)*""#)]
    #[regex(r"'([^'\\\n]|\\[^\n])*'")]
    #[regex(r#"(u8|u|U|L)?R""#, raw_string)]
    Text,
    /// A line of the preprocessor, with those that continue it.
    #[regex(r"#([^\n\\]|\\\r?\n|\\[^\r\n])*", allow_greedy = true)]
    Directive,
    /// What has no end: a comment or a string.
    #[token("/*")]
    #[token("\"")]
    Unclosed,
    /// Anything else: operators and brackets. `>>` is two, for it may close templates.
    #[token("::")]
    #[token("->")]
    #[token("==")]
    #[token("!=")]
    #[token("<=")]
    #[token(">=")]
    #[token("&&")]
    #[token("||")]
    #[token("+=")]
    #[token("-=")]
    #[token("*=")]
    #[token("/=")]
    #[token("%=")]
    #[token("&=")]
    #[token("|=")]
    #[token("^=")]
    #[token("++")]
    #[token("--")]
    #[token("<<")]
    #[regex(r"[^\s\w]", priority = 0)]
    Symbol,
}

/// Takes a raw string up to its end; without one, all that is left.
fn raw_string(lexer: &mut Lexer<'_, Kind>) {
    let rest = lexer.remainder();
    let end = rest.split_once('(').and_then(|(delimiter, text)| {
        let closing = format!("){delimiter}\"");
        text.find(&closing).map(|place| delimiter.len() + 1 + place + closing.len())
    });
    lexer.bump(end.unwrap_or(rest.len()));
}

/// A token, with its text and its line, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: u32,
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != Kind::Text
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

/// The tokens of a text. What is no token of the language is left out.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut line, mut counted) = (1_u32, 0);
    let found = Kind::lexer(text).spanned().filter_map(|(kind, span)| Some((kind.ok()?, span)));
    found
        .map(|(kind, span)| {
            line += text[counted..span.start].matches('\n').count() as u32;
            counted = span.start;
            Token { kind, text: &text[span], line }
        })
        .collect()
}

/// The value of a number as C++ writes it, if it is a whole one.
pub(super) fn whole(text: &str) -> Option<i64> {
    let plain: String = text.chars().filter(|letter| *letter != '\'').collect();
    let plain = plain.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    match plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => plain.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_are_skipped_and_strings_are_whole() {
        assert_eq!(texts("a /* b\n** c */ d // e \\\n f\ng"), ["a", "d", "g"]);
        assert_eq!(texts(r#"x("/* no \" comment */", '"')"#), ["x", "(", r#""/* no \" comment */""#, ",", "'\"'", ")"]);
        assert_eq!(texts("R\"end(a )\" b)end\" c"), ["R\"end(a )\" b)end\"", "c"]);
        assert_eq!(texts("#define A 1 \\\n + 2\nb"), ["#define A 1 \\\n + 2", "b"]);
        assert_eq!(texts("a<b<1>>::c"), ["a", "<", "b", "<", "1", ">", ">", "::", "c"]);
    }

    #[test]
    fn lines_are_counted_and_what_has_no_end_is_a_token() {
        let all = tokens("a\n\nb /* c\n d");
        assert_eq!((all[1].text, all[1].line), ("b", 3));
        assert_eq!((all[2].kind, all[2].line), (Kind::Unclosed, 3));
    }
}
