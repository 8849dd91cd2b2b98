use std::collections::HashMap;

use super::*;
use crate::family::Predicted;
use crate::family::fixtures::properties;
use crate::family::partition::tests::small;
use crate::parameter::Named;

/// The limits of an H200, with all of its multiprocessors.
fn device() -> Properties {
    Properties { sm_count: 132, ..properties() }
}

fn mapping(variant: Variant, parameters: &Parameters) -> Mapping {
    Mapping::new(variant, parameters, &device())
}

#[track_caller]
fn assert_predictors(mapping: &Mapping, wanted: [f64; 5]) {
    let predictors = mapping.predictors(&device()).named();
    for ((name, value), wanted) in predictors.iter().zip(wanted) {
        assert!((value - wanted).abs() < 1e-12, "{name} is {value}, not {wanted}");
    }
}

#[test]
fn a_matrix_is_square_or_twice_as_wide_as_high() {
    for (elements, wanted) in [
        (1, 1),
        (2, 2),
        (4, 2),
        (5, 4),
        (16, 4),
        (17, 8),
        (1000, 32),
        (1 << 22, 2048),
        (1 << 25, 8192),
        (1 << 30, 1 << 15),
    ] {
        assert_eq!(columns(elements), wanted, "{elements} elements");
    }
}

#[test]
fn predictors_of_one_element_for_each_thread_are_those_of_a_calculation_by_hand() {
    let row = |block| mapping(Variant::OneElement1d, &Parameters { elements: 1 << 25, block, ..small() });
    // 131072 blocks are 993 for the busiest of 132 multiprocessors, which holds 8 of 8 warps.
    assert_predictors(&row(256), [993.0 / 8.0, 64.0, 1.0, 1.0, 131_072.0]);
    // 32 blocks at most, of half a warp each.
    assert_predictors(&row(16), [15_888.0 / 32.0, 32.0, 0.5, 0.5, 2_097_152.0]);
    // Two blocks of 22 warps.
    assert_predictors(&row(704), [362.0 / 2.0, 44.0, 44.0 / 64.0, 1.0, 47_663.0]);
    assert_predictors(&row(720), [354.0 / 2.0, 46.0, 46.0 / 64.0, 720.0 / 736.0, 46_604.0]);

    let matrix = |block_width, block_height| {
        mapping(Variant::OneElement2d, &Parameters { elements: 1 << 22, block_width, block_height, ..small() })
    };
    assert_predictors(&matrix(16, 16), [125.0 / 8.0, 64.0, 1.0, 1.0, 16_384.0]);
    // 94 times 94 blocks of 16 warps, the last with 4 lanes.
    assert_predictors(&matrix(22, 22), [67.0 / 4.0, 64.0, 1.0, 484.0 / 512.0, 8836.0]);
}

#[test]
fn several_elements_make_fewer_blocks() {
    for variant in [Variant::SeveralElements, Variant::GridStride] {
        let several = |elements_per_thread| {
            mapping(variant, &Parameters { elements: 1 << 22, elements_per_thread, ..small() }).launch.grid
        };
        assert_eq!(several(1), [16_384, 1, 1]);
        assert_eq!(several(64), [256, 1, 1]);
        assert_eq!(several(3), [5462, 1, 1]);
    }
}

#[test]
fn the_grid_covers_every_element_and_has_no_block_too_many() {
    for elements in [1, 31, 1000, 4097] {
        for block in [16, 48, 256] {
            let point = Parameters { elements, block, elements_per_thread: 3, ..small() };
            for (variant, of_block) in [
                (Variant::OneElement1d, block),
                (Variant::SeveralElements, 3 * block),
                (Variant::GridStride, 3 * block),
            ] {
                let blocks = u64::from(mapping(variant, &point).launch.grid[0]);
                assert!(
                    blocks * of_block >= elements && (blocks - 1) * of_block < elements,
                    "{variant:?}: {blocks} blocks"
                );
            }
        }
    }
    let launch = mapping(Variant::OneElement2d, &Parameters { block_width: 3, block_height: 5, ..small() }).launch;
    assert_eq!((launch.grid, launch.block), ([11, 7, 1], [3, 5, 1]));
}

#[test]
fn arguments_are_in_the_kernel_s_order() {
    let words = |variant, ordering| -> Vec<u32> {
        let point = Parameters { multiply_adds: 7, ordering, ..small() };
        let arguments = Mapping::new(variant, &point, &device()).launch.arguments;
        assert_eq!(arguments[..2], [Argument::Buffer(0), Argument::Buffer(1)]);
        let word = |argument: &Argument| if let Argument::Word(word) = argument { *word } else { u32::MAX };
        arguments[2..].iter().map(word).collect()
    };
    assert_eq!(words(Variant::OneElement1d, Ordering::Striped), [1000, 7]);
    assert_eq!(words(Variant::OneElement2d, Ordering::Striped), [1000, 7, 32]);
    assert_eq!(words(Variant::SeveralElements, Ordering::Striped), [1000, 7, 4, 1, 256]);
    assert_eq!(words(Variant::SeveralElements, Ordering::Blocked), [1000, 7, 4, 4, 1]);
    assert_eq!(words(Variant::GridStride, Ordering::Striped), [1000, 7]);
    assert_eq!(words(Variant::LimitedByShared, Ordering::Striped), [1000, 7]);
    assert_eq!(words(Variant::LimitedByRegisters, Ordering::Striped), [1000, 7, 0]);
}

