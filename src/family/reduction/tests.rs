use super::plan::{Pass, Plan};
use super::rung::Rung;
use super::tree::{Steps, Tree};
use super::*;
use crate::parameter::Named;
use crate::workload::{Argument, Contents, Expected, HostMemory, Step, Sum, Workload};
use gpu_simulator::hardware::Banks;
use gpu_simulator::profile::Profile;

fn properties() -> Properties {
    Properties::simulated(&Profile::load("h200").unwrap())
}

/// The family's defaults, at a small size.
fn parameters() -> Parameters {
    Parameters { elements: 10_000, ..Parameters::defaults(&properties()) }
}

fn workload(variant: Variant, parameters: &Parameters) -> Workload<Predictors> {
    parameters.workload(variant, &properties(), 1)
}

fn plan(variant: Variant, parameters: &Parameters) -> Plan {
    Plan::new(Rung::of(variant).unwrap(), parameters, &properties())
}

fn expected_sum(workload: &Workload<Predictors>) -> Sum {
    workload.buffers[1].expected.as_ref().and_then(Expected::sums).unwrap()[0]
}

#[test]
fn only_powers_of_two_are_taken() {
    assert_eq!(Parameters { block: 1024, loads_in_flight: 1, ..parameters() }.check(), Ok(()));
    let conflict = Parameters { block: 192, ..parameters() }.check().unwrap_err();
    assert_eq!((conflict.parameters, conflict.help.as_str()), (&["block"][..], "use 128 or 256"));
    let conflict = Parameters { loads_in_flight: 3, ..parameters() }.check().unwrap_err();
    assert_eq!(conflict.parameters, ["loads_in_flight"]);
}

#[test]
fn every_variant_must_come_to_the_same_sum_with_a_bound_of_its_own() {
    for point in Parameters::verification(&properties()) {
        let sums: Vec<Sum> = Variant::ALL.iter().map(|variant| expected_sum(&workload(*variant, &point))).collect();
        assert!(sums.windows(2).all(|pair| pair[0].value.to_bits() == pair[1].value.to_bits()), "{point:?}");
    }
    let bound = |variant| expected_sum(&workload(variant, &parameters())).error_bound;
    assert!(bound(Variant::AtomicGlobal) > 4.0 * bound(Variant::SharedSequential));
}

/// A tree of a block rounds a sum of 4096 elements by less than an element: half of one missing is noticed.
#[test]
fn a_lost_element_is_noticed() {
    for (elements, variant) in
        [(4096, Variant::OneLaunch), (4096, Variant::SharedDivergent), (1000, Variant::AtomicGlobal)]
    {
        let sum = expected_sum(&workload(variant, &Parameters { elements, ..parameters() }));
        assert!(sum.error_bound < 0.25, "{variant:?}: {sum:?}");
    }
}

#[test]
fn elements_are_floats_from_0_to_1() {
    let workload = workload(Variant::GridStride, &parameters());
    let Contents::Words(words) = &workload.buffers[0].contents else { panic!("the input is given") };
    let floats: Vec<f32> = words.iter().map(|&word| f32::from_bits(word)).collect();
    assert!(floats.iter().all(|float| (0.0..1.0).contains(float)));
    let mean = expected_sum(&workload).value / 10_000.0;
    // They grow from 1/4 on average to 3/4.
    assert!((mean - 0.5).abs() < 0.02, "{mean}");
}

/// One word collects all elements of the scenario, and of the largest size that the family says it can.
#[test]
fn a_chain_of_all_elements_is_within_its_bound() {
    for elements in [3 << 22, 1 << 25] {
        let workload = workload(Variant::AtomicGlobal, &Parameters { elements, ..parameters() });
        let Contents::Words(words) = &workload.buffers[0].contents else { panic!("the input is given") };
        let chain: f32 = words.iter().map(|&word| f32::from_bits(word)).sum();
        let sum = expected_sum(&workload);
        assert!(sum.accepts(chain.to_bits()), "{elements}: {chain} {sum:?}");
    }
}

#[test]
fn hosts_sums_are_within_their_bound() {
    for elements in [1, 15, 4095, 4096, 4097, 1_100_001] {
        for variant in [Variant::Serial, Variant::MultiThreaded] {
            let workload = workload(variant, &Parameters { elements, ..parameters() });
            let [Step::Host(work)] = workload.steps.as_slice() else { panic!("{variant:?} has one step") };
            let Contents::HostWords(words) = &workload.buffers[0].contents else { panic!("the input is the host's") };
            let found = (work.compute)(&[words], work.argument);
            let expected = workload.buffers[1].expected.as_ref().unwrap();
            assert!(
                found.len() == 1 && expected.accepts(&found, 0, 0),
                "{variant:?}, {elements}: {found:?} {expected:?}"
            );
            let lost = (work.compute)(&[&words[1..]], work.argument);
            let lost = f64::from(f32::from_bits(lost[0]));
            assert!(lost < f64::from(f32::from_bits(found[0])) || elements > 4097, "{variant:?}, {elements}");
        }
    }
}

