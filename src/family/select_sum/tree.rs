//! The tree by which a block sums: its barriers, and the passes that its loads take.

use gpu_simulator::hardware::Banks;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::lanes::{LANES, Mask};

/// Bytes of a number in shared memory.
const NUMBER_BYTES: u32 = 8;

/// Which threads add which places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tree {
    /// Places ever farther apart.
    Strided,
    /// The first places, with the half behind them.
    Sequential,
    /// The same, but without barriers once one warp is left.
    Unrolled,
}

impl Tree {
    /// Barriers that a block of this many threads (a power of two, 64 or more) passes: one behind what the threads
    /// found, and one in each step but those of one warp alone.
    pub(super) fn barriers(self, block: u64) -> u64 {
        let steps = u64::from(block.ilog2());
        match self {
            Self::Strided | Self::Sequential => 1 + steps,
            // The last warp takes 64 numbers, in six steps.
            Self::Unrolled => 1 + steps - 6,
        }
    }

    /// Passes over the banks that its loads take.
    pub(super) fn load_passes(self, block: u64, rule: Banks) -> u64 {
        let mut sum = 0;
        let mut load = |place: &dyn Fn(u64) -> Option<u64>| {
            for warp in 0..block / LANES as u64 {
                sum += u64::from(warp_passes(rule, |lane| place(warp * LANES as u64 + lane)));
            }
        };
        let strided = (0..block.ilog2()).map(|step| 1 << step);
        let sequential = (0..block.ilog2()).rev().map(|step| 1 << step);
        let distances: Vec<u64> = match self {
            Self::Strided => strided.collect(),
            Self::Sequential => sequential.collect(),
            Self::Unrolled => sequential.filter(|distance| *distance > LANES as u64).collect(),
        };
        for distance in distances {
            let place = |thread: u64| match self {
                Self::Strided => Some(2 * distance * thread).filter(|place| *place < block),
                Self::Sequential | Self::Unrolled => Some(thread).filter(|place| *place < distance),
            };
            load(&place);
            load(&|thread| place(thread).map(|place| place + distance));
        }
        if self == Self::Unrolled {
            // Its own number, and those up to 32 places behind.
            for behind in [0, 32, 16, 8, 4, 2, 1] {
                load(&|thread| (thread < LANES as u64).then_some(thread + behind));
            }
        } else {
            load(&|thread| (thread == 0).then_some(0));
        }
        sum
    }
}

/// Passes of one load of a warp, whose lanes want the numbers at these places.
fn warp_passes(rule: Banks, place: impl Fn(u64) -> Option<u64>) -> u32 {
    let mut mask: Mask = 0;
    let mut addresses = [0_u32; LANES];
    for (lane, address) in addresses.iter_mut().enumerate() {
        if let Some(place) = place(lane as u64) {
            mask |= 1 << lane;
            *address = NUMBER_BYTES * place as u32;
        }
    }
    if mask == 0 { 0 } else { passes(rule, &addresses, mask, NUMBER_BYTES, false).passes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_are_those_counted_by_hand() {
        assert_eq!([Tree::Strided, Tree::Sequential, Tree::Unrolled].map(|tree| tree.barriers(256)), [9, 9, 3]);
        assert_eq!(Tree::Unrolled.barriers(64), 1);
    }

    /// 64 numbers of 8 bytes, 32 banks of 4. A warp's 32 neighbours take two passes, half a warp or less one.
    ///
    /// Sequential: 32, 16, 8, 4, 2 and 1 lanes add, with two loads each: 2 (2 + 1 + 1 + 1 + 1 + 1), and one for the
    /// sum. Unrolled: seven loads of all lanes, two passes each. Strided: lane t wants place 2 t, then 4 t and so on.
    /// A half-warp's 16 are 2 places apart, so two of them collide in every bank: 2 · 2 passes; 16 lanes 4 apart: 4;
    /// 8 lanes 8 apart: 4; 4 lanes 16 apart: 4; 2 lanes 32 apart: 2; 1.
    #[test]
    fn passes_are_those_counted_by_hand() {
        assert_eq!(Tree::Sequential.load_passes(64, Banks::Phases32), 2 * (2 + 5) + 1);
        assert_eq!(Tree::Unrolled.load_passes(64, Banks::Phases32), 14);
        assert_eq!(Tree::Strided.load_passes(64, Banks::Phases32), 2 * (4 + 4 + 4 + 4 + 2 + 1) + 1);
    }

    #[test]
    fn the_strided_tree_has_conflicts_by_every_rule() {
        for rule in [Banks::HalfWarp16, Banks::Warp32, Banks::Warp32Wide, Banks::Phases32] {
            let [strided, sequential] = [Tree::Strided, Tree::Sequential].map(|tree| tree.load_passes(512, rule));
            assert!(strided > sequential, "{rule:?}: {strided} {sequential}");
        }
    }
}