#[test]
fn kernels_are_those_of_the_arithmetic() {
    let mut variants = HashMap::new();
    for &variant in Variant::ALL {
        for &arithmetic in Arithmetic::ALL {
            let entry = mapping(variant, &Parameters { arithmetic, ..small() }).launch.entry;
            assert!(entry.ends_with(arithmetic.name()), "{entry}");
            assert!(crate::family::partition::PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            variants.entry(entry).or_insert_with(Vec::new).push(variant);
        }
    }
    assert_eq!(variants["partition_grid_stride_float"], [Variant::GridStride, Variant::LimitedByShared]);
    assert_eq!(variants.len(), 2 * 5);
}

#[test]
fn just_enough_shared_memory_is_asked_for_to_keep_other_blocks_out() {
    let limits = device().limits();
    for block in [32, 64, 128, 256, 1024] {
        let warps_of_block = block / 32;
        for warp_limit in 1..=64 {
            let own = mapping(Variant::LimitedByShared, &Parameters { block, warp_limit, ..small() });
            let wanted = (warp_limit / warps_of_block).clamp(1, 32) as u32;
            assert_eq!(
                resident_blocks(&limits, &own.resources).unwrap().blocks,
                wanted,
                "{block} threads, {warp_limit}"
            );
            assert_eq!(u64::from(own.launch.shared_bytes), own.resources.shared_bytes_per_block);
            if own.launch.shared_bytes > 0 {
                let shared_bytes_per_block = own.resources.shared_bytes_per_block - 1;
                let fewer = Resources { shared_bytes_per_block, ..own.resources };
                assert!(resident_blocks(&limits, &fewer).unwrap().blocks > wanted, "{block} threads, {warp_limit}");
            }
        }
    }
}

#[test]
fn a_block_asks_for_no_more_shared_memory_than_it_may_have() {
    for (most, blocks) in [(48 << 10, 4), (16 << 10, 13)] {
        let device = Properties { shared_bytes_per_block_opt_in: most, ..device() };
        let point = Parameters { block: 32, warp_limit: 1, ..small() };
        let own = Mapping::new(Variant::LimitedByShared, &point, &device);
        assert_eq!(u64::from(own.launch.shared_bytes), most);
        assert_eq!(resident_blocks(&device.limits(), &own.resources).unwrap().blocks, blocks);
    }
}

/// 64 K registers of four schedulers, which give warps 256 at a time.
#[test]
fn registers_come_nearest_to_the_limit() {
    for (warp_limit, registers, warps) in [
        (64, 32, 64.0),
        (48, 40, 48.0),
        (32, 64, 32.0),
        (24, 80, 24.0),
        (20, 96, 20.0),
        (16, 128, 16.0),
        (12, 168, 12.0),
        (8, 255, 8.0),
        (1, 255, 8.0),
        (41, 40, 48.0),
        (39, 64, 32.0),
    ] {
        for block in [64, 128] {
            let own = mapping(Variant::LimitedByRegisters, &Parameters { block, warp_limit, ..small() });
            assert_eq!(own.launch.entry, format!("partition_registers_{registers}_float"));
            let resident = own.predictors(&device()).resident_warps;
            assert!((resident - warps).abs() < 1e-12, "{warp_limit}: {resident} warps");
        }
    }
}

#[test]
fn threads_get_no_more_registers_than_they_may_have() {
    let device = Properties { registers_per_thread: 128, ..device() };
    let point = Parameters { block: 64, warp_limit: 1, ..small() };
    let own = Mapping::new(Variant::LimitedByRegisters, &point, &device);
    assert_eq!(own.launch.entry, "partition_registers_128_float");
}

#[test]
fn blocks_too_large_for_the_device_are_predicted_without_a_panic() {
    let device = Properties { threads_per_block: 512, ..device() };
    for &variant in Variant::ALL {
        let point = Parameters { block: 1024, block_width: 32, block_height: 32, ..small() };
        let predictors = Mapping::new(variant, &point, &device).predictors(&device).named();
        assert_eq!(predictors[0], ("waves", 0.0));
    }
    let unknown = Properties { registers_per_sm: 0, blocks_per_sm: 0, threads_per_sm: 0, ..device };
    for &variant in Variant::ALL {
        let predictors = Mapping::new(variant, &small(), &unknown).predictors(&unknown).named();
        assert!(predictors.iter().all(|(_, value)| value.is_finite()), "{predictors:?}");
    }
}
