use proptest::prelude::*;

use super::*;
use crate::hardware::lanes::ALL_LANES;

const RULES: [Banks; 4] = [Banks::HalfWarp16, Banks::Warp32, Banks::Warp32Wide, Banks::Phases32];

fn lanes(address_of: impl Fn(u32) -> u32) -> [u32; LANES] {
    std::array::from_fn(|lane| address_of(lane as u32))
}

/// Requests, passes and conflicts of loads of a full warp.
fn load(rule: Banks, bytes: u32, address_of: impl Fn(u32) -> u32) -> (u32, u32, u32) {
    let access = passes(rule, &lanes(address_of), ALL_LANES, bytes, false);
    (access.requests, access.passes, access.conflicts)
}

fn greatest_common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

#[test]
fn a_stride_conflicts_as_often_as_it_shares_factors_with_the_banks() {
    for stride in 1..=64 {
        let ways = greatest_common_divisor(stride, 32);
        for rule in [Banks::Warp32, Banks::Phases32] {
            assert_eq!(load(rule, 4, |lane| lane * stride * 4), (1, ways, ways - 1), "stride {stride}");
        }
        let ways = greatest_common_divisor(stride, 16);
        assert_eq!(
            load(Banks::HalfWarp16, 4, |lane| lane * stride * 4),
            (2, 2 * ways, 2 * ways - 2),
            "stride {stride}"
        );
    }
    // Compute capability 3, 32-bit words: stride 2 stays within rows of 64 words, stride 32 takes a row for two lanes.
    for (stride, ways) in [(1, 1), (2, 1), (3, 1), (4, 2), (8, 4), (16, 8), (32, 16), (33, 1), (64, 32)] {
        assert_eq!(load(Banks::Warp32Wide, 4, |lane| lane * stride * 4).1, ways, "stride {stride}");
    }
}

#[test]
fn a_column_of_a_square_tile_conflicts_31_times_and_of_a_padded_one_not_at_all() {
    // 4096² floats by tiles of 32²: 524288 warp loads of a column.
    let conflicts = u64::from(load(Banks::Phases32, 4, |lane| lane * 32 * 4).2);
    assert_eq!(conflicts * (4096 * 4096 / 32), 16_252_928);
    assert_eq!(load(Banks::Phases32, 4, |lane| lane * 33 * 4), (1, 1, 0));
}

#[test]
fn one_word_goes_to_every_lane() {
    for rule in RULES {
        let best = if rule == Banks::HalfWarp16 { 2 } else { 1 };
        assert_eq!(load(rule, 4, |_| 400), (best, best, 0));
        let store = passes(rule, &lanes(|_| 400), ALL_LANES, 4, true);
        assert_eq!((store.passes, store.conflicts), (best, 0));
    }
}

#[test]
fn from_capability_2_on_several_words_go_to_several_lanes() {
    // Four words, eight lanes each.
    for rule in [Banks::Warp32, Banks::Warp32Wide, Banks::Phases32] {
        assert_eq!(load(rule, 4, |lane| lane % 4 * 4), (1, 1, 0));
    }
    // Compute capability 1: a half-warp has four lanes for each; each step serves one word's and one lane of the others.
    assert_eq!(load(Banks::HalfWarp16, 4, |lane| lane % 4 * 4), (2, 8, 6));
}

#[test]
fn capability_1_broadcasts_the_word_of_the_lowest_lane() {
    // Half of the lanes read word 5, the others a bank each: all in one step, if word 5 comes first.
    let addresses = |lane: u32| if lane % 16 < 8 { 5 * 4 } else { (lane % 16) * 4 };
    assert_eq!(load(Banks::HalfWarp16, 4, addresses), (2, 2, 0));
    // If another word comes first, word 5 has one lane served and the rest in the next step.
    let addresses = |lane: u32| if lane.is_multiple_of(16) { 0 } else { addresses(lane) };
    assert_eq!(load(Banks::HalfWarp16, 4, addresses), (2, 4, 2));
}

