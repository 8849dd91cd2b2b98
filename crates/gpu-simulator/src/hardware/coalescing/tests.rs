use proptest::prelude::*;

use super::*;
use crate::hardware::lanes::ALL_LANES;

const BASE: u64 = 0x7f00_0000_1000;
const RULES: [Coalescing; 4] =
    [Coalescing::HalfWarpInOrder, Coalescing::HalfWarpSegments, Coalescing::Lines, Coalescing::Sectors];

fn lanes(address_of: impl Fn(u64) -> u64) -> [u64; LANES] {
    std::array::from_fn(|lane| BASE + address_of(lane as u64))
}

fn coalesced(rule: Coalescing, addresses: &[u64; LANES], mask: Mask, bytes: u32) -> GlobalAccess {
    let mut out = GlobalAccess::new();
    coalesce(rule, addresses, mask, bytes, &mut out);
    out
}

/// Offsets from `BASE` and lengths of the transactions of a full warp.
fn moved(rule: Coalescing, bytes: u32, address_of: impl Fn(u64) -> u64) -> Vec<(u64, u32)> {
    let out = coalesced(rule, &lanes(address_of), ALL_LANES, bytes);
    out.transactions.iter().map(|transaction| (transaction.address - BASE, transaction.bytes)).collect()
}

#[test]
fn capability_1_0_coalesces_aligned_words_in_order() {
    let rule = Coalescing::HalfWarpInOrder;
    assert_eq!(moved(rule, 4, |lane| lane * 4), [(0, 64), (64, 64)]);
    assert_eq!(moved(rule, 8, |lane| lane * 8), [(0, 128), (128, 128)]);
    assert_eq!(moved(rule, 16, |lane| lane * 16), [(0, 128), (128, 128), (256, 128), (384, 128)]);
    // Words of 16 bytes may begin at any 128 bytes, words of 8 bytes not at any 64.
    assert_eq!(moved(rule, 16, |lane| 128 + lane * 16)[0], (128, 128));
    assert_eq!(moved(rule, 8, |lane| 64 + lane * 8).len(), 32);
}

#[test]
fn capability_1_0_takes_a_transaction_for_each_lane_otherwise() {
    let rule = Coalescing::HalfWarpInOrder;
    let misaligned = moved(rule, 4, |lane| 4 + lane * 4);
    assert_eq!(misaligned.len(), 32);
    assert!(misaligned.iter().all(|transaction| transaction.1 == 32));
    assert_eq!((misaligned[0], misaligned[7], misaligned[31]), ((0, 32), (32, 32), (128, 32)));
    // Two lanes of the first half-warp swapped: the second is still coalesced.
    assert_eq!(moved(rule, 4, |lane| if lane < 2 { 4 - lane * 4 } else { lane * 4 }).len(), 17);
    assert_eq!(moved(rule, 4, |lane| lane * 8).len(), 32);
    assert_eq!(moved(rule, 4, |_| 0).len(), 32);
    assert_eq!(moved(rule, 1, |lane| lane).len(), 32);
    assert_eq!(moved(rule, 2, |lane| lane * 2).len(), 32);
}

#[test]
fn capability_1_0_moves_nothing_for_inactive_lanes_that_are_not_in_order() {
    let rule = Coalescing::HalfWarpInOrder;
    let in_order = coalesced(rule, &lanes(|lane| lane * 4), 0b1000_0010, 4);
    assert_eq!((in_order.requests, in_order.bytes_moved, in_order.bytes_asked), (1, 64, 8));
    // A transaction for each element that is requested.
    let scattered = coalesced(rule, &lanes(|lane| lane * 4096), 0b1000_0010, 4);
    assert_eq!((scattered.transactions.len(), scattered.bytes_moved, scattered.lines), (2, 64, 2));
    let first = |index: usize| scattered.transactions[index].address - BASE;
    assert_eq!((first(0), first(1)), (4096, 7 * 4096));
}

