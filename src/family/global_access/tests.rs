use super::accesses::{Accesses, Order};
use super::*;
use crate::family::fixtures::{bytes_of_buffers, defaults, properties, workload};
use crate::parameter::Named;
use crate::workload::{Argument, Buffer, Contents, Expected, Step};

/// The family's defaults, at a small size.
pub(super) fn small() -> Parameters {
    Parameters { width: 64, ..defaults() }
}

fn words_of(buffer: &Buffer) -> &[u32] {
    match &buffer.contents {
        Contents::Words(words) => words,
        _ => panic!("{} is poisoned", buffer.name),
    }
}

/// Small sizes with every odd thing about them.
fn sizes() -> [Parameters; 8] {
    [
        Parameters { width: 1, ..small() },
        Parameters { width: 1, stride: 64, word_bytes: 16, block: 32, ..small() },
        Parameters { width: 5, stride: 7, ..small() },
        Parameters { width: 16, stride: 16, offset: 3, ..small() },
        Parameters { width: 33, stride: 64, offset: 32, block: 96, ..small() },
        Parameters { width: 50, stride: 3, word_bytes: 8, offset: 1, ..small() },
        Parameters { width: 61, stride: 10, word_bytes: 16, offset: 5, block: 64 },
        Parameters { stride: 2, ..small() },
    ]
}

#[test]
fn every_word_is_read_once_and_written_once() {
    for &variant in Variant::ALL {
        for parameters in sizes() {
            let accesses = Accesses::new(variant, &parameters);
            let threads: Vec<_> = (0..accesses.threads()).filter_map(|number| accesses.thread(number)).collect();
            let skipped = accesses.input_words() - accesses.words;
            for (what, mut words, first) in [
                ("read", threads.iter().map(|thread| thread.read).collect::<Vec<_>>(), skipped),
                ("written", threads.iter().map(|thread| thread.written).collect(), 0),
            ] {
                words.sort_unstable();
                let all: Vec<u64> = (first..first + accesses.words).collect();
                assert_eq!(words, all, "{what} by {variant:?} at {parameters:?}");
            }
        }
    }
}

#[test]
fn every_variant_has_the_same_output() {
    for parameters in [Parameters { width: 33, ..small() }, Parameters { stride: 5, offset: 7, ..small() }] {
        let straight = workload(Variant::Straight, &parameters).buffers[1].expected.clone().unwrap();
        assert_eq!(straight.len() as u64, parameters.width * parameters.width);
        for &variant in Variant::ALL {
            let workload = workload(variant, &parameters);
            assert_eq!(workload.buffers[1].expected.as_ref(), Some(&straight), "{variant:?}");
            let mut input = words_of(&workload.buffers[0]).to_vec();
            let mut data = straight.words().unwrap().to_vec();
            if matches!(Accesses::new(variant, &parameters).order, Order::Offset(_)) {
                input.drain(..parameters.offset as usize);
            }
            input.sort_unstable();
            data.sort_unstable();
            assert_eq!(input, data, "{variant:?} has other data");
        }
    }
}

/// Tiles are 16 wide, so at a width of 20 the corner tile is 4 by 4 and those above it are 4 by 16.
#[test]
fn exchanged_tiles_are_transposed_as_far_as_they_are_square() {
    let width = 20;
    let workload = workload(Variant::ReadUncoalescedWriteCoalesced, &Parameters { width, ..small() });
    let (input, output) =
        (words_of(&workload.buffers[0]), workload.buffers[1].expected.as_ref().unwrap().words().unwrap());
    let at = |matrix: &[u32], row: u64, column: u64| matrix[(row * width + column) as usize];
    for (from, to) in [
        ((0, 0), (0, 0)),
        ((2, 9), (9, 2)),
        ((1, 17), (1, 17)),
        ((0, 17), (1, 16)),
        ((5, 18), (5, 18)),
        ((17, 2), (18, 1)),
        ((16, 19), (19, 16)),
    ] {
        assert_eq!(at(input, from.0, from.1), at(output, to.0, to.1), "{from:?} to {to:?}");
    }
}

