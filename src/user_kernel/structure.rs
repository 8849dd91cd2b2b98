//! Structures by value, and numbers whose type is said: laid out as a C++ compiler does it.

use std::borrow::Cow;

use super::buffer::INDEX;
use super::{Expression, Scope, Unfit, range};
use crate::workload::{Argument, Element, EmbeddedAddress, Packed};

/// A structure of a scenario, laid out.
#[derive(Debug, Clone)]
pub struct Structure {
    pub(super) members: Vec<Member>,
    /// What its address is a multiple of.
    pub align: u64,
    /// Its size: a multiple of `align`.
    pub bytes: u64,
}

/// What stands in a structure.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A number of this type.
    Number(Element, Expression),
    /// The address of an element of a buffer, of its first where nothing is said.
    Address {
        /// The buffer's place among the buffers.
        buffer: usize,
        /// The element's index.
        element: Option<Expression>,
    },
    /// A structure.
    Structure(Structure),
}

/// A number or an address, so many bytes behind the beginning.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) at: u64,
    pub(super) value: Value,
    /// Which element of an array it is, or is in: of the innermost one.
    index: Option<u64>,
}

/// What a member is.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Number(Element, Expression),
    Address { buffer: usize, element: Option<Expression> },
}

/// Bytes of an address.
const ADDRESS_BYTES: u64 = 8;

impl Structure {
    /// A structure of these entries, one after the other, each at the next multiple of its alignment. The whole is aligned as its most aligned
    /// entry, or to `align` where that is more.
    pub fn new(entries: Vec<Entry>, align: u64) -> Self {
        let mut structure = Self { members: Vec::new(), align: align.max(1), bytes: 0 };
        let mut end = 0_u64;
        for entry in entries {
            let (align, bytes) = match &entry {
                Entry::Number(element, _) => (element.bytes(), element.bytes()),
                Entry::Address { .. } => (ADDRESS_BYTES, ADDRESS_BYTES),
                Entry::Structure(inner) => (inner.align, inner.bytes),
            };
            let at = end.next_multiple_of(align);
            structure.align = structure.align.max(align);
            end = at + bytes;
            match entry {
                Entry::Number(element, number) => {
                    structure.members.push(Member { at, value: Value::Number(element, number), index: None });
                }
                Entry::Address { buffer, element } => {
                    structure.members.push(Member { at, value: Value::Address { buffer, element }, index: None });
                }
                Entry::Structure(inner) => {
                    let moved = inner.members.into_iter().map(|own| Member { at: at + own.at, ..own });
                    structure.members.extend(moved);
                }
            }
        }
        // An empty structure has a byte in C++.
        structure.bytes = end.max(1).next_multiple_of(structure.align);
        structure
    }

    /// An array of so many such entries, whose expressions have the name `i` for the index of the element that they are in.
    pub fn array(entry: Entry, count: u64) -> Self {
        let one = Self::new(vec![entry], 1);
        let of_element = |index: u64| {
            let begin = index * one.bytes;
            let own = one.members.iter().cloned();
            own.map(move |own| Member { at: begin + own.at, index: own.index.or(Some(index)), ..own })
        };
        Self { members: (0..count).flat_map(of_element).collect(), align: one.align, bytes: one.bytes * count }
    }

    /// Whether it has the address of something in a buffer.
    pub(super) fn points_into(&self, buffer: usize) -> bool {
        self.members.iter().any(|member| matches!(member.value, Value::Address { buffer: own, .. } if own == buffer))
    }

    /// The type and the number, where it has nothing else: what a kernel gets as a number.
    pub(super) fn only_number(&self) -> Option<(Element, &Expression)> {
        match &self.members[..] {
            [Member { value: Value::Number(element, number), .. }] => Some((*element, number)),
            _ => None,
        }
    }

    /// Where everything is: `i32 at 0, an address at 8`.
    pub fn layout(&self) -> String {
        const SHOWN_MOST: usize = 8;
        let told = |own: &Member| match &own.value {
            Value::Number(element, _) => format!("{} at {}", element.name(), own.at),
            Value::Address { .. } => format!("an address at {}", own.at),
        };
        let mut all: Vec<String> = self.members.iter().take(SHOWN_MOST).map(told).collect();
        if self.members.len() > SHOWN_MOST {
            all.push("...".to_owned());
        }
        all.join(", ")
    }

    /// The argument that it is. `offset` tells how many bytes behind the beginning of its buffer an element is.
    ///
    /// # Errors
    /// Where a number has no value of its type, or an element is not in its buffer: why.
    pub(super) fn argument(
        &self,
        scope: &Scope,
        offset: impl Fn(usize, Option<&Expression>, &Scope) -> Result<u64, Unfit>,
    ) -> Result<Argument, Unfit> {
        let mut bytes = vec![0; self.bytes as usize];
        let mut addresses = Vec::new();
        for Member { at, value, index } in &self.members {
            let at = *at as usize;
            let scope = index.map_or(Cow::Borrowed(scope), |index| Cow::Owned(scope.with(INDEX, index as f64)));
            let within = |unfit: Unfit| match index {
                Some(index) => unfit.within(&format!("element {index} of an array")),
                None => unfit,
            };
            match value {
                Value::Number(element, number) => {
                    let mut own = Vec::new();
                    put(*element, number, &scope, &mut own).map_err(within)?;
                    bytes[at..at + own.len()].copy_from_slice(&own);
                }
                Value::Address { buffer, element } => {
                    let bytes = offset(*buffer, element.as_ref(), &scope).map_err(within)?;
                    addresses.push(EmbeddedAddress { at, buffer: *buffer, bytes });
                }
            }
        }
        Ok(Argument::Packed(Packed { bytes, addresses }))
    }
}

