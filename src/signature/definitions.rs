//! What a source defines besides functions: macros, constants, and other names of types.

use super::brackets::balanced;
use super::cuda::Scan;
use super::host::Macro;
use super::parameters::joined;
use super::token::{Kind, Token, tokens};

impl<'a> Scan<'_, 'a> {
    /// Macros that are defined in a body: they are known from there on.
    pub(super) fn define_within(&mut self, body: &[Token<'a>]) {
        for (place, token) in body.iter().enumerate().filter(|(_, token)| token.kind == Kind::Directive) {
            self.define(*token, place.checked_sub(1).map(|place| body[place]));
        }
    }

    /// `#define NAME 32`, behind this token.
    pub(super) fn define(&mut self, directive: Token<'a>, before: Option<Token<'a>>) {
        let Some(text) = directive.text[1..].trim_start().strip_prefix("define") else { return };
        let own = tokens(text);
        let [name, value @ ..] = &own[..] else { return };
        let is_macro = value.first().is_some_and(|next| next.is("(")) && text.contains(&format!("{}(", name.text));
        let is_open = before.is_some_and(|before| asks_whether_defined(before, name.text));
        if is_macro && name.is_word() {
            let length = balanced(value);
            let parameters = value[..length].iter().filter(|own| own.is_word()).map(|own| own.text).collect();
            // The lines of the text, which the directive's begin before.
            let body =
                value[length..].iter().map(|own| Token { line: directive.line + own.line - 1, ..*own }).collect();
            self.macros.push(Macro { name: name.text, parameters, body });
        } else if name.is_word() && !value.is_empty() {
            self.constants.add(&Token { line: directive.line, ..*name }, value, is_open);
        }
    }

    /// What ends with a semicolon: constants, and other names of types.
    pub(super) fn declaration(&mut self, declared: &[Token<'_>]) {
        let Some(first) = declared.first() else { return };
        if first.is("using") && declared.len() > 3 && declared[2].is("=") {
            self.types.aliases.insert(declared[1].text.to_owned(), joined(&declared[3..]));
        } else if first.is("typedef")
            && declared.iter().all(|own| own.is_word() || own.is("*") || own.is("::"))
            && declared.len() > 2
        {
            let (name, typed) = (declared[declared.len() - 1], &declared[1..declared.len() - 1]);
            self.types.aliases.insert(name.text.to_owned(), joined(typed));
        } else if let Some(place) = declared.iter().position(|own| own.is("="))
            && place > 0
            && declared[..place].iter().any(|own| own.is("const") || own.is("constexpr"))
        {
            self.constants.add(&declared[place - 1], &declared[place + 1..], false);
        }
    }
}

/// Whether a line is `#ifndef NAME`.
fn asks_whether_defined(directive: Token<'_>, name: &str) -> bool {
    let asked = || directive.text[1..].trim_start().strip_prefix("ifndef");
    directive.kind == Kind::Directive
        && asked().is_some_and(|asked| tokens(asked).first().is_some_and(|own| own.is(name)))
}