#[test]
fn capability_1_2_halves_segments() {
    let rule = Coalescing::HalfWarpSegments;
    assert_eq!(moved(rule, 4, |lane| lane * 4), [(0, 64), (64, 64)]);
    // In any order.
    assert_eq!(moved(rule, 4, |lane| (lane ^ 5) * 4), [(0, 64), (64, 64)]);
    // One word further: the first half-warp crosses the middle of a 128-byte segment, the second its end.
    assert_eq!(moved(rule, 4, |lane| 4 + lane * 4), [(0, 128), (64, 64), (128, 32)]);
    // Stride 2: a half-warp takes one transaction of 128 bytes.
    assert_eq!(moved(rule, 4, |lane| lane * 8), [(0, 128), (128, 128)]);
    assert_eq!(moved(rule, 8, |lane| lane * 8), [(0, 128), (128, 128)]);
    assert_eq!(moved(rule, 16, |lane| lane * 16), [(0, 128), (128, 128), (256, 128), (384, 128)]);
    assert_eq!(moved(rule, 1, |lane| lane), [(0, 32), (0, 32)]);
    assert_eq!(moved(rule, 2, |lane| lane * 2), [(0, 32), (32, 32)]);
    // Bytes 16..48 cross a multiple of 32; bytes 48..80 take 32 bytes of each of two segments.
    assert_eq!(moved(rule, 2, |lane| 16 + lane * 2), [(0, 64), (32, 32), (64, 32)]);
    assert_eq!(moved(rule, 4, |_| 100), [(96, 32), (96, 32)]);
}

#[test]
fn capability_2_moves_lines_by_parts_of_the_warp() {
    let rule = Coalescing::Lines;
    assert_eq!(moved(rule, 4, |lane| (31 - lane) * 4), [(0, 128)]);
    assert_eq!(moved(rule, 4, |lane| 4 + lane * 4), [(0, 128), (128, 128)]);
    assert_eq!(moved(rule, 8, |lane| lane * 8), [(0, 128), (128, 128)]);
    assert_eq!(moved(rule, 16, |lane| lane * 16), [(0, 128), (128, 128), (256, 128), (384, 128)]);
    // A request for each half-warp, even if both want the same line.
    let doubles = coalesced(rule, &lanes(|_| 0), ALL_LANES, 8);
    assert_eq!((doubles.requests, doubles.lines, doubles.bytes_moved, doubles.pipeline_cycles), (2, 2, 256, 2));
    let quarter = coalesced(rule, &lanes(|lane| lane * 16), 0x0000_ff00, 16);
    assert_eq!((quarter.requests, quarter.lines), (1, 1));
    assert_eq!(moved(rule, 4, |lane| lane * 128).len(), 32);
}

#[test]
fn capability_2_moves_32_bytes_past_l1() {
    let mut out = GlobalAccess::new();
    coalesce_uncached(Coalescing::Lines, &lanes(|lane| 4 + lane * 4), ALL_LANES, 4, &mut out);
    assert_eq!((out.requests, out.lines, out.transactions.len(), out.bytes_moved), (1, 2, 5, 160));
}

#[test]
fn capability_5_counts_sectors() {
    for (bytes, sectors, lines) in [(1, 1, 1), (2, 2, 1), (4, 4, 1), (8, 8, 2), (16, 16, 4)] {
        let out = coalesced(Coalescing::Sectors, &lanes(|lane| lane * u64::from(bytes)), ALL_LANES, bytes);
        assert_eq!((out.requests, out.transactions.len(), out.lines), (1, sectors, lines));
        assert_eq!((out.bytes_moved, out.bytes_asked), (u64::from(bytes) * 32, u64::from(bytes) * 32));
        assert_eq!(out.pipeline_cycles, lines);
    }
    let misaligned = coalesced(Coalescing::Sectors, &lanes(|lane| 4 + lane * 4), ALL_LANES, 4);
    assert_eq!((misaligned.transactions.len(), misaligned.lines), (5, 2));
}

