use super::plan::{Pass, Plan};
use super::rung::Rung;
use super::tree::{Steps, Tree};
use super::*;
use crate::family::Request;
use crate::workload::{Argument, Buffer, Contents, Expected, HostMemory, Step, Sum, Workload};
use gpu_simulator::hardware::Banks;
use gpu_simulator::profile::Profile;

fn properties() -> Properties {
    Properties::simulated(&Profile::load("h200").unwrap())
}

/// The family's defaults, at a small size.
fn parameters() -> ParameterSet {
    ParameterSet::defaults(PARAMETERS, &properties()).with("elements", 10_000)
}

fn workload(variant: &str, parameters: &ParameterSet) -> Workload {
    workload::build(&Request { variant, parameters, device: &properties(), seed: 1 })
}

fn plan(variant: &str, parameters: &ParameterSet) -> Plan {
    Plan::new(Rung::find(variant).unwrap(), parameters, &properties())
}

fn expected_sum(workload: &Workload) -> Sum {
    workload.buffers[1].expected.as_ref().and_then(Expected::sums).unwrap()[0]
}

#[test]
fn only_powers_of_two_are_taken() {
    assert_eq!(check(&parameters().with("block", 1024).with("loads_in_flight", 1)), Ok(()));
    let conflict = check(&parameters().with("block", 192)).unwrap_err();
    assert_eq!((conflict.parameters, conflict.help.as_str()), (&["block"][..], "use 128 or 256"));
    assert_eq!(check(&parameters().with("loads_in_flight", 3)).unwrap_err().parameters, ["loads_in_flight"]);
}

#[test]
fn verification_points_are_within_range_and_fit_the_device() {
    for name in ["h200", "gtx280"] {
        let device = Properties::simulated(&Profile::load(name).unwrap());
        for point in verification(&device) {
            check(&point).unwrap();
            assert!(point.integer("block") <= u64::from(device.threads_per_block));
            for parameter in PARAMETERS {
                parameter.kind.check(point.get(parameter.name).unwrap()).unwrap();
            }
        }
    }
}

#[test]
fn every_variant_must_come_to_the_same_sum_with_a_bound_of_its_own_and_in_the_memory_foreseen() {
    for point in verification(&properties()) {
        let mut sums = Vec::new();
        for variant in FAMILY.variants {
            let workload = workload(variant.name, &point);
            let bytes: u64 = workload.buffers.iter().map(Buffer::bytes).sum();
            assert!(bytes <= workload::device_bytes(&point), "{}: {point}", variant.name);
            assert_eq!(bytes == 0, variant.is_host, "{}", variant.name);
            let names = FAMILY.predictors.iter().map(|predictor| predictor.name).collect::<Vec<_>>();
            assert_eq!(workload.predictors.iter().map(|own| own.0).collect::<Vec<_>>(), names);
            sums.push(expected_sum(&workload));
        }
        assert!(sums.windows(2).all(|pair| pair[0].value.to_bits() == pair[1].value.to_bits()), "{point}");
    }
    let bound = |variant| expected_sum(&workload(variant, &parameters())).error_bound;
    assert!(bound("atomic_global") > 4.0 * bound("shared_sequential"));
}

/// A tree of a block rounds a sum of 4096 elements by less than an element: half of one missing is noticed.
#[test]
fn a_lost_element_is_noticed() {
    for (elements, variant) in [(4096, "one_launch"), (4096, "shared_divergent"), (1000, "atomic_global")] {
        let sum = expected_sum(&workload(variant, &parameters().with("elements", elements)));
        assert!(sum.error_bound < 0.25, "{variant}: {sum:?}");
    }
}

#[test]
fn elements_are_floats_from_0_to_1() {
    let workload = workload("grid_stride", &parameters());
    let Contents::Words(words) = &workload.buffers[0].contents else { panic!("the input is given") };
    let floats: Vec<f32> = words.iter().map(|&word| f32::from_bits(word)).collect();
    assert!(floats.iter().all(|float| (0.0..1.0).contains(float)));
    let mean = expected_sum(&workload).value / 10_000.0;
    // They grow from 1/8 on average to 1/2.
    assert!((mean - 0.3125).abs() < 0.02, "{mean}");
}

