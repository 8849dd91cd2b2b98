//! The arguments of a kernel: buffers, numbers, and what scenarios cannot give.

use super::launch::dimensions;
use super::names::Names;
use super::structures::{self, ByValue};
use crate::signature::{Class, Kernel, Opaque, Parameter, Structure, Use};
use crate::workload::Element;

/// What stands for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    /// A buffer, whose elements are so many of the type for each of the kernel's. `is_known` says whether the source says the type; `structure`
    /// is the structure that it has.
    Buffer { name: String, element: Element, parts: u32, is_known: bool, structure: Option<Structure> },
    /// A structure by value.
    Structure(ByValue),
    /// A parameter of the scenario.
    Parameter { name: String },
    /// A number.
    Number { text: String },
    /// Nothing: why.
    Nothing { why: &'static str },
}

/// What the kernels do with a parameter, all of them together.
pub(super) fn uses(kernels: &[&Kernel], place: usize) -> Use {
    let mut all = Use::default();
    for own in kernels.iter().filter_map(|kernel| kernel.body.uses.get(place)) {
        all.reads |= own.reads;
        all.writes |= own.writes;
        all.is_atomic |= own.is_atomic;
        all.decides |= own.decides;
        all.limits |= own.limits;
        all.accesses.extend(own.accesses.iter().cloned());
    }
    all
}

/// What stands for each parameter of the kernels.
pub(super) fn given(kernels: &[&Kernel], names: &mut Names) -> Vec<Given> {
    let Some(first) = kernels.first() else { return Vec::new() };
    let dimensions = kernels.iter().map(|own| dimensions(own)).max().unwrap_or(1);
    let wholes = first.parameters.iter().filter(|own| matches!(own.class, Class::Whole(_))).count();
    let mut seen = 0;
    let one = |(place, own): (usize, &Parameter)| {
        let used = uses(kernels, place);
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
            Class::Whole(32 | 64) => {
                seen += 1;
                let usual = match (dimensions, wholes, seen) {
                    (1, _, 1) => "n",
                    (2 | 3, _, 1) => "width",
                    (2 | 3, _, 2) => "height",
                    (3, _, 3) => "depth",
                    _ => "number",
                };
                Given::Parameter { name: names.take(own.name.as_deref().unwrap_or(usual)) }
            }
            Class::Float(32 | 64) => Given::Number { text: FLOAT.to_owned() },
            Class::Whole(_) => Given::Number { text: "1".to_owned() },
            Class::Enumeration(_) => Given::Number { text: "0".to_owned() },
            Class::Float(_) => Given::Nothing { why: "a float of 16 bits: give it as \"f16: 0.5\"" },
            Class::Structure => {
                let known = own.structure.as_ref().and_then(|own| structures::by_value(own, names));
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
    first.parameters.iter().enumerate().map(one).collect()
}

/// A float when nothing is known.
pub(super) const FLOAT: &str = "1.0";

const UNION: &str = "a structure with a union, and what is in a union is not told by its type: give the member that the kernel reads, and the \
                     rest of the bytes as numbers, { struct = [\"f32: 1.0\", \"u32: 0\"] }";
const BIT_FIELD: &str = "a structure with fields of bits, which members of a scenario are not: give the whole numbers that the fields are packed into, \
                         { struct = [\"u32: 0\"] }";