#[test]
fn capability_1_has_conflicts_between_short_and_between_wide_words() {
    // F.3.3.3: bytes one behind the other conflict, every fourth byte does not.
    assert_eq!(load(Banks::HalfWarp16, 1, |lane| lane), (2, 8, 6));
    assert_eq!(load(Banks::HalfWarp16, 1, |lane| lane * 4), (2, 2, 0));
    assert_eq!(passes(Banks::HalfWarp16, &lanes(|lane| lane), ALL_LANES, 1, true).passes, 8);
    // F.3.3.4: doubles are two requests of stride 2.
    assert_eq!(load(Banks::HalfWarp16, 8, |lane| lane * 8), (4, 8, 4));
    assert_eq!(passes(Banks::HalfWarp16, &lanes(|lane| lane * 8), ALL_LANES, 8, true).passes, 8);
    assert_eq!(load(Banks::HalfWarp16, 16, |lane| lane * 16), (8, 32, 24));
}

#[test]
fn capability_2_has_no_conflicts_of_consecutive_doubles_and_takes_two_passes_for_each_half_warp_of_16_bytes() {
    assert_eq!(load(Banks::Warp32, 8, |lane| lane * 8), (2, 2, 0));
    assert_eq!(load(Banks::Warp32, 8, |lane| lane * 16), (2, 4, 2));
    assert_eq!(load(Banks::Warp32, 16, |lane| lane * 16), (2, 4, 0));
    assert_eq!(load(Banks::Warp32, 16, |lane| lane * 32), (2, 6, 2));
    assert_eq!(load(Banks::Warp32, 1, |lane| lane), (1, 1, 0));
}

#[test]
fn capability_3_serves_a_warp_of_doubles_at_once() {
    assert_eq!(load(Banks::Warp32Wide, 8, |lane| lane * 8), (1, 1, 0));
    assert_eq!(load(Banks::Warp32Wide, 8, |lane| lane * 16), (1, 2, 1));
    assert_eq!(load(Banks::Warp32Wide, 16, |lane| lane * 16), (2, 2, 0));
    // Words i and i + 32 of one aligned segment of 64 words, and of two neighbouring ones.
    assert_eq!(load(Banks::Warp32Wide, 4, |lane| lane % 2 * 128).1, 1);
    assert_eq!(load(Banks::Warp32Wide, 4, |lane| 128 + lane % 2 * 128).1, 2);
}

#[test]
fn capability_5_serves_wide_words_in_phases() {
    assert_eq!(load(Banks::Phases32, 8, |lane| lane * 8), (1, 2, 0));
    assert_eq!(load(Banks::Phases32, 16, |lane| lane * 16), (1, 4, 0));
    // Every second word of 16 bytes: eight lanes of a phase over four groups of banks.
    assert_eq!(load(Banks::Phases32, 16, |lane| lane * 32), (1, 8, 4));
    assert_eq!(load(Banks::Phases32, 8, |lane| lane * 16), (1, 4, 2));
    // A phase without active lanes is not taken.
    let half = passes(Banks::Phases32, &lanes(|lane| lane * 8), 0x0000_ffff, 8, false);
    assert_eq!((half.requests, half.passes, half.conflicts), (1, 1, 0));
}

#[test]
fn phases_of_wide_words_go_together_where_neighbours_load_the_same() {
    // results/nvidia-h200/constants/mixes.csv, rows `wide_load`: the word of each lane, and passes of words of 8 and 16 bytes.
    type Word = fn(u32) -> u32;
    let measured: [(Word, u32, u32); 12] = [
        (|lane| lane, 2, 4),
        (|_| 0, 1, 2),
        (|lane| lane / 2, 1, 2),
        (|lane| lane / 4, 1, 2),
        (|lane| lane / 16, 1, 2),
        (|lane| lane & !2, 2, 4),
        (|lane| lane & !4, 2, 4),
        (|lane| lane % 16, 2, 4),
        (|lane| lane % 4, 2, 4),
        (|lane| lane % 2, 1, 2),
        (|lane| lane ^ lane >> 4, 2, 4),
        (|lane| if lane < 8 { lane } else { lane / 2 }, 2, 4),
    ];
    for (case, (word_of, of_8, of_16)) in measured.into_iter().enumerate() {
        assert_eq!(load(Banks::Phases32, 8, |lane| 8 * word_of(lane)).1, of_8, "case {case}");
        assert_eq!(load(Banks::Phases32, 16, |lane| 16 * word_of(lane)).1, of_16, "case {case}");
    }
}

