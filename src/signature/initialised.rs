//! Structures of the host: what their members are set to.

use super::brackets::balanced;
use super::host::Host;
use super::launches::Number;
use super::parameters::parts;
use super::token::Token;
use super::{Class, MemberKind, Parameter, Structure};

/// A number in a structure by value: the place of the parameter, the names that lead to it, and the number.
pub(super) type OfMember = (usize, String, Number);

impl Host<'_, '_, '_> {
    /// `Box box = {0.0f, 1.0f};`, `Box box{0.0f, 1.0f};` or `auto box = Box{.low = 0.0f};`
    pub(super) fn initialise(&mut self, tokens: &[Token<'_>], place: usize) {
        let rest = &tokens[place + 1..];
        let is_typed = place > 0 && tokens[place - 1].is_word();
        let list = match rest {
            [open, ..] if open.is("{") && is_typed => rest,
            [equals, open, ..] if equals.is("=") && open.is("{") => &rest[1..],
            [equals, name, open, ..] if equals.is("=") && name.is_word() && open.is("{") => &rest[2..],
            [equals, made @ ..] if equals.is("=") && makes(made) => &rest[2..],
            _ => return,
        };
        for (key, number) in self.members_of_list(list) {
            self.members.insert(format!("{}.{key}", tokens[place].text), number);
        }
    }

    /// The numbers of `{0.0f, 1.0f}` by their places, and those of `{.low = 0.0f}` by their names.
    fn members_of_list(&self, list: &[Token<'_>]) -> Vec<(String, Number)> {
        let inner = list.get(1..balanced(list).saturating_sub(1)).unwrap_or_default();
        let one = |(place, part): (usize, &[Token<'_>])| match part {
            [dot, name, equals, value @ ..] if dot.is(".") && equals.is("=") => {
                Some((name.text.to_owned(), self.number(value)?))
            }
            _ => Some((place.to_string(), self.number(part)?)),
        };
        parts(inner).into_iter().enumerate().filter_map(one).collect()
    }

    /// The numbers in the structures by value that a launch gives.
    pub(super) fn numbers_of_members(&self, parameters: &[Parameter], given: &[&[Token<'_>]]) -> Vec<OfMember> {
        let mut all = Vec::new();
        for (place, (parameter, part)) in parameters.iter().zip(given).enumerate() {
            let by_value = parameter.structure.as_ref().filter(|_| parameter.class == Class::Structure);
            let Some(structure) = by_value else { continue };
            // `Box{0.0f, 1.0f}`
            let open = if makes(part) { Some(1) } else { part.iter().position(|own| own.is("{")) };
            let written = open.map(|open| self.members_of_list(&part[open..]));
            let name = super::host::only_name(part);
            add_numbers(structure, (place, ""), &mut all, &|path, order| match (&written, &name) {
                (Some(list), _) => {
                    let is_it = |key: &String| key == path || order.is_some_and(|order| *key == order.to_string());
                    list.iter().find(|(key, _)| is_it(key)).map(|(_, number)| *number)
                }
                (None, Some(name)) => self.member_of(name, path, order),
                (None, None) => None,
            });
        }
        all
    }

    /// A member of a structure of this name, by the names that lead there or by its place in the list that it was made of.
    fn member_of(&self, name: &str, path: &str, order: Option<usize>) -> Option<Number> {
        let key = format!("{name}.{path}");
        let decimal = self.decimals.get(&key).copied().map(Number::Decimal);
        let set = decimal.or_else(|| self.names.get(&key)?.number().map(Number::Whole));
        let listed = || self.members.get(&key).or_else(|| self.members.get(&format!("{name}.{}", order?))).copied();
        set.or_else(listed)
    }
}

/// Whether one of CUDA's structures is made here: `make_int2(4, 2)` or `dim3(4, 2)`.
pub(super) fn makes(tokens: &[Token<'_>]) -> bool {
    let [name, open, ..] = tokens else { return false };
    let made = name.text.strip_prefix("make_").or(Some(name.text).filter(|own| *own == "dim3"));
    open.is("(") && made.and_then(Structure::of_cuda).is_some()
}

/// Adds the numbers in a structure, those of the structures in it among them.
fn add_numbers(
    structure: &Structure,
    (place, around): (usize, &str),
    all: &mut Vec<OfMember>,
    number: &impl Fn(&str, Option<usize>) -> Option<Number>,
) {
    // Behind an array or a structure the places in a list are others.
    let is_plain = structure.members.iter().all(|own| own.count == 1 && !matches!(own.kind, MemberKind::Structure(_)));
    for (order, member) in structure.members.iter().enumerate().filter(|(_, own)| own.count == 1) {
        let path = format!("{around}{}", member.name);
        match &member.kind {
            MemberKind::Number(_) => {
                let order = Some(order).filter(|_| is_plain && around.is_empty());
                all.extend(number(&path, order).map(|own| (place, path, own)));
            }
            MemberKind::Structure(own) => add_numbers(own, (place, &format!("{path}.")), all, number),
            MemberKind::Pointer { .. } => {}
        }
    }
}
