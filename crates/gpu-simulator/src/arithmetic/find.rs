//! From the words of an instruction to what it computes.

use super::super::class::Class;
use super::lift::unary;
use super::{Operation, approximate, bit, compare, convert, double, float, integer};
use ptx_syntax::module::Type;

/// The operation of an instruction that maps registers to a register or a predicate, or `None` where there is none or
/// it is not supported. `modifiers` are the words after the opcode's dots, without the boolean operator of a `setp`;
/// `destination_bits` is the width of the destination register, which matters to `cvt` alone.
///
/// The immediate table of `lop3` is passed as a fourth register. Carries (`.cc`, `addc`), packed types, predicates'
/// logic and `selp` are not found here.
///
/// Weights are estimates of how many machine instructions a recent GPU's compiler makes; they come from the shape of
/// such code (64-bit integers work in halves, divisions are Newton iterations or calls), not from a measurement.
///
/// What they compute follows the PTX ISA, chapter 9.7 "Instructions".
pub fn find(opcode: &str, modifiers: &[&str], destination_bits: u8) -> Option<Operation> {
    let mut words = Words { rest: modifiers.to_vec() };
    let found = match opcode {
        "cvt" => convert::find(&mut words, destination_bits),
        "setp" => compare::find_predicate(&mut words),
        "set" => compare::find_set(&mut words),
        "slct" => compare::find_select(&mut words),
        "dp4a" | "dp2a" => bit::find_dot_product(opcode, &mut words),
        "prmt" => bit::find_permute(&mut words),
        "mov" => copy(words.pop_type()?),
        _ => match words.pop_type()? {
            Type::Float(32) => approximate::find(opcode, &mut words).or_else(|| float::find(opcode, &mut words)),
            Type::Float(64) => double::find(opcode, &mut words),
            ty => bit::find(opcode, &mut words, ty).or_else(|| integer::find(opcode, &mut words, ty)),
        },
    }?;
    words.rest.is_empty().then_some(found)
}

/// `mov` between registers.
fn copy(ty: Type) -> Option<Operation> {
    let function = match ty.bits() {
        16 | 32 => unary::<u32, u32>(|a| a),
        64 => unary::<u64, u64>(|a| a),
        _ => return None,
    };
    Some(Operation { function, class: Class::Move, weight: 0 })
}

/// The modifiers that nobody has made use of yet.
pub(super) struct Words<'a> {
    rest: Vec<&'a str>,
}

impl<'a> Words<'a> {
    /// Whether `word` is there; it is used up.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let at = self.rest.iter().position(|rest| *rest == word);
        at.map(|at| self.rest.remove(at)).is_some()
    }

    /// The one of `words` that is there; it is used up.
    pub(super) fn take_one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.take(word))
    }

    /// The last word, used up.
    pub(super) fn pop(&mut self) -> Option<&'a str> {
        self.rest.pop()
    }

    /// The last word, if it is a type, used up.
    pub(super) fn pop_type(&mut self) -> Option<Type> {
        let word = *self.rest.last()?;
        let bits = word.get(1..)?.parse().ok()?;
        let ty = match (word.get(..1)?, bits) {
            ("b", 16 | 32 | 64) => Type::Bits(bits),
            ("u", 8 | 16 | 32 | 64) => Type::Unsigned(bits),
            ("s", 8 | 16 | 32 | 64) => Type::Signed(bits),
            ("f", 16 | 32 | 64) => Type::Float(bits),
            _ => return None,
        };
        self.rest.pop();
        Some(ty)
    }
}

/// An expression with `$letter` as the type that a [`Type`] of 16 to 64 bits names, or `None` for other types.
macro_rules! with_integer {
    ($ty:expr, $letter:ident => $function:expr) => {
        with_integer!($ty, $letter => $function; Unsigned(16) u16, Unsigned(32) u32, Unsigned(64) u64,
            Signed(16) i16, Signed(32) i32, Signed(64) i64)
    };
    ($ty:expr, $letter:ident => $function:expr; $($variant:ident($bits:literal) $integer:ty),*) => {
        match $ty {
            $(Type::$variant($bits) => {
                type $letter = $integer;
                Some($function)
            })*
            _ => None,
        }
    };
}
pub(super) use with_integer;
