#![allow(clippy::float_cmp, reason = "counts are exact")]

use std::ops::Range;

use super::*;
use crate::family::fixtures::{bytes_of_buffers, defaults, properties, workload};
use crate::parameter::Named;
use crate::workload::{Argument, Contents, Copying, HostMemory, Launch, Step};

/// The family's defaults, at a small size.
fn small() -> Parameters {
    Parameters { rows: 10_000, threshold: 5001, ..defaults() }
}

fn expected(workload: &Workload<Predictors>) -> &[u32] {
    workload.buffers.iter().find_map(|buffer| buffer.expected.as_ref()).unwrap().words().unwrap()
}

/// All steps, those on streams one stream after the other.
fn flat(steps: &[Step]) -> Vec<&Step> {
    let mut all = Vec::new();
    for step in steps {
        match step {
            Step::Streams(streams) => all.extend(streams.iter().flat_map(|steps| flat(steps))),
            step => all.push(step),
        }
    }
    all
}

fn transfers(workload: &Workload<Predictors>) -> Vec<&Copying> {
    let transfer = |step: &&Step| matches!(step, Step::Upload(_) | Step::Download(_));
    flat(&workload.steps)
        .into_iter()
        .filter(transfer)
        .map(|step| match step {
            Step::Upload(copying) | Step::Download(copying) => copying,
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn every_variant_must_come_to_the_same_sum() {
    for point in Parameters::verification(&properties()) {
        let sum = |variant: &Variant| expected(&workload(*variant, &point)).to_vec();
        let sums: Vec<Vec<u32>> = Variant::ALL.iter().map(sum).collect();
        assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{point:?}");
    }
}

#[test]
fn blocks_are_powers_of_two() {
    let refused = Parameters { block: 192, ..small() }.check().unwrap_err();
    assert!(refused.problem.contains("192 is not a power of two"), "{refused:?}");
}

#[test]
fn device_bytes_are_those_of_the_buffers_at_most() {
    for rows in [1, 10_000] {
        let point = Parameters { rows, ..small() };
        let largest = Variant::ALL.iter().map(|variant| bytes_of_buffers(&workload(*variant, &point))).max();
        assert_eq!(largest, Some(point.device_bytes()), "{rows}");
    }
}

/// 10,000 rows of 20 bytes go up. 8 bytes of each come back, or of each of the 40 blocks of 256 rows, or the 20 of
/// 512, or their one sum.
#[test]
fn what_is_transferred_is_as_counted_by_hand() {
    let of = |variant, rows| workload(variant, &Parameters { rows, ..small() }).predictors;
    for (variant, uploaded_bytes, downloaded_bytes, launches) in [
        (Variant::Serial, 0.0, 0.0, 0.0),
        (Variant::SelectOnly, 200_000.0, 80_000.0, 1.0),
        (Variant::BlockSumUnrolled, 200_000.0, 320.0, 1.0),
        (Variant::TwoRowsPerThread, 200_000.0, 160.0, 1.0),
        (Variant::SecondReductionOnGpu, 200_000.0, 8.0, 2.0),
        (Variant::PinnedMemory, 200_000.0, 160.0, 1.0),
        (Variant::Streams, 200_000.0, 160.0, 3.0),
        (Variant::Resident, 0.0, 160.0, 1.0),
    ] {
        let own = of(variant, 10_000);
        let expected = Predictors { uploaded_bytes, downloaded_bytes, launches, ..own };
        assert_eq!(own, expected, "{variant:?}");
    }
    // Of 10,001 rows in chunks, a word behind the keys of the last one is nobody's.
    assert_eq!(of(Variant::Streams, 10_001).uploaded_bytes, 200_024.0);
    assert_eq!(of(Variant::PinnedMemory, 10_001).uploaded_bytes, 200_020.0);
}

#[test]
fn selectivity_is_that_of_the_rows() {
    for (threshold, percent) in [(1, 0.0), (30, 0.29), (5001, 50.0), (10_001, 100.0)] {
        let workload = workload(Variant::SelectOnly, &Parameters { threshold, ..small() });
        assert_eq!(workload.predictors.selectivity_pct, percent);
        let selected = (workload.operations - 10_000) as f64 / 2.0;
        assert!((selected / 100.0 - percent).abs() < 2.0, "{selected} of 10000 rows");
    }
}

#[test]
fn memory_is_pageable_up_to_the_rung_that_pins_it() {
    for variant in Variant::ALL.iter().copied() {
        let pinned = [Variant::PinnedMemory, Variant::Streams].contains(&variant);
        let memory = if pinned { HostMemory::Pinned } else { HostMemory::Pageable };
        let is_host = [Variant::Serial, Variant::MultiThreaded].contains(&variant);
        let workload = workload(variant, &small());
        assert!(transfers(&workload).iter().all(|own| own.memory == memory), "{variant:?}");
        assert_eq!(transfers(&workload).is_empty(), is_host, "{variant:?}");
    }
}

/// The chunks of the variant with streams, in the order of the rows: which words of the columns go up, and for which launch. They are on
/// streams in turns.
fn chunks(workload: &Workload<Predictors>) -> Vec<(&Copying, &Launch)> {
    let Step::Streams(on_streams) = &workload.steps[0] else { panic!("streams come first") };
    let count: usize = on_streams.iter().map(|steps| steps.len() / 2).sum();
    let chunk = |index: usize| match on_streams[index % on_streams.len()].chunks(2).nth(index / on_streams.len()) {
        Some([Step::Upload(copying), Step::Launch(launch)]) => (copying, launch),
        other => panic!("{other:?}"),
    };
    (0..count).map(chunk).collect()
}

/// What a launch adds up of the columns in chunks, by the kernel's rule of where they lie, and the places of its blocks' sums.
fn sum_of_chunk(words: &[u32], launch: &Launch) -> (i64, Range<usize>) {
    let numbers: Vec<usize> = launch
        .arguments
        .iter()
        .filter_map(|argument| if let Argument::Word(word) = argument { Some(*word as usize) } else { None })
        .collect();
    let &[first_word, rows, threshold, first_block] = &numbers[..] else { panic!("{numbers:?}") };
    let quantities = first_word + rows + rows % 2;
    assert!(first_word % 2 == 0 && rows.div_ceil(2 * launch.block[0] as usize) == launch.grid[0] as usize);
    let number = |first: usize, row: usize| columns::number_of([words[first + 2 * row], words[first + 2 * row + 1]]);
    let selected = (0..rows).filter(|row| words[first_word + row] < threshold as u32);
    let product = |row| number(quantities, row) * number(quantities + 2 * rows, row);
    (selected.map(product).sum(), first_block..first_block + launch.grid[0] as usize)
}

/// Whatever the chunks and the streams, every row counts once, every block has a place of its own, and a chunk is one copy, that of just
/// the words that its kernel reads.
#[test]
fn a_chunk_is_one_copy_and_every_row_is_in_one() {
    for (rows, block, count, streams) in [
        (10_000, 256, 3, 2),
        (10_000, 256, 16, 4),
        (1, 64, 256, 32),
        (129, 64, 2, 2),
        (20_001, 64, 7, 3),
        (65_536, 64, 8, 1),
        (100_003, 64, 256, 5),
    ] {
        let point = Parameters { rows, block, chunks: count as u64, streams: streams as u64, ..small() };
        let workload = workload(Variant::Streams, &point);
        let chunks = chunks(&workload);
        let blocks = (rows as usize).div_ceil(2 * block as usize);
        assert_eq!(chunks.len(), blocks.min(count));
        let [Step::Streams(on_streams), Step::Download(download), Step::Host(_)] = &workload.steps[..] else {
            panic!("{:?}", workload.steps)
        };
        assert_eq!(on_streams.len(), chunks.len().min(streams));
        let Contents::Words(words) = &workload.buffers[chunks[0].0.buffer].contents else { panic!("no words") };
        let (mut sum, mut first_word, mut first_block) = (0, 0, 0);
        for (copying, launch) in chunks {
            let (of_chunk, places) = sum_of_chunk(words, launch);
            assert_eq!((copying.words.start, places.start), (first_word, first_block));
            assert_eq!(Argument::Word(copying.words.start as u32), launch.arguments[2]);
            let Argument::Word(rows) = launch.arguments[3] else { panic!("{launch:?}") };
            assert_eq!(copying.words.len(), columns::words_of_chunk(rows as usize));
            (sum, first_word, first_block) = (sum + of_chunk, copying.words.end, places.end);
        }
        assert_eq!((first_word, first_block), (words.len(), blocks));
        assert_eq!(columns::words_of(sum), expected(&workload));
        assert_eq!((download.words.clone(), workload.buffers[download.buffer].words()), (0..2 * blocks, 2 * blocks));
    }
}

/// Of 11,722 blocks, 10,257 are all but an eighth, and 1,282 all but an eighth of the rest. Of six chunks the third would leave 22 blocks to the
/// others: it leaves them 45 each, a 256th of all. 256 chunks of 512 blocks are equal.
#[test]
fn chunks_become_smaller_and_smaller() {
    let of = |rows, block, chunks| {
        let workload = workload(Variant::Streams, &Parameters { rows, block, chunks, ..small() });
        self::chunks(&workload).iter().map(|(_, launch)| launch.grid[0]).collect::<Vec<_>>()
    };
    assert_eq!(of(65_536, 64, 1), [512]);
    assert_eq!(of(1_500_400, 64, 3), [10_257, 1282, 183]);
    assert_eq!(of(1_500_400, 64, 6), [10_257, 1282, 48, 45, 45, 45]);
    assert_eq!(of(65_536, 64, 256), [2; 256]);
    assert_eq!(of(640, 64, 4), [2, 1, 1, 1]);
    assert_eq!(of(640, 64, 256), [1; 5]);
}
