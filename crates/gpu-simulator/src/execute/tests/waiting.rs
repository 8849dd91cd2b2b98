//! Lanes, warps and blocks that wait for each other.

use crate::snippet::Snippet;

/// The lanes of a warp one after the other take a lock, count, and give it back.
const LOCK: &str = "L:\natom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n\
                    ld.volatile.global.u32 %r2, [%rd0+4];\nadd.u32 %r2, %r2, 1;\n\
                    st.volatile.global.u32 [%rd0+4], %r2;\natom.global.exch.b32 %r1, [%rd0], 0;";

#[test]
fn a_spin_lock_inside_a_warp_never_ends_on_a_stack() {
    let fault = Snippet::new(LOCK).on("gtx280").step_limit(5000).fault();
    assert!(fault.contains("no end after") && fault.contains("step_limit"), "{fault}");
    assert!(fault.contains("lanes 1 to 31 at line"), "{fault}");
    assert!(fault.contains("lane 0 at line 6"), "{fault}");
}

#[test]
fn a_spin_lock_inside_a_warp_ends_where_lanes_yield() {
    let ran = Snippet::new(LOCK).threads(64).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[..2], [0, 64]);
    let sleeping = LOCK.replace("@%p1 bra L;", "@!%p1 bra IN;\nnanosleep.u32 100;\nbra L;\nIN:");
    let ran = Snippet::new(&sleeping).blocks(3).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[..2], [0, 96]);
}

#[test]
fn a_lock_that_is_tried_inside_the_loop_ends_everywhere() {
    let body = "mov.u32 %r9, 0;\nL:\natom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra M;\n\
                ld.volatile.global.u32 %r2, [%rd0+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd0+4], %r2;\n\
                atom.global.exch.b32 %r1, [%rd0], 0;\nmov.u32 %r9, 1;\nM:\nsetp.eq.u32 %p2, %r9, 0;\n@%p2 bra L;";
    for profile in ["h200", "gtx280"] {
        let ran = Snippet::new(body).on(profile).threads(64).run().unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(ran.words[..2], [0, 64], "{profile}");
    }
}

#[test]
fn lanes_that_wait_for_others_of_their_warp_end_where_lanes_yield() {
    // if (lane == 0) flag = 1; else while (!flag); with the loop taken first.
    let body = "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra W;\nst.volatile.global.u32 [%rd0], 1;\nbra D;\nW:\n\
                ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\nD:\nst.global.u32 [%rd1+4], 5;";
    let ran = Snippet::new(body).words(vec![0; 40]).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[1..33], [5; 32]);
    let fault = Snippet::new(body).on("8500gt").step_limit(4000).fault();
    assert!(fault.contains("lane 0 at line 4") && fault.contains("lanes 1 to 31 at line"), "{fault}");
}

#[test]
fn lanes_that_went_on_alone_meet_again_at_a_barrier() {
    // The first thread waits for the other block, all others wait for it.
    let body = "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p3, %r5, 1;\n@%p3 bra SET;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra D;\nW:\n\
                ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\nD:\nbar.sync 0;\n\
                activemask.b32 %r2;\nst.global.u32 [%rd1+4], %r2;\nret;\nSET:\nmov.u32 %r3, 0;\nN:\nadd.u32 %r3, %r3, 1;\n\
                setp.lt.u32 %p4, %r3, 2000;\n@%p4 bra N;\nst.volatile.global.u32 [%rd0], 1;";
    let ran = Snippet::new(body).blocks(2).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[1..33], [u32::MAX; 32]);
}

#[test]
fn counted_loops_of_atomics_keep_lanes_together() {
    let body = "mov.u32 %r1, 0;\nL:\natom.global.add.u32 %r2, [%rd0], 1;\nadd.u32 %r1, %r1, 1;\n\
                mad.lo.u32 %r3, %r0, 20, 20;\nsetp.lt.u32 %p1, %r1, %r3;\n@%p1 bra L;\nactivemask.b32 %r4;\n\
                st.global.u32 [%rd1+4], %r4;";
    let ran = Snippet::new(body).run().expect("it runs");
    assert_eq!(ran.words[1..33], [u32::MAX; 32]);
}