/// Writes the value of an expression as this type.
fn put(element: Element, number: &Expression, scope: &Scope, bytes: &mut Vec<u8>) -> Result<(), Unfit> {
    let value = number.value(scope)?;
    if !range::is_in(element, value) {
        let (name, told) = (element.name(), range::told(element));
        return Err(number.unfit(format!("is {value}, which is no {name} ({told})")));
    }
    element.put(value, bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(element: Element, text: &str) -> Entry {
        Entry::Number(element, Expression::parse(text, &["n"]).unwrap())
    }

    const ADDRESS: Entry = Entry::Address { buffer: 3, element: None };

    /// The sizes and offsets are those that `static_assert` confirms with nvcc 13.0.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        let (i8, i16, i32) = (Element::Signed(8), Element::Signed(16), Element::Signed(32));
        let (f32, f64) = (Element::Float(32), Element::Float(64));
        let of = |entries: Vec<Entry>, align| Structure::new(entries, align);
        // struct { int n; float* data; char last; }
        let mixed = of(vec![number(i32, "n"), ADDRESS, number(i8, "1")], 1);
        assert_eq!((mixed.bytes, mixed.align), (24, 8));
        assert_eq!(mixed.layout(), "i32 at 0, an address at 8, i8 at 16");
        // struct { char a; short b; char c; }
        let small = of(vec![number(i8, "1"), number(i16, "2"), number(i8, "3")], 1);
        assert_eq!((small.bytes, small.align, small.layout()), (6, 2, "i8 at 0, i16 at 2, i8 at 4".to_owned()));
        // struct __align__(16) { float x, y, z; }
        let aligned = of(vec![number(f32, "1"), number(f32, "2"), number(f32, "3")], 16);
        assert_eq!((aligned.bytes, aligned.align), (16, 16));
        // struct { char a; struct { double d; char b; } inner; char c; }
        let inner = of(vec![number(f64, "0.5"), number(i8, "1")], 1);
        let outer = of(vec![number(i8, "1"), Entry::Structure(inner), number(i8, "2")], 1);
        assert_eq!((outer.bytes, outer.align), (32, 8));
        assert_eq!(outer.layout(), "i8 at 0, f64 at 8, i8 at 16, i8 at 24");
        assert_eq!(of(Vec::new(), 1).bytes, 1);
    }

    #[test]
    fn a_structure_has_its_numbers_and_addresses() {
        let entries = vec![number(Element::Signed(16), "0 - n"), ADDRESS, number(Element::Float(32), "0.5")];
        let structure = Structure::new(entries, 1);
        let scope = Scope::new([("n", 2.0)]);
        let argument = structure.argument(&scope, |buffer, _, _| Ok(buffer as u64 * 100)).unwrap();
        let mut bytes = vec![0; 24];
        bytes[..2].copy_from_slice(&(-2_i16).to_le_bytes());
        bytes[16..20].copy_from_slice(&0.5_f32.to_le_bytes());
        let addresses = vec![EmbeddedAddress { at: 8, buffer: 3, bytes: 300 }];
        assert_eq!(argument, Argument::Packed(Packed { bytes, addresses }));
        let wide = Scope::new([("n", 40_000.0)]);
        let unfit = structure.argument(&wide, |_, _, _| Ok(0)).unwrap_err();
        assert_eq!(unfit.to_string(), "`0 - n` is -40000, which is no i16 (-32768 to 32767)");
        let large = Structure::new(vec![number(Element::Signed(32), "n")], 1);
        let unfit = large.argument(&Scope::new([("n", 4.096e9)]), |_, _, _| Ok(0)).unwrap_err();
        assert_eq!(unfit.to_string(), "`n` is 4096000000, which is no i32 (-2147483648 to 2147483647)");
    }

    /// `struct Inner { char kind; short own[2]; }; struct { Inner all[3]; double last; }`, of which each element knows its index.
    #[test]
    fn arrays_have_their_elements_one_after_the_other() {
        let parse = |text: &str| Expression::parse(text, &["n", "i"]).unwrap();
        let kind = Entry::Number(Element::Signed(8), parse("10 * i + n"));
        let own = Entry::Structure(Structure::array(Entry::Number(Element::Signed(16), parse("i - 1")), 2));
        let inner = Entry::Structure(Structure::new(vec![kind, own], 1));
        let last = number(Element::Float(64), "n");
        let structure = Structure::new(vec![Entry::Structure(Structure::array(inner, 3)), last], 1);
        assert_eq!((structure.bytes, structure.align), (32, 8));
        let scope = Scope::new([("n", 5.0)]);
        let Ok(Argument::Packed(packed)) = structure.argument(&scope, |_, _, _| Ok(0)) else { panic!("it has values") };
        for (index, own) in packed.bytes[..18].chunks_exact(6).enumerate() {
            assert_eq!(own, [5 + 10 * index as u8, 0, 255, 255, 0, 0], "element {index}");
        }
        assert_eq!(packed.bytes[24..], 5.0_f64.to_le_bytes());
        let wide = structure.argument(&Scope::new([("n", 110.0)]), |_, _, _| Ok(0)).unwrap_err();
        let told = "element 2 of an array: `10 * i + n` is 130, which is no i8 (-128 to 127)";
        assert_eq!(wide.to_string(), told);
        let buffers = Structure::array(Entry::Address { buffer: 1, element: Some(parse("n * i")) }, 2);
        let offset = |_: usize, element: Option<&Expression>, scope: &Scope| element.unwrap().whole(scope, 0, 100);
        let Ok(Argument::Packed(packed)) = buffers.argument(&scope, offset) else { panic!("it has addresses") };
        assert_eq!(packed.addresses.iter().map(|own| (own.at, own.bytes)).collect::<Vec<_>>(), [(0, 0), (8, 5)]);
    }
}