#[test]
fn capability_5_moves_a_sector_for_each_lane_from_a_stride_of_8_words_on() {
    for stride in 1..=64_u64 {
        let out = coalesced(Coalescing::Sectors, &lanes(|lane| lane * stride * 4), ALL_LANES, 4);
        // The words span 31 strides and one word.
        let spanned = (31 * stride + 1).div_ceil(8);
        assert_eq!(out.transactions.len() as u64, spanned.min(32), "stride {stride}");
        assert_eq!(u64::from(out.lines), (31 * stride + 1).div_ceil(32).min(32), "stride {stride}");
    }
}

#[test]
fn lanes_of_one_word_share_a_sector_unless_the_access_is_atomic() {
    let one = lanes(|_| 40);
    let load = coalesced(Coalescing::Sectors, &one, ALL_LANES, 4);
    assert_eq!((load.transactions.len(), load.lines, load.bytes_asked), (1, 1, 128));
    assert_eq!(load.transactions[0], Transaction { address: BASE + 32, bytes: 32 });
    let mut atomic = GlobalAccess::new();
    for rule in [Coalescing::HalfWarpSegments, Coalescing::Lines, Coalescing::Sectors] {
        coalesce_atomic(rule, &one, ALL_LANES, 4, &mut atomic);
        assert_eq!((atomic.transactions.len(), atomic.bytes_moved), (32, 1024), "{rule:?}");
    }
    // Two lanes for each word: each of the two sectors twice.
    coalesce_atomic(Coalescing::Sectors, &lanes(|lane| lane / 2 * 4), ALL_LANES, 4, &mut atomic);
    assert_eq!((atomic.requests, atomic.lines, atomic.transactions.len()), (1, 1, 4));
    // Words of their own: as a load.
    coalesce_atomic(Coalescing::Sectors, &lanes(|lane| lane * 4), ALL_LANES, 4, &mut atomic);
    assert_eq!(atomic, coalesced(Coalescing::Sectors, &lanes(|lane| lane * 4), ALL_LANES, 4));
}

#[test]
fn no_active_lane_moves_nothing() {
    for rule in RULES {
        let mut out = coalesced(rule, &lanes(|lane| lane * 4), ALL_LANES, 4);
        coalesce(rule, &lanes(|lane| lane * 4), 0, 4, &mut out);
        assert_eq!(out, GlobalAccess::new());
    }
}

/// Addresses that are regular, nearly so, in a small range or anywhere.
fn addresses(bytes: u64) -> impl Strategy<Value = [u64; LANES]> {
    let near = (0..64_u64, any::<bool>(), 0..LANES, 0..4_u64).prop_map(move |(base, off, lane, by)| {
        let mut addresses = std::array::from_fn(|lane| (base + lane as u64) * bytes);
        if off {
            addresses[lane] += by * bytes;
        }
        addresses
    });
    let within = |words: u64| prop::array::uniform32((0..words).prop_map(move |word| word * bytes));
    prop_oneof![
        near,
        (0..u64::MAX / 16).prop_map(move |word| [word * bytes; LANES]),
        within(4),
        within(100),
        within(10_000),
        within(u64::MAX / 16),
    ]
}

fn widths_and_addresses() -> impl Strategy<Value = (u32, [u64; LANES])> {
    (0..5_u32).prop_flat_map(|exponent| (Just(1 << exponent), addresses(1 << exponent)))
}

fn sorted(access: &GlobalAccess) -> Vec<Transaction> {
    let mut all = access.transactions.to_vec();
    all.sort_unstable();
    all
}

