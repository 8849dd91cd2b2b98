#![allow(clippy::float_cmp, reason = "counts are exact")]

use std::ops::Range;

use super::*;
use crate::device::Device;
use crate::device::mock::{Mock, MockSettings};
use crate::family::Request;
use crate::workload::{Buffer, Copying, HostMemory, Step, Workload};

fn properties() -> Properties {
    Mock::new(MockSettings::default()).properties().clone()
}

/// The family's defaults, at a small size.
fn parameters() -> ParameterSet {
    ParameterSet::defaults(PARAMETERS, &properties()).with("rows", 10_000).with("threshold", 5001)
}

fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
    (FAMILY.workload)(&Request { variant, parameters, device: &properties(), seed: 1 })
}

fn expected(workload: &Workload) -> &[u32] {
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

fn transfers(workload: &Workload) -> Vec<&Copying> {
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
fn variants_and_rungs_have_the_same_names() {
    let names: Vec<&str> = FAMILY.variants.iter().map(|variant| variant.name).collect();
    assert_eq!(names, Rung::NAMED.map(|(name, _)| name));
    for variant in names {
        for launch in workload(variant, &parameters()).launches() {
            assert!(PTX.contains(&format!(".entry {}(", launch.entry)), "{}", launch.entry);
        }
    }
}

#[test]
fn every_variant_must_come_to_the_same_sum() {
    for point in verification(&properties()) {
        check(&point).unwrap();
        let sums: Vec<Vec<u32>> =
            FAMILY.variants.iter().map(|variant| expected(&workload(variant.name, &point)).to_vec()).collect();
        assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{point}");
    }
}

#[test]
fn blocks_are_powers_of_two() {
    let refused = check(&parameters().with("block", 192)).unwrap_err();
    assert!(refused.problem.contains("192 is no power of two"), "{refused:?}");
}

#[test]
fn device_bytes_are_those_of_the_buffers_at_most() {
    for rows in [1, 10_000] {
        let point = parameters().with("rows", rows);
        let of = |variant: &str| workload(variant, &point).buffers.iter().map(Buffer::bytes).sum::<u64>();
        let largest = FAMILY.variants.iter().map(|variant| of(variant.name)).max();
        assert_eq!(Some((FAMILY.device_bytes)(&point)), largest, "{rows}");
    }
}

/// 10,000 rows of 20 bytes go up. 8 bytes of each come back, or of each of the 40 blocks of 256 rows, or the 20 of
/// 512, or their one sum.
#[test]
fn what_is_transferred_is_as_counted_by_hand() {
    let of = |variant: &str| {
        let predictors = workload(variant, &parameters()).predictors;
        [1, 2, 3].map(|index: usize| predictors[index].1)
    };
    for (variant, expected) in [
        ("serial", [0.0; 3]),
        ("select_only", [200_000.0, 80_000.0, 1.0]),
        ("block_sum_unrolled", [200_000.0, 320.0, 1.0]),
        ("two_rows_per_thread", [200_000.0, 160.0, 1.0]),
        ("second_reduction_on_gpu", [200_000.0, 8.0, 2.0]),
        ("pinned_memory", [200_000.0, 160.0, 1.0]),
        // 16 chunks would be of 2 blocks at most.
        ("streams", [200_000.0, 160.0, 10.0]),
        ("resident", [0.0, 160.0, 1.0]),
    ] {
        assert_eq!(of(variant), expected, "{variant}");
    }
}

#[test]
fn selectivity_is_that_of_the_rows() {
    for (threshold, percent) in [(1, 0.0), (30, 0.29), (5001, 50.0), (10_001, 100.0)] {
        let workload = workload("select_only", &parameters().with("threshold", threshold));
        assert_eq!(workload.predictors[0], ("selectivity_pct", percent));
        let selected = (workload.operations - 10_000) as f64 / 2.0;
        assert!((selected / 100.0 - percent).abs() < 2.0, "{selected} of 10000 rows");
    }
}

#[test]
fn memory_is_pageable_up_to_the_rung_that_pins_it() {
    for variant in FAMILY.variants {
        let pinned = ["pinned_memory", "streams"].contains(&variant.name);
        let memory = if pinned { HostMemory::Pinned } else { HostMemory::Pageable };
        let workload = workload(variant.name, &parameters());
        assert!(transfers(&workload).iter().all(|own| own.memory == memory), "{}", variant.name);
        assert_eq!(transfers(&workload).is_empty(), variant.is_host, "{}", variant.name);
    }
}

/// Whatever the chunks and the streams, every word goes up and comes back once, and before a kernel runs its stream
/// has uploaded its rows.
#[test]
fn chunks_cover_every_row_once_and_are_there_before_their_kernel() {
    for (rows, block, chunks, streams) in
        [(10_000_i64, 256_i64, 16_i64, 4_i64), (1, 64, 256, 32), (20_001, 64, 7, 3), (65_536, 64, 8, 1)]
    {
        let point = parameters().with("rows", rows).with("block", block);
        let workload = workload("streams", &point.with("chunks", chunks).with("streams", streams));
        let mut covered: Vec<Vec<Range<usize>>> = vec![Vec::new(); workload.buffers.len()];
        for copying in transfers(&workload) {
            covered[copying.buffer].push(copying.words.clone());
        }
        for (index, mut ranges) in covered.into_iter().enumerate().filter(|(_, ranges)| !ranges.is_empty()) {
            ranges.sort_by_key(|range| range.start);
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{ranges:?}");
            let ends = (ranges[0].start, ranges[ranges.len() - 1].end);
            assert_eq!(ends, (0, workload.buffers[index].words()), "{}", workload.buffers[index].name);
        }
        let Step::Streams(on_streams) = &workload.steps[0] else { panic!("streams come first") };
        assert!(on_streams.len() as i64 <= streams && on_streams.iter().all(|steps| !steps.is_empty()));
        for steps in on_streams {
            for chunk in steps.chunks(4) {
                let [Step::Upload(keys), _, Step::Upload(prices), Step::Launch(launch)] = chunk else {
                    panic!("{chunk:?}")
                };
                let rows_of_block = 2 * block as usize;
                assert_eq!((prices.words.start, prices.words.end), (2 * keys.words.start, 2 * keys.words.end));
                assert_eq!(keys.words.len().div_ceil(rows_of_block), launch.grid[0] as usize);
                assert_eq!(
                    launch.arguments[6],
                    crate::workload::Argument::Word((keys.words.start / rows_of_block) as u32)
                );
            }
        }
    }
}
