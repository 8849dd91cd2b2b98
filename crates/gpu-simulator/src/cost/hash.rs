//! A hash of numbers, for what GPUs hash in ways that are not known.

/// The number with every bit of it spread over all bits.
pub(super) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 32;
    mixed = mixed.wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ mixed >> 32
}
