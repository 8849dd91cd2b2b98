//! What instructions compute, lane by lane: the pure part of the simulated device.

mod approximate;
mod bit;
mod compare;
mod convert;
mod double;
mod find;
mod float;
mod half;
mod integer;
mod lift;
mod rounding;
#[cfg(test)]
mod tests;
mod value;

pub use find::find;

use super::class::Class;
use crate::hardware::lanes::{Longs, Mask, Words};

/// A function of one to four registers. `W` is a 32-bit register (also of 8- and 16-bit values, whose upper bits are
/// zero), `L` a 64-bit one; the last letter is the result's, which is computed for every lane, in the mask or not.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Function {
    WW(fn(&Words, &mut Words)),
    WL(fn(&Words, &mut Longs)),
    LW(fn(&Longs, &mut Words)),
    LL(fn(&Longs, &mut Longs)),
    WWW(fn(&Words, &Words, &mut Words)),
    WWL(fn(&Words, &Words, &mut Longs)),
    LLL(fn(&Longs, &Longs, &mut Longs)),
    LLW(fn(&Longs, &Longs, &mut Words)),
    LWL(fn(&Longs, &Words, &mut Longs)),
    WWWW(fn(&Words, &Words, &Words, &mut Words)),
    WWLL(fn(&Words, &Words, &Longs, &mut Longs)),
    LLLL(fn(&Longs, &Longs, &Longs, &mut Longs)),
    LWWL(fn(&Longs, &Words, &Words, &mut Longs)),
    WWWWW(fn(&Words, &Words, &Words, &Words, &mut Words)),
    LLWWL(fn(&Longs, &Longs, &Words, &Words, &mut Longs)),
    /// A comparison of 32-bit registers.
    WWP(fn(&Words, &Words) -> Mask),
    /// A comparison of 64-bit registers.
    LLP(fn(&Longs, &Longs) -> Mask),
}

/// What an instruction computes, and what it costs.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// The function.
    pub function: Function,
    /// Its class.
    pub class: Class,
    /// About how many machine instructions of that class a GPU's compiler makes of it: 1, more where it is expanded
    /// (divisions, square roots, 64-bit integers), 0 where it usually disappears.
    pub weight: u8,
}