#[test]
fn exchanges_wait_for_the_lanes_that_they_name() {
    // Both ways of a branch come to one shuffle each; only together are they whole.
    let split = "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nmov.u32 %r1, 100;\nbar.warp.sync -1;\nbra B;\nA:\nmov.u32 %r1, 200;\n\
                 bar.warp.sync -1;\nB:\nst.global.u32 [%rd1], %r1;";
    assert_eq!(Snippet::new(split).run().expect("it runs").words[..2], [200, 200]);
    let one_way = "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra B;\nvote.sync.ballot.b32 %r1, %p1, 0xffff;\nB:\nst.global.u32 [%rd1], %r1;";
    let ran = Snippet::new(one_way).run().expect("it runs");
    assert_eq!((ran.words[0], ran.words[15], ran.words[16]), (0xffff, 0xffff, 0));
}

#[test]
fn an_exchange_for_lanes_that_never_come_is_a_deadlock() {
    let body =
        "setp.lt.u32 %p1, %r0, 16;\n@!%p1 bra B;\nvote.sync.ballot.b32 %r1, %p1, -1;\nB:\nst.global.u32 [%rd1], %r1;";
    let fault = Snippet::new(body).fault();
    assert!(fault.contains("deadlock: warp 0: lanes 0 to 15 waiting for other lanes of the warp in line 4"), "{fault}");
    assert!(fault.contains("lanes 16 to 31 waiting to be joined before line 6"), "{fault}");
    // On a stack, those that are there take part.
    let ran = Snippet::new(&body.replace("vote.sync.ballot.b32 %r1, %p1, -1", "vote.sync.all.pred %p2, %p1, -1"))
        .on("gtx280")
        .run();
    assert!(ran.is_ok(), "{ran:?}");
    // Lanes that have ended are not waited for.
    let ended = body.replace("@!%p1 bra B;", "@!%p1 exit;");
    assert_eq!(Snippet::new(&ended).run().expect("it runs").words[..16], [0xffff; 16]);
}

#[test]
fn a_guard_keeps_lanes_out_of_an_exchange() {
    let body = "mov.u32 %r1, 77;\nsetp.lt.u32 %p1, %r0, 4;\n@%p1 shfl.sync.idx.b32 %r1, %r0, 3, 31, 0xf;\nst.global.u32 [%rd1], %r1;";
    assert_eq!(Snippet::new(body).run().expect("it runs").words[..6], [3, 3, 3, 3, 77, 77]);
    let fault = Snippet::new(&body.replace("0xf;", "0xff;")).fault();
    assert!(fault.contains("deadlock"), "{fault}");
}

#[test]
fn a_barrier_that_some_warps_never_reach_is_a_deadlock() {
    // The second warp waits at another barrier.
    let body =
        "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra A;\nbar.sync 1;\nbra B;\nA:\nbar.sync 0;\nB:\nst.global.u32 [%rd1], 1;";
    for profile in ["h200", "8500gt"] {
        let fault = Snippet::new(body).on(profile).threads(64).fault();
        let expected = "deadlock: warp 0: all lanes waiting at the barrier of line 7; \
                        warp 1: all lanes waiting at the barrier of line 4";
        assert!(fault.contains(expected), "{profile}: {fault}");
        assert!(fault.starts_with("k, block (0, 0, 0), line 7 of the PTX"), "{fault}");
    }
}

#[test]
fn warps_that_have_ended_are_not_waited_for() {
    let body = "setp.ge.u32 %p1, %r0, 32;\n@%p1 exit;\nbar.sync 0;\nst.global.u32 [%rd1], 1;";
    for profile in ["h200", "8500gt"] {
        let ran = Snippet::new(body).on(profile).threads(96).words(vec![0; 96]).run().expect("it runs");
        assert_eq!(ran.words.iter().sum::<u32>(), 32, "{profile}");
    }
}

#[test]
fn lanes_that_have_ended_are_not_waited_for() {
    let body = "setp.lt.u32 %p1, %r0, 40;\n@%p1 exit;\nbar.sync 0;\nst.global.u32 [%rd1], 1;";
    let ran = Snippet::new(body).threads(64).run().expect("it runs");
    assert_eq!(ran.words.iter().sum::<u32>(), 24);
}