#[test]
fn atomics_of_a_bank_are_served_one_after_the_other() {
    let atomics = |rule, address_of: fn(u32) -> u32| atomic_passes(rule, &lanes(address_of), ALL_LANES, 4);
    assert_eq!(atomics(Banks::Phases32, |_| 0), SharedAccess { requests: 1, passes: 32, conflicts: 31 });
    assert_eq!(atomics(Banks::Phases32, |lane| lane * 4), SharedAccess { requests: 1, passes: 1, conflicts: 0 });
    assert_eq!(atomics(Banks::Phases32, |lane| lane / 4 * 4), SharedAccess { requests: 1, passes: 4, conflicts: 3 });
    assert_eq!(atomics(Banks::HalfWarp16, |_| 0), SharedAccess { requests: 2, passes: 32, conflicts: 30 });
    assert_eq!(atomic_passes(Banks::Phases32, &lanes(|lane| lane * 8), ALL_LANES, 8).passes, 2);
}

#[test]
fn no_active_lane_takes_no_pass() {
    for rule in RULES {
        assert_eq!(passes(rule, &lanes(|lane| lane), 0, 4, false), SharedAccess::default());
        assert_eq!(atomic_passes(rule, &lanes(|lane| lane), 0, 4), SharedAccess::default());
    }
}

fn widths_and_addresses() -> impl Strategy<Value = (u32, [u32; LANES])> {
    (0..5_u32).prop_flat_map(|exponent| {
        let within = |words: u32| prop::array::uniform32((0..words).prop_map(move |word| word << exponent));
        let regular =
            (0..100_u32, 0..40_u32).prop_map(move |(base, stride)| lanes(|lane| (base + lane * stride) << exponent));
        let addresses = prop_oneof![regular.clone(), regular, within(4), within(40), within(4000)];
        (Just(1 << exponent), addresses)
    })
}

proptest! {
    #[test]
    fn the_fast_way_is_the_long_way((bytes, addresses) in widths_and_addresses(), mask in any::<Mask>(), full in any::<bool>(), store in any::<bool>()) {
        let mask = if full { ALL_LANES } else { mask };
        for rule in RULES {
            let long = irregular(rule, &addresses, mask, bytes.trailing_zeros(), store);
            prop_assert_eq!(passes(rule, &addresses, mask, bytes, store), long, "{:?}", rule);
        }
    }

    #[test]
    fn passes_lie_between_the_fewest_and_one_for_each_lane((bytes, addresses) in widths_and_addresses(), mask in 1..=Mask::MAX, store in any::<bool>()) {
        for rule in RULES {
            let access = passes(rule, &addresses, mask, bytes, store);
            let phases = access.passes - access.conflicts;
            prop_assert!((1..=8).contains(&phases));
            prop_assert!(access.conflicts <= 31 * phases);
            prop_assert!(access.requests <= phases && access.requests >= 1);
            let atomic = atomic_passes(rule, &addresses, mask, bytes);
            prop_assert!(atomic.passes >= phases && atomic.passes <= 32 * phases);
        }
    }

    #[test]
    fn passes_of_words_are_the_most_words_of_a_bank(words in prop::array::uniform32(0..500_u32), mask in any::<Mask>()) {
        let mut banks = vec![std::collections::HashSet::new(); 32];
        for lane in lanes_of(mask) {
            banks[words[lane] as usize % 32].insert(words[lane]);
        }
        let expected = banks.iter().map(|words| words.len() as u32).max();
        let addresses = words.map(|word| word * 4);
        prop_assert_eq!(Some(passes(Banks::Phases32, &addresses, mask, 4, false).passes), expected);
        prop_assert_eq!(Some(passes(Banks::Warp32, &addresses, mask, 4, true).passes), expected);
    }
}