#[test]
fn arrays_hold_all_elements_in_whole_words() {
    for (width, word_bytes, words) in [(3, 4, 9), (3, 8, 10), (3, 16, 12), (4, 16, 16)] {
        let workload = workload(Variant::Straight, &Parameters { width, word_bytes, ..small() });
        assert_eq!(words_of(&workload.buffers[0]).len(), words, "width {width}, words of {word_bytes} bytes");
        assert_eq!(workload.bytes, 2 * 4 * words as u64);
    }
}

#[test]
fn device_bytes_are_at_least_those_of_the_buffers() {
    for &variant in Variant::ALL {
        for parameters in sizes() {
            let of_buffers = bytes_of_buffers(&workload(variant, &parameters));
            let foreseen = parameters.device_bytes();
            assert!(foreseen >= of_buffers && foreseen - of_buffers <= 32 * 16 + 32, "{variant:?} {parameters:?}");
        }
    }
}

#[test]
fn launches_cover_the_array_and_pass_what_the_kernels_take() {
    let launch = |variant, parameters: &Parameters| match workload(variant, parameters).steps.as_slice() {
        [Step::Launch(launch)] => launch.clone(),
        other => panic!("{other:?}"),
    };
    let words = |words: &[u32]| -> Vec<Argument> {
        [Argument::Buffer(0), Argument::Buffer(1)]
            .into_iter()
            .chain(words.iter().map(|&word| Argument::Word(word)))
            .collect()
    };
    let tiles = launch(Variant::ReadCoalescedWriteUncoalesced, &Parameters { width: 40, ..small() });
    assert_eq!((tiles.grid, tiles.block, tiles.arguments), ([3, 3, 1], [16, 16, 1], words(&[40])));
    let straight = launch(Variant::Straight, &Parameters { width: 10, word_bytes: 8, block: 32, ..small() });
    assert_eq!((straight.grid, straight.block, straight.arguments), ([2, 1, 1], [32, 1, 1], words(&[50])));
    assert_eq!(straight.entry, "global_access_straight_8");
    // 100 words, 7 apart: two rows of 15 and five of 14.
    let strided = launch(Variant::Strided, &Parameters { width: 10, stride: 7, block: 32, ..small() });
    assert_eq!((strided.grid, strided.arguments), ([1, 7, 1], words(&[7, 15, 2])));
    let permuted = launch(Variant::Permuted, &Parameters { width: 10, ..small() });
    assert_eq!(permuted.arguments, words(&[100, 127, 4]));
    assert_eq!(launch(Variant::Offset, &Parameters { offset: 9, ..small() }).arguments, words(&[4096, 9]));
}

#[test]
fn the_driver_copies_everything() {
    let workload = workload(Variant::DriverCopy, &Parameters { offset: 9, word_bytes: 16, ..small() });
    assert!(matches!(workload.steps[..], [Step::Copy { from: 0, to: 1 }]));
    assert_eq!(workload.buffers[0].bytes(), workload.buffers[1].bytes());
    assert_eq!(Some(words_of(&workload.buffers[0])), workload.buffers[1].expected.as_ref().and_then(Expected::words));
}

#[test]
fn every_kernel_that_is_named_is_there() {
    for &variant in Variant::ALL {
        for word_bytes in [4, 8, 16] {
            let workload = workload(variant, &Parameters { word_bytes, width: 4, ..small() });
            for launch in workload.launches() {
                assert!(launch.entry.starts_with(&format!("global_access_{}", variant.name())), "{}", launch.entry);
                assert!(PTX.text_of(launch.entry, (9, 0)).is_some(), "{}", launch.entry);
            }
        }
    }
}

#[test]
fn default_width_does_not_fit_in_l2() {
    let mut properties = properties();
    for (l2_mebibytes, width) in [(0, 2048), (6, 2048), (40, 4096), (60, 8192)] {
        properties.l2_bytes = l2_mebibytes << 20;
        assert_eq!(width_beyond_l2(&properties), width, "{l2_mebibytes} MiB");
    }
}