proptest! {
    #[test]
    fn the_fast_way_is_the_long_way((bytes, addresses) in widths_and_addresses(), mask in any::<Mask>(), full in any::<bool>()) {
        let mask = if full { ALL_LANES } else { mask };
        let fast = coalesced(Coalescing::Sectors, &addresses, mask, bytes);
        let mut long = GlobalAccess::new();
        irregular(Coalescing::Sectors, Kind::Cached, &addresses, mask, bytes.trailing_zeros(), &mut long);
        prop_assert_eq!((fast.requests, fast.lines), (long.requests * u32::from(mask != 0), long.lines));
        prop_assert_eq!(&*fast.transactions, &*long.transactions);
    }

    #[test]
    fn sectors_do_not_mind_which_lane_has_which_address(
        (bytes, addresses) in widths_and_addresses(),
        order in Just((0..LANES).collect::<Vec<_>>()).prop_shuffle(),
        mask in any::<Mask>(),
    ) {
        let permuted = std::array::from_fn(|lane| addresses[order[lane]]);
        let permuted_mask = (0..LANES).fold(0, |sum, lane| sum | (mask >> order[lane] & 1) << lane);
        let (one, other) = (
            coalesced(Coalescing::Sectors, &addresses, mask, bytes),
            coalesced(Coalescing::Sectors, &permuted, permuted_mask, bytes),
        );
        prop_assert_eq!(sorted(&one), sorted(&other));
        prop_assert_eq!((one.lines, one.bytes_asked), (other.lines, other.bytes_asked));
    }

    #[test]
    fn every_active_lane_is_served((bytes, addresses) in widths_and_addresses(), mask in 1..=Mask::MAX) {
        for rule in RULES {
            let out = coalesced(rule, &addresses, mask, bytes);
            for lane in lanes_of(mask) {
                let served = |transaction: &Transaction| {
                    let offset = addresses[lane].wrapping_sub(transaction.address);
                    offset < u64::from(transaction.bytes) && offset + u64::from(bytes) <= u64::from(transaction.bytes)
                };
                prop_assert!(out.transactions.iter().any(served), "{:?} lane {}", rule, lane);
            }
            let words: std::collections::HashSet<u64> = lanes_of(mask).map(|lane| addresses[lane]).collect();
            prop_assert!(out.bytes_moved >= words.len() as u64 * u64::from(bytes));
            prop_assert_eq!(out.bytes_asked, u64::from(mask.count_ones() * bytes));
            prop_assert!(out.transactions.iter().all(|one| one.address.is_multiple_of(u64::from(one.bytes))));
            prop_assert!(u64::from(out.lines) * 128 * 16 >= out.bytes_moved);
        }
    }

    #[test]
    fn sectors_are_those_of_a_set((bytes, addresses) in widths_and_addresses(), mask in any::<Mask>()) {
        let expected: std::collections::BTreeSet<u64> = lanes_of(mask).map(|lane| addresses[lane] & !31).collect();
        let lines: std::collections::BTreeSet<u64> = expected.iter().map(|sector| sector / 128).collect();
        let out = coalesced(Coalescing::Sectors, &addresses, mask, bytes);
        prop_assert_eq!(sorted(&out).iter().map(|one| one.address).collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(out.lines as usize, lines.len());
        let mut atomic = GlobalAccess::new();
        for rule in RULES {
            coalesce_atomic(rule, &addresses, mask, bytes, &mut atomic);
            prop_assert!(atomic.transactions.len() <= LANES);
            let mut distinct = sorted(&atomic);
            distinct.dedup();
            if rule == Coalescing::Sectors {
                prop_assert_eq!(distinct, sorted(&out));
            }
        }
    }

    #[test]
    fn any_width_and_alignment_is_taken(addresses in prop::array::uniform32(any::<u64>()), mask in any::<Mask>(), bytes in any::<u32>()) {
        for rule in RULES {
            let mut out = coalesced(rule, &addresses, mask, bytes);
            prop_assert!(out.transactions.len() <= LANES);
            coalesce_atomic(rule, &addresses, mask, bytes, &mut out);
            prop_assert!(out.transactions.len() <= LANES);
        }
    }
}
