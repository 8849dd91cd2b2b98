//! Coefficients and formulas against what can be worked out by hand.

#![allow(clippy::float_cmp, reason = "the very digits are meant")]

use super::coefficients::{line_from_zero_up, slope};
use super::formula::overlapped;
use super::*;
use gpu_simulator::LaunchCensus;

fn close(one: f64, other: f64) {
    assert!((one / other - 1.0).abs() < 1e-9, "{one} is not {other}");
}

/// Four multiprocessors of 1000 cycles a microsecond, on which everything costs a round number.
fn made_up() -> Coefficients {
    let known = [
        ("t_launch", 2.0),
        ("t_byte", 0.001),
        ("t_partial_store", 0.01),
        ("t_lone_store", 0.02),
        ("t_instruction", 0.1),
        ("t_multiply", 0.2),
        ("t_pass", 0.3),
        ("t_barrier", 0.4),
        ("t_turnover", 0.5),
        ("latency_factor", 2.0),
        ("t_wait", 0.25),
        ("t_block", 0.01),
        ("t_atomic", 0.05),
        ("p", 2.0),
    ];
    let known = known.map(|(name, value)| Coefficient { name, part: None, value: Ok(value), unit: "", from: "" });
    Coefficients::with(known.to_vec(), 4.0, 1000.0)
}

fn launch() -> LaunchCensus {
    LaunchCensus {
        kernel: "k".to_owned(),
        blocks: 8.0,
        blocks_counted: 8,
        threads_per_block: 64,
        resident_blocks: 1,
        instructions: 100.0,
        barrier_warps: 32.0,
        alone_cycles: 500.0,
        ..LaunchCensus::default()
    }
}

#[test]
fn each_part_is_its_count_times_its_cost() {
    let costs = made_up();
    let of = |part, launch: &LaunchCensus| costs.part_us(part, launch).unwrap();
    let all = LaunchCensus {
        bytes_touched: 1000.0,
        partial_stores: 50.0,
        lone_stores: 10.0,
        multiplies: 10.0,
        shared_passes: 20.0,
        same_address_atomics: 40.0,
        ..launch()
    };
    close(of(Part::Launches, &all), 2.0);
    close(of(Part::Memory, &all), 1.0);
    close(of(Part::PartialStores, &all), 0.7);
    close(of(Part::Issue, &all), 10.0);
    close(of(Part::Multiplies, &all), 2.0);
    close(of(Part::Shared, &all), 6.0);
    close(of(Part::Barriers, &all), 12.8);
    close(of(Part::Blocks, &all), 0.08);
    close(of(Part::Atomics, &all), 2.0);
    // Two waves of 0.5 µs, twice 500 cycles, and four warps at a barrier.
    close(of(Part::Latency, &all), 2.0 * (0.5 + 1.0 + 1.0));
}

#[test]
fn the_busiest_multiprocessor_counts() {
    let costs = made_up();
    // Five blocks on four multiprocessors: one has two of them, 8/5 of an even share.
    let uneven = LaunchCensus { blocks: 5.0, ..launch() };
    close(costs.part_us(Part::Issue, &uneven).unwrap(), 16.0);
    // One block alone: four times its even share, and memory is everybody's.
    let single = LaunchCensus { blocks: 1.0, bytes_touched: 1000.0, ..launch() };
    close(costs.part_us(Part::Issue, &single).unwrap(), 40.0);
    close(costs.part_us(Part::Memory, &single).unwrap(), 1.0);
}

#[test]
fn parts_overlap_by_the_exponent_and_launches_add() {
    close(overlapped(&[3.0, 4.0], 2.0), 5.0);
    close(overlapped(&[3.0, 4.0], 1.0), 7.0);
    close(overlapped(&[3.0, 4.0], f64::INFINITY), 4.0);
    assert_eq!(overlapped(&[0.0], 2.0), 0.0);
    let only = LaunchCensus { barrier_warps: 0.0, alone_cycles: 0.0, instructions: 40.0, ..launch() };
    // Issue 4 µs, latency 2 · 0.5 µs, blocks 0.08 µs.
    let one = 2.0 + (16.0_f64 + 1.0 + 0.0064).sqrt();
    let found = estimate("v", Vec::new(), &[only.clone(), only], &made_up()).unwrap();
    close(found.time_us, 2.0 * one);
    assert_eq!(found.bound, Part::Issue);
    close(found.parts[0].1, 4.0);
    assert!(!found.is_scaled);
}

#[test]
fn a_law_that_is_missing_is_named_only_where_it_is_needed() {
    let none = Coefficients::of(&Evidence { sm_count: 4, cycles_per_us: 1000.0, ..Evidence::default() });
    let missing = estimate("v", Vec::new(), &[launch(), launch()], &none).unwrap_err();
    let scenarios: Vec<&str> = missing.iter().map(|own: &Missing| own.scenario).collect();
    assert_eq!(scenarios.iter().filter(|name| **name == "synchronisation-cost").count(), 1, "told once");
    assert!(scenarios.contains(&"block-sync") && scenarios.contains(&"block-size-1d"));
    // It has no atomics and no shared memory.
    assert!(!scenarios.contains(&"atomics") && !scenarios.contains(&"bank-conflicts"), "{scenarios:?}");
}

#[test]
fn counts_scale_by_blocks_but_not_those_of_one_block() {
    let twice = launch().scaled(2.0);
    assert_eq!((twice.blocks, twice.instructions, twice.alone_cycles), (16.0, 200.0, 500.0));
    assert!(twice.is_scaled() && !launch().is_scaled());
    let single = LaunchCensus { blocks: 1.0, blocks_counted: 1, ..launch() };
    assert_eq!(single.clone().scaled(2.0), single);
}

#[test]
fn agreement_is_the_median_error_and_the_order() {
    let found = agreement(&[(90.0, 100.0), (60.0, 50.0), (41.0, 40.0), (39.0, 40.4)]).unwrap();
    close(found.errors_pct[1], 20.0);
    // Errors of 10, 20, 2.5 and 3.47 %.
    close(found.median_error_pct, f64::midpoint(10.0, 100.0 * (1.0 - 39.0 / 40.4)));
    // The last two are one percent apart: no order to have.
    assert_eq!((found.pairs, found.ordered_pairs), (5, 5));
    let wrong = agreement(&[(50.0, 100.0), (60.0, 50.0)]).unwrap();
    assert_eq!((wrong.pairs, wrong.ordered_pairs), (1, 0));
    assert!(agreement(&[]).is_none());
}

#[test]
fn slopes_are_those_of_lines() {
    close(slope(&[(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)]).unwrap(), 2.0);
    assert!(slope(&[(1.0, 3.0), (1.0, 5.0)]).is_none());
    assert!(slope(&[(1.0, 3.0)]).is_none());
}

#[test]
fn no_block_takes_less_than_no_time() {
    let (fixed, slope) = line_from_zero_up(&[(1.0, 3.0), (2.0, 5.0)]).unwrap();
    close(fixed, 1.0);
    close(slope, 2.0);
    // The line through these has -1 at 0; through 0, the slope is (1 + 6) / 5.
    let (fixed, slope) = line_from_zero_up(&[(1.0, 1.0), (2.0, 3.0)]).unwrap();
    assert_eq!(fixed, 0.0);
    close(slope, 1.4);
}
