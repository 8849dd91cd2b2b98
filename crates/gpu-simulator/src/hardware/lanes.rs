//! The lanes of a warp side by side, so that the host's compiler turns loops over them into vector instructions.

/// Lanes of a warp on every NVIDIA GPU so far.
pub const LANES: usize = 32;

/// A 32-bit register (also of 8- and 16-bit values, whose upper bits are then zero) of every lane.
pub type Words = [u32; LANES];

/// A 64-bit register of every lane.
pub type Longs = [u64; LANES];

/// Lane `i` is in the mask where bit `i` is set.
pub type Mask = u32;

/// Every lane.
pub const ALL_LANES: Mask = Mask::MAX;

/// The lanes of a mask, in ascending order.
pub fn lanes_of(mask: Mask) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}
