//! What a source defines besides functions: macros, constants, and other names of types.

use super::brackets::{balanced, closing};
use super::cuda::Scan;
use super::expression::expression;
use super::host::Macro;
use super::parameters::{joined, parts};
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
        } else if let Some(place) = declared.iter().position(|own| own.is("=") || own.is("{")) {
            let head = &declared[..place];
            let is_enumeration = head.iter().any(|own| own.is("enum"));
            if is_enumeration && !head.iter().any(|own| own.is("class") || own.is("struct")) {
                self.enumerators(&declared[place..]);
            } else if !is_enumeration && head.iter().any(|own| own.is("const") || own.is("constexpr")) {
                parts(declared).into_iter().for_each(|part| self.constant(part));
            }
        }
    }

    /// `const int WIDTH = 32` and `constexpr int WIDTH{32}`; of several in one declaration the others without their type.
    fn constant(&mut self, declared: &[Token<'_>]) {
        let Some(place) = declared.iter().position(|own| own.is("=") || own.is("{")) else { return };
        let Some(name) = place.checked_sub(1).map(|place| declared[place]).filter(Token::is_word) else { return };
        let value = &declared[place + 1..];
        let value = if declared[place].is("{") { &value[..value.len().saturating_sub(1)] } else { value };
        self.constants.add(&name, value, false);
    }

    /// `{ WIDTH = 32, HEIGHT = 8, NEXT }` of an enumeration whose names need no other before them.
    fn enumerators(&mut self, list: &[Token<'_>]) {
        let Some(length) = closing(list).filter(|length| *length >= 2) else { return };
        let mut next = Some(0_i64);
        for part in parts(&list[1..length - 1]) {
            let Some(name) = part.first().filter(|own| own.is_word()) else { continue };
            let value = match part.get(1) {
                Some(equals) if equals.is("=") => expression(&part[2..], &self.constants.values).0.number(),
                _ => next,
            };
            if let Some(value) = value {
                self.constants.add_number(name, value);
            }
            next = value.and_then(|value| value.checked_add(1));
        }
    }
}

/// Whether a line is `#ifndef NAME`.
fn asks_whether_defined(directive: Token<'_>, name: &str) -> bool {
    let asked = || directive.text[1..].trim_start().strip_prefix("ifndef");
    directive.kind == Kind::Directive
        && asked().is_some_and(|asked| tokens(asked).first().is_some_and(|own| own.is(name)))
}