#[test]
fn hosts_sums_are_within_their_bound() {
    for elements in [1, 15, 4095, 4096, 4097, 1_100_001] {
        for variant in ["serial", "multi_threaded"] {
            let workload = workload(variant, &parameters().with("elements", elements));
            let [Step::Host(work)] = workload.steps.as_slice() else { panic!("{variant} has one step") };
            let Contents::HostWords(words) = &workload.buffers[0].contents else { panic!("the input is the host's") };
            let found = (work.compute)(&[words], work.argument);
            let expected = workload.buffers[1].expected.as_ref().unwrap();
            assert!(found.len() == 1 && expected.accepts(0, found[0]), "{variant}, {elements}: {found:?} {expected:?}");
            let lost = (work.compute)(&[&words[1..]], work.argument);
            let lost = f64::from(f32::from_bits(lost[0]));
            assert!(lost < f64::from(f32::from_bits(found[0])) || elements > 4097, "{variant}, {elements}");
        }
    }
}

#[test]
fn blocks_take_tiles_and_stay_where_there_are_more() {
    let large = parameters().with("elements", 1 << 30).with("threads", 128);
    let blocks = |variant, point: &ParameterSet| plan(variant, point).passes[0].blocks;
    assert_eq!(blocks("atomic_global", &large), 1 << 21);
    assert_eq!(blocks("shared_sequential", &large), 1 << 21);
    assert_eq!(blocks("dual_load", &large), 1 << 20);
    assert_eq!(blocks("grid_stride", &large), 4 * 132);
    assert_eq!(blocks("one_launch", &large), 16 * 132);
    assert_eq!(blocks("vectorised", &large.clone().with("staying_blocks", 1000)), 1000);
    // 128 threads with 4 loads of 4 elements each.
    assert_eq!(blocks("vectorised", &large.clone().with("elements", 2048 * 10 + 1)), 11);
    assert_eq!(blocks("vectorised", &large.with("elements", 1)), 1);
}

#[test]
fn sums_of_blocks_are_summed_by_launches_until_one_is_left() {
    let point = parameters().with("finish", "launches").with("elements", 200_000).with("block", 64);
    let passes =
        |variant| plan(variant, &point).passes.iter().map(|pass| (pass.elements, pass.blocks)).collect::<Vec<_>>();
    assert_eq!(passes("shared_strided"), [(200_000, 3125), (3125, 49), (49, 1)]);
    assert_eq!(passes("dual_load"), [(200_000, 1563), (1563, 13), (13, 1)]);
    assert_eq!(passes("one_launch").len(), 1);

    let workload = workload("dual_load", &point);
    let arguments: Vec<_> = workload.launches().map(|launch| launch.arguments.clone()).collect();
    let of = |from, into, elements| vec![Argument::Buffer(from), Argument::Buffer(into), Argument::Long(elements)];
    assert_eq!(arguments, [of(0, 2, 200_000), of(2, 3, 1563), of(3, 1, 13)]);
    assert!(workload.launches().all(|launch| launch.entry == "reduction_dual_load_stored"));
    assert_eq!([2, 3].map(|index: usize| workload.buffers[index].words()), [1563, 13]);
}

#[test]
fn where_floats_have_no_atomics_sums_meet_by_launches() {
    let old = Properties::simulated(&Profile::load("gtx280").unwrap());
    let of = |device: &Properties| Plan::new(Rung::DualLoad, &parameters(), device);
    assert_eq!((of(&properties()).is_added, of(&properties()).passes.len()), (true, 1));
    assert_eq!((of(&old).is_added, of(&old).passes.len()), (false, 2));
    let rungs = FAMILY.variants.iter().filter(|variant| !variant.is_host && variant.refusal(&old).is_none());
    for rung in rungs.map(|variant| Rung::find(variant.name).unwrap()) {
        assert!(rung.can_store(), "{rung:?}");
    }
}

