//! The arguments of a kernel: buffers, numbers, and what scenarios cannot give.

use super::asked::Asked;
use super::derived;
use super::launch::dimensions;
use super::names::Names;
use super::pitch;
use super::same::{self, Same};
use super::structures::{self, ByValue};
use crate::signature::{Class, Kernel, Number, Opaque, Parameter, SourceLaunch, Structure, TemplateKind, Use};
use crate::workload::Element;

/// What stands for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    /// A buffer, whose elements are so many of the type for each of the kernel's. `is_known` says whether the source says the type; `structure`
    /// is the structure that it has.
    Buffer { name: String, element: Element, parts: u32, is_known: bool, structure: Option<Structure> },
    /// A structure by value.
    Structure(ByValue),
    /// A parameter of the scenario, with what the source gives for it.
    Parameter { name: String, launched: Option<Launched<i64>> },
    /// A length of rows, which is so many times another parameter of the scenario.
    Follows { name: String, width: String, times: i64 },
    /// A number, with the line that gives it; none where it is a guess.
    Number { text: String, line: Option<u32> },
    /// Nothing: why.
    Nothing { why: &'static str },
}

impl Given {
    /// What the source gives for the parameter of the scenario that has this name.
    pub(super) fn launched(&self, of: &str) -> Option<Launched<i64>> {
        match self {
            Self::Parameter { name, launched } if name == of => *launched,
            Self::Structure(own) => own.launched.iter().find(|(name, _)| name == of).map(|(_, own)| *own),
            _ => None,
        }
    }
}

/// What the source gives for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Launched<T> {
    pub(super) value: T,
    /// The line of its launch, from 1.
    pub(super) line: u32,
}

impl<T> Launched<T> {
    fn map<U>(self, to: impl FnOnce(T) -> Option<U>) -> Option<Launched<U>> {
        Some(Launched { value: to(self.value)?, line: self.line })
    }
}

/// The number that the source gives for a parameter, by the first of the kernels that it launches with one.
fn launched(kernels: &[&Kernel], place: usize) -> Option<Launched<Number>> {
    kernels.iter().filter_map(|own| own.launch.as_ref()).find_map(|own| {
        let value = (*own.numbers.get(place)?)?;
        Some(Launched { value, line: own.line })
    })
}

/// The line of the loop of the host that changes what the source gives for a parameter, by the launch that gives it.
pub(super) fn repeated(kernels: &[&Kernel], place: usize) -> Option<u32> {
    let launches = || kernels.iter().filter_map(|own| own.launch.as_ref());
    let gives = |own: &&SourceLaunch| own.numbers.get(place).is_some_and(Option::is_some);
    launches().find(gives).or_else(|| launches().next())?.repeated.get(place).copied().flatten()
}

/// The numbers that the source gives in a structure, with the line.
fn members(kernels: &[&Kernel], place: usize) -> (Vec<(String, Number)>, Option<u32>) {
    let mut launches = kernels.iter().filter_map(|own| own.launch.as_ref());
    let found = launches.find(|own| own.members.iter().any(|(of, ..)| *of == place));
    let members = found.iter().flat_map(|own| &own.members).filter(|(of, ..)| *of == place);
    (members.map(|(_, name, number)| (name.clone(), *number)).collect(), found.map(|own| own.line))
}

/// A number as a whole one.
pub(super) fn whole(number: Number) -> Option<i64> {
    match number {
        Number::Whole(own) => Some(own),
        // `1e6`
        Number::Decimal(own) => (own.fract() == 0.0 && own.abs() < 1e15).then_some(own as i64),
    }
}

/// A number as a scenario has it for a float of so many bits.
pub(super) fn float(number: Number, bits: u8) -> String {
    let own = match number {
        Number::Whole(own) => own as f64,
        Number::Decimal(own) => own,
    };
    let short = own as f32;
    if bits == 32 && short.is_finite() { format!("{short:?}") } else { format!("{own:?}") }
}

/// What the kernels do with a parameter, all of them together.
pub(super) fn uses(kernels: &[&Kernel], place: usize) -> Use {
    let mut all = Use::default();
    for own in kernels.iter().filter_map(|kernel| kernel.body.uses.get(place)) {
        all.reads |= own.reads;
        all.writes |= own.writes;
        all.is_atomic |= own.is_atomic;
        all.counts_on |= own.counts_on;
        all.kept = all.kept.or(own.kept);
        all.is_set |= own.is_set;
        all.decides |= own.decides;
        all.limits |= own.limits;
        all.ends_loops |= own.ends_loops;
        all.has_roots |= own.has_roots;
        all.has_remainders |= own.has_remainders;
        all.ends_at = all.ends_at.or(own.ends_at);
        all.compared = all.compared.or_else(|| own.compared.clone());
        all.leads_on = all.leads_on.or(own.leads_on);
        all.accesses.extend(own.accesses.iter().cloned());
    }
    all
}

