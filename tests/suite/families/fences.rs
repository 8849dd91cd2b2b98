use apbench::family::fences::{FAMILY, PTX};
use apbench::parameter::Value;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

/// The loop of the rounds: the longest, in which that of the work stands.
fn round(name: &str) -> Vec<&'static str> {
    let all = loops(&entry(PTX, &format!("fences_{name}")));
    all.into_iter().max_by_key(Vec::len).unwrap_or_else(|| panic!("{name} has no loop"))
}

#[test]
fn rounds_have_their_accesses_and_what_orders_them() {
    for (scope, word) in [("block", "cta"), ("cluster", "cluster"), ("device", "gpu"), ("system", "sys")] {
        for (order, instructions) in [
            ("sequential_fence", vec![format!("fence.sc.{word};")]),
            ("acquire_release_fence", vec![format!("fence.acq_rel.{word};")]),
            ("fence_and_store", vec![format!("fence.acq_rel.{word};"), format!("st.relaxed.{word}.global.u32")]),
            ("release_store", vec![format!("st.release.{word}.global.u32")]),
        ] {
            for stores in [1, 2, 4, 8, 16] {
                let body = round(&format!("{order}_{scope}_behind_{stores}_global_stores"));
                assert_eq!(count(&body, "st.global.u32"), stores, "{order} {scope}: {body:#?}");
                for instruction in &instructions {
                    assert_eq!(count(&body, instruction), 1, "{order} {scope}: {body:#?}");
                }
                let ordering = ["fence.", "st.relaxed", "st.release", "ld.acquire"];
                let all: usize = ordering.iter().map(|opcode| count(&body, opcode)).sum();
                assert_eq!(all, instructions.len(), "{order} {scope}: {body:#?}");
            }
        }
        let body = round(&format!("acquire_release_fence_{scope}_behind_16_loads"));
        assert_eq!(count(&body, "ld.relaxed.gpu.global.u32"), 16);
        let body = round(&format!("sequential_fence_{scope}_behind_8_shared_stores"));
        assert_eq!(count(&body, "st.shared.u32"), 8);
        let body = round(&format!("load_and_fence_{scope}_alone"));
        let [load, fence] = [format!("ld.relaxed.{word}.global.u32"), format!("fence.acq_rel.{word};")];
        let place = |opcode: &str| body.iter().position(|line| line.starts_with(opcode)).unwrap();
        assert!(place(&load) < place(&fence));
        assert_eq!(count(&round(&format!("acquire_load_{scope}_alone")), &format!("ld.acquire.{word}.global.u32")), 1);
    }
}

#[test]
fn the_work_is_a_loop_of_its_own_of_eight_multiply_adds() {
    for name in ["none_alone", "sequential_fence_device_behind_4_global_stores", "release_store_block_alone"] {
        let all = loops(&entry(PTX, &format!("fences_{name}")));
        let shortest = all.iter().min_by_key(|body| body.len()).unwrap();
        assert_eq!((all.len(), count(shortest, "mad.lo.u32")), (2, 8), "{name}: {shortest:#?}");
    }
}

/// What each further round of one warp takes, in cycles, on a simulated H200.
fn cycles_of_round(variant: &str, parameters: &[(&'static str, Value)]) -> f64 {
    let time_us = |waits: i64| {
        let all: Vec<(&str, Value)> = parameters.iter().cloned().chain([("waits", waits.into())]).collect();
        Simulated::run("h200", &FAMILY, variant, &all).time_us
    };
    (time_us(384) - time_us(128)) / 256.0 * Profile::load("h200").unwrap().sm_clock_mhz
}

fn behind_stores(variant: &str, scope: &str, stores: i64) -> f64 {
    cycles_of_round(variant, &[("scope", scope.into()), ("stores", stores.into())])
}

#[test]
fn a_fence_of_the_device_waits_for_all_stores_at_once() {
    let profile = Profile::load("h200").unwrap();
    let [none, one, sixteen] = [0, 1, 16].map(|stores| behind_stores("sequential_fence", "device", stores));
    let without = behind_stores("none", "device", 0);
    assert!((none - without - profile.fences.device_cycles).abs() < 6.0, "{none} and {without} cycles");
    let slices = profile.global.slices.unwrap();
    let (acknowledge, half_distance) = (slices.acknowledge_cycles, slices.half_distance_cycles);
    // Rounds go to both halves of L2 in turn. What the store itself takes is that of a round without a fence.
    let store = behind_stores("none", "device", 1) - without;
    assert!((one - none - store - acknowledge).abs() < 10.0, "{one} and {none} cycles, of which {store} are the store");
    // The others are on their way meanwhile, to both halves, each behind the two registers of an address and that of a value.
    let handed = 15.0 * 3.0 * profile.load_store.operand_cycles;
    assert!(sixteen - one < handed + 2.0 * half_distance + 0.15 * acknowledge, "{sixteen} and {one} cycles");
}

#[test]
fn a_fence_of_the_cluster_takes_as_long_as_one_of_the_device() {
    for variant in ["sequential_fence", "acquire_release_fence", "release_store", "load_and_fence", "acquire_load"] {
        for stores in [0, 4] {
            let [cluster, device] = ["cluster", "device"].map(|scope| behind_stores(variant, scope, stores));
            assert_eq!(cluster, device, "{variant} behind {stores} stores");
        }
    }
}

#[test]
fn only_gpus_with_clusters_have_the_scope_of_one() {
    let refusal = |gpu: &str, variant: &str| Simulated::refusal(gpu, &FAMILY, variant, &[("scope", "cluster".into())]);
    for variant in ["sequential_fence", "acquire_release_fence", "release_store", "acquire_load"] {
        let told = refusal("a100", variant).unwrap();
        assert!(told.contains("the scope of a cluster needs compute capability 9.0"), "{variant}: {told}");
        assert_eq!(refusal("h200", variant), None);
    }
    assert_eq!(refusal("a100", "none"), None);
}

#[test]
fn no_work_behind_a_fence_is_done_while_it_waits() {
    let of = |variant: &str, work: i64| cycles_of_round(variant, &[("work", work.into())]);
    let [fence, none] = ["acquire_release_fence", "none"].map(|variant| of(variant, 256) - of(variant, 64));
    assert!((fence / none - 1.0).abs() < 0.02, "{fence} and {none} cycles");
}

#[test]
fn accesses_before_a_fence_are_counted() {
    for (stores, loads) in [(0, 0), (4, 0), (16, 0), (0, 8)] {
        let parameters =
            [("stores", stores.into()), ("loads", loads.into()), ("waits", 10.into()), ("block", 96.into())];
        let run = Simulated::run("h200", &FAMILY, "sequential_fence", &parameters);
        assert_eq!(run.predictor("accesses_per_wait"), (stores + loads) as f64);
        // Each warp leaves its sums, and the first one the cycles.
        assert_eq!(run.counter("global_store_requests"), (3 * 10 * stores + 3 + 1) as f64);
        assert_eq!(run.counter("global_load_requests"), (3 * 10 * loads) as f64);
    }
}
