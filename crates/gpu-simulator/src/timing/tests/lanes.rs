//! Lanes that part and meet again, and what is waited for in loops: against the constants of the profile.

use super::*;

const TURNS: u32 = 64;

/// A loop of so many turns.
fn turns(body: &str) -> String {
    format!(
        "ld.param.u64 %rd0, [buffer];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\nmov.u32 %r5, %r0;\nmov.u32 %r6, %r0;\nsetp.ne.u32 %p2, %r0, 0;\nsetp.gt.u32 %p3, %r0, 40;\nTURN:\n.pragma \"nounroll\";\n{body}\n\
         add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, {TURNS};\n@%p0 bra TURN;\nadd.u32 %r5, %r5, %r6;\nst.global.u32 [%rd0], %r5;"
    )
}

fn cycles_a_turn(launch: &TimedLaunch, body: &str) -> f64 {
    launch.cycles(&turns(body)) / f64::from(TURNS)
}

/// What it takes more that one lane does what all do otherwise, before a barrier.
fn parting_cycles(launch: &TimedLaunch, behind: &str) -> f64 {
    let counts = "mad.lo.u32 %r5, %r5, %r5, %r5;\n".repeat(12);
    let of = |branch: &str| cycles_a_turn(launch, &format!("{branch}{counts}A:\nbar.sync 0;\n{behind}"));
    of("setp.ne.u32 %p1, %r0, 0;\n@%p1 bra A;\n") - of("")
}

#[test]
fn lanes_that_meet_at_a_barrier_of_the_block_take_longer_than_at_a_place_of_their_own() {
    let exchange = "shfl.sync.bfly.b32 %r7, %r5, 1, 31, -1;\nadd.u32 %r5, %r5, %r7;\n".repeat(2);
    let apart = format!("setp.gt.u32 %p2, %r0, 40;\n@%p2 bra B;\n{exchange}B:\n");
    let launch = TimedLaunch::on("h200");
    let warps = launch.profile.warps;
    let more_cycles = parting_cycles(&launch, &apart) - parting_cycles(&launch, "");
    // A place of their own is two instructions, and takes its time by itself.
    let expected = warps.barrier_divergence_cycles - warps.divergence_cycles - warps.meeting_cycles;
    assert!((more_cycles - expected).abs() < 8.0, "{more_cycles} {expected}");
}

/// A point of meeting takes its time whether lanes part or not; where all take a branch alike, or where it becomes a predicate, there is none.
#[test]
fn a_meeting_takes_its_time_although_no_lanes_part() {
    let counts = "mad.lo.u32 %r5, %r5, %r5, %r5;\n".repeat(12);
    let short = "mad.lo.u32 %r5, %r5, %r5, %r5;\n";
    for (branch, way, meetings) in [
        ("@%p3 bra A;\n", counts.as_str(), 1.0),
        ("mov.u32 %r7, %ctaid.x;\nsetp.gt.u32 %p1, %r7, 40;\n@%p1 bra A;\n", &counts, 0.0),
        ("@%p3 bra A;\n", short, 0.0),
    ] {
        let mut launch = TimedLaunch { is_arranged: true, ..TimedLaunch::on("h200") };
        let body = format!("{branch}{way}A:\nadd.u32 %r6, %r6, 3;");
        let with = cycles_a_turn(&launch, &body);
        let expected = meetings * launch.profile.warps.meeting_cycles;
        launch.profile.warps.meeting_cycles = 0.0;
        let found = with - cycles_a_turn(&launch, &body);
        assert!((found - expected).abs() < 1.0, "{branch}{way}: {found} {expected}");
    }
}

/// `one_lane` of results/nvidia-h200/constants/one_lane.csv: what one lane does takes 42 cycles more than what all do, 40 with a barrier behind it.
#[test]
fn one_lane_takes_longer_by_a_branch_its_parting_and_a_meeting() {
    let counts = "mov.u32 %r6, %r5;\n".to_owned() + &"mad.lo.u32 %r6, %r6, %r8, %r8;\n".repeat(12);
    let launch = TimedLaunch { is_arranged: true, ..TimedLaunch::on("h200") };
    let exchange = "shfl.sync.bfly.b32 %r7, %r5, 1, 31, -1;\nadd.u32 %r5, %r5, %r7;\n";
    let of = |branch: &str| cycles_a_turn(&launch, &format!("{exchange}{branch}{counts}A:"));
    let more_cycles = of("@%p2 bra A;\n") - of("");
    assert!((more_cycles - 42.0).abs() < 7.0, "{more_cycles}");
}

#[test]
fn a_parameter_is_loaded_in_each_turn_of_a_loop_around_a_loop_and_before_one_that_waits() {
    let uses = "cvt.u32.u64 %r8, %rd0;\nmul.lo.u32 %r5, %r5, %r8;\n";
    let around = "setp.lt.u32 %p1, %r0, 40;\n@%p1 bra A;\nINNER:\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 50;\n@%p2 bra INNER;\nA:\n";
    let waits = "WAIT:\nld.volatile.global.u32 %r9, [%rd0+64];\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 bra WAIT;\n";
    for (inside, is_waited_for) in [("", false), (around, true), (waits, false)] {
        let mut launch = TimedLaunch::on("h200");
        let with = cycles_a_turn(&launch, &format!("{uses}{inside}"));
        launch.profile.warps.parameter_cycles = 0.0;
        let more_cycles = with - cycles_a_turn(&launch, &format!("{uses}{inside}"));
        assert_eq!(more_cycles > 10.0, is_waited_for, "{inside}: {more_cycles}");
    }
}