#[test]
fn lanes_that_branch_to_the_end_are_not_waited_for() {
    // The end of the snippet is the kernel's; what stands before its `ret` has no effect.
    for end in ["D:", "D:\nadd.u32 %r9, %r0, 1;\nbra E;\nE:"] {
        let body = format!(
            "setp.ge.u32 %p1, %r0, 40;\n@%p1 bra D;\nst.global.u32 [%rd1], 1;\nbar.sync 0;\nactivemask.b32 %r1;\n\
             bar.warp.sync -1;\nst.global.u32 [%rd1], %r1;\n{end}"
        );
        for profile in ["h200", "8500gt"] {
            let snippet = Snippet::new(&body).on(profile).threads(96).words(vec![0; 96]);
            let ran = snippet.run().unwrap_or_else(|fault| panic!("{profile}: {fault}"));
            assert_eq!(ran.words[..40], [[u32::MAX; 32].as_slice(), &[0xff; 8]].concat(), "{profile}");
            assert_eq!(ran.words[40..], [0; 56], "{profile}");
            let (words, _) = snippet.launch().unwrap_or_else(|error| panic!("{profile}: {error}"));
            assert_eq!(words, ran.words, "{profile}");
        }
    }
}

#[test]
fn lanes_that_come_to_the_end_complete_the_barrier_of_others() {
    // Half of the second warp works for long and then branches to the end, while all others wait.
    let body = "shr.u32 %r5, %r0, 4;\nsetp.ne.u32 %p1, %r5, 2;\n@%p1 bra W;\nmov.u32 %r2, 0;\nN:\n.pragma \"nounroll\";\n\
                add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 5000;\n@%p3 bra N;\nbra D;\nW:\nbar.sync 0;\nst.global.u32 [%rd1], 1;\nD:";
    let snippet = Snippet::new(body).threads(64);
    let (words, report) = snippet.launch().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words.iter().sum::<u32>(), 48);
    assert_eq!(words[32..48], [0; 16]);
    // 5000 times three instructions that wait for each other.
    assert!(report.time_us > 15.0, "{}", report.time_us);
}

#[test]
fn lanes_before_a_store_at_the_end_are_waited_for() {
    let body = "setp.ge.u32 %p1, %r0, 16;\n@%p1 bra D;\nbar.sync 0;\nD:\nst.global.u32 [%rd1], 1;";
    let fault = Snippet::new(body).fault();
    assert!(fault.contains("lanes 16 to 31 waiting to be joined before line 6"), "{fault}");
}

#[test]
fn a_barrier_orders_what_warps_write_and_read() {
    // Each thread reads what the thread of another warp wrote before.
    let body = ".shared .b32 s[64];\nmov.u32 %r1, s;\nmad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], %r0;\nbar.sync 0;\n\
                xor.b32 %r3, %r0, 32;\nmad.lo.u32 %r3, %r3, 4, %r1;\nld.shared.u32 %r4, [%r3];\nst.global.u32 [%rd1], %r4;";
    for profile in ["h200", "8500gt"] {
        let ran = Snippet::new(body).on(profile).threads(64).run().expect("it runs");
        assert_eq!(ran.words, (0..64).map(|thread| thread ^ 32).collect::<Vec<_>>(), "{profile}");
    }
}

#[test]
fn named_barriers_are_for_some_of_the_warps() {
    // The first warp arrives and goes on, the second waits for it; the third takes no part.
    let body = "shr.u32 %r5, %r0, 5;\nsetp.eq.u32 %p1, %r5, 0;\nsetp.eq.u32 %p2, %r5, 2;\n@%p2 bra D;\n@%p1 bra A;\n\
                bar.sync 3, 64;\nld.volatile.global.u32 %r1, [%rd0];\nst.global.u32 [%rd0+4], %r1;\nbra D;\nA:\n\
                mov.u32 %r2, 0;\nN:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 3000;\n@%p3 bra N;\n\
                st.volatile.global.u32 [%rd0], 9;\nbar.arrive 3, 64;\nD:";
    let ran = Snippet::new(body).threads(96).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[1], 9);
}

#[test]
fn a_warp_that_arrives_in_two_parts_counts_once() {
    let body = "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra W;\nsetp.lt.u32 %p2, %r0, 16;\n@%p2 bra A;\nbar.arrive 1, 96;\nbra D;\nA:\n\
                bar.arrive 1, 96;\nbra D;\nW:\nbar.sync 1, 96;\nD:";
    // Two warps come to a barrier of three.
    let fault = Snippet::new(body).threads(64).fault();
    assert!(fault.contains("warp 1: all lanes waiting at the barrier"), "{fault}");
}

#[test]
fn reducing_barriers_reckon_over_the_block() {
    let body = "setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r1, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n\
                selp.u32 %r2, 100, 0, %p2;\nselp.u32 %r3, 200, 0, %p3;\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n\
                st.global.u32 [%rd1], %r1;";
    let ran = Snippet::new(body).threads(64).run().expect("it runs");
    assert_eq!(ran.words, [240; 64]);
    let all = body.replace("%r0, 40", "%r0, 64");
    assert_eq!(Snippet::new(&all).threads(64).run().expect("it runs").words, [364; 64]);
    let none = body.replace("%r0, 40", "%r0, 0");
    assert_eq!(Snippet::new(&none).threads(64).run().expect("it runs").words, [0; 64]);
}

