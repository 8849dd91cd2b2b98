use apbench::device::Device;
use apbench::device::sim::Sim;
use apbench::family::atomic_types::{FAMILY, PTX};
use apbench::parameter::Value;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

/// A type, how its instructions name it in global and in shared memory, the latter's number, and registers of 32 bits that a shuffle takes.
const TYPES: [(&str, &str, &str, usize, usize); 9] = [
    ("u32", "u32", "u32", 1, 1),
    ("u64", "u64", "u64", 1, 2),
    ("f32", "f32", "f32", 1, 1),
    ("f64", "f64", "f64", 1, 2),
    ("f16x2", "noftz.f16x2", "noftz.f16x2", 1, 1),
    ("bf16x2", "noftz.bf16x2", "noftz.bf16x2", 1, 1),
    ("f32x2", "v2.f32", "f32", 2, 2),
    ("f32x4", "v4.f32", "f32", 4, 4),
    ("f16x8", "noftz.v4.f16x2", "noftz.f16x2", 4, 4),
];

/// A compare-and-swap in the memory of another block.
const EXCHANGE: &str = "atom.relaxed.cluster.shared::cluster.cas.b32 ";

/// The loop of a kernel that adds, of which there is one, but for those of compare-and-swap inside it.
fn adding_loop(name: &str) -> Vec<&'static str> {
    let all = loops(&entry(PTX, &format!("atomic_types_{name}")));
    let mut adding: Vec<_> = all.into_iter().filter(|body| count(body, "red.") + count(body, "atom.") > 0).collect();
    let own = adding.pop().unwrap_or_else(|| panic!("no loop of {name} adds"));
    assert!(adding.iter().all(|body| count(body, "red.") == 0 && count(body, EXCHANGE) == 1), "{name}: {adding:#?}");
    own
}

#[test]
fn loops_have_eight_additions_of_their_type_and_scope() {
    for (name, global, shared, of_shared, _) in TYPES {
        for (suffix, opcode) in [("", "red"), ("_used", "atom")] {
            for (scope, word) in [("", ""), ("_in_block", ".cta"), ("_in_cluster", ".cluster"), ("_in_system", ".sys")]
            {
                let body = adding_loop(&format!("{name}_global{scope}{suffix}"));
                assert_eq!(
                    count(&body, &format!("{opcode}{word}.global.add.{global} ")),
                    8,
                    "{name}{scope}{suffix}: {body:#?}"
                );
            }
            let body = adding_loop(&format!("{name}_shared{suffix}"));
            assert_eq!(
                count(&body, &format!("{opcode}.shared.add.{shared} ")),
                8 * of_shared,
                "{name}{suffix}: {body:#?}"
            );
        }
    }
}

#[test]
fn sums_are_shuffles_of_every_register_and_one_addition() {
    for (name, global, _, _, registers) in TYPES {
        let ways = [
            ("by_warp", 5, 0, 0),
            ("by_block", 10, 1, 0),
            ("by_cluster_atomics", 10, 1, 1),
            ("by_cluster_slots", 15, 1, 1),
        ];
        for (way, rounds, barriers, of_cluster) in ways {
            let body = adding_loop(&format!("{name}_global_{way}"));
            assert_eq!(count(&body, &format!("red.global.add.{global} ")), 1, "{name} {way}: {body:#?}");
            assert_eq!(
                body.iter().filter(|line| line.contains("shfl.sync.bfly")).count(),
                rounds * registers,
                "{name} {way}"
            );
            assert_eq!(count(&body, "bar.sync"), barriers, "{name} {way}");
            for step in ["barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;"] {
                assert_eq!(count(&body, step), of_cluster, "{name} {way}: {body:#?}");
            }
        }
    }
}

#[test]
fn blocks_of_a_cluster_add_to_a_word_of_the_first_one_or_store_in_its_slots() {
    for (name, _, shared, of_shared, registers) in TYPES {
        let body = adding_loop(&format!("{name}_global_by_cluster_atomics"));
        // What compilers make of `red` on halves in another block's memory loses additions.
        let additions = if shared.contains("f16x2") {
            EXCHANGE.to_owned()
        } else {
            format!("red.relaxed.cluster.shared::cluster.add.{shared} ")
        };
        assert_eq!(count(&body, &additions), of_shared, "{name}: {body:#?}");
        assert_eq!(count(&body, "st.shared::cluster"), 0, "{name}");
        let body = adding_loop(&format!("{name}_global_by_cluster_slots"));
        assert_eq!(count(&body, "red."), 1, "{name}: {body:#?}");
        let store = ["st.shared::cluster.u32 ", "st.shared::cluster.v2.u32 ", "st.shared::cluster.v4.u32 "];
        assert_eq!(count(&body, store[registers.ilog2() as usize]), 1, "{name}: {body:#?}");
    }
}

