//! What tells the variants apart: their kernels, and what their blocks have and take.

use super::{Parameters, Variant};
use crate::family::residency::resident_on_device;
use crate::properties::Properties;
use gpu_simulator::hardware::lanes::LANES;

/// Words that a thread of a vectorised kernel loads before it counts: four vectors of four.
const WORDS_AT_ONCE: u64 = 16;
/// Copies of the bins of `lane_copies`.
const LANE_COPIES: u32 = 8;

/// A variant's launch at one point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counting {
    /// The kernel that counts.
    pub(super) entry: &'static str,
    /// Blocks of the launch: no more than are resident at once, so that few bins are added at the end.
    pub(super) blocks: u32,
    /// Words of shared memory that a block counts in.
    pub(super) bin_words: u32,
    /// All dynamic shared memory of a block.
    pub(super) shared_words: u32,
}

impl Counting {
    pub(super) fn new(parameters: &Parameters, variant: Variant, device: &Properties) -> Self {
        let Parameters { elements, bins, block, .. } = *parameters;
        let (entry, bin_words, other_words, words_at_once) = match variant {
            Variant::GlobalAtomics => ("histogram_global_atomics", 0, 0, 1),
            Variant::SharedAtomics => ("histogram_shared_atomics", bins, 0, 1),
            Variant::Vectorised => ("histogram_vectorised", bins, 0, WORDS_AT_ONCE),
            // A word beside each copy keeps the next one's bins from the same banks.
            Variant::WarpCopies => ("histogram_warp_copies", block / LANES as u32 * (bins + 1), 0, WORDS_AT_ONCE),
            Variant::LaneCopies => ("histogram_lane_copies", LANE_COPIES * bins, 0, WORDS_AT_ONCE),
            Variant::WarpAggregated => ("histogram_warp_aggregated", bins, 0, 1),
            // A key for each thread.
            Variant::Sorted => ("histogram_sorted", bins, block, 1),
        };
        let shared_words = bin_words + other_words;
        let needed = elements.div_ceil(u64::from(block) * words_at_once);
        let resident = resident_on_device(entry, block, u64::from(shared_words) * 4, device);
        let blocks = needed.min(u64::from(resident)) as u32;
        Self { entry, blocks, bin_words, shared_words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::{defaults, properties};

    fn of(variant: Variant, elements: u64) -> Counting {
        Counting::new(&Parameters { elements, ..defaults() }, variant, &properties())
    }

    #[test]
    fn blocks_are_as_many_as_are_resident_and_no_more_than_have_words() {
        let device = properties();
        for variant in [Variant::GlobalAtomics, Variant::Vectorised, Variant::WarpCopies] {
            assert_eq!(of(variant, 1 << 26).blocks, device.sm_count * device.threads_per_sm / 512, "{variant:?}");
        }
        assert_eq!((of(Variant::Vectorised, 8193).blocks, of(Variant::SharedAtomics, 1025).blocks), (2, 3));
    }

    #[test]
    fn copies_have_places_of_their_own() {
        assert_eq!(of(Variant::WarpCopies, 1000).bin_words, 16 * 257);
        assert_eq!(of(Variant::LaneCopies, 1000).bin_words, 8 * 256);
        let sorted = of(Variant::Sorted, 1000);
        assert_eq!((sorted.bin_words, sorted.shared_words), (256, 256 + 512));
    }
}
