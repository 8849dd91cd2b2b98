//! Addresses that lanes would have without a pattern.

use crate::hardware::coalescing::LINE_BYTES;
use crate::hardware::distinct::Distinct;
use crate::hardware::lanes::{LANES, Longs, Mask, Words, lanes_of};

/// Lines of global memory over which atomics are spread that would not meet: as many as stay in L2 beside everything else.
const ATOMIC_LINES: u64 = 4096;
/// Bytes of shared memory over which they are: what every GPU has for a block.
const ATOMIC_SHARED_BYTES: u64 = 16 << 10;

/// Neighbouring elements for all lanes, of one of the lines that they access.
///
/// Which line it is follows from where in its line the first lane's element is. Lanes of other warps, or later ones of these, that access
/// the same lines at other places choose others of them, so that all of them together still access what they did: as in a
/// transposition, whose columns become rows.
pub(crate) fn coalesced(addresses: &Longs, mask: Mask, bytes: u32) -> Longs {
    let mut altered = *addresses;
    let bytes = u64::from(bytes.max(1));
    // A line's length, or more where the elements of a warp need more.
    let unit = (bytes * LANES as u64).max(u64::from(LINE_BYTES)).next_power_of_two();
    let (mut lines, mut elements) = (Distinct::new(), Distinct::new());
    let mut places = [0_usize; LANES];
    for lane in lanes_of(mask) {
        lines.insert(addresses[lane] / unit * unit);
        places[lane] = elements.insert(addresses[lane] / bytes).0;
    }
    let Some(first) = lanes_of(mask).next() else { return altered };
    let place_in_line = addresses[first] % unit / bytes;
    let line = lines.keys()[(place_in_line % lines.keys().len() as u64) as usize];
    for lane in lanes_of(mask) {
        altered[lane] = line + places[lane] as u64 * bytes;
    }
    altered
}

/// Neighbouring elements for all lanes, from the beginning of shared memory on.
pub(crate) fn conflict_free(bytes: u32) -> Words {
    std::array::from_fn(|lane| lane as u32 * bytes)
}

/// Of lanes with the same address the first.
pub(super) fn one_of_each<A: Copy + PartialEq>(addresses: &[A; LANES], mask: Mask) -> Mask {
    let is_first =
        |lane: usize| lanes_of(mask).take_while(|other| *other < lane).all(|other| addresses[other] != addresses[lane]);
    lanes_of(mask).filter(|lane| is_first(*lane)).fold(0, |all, lane| all | 1 << lane)
}

/// An element for each lane that no other access had lately.
pub(super) fn apart(addresses: &Longs, mask: Mask, bytes: u32, count: &mut u64) -> Longs {
    let mut altered = *addresses;
    let line_bytes = u64::from(LINE_BYTES);
    let lines_of_access = (u64::from(bytes) * LANES as u64).div_ceil(line_bytes);
    let Some(first) = lanes_of(mask).next() else { return altered };
    // Where the atomics are, so that they are apart from all else.
    let near = addresses[first] / line_bytes / ATOMIC_LINES * ATOMIC_LINES;
    let line = near + *count % (ATOMIC_LINES / lines_of_access) * lines_of_access;
    *count += 1;
    for (place, lane) in lanes_of(mask).enumerate() {
        altered[lane] = line * line_bytes + place as u64 * u64::from(bytes);
    }
    altered
}

