//! Integer arithmetic with a carry. PTX ISA, "Extended-Precision Integer Arithmetic Instructions".

use super::{LongSource, WordSource};

/// What is done to three numbers, of which an addition or a subtraction has the last two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum CarryFunction {
    Add,
    Subtract,
    MultiplyAddLow,
    MultiplyAddHigh { signed: bool },
}

/// An operation that takes or gives the carry, which is a predicate of the function.
#[derive(Debug, Clone)]
pub(crate) struct Carrying {
    /// What it does.
    pub function: CarryFunction,
    /// The register it writes.
    pub destination: u32,
    /// Whether its registers have 64 bits.
    pub long: bool,
    /// Sources of 32 bits.
    pub words: [WordSource; 3],
    /// Sources of 64 bits.
    pub longs: [LongSource; 3],
    /// The carry that it adds, or the borrow that it takes away.
    pub carry_in: Option<u32>,
    /// Where it leaves its own.
    pub carry_out: Option<u32>,
}

impl CarryFunction {
    /// The result for one lane, and whether there is a carry or a borrow.
    pub(crate) fn of(self, [a, b, c]: [u64; 3], carry: bool, bits: u32) -> (u64, bool) {
        let most = u64::MAX >> (64 - bits);
        let product = |signed: bool| {
            let number = |x: u64| {
                let shift = 128 - bits;
                if signed { u128::from(x).cast_signed() << shift >> shift } else { i128::from(x) }
            };
            // Of unsigned numbers the product may be negative as an i128: its bits are right.
            number(a).wrapping_mul(number(b)).cast_unsigned()
        };
        let (sum, carried) = match self {
            Self::Subtract => {
                let taken = u128::from(c) + u128::from(carry);
                let difference = u128::from(b).wrapping_sub(taken);
                return (difference as u64 & most, taken > u128::from(b));
            }
            Self::Add => (u128::from(b), c),
            Self::MultiplyAddLow => (product(false) & u128::from(most), c),
            Self::MultiplyAddHigh { signed } => (product(signed) >> bits & u128::from(most), c),
        };
        let sum = sum + u128::from(carried) + u128::from(carry);
        (sum as u64 & most, sum > u128::from(most))
    }
}
