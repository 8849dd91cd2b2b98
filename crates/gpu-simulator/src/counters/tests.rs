use crate::class::Class;
use crate::counters::Requests;
use crate::snippet::{Ran, Snippet};

fn ran(profile: &str, body: &str) -> Ran {
    Snippet::new(body).on(profile).run().unwrap_or_else(|fault| panic!("{fault}"))
}

fn requests(requests: u64, parts: u64) -> Requests {
    Requests { requests, parts }
}

#[test]
fn instructions_are_counted_for_each_warp_and_lane() {
    let snippet = Snippet::new("st.global.u32 [%rd1], %r0;").threads(40).blocks(3);
    let ran = snippet.run().expect("it runs");
    // Load of the parameter, move, multiply-add, store, exit; two warps of three blocks. ptxas for sm_90 adds the stack pointer and the
    // descriptor of global memory.
    assert_eq!(ran.instructions.ptx, 5 * 6);
    assert_eq!(ran.instructions.warps, 8 * 6);
    assert_eq!(ran.instructions.by_class[Class::Global as usize], 6);
    assert_eq!(ran.instructions.by_class[Class::Control as usize], 6);
    assert_eq!(ran.instructions.by_class[Class::Move as usize], 3 * 6, "stack pointer, descriptor, parameter");
    assert_eq!(ran.instructions.warps, ran.instructions.by_class.iter().sum::<u64>());
    // Of 6 warps, 3 have 32 lanes and 3 have 8.
    assert_eq!(ran.instructions.threads * 6, ran.instructions.warps * 120);
    assert_eq!((ran.instructions.branches, ran.instructions.divergent_branches), (0, 0));
}

#[test]
fn instructions_count_as_they_are_timed_on_compute_capability_1() {
    let launch = |profile: &str, body: &str| Snippet::new(body).on(profile).launch().expect("it runs").1;
    // There an address has 32 bits, a product with 4 is a shift, and an argument is an operand.
    for profile in ["gtx280", "8500gt"] {
        let (short, long) = (
            launch(profile, &"add.u32 %r1, %r1, 1;\n".repeat(40)),
            launch(profile, &"add.u64 %rd2, %rd2, 1;\n".repeat(40)),
        );
        assert_eq!(short.time_us.to_bits(), long.time_us.to_bits(), "{profile}");
        assert_eq!(short.counter("warp_instructions"), long.counter("warp_instructions"), "{profile}");
        // The thread's index, the shift and the addition of its address, 40 additions, the exit.
        assert_eq!(long.counter("warp_instructions"), Some(f64::from(1 + 2 + 40 + 1)), "{profile}");
        assert_eq!(long.counter("integer_instructions"), Some(43.0), "{profile}");
        assert_eq!(long.counter("multiply_instructions"), Some(0.0), "{profile}");
        assert_eq!(long.counter("other_instructions"), Some(0.0), "{profile}");
    }
    // The stack pointer, the addition, the exit; nobody asks for the address.
    let today = launch("h200", "add.u64 %rd2, %rd2, 1;");
    for (name, expected) in [("warp_instructions", 4.0), ("multiply_instructions", 0.0), ("integer_instructions", 2.0)]
    {
        assert_eq!(today.counter(name), Some(expected), "{name}");
    }
}

#[test]
fn branches_and_those_that_part_a_warp_are_counted() {
    let body = |bound: u32| {
        format!(
            "setp.lt.u32 %p1, %r0, {bound};\n@%p1 bra A;\nadd.u32 %r1, %r1, 1;\nbra A;\nA:\nst.global.u32 [%rd1], %r1;"
        )
    };
    for profile in ["h200", "gtx280", "8500gt"] {
        let count = |bound: u32| ran(profile, &body(bound)).instructions;
        // All fall through: two branches, the second without a guard. All jump: one. Eight jump: the second for 24 lanes.
        let (through, jump, part) = (count(0), count(32), count(8));
        assert_eq!((through.branches, through.divergent_branches), (2, 0));
        assert_eq!((jump.branches, jump.divergent_branches), (1, 0));
        assert_eq!((part.branches, part.divergent_branches), (2, 1));
        assert_eq!(through.ptx, part.ptx);
        assert_eq!(through.ptx - jump.ptx, 2);
        if profile == "h200" {
            // There the addition is under a predicate, and issued for all lanes.
            assert_eq!((through.threads, through.threads), (part.threads, jump.threads));
            assert_eq!(through.warps, jump.warps);
        } else {
            assert_eq!(through.threads - part.threads, 2 * 8);
            assert_eq!(through.threads - jump.threads, 2 * 32);
        }
    }
}

