//! What instructions compute, lane by lane: the pure part of the simulated device.
//!
//! What programs do often is a function of whole registers, compiled for each operation and width. What they seldom do
//! (saturation, rounding in a direction, unusual conversions, `set`) is an [`EachLane`], one function for many forms.

#![allow(clippy::unnecessary_wraps)] // Rows hold functions of one type, of which some may have nothing to give.

pub(crate) mod approximate;
pub(crate) mod bit;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod double;
pub(crate) mod float;
mod half;
pub(crate) mod integer;
mod lift;
pub(crate) mod matrix;
mod modifiers;
pub(crate) mod narrow;
mod rounding;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use half::Narrow;
pub(crate) use modifiers::Modifiers;

use crate::hardware::lanes::{LANES, Longs, Mask, Words};

/// A function of one to four registers. `W` is a 32-bit register (also of 8- and 16-bit values, whose upper bits are
/// zero), `L` a 64-bit one; the last letter is the result's, which is computed for every lane, in the mask or not.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::upper_case_acronyms, reason = "a letter for each register")]
pub(crate) enum Function {
    WW(fn(&Words, &mut Words)),
    WL(fn(&Words, &mut Longs)),
    LW(fn(&Longs, &mut Words)),
    LL(fn(&Longs, &mut Longs)),
    WWW(fn(&Words, &Words, &mut Words)),
    WWL(fn(&Words, &Words, &mut Longs)),
    LLL(fn(&Longs, &Longs, &mut Longs)),
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
    EachLane(EachLane),
}

impl Function {
    /// The letters of its sources, in their order.
    pub(crate) fn sources(&self) -> &'static str {
        match self {
            Self::WW(_) | Self::WL(_) => "W",
            Self::LW(_) | Self::LL(_) => "L",
            Self::WWW(_) | Self::WWL(_) | Self::WWP(_) => "WW",
            Self::LLL(_) | Self::LLP(_) => "LL",
            Self::LWL(_) => "LW",
            Self::WWWW(_) => "WWW",
            Self::WWLL(_) => "WWL",
            Self::LLLL(_) => "LLL",
            Self::LWWL(_) => "LWW",
            Self::WWWWW(_) => "WWWW",
            Self::LLWWL(_) => "LLWW",
            Self::EachLane(own) => own.sources,
        }
    }

    /// Whether it gives a predicate.
    pub(crate) fn is_test(&self) -> bool {
        matches!(self, Self::WWP(_) | Self::LLP(_))
    }

    /// Whether it gives a 64-bit register.
    pub(crate) fn is_long(&self) -> bool {
        match self {
            Self::WW(_) | Self::LW(_) | Self::WWW(_) | Self::WWWW(_) | Self::WWWWW(_) | Self::WWP(_) | Self::LLP(_) => {
                false
            }
            Self::WL(_)
            | Self::LL(_)
            | Self::WWL(_)
            | Self::LLL(_)
            | Self::LWL(_)
            | Self::WWLL(_)
            | Self::LLLL(_)
            | Self::LWWL(_)
            | Self::LLWWL(_) => true,
            Self::EachLane(own) => own.is_long,
        }
    }
}

/// A function of up to three registers that is called for one lane after the other. The same code serves many forms of
/// an instruction: it reads their modifiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EachLane {
    function: fn(&Modifiers, [u64; 3]) -> u64,
    modifiers: Modifiers,
    sources: &'static str,
    is_long: bool,
}

impl EachLane {
    /// The letters of its sources, in their order.
    pub(crate) fn sources(&self) -> &'static str {
        self.sources
    }

    /// The results of all lanes. The upper halves of 32-bit registers, given or computed, are zero.
    pub(crate) fn call(&self, sources: &[Longs; 3]) -> Longs {
        let [first, second, third] = sources;
        let mut result = [0; LANES];
        for (lane, result) in result.iter_mut().enumerate() {
            *result = (self.function)(&self.modifiers, [first[lane], second[lane], third[lane]]);
        }
        result
    }
}
