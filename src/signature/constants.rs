//! Numbers that a source has names for.

use std::collections::BTreeSet;

use super::Constant;
use super::decimals::{Decimals, decimal};
use super::expression::{Expression, Names, expression};
use super::token::Token;

/// The constants of a source.
#[derive(Debug, Default)]
pub(super) struct Constants {
    /// Their values.
    pub(super) values: Names,
    /// What they are in kernels: those that the compiler may be given stay names.
    pub(super) symbols: Names,
    /// The values of those with a fraction.
    pub(super) decimals: Decimals,
    all: Vec<Constant>,
}

impl Constants {
    /// Adds a constant, if its value is a number. Of several of one name the first counts.
    pub(super) fn add(&mut self, name: &Token<'_>, value: &[Token<'_>], is_open: bool) {
        let (Expression::Number(number), length) = expression(value, &self.values) else {
            if let Some(decimal) = decimal(value, &self.values, &self.decimals) {
                self.decimals.entry(name.text.to_owned()).or_insert(decimal);
            }
            return;
        };
        if length == 0 || self.values.contains_key(name.text) {
            return;
        }
        let own = name.text.to_owned();
        let symbol = if is_open { Expression::Template(own.clone()) } else { expression(value, &self.symbols).0 };
        self.values.insert(own.clone(), Expression::Number(number));
        self.symbols.insert(own.clone(), symbol);
        self.all.push(Constant { name: own, value: number, line: name.line, is_open });
    }

    /// Adds a constant of this value. Of several of one name the first counts.
    pub(super) fn add_number(&mut self, name: &Token<'_>, value: i64) {
        if self.values.contains_key(name.text) {
            return;
        }
        let own = name.text.to_owned();
        self.values.insert(own.clone(), Expression::Number(value));
        self.symbols.insert(own.clone(), Expression::Number(value));
        self.all.push(Constant { name: own, value, line: name.line, is_open: false });
    }

    /// The names of those that the compiler may be given.
    pub(super) fn open_names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().filter(|own| own.is_open).map(|own| own.name.as_str())
    }

    /// Those of these names, and those that they are made of.
    pub(super) fn used(&self, names: &BTreeSet<String>) -> Vec<Constant> {
        let is_in = |own: &Constant| {
            let is_part = |part: &Expression| matches!(part, Expression::Template(name) if *name == own.name);
            names.contains(&own.name)
                || names.iter().filter_map(|name| self.symbols.get(name)).any(|symbol| symbol.any(&is_part))
        };
        self.all.iter().filter(|own| is_in(own)).cloned().collect()
    }
}