/// What stands for each parameter of the kernels, and which of them are one.
pub(super) fn given(kernels: &[&Kernel], names: &mut Names) -> (Vec<Given>, Vec<Same>) {
    let Some(first) = kernels.first() else { return (Vec::new(), Vec::new()) };
    let dimensions = kernels.iter().map(|own| dimensions(own)).max().unwrap_or(1);
    let wholes = first.parameters.iter().filter(|own| matches!(own.class, Class::Whole(_))).count();
    let mut seen = 0;
    let one = |(place, own): (usize, &Parameter)| {
        let used = uses(kernels, place);
        let launched = launched(kernels, place);
        let of_launch = launched.and_then(|own| own.map(whole));
        let number = |usual: &str| match of_launch {
            Some(own) => Given::Number { text: own.value.to_string(), line: Some(own.line) },
            None => Given::Number { text: usual.to_owned(), line: None },
        };
        match own.class {
            Class::Pointer { element, is_const } => {
                let usual = match (is_const, used.reads && used.writes) {
                    (true, _) => "input",
                    (false, true) => "data",
                    (false, false) => "output",
                };
                let name = names.take(own.name.as_deref().unwrap_or(usual));
                let (element, parts, is_known) = match (element, &own.structure) {
                    (Some((element, parts)), _) => (element, parts, true),
                    (None, Some(structure)) => structures::behind(structure),
                    (None, None) => (Element::Unsigned(32), 1, false),
                };
                Given::Buffer { name, element, parts, is_known, structure: own.structure.clone() }
            }
            // What is negative is no parameter of a scenario.
            Class::Whole(32 | 64) if of_launch.is_some_and(|own| own.value < 0) => number("1"),
            Class::Whole(32 | 64) => {
                seen += 1;
                let usual = match (dimensions, wholes, seen) {
                    (1, _, 1) => "n",
                    (2 | 3, _, 1) => "width",
                    (2 | 3, _, 2) => "height",
                    (3, _, 3) => "depth",
                    _ => "number",
                };
                Given::Parameter { name: names.take(own.name.as_deref().unwrap_or(usual)), launched: of_launch }
            }
            Class::Float(bits @ (32 | 64)) => match launched {
                Some(own) => Given::Number { text: float(own.value, bits), line: Some(own.line) },
                None => Given::Number { text: FLOAT.to_owned(), line: None },
            },
            Class::Whole(_) => number("1"),
            Class::Enumeration(_) => number("0"),
            Class::Float(_) => Given::Nothing { why: "a float of 16 bits: give it as \"f16: 0.5\"" },
            Class::Structure => {
                let (told, line) = members(kernels, place);
                let name = own.name.as_deref().unwrap_or("value");
                let asked = Asked { kernels, place };
                let by_value = |own| structures::by_value((own, name), names, told, line, asked);
                let known = own.structure.as_ref().and_then(by_value);
                let why = match own.opaque {
                    Some(Opaque::Union) => UNION,
                    Some(Opaque::BitField) => BIT_FIELD,
                    None => "a structure by value: give its members, { struct = [\"i32: 1\", ...] }",
                };
                known.map_or(Given::Nothing { why }, Given::Structure)
            }
            Class::Texture => Given::Nothing { why: "a texture or a surface: a scenario cannot give it" },
            Class::Reference => {
                Given::Nothing { why: "a reference, an address of the host: a scenario cannot give it" }
            }
            Class::Indirect => {
                Given::Nothing { why: "an address of addresses or of a function: a scenario cannot give it" }
            }
        }
    };
    let mut all: Vec<Given> = first.parameters.iter().enumerate().map(one).collect();
    let same = same::join(kernels, &mut all, names);
    derived::follow(kernels, &mut all);
    pitch::follow(kernels, &mut all);
    (all, same)
}

/// What kernels take and scenarios cannot give.
pub(super) fn missing(kernels: &[&Kernel], given: &[Given]) -> Vec<String> {
    let Some(first) = kernels.first() else { return Vec::new() };
    let one = |(parameter, own): (&Parameter, &Given)| match own {
        Given::Nothing { why } => {
            let name = parameter.name.as_deref().unwrap_or("a parameter");
            Some(format!("`{name}` ({}) is {why}", parameter.declared))
        }
        _ => None,
    };
    let mut all: Vec<String> = first.parameters.iter().zip(given).filter_map(one).collect();
    for kernel in kernels {
        for template in kernel.templates.iter().filter(|own| own.kind == TemplateKind::Other && own.default.is_none()) {
            all.push(format!(
                "`{}` of the template of `{}` is neither a number nor a type: write it in `entry`",
                template.name, kernel.name
            ));
        }
    }
    all
}

/// A float when nothing is known.
pub(super) const FLOAT: &str = "1.0";

const UNION: &str = "a structure with a union, and what is in a union is not told by its type: give the member that the kernel reads, and the \
                     rest of the bytes as numbers, { struct = [\"f32: 1.0\", \"u32: 0\"] }";
const BIT_FIELD: &str = "a structure with fields of bits, which members of a scenario are not: give the whole numbers that the fields are packed into, \
                         { struct = [\"u32: 0\"] }";
