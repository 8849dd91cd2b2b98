//! What a copy asks of global memory, by the device's rule and without running it.

use rayon::prelude::*;

use super::accesses::Accesses;
use gpu_simulator::hardware::Coalescing;
use gpu_simulator::hardware::coalescing::{GlobalAccess, coalesce};
use gpu_simulator::hardware::lanes::{LANES, Longs, Mask};

/// Warps up to which all are looked at. Of more, as many as this are, spread over the grid.
const WARPS_MAX: u64 = 1 << 13;

/// What the loads, or the stores, of a copy come to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Side {
    requests: u64,
    transactions: u64,
    bytes: u64,
}

impl Side {
    fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            transactions: self.transactions + other.transactions,
            bytes: self.bytes + other.bytes,
        }
    }

    /// Transactions of a request.
    pub(super) fn sectors_per_request(self) -> f64 {
        self.transactions as f64 / self.requests.max(1) as f64
    }
}

/// What a copy asks of global memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prediction {
    pub(super) read: Side,
    pub(super) written: Side,
    /// Bytes of the transactions of all warps.
    pub(super) bytes_moved: f64,
}

impl Prediction {
    /// By the rules applied to the addresses of every warp or, of large copies, of some. Buffers begin at multiples of
    /// the longest transaction.
    pub(super) fn new(accesses: &Accesses, rule: Coalescing) -> Self {
        const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
        let warps = accesses.threads() / LANES as u64;
        let looked_at = warps.min(WARPS_MAX);
        let number = |index: u64| {
            if looked_at == warps {
                return index;
            }
            // Multiples of an irrational number: no period of the pattern is in step with them.
            (((index as f64 + 0.5) * GOLDEN_RATIO).fract() * warps as f64) as u64
        };
        let (read, written) = (0..looked_at)
            .into_par_iter()
            .map(|index| of_warp(accesses, rule, number(index)))
            .reduce(Default::default, |one, other| (one.0.plus(other.0), one.1.plus(other.1)));
        let bytes_moved = (read.bytes + written.bytes) as f64 * (warps as f64 / looked_at.max(1) as f64);
        Self { read, written, bytes_moved }
    }

    /// Transactions of a request, over the loads and stores together.
    pub(super) fn sectors_per_request(&self) -> f64 {
        self.read.plus(self.written).sectors_per_request()
    }
}