#[test]
fn a_divergent_loop_is_counted_by_its_turns() {
    // Lane n goes round n + 1 times.
    let body = "L:\nadd.u32 %r1, %r1, 1;\nsetp.le.u32 %p1, %r1, %r0;\n@%p1 bra L;";
    let counts = ran("h200", body).instructions;
    assert_eq!((counts.branches, counts.divergent_branches), (32, 31));
    assert_eq!(counts.ptx, 4 + 3 * 32);
    let lanes: u64 = (1..=32).sum();
    // Besides, all lanes read their index, which the loop alone asks for.
    assert_eq!(counts.threads - ran("h200", "").instructions.threads, 3 * lanes + 32);
}

#[test]
fn words_side_by_side_are_few_transactions() {
    let body = "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;";
    for (profile, expected, bytes) in
        [("h200", requests(1, 4), 128), ("gtx280", requests(2, 2), 128), ("8500gt", requests(2, 2), 128)]
    {
        let counters = ran(profile, body).counters;
        assert_eq!(counters.global, [expected, expected, requests(0, 0)], "{profile}");
        assert_eq!((counters.global_bytes_asked, counters.global_bytes_moved), (256, 2 * bytes), "{profile}");
    }
}

#[test]
fn words_off_by_one_cost_what_the_guide_says() {
    // CUDA C Programming Guide 4, F.3.2: 16 transactions of 32 bytes for each half-warp; or 128 bytes, and 64 + 32 bytes.
    for (profile, parts, bytes) in [("h200", 5, 160), ("gtx280", 3, 224), ("8500gt", 32, 1024)] {
        let counters = ran(profile, "ld.global.u32 %r1, [%rd1+4];").counters;
        assert_eq!(counters.global[0].parts, parts, "{profile}");
        assert_eq!(counters.global_bytes_moved, bytes, "{profile}");
    }
}

#[test]
fn lanes_that_a_guard_holds_back_ask_for_nothing() {
    let counters = ran("h200", "setp.lt.u32 %p1, %r0, 8;\n@%p1 ld.global.u32 %r1, [%rd1];").counters;
    assert_eq!((counters.global[0], counters.global_bytes_asked), (requests(1, 1), 32));
    let nobody = ran("h200", "setp.lt.u32 %p1, %r0, 0;\n@%p1 ld.global.u32 %r1, [%rd1];").counters;
    assert_eq!(nobody.global[0], requests(0, 0));
}

fn shared(profile: &str, body: &str) -> Ran {
    let mut snippet = Snippet::new(body).on(profile);
    snippet.shared_bytes = 4096;
    snippet.run().unwrap_or_else(|fault| panic!("{fault}"))
}

#[test]
fn passes_and_conflicts_of_shared_memory() {
    // Words with a stride; half-warps on the older devices.
    for (profile, stride, expected, conflicts) in [
        ("h200", 1, requests(1, 1), 0),
        ("h200", 2, requests(1, 2), 1),
        ("h200", 32, requests(1, 32), 31),
        ("h200", 0, requests(1, 1), 0),
        ("gtx280", 1, requests(2, 2), 0),
        ("gtx280", 2, requests(2, 4), 2),
        ("gtx280", 16, requests(2, 32), 30),
        ("gtx280", 0, requests(2, 2), 0),
        ("8500gt", 3, requests(2, 2), 0),
    ] {
        let counters =
            shared(profile, &format!("mul.lo.u32 %r1, %r0, {};\nld.shared.u32 %r2, [%r1];", 4 * stride)).counters;
        assert_eq!(counters.shared, [expected, requests(0, 0), requests(0, 0)], "{profile}, stride {stride}");
        assert_eq!(counters.bank_conflicts, conflicts, "{profile}, stride {stride}");
    }
}

