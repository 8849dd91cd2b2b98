//! Logic, shifts, bit fields, bytes (PTX ISA 9.7.1, 9.7.8), and the dot products of bytes.

use super::super::class::Class;
use super::find::{Words, with_integer};
use super::lift::{binary, extract, insert, shift, ternary, unary};
use super::value::Integer;
use super::{Function, Operation};
use ptx_syntax::module::Type;

/// The operation on integers or bits of type `ty`; `words` are what is written between the opcode and it, of which
/// none is used up where the opcode is not of this file.
pub(super) fn find(opcode: &str, words: &mut Words, ty: Type) -> Option<Operation> {
    let function = match opcode {
        "and" => with_integer!(bits(ty)?, T => binary(|a: T, b| a & b)),
        "or" => with_integer!(bits(ty)?, T => binary(|a: T, b| a | b)),
        "xor" => with_integer!(bits(ty)?, T => binary(|a: T, b| a ^ b)),
        "not" => with_integer!(bits(ty)?, T => unary(|a: T| !a)),
        "cnot" => with_integer!(bits(ty)?, T => unary(|a: T| T::from(a == 0))),
        "shl" => with_integer!(bits(ty)?, T => shift(T::shift_left)),
        "shr" => with_integer!(bits(ty).unwrap_or(ty), T => shift(T::shift_right)),
        "shf" => funnel_shift(words, ty),
        "bfe" => with_integer!(wide_enough(ty)?, T => extract(field::<T>)),
        "bfi" => match ty {
            Type::Bits(32) => Some(insert(with_field::<u32>)),
            Type::Bits(64) => Some(insert(with_field::<u64>)),
            _ => None,
        },
        "bfind" => {
            let ty = wide_enough(ty)?;
            if words.take("shiftamt") {
                with_integer!(ty, T => unary(distance_of_leading::<T>))
            } else {
                with_integer!(ty, T => unary(position_of_leading::<T>))
            }
        }
        "brev" => with_integer!(wide_enough(bits(ty)?)?, T => unary(|a: T| a.reverse_bits())),
        "popc" => with_integer!(wide_enough(bits(ty)?)?, T => unary(|a: T| a.count_ones())),
        "clz" => with_integer!(wide_enough(bits(ty)?)?, T => unary(|a: T| a.leading_zeros())),
        "lop3" if ty == Type::Bits(32) => Some(insert(lookup)),
        _ => None,
    }?;
    Some(Operation { function, class: Class::Integer, weight: weight(opcode, ty.bits() == 64) })
}

/// Estimates: 64-bit integers are pairs of 32-bit registers, and bit fields have no instruction of their own.
fn weight(opcode: &str, long: bool) -> u8 {
    match (opcode, long) {
        ("bfe" | "bfi", true) => 8,
        ("bfe" | "bfi", false) | ("shl" | "shr" | "popc" | "clz" | "bfind", true) => 3,
        ("cnot", false) | (_, true) => 2,
        _ => 1,
    }
}

/// `.b16` to `.b64` as the unsigned type, which computes the same.
fn bits(ty: Type) -> Option<Type> {
    if let Type::Bits(bits) = ty { Some(Type::Unsigned(bits)) } else { None }
}

/// `ty`, if it has at least 32 bits.
fn wide_enough(ty: Type) -> Option<Type> {
    (ty.bits() >= 32).then_some(ty)
}

/// `shf`: one half of the 64 bits of `b` and `a` shifted.
fn funnel_shift(words: &mut Words, ty: Type) -> Option<Function> {
    fn left(a: u32, b: u32, amount: u32) -> u32 {
        (((u64::from(b) << 32 | u64::from(a)) << amount) >> 32) as u32
    }
    fn right(a: u32, b: u32, amount: u32) -> u32 {
        ((u64::from(b) << 32 | u64::from(a)) >> amount) as u32
    }
    if ty != Type::Bits(32) {
        return None;
    }
    Some(match (words.take_one_of(&["l", "r"])?, words.take_one_of(&["wrap", "clamp"])?) {
        ("l", "wrap") => ternary(|a, b, c: u32| left(a, b, c & 31)),
        ("l", _) => ternary(|a, b, c: u32| left(a, b, c.min(32))),
        (_, "wrap") => ternary(|a, b, c: u32| right(a, b, c & 31)),
        (_, _) => ternary(|a, b, c: u32| right(a, b, c.min(32))),
    })
}

/// `bfe`: the field of `length` bits from `position` on, extended. Bits beyond the top are the sign's copies or zeros.
/// The manual takes both as bytes, and so does this. Of 64 bits, where GPUs have no such instruction, what compilers put
/// there reads whole words.
fn field<T: Integer>(a: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    if length == 0 {
        return T::default();
    }
    let above = T::BITS.saturating_sub(position + length);
    if T::SIGNED || position < T::BITS {
        a.shift_left(above).shift_right((above + position).min(T::BITS - 1))
    } else {
        T::default()
    }
}

/// `bfi`: `b` with its `length` bits from `position` on replaced by the low ones of `a`.
fn with_field<T: Integer + std::ops::BitAnd<Output = T> + std::ops::BitOr<Output = T> + std::ops::Not<Output = T>>(
    a: T,
    b: T,
    position: u32,
    length: u32,
) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    let mask = (!(!T::default()).shift_left(length)).shift_left(position);
    (a.shift_left(position) & mask) | (b & !mask)
}

/// `bfind`: the position of the highest bit that differs from the sign, all ones where none does.
fn position_of_leading<T: Integer>(a: T) -> u32 {
    let magnitude = a.extend() ^ if a < T::default() { u64::MAX } else { 0 };
    63_u32.wrapping_sub(magnitude.leading_zeros())
}