/// All blocks wait until all have come.
const GRID_BARRIER: &str = "mov.u32 %r9, %nctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra D;\natom.global.add.u32 %r1, [%rd0], 1;\nW:\n\
                            ld.acquire.gpu.global.u32 %r2, [%rd0];\nsetp.lt.u32 %p2, %r2, %r9;\n@%p2 bra W;\nD:\nbar.sync 0;\n\
                            ld.volatile.global.u32 %r3, [%rd0];\nst.global.u32 [%rd1+4], %r3;";

#[test]
fn blocks_that_wait_for_each_other_end_while_they_are_resident() {
    for profile in ["h200", "gtx280"] {
        let ran = Snippet::new(GRID_BARRIER).on(profile).blocks(20).launch();
        let (words, _) = ran.unwrap_or_else(|error| panic!("{profile}: {error}"));
        assert_eq!(words[..33], [20; 33], "{profile}");
    }
}

#[test]
fn cooperative_launches_are_all_resident_or_refused() {
    let mut snippet = Snippet::new(GRID_BARRIER).blocks(300).threads(64);
    snippet.cooperative = true;
    snippet.words = vec![0; 65];
    let (words, _) = snippet.launch().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words, [300; 65]);

    snippet.profile.sm_count = 2;
    let told = snippet.launch().expect_err("too many blocks").to_string();
    assert!(told.contains("a cooperative launch of 300 blocks, but only 64 are resident at once"), "{told}");

    let mut old = Snippet::new("st.global.u32 [%rd1], 1;").on("gtx280");
    old.cooperative = true;
    let told = old.launch().expect_err("too old").to_string();
    assert!(told.contains("a cooperative launch, which needs compute capability 6.0"), "{told}");
}

#[test]
fn a_cooperative_launch_has_a_workspace_and_others_have_none() {
    let body = "mov.u32 %r1, %envreg1;\nmov.u32 %r2, %envreg2;\nor.b32 %r3, %r1, %r2;\nst.global.u32 [%rd1], %r3;";
    let mut snippet = Snippet::new(body);
    assert_eq!(snippet.launch().expect("it runs").0[0], 0);
    snippet.cooperative = true;
    assert_ne!(snippet.launch().expect("it runs").0[0], 0);
}

/// All blocks wait for a flag, but block 0, which stores one that it computes in each of its rounds.
fn waiting_for(computed: &str) -> String {
    format!(
        "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p3, %r5, 0;\nmov.u32 %r3, 0;\n@%p3 bra N;\nW:\nld.volatile.global.u32 %r1, [%rd0];\n\
         setp.eq.u32 %p2, %r1, 0;\n@%p2 bra W;\nret;\nN:\n{computed}\nst.volatile.global.u32 [%rd0], %r4;\n\
         ld.volatile.global.u32 %r1, [%rd0];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra N;"
    )
}

#[test]
fn blocks_that_wait_for_a_flag_that_never_comes_are_told_before_the_limit() {
    let never = waiting_for("mov.u32 %r4, 0;");
    for profile in ["h200", "gtx280"] {
        let fault = Snippet::new(&never).on(profile).threads(64).blocks(3).step_limit(1 << 40).fault();
        assert!(fault.contains("a loop without an end"), "{profile}: {fault}");
    }
}

/// What counts how long it waits is stored behind the loop.
#[test]
fn blocks_that_count_while_they_wait_for_what_never_comes_are_told_before_the_limit() {
    let counting = "mov.u32 %r2, 0;\nL:\natom.global.add.u32 %r1, [%rd0], 0;\nadd.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n\
                    st.global.u32 [%rd0], %r2;";
    let fault = Snippet::new(counting).threads(64).blocks(3).step_limit(1 << 40).fault();
    assert!(fault.contains("a loop without an end: all that it depends on"), "{fault}");
}

#[test]
fn a_flag_that_comes_late_is_waited_for() {
    // It is 0 in 300000 rounds, with all memory as it was.
    let late = waiting_for("add.u32 %r3, %r3, 1;\nsetp.ge.u32 %p4, %r3, 300000;\nselp.u32 %r4, 1, 0, %p4;");
    let ran = Snippet::new(&late).blocks(2).run().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[0], 1);
}
