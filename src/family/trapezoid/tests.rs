#![allow(clippy::float_cmp, reason = "counts are exact")]

use super::*;
use crate::family::fixtures::{bytes_of_buffers, properties, workload};
use crate::parameter::Named;
use crate::workload::{Argument, Step, Sum};

fn is_on_host(variant: Variant) -> bool {
    matches!(variant, Variant::Serial | Variant::MultiThreaded)
}

fn expected(workload: &Workload<Predictors>) -> Sum {
    workload.buffers[0].expected.as_ref().unwrap().sums().unwrap()[0]
}

#[test]
fn every_variant_integrates_to_the_same_number() {
    for point in Parameters::verification(&properties()) {
        let trapezoids = point.trapezoids as f64;
        let exact = 24.0 + 36.0 / (trapezoids * trapezoids);
        let values: Vec<f64> = Variant::ALL.iter().map(|variant| expected(&workload(*variant, &point)).value).collect();
        assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{point:?}");
        assert!((values[0] / exact - 1.0).abs() < 1e-6, "{point:?}: {}", values[0]);
    }
}

/// The shorter the chain, the less may a sum be off.
#[test]
fn bounds_follow_the_order_of_summation() {
    let point = Parameters { trapezoids: 1 << 20, block: 1024 };
    let bound = |variant| expected(&workload(variant, &point)).error_bound;
    let [every_thread, every_warp, every_block, shared_memory, launches] = [
        Variant::AtomicAdd,
        Variant::WarpShuffle,
        Variant::WarpShuffleManyWarps,
        Variant::SharedMemoryManyWarps,
        Variant::TwoLaunches,
    ]
    .map(bound);
    assert!(every_thread > every_warp && every_warp > every_block);
    assert!(shared_memory > launches);
    assert!(launches < 1e-4 && every_thread < 0.4, "{launches} {every_thread}");
}

#[test]
fn one_atomic_for_each_thread_warp_or_block() {
    let point = Parameters { trapezoids: 10_000, block: 256 };
    for (variant, atomics, barriers, launches) in [
        (Variant::AtomicAdd, 10_000.0, 0.0, 2.0),
        (Variant::WarpShuffle, 320.0, 0.0, 2.0),
        (Variant::SharedMemory, 320.0, 0.0, 2.0),
        (Variant::WarpShuffleManyWarps, 40.0, 40.0, 2.0),
        (Variant::SharedMemoryManyWarps, 40.0, 40.0, 2.0),
        (Variant::TwoLaunches, 0.0, 41.0, 2.0),
        (Variant::Serial, 0.0, 0.0, 0.0),
    ] {
        let expected = Predictors { atomics, barriers, launches };
        assert_eq!(workload(variant, &point).predictors, expected, "{variant:?}");
    }
}

#[test]
fn the_integral_begins_anew_in_every_run() {
    let point = Parameters { trapezoids: 1000, block: 64 };
    let with_atomics = |variant: &Variant| !is_on_host(*variant) && *variant != Variant::TwoLaunches;
    for variant in Variant::ALL.iter().copied().filter(with_atomics) {
        let workload = workload(variant, &point);
        let begin = workload.launches().next().unwrap();
        assert_eq!((begin.entry, begin.arguments[0].clone()), ("trapezoid_begin", Argument::Buffer(0)), "{variant:?}");
    }
}

#[test]
fn device_bytes_are_those_of_the_buffers_at_most() {
    for (trapezoids, block) in [(1, 32), (4097, 256)] {
        let point = Parameters { trapezoids, block };
        let largest = Variant::ALL.iter().map(|variant| bytes_of_buffers(&workload(*variant, &point))).max();
        assert_eq!(largest, Some(point.device_bytes()));
    }
}

#[test]
fn the_host_computes_the_host_s_variants_alone() {
    for variant in Variant::ALL.iter().copied() {
        let workload = workload(variant, &Parameters { trapezoids: 100, block: 32 });
        let by_host = workload.steps.iter().any(|step| matches!(step, Step::Host(_)));
        assert_eq!(by_host, is_on_host(variant), "{variant:?}");
        assert_eq!(workload.launches().count() == 0, is_on_host(variant), "{variant:?}");
    }
}
