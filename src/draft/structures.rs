//! Structures that kernels take: written member by member where their source defines them.

use super::amount::Amount;
use super::arguments::{FLOAT, Given, Launched, float, whole};
use super::extents::{is_named_extent, other_default};
use super::names::{Names, snake};
use crate::signature::{Member, MemberKind, Number, Structure};
use crate::workload::Element;

/// A structure by value.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ByValue {
    /// How a scenario has it.
    pub(super) text: String,
    /// Parameters of the scenario that are in it.
    pub(super) parameters: Vec<String>,
    /// The whole numbers in it, by the names that lead to them.
    pub(super) values: Vec<(String, Amount)>,
    /// Buffers that it has addresses in.
    pub(super) buffers: Vec<MemberBuffer>,
    /// The numbers that the source gives, by the names that lead to them.
    pub(super) told: Vec<(String, Number)>,
    /// The line that gives them.
    pub(super) told_in: Option<u32>,
    /// The line that gives all numbers in it; none where some are guesses.
    pub(super) line: Option<u32>,
    /// The defaults that the source gives for parameters of the scenario.
    pub(super) launched: Vec<(String, Launched<i64>)>,
}

/// A buffer that a member is the address of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemberBuffer {
    pub(super) name: String,
    pub(super) element: Element,
    pub(super) parts: u32,
    pub(super) is_known: bool,
    pub(super) is_const: bool,
    /// The names that lead to it.
    pub(super) path: String,
}

/// The most values that are written for a structure: all of more is for its author.
const VALUES_MOST: u64 = 64;

/// A structure, written with a value for each of its members: those that a line gives, and guesses. `None` where there are too many.
pub(super) fn by_value(
    structure: &Structure,
    names: &mut Names,
    told: Vec<(String, Number)>,
    line: Option<u32>,
) -> Option<ByValue> {
    if values(structure) > VALUES_MOST {
        return None;
    }
    let mut own = ByValue { told, told_in: line, line, ..ByValue::default() };
    let text = written(structure, "", &mut own, names);
    own.text = text;
    Some(own)
}

/// The parameters of the scenario that are in structures by value.
pub(super) fn parameters(given: &[Given]) -> impl Iterator<Item = String> {
    let of = |own: &Given| match own {
        Given::Structure(own) => own.parameters.clone(),
        _ => Vec::new(),
    };
    given.iter().flat_map(of)
}

/// The whole numbers in structures by value, with the places of those among the parameters.
pub(super) fn members(given: &[Given]) -> Vec<(usize, String, Amount)> {
    let of = |(place, own): (usize, &Given)| match own {
        Given::Structure(own) => own.values.iter().map(|(name, value)| (place, name.clone(), value.clone())).collect(),
        _ => Vec::new(),
    };
    given.iter().enumerate().flat_map(of).collect()
}

/// What stands for the elements of a structure behind an address: their type, how many there are for each, and whether that is all of it.
pub(super) fn behind(structure: &Structure) -> (Element, u32, bool) {
    if let Some((element, count)) = structure.only_element()
        && let Ok(parts) = u32::try_from(count)
    {
        return (element, parts, true);
    }
    let (bytes, _) = structure.layout();
    let element = if bytes.is_multiple_of(4) { Element::Unsigned(32) } else { Element::Unsigned(8) };
    (element, u32::try_from(bytes / element.bytes()).unwrap_or(1), false)
}

/// How many values a structure has.
fn values(structure: &Structure) -> u64 {
    let of_member = |member: &Member| {
        let one = match &member.kind {
            MemberKind::Vector(_, count) => u64::from(*count),
            MemberKind::Structure(own) => values(own),
            MemberKind::Number(_) | MemberKind::Pointer { .. } => 1,
        };
        one.saturating_mul(member.count)
    };
    structure.members.iter().map(of_member).fold(0, u64::saturating_add)
}

fn written(structure: &Structure, around: &str, own: &mut ByValue, names: &mut Names) -> String {
    let mut members: Vec<String> = Vec::new();
    for member in &structure.members {
        for _ in 0..member.count {
            members.push(match &member.kind {
                MemberKind::Number(element) => {
                    let path = format!("{around}{}", member.name);
                    let number = number(*element, (&member.name, &path), member.count == 1, own, names);
                    if !element.is_float() && member.count == 1 {
                        let amount = number.parse().map_or_else(|_| Amount::symbol(&number), Amount::number);
                        own.values.push((format!("{around}{}", member.name), amount));
                    }
                    format!("\"{}: {number}\"", element.name())
                }
                MemberKind::Vector(element, count) => {
                    own.line = None;
                    let number = if element.is_float() { FLOAT } else { "1" };
                    let numbers = vec![format!("\"{}: {number}\"", element.name()); *count as usize];
                    let (_, align) = member.kind.layout();
                    let align = if align > element.bytes() { format!(", align = {align}") } else { String::new() };
                    format!("{{ struct = [{}]{align} }}", numbers.join(", "))
                }
                MemberKind::Pointer { element, is_const } => {
                    let (element, parts, is_known) = match element {
                        Some((element, parts)) => (*element, *parts, true),
                        None => (Element::Unsigned(32), 1, false),
                    };
                    let name = names.take(&member.name);
                    let text = format!("\"{name}\"");
                    let (path, is_const) = (format!("{around}{}", member.name), *is_const);
                    own.buffers.push(MemberBuffer { name, element, parts, is_known, is_const, path });
                    text
                }
                MemberKind::Structure(inner) => written(inner, &format!("{around}{}.", member.name), own, names),
            });
        }
    }
    let align = structure.asked_align.map(|align| format!(", align = {align}")).unwrap_or_default();
    // The size is checked where the scenario is read, and against the kernel.
    format!("{{ struct = [{}]{align}, bytes = {} }}", members.join(", "), structure.layout().0)
}

/// The value of a number: what the source gives, and a parameter of the scenario where its name is that of an extent.
fn number(
    element: Element,
    (name, path): (&str, &str),
    is_alone: bool,
    own: &mut ByValue,
    names: &mut Names,
) -> String {
    let told = own.told.iter().find(|(of, _)| is_alone && of == path).map(|(_, number)| *number);
    if told.is_none() {
        own.line = None;
    }
    if element.is_float() {
        return told.map_or(FLOAT.to_owned(), |told| float(told, element.bytes() as u8 * 8));
    }
    let told = told.and_then(whole);
    if is_alone && element.bytes() >= 4 && is_named_extent(&snake(name)) && told.is_none_or(|told| told >= 0) {
        let name = names.take(name);
        own.parameters.push(name.clone());
        own.launched.extend(told.zip(own.told_in).map(|(value, line)| (name.clone(), Launched { value, line })));
        return name;
    }
    // A sign is a difference.
    let written = |told: i64| if told < 0 { format!("0 - {}", told.unsigned_abs()) } else { told.to_string() };
    told.map_or_else(|| other_default(&snake(name)).unwrap_or(1).min(100).to_string(), written)
}