/// The loads and the stores of a warp.
fn of_warp(accesses: &Accesses, rule: Coalescing, warp: u64) -> (Side, Side) {
    let (mut read, mut written): (Longs, Longs) = ([0; LANES], [0; LANES]);
    let mut mask: Mask = 0;
    for lane in 0..LANES {
        if let Some(thread) = accesses.thread(warp * LANES as u64 + lane as u64) {
            read[lane] = thread.read * accesses.word_bytes;
            written[lane] = thread.written * accesses.word_bytes;
            mask |= 1 << lane;
        }
    }
    let mut access = GlobalAccess::new();
    let [read, written] = [read, written].map(|addresses| {
        coalesce(rule, &addresses, mask, accesses.word_bytes as u32, &mut access);
        Side {
            requests: u64::from(access.requests),
            transactions: access.transactions.len() as u64,
            bytes: access.bytes_moved,
        }
    });
    (read, written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::global_access::tests::small;
    use crate::family::global_access::{Parameters, Variant};

    /// Transactions of a request for reads and writes.
    fn sectors(rule: Coalescing, variant: Variant, parameters: &Parameters) -> (f64, f64) {
        let prediction = Prediction::new(&Accesses::new(variant, parameters), rule);
        (prediction.read.sectors_per_request(), prediction.written.sectors_per_request())
    }

    #[track_caller]
    fn assert_sectors(rule: Coalescing, variant: Variant, parameters: &Parameters, expected: (f64, f64)) {
        assert_eq!(sectors(rule, variant, parameters), expected, "{variant:?} {parameters:?}");
    }

    /// A warp of a tile has two of its rows, 64 bytes each; exchanged, two columns of 16 rows.
    #[test]
    fn tiles_take_the_sectors_of_two_rows_or_of_two_columns() {
        use Coalescing::{HalfWarpInOrder, HalfWarpSegments, Sectors};
        for (variant, read_exchanged, write_exchanged) in [
            (Variant::ReadCoalescedWriteCoalesced, false, false),
            (Variant::ReadUncoalescedWriteCoalesced, true, false),
            (Variant::ReadCoalescedWriteUncoalesced, false, true),
            (Variant::ReadUncoalescedWriteUncoalesced, true, true),
        ] {
            for (rule, straight, exchanged) in
                [(Sectors, 4.0, 16.0), (HalfWarpSegments, 1.0, 16.0), (HalfWarpInOrder, 1.0, 16.0)]
            {
                let of = |is_exchanged| if is_exchanged { exchanged } else { straight };
                assert_sectors(rule, variant, &small(), (of(read_exchanged), of(write_exchanged)));
            }
        }
    }

    #[test]
    fn swapped_neighbours_matter_to_the_oldest_rule_alone() {
        assert_sectors(Coalescing::Sectors, Variant::Crossed, &small(), (4.0, 4.0));
        assert_sectors(Coalescing::HalfWarpSegments, Variant::Crossed, &small(), (1.0, 1.0));
        assert_sectors(Coalescing::HalfWarpInOrder, Variant::Crossed, &small(), (16.0, 16.0));
    }

    /// 32 lanes * stride * 4 bytes, in sectors of 32 bytes; never more than one for each lane.
    #[test]
    fn strides_take_as_many_sectors_as_they_span_up_to_one_for_each_lane() {
        for (stride, sectors) in [(1, 4.0), (2, 8.0), (4, 16.0), (8, 32.0), (16, 32.0), (64, 32.0)] {
            assert_sectors(
                Coalescing::Sectors,
                Variant::Strided,
                &Parameters { width: 128, stride, ..small() },
                (sectors, 4.0),
            );
        }
        for (word_bytes, stride, read, written) in
            [(8, 1, 8.0, 8.0), (8, 4, 32.0, 8.0), (16, 1, 16.0, 16.0), (16, 2, 32.0, 16.0)]
        {
            let parameters = Parameters { width: 128, stride, word_bytes, ..small() };
            assert_sectors(Coalescing::Sectors, Variant::Strided, &parameters, (read, written));
        }
    }

    #[test]
    fn a_shift_costs_one_sector_more_unless_it_is_of_whole_sectors() {
        for (offset, sectors) in [(0, 4.0), (1, 5.0), (7, 5.0), (8, 4.0), (31, 5.0), (32, 4.0)] {
            assert_sectors(Coalescing::Sectors, Variant::Offset, &Parameters { offset, ..small() }, (sectors, 4.0));
        }
        // F.3.2.1: lane k has to access word k of an aligned segment.
        assert_sectors(Coalescing::HalfWarpInOrder, Variant::Offset, &Parameters { offset: 1, ..small() }, (16.0, 1.0));
        assert_sectors(Coalescing::HalfWarpInOrder, Variant::Offset, &Parameters { offset: 16, ..small() }, (1.0, 1.0));
    }

    #[test]
    fn a_permutation_of_a_large_array_takes_a_sector_for_nearly_every_lane() {
        let (read, written) = sectors(Coalescing::Sectors, Variant::Permuted, &Parameters { width: 1024, ..small() });
        assert!(read > 31.9 && read <= 32.0, "{read}");
        assert!((written - 4.0).abs() < 1e-12, "{written}");
    }

    #[test]
    fn of_large_copies_what_is_looked_at_stands_for_the_rest() {
        for width in [512, 2048, 4096, 16_384] {
            let prediction = Prediction::new(
                &Accesses::new(Variant::ReadUncoalescedWriteCoalesced, &Parameters { width, ..small() }),
                Coalescing::Sectors,
            );
            assert!((prediction.sectors_per_request() - 10.0).abs() < 1e-12, "{width}");
            let bytes = (width * width) as f64 / 32.0 * 20.0 * 32.0;
            assert!((prediction.bytes_moved / bytes - 1.0).abs() < 1e-12, "{width}");
        }
    }
}
