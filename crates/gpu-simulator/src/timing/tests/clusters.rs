//! What clusters of blocks take.

use crate::profile::Profile;
use crate::snippet::Snippet;

/// Cycles of a launch beyond those of one that does the same half as often, for each time that it does it.
fn cycles_of_a_turn(turn: &str, blocks: u32, threads: u32) -> f64 {
    let time_us = |turns: u32| {
        let body = format!(
            "{{ .shared .align 16 .b8 s[1024]; mov.u32 %r9, s; }}\nmov.u32 %r2, %cluster_ctarank;\nmov.u32 %r4, %cluster_nctarank;\n\
             add.u32 %r2, %r2, 1;\nrem.u32 %r2, %r2, %r4;\nmapa.shared::cluster.u32 %r5, %r9, %r2;\nst.shared.u32 [%r9], 0;\n\
             barrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %r8, 0;\nL:\n.pragma \"nounroll\";\n{turn}\n\
             add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra L;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;"
        );
        let snippet = Snippet::new(&body).blocks(blocks).threads(threads).in_clusters(blocks);
        snippet.launch().unwrap_or_else(|error| panic!("{error}")).1.time_us
    };
    (time_us(200) - time_us(100)) / 100.0 * 1980.0
}

#[test]
fn the_barrier_of_a_cluster_takes_what_the_profile_says() {
    let barrier = "barrier.cluster.arrive;\nbarrier.cluster.wait;";
    let [alone, two, sixteen] = [1, 2, 16].map(|blocks| cycles_of_a_turn(barrier, blocks, 32));
    let clusters = Profile::load("h200").expect("it is built in").clusters;
    for (blocks, cycles) in [(2, two), (16, sixteen)] {
        let expected = clusters.barrier_cycles_of(blocks, 1);
        assert!((cycles - alone - expected).abs() < 5.0, "{alone} {cycles} {expected}");
    }
}

#[test]
fn a_load_of_another_blocks_shared_memory_takes_its_latency_and_many_the_bandwidth() {
    // A chain of loads: the value is 0, and the address stays as it is.
    let chain = "ld.shared::cluster.u32 %r6, [%r5];\nadd.u32 %r5, %r5, %r6;";
    let remote = cycles_of_a_turn(chain, 2, 32);
    let latency = Profile::load("h200").expect("it is built in").clusters.remote_latency_cycles;
    assert!(remote > latency && remote < latency + 30.0, "{remote} {latency}");
    let own = cycles_of_a_turn(chain, 1, 32);
    assert!(own < 60.0, "{own}");
    // Of each of 16 warps 16 bytes a lane, which take 32 cycles to move.
    let wide = "and.b32 %r7, %r0, 31;\nmad.lo.u32 %r7, %r7, 16, %r5;\nld.shared::cluster.v4.u32 {%r10, %r11, %r12, %r13}, [%r7];";
    let moved = cycles_of_a_turn(wide, 2, 512);
    assert!((moved - 512.0).abs() < 10.0, "{moved}");
}

/// Source: `cluster-barrier` on an H200, clusters of one block: 69 cycles a turn with 4 warps, 130 with 32.
#[test]
fn the_barrier_of_a_cluster_of_one_block_takes_the_unit_as_a_block_s_does() {
    let turns = ["barrier.cluster.arrive;\nbarrier.cluster.wait;", "bar.sync 0;"];
    let more = turns.map(|turn| cycles_of_a_turn(turn, 1, 1024) - cycles_of_a_turn(turn, 1, 128));
    let expected = 28.0 * Profile::load("h200").expect("it is built in").barriers.cycles_per_warp;
    assert!(more.iter().all(|more| (more - expected).abs() < 6.0), "{more:?}");
}

/// Whoever arrives goes on behind a fence, unless nobody is to see what it wrote.
#[test]
fn arriving_at_the_barrier_of_a_cluster_is_a_fence_unless_it_is_relaxed() {
    let work = "mul.lo.u32 %r6, %r6, %r6;\n".repeat(300);
    let cycles =
        |arrive: &str| cycles_of_a_turn(&format!("barrier.cluster.{arrive};\n{work}barrier.cluster.wait;"), 2, 32);
    let [released, relaxed] = ["arrive", "arrive.relaxed"].map(cycles);
    let fence_cycles = Profile::load("h200").expect("it is built in").fences.device_cycles;
    assert!((released - relaxed - fence_cycles).abs() < 5.0, "{released} {relaxed}");
}

#[test]
fn clusters_start_one_after_the_other() {
    let time_us = |start_cycles: f64, turnover_cycles: f64, cluster: u32| {
        let mut snippet = Snippet::new("").blocks(16 * 132 * 32).in_clusters(cluster);
        let own = snippet.profile.clusters;
        snippet.profile.clusters = crate::profile::Clusters { start_cycles, turnover_cycles, ..own };
        snippet.launch().unwrap_or_else(|error| panic!("{error}")).1.time_us
    };
    let [none, slow] = [0.0, 1000.0].map(|start_cycles| time_us(start_cycles, 0.0, 2));
    // Each multiprocessor has 512 blocks, in clusters of two.
    let more_cycles = (slow - none) * 1980.0;
    assert!((more_cycles / 512.0 - 500.0).abs() < 10.0, "{none} {slow}");
    let in_none = [0.0, 1000.0].map(|cycles| time_us(cycles, cycles, 1));
    assert!((in_none[1] - in_none[0]).abs() < 1e-9, "{in_none:?}");
}

/// Blocks that add a float at a word of the first one's shared memory take turns, each a load and a compare-and-swap that go there and back.
#[test]
fn floats_of_other_blocks_are_added_one_after_the_other() {
    let add = |kind: &str, of: &str| {
        format!(
            "mov.u32 %r7, 0;\nmapa.shared::cluster.u32 %r6, %r9, %r7;\nsetp.eq.u32 %p2, %r0, 0;\n\
             @%p2 red.relaxed.cluster.shared::cluster.add.{kind} [%r6], {of};\nbarrier.cluster.arrive;\nbarrier.cluster.wait;"
        )
    };
    let profile = Profile::load("h200").expect("it is built in");
    let (float, own) = (profile.atomics.shared_float.unwrap(), profile.shared.latency_cycles);
    let turn_cycles = float.remote_turn_cycles(own, profile.clusters.remote_latency_cycles);
    assert!((turn_cycles - 467.0).abs() < 1.0, "{turn_cycles}");
    for blocks in [2, 4, 8, 16] {
        let [floats, numbers] = [("f32", "0f3f800000"), ("u32", "1")].map(|(kind, of)| add(kind, of));
        let more = cycles_of_a_turn(&floats, blocks, 32) - cycles_of_a_turn(&numbers, blocks, 32);
        // The first block's own addition, which is a loop, too.
        let expected = f64::from(blocks - 1) * turn_cycles;
        assert!(more > expected - 5.0 && more < expected + float.turn_cycles + 5.0, "{blocks}: {more}, {expected}");
    }
}
