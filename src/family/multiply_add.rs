//! The operation of `cuda/multiply_add.cuh` on the host: any number of them in one.

const FACTOR: u32 = 1_664_525;
const TERM: u32 = 1_013_904_223;

/// A number of multiply-adds, one after the other: modulo 2^32 they are one multiply-add with other constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MultiplyAdds {
    factor: u32,
    term: u32,
}

impl MultiplyAdds {
    /// `count` of them.
    pub(super) fn new(count: u64) -> Self {
        let none = Self { factor: 1, term: 0 };
        (0..count).fold(none, |Self { factor, term }, _| Self {
            factor: factor.wrapping_mul(FACTOR),
            term: term.wrapping_mul(FACTOR).wrapping_add(TERM),
        })
    }

    /// What they make of a value.
    pub(super) fn apply(self, value: u32) -> u32 {
        value.wrapping_mul(self.factor).wrapping_add(self.term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        for value in [0, 1, 0xDEAD_BEEF, u32::MAX] {
            let mut one_by_one = value;
            for count in 0..105 {
                assert_eq!(MultiplyAdds::new(count).apply(value), one_by_one, "{count} of {value}");
                one_by_one = one_by_one.wrapping_mul(FACTOR).wrapping_add(TERM);
            }
        }
        assert_eq!(MultiplyAdds::new(1).apply(0), TERM);
    }
}