/// The same in shared memory.
pub(super) fn apart_in_shared(mask: Mask, bytes: u32, count: &mut u64) -> Words {
    let mut altered = [0; LANES];
    let of_access = u64::from(bytes) * LANES as u64;
    let base = *count % (ATOMIC_SHARED_BYTES / of_access) * of_access;
    *count += 1;
    for (place, lane) in lanes_of(mask).enumerate() {
        altered[lane] = (base + place as u64 * u64::from(bytes)) as u32;
    }
    altered
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::hardware::coalescing::{GlobalAccess, SECTOR_BYTES, coalesce};
    use crate::hardware::{Coalescing, Rules};
    use proptest::prelude::*;

    fn sectors(addresses: &Longs, mask: Mask, bytes: u32) -> u64 {
        let mut access = GlobalAccess::new();
        coalesce(Coalescing::Sectors, addresses, mask, bytes, &mut access);
        access.transactions.len() as u64
    }

    #[test]
    fn what_is_coalesced_stays_where_it_is() {
        for bytes in [4, 8, 16] {
            let addresses: Longs = std::array::from_fn(|lane| 4096 + lane as u64 * u64::from(bytes));
            assert_eq!(coalesced(&addresses, Mask::MAX, bytes), addresses);
        }
        let one = [4100; LANES];
        assert_eq!(sectors(&coalesced(&one, Mask::MAX, 4), Mask::MAX, 4), 1, "one word for all");
    }

    #[test]
    fn columns_of_a_matrix_become_its_rows() {
        let width = 64;
        let mut touched = HashSet::new();
        for column in 0..32_u64 {
            let addresses: Longs = std::array::from_fn(|lane| (lane as u64 * width + column) * 4);
            let altered = coalesced(&addresses, Mask::MAX, 4);
            assert_eq!(sectors(&altered, Mask::MAX, 4), 4);
            touched.extend(altered);
        }
        let tile = (0..32).flat_map(|row| (0..32).map(move |column| (row * width + column) * 4));
        assert_eq!(touched, tile.collect::<HashSet<u64>>(), "all of the tile, each element once");
    }

    #[test]
    fn fields_of_structures_become_arrays_of_their_own() {
        for fields in [2, 3, 5, 8] {
            let mut touched = HashSet::new();
            for field in 0..fields {
                let addresses: Longs = std::array::from_fn(|lane| (lane as u64 * fields + field) * 4);
                let altered = coalesced(&addresses, Mask::MAX, 4);
                assert_eq!(sectors(&altered, Mask::MAX, 4), 4, "{fields} fields");
                touched.extend(altered);
            }
            assert_eq!(touched.len() as u64, 32 * fields, "{fields} fields: each element once");
        }
    }

    proptest! {
        #[test]
        fn no_access_needs_more_than_its_bytes(
            addresses in proptest::array::uniform32(0_u64..1 << 30), mask in 1_u32.., exponent in 0_u32..5
        ) {
            let bytes = 1 << exponent;
            let aligned = addresses.map(|address| address / u64::from(bytes) * u64::from(bytes));
            let altered = coalesced(&aligned, mask, bytes);
            let distinct = lanes_of(mask).map(|lane| aligned[lane]).collect::<HashSet<u64>>().len() as u64;
            let least = (distinct * u64::from(bytes)).div_ceil(u64::from(SECTOR_BYTES));
            prop_assert_eq!(sectors(&altered, mask, bytes), least);
            prop_assert!(least <= sectors(&aligned, mask, bytes));
        }

        #[test]
        fn shared_accesses_have_no_conflicts(
            mask in 1_u32.., exponent in 0_u32..5, store in any::<bool>()
        ) {
            let bytes = 1 << exponent;
            let altered = conflict_free(bytes);
            let passes = crate::hardware::banks::passes(Rules::default().banks, &altered, mask, bytes, store);
            prop_assert_eq!(passes.conflicts, 0);
        }
    }

    #[test]
    fn one_lane_adds_for_all_that_want_its_address() {
        assert_eq!(one_of_each(&[7_u64; LANES], Mask::MAX), 1);
        assert_eq!(one_of_each(&[7_u64; LANES], 0b1100), 0b100);
        let pairs: Longs = std::array::from_fn(|lane| lane as u64 / 2);
        assert_eq!(one_of_each(&pairs, Mask::MAX), 0x5555_5555);
    }

    #[test]
    fn atomics_that_are_apart_do_not_meet() {
        let mut count = 0;
        let mut seen = HashSet::new();
        for _ in 0..64 {
            let altered = apart(&[8192; LANES], Mask::MAX, 4, &mut count);
            assert_eq!(sectors(&altered, Mask::MAX, 4), 4);
            assert!(altered.iter().all(|address| seen.insert(*address)));
        }
        let (mut count, mut seen) = (0, HashSet::new());
        for _ in 0..64 {
            assert!(apart_in_shared(Mask::MAX, 4, &mut count).iter().all(|offset| seen.insert(*offset)));
        }
    }
}