/// `bfind.shiftamt`: how far that bit must be shifted to be the highest.
fn distance_of_leading<T: Integer>(a: T) -> u32 {
    let position = position_of_leading(a);
    if position == u32::MAX { position } else { T::BITS - 1 - position }
}

/// `lop3`: bit `i` of `table` is what the bits `abc` that spell `i` give.
fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let term = |index: u32| {
        let matching = |input: u32, bit: u32| if index & bit == 0 { !input } else { input };
        let chosen = 0_u32.wrapping_sub((table >> index) & 1);
        chosen & matching(a, 4) & matching(b, 2) & matching(c, 1)
    };
    term(0) | term(1) | term(2) | term(3) | term(4) | term(5) | term(6) | term(7)
}

/// `prmt`
pub(super) fn find_permute(words: &mut Words) -> Option<Operation> {
    let mode = words.take_one_of(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    if words.pop_type()? != Type::Bits(32) {
        return None;
    }
    let function = match mode {
        None => ternary(permute),
        Some("f4e") => ternary(|a, b, c| permute(a, b, [0x3210, 0x4321, 0x5432, 0x6543][c as usize & 3])),
        Some("b4e") => ternary(|a, b, c| permute(a, b, [0x5670, 0x6701, 0x7012, 0x0123][c as usize & 3])),
        Some("rc8") => ternary(|a, b, c| permute(a, b, [0x0000, 0x1111, 0x2222, 0x3333][c as usize & 3])),
        Some("ecl") => ternary(|a, b, c| permute(a, b, [0x3210, 0x3211, 0x3222, 0x3333][c as usize & 3])),
        Some("ecr") => ternary(|a, b, c| permute(a, b, [0x0000, 0x1110, 0x2210, 0x3210][c as usize & 3])),
        Some(_) => ternary(|a, b, c| permute(a, b, [0x1010, 0x3232, 0x1010, 0x3232][c as usize & 3])),
    };
    Some(Operation { function, class: Class::Integer, weight: 1 })
}

/// Four bytes of the eight of `b` and `a`. A digit of `selector` names one; with its top bit, the byte's sign fills.
fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    let byte = |index: u32| {
        let digit = selector >> (4 * index);
        let byte = (bytes >> (8 * (digit & 7))) as u8;
        let byte = if digit & 8 == 0 { byte } else { (byte.cast_signed() >> 7).cast_unsigned() };
        u32::from(byte) << (8 * index)
    };
    byte(0) | byte(1) | byte(2) | byte(3)
}

/// `dp4a` and `dp2a`
pub(super) fn find_dot_product(opcode: &str, words: &mut Words) -> Option<Operation> {
    let [second, first] = [words.pop_type()?, words.pop_type()?];
    let function = match opcode {
        "dp4a" => match (first, second) {
            (Type::Unsigned(32), Type::Unsigned(32)) => ternary(dot_of_bytes::<u8, u8>),
            (Type::Unsigned(32), Type::Signed(32)) => ternary(dot_of_bytes::<u8, i8>),
            (Type::Signed(32), Type::Unsigned(32)) => ternary(dot_of_bytes::<i8, u8>),
            (Type::Signed(32), Type::Signed(32)) => ternary(dot_of_bytes::<i8, i8>),
            _ => return None,
        },
        _ => match (words.take_one_of(&["lo", "hi"])?, first, second) {
            ("lo", Type::Unsigned(32), Type::Unsigned(32)) => ternary(dot_of_halves::<u16, u8, 0>),
            ("lo", Type::Unsigned(32), Type::Signed(32)) => ternary(dot_of_halves::<u16, i8, 0>),
            ("lo", Type::Signed(32), Type::Unsigned(32)) => ternary(dot_of_halves::<i16, u8, 0>),
            ("lo", Type::Signed(32), Type::Signed(32)) => ternary(dot_of_halves::<i16, i8, 0>),
            ("hi", Type::Unsigned(32), Type::Unsigned(32)) => ternary(dot_of_halves::<u16, u8, 16>),
            ("hi", Type::Unsigned(32), Type::Signed(32)) => ternary(dot_of_halves::<u16, i8, 16>),
            ("hi", Type::Signed(32), Type::Unsigned(32)) => ternary(dot_of_halves::<i16, u8, 16>),
            ("hi", Type::Signed(32), Type::Signed(32)) => ternary(dot_of_halves::<i16, i8, 16>),
            _ => return None,
        },
    };
    Some(Operation { function, class: Class::Multiply, weight: 1 })
}

/// `c`, plus the products of the four bytes of `a` and `b`.
fn dot_of_bytes<A: Integer, B: Integer>(a: u32, b: u32, c: u32) -> u32 {
    [0, 8, 16, 24].iter().fold(c, |sum, at| sum.wrapping_add(product::<A, B>(a >> at, b >> at)))
}

/// `c`, plus the products of the two halves of `a` and the two bytes of `b` from bit `FROM` on.
fn dot_of_halves<A: Integer, B: Integer, const FROM: u32>(a: u32, b: u32, c: u32) -> u32 {
    [0, 1].iter().fold(c, |sum, at| sum.wrapping_add(product::<A, B>(a >> (16 * at), b >> (FROM + 8 * at))))
}

/// The product of the low bits.
fn product<A: Integer, B: Integer>(a: u32, b: u32) -> u32 {
    A::truncate(a.into()).extend().wrapping_mul(B::truncate(b.into()).extend()) as u32
}
