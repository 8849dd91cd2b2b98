//! Structures by value, held against those that the source defines: the types of their members, and the names where both have them.

use super::declared::Declared;
use super::structure::{Member, Value};
use super::{LaunchDescription, Misfit, Structure, UserKernel};
use crate::signature::{self, MemberKind};
use crate::workload::Element;

/// The most members that are listed.
const LISTED_MOST: usize = 16;
/// The most members that are compared.
const COMPARED_MOST: usize = 1 << 12;

/// A number or an address of a structure of the source, so many bytes behind the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Leaf {
    at: u64,
    name: String,
    /// `None` for an address.
    number: Option<Element>,
}

impl UserKernel {
    /// Holds a structure of a launch against that of the parameter, where the source defines it and it is as large.
    pub(super) fn check_members(
        &self,
        (entry, parameter): (&str, &Declared<'_>),
        (index, given): (usize, &Structure),
        launch: &LaunchDescription,
        problems: &mut Vec<Misfit>,
    ) {
        let Some(own) = parameter.source.and_then(|own| own.structure.as_ref()) else { return };
        // Of several structures of one name the source may be built with another one.
        if own.layout().0 != given.bytes {
            return;
        }
        let mut leaves = Vec::new();
        leaves_of(own, 0, "", &mut leaves);
        let problem = given.members.iter().find_map(|member| {
            let leaf = leaves.iter().find(|leaf| leaf.at == member.at)?;
            self.unlike(member, leaf).or_else(|| self.exchanged(member, leaf, given, &leaves))
        });
        let Some((problem, help)) = problem else { return };
        let (place, called) = (parameter.place(&self.description.source), parameter.called(entry));
        let all: Vec<&str> = leaves.iter().map(|leaf| leaf.name.as_str()).take(LISTED_MOST).collect();
        let more = if leaves.len() > LISTED_MOST { ", ..." } else { "" };
        let problem = format!("{place}: {called} has {problem} in argument {}", index + 1);
        let help = format!("the members of `{}` are in order {}{more}{help}", own.name, all.join(", "));
        problems.push(Misfit::new(problem, launch.argument_place(index)).help(help));
    }

    /// What a member is in words, and what it is called if it is a plain name.
    fn told_value<'a>(&'a self, value: &'a Value) -> (String, Option<&'a str>) {
        match value {
            Value::Number(element, number) => {
                let text = number.text().trim();
                let is_name = text.chars().all(|own| own.is_alphanumeric() || own == '_')
                    && text.chars().next().is_some_and(char::is_alphabetic);
                (format!("`{}: {text}`", element.name()), is_name.then_some(text))
            }
            Value::Address { buffer, element } => {
                let name = self.description.buffers[*buffer].name;
                (format!("the buffer `{name}`"), element.is_none().then_some(name))
            }
        }
    }

    /// A number of another kind than the member, or one in place of an address.
    fn unlike(&self, member: &Member, leaf: &Leaf) -> Option<(String, String)> {
        let is_right = match (&member.value, leaf.number) {
            (Value::Address { .. }, number) => number.is_none(),
            // No buffer at all is an address.
            (Value::Number(element, number), None) => element.bytes() == 8 && number.text().trim() == "0",
            // Whole numbers may be several small ones at once.
            (Value::Number(element, _), Some(own)) => {
                *element == own
                    || (!element.is_float() && !own.is_float())
                    || (own.bytes() == 2 && element.bytes() == 2)
            }
        };
        let wanted = leaf.number.map_or("an address", Element::name);
        let (given, _) = self.told_value(&member.value);
        (!is_right)
            .then(|| (format!("`{}`, {wanted}, at byte {}, where {given} stands", leaf.name, leaf.at), String::new()))
    }

    /// A name that another member of the same type has, in whose place it does not stand.
    fn exchanged(&self, member: &Member, leaf: &Leaf, given: &Structure, leaves: &[Leaf]) -> Option<(String, String)> {
        let (text, name) = self.told_value(&member.value);
        let name = name?;
        if is_same(name, &leaf.name) {
            return None;
        }
        let mut meant = leaves.iter().filter(|own| is_same(name, &own.name));
        let other = meant.next().filter(|own| own.number == leaf.number)?;
        let there = given.members.iter().find(|own| own.at == other.at)?;
        let is_there = self.told_value(&there.value).1.is_some_and(|there| is_same(there, name));
        if meant.next().is_some() || is_there {
            return None;
        }
        let anyway = match &member.value {
            Value::Number(element, _) => format!("\"{}: ({name})\"", element.name()),
            Value::Address { .. } => format!("\"{name}[0]\""),
        };
        let help = format!("; write {anyway} if `{name}` is meant for `{}`", leaf.name);
        Some((format!("`{}` at byte {}, where {text} stands", leaf.name, leaf.at), help))
    }
}

/// Whether a name of a scenario is one of the source, which may have it with large letters.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    plain(one) == plain(other)
}

/// The numbers and addresses of a structure, with the names of their members.
fn leaves_of(structure: &signature::Structure, begin: u64, around: &str, leaves: &mut Vec<Leaf>) {
    let mut end = begin;
    for member in &structure.members {
        let (bytes, align) = member.kind.layout();
        // Each begins where the structure around it lets it: its own alignment divides that one's.
        end = end.next_multiple_of(align);
        for index in 0..member.count {
            if leaves.len() >= COMPARED_MOST {
                return;
            }
            let name = if member.count > 1 {
                format!("{around}{}[{index}]", member.name)
            } else {
                format!("{around}{}", member.name)
            };
            match &member.kind {
                MemberKind::Number(element) => leaves.push(Leaf { at: end, name, number: Some(*element) }),
                MemberKind::Pointer { .. } => leaves.push(Leaf { at: end, name, number: None }),
                MemberKind::Structure(inner) => leaves_of(inner, end, &format!("{name}."), leaves),
            }
            end += bytes;
        }
    }
}