#[test]
fn atomics_on_one_address_take_turns() {
    let snippet = Snippet::new("red.global.add.u32 [%rd0], 1;").blocks(2);
    let counters = snippet.run().expect("it runs").counters;
    assert_eq!(
        (counters.atomics, counters.atomic_serialisations, counters.meetings().same_address_atomics()),
        (64, 62, 64)
    );
    assert_eq!(counters.global[2].requests, 2);
    let spread = Snippet::new("red.global.add.u32 [%rd1], 1;").blocks(2).run().expect("it runs").counters;
    assert_eq!((spread.atomics, spread.atomic_serialisations, spread.meetings().same_address_atomics()), (64, 0, 2));
    let pairs = shared("h200", "and.b32 %r1, %r0, 28;\natom.shared.add.u32 %r2, [%r1], 1;").counters;
    assert_eq!((pairs.atomics, pairs.atomic_serialisations, pairs.meetings().same_address_atomics()), (32, 24, 0));
    assert_eq!(pairs.shared[2].requests, 1);
}

#[test]
fn barriers_are_counted_for_each_block() {
    for profile in ["h200", "gtx280", "8500gt"] {
        let snippet = Snippet::new("bar.sync 0;\nbar.sync 0;").on(profile).threads(96).blocks(4);
        let ran = snippet.run().expect("it runs");
        assert_eq!(ran.counters.block_barriers, 2 * 4, "{profile}");
        assert_eq!(ran.instructions.by_class[Class::Barrier as usize], 2 * 3 * 4, "{profile}");
    }
}

#[test]
fn an_exchange_of_lanes_that_came_apart_is_one_instruction() {
    let body = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nA:\nbar.warp.sync -1;";
    assert_eq!(ran("h200", body).instructions.by_class[Class::Barrier as usize], 1);
    let apart = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nbar.warp.sync -1;\nbra B;\nA:\nbar.warp.sync -1;\nB:";
    let counts = ran("h200", apart).instructions;
    assert_eq!(counts.by_class[Class::Barrier as usize], 1, "two ways, executed together");
}

#[test]
fn local_memory_lies_lane_beside_lane() {
    let body = ".local .b8 l[16];\nst.local.u32 [l], %r0;\nld.local.u64 %rd2, [l+8];";
    // 32 words are 128 bytes: 4 sectors. 8 bytes are two words, each side by side with those of the other lanes.
    assert_eq!(ran("h200", body).counters.local, requests(3, 12));
}

#[test]
fn counters_of_chunks_add_up() {
    let one = Snippet::new("st.global.u32 [%rd1], %r0;\nbar.sync 0;").threads(64).run().expect("it runs");
    let many = Snippet::new("st.global.u32 [%rd1], %r0;\nbar.sync 0;").threads(64).blocks(129).run().expect("it runs");
    assert_eq!(many.instructions.threads, 129 * one.instructions.threads);
    assert_eq!(many.counters.global[1].parts, 129 * one.counters.global[1].parts);
    assert_eq!(many.counters.block_barriers, 129);
}

const SHARED: &str = "{ .shared .align 16 .b8 s[1024]; .shared .align 8 .b64 b; mov.u32 %r9, s; mov.u32 %r8, b; }\n";

/// They pass by the load-store unit, whose requests and passes a GPU counts.
#[test]
fn bulk_copies_move_bytes_and_are_no_loads() {
    let body = format!(
        "{SHARED}setp.ne.u32 %p1, %r0, 0;\n@%p1 exit;\nmbarrier.init.shared.b64 [%r8], 1;\n\
         cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd0], 128, [%r8];\n\
         cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r9], 128;"
    );
    let counters = ran("h200", &body).counters;
    assert_eq!(counters.global, [requests(0, 0); 3]);
    assert_eq!((counters.global_bytes_asked, counters.global_bytes_moved), (256, 256));
    // What is done to the barrier is none either.
    assert_eq!(counters.shared, [requests(0, 0); 3]);
}

