//! What the words after an opcode say.

use super::half::Narrow;
use super::rounding::Rounding;
use ptx_syntax::module::Type;

/// The modifiers that matter to what is computed. Which of them an instruction may have, its row in the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modifiers {
    /// The first type that is written, the result's where there are two.
    pub(super) target: Type,
    /// The last type, the operands'. It is the same where there is one type.
    pub(super) source: Type,
    /// The first type that is a float of 16 bits or two of them, and how many.
    pub(super) narrow: Option<(Narrow, u32)>,
    /// `.rn` and the like, and `.rni` and the like.
    pub(super) rounding: Option<Rounding>,
    /// Whether that is one to a whole number: `.rni` and the like.
    pub(super) whole: bool,
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub(super) flushed: bool,
    /// `.sat`: results are clamped to 0 to 1, with 0 for NaN, or to what an integer type holds.
    pub(super) saturated: bool,
    /// `.lt` and the like.
    pub(super) comparison: Option<Comparison>,
    /// Width of the destination register in bits, which matters to `cvt` alone.
    pub(super) destination_bits: u8,
    /// Width of the source's register in bits, from which `cvt` may read a narrower type. PTX ISA, "Operand Size Exceeding
    /// Instruction-Type Size".
    pub(super) source_bits: u8,
}

impl Modifiers {
    /// The types alone.
    pub(super) const fn of_types(target: Type, source: Type) -> Self {
        Self {
            target,
            source,
            narrow: None,
            rounding: None,
            whole: false,
            flushed: false,
            saturated: false,
            comparison: None,
            destination_bits: target_bits(target),
            source_bits: target_bits(source),
        }
    }

    /// The same of sources in registers of 64 bits.
    pub(crate) fn of_long_registers(self) -> Self {
        Self { source_bits: 64, ..self }
    }

    /// Of the words after the opcode's dots and the width of the destination register in bits; `None` where no type is
    /// among the words.
    pub(crate) fn read(words: &[&str], destination_bits: u8) -> Option<Self> {
        let mut types = words.iter().filter_map(|word| type_of(word));
        let target = types.next()?;
        let mut modifiers = Self { destination_bits, ..Self::of_types(target, types.next_back().unwrap_or(target)) };
        for word in words {
            match *word {
                "f16" | "f16x2" | "bf16" | "bf16x2" if modifiers.narrow.is_none() => {
                    let format = if word.starts_with('b') { Narrow::Brain } else { Narrow::Half };
                    modifiers.narrow = Some((format, 1 + u32::from(word.ends_with("x2"))));
                }
                "ftz" => modifiers.flushed = true,
                "sat" => modifiers.saturated = true,
                "rn" | "rz" | "rm" | "rp" => modifiers.rounding = Rounding::parse(word),
                "rni" | "rzi" | "rmi" | "rpi" => {
                    modifiers.rounding = Rounding::parse(&word[..2]);
                    modifiers.whole = true;
                }
                word => modifiers.comparison = modifiers.comparison.or_else(|| Comparison::parse(word)),
            }
        }
        Some(modifiers)
    }

    /// The rounding that is written, or to nearest.
    pub(super) fn rounding(&self) -> Rounding {
        self.rounding.unwrap_or(Rounding::Nearest)
    }
}

const fn target_bits(ty: Type) -> u8 {
    match ty {
        Type::Bits(bits) | Type::Unsigned(bits) | Type::Signed(bits) | Type::Float(bits) => bits,
        Type::Predicate => 1,
        Type::Opaque(_) => 64,
    }
}

/// The type that a word names; bits for one that no variable has.
fn type_of(word: &str) -> Option<Type> {
    match word {
        "bf16" => return Some(Type::Bits(16)),
        "f16x2" | "bf16x2" | "tf32" => return Some(Type::Bits(32)),
        _ => {}
    }
    let bits = word.get(1..)?.parse().ok()?;
    match (word.get(..1)?, bits) {
        ("b", 16 | 32 | 64) => Some(Type::Bits(bits)),
        ("u", 8 | 16 | 32 | 64) => Some(Type::Unsigned(bits)),
        ("s", 8 | 16 | 32 | 64) => Some(Type::Signed(bits)),
        ("f", 16 | 32 | 64) => Some(Type::Float(bits)),
        _ => None,
    }
}

/// A comparison. Those of the second half are true where an operand is a NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Neither is a NaN.
    Numbers,
    EqualOrNan,
    NotEqualOrNan,
    LessOrNan,
    LessEqualOrNan,
    GreaterOrNan,
    GreaterEqualOrNan,
    /// One of them is a NaN.
    Nan,
}

impl Comparison {
    /// The comparison that a word names. Of unsigned integers `lo` is `lt`, `ls` is `le`, `hi` is `gt`, `hs` is `ge`.
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "eq" => Self::Equal,
            "ne" => Self::NotEqual,
            "lt" | "lo" => Self::Less,
            "le" | "ls" => Self::LessEqual,
            "gt" | "hi" => Self::Greater,
            "ge" | "hs" => Self::GreaterEqual,
            "num" => Self::Numbers,
            "equ" => Self::EqualOrNan,
            "neu" => Self::NotEqualOrNan,
            "ltu" => Self::LessOrNan,
            "leu" => Self::LessEqualOrNan,
            "gtu" => Self::GreaterOrNan,
            "geu" => Self::GreaterEqualOrNan,
            "nan" => Self::Nan,
            _ => return None,
        })
    }
}