/// A point of eight blocks of two warps in clusters of so many, whose threads add 17 times, on a simulated H200.
fn clustered(variant: &str, aggregation: &str, cluster_blocks: i64) -> Simulated {
    let parameters = [
        ("aggregation", Value::from(aggregation)),
        ("cluster_blocks", cluster_blocks.into()),
        ("additions", 16.into()),
        ("block", 64.into()),
        ("launched_blocks", 8.into()),
    ];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn a_cluster_adds_once_to_the_word_of_global_memory() {
    for (variant, _, _, of_shared, _) in TYPES {
        for (cluster_blocks, clusters) in [(1, 8.0), (2, 4.0), (4, 2.0), (8, 1.0)] {
            let own = ["cluster_atomics", "cluster_slots"].map(|way| clustered(variant, way, cluster_blocks));
            for run in &own {
                assert_eq!(run.counter("global_atomic_requests"), clusters * 17.0, "{variant}, {cluster_blocks}");
            }
            // Those on the shared memory of another block do not pass by the own banks, and are not counted.
            let of_blocks = if cluster_blocks == 1 { 0.0 } else { clusters * 17.0 * of_shared as f64 };
            let requests = own[0].counter("shared_atomic_requests");
            // A compare-and-swap is tried again where another block was faster.
            let is_tried_again = variant.contains("16") && cluster_blocks > 1;
            assert!(requests == of_blocks || is_tried_again && requests > of_blocks, "{variant}: {requests}");
            assert_eq!(own[1].counter("shared_atomic_requests"), 0.0, "{variant}, {cluster_blocks}");
        }
    }
}

#[test]
fn clusters_pay_where_many_blocks_add_floats_and_not_where_few_do() {
    let time_us = |cluster_blocks: i64, launched_blocks: i64| {
        let parameters = [
            ("aggregation", Value::from("cluster_slots")),
            ("cluster_blocks", cluster_blocks.into()),
            ("additions", 16.into()),
            ("launched_blocks", launched_blocks.into()),
        ];
        Simulated::run("h200", &FAMILY, "f32", &parameters).time_us
    };
    let [few, many] = [32, 1024].map(|blocks| time_us(1, blocks) / time_us(2, blocks));
    // An H200 has 1.5 with 1024 blocks.
    assert!(few < 0.8 && many > 1.3, "{few} and {many} times as long without clusters");
}

/// A point of so many blocks of two warps in clusters of so many, whose threads add 17 times to one word, or those of a warp.
fn in_scope(scope: &str, sharers: &str, launched_blocks: i64, cluster_blocks: i64) -> [(&'static str, Value); 6] {
    [
        ("scope", Value::from(scope)),
        ("sharers", sharers.into()),
        ("additions", 16.into()),
        ("block", 64.into()),
        ("launched_blocks", launched_blocks.into()),
        ("cluster_blocks", cluster_blocks.into()),
    ]
}

#[test]
fn additions_in_the_scope_of_a_cluster_cost_what_those_of_the_device_cost() {
    for (variant, _, _, _, _) in TYPES {
        let run =
            |scope, sharers, blocks| Simulated::run("h200", &FAMILY, variant, &in_scope(scope, sharers, blocks, 1));
        for (sharers, blocks) in [("all", 1), ("warp", 4), ("thread", 4)] {
            let [cluster, device] = ["cluster", "device"].map(|scope| run(scope, sharers, blocks));
            assert_eq!(cluster.time_us, device.time_us, "{variant}, {sharers}");
            assert_eq!(cluster.counter("global_atomic_requests"), device.counter("global_atomic_requests"));
        }
        let shared = Simulated::run("h200", &FAMILY, variant, &in_scope("cluster", "all", 4, 4));
        assert_eq!(shared.counter("global_atomic_requests"), 8.0 * 17.0, "{variant}");
        assert_eq!(shared.predictor("threads_per_word"), 256.0);
    }
}

#[test]
fn only_gpus_with_clusters_add_in_the_scope_of_one() {
    let refusal = |gpu: &str, cluster_blocks: i64| {
        Simulated::refusal(gpu, &FAMILY, "u32", &in_scope("cluster", "all", cluster_blocks, cluster_blocks))
    };
    let told = refusal("a100", 1).unwrap();
    assert!(told.contains("the scope of a cluster needs compute capability 9.0"), "{told}");
    assert_eq!(refusal("a100", 2).unwrap(), "clusters of 2 blocks, which need compute capability 9.0 and not 8.0");
    assert_eq!(refusal("h200", 2), None);
}

#[test]
fn sums_of_blocks_that_are_executed_in_part_are_not_compared() {
    // 1024 blocks of eight warps, of which some are executed: the word lacks what the others would have added.
    let parameters =
        [("aggregation", Value::from("block")), ("additions", 64.into()), ("launched_blocks", 1024.into())];
    let run = Simulated::run("h200", &FAMILY, "u32", &parameters);
    assert!(run.counter("blocks_executed") < 1024.0);
}

/// A point of three blocks of two warps, whose threads add 17 times, on a simulated H200.
fn counted(variant: &str, memory: &str, sharers: &str, aggregation: &str) -> Simulated {
    let parameters = [
        ("memory", Value::from(memory)),
        ("sharers", sharers.into()),
        ("aggregation", aggregation.into()),
        ("additions", 16.into()),
        ("block", 64.into()),
        ("launched_blocks", 3.into()),
    ];
    Simulated::run("h200", &FAMILY, variant, &parameters)
}

#[test]
fn additions_are_what_the_simulated_device_counts() {
    let of_warps = 6.0 * 17.0;
    for (variant, _, _, of_shared, _) in TYPES {
        let global = counted(variant, "global", "thread", "none");
        assert_eq!(global.counter("atomic_instructions"), of_warps, "{variant}");
        assert_eq!(global.counter("global_atomic_requests"), of_warps, "{variant}");
        assert_eq!(global.counter("atomic_serialisations"), 0.0, "{variant}");
        assert_eq!(global.predictor("threads_per_word"), 1.0);
        let all = counted(variant, "global", "all", "none");
        assert_eq!(all.counter("atomic_serialisations"), of_warps * 31.0, "{variant}");
        assert_eq!(all.predictor("threads_per_word"), 192.0);
        let shared = counted(variant, "shared", "all", "none");
        assert_eq!(shared.counter("shared_atomic_requests"), of_warps * of_shared as f64, "{variant}");
        assert_eq!(shared.predictor("threads_per_word"), 64.0);
        // One lane of a warp, and of a block: the other warp of each block has nothing to add.
        for (aggregation, additions) in [("warp", of_warps), ("block", of_warps / 2.0)] {
            let own = counted(variant, "global", "all", aggregation);
            assert_eq!(own.counter("global_atomic_requests"), additions, "{variant} by {aggregation}");
            assert_eq!(own.counter("atomic_serialisations"), 0.0, "{variant} by {aggregation}");
        }
    }
}

#[test]
fn a_vector_is_one_request_for_all_its_bytes() {
    for (variant, bytes) in [("u32", 4.0), ("f64", 8.0), ("f32x2", 8.0), ("f32x4", 16.0), ("f16x8", 16.0)] {
        let run = counted(variant, "global", "thread", "none");
        let sectors = 6.0 * 17.0 * 32.0 * bytes / 32.0;
        assert_eq!(run.counter("global_atomic_transactions"), sectors, "{variant}");
    }
}

/// What each further addition of eight warps takes, in cycles, on a simulated H200.
fn cycles_of_addition(variant: &str, memory: &str, sharers: &str, aggregation: &str) -> f64 {
    let time_us = |additions: i64| {
        let parameters = [
            ("memory", Value::from(memory)),
            ("sharers", sharers.into()),
            ("aggregation", aggregation.into()),
            ("additions", additions.into()),
        ];
        Simulated::run("h200", &FAMILY, variant, &parameters).time_us
    };
    (time_us(192) - time_us(64)) / 128.0 * Profile::load("h200").unwrap().sm_clock_mhz
}

#[test]
fn floats_in_shared_memory_are_loops_and_so_are_halves_and_doubles() {
    let whole = cycles_of_addition("u32", "shared", "all", "none");
    let float = cycles_of_addition("f32", "shared", "all", "none");
    assert!(float > 8.0 * whole, "{float} and {whole} cycles");
    // Turns of words of 8 bytes take longer: constants/shared_loops.csv.
    let loops = Profile::load("h200").unwrap().atomics.shared_float.unwrap();
    let wide = loops.wide_turn_cycles / loops.turn_cycles;
    for (variant, turn) in [("u64", wide), ("f64", wide), ("f16x2", 1.0), ("bf16x2", 1.0)] {
        let own = cycles_of_addition(variant, "shared", "all", "none");
        assert!((own / (turn * float) - 1.0).abs() < 0.02, "{variant}: {own} and {float} cycles");
    }
}

#[test]
fn floats_take_turns_at_one_word_of_global_memory_and_sums_spare_them() {
    let profile = Profile::load("h200").unwrap();
    let alone = cycles_of_addition("f32", "global", "all", "none");
    assert!((alone / (256.0 * profile.atomics.same_address_cycles) - 1.0).abs() < 0.05, "{alone} cycles");
    let [by_warp, by_block] = ["warp", "block"].map(|own| cycles_of_addition("f32", "global", "all", own));
    // Measured 889, 194 and 583 cycles (results/nvidia-h200/later-at-simulated-sizes/atomic-aggregation).
    assert!(by_warp < 0.5 * alone && by_block < 0.7 * alone, "{alone}, {by_warp} and {by_block} cycles");
}

#[test]
fn gpus_refuse_types_that_they_do_not_add() {
    let refusal = |profile: &str, name: &str| {
        let device = Sim::open(Profile::load(profile).unwrap());
        FAMILY.variants.iter().find(|own| own.name == name).unwrap().refusal(device.properties())
    };
    assert_eq!(refusal("gtx280", "f32").unwrap(), "f32 needs compute capability 2.0 and not 1.3");
    assert_eq!(refusal("a100", "f16x8").unwrap(), "f16x8 needs compute capability 9.0 and not 8.0");
    assert_eq!(refusal("h200", "bf16x2"), None);
}
