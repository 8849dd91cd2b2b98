//! Which counters elements go to, and how many atomics that takes.

use super::{Parameters, Spread, Variant};
use crate::properties::Properties;
use gpu_simulator::hardware::lanes::LANES;

/// Threads of a block.
pub(super) const BLOCK: u64 = 256;
/// Elements of a warp, as a power of two.
const WARP_SHIFT: u32 = LANES.ilog2();

/// How the elements of a point lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Assignment {
    /// Elements.
    pub(super) elements: u64,
    /// Counters, a power of two.
    pub(super) addresses: u64,
    /// Element `e` goes to counter `e >> element_shift`, modulo the counters.
    pub(super) element_shift: u32,
    /// Copies of the counters where these are privatised, a power of two.
    pub(super) copies: u64,
}

impl Assignment {
    pub(super) fn new(parameters: &Parameters) -> Self {
        let Parameters { addresses, spread, copies, elements } = *parameters;
        let element_shift = match spread {
            Spread::InsideWarp => 0,
            Spread::AcrossWarps => WARP_SHIFT,
        };
        Self { elements, addresses, element_shift, copies }
    }

    /// Blocks of the kernels that count: as many as the device holds at once, or fewer if each thread has an element then.
    pub(super) fn blocks(&self, device: &Properties) -> u64 {
        let resident = u64::from(device.threads_per_sm) / BLOCK * u64::from(device.sm_count);
        self.elements.div_ceil(BLOCK).min(resident.max(1))
    }

    /// Words from one copy of the counters to the next: no two copies share a line of 128 bytes.
    pub(super) fn pitch(&self) -> u64 {
        self.addresses.max(LANES as u64)
    }

    /// Different counters that the warps want, summed over the warps.
    fn wanted(&self) -> u64 {
        let lanes = LANES as u64;
        let of_warp =
            |elements: u64| if self.element_shift == 0 { elements.min(self.addresses) } else { elements.min(1) };
        self.elements / lanes * of_warp(lanes) + of_warp(self.elements % lanes)
    }

    /// Lanes of a warp that want the same counter, averaged over the counters that each warp wants.
    pub(super) fn lanes_per_address(&self) -> f64 {
        self.elements as f64 / self.wanted() as f64
    }

    /// Elements of a counter, averaged over the counters.
    pub(super) fn elements_per_address(&self) -> f64 {
        self.elements as f64 / self.addresses as f64
    }

    /// Instructions of warps that are atomics on global memory.
    pub(super) fn global_atomics(&self, variant: Variant, device: &Properties) -> u64 {
        let lanes = LANES as u64;
        match variant {
            Variant::Shared => self.blocks(device) * self.addresses.div_ceil(lanes),
            Variant::Global | Variant::WarpAggregated | Variant::Privatised => self.elements.div_ceil(lanes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;
    use crate::family::fixtures::properties;

    fn assignment(spread: Spread, addresses: u64, elements: u64) -> Assignment {
        Assignment::new(&Parameters { addresses, spread, elements, ..small() })
    }

    #[test]
    fn lanes_per_address_follow_spread_and_addresses() {
        let lanes = |spread, addresses, elements| assignment(spread, addresses, elements).lanes_per_address();
        for (addresses, wanted) in [(1, 32.0), (2, 16.0), (16, 2.0), (32, 1.0), (64, 1.0), (1 << 20, 1.0)] {
            assert!((lanes(Spread::InsideWarp, addresses, 1 << 22) - wanted).abs() < 1e-12, "{addresses}");
            assert!((lanes(Spread::AcrossWarps, addresses, 1 << 22) - 32.0).abs() < 1e-12, "{addresses}");
        }
        // A warp of 32 wants 16 counters and one of 5 wants 5; or each wants one.
        assert!((lanes(Spread::InsideWarp, 16, 37) - 37.0 / 21.0).abs() < 1e-12);
        assert!((lanes(Spread::AcrossWarps, 16, 37) - 18.5).abs() < 1e-12);
    }

    #[test]
    fn blocks_fill_the_device_and_have_elements() {
        let mut device = properties();
        (device.sm_count, device.threads_per_sm) = (132, 2048);
        assert_eq!(assignment(Spread::InsideWarp, 1, 1 << 22).blocks(&device), 132 * 8);
        assert_eq!(assignment(Spread::InsideWarp, 1, 1 << 28).blocks(&device), 132 * 8);
        assert_eq!(
            [1, 256, 257].map(|elements| assignment(Spread::InsideWarp, 1, elements).blocks(&device)),
            [1, 1, 2]
        );
    }

    #[test]
    fn blocks_that_count_for_themselves_leave_few_global_atomics() {
        let mut device = properties();
        (device.sm_count, device.threads_per_sm) = (2, 512);
        let assignment = assignment(Spread::InsideWarp, 33 * 32, 100_000);
        assert_eq!(assignment.global_atomics(Variant::Global, &device), 3125);
        assert_eq!(assignment.global_atomics(Variant::WarpAggregated, &device), 3125);
        assert_eq!(assignment.global_atomics(Variant::Shared, &device), 4 * 33);
    }

    #[test]
    fn copies_are_lines_apart() {
        assert_eq!([1, 32, 64].map(|addresses| assignment(Spread::InsideWarp, addresses, 9).pitch()), [32, 32, 64]);
    }
}
