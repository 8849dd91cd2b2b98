//! How many places of constant memory a warp's lanes read at once: they are read one after the other, by addresses alone. Places beside each other
//! are as many as places far apart, of a byte as of a word (`tests/gpu/constants/constant_memory.cu`).

use super::distinct::Distinct;
use super::lanes::{Mask, Words, lanes_of};

/// The different places that lanes come to.
pub fn places(offsets: &Words, mask: Mask) -> u32 {
    let mut distinct = Distinct::new();
    for lane in lanes_of(mask) {
        distinct.insert(u64::from(offsets[lane]));
    }
    distinct.keys().len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_at_one_place_come_to_it_together() {
        let of = |offset: fn(usize) -> u32, mask| places(&std::array::from_fn(offset), mask);
        assert_eq!(of(|_| 64, Mask::MAX), 1);
        assert_eq!(of(|lane| lane as u32, Mask::MAX), 32, "bytes of a word are places of their own");
        assert_eq!(of(|lane| 4 * (lane as u32 % 3), Mask::MAX), 3);
        assert_eq!(of(|lane| 4 * (lane as u32 % 3), 0b101), 2, "of the active lanes alone");
        assert_eq!(of(|lane| lane as u32, 0), 0);
    }
}
