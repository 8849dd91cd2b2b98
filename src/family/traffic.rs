//! What warps ask of memory, by a device's rules: for predictors that follow from addresses.

use gpu_simulator::hardware::Rules;
use gpu_simulator::hardware::banks::passes;
use gpu_simulator::hardware::coalescing::{GlobalAccess, coalesce};
use gpu_simulator::hardware::lanes::{LANES, Mask};

/// Requests and transactions of global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct GlobalTraffic {
    /// Requests that warps' instructions are split into.
    pub(super) requests: u64,
    /// Transactions, or sectors, of all of them.
    pub(super) transactions: u64,
    /// Bytes of these.
    pub(super) bytes_moved: u64,
}

impl GlobalTraffic {
    /// Adds an instruction that so many warps execute alike: loads or stores of `bytes_per_lane` at each lane's address, or
    /// at none.
    pub(super) fn add(
        &mut self,
        rules: Rules,
        warps: u64,
        bytes_per_lane: u32,
        address: impl Fn(usize) -> Option<u64>,
    ) {
        let (mut addresses, mut mask) = ([0; LANES], 0);
        for (lane, place) in addresses.iter_mut().enumerate() {
            if let Some(address) = address(lane) {
                *place = address;
                mask |= 1 << lane;
            }
        }
        let mut access = GlobalAccess::new();
        coalesce(rules.coalescing, &addresses, mask, bytes_per_lane, &mut access);
        self.requests += warps * u64::from(access.requests);
        self.transactions += warps * access.transactions.len() as u64;
        self.bytes_moved += warps * access.bytes_moved;
    }

    /// Transactions of a request (mean over requests); 0 without any.
    pub(super) fn transactions_per_request(&self) -> f64 {
        self.transactions as f64 / self.requests.max(1) as f64
    }
}

/// Passes over the banks of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SharedTraffic {
    passes: u64,
    conflicts: u64,
}

impl SharedTraffic {
    /// Adds a load of `bytes_per_lane` by all lanes of a warp, each at its offset in bytes.
    pub(super) fn add_load(&mut self, rules: Rules, bytes_per_lane: u32, offset: impl Fn(u32) -> u32) {
        let mut offsets = [0; LANES];
        offsets.iter_mut().zip(0..).for_each(|(place, lane)| *place = offset(lane));
        let access = passes(rules.banks, &offsets, Mask::MAX, bytes_per_lane, false);
        self.passes += u64::from(access.passes);
        self.conflicts += u64::from(access.conflicts);
    }

    /// Passes in terms of those that would do without conflicts (mean over loads); 0 without any load.
    pub(super) fn conflict_degree(&self) -> f64 {
        self.passes as f64 / (self.passes - self.conflicts).max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_traffic_is_summed_over_warps_and_lanes_without_an_address_ask_for_nothing() {
        let of = |capability, stride: u64, lanes: usize| {
            let mut traffic = GlobalTraffic::default();
            let rules = Rules::of_capability(capability);
            traffic.add(rules, 3, 4, |lane| (lane < lanes).then_some(lane as u64 * stride));
            (traffic.requests, traffic.transactions, traffic.bytes_moved)
        };
        assert_eq!(of((9, 0), 4, 32), (3, 12, 384));
        assert_eq!(of((9, 0), 32, 32), (3, 96, 3072));
        assert_eq!(of((9, 0), 4, 8), (3, 3, 96));
        assert_eq!(of((9, 0), 4, 0), (0, 0, 0));
        assert_eq!(of((1, 3), 4, 32), (6, 6, 384));
        assert_eq!(of((1, 1), 12, 32), (6, 96, 3072));
        let two = GlobalTraffic { requests: 4, transactions: 10, bytes_moved: 320 };
        assert!((two.transactions_per_request() - 2.5).abs() < 1e-12);
        assert!(GlobalTraffic::default().transactions_per_request().abs() < 1e-12);
    }

    #[test]
    fn conflict_degrees_are_means_over_loads() {
        let rules = Rules::default();
        let mut traffic = SharedTraffic::default();
        assert!(traffic.conflict_degree().abs() < 1e-12);
        traffic.add_load(rules, 4, |lane| 4 * lane);
        assert!((traffic.conflict_degree() - 1.0).abs() < 1e-12);
        traffic.add_load(rules, 4, |lane| 128 * lane);
        assert!((traffic.conflict_degree() - 16.5).abs() < 1e-12);
        let mut wide = SharedTraffic::default();
        wide.add_load(rules, 16, |lane| 16 * lane);
        assert!((wide.conflict_degree() - 1.0).abs() < 1e-12);
    }
}