#[test]
fn blocks_take_tiles_and_stay_where_there_are_more() {
    let large = Parameters { elements: 1 << 30, threads: 128, ..parameters() };
    let blocks = |variant, point: &Parameters| plan(variant, point).passes[0].blocks;
    assert_eq!(blocks(Variant::AtomicGlobal, &large), 1 << 21);
    assert_eq!(blocks(Variant::SharedSequential, &large), 1 << 21);
    assert_eq!(blocks(Variant::DualLoad, &large), 1 << 20);
    assert_eq!(blocks(Variant::GridStride, &large), 4 * 132);
    assert_eq!(blocks(Variant::OneLaunch, &large), 16 * 132);
    assert_eq!(blocks(Variant::Vectorised, &Parameters { staying_blocks: 1000, ..large.clone() }), 1000);
    // 128 threads with 4 loads of 4 elements each.
    assert_eq!(blocks(Variant::Vectorised, &Parameters { elements: 2048 * 10 + 1, ..large.clone() }), 11);
    assert_eq!(blocks(Variant::Vectorised, &Parameters { elements: 1, ..large }), 1);
}

#[test]
fn sums_of_blocks_are_summed_by_launches_until_one_is_left() {
    let point = Parameters { finish: Finish::Launches, elements: 200_000, block: 64, ..parameters() };
    let passes =
        |variant| plan(variant, &point).passes.iter().map(|pass| (pass.elements, pass.blocks)).collect::<Vec<_>>();
    assert_eq!(passes(Variant::SharedStrided), [(200_000, 3125), (3125, 49), (49, 1)]);
    assert_eq!(passes(Variant::DualLoad), [(200_000, 1563), (1563, 13), (13, 1)]);
    assert_eq!(passes(Variant::OneLaunch).len(), 1);

    let workload = workload(Variant::DualLoad, &point);
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
    let runs = |variant: &&Variant| FAMILY.variants[**variant as usize].refusal(&old).is_none();
    for rung in Variant::ALL.iter().filter(runs).filter_map(|variant| Rung::of(*variant).ok()) {
        assert!(rung.can_store(), "{rung:?}");
    }
}

#[test]
fn what_is_added_to_is_zeroed_each_time() {
    for variant in Variant::ALL.iter().copied().filter(|variant| Rung::of(*variant).is_ok()) {
        let workload = workload(variant, &parameters());
        let first = workload.launches().next().map(|launch| launch.entry);
        assert_eq!(first == Some("reduction_zero"), variant != Variant::OneLaunch, "{variant:?}");
    }
}

/// Counted by hand.
#[test]
fn chains_are_as_long_as_the_order_of_summation_says() {
    let point = Parameters { elements: 1 << 20, block: 256, staying_blocks: 132, threads: 64, ..parameters() };
    let chain = |variant| plan(variant, &point).longest_chain();
    assert_eq!(chain(Variant::AtomicGlobal), 1 << 20);
    // 4096 blocks of 256.
    assert_eq!(chain(Variant::AtomicShared), 1 + 256 + 4096);
    assert_eq!(chain(Variant::SharedDivergent), 1 + 8 + 4096);
    assert_eq!(chain(Variant::WarpShuffle), 2 + 8 + 2048);
    // 132 blocks of 256 go through the elements 32 times.
    assert_eq!(chain(Variant::GridStride), 32 + 8 + 132);
    // 132 blocks of 64 take 1024 elements at a time, each thread 4 in each of 4 sums: 8 times.
    assert_eq!(chain(Variant::Vectorised), 8 * 4 + 3 + 10 + 132);
    assert_eq!(chain(Variant::OneLaunch), 8 * 4 + 3 + 10 + 3 + 10);
    let launches = plan(Variant::SharedDivergent, &Parameters { finish: Finish::Launches, ..point });
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
    for (transfer, memory) in [(Transfer::Pageable, HostMemory::Pageable), (Transfer::Pinned, HostMemory::Pinned)] {
        let workload = workload(Variant::DualLoad, &Parameters { transfer, ..parameters() });
        let [Step::Upload(up), Step::Launch(_), Step::Launch(_), Step::Download(down)] = workload.steps.as_slice()
        else {
            panic!("{:?}", workload.steps)
        };
        assert_eq!((up.buffer, up.words.clone(), up.memory), (0, 0..10_000, memory));
        assert_eq!((down.buffer, down.words.clone(), down.memory), (1, 0..1, memory));
    }
    assert!(!workload(Variant::DualLoad, &parameters()).has_phases());
}

#[test]
fn passes_are_plain_data() {
    assert_eq!(plan(Variant::OneLaunch, &parameters()).passes, [Pass { elements: 10_000, blocks: 2 }]);
}
