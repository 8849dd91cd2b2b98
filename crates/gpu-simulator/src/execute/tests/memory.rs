//! Global memory, and views on it.

use std::sync::Arc;

use proptest::prelude::*;

use crate::execute::{GlobalMemory, Memory, Overlay};
use crate::hardware::lanes::{ALL_LANES, LANES, Longs};

/// Bytes of the allocations of the model: less than a page, some pages, not a whole number of them.
const SIZES: [usize; 3] = [64, 4096 * 2, 4096 + 1000];

#[derive(Debug, Clone)]
enum Access {
    Read { allocation: usize, offset: usize, bytes: usize },
    Write { allocation: usize, offset: usize, bytes: usize, value: u64 },
}

fn access() -> impl Strategy<Value = Access> {
    (0_usize..3, any::<prop::sample::Index>(), 0_u32..4, any::<u64>(), any::<bool>(), any::<bool>()).prop_map(
        |(allocation, index, power, value, write, near)| {
            let bytes = 1 << power;
            let places = SIZES[allocation] / bytes;
            // Half of them near the border of a page, or of the allocation.
            let place =
                if near { (4096 / bytes + index.index(8)).saturating_sub(4) % places } else { index.index(places) };
            let offset = place * bytes;
            if write {
                Access::Write { allocation, offset, bytes, value }
            } else {
                Access::Read { allocation, offset, bytes }
            }
        },
    )
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

proptest! {
    /// Views see the memory as it was and what they wrote; committed one after the other, the last that wrote a byte wins.
    #[test]
    fn views_are_copies_of_what_was(chunks in prop::collection::vec(prop::collection::vec(access(), 0..60), 1..4)) {
        let mut memory = Memory::default();
        let contents: Vec<Vec<u8>> = SIZES.iter().map(|size| (0..*size).map(|byte| (byte * 7) as u8).collect()).collect();
        let addresses: Vec<u64> = contents.iter().map(|bytes| memory.add("buffer", bytes.clone())).collect();
        let mut expected = contents.clone();
        let mut all_written = Vec::new();
        for accesses in &chunks {
            let mut seen = contents.clone();
            let mut view = Overlay::new(&memory);
            for access in accesses {
                match *access {
                    Access::Read { allocation, offset, bytes } => {
                        let place = view.locate(addresses[allocation] + offset as u64, bytes as u32).expect("it is inside");
                        prop_assert_eq!(view.read(place, bytes as u32), number(&seen[allocation][offset..offset + bytes]));
                    }
                    Access::Write { allocation, offset, bytes, value } => {
                        let place = view.locate(addresses[allocation] + offset as u64, bytes as u32).expect("it is inside");
                        view.write(place, bytes as u32, value);
                        seen[allocation][offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                        expected[allocation][offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                    }
                }
            }
            for ((address, bytes), start) in addresses.iter().zip(&seen).zip([0, 1, 2]) {
                let place = view.locate(address + start, 1).expect("it is inside");
                let mut read = vec![0; bytes.len() - start as usize];
                view.read_into(place, &mut read);
                prop_assert_eq!(&read[..], &bytes[start as usize..]);
            }
            all_written.push(view.finish());
        }
        for (address, bytes) in addresses.iter().zip(&contents) {
            prop_assert_eq!(memory.bytes(*address).expect("it is there"), bytes.as_slice(), "nothing is committed yet");
        }
        all_written.into_iter().for_each(|written| written.commit(&mut memory));
        for (address, bytes) in addresses.iter().zip(&expected) {
            let mut read = vec![0; bytes.len()];
            memory.read_into(memory.locate(*address, 1).expect("it is inside"), &mut read);
            prop_assert_eq!(&read, bytes);
            prop_assert_eq!(memory.bytes(*address).expect("it is there"), bytes.as_slice());
        }
    }

    #[test]
    fn accesses_are_inside_or_refused(sizes in prop::collection::vec(0_usize..600, 0..5), address in any::<u64>(), near in any::<bool>(), bytes in 1_u32..17) {
        let mut memory = Memory::default();
        let places: Vec<(u64, u64)> = sizes.iter().map(|size| (memory.add("buffer", vec![0; *size]), *size as u64)).collect();
        let address = match places.first() {
            Some((first, _)) if near => first + address % 300_000,
            _ => address,
        };
        let inside = places.iter().position(|(start, size)| {
            address >= *start && address.checked_add(u64::from(bytes)).is_some_and(|end| end <= start + size)
        });
        match (memory.locate(address, bytes), inside) {
            (Ok((allocation, offset)), Some(expected)) => {
                prop_assert_eq!((allocation, offset as u64), (expected, address - places[expected].0));
            }
            (Err(reason), None) => prop_assert!(!reason.is_empty()),
            (found, expected) => prop_assert!(false, "{:?} is not {:?}", found, expected),
        }
    }
}

/// Lanes whose elements lie in many pages of one allocation, and a bulk of bytes that begins within a word.
#[test]
fn lanes_reach_across_pages() {
    let mut memory = Memory::default();
    let words: Vec<u32> = (0..40_000).map(|word: u32| word.wrapping_mul(0x9e37_79b9)).collect();
    let filled = memory.add_words("words", Arc::new(words.clone()));
    let repeated = memory.add_repeated("repeated", 0x0403_0201, 40_000);
    let addresses = |base: u64| -> Longs { std::array::from_fn(|lane| base + 4_992 * lane as u64) };
    let mut view = Overlay::new(&memory);
    let mut read: [Longs; 2] = [[0; LANES]; 2];
    assert!(view.gather(&addresses(filled), ALL_LANES, 4, &mut read));
    for (lane, (low, high)) in read[0].iter().zip(&read[1]).enumerate() {
        assert_eq!([*low, *high], [0, 1].map(|next| u64::from(words[1_248 * lane + next])));
    }
    let values: [Longs; 1] = [std::array::from_fn(|lane| 0xabcd_0000 + lane as u64)];
    assert!(view.scatter(&addresses(repeated), 0x5555_5555, 4, &values));
    assert!(view.gather(&addresses(repeated), ALL_LANES, 4, &mut read[..1]));
    for (lane, read) in read[0].iter().enumerate() {
        assert_eq!(*read, if lane % 2 == 0 { values[0][lane] } else { 0x0403_0201 }, "lane {lane}");
    }
    for (address, first) in [(filled, words[0].to_le_bytes()), (repeated, [0, 0, 0xcd, 0xab])] {
        let mut bytes = [0; 11];
        view.read_into(view.locate(address + 2, 11).expect("it is inside"), &mut bytes);
        assert_eq!(bytes[..2], first[2..]);
    }
    view.finish().commit(&mut memory);
    let mut after = [0; 2];
    assert_eq!(memory.read_words(repeated, 2 * 1_248, &mut after), Some(()));
    assert_eq!(after, [0xabcd_0002, 0x0403_0201]);
}

#[test]
fn reasons_name_the_nearest_allocation_and_the_element_of_it() {
    let mut memory = Memory::default();
    assert_eq!(memory.locate(16, 4), Err("and nothing is allocated".to_owned()));
    let first = memory.add("first", vec![0; 100]);
    let second = memory.add("second", vec![0; 100]);
    let reason = |address: u64, bytes: u32| memory.locate(address, bytes).expect_err("it is outside");
    let of = |name: &str, at: u64| format!("of `{name}`, which has 25 elements of 4 bytes (at {at:#x})");
    assert_eq!(reason(first - 12, 4), format!("element -3 {}", of("first", first)));
    assert_eq!(reason(first + 104, 4), format!("element 26 {}", of("first", first)));
    assert_eq!(reason(second - 4, 4), format!("element -1 {}", of("second", second)));
    // Accesses that are of no element, or far from all.
    assert_eq!(reason(first + 96, 8), format!("of which 4 are beyond the end of `first` (100 bytes at {first:#x})"));
    assert_eq!(reason(first + 102, 4), format!("2 bytes beyond the end of `first` (100 bytes at {first:#x})"));
    assert!(reason(u64::MAX, 8).contains("beyond the end of `second`"));
}

#[test]
fn the_heap_of_kernels_has_an_end() {
    let mut memory = Memory::default();
    assert_eq!(memory.allocate(0), 0);
    assert_eq!(memory.allocate(u64::MAX), 0);
    let first = memory.allocate(4 << 20);
    assert!(first != 0 && memory.locate(first, 8).is_ok());
    assert_eq!(memory.allocate(5 << 20), 0);
    let mut pieces = 0;
    while memory.allocate(1) != 0 {
        pieces += 1;
    }
    assert!((10_000..100_000).contains(&pieces), "{pieces} pieces of a byte");
}
