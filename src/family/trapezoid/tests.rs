#![allow(clippy::float_cmp, reason = "counts are exact")]

use super::*;
use crate::device::Device;
use crate::device::mock::{Mock, MockSettings};
use crate::family::Request;
use crate::workload::{Argument, Buffer, Step, Sum, Workload};

fn properties() -> Properties {
    Mock::new(MockSettings::default()).properties().clone()
}

fn point(trapezoids: i64, block: i64) -> ParameterSet {
    ParameterSet::defaults(PARAMETERS, &properties()).with("trapezoids", trapezoids).with("block", block)
}

fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
    FAMILY.workload(&Request { variant, parameters, device: &properties(), seed: 1 }).unwrap()
}

fn expected(workload: &Workload) -> Sum {
    workload.buffers[0].expected.as_ref().unwrap().sums().unwrap()[0]
}

#[test]
fn variants_and_rungs_have_the_same_names() {
    let names: Vec<&str> = FAMILY.variants.iter().map(|variant| variant.name).collect();
    assert_eq!(names, Rung::NAMED.map(|(name, _)| name));
    let kernels = names.iter().flat_map(|variant| {
        let workload = workload(variant, &point(1000, 64));
        workload.launches().map(|launch| launch.entry).collect::<Vec<_>>()
    });
    for entry in kernels {
        assert!(PTX.contains(&format!(".entry {entry}(")), "{entry}");
    }
}

#[test]
fn every_variant_integrates_to_the_same_number() {
    for parameters in verification(&properties()) {
        let trapezoids = parameters.integer("trapezoids") as f64;
        let exact = 24.0 + 36.0 / (trapezoids * trapezoids);
        let values: Vec<f64> =
            FAMILY.variants.iter().map(|variant| expected(&workload(variant.name, &parameters)).value).collect();
        assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{parameters}");
        assert!((values[0] / exact - 1.0).abs() < 1e-6, "{parameters}: {}", values[0]);
    }
}

/// The shorter the chain, the less may a sum be off.
#[test]
fn bounds_follow_the_order_of_summation() {
    let parameters = point(1 << 20, 1024);
    let bound = |variant: &str| expected(&workload(variant, &parameters)).error_bound;
    assert!(bound("atomic_add") > bound("warp_shuffle") && bound("warp_shuffle") > bound("warp_shuffle_many_warps"));
    assert!(bound("shared_memory_many_warps") > bound("two_launches"));
    assert!(
        bound("two_launches") < 1e-4 && bound("atomic_add") < 0.4,
        "{} {}",
        bound("two_launches"),
        bound("atomic_add")
    );
}

#[test]
fn one_atomic_for_each_thread_warp_or_block() {
    let parameters = point(10_000, 256);
    let of = |variant: &str| {
        let predictors = workload(variant, &parameters).predictors;
        [0, 1, 2].map(|index: usize| predictors[index].1)
    };
    assert_eq!(of("atomic_add"), [10_000.0, 0.0, 2.0]);
    assert_eq!(of("warp_shuffle"), [320.0, 0.0, 2.0]);
    assert_eq!(of("shared_memory"), [320.0, 0.0, 2.0]);
    assert_eq!(of("warp_shuffle_many_warps"), [40.0, 40.0, 2.0]);
    assert_eq!(of("shared_memory_many_warps"), [40.0, 40.0, 2.0]);
    assert_eq!(of("two_launches"), [0.0, 41.0, 2.0]);
    assert_eq!(of("serial"), [0.0; 3]);
}

#[test]
fn the_integral_begins_anew_in_every_run() {
    for variant in FAMILY.variants.iter().filter(|variant| !variant.is_host && variant.name != "two_launches") {
        let workload = workload(variant.name, &point(1000, 64));
        let begin = workload.launches().next().unwrap();
        assert_eq!((begin.entry, begin.arguments[0]), ("trapezoid_begin", Argument::Buffer(0)), "{}", variant.name);
    }
}

#[test]
fn device_bytes_are_those_of_the_buffers_at_most() {
    for parameters in [point(1, 32), point(4097, 256)] {
        let of = |variant: &str| workload(variant, &parameters).buffers.iter().map(Buffer::bytes).sum::<u64>();
        let largest = FAMILY.variants.iter().map(|variant| of(variant.name)).max();
        assert_eq!(FAMILY.device_bytes(&parameters).ok(), largest);
    }
}

#[test]
fn the_host_computes_the_host_s_variants_alone() {
    for variant in FAMILY.variants {
        let workload = workload(variant.name, &point(100, 32));
        let by_host = workload.steps.iter().any(|step| matches!(step, Step::Host(_)));
        assert_eq!(by_host, variant.is_host, "{}", variant.name);
        assert_eq!(workload.launches().count() == 0, variant.is_host, "{}", variant.name);
    }
}
