//! Logic, shifts, bit fields, bytes.

use super::lift::{Pure, binary, each_lane, extract, insert, shift, ternary, unary};
use super::value::{Integer, with_integer, with_width};
use super::{Function, Modifiers};
use ptx_syntax::module::Type;

/// `mov` between registers.
pub(crate) fn copy(own: Modifiers) -> Option<Function> {
    Some(if own.target.bits() == 64 { unary(|a: u64| a) } else { unary(|a: u32| a) })
}

pub(crate) fn and(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => binary(|a: T, b| a & b))
}

pub(crate) fn or(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => binary(|a: T, b| a | b))
}

pub(crate) fn xor(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => binary(|a: T, b| a ^ b))
}

pub(crate) fn not(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => unary(|a: T| !a))
}

/// `cnot`: 1 of 0, else 0.
pub(crate) fn is_zero(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => unary(|a: T| T::from(a == 0)))
}

pub(crate) fn shift_left(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => shift(T::shift_left))
}

/// Of `.b16` to `.b64` as of unsigned numbers.
pub(crate) fn shift_right(own: Modifiers) -> Option<Function> {
    match own.target {
        Type::Signed(_) => with_integer!(own.target, T => shift(T::shift_right)),
        _ => with_width!(own.target, T => shift(T::shift_right)),
    }
}

/// `shf.l.wrap`: the upper half of the 64 bits of `b` and `a`, shifted to the left by `c` modulo 32.
pub(crate) fn funnel_left_wrapped(_: Modifiers) -> Option<Function> {
    Some(ternary(|a, b, c: u32| funnel_left(a, b, c & 31)))
}

/// `shf.l.clamp`: by at most 32.
pub(crate) fn funnel_left_clamped(_: Modifiers) -> Option<Function> {
    Some(ternary(|a, b, c: u32| funnel_left(a, b, c.min(32))))
}

/// `shf.r.wrap`: the lower half, shifted to the right by `c` modulo 32.
pub(crate) fn funnel_right_wrapped(_: Modifiers) -> Option<Function> {
    Some(ternary(|a, b, c: u32| funnel_right(a, b, c & 31)))
}

/// `shf.r.clamp`: by at most 32.
pub(crate) fn funnel_right_clamped(_: Modifiers) -> Option<Function> {
    Some(ternary(|a, b, c: u32| funnel_right(a, b, c.min(32))))
}

fn funnel_left(a: u32, b: u32, amount: u32) -> u32 {
    (((u64::from(b) << 32 | u64::from(a)) << amount) >> 32) as u32
}

fn funnel_right(a: u32, b: u32, amount: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> amount) as u32
}

/// `bfe`
pub(crate) fn extract_field(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => extract(field::<T>))
}

/// The field of `length` bits from `position` on, extended. Bits beyond the top are the sign's copies or zeros.
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

/// `bfi`
pub(crate) fn insert_field(own: Modifiers) -> Option<Function> {
    match own.target {
        Type::Bits(32) => Some(insert(with_field::<u32>)),
        Type::Bits(64) => Some(insert(with_field::<u64>)),
        _ => None,
    }
}

/// `b` with its `length` bits from `position` on replaced by the low ones of `a`.
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

/// `bfind`
pub(crate) fn leading(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => unary(position_of_leading::<T>))
}

/// `bfind.shiftamt`
pub(crate) fn leading_distance(own: Modifiers) -> Option<Function> {
    with_integer!(own.target, T => unary(distance_of_leading::<T>))
}

/// The position of the highest bit that differs from the sign, all ones where none does.
fn position_of_leading<T: Integer>(a: T) -> u32 {
    let magnitude = a.extend() ^ if a < T::default() { u64::MAX } else { 0 };
    63_u32.wrapping_sub(magnitude.leading_zeros())
}

/// How far that bit must be shifted to be the highest.
fn distance_of_leading<T: Integer>(a: T) -> u32 {
    let position = position_of_leading(a);
    if position == u32::MAX { position } else { T::BITS - 1 - position }
}

pub(crate) fn reverse(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => unary(|a: T| a.reverse_bits()))
}

pub(crate) fn count_ones(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => unary(|a: T| a.count_ones()))
}

