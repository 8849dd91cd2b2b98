//! The tree of a block: which warps add in which step, and which places they touch.

use super::Variant;
use gpu_simulator::hardware::Banks;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::lanes::{LANES, Mask};

/// Steps after which a warp's 32 places are one sum.
const STEPS_OF_WARP: u64 = LANES.ilog2() as u64;

/// Warps that add, summed over the steps of the tree of `block` elements (32 times a power of two).
///
/// Scattered: all `w` warps in the first five steps, then one half, one quarter, ... of them: 5 w + (w - 1). Leading: one
/// half, one quarter, ... down to one warp, and then that one in the five steps that are left: (w - 1) + 5.
pub(super) fn warp_steps(variant: Variant, block: u64) -> u64 {
    let warps = block / LANES as u64;
    match variant {
        Variant::ScatteredThreads => STEPS_OF_WARP * warps + warps - 1,
        Variant::LeadingThreads => warps - 1 + STEPS_OF_WARP,
    }
}

/// Those of them some of whose threads do not add. Scattered: all. Leading: those of the last five steps.
pub(super) fn divergent_warp_steps(variant: Variant, block: u64) -> u64 {
    match variant {
        Variant::ScatteredThreads => warp_steps(variant, block),
        Variant::LeadingThreads => STEPS_OF_WARP,
    }
}

/// Passes over the banks that the loads of the tree take, two loads for each warp that adds.
pub(super) fn load_passes(variant: Variant, block: u64, rule: Banks) -> u64 {
    let mut sum = 0;
    for distance in (0..block.ilog2()).map(|step| 1_u64 << step) {
        for warp in 0..block / LANES as u64 {
            let mut mask: Mask = 0;
            let mut addresses = [0_u32; LANES];
            for (lane, address) in addresses.iter_mut().enumerate() {
                let thread = warp * LANES as u64 + lane as u64;
                let place = match variant {
                    Variant::ScatteredThreads => thread,
                    Variant::LeadingThreads => thread * 2 * distance,
                };
                if place < block && place % (2 * distance) == 0 {
                    mask |= 1 << lane;
                    *address = 4 * place as u32;
                }
            }
            let of_sums = passes(rule, &addresses, mask, 4, false).passes;
            let neighbours = addresses.map(|address| address + 4 * distance as u32);
            sum += u64::from(of_sums + passes(rule, &neighbours, mask, 4, false).passes);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Named;

    /// Warps with an active thread, and with an idle one as well, counted thread by thread.
    fn counted(variant: Variant, block: u64) -> (u64, u64) {
        let (mut active_warps, mut divergent) = (0, 0);
        let mut distance = 1;
        while distance < block {
            for first in (0..block).step_by(LANES) {
                let adds = |thread: u64| match variant {
                    Variant::ScatteredThreads => thread.is_multiple_of(2 * distance),
                    Variant::LeadingThreads => 2 * distance * thread < block,
                };
                let active = (first..first + LANES as u64).filter(|&thread| adds(thread)).count();
                active_warps += u64::from(active > 0);
                divergent += u64::from(active > 0 && active < LANES);
            }
            distance *= 2;
        }
        (active_warps, divergent)
    }

    #[test]
    fn steps_are_those_counted_thread_by_thread() {
        for &variant in Variant::ALL {
            for block in [32, 64, 128, 256, 512, 1024] {
                let formulas = (warp_steps(variant, block), divergent_warp_steps(variant, block));
                assert_eq!(formulas, counted(variant, block), "{variant:?}, {block}");
            }
        }
        assert_eq!(warp_steps(Variant::ScatteredThreads, 1024), 191);
        assert_eq!(warp_steps(Variant::LeadingThreads, 1024), 36);
    }

    /// By hand, for 64 threads and 32 banks. The leading warp loads places 2t, 4t, 8t, 16t, 32t and 64t: 32 of them in 2 rows
    /// of banks, 16 in 2, 8 in 2, 4 in 2, 2 in 2, and 1. Two loads each make 2 (2 + 2 + 2 + 2 + 2 + 1) = 22 passes. The
    /// scattered warps load places of one row each: two passes for each of their 11 steps.
    #[test]
    fn passes_are_those_counted_by_hand() {
        assert_eq!(load_passes(Variant::LeadingThreads, 64, Banks::Phases32), 22);
        assert_eq!(load_passes(Variant::ScatteredThreads, 64, Banks::Phases32), 22);
        // The worst step of 1024 threads has 32 places 32 apart, all in one bank.
        assert_eq!(
            load_passes(Variant::LeadingThreads, 1024, Banks::Phases32),
            2 * (16 * 2 + 8 * 4 + 4 * 8 + 2 * 16 + 32 + 16 + 8 + 4 + 2 + 1)
        );
    }
}
