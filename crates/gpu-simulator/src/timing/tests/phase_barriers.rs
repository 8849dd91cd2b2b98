//! What waiting for a phase of a barrier in shared memory takes.

use crate::machine::Report;
use crate::profile::{PhaseBarriers, Profile};
use crate::snippet::Snippet;

fn profile(waking_cycles: f64, suspended_cycles: f64) -> Profile {
    let mut profile = Profile::load("h200").expect("it is built in");
    let own = profile.phase_barriers.expect("the profile has them");
    profile.phase_barriers = Some(PhaseBarriers { waking_cycles, suspended_cycles, ..own });
    profile
}

fn launch(body: &str, threads: u32, profile: Profile) -> Report {
    let mut snippet = Snippet::new(body).blocks(1).threads(threads);
    snippet.profile = profile;
    snippet.launch().unwrap_or_else(|error| panic!("{error}")).1
}

/// A launch of two warps, of which the second asks for one phase after the other, by `asks`, and the first completes each of them late.
fn late(asks: &str, turns: u32, profile: Profile) -> Report {
    let work = "mul.lo.u32 %r3, %r3, %r3;\n".repeat(100);
    let body = format!(
        "{{ .shared .align 8 .b8 s[16]; mov.u32 %r9, s; }}\nsetp.eq.u32 %p2, %r0, 0;\nsetp.lt.u32 %p3, %r0, 32;\nmov.u32 %r3, %r0;\n\
         @%p2 mbarrier.init.shared.b64 [%r9], 1;\nbar.sync 0;\nmov.u32 %r8, 0;\nL:\n.pragma \"nounroll\";\nand.b32 %r7, %r8, 1;\n\
         @!%p3 bra W;\n{work}@%p2 mbarrier.arrive.shared.b64 _, [%r9];\nbra M;\n\
         W:\nmbarrier.{asks}.parity.shared.b64 %p1, [%r9], %r7;\n@!%p1 bra W;\nM:\nbar.sync 0;\n\
         add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra L;\nst.global.u32 [%rd1], %r3;"
    );
    launch(&body, 64, profile)
}

#[test]
fn who_asks_too_early_is_woken_when_the_phase_is_complete() {
    let cycles = |asks: &str, waking_cycles| {
        let time_us = |turns| late(asks, turns, profile(waking_cycles, 100_000.0)).time_us;
        (time_us(20) - time_us(10)) / 10.0 * 1980.0
    };
    let [usual, slower] = [50.0, 150.0].map(|waking_cycles| cycles("try_wait", waking_cycles));
    assert!((slower - usual - 100.0).abs() < 3.0, "{usual} {slower}");
    assert!(usual > 100.0 && usual < 1000.0, "{usual}");
}

/// `hand_over_and_back` of results/nvidia-h200/constants/phase_barriers.csv: 105, 111 and 122 cycles with 1, 4 and 8 warps that wait.
#[test]
fn who_is_woken_does_not_take_the_unit_again() {
    let asks = |label: &str, place: &str, parity: &str, [told, again, word]: [&str; 3]| {
        format!(
            "{label}:\nmbarrier.try_wait.parity.shared.b64 {told}, [{place}], {parity};\nselp.u32 {word}, 1, 0, {told};\n\
             setp.eq.s32 {again}, {word}, 0;\n@{again} bra {label};\n"
        )
    };
    let first = asks("A", "%r9+8", "%r17", ["%p6", "%p7", "%r20"]);
    let others = asks("B", "%r9", "%r7", ["%p8", "%p9", "%r21"]);
    let cycles = |waiting: u32, asking_unit_cycles: f64| {
        let time_us = |turns: u32| {
            let mut profile = Profile::load("h200").expect("it is built in");
            let own = profile.phase_barriers.expect("the profile has them");
            profile.phase_barriers = Some(PhaseBarriers { asking_unit_cycles, ..own });
            let body = format!(
                "{{ .shared .align 8 .b8 s[16]; mov.u32 %r9, s; }}\nsetp.ne.u32 %p2, %r0, 0;\n@%p2 bra I;\n\
                 mbarrier.init.shared.b64 [%r9], 1;\nmbarrier.init.shared.b64 [%r9+8], {waiting};\nI:\nbar.sync 0;\n\
                 mov.u32 %r8, 0;\nmov.u32 %r18, 0;\nand.b32 %r10, %r0, 31;\nsetp.ge.u32 %p3, %r0, 32;\n@%p3 bra W;\n@%p2 bra X;\n\
                 L:\n.pragma \"nounroll\";\nmbarrier.arrive.shared.b64 _, [%r9];\nand.b32 %r17, %r18, 1;\n{first}\
                 add.u32 %r18, %r18, 1;\nsetp.lt.u32 %p10, %r18, {turns};\n@%p10 bra L;\nbra E;\n\
                 W:\n.pragma \"nounroll\";\nand.b32 %r7, %r8, 1;\n{others}\
                 setp.ge.u32 %p4, %r10, 1;\n@%p4 bra N;\nmbarrier.arrive.shared.b64 _, [%r9+8];\nN:\nbar.warp.sync -1;\n\
                 add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p5, %r8, {turns};\n@%p5 bra W;\nE:\nst.global.u32 [%rd0], %r8;\nX:"
            );
            launch(&body, 32 + 32 * waiting, profile).time_us
        };
        (time_us(400) - time_us(200)) / 200.0 * 1980.0
    };
    for (waiting, measured) in [(1, 105.0), (4, 111.0), (8, 122.0)] {
        let found = cycles(waiting, 4.5);
        assert!((found / measured - 1.0).abs() < 0.07, "{waiting} waiting: {found} cycles, {measured} measured");
    }
    let (usual, slower) = (cycles(8, 4.5), cycles(8, 9.0));
    assert!((usual - slower).abs() < 0.1, "{usual} {slower}");
}

