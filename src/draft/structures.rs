//! Structures that kernels take: written member by member where their source defines them.

use super::amount::Amount;
use super::arguments::{FLOAT, Given, Launched, float, whole};
use super::asked::Asked;
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

/// A structure, written with a value for each of its members: those that a line gives, and guesses. `None` where there are too many. `name` is what
/// the kernel calls it.
pub(super) fn by_value(
    (structure, name): (&Structure, &str),
    names: &mut Names,
    told: Vec<(String, Number)>,
    line: Option<u32>,
    asked: Asked<'_>,
) -> Option<ByValue> {
    if values(structure) > VALUES_MOST {
        return None;
    }
    let mut own = ByValue { told, told_in: line, line, ..ByValue::default() };
    let text = written(structure, ("", name), &mut own, names, asked);
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

/// How many values are written for a structure: one for all elements of an array that are no addresses.
fn values(structure: &Structure) -> u64 {
    let of_member = |member: &Member| match &member.kind {
        MemberKind::Structure(own) => values(own),
        MemberKind::Number(_) => 1,
        MemberKind::Pointer { .. } => member.count,
    };
    structure.members.iter().map(of_member).fold(0, u64::saturating_add)
}

/// A structure to which a path leads, and what the structure around it or the kernel calls it.
fn written(
    structure: &Structure,
    (around, of): (&str, &str),
    own: &mut ByValue,
    names: &mut Names,
    asked: Asked<'_>,
) -> String {
    let mut members: Vec<String> = Vec::new();
    let is_of_cuda = structure.is_of_cuda();
    for member in &structure.members {
        let is_array = member.count > 1;
        let path = format!("{around}{}{}", member.name, if is_array { "[]" } else { "" });
        let text = match &member.kind {
            MemberKind::Number(element) => {
                let name = if is_of_cuda { format!("{of}_{}", member.name) } else { member.name.clone() };
                let wanted = Wanted { element: *element, name: &name, path: &path, is_of_cuda };
                let number = number(&wanted, own, names, asked);
                if !element.is_float() {
                    let amount = number.parse().map_or_else(|_| Amount::symbol(&number), Amount::number);
                    own.values.push((path, amount));
                }
                format!("\"{}: {number}\"", element.name())
            }
            MemberKind::Pointer { element, is_const } => {
                for _ in 0..member.count {
                    let (element, parts, is_known) = match element {
                        Some((element, parts)) => (*element, *parts, true),
                        None => (Element::Unsigned(32), 1, false),
                    };
                    let name = names.take(&member.name);
                    members.push(format!("\"{name}\""));
                    let (path, is_const) = (format!("{around}{}", member.name), *is_const);
                    own.buffers.push(MemberBuffer { name, element, parts, is_known, is_const, path });
                }
                continue;
            }
            MemberKind::Structure(inner) => written(inner, (&format!("{path}."), &member.name), own, names, asked),
        };
        members.push(if is_array { format!("{{ array = {text}, length = {} }}", member.count) } else { text });
    }
    let align = structure.asked_align.map(|align| format!(", align = {align}")).unwrap_or_default();
    match &members[..] {
        // A half.
        [only] if is_of_cuda => only.clone(),
        all if is_of_cuda => format!("{{ struct = [{}]{align} }}", all.join(", ")),
        // The size is checked where the scenario is read, and against the kernel.
        all => format!("{{ struct = [{}]{align}, bytes = {} }}", all.join(", "), structure.layout().0),
    }
}

/// A number in a structure.
struct Wanted<'w> {
    element: Element,
    name: &'w str,
    /// The names that lead to it.
    path: &'w str,
    /// Whether it is a component of a vector.
    is_of_cuda: bool,
}

impl Wanted<'_> {
    /// Whether it says how much there is.
    fn is_extent(&self, asked: Asked<'_>) -> bool {
        let name = snake(self.name);
        let is_named = !self.is_of_cuda && is_named_extent(&name);
        let is_asked = asked.limits(self.path) || (self.is_of_cuda && asked.is_used(self.path));
        self.element.bytes() >= 4 && (is_named || (is_asked && other_default(&name).is_none()))
    }
}

/// The value of a number: what the source gives, and a parameter of the scenario where it is an extent.
fn number(wanted: &Wanted<'_>, own: &mut ByValue, names: &mut Names, asked: Asked<'_>) -> String {
    let Wanted { element, name, path, .. } = *wanted;
    let told = own.told.iter().find(|(of, _)| of == path).map(|(_, number)| *number);
    if told.is_none() {
        own.line = None;
    }
    if element.is_float() {
        return told.map_or(FLOAT.to_owned(), |told| float(told, element.bytes() as u8 * 8));
    }
    let told = told.and_then(whole);
    if wanted.is_extent(asked) && told.is_none_or(|told| told >= 0) {
        let name = names.take(name);
        own.parameters.push(name.clone());
        own.launched.extend(told.zip(own.told_in).map(|(value, line)| (name.clone(), Launched { value, line })));
        return name;
    }
    // A sign is a difference.
    let written = |told: i64| if told < 0 { format!("0 - {}", told.unsigned_abs()) } else { told.to_string() };
    told.map_or_else(|| other_default(&snake(name)).unwrap_or(1).min(100).to_string(), written)
}