/// 32 lanes copy 16 bytes each to places side by side: from 4 lines, or from 8 of which each has 64 bytes.
#[test]
fn asynchronous_copies_take_a_pass_for_each_line_at_least() {
    let passes = |row_bytes: u32| {
        let body = format!(
            "{SHARED}mad.lo.u32 %r1, %r0, 16, %r9;\nmul.lo.u32 %r2, %r0, 16;\ndiv.u32 %r3, %r2, {row_bytes};\n\
             rem.u32 %r4, %r2, {row_bytes};\nmad.lo.u32 %r5, %r3, 128, %r4;\ncvt.u64.u32 %rd2, %r5;\nadd.u64 %rd3, %rd0, %rd2;\n\
             cp.async.cg.shared.global [%r1], [%rd3], 16;\ncp.async.wait_all;"
        );
        let run = Snippet::new(&body).words(vec![0; 256]).run().unwrap_or_else(|fault| panic!("{fault}"));
        (run.counters.shared[1], run.counters.global[0])
    };
    assert_eq!(passes(128), (requests(1, 4), requests(1, 16)));
    assert_eq!(passes(64), (requests(1, 8), requests(1, 16)));
}

#[test]
fn what_another_block_holds_is_no_pass_of_the_own_banks() {
    let body = |rank: &str| {
        format!(
            "{SHARED}mov.u32 %r6, %cluster_ctarank;\nxor.b32 %r7, %r6, 1;\nmad.lo.u32 %r1, %r0, 4, %r9;\n\
             mapa.shared::cluster.u32 %r2, %r1, {rank};\nst.shared::cluster.u32 [%r2], %r0;\n\
             barrier.cluster.arrive;\nbarrier.cluster.wait;"
        )
    };
    let stores = |rank| {
        let run = Snippet::new(&body(rank)).blocks(2).in_clusters(2).run().unwrap_or_else(|fault| panic!("{fault}"));
        run.counters.shared[1]
    };
    assert_eq!((stores("%r6"), stores("%r7")), (requests(2, 2), requests(0, 0)));
}

/// Source: machine code of kernels of one such instruction, see `program::assembly::within`.
#[test]
fn fences_and_barriers_of_clusters_are_several_machine_instructions() {
    let warps = |body: &str, cluster: u32| {
        let snippet = Snippet::new(body).blocks(2).in_clusters(cluster);
        snippet.run().unwrap_or_else(|fault| panic!("{fault}")).instructions.warps / 2
    };
    let besides = |body: &str, cluster| warps(body, cluster) - warps("", cluster);
    assert_eq!((besides("membar.cta;", 1), besides("fence.acq_rel.gpu;", 1), besides("fence.sc.sys;", 1)), (1, 4, 4));
    let barrier = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    let relaxed = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n";
    // The first asks whether there are clusters.
    assert_eq!((besides(barrier, 2), besides(barrier, 1)), (12, 6));
    assert_eq!((besides(&barrier.repeat(2), 2), besides(&barrier.repeat(2), 1)), (22, 10));
    assert_eq!((besides(relaxed, 2), besides(relaxed, 1)), (9, 6));
}

/// Registers of a vector lie side by side, so a value that stands in two places is moved to one of them.
#[test]
fn values_that_stand_twice_in_a_vector_are_moved() {
    let warps = |operands: &str| {
        let body = format!(
            "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%rd1+8], %f3;\n\
             red.global.add.v2.f32 [%rd0], {{{operands}}};"
        );
        ran("h200", &body).instructions.warps
    };
    assert_eq!(warps("%f1, %f1") - warps("%f1, %f2"), 1);
}

/// Places of a bulk copy are in registers that all lanes share, so lanes copy one after the other.
#[test]
fn each_lane_that_copies_in_bulk_takes_machine_instructions_of_its_own() {
    let warps = |lanes: u32| {
        let body = format!(
            "{SHARED}setp.lt.u32 %p1, %r0, {lanes};\nmad.lo.u32 %r1, %r0, 16, %r9;\nmul.wide.u32 %rd2, %r0, 16;\n\
             add.u64 %rd3, %rd0, %rd2;\n@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r1], 16;"
        );
        ran("h200", &body).instructions.warps
    };
    assert_eq!((warps(8) - warps(1), warps(1) - warps(0)), (7 * 8, 8));
}