/// PTX ISA, `mbarrier.test_wait`: it does not wait, so programs ask again and again.
#[test]
fn who_only_tests_goes_on_asking() {
    let asked = |asks: &str| late(asks, 10, profile(50.0, 100_000.0)).instructions_timed;
    let [tries, tests] = ["try_wait", "test_wait"].map(asked);
    assert!(tests > tries + 100.0, "{tries} {tests}");
}

/// PTX ISA, `mbarrier.try_wait`: a thread is suspended for no longer than a time limit.
#[test]
fn who_waits_for_what_never_comes_is_told_so_after_a_while() {
    let asks = |times: usize| {
        let ask = "mbarrier.try_wait.parity.shared.b64 %p1, [%r9], 0;\nselp.u32 %r3, 1, 0, %p1;\n".repeat(times);
        let body = format!(
            "{{ .shared .align 8 .b8 s[16]; mov.u32 %r9, s; }}\nsetp.eq.u32 %p2, %r0, 0;\n\
             @%p2 mbarrier.init.shared.b64 [%r9], 1;\nbar.sync 0;\n{ask}st.global.u32 [%rd1], %r3;"
        );
        launch(&body, 32, profile(50.0, 20_000.0)).time_us
    };
    let more_cycles = (asks(4) - asks(1)) * 1980.0;
    assert!((more_cycles - 60_000.0).abs() < 300.0, "{more_cycles}");
}

/// Lanes of a warp cannot be suspended while others of it wait elsewhere: `lanes` of the first warp wait for the second one, the others for the block.
#[test]
fn lanes_that_wait_apart_are_told_after_a_while_and_ask_again() {
    let cycles = |lanes: u32, refusing_cycles: f64| {
        let time_us = |turns: u32| {
            let mut profile = profile(20.0, 100_000.0);
            let own = profile.phase_barriers.expect("the profile has them");
            profile.phase_barriers = Some(PhaseBarriers { refusing_cycles: Some(refusing_cycles), ..own });
            let work = "mul.lo.u32 %r3, %r3, %r3;\n".repeat(60);
            let body = format!(
                "{{ .shared .align 8 .b8 s[16]; mov.u32 %r9, s; }}\nsetp.eq.u32 %p2, %r0, 0;\nmov.u32 %r3, %r0;\n\
                 @%p2 mbarrier.init.shared.b64 [%r9], 32;\n@%p2 mbarrier.init.shared.b64 [%r9+8], 1;\nbar.sync 0;\n\
                 mov.u32 %r8, 0;\nsetp.ge.u32 %p3, %r0, 32;\n@%p3 bra W;\nsetp.ge.u32 %p3, %r0, {lanes};\n@%p3 bra E;\n\
                 L:\n.pragma \"nounroll\";\nand.b32 %r7, %r8, 1;\n@%p2 mbarrier.arrive.shared.b64 _, [%r9+8];\n\
                 A:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r9], %r7;\n@!%p1 bra A;\n\
                 add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra L;\nbra E;\n\
                 W:\n.pragma \"nounroll\";\nand.b32 %r7, %r8, 1;\nB:\nmbarrier.try_wait.parity.shared.b64 %p1, [%r9+8], %r7;\n@!%p1 bra B;\n\
                 {work}mbarrier.arrive.shared.b64 _, [%r9];\n\
                 add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, {turns};\n@%p1 bra W;\n\
                 E:\nbar.sync 0;\nst.global.u32 [%rd1], %r3;"
            );
            launch(&body, 64, profile).time_us
        };
        (time_us(40) - time_us(20)) / 20.0 * 1980.0
    };
    // A warp that waits as one is woken; lanes are told in vain some times, and each time more takes as much longer as they are told later.
    let [together, together_slower] = [1000.0, 2000.0].map(|refusing_cycles| cycles(32, refusing_cycles));
    assert!((together - together_slower).abs() < 1e-9, "{together} {together_slower}");
    assert!(together < 500.0, "{together}");
    let [apart, apart_slower] = [1000.0, 2000.0].map(|refusing_cycles| cycles(1, refusing_cycles));
    assert!((apart_slower - apart - 1000.0).abs() < 3.0, "{apart} {apart_slower}");
    let often = cycles(1, 40.0);
    assert!((together..together + 100.0).contains(&often), "{often}, {together} together");
}