#[test]
fn what_is_added_to_is_zeroed_each_time() {
    for variant in FAMILY.variants.iter().filter(|variant| !variant.is_host) {
        let workload = workload(variant.name, &parameters());
        let entries: Vec<&str> = workload.launches().map(|launch| launch.entry).collect();
        assert_eq!(entries.first() == Some(&"reduction_zero"), variant.name != "one_launch", "{}", variant.name);
        for entry in entries {
            assert!(PTX.contains(&format!(".entry {entry}(")), "{entry}");
        }
    }
}

/// Counted by hand.
#[test]
fn chains_are_as_long_as_the_order_of_summation_says() {
    let point =
        parameters().with("elements", 1 << 20).with("block", 256).with("staying_blocks", 132).with("threads", 64);
    let chain = |variant| plan(variant, &point).longest_chain();
    assert_eq!(chain("atomic_global"), 1 << 20);
    // 4096 blocks of 256.
    assert_eq!(chain("atomic_shared"), 1 + 256 + 4096);
    assert_eq!(chain("shared_divergent"), 1 + 8 + 4096);
    assert_eq!(chain("warp_shuffle"), 2 + 8 + 2048);
    // 132 blocks of 256 go through the elements 32 times.
    assert_eq!(chain("grid_stride"), 32 + 8 + 132);
    // 132 blocks of 64 take 1024 elements at a time, each thread 4 in each of 4 sums: 8 times.
    assert_eq!(chain("vectorised"), 8 * 4 + 3 + 10 + 132);
    assert_eq!(chain("one_launch"), 8 * 4 + 3 + 10 + 3 + 10);
    let launches = plan("shared_divergent", &point.with("finish", "launches"));
    assert_eq!(launches.longest_chain(), 3 * (1 + 8), "4096 sums, then 16");
}

/// By hand, for 128 threads and 32 banks.
#[test]
fn steps_are_those_counted_by_hand() {
    let steps = |rung| Tree { rung, threads: 128 }.steps(Banks::Phases32);
    let own = |warps, divergent, load_passes| Steps { warps, divergent, load_passes };
    // Four warps in five steps, then two and one. Every load is one pass.
    assert_eq!(steps(Rung::SharedDivergent), own(23, 23, 2 * 23 + 1));
    // Two warps, one whole, then half a warp, ... one thread; 32 lanes with places 2 apart collide in pairs, 32 lanes 4 apart
    // in fours, 16 lanes 8 apart in fours, ...
    assert_eq!(steps(Rung::SharedStrided), own(8, 5, 2 * (2 * 2 + 4 + 4 + 4 + 4 + 2 + 1) + 1));
    assert_eq!(steps(Rung::SharedSequential), own(8, 5, 2 * 8 + 1));
    // Two warps add, then one in six steps: a place each, and the sum at the end.
    assert_eq!(steps(Rung::UnrolledLastWarp), own(8, 0, 4 + 7 + 1));
    assert_eq!(steps(Rung::GridStride), own(8, 0, 4 + 2));
    assert_eq!(steps(Rung::OneLaunch), own(25, 0, 1));
    assert_eq!(Tree { rung: Rung::UnrolledAll, threads: 64 }.barriers(), 1);
}

#[test]
fn transfers_are_around_the_launches() {
    for (transfer, memory) in [("pageable", HostMemory::Pageable), ("pinned", HostMemory::Pinned)] {
        let workload = workload("dual_load", &parameters().with("transfer", transfer));
        let [Step::Upload(up), Step::Launch(_), Step::Launch(_), Step::Download(down)] = workload.steps.as_slice()
        else {
            panic!("{:?}", workload.steps)
        };
        assert_eq!((up.buffer, up.words.clone(), up.memory), (0, 0..10_000, memory));
        assert_eq!((down.buffer, down.words.clone(), down.memory), (1, 0..1, memory));
    }
    assert!(!workload("dual_load", &parameters()).has_phases());
}

#[test]
fn passes_are_plain_data() {
    assert_eq!(plan("one_launch", &parameters()).passes, [Pass { elements: 10_000, blocks: 2 }]);
}