pub(crate) fn count_leading_zeros(own: Modifiers) -> Option<Function> {
    with_width!(own.target, T => unary(|a: T| a.leading_zeros()))
}

/// `lop3`, whose table is a fourth register.
pub(crate) fn table_of_three(_: Modifiers) -> Option<Function> {
    Some(insert(lookup))
}

/// Bit `i` of `table` is what the bits `abc` that spell `i` give.
fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let term = |index: u32| {
        let matching = |input: u32, bit: u32| if index & bit == 0 { !input } else { input };
        let chosen = 0_u32.wrapping_sub((table >> index) & 1);
        chosen & matching(a, 4) & matching(b, 2) & matching(c, 1)
    };
    term(0) | term(1) | term(2) | term(3) | term(4) | term(5) | term(6) | term(7)
}

/// `bmsk.clamp`: ones from a position on, as many as the second operand says.
pub(crate) fn mask_clamped(_: Modifiers) -> Option<Function> {
    Some(binary(|position: u32, count: u32| {
        let ones = if count >= 32 { u32::MAX } else { (1 << count) - 1 };
        if position >= 32 { 0 } else { ones << position }
    }))
}

/// `bmsk.wrap`: of both operands the lower 5 bits count.
pub(crate) fn mask_wrapped(_: Modifiers) -> Option<Function> {
    Some(binary(|position: u32, count: u32| ((1_u32 << (count & 31)) - 1) << (position & 31)))
}

/// `szext.clamp`: the lower bits, as many as the second operand says, extended by zeros or by their sign.
pub(crate) fn extend_clamped(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Signed(_) => shift(extended::<i32>),
        _ => shift(extended::<u32>),
    })
}

/// `szext.wrap`: of the second operand the lower 5 bits count.
pub(crate) fn extend_wrapped(own: Modifiers) -> Option<Function> {
    Some(match own.target {
        Type::Signed(_) => shift(|a: i32, bits| extended(a, bits & 31)),
        _ => shift(|a: u32, bits| extended(a, bits & 31)),
    })
}

fn extended<T: Integer>(value: T, bits: u32) -> T {
    match bits {
        0 => T::default(),
        1..32 => value.shift_left(32 - bits).shift_right(32 - bits),
        _ => value,
    }
}

/// `prmt`, by the digits of the third operand.
pub(crate) fn permute_any(_: Modifiers) -> Option<Function> {
    Some(ternary(permute))
}

/// `prmt.b32.f4e`: four bytes from one on.
pub(crate) fn permute_forward(own: Modifiers) -> Option<Function> {
    permute_mode(own, |mode| [0x3210, 0x4321, 0x5432, 0x6543][mode])
}

/// `.b4e`: four bytes from one downwards.
pub(crate) fn permute_backward(own: Modifiers) -> Option<Function> {
    permute_mode(own, |mode| [0x5670, 0x6701, 0x7012, 0x0123][mode])
}

/// `.rc8`: one byte four times.
pub(crate) fn permute_byte(own: Modifiers) -> Option<Function> {
    permute_mode(own, |mode| [0x0000, 0x1111, 0x2222, 0x3333][mode])
}

/// `.ecl`: bytes below one are that one.
pub(crate) fn permute_clamped_left(own: Modifiers) -> Option<Function> {
    permute_mode(own, |mode| [0x3210, 0x3211, 0x3222, 0x3333][mode])
}

/// `.ecr`: bytes above one are that one.
pub(crate) fn permute_clamped_right(own: Modifiers) -> Option<Function> {
    permute_mode(own, |mode| [0x0000, 0x1110, 0x2210, 0x3210][mode])
}

/// `.rc16`: one half twice.
pub(crate) fn permute_half(own: Modifiers) -> Option<Function> {
    permute_mode(own, |mode| [0x1010, 0x3232, 0x1010, 0x3232][mode])
}

/// A permutation by one of four selectors.
fn permute_mode(own: Modifiers, selector: impl Fn(usize) -> u32 + Pure) -> Option<Function> {
    Some(each_lane("WWW", false, own, move |_, [a, b, c]| {
        u64::from(permute(a as u32, b as u32, selector(c as usize & 3)))
    }))
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
