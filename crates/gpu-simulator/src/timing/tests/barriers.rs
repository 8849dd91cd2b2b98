//! Barriers of blocks, against what an H200 took (results/nvidia-h200/constants/atomics.csv, `barrier`).

use super::*;

/// Cycles of a turn of a loop that has nothing but a barrier, with so many blocks of so many threads on a multiprocessor.
fn turn_cycles(profile: &str, threads: u32, resident: u32) -> f64 {
    let launch = TimedLaunch { is_arranged: true, ..TimedLaunch::on(profile) };
    let blocks = launch.profile.sm_count * resident;
    let launch = launch.blocks(blocks, threads, resident);
    let turns = |count: u32| {
        launch.cycles(&format!(
            "mov.u32 %r1, 0;\nTURN:\n.pragma \"nounroll\";\nbar.sync 0;\nadd.s32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, {count};\n@%p0 bra TURN;"
        ))
    };
    (turns(600) - turns(200)) / 400.0
}

#[test]
fn each_warp_takes_the_unit_of_barriers() {
    for (threads, measured) in [(32, 30.0), (64, 30.0), (128, 33.0), (256, 41.0), (512, 58.0), (1024, 91.0)] {
        let found = turn_cycles("h200", threads, 1);
        assert!((found - measured).abs() <= 2.1, "{threads} threads: {found} cycles, {measured} measured");
    }
}

#[test]
fn blocks_of_a_multiprocessor_share_the_unit_of_barriers() {
    for (threads, resident, measured) in [(128, 4, 35.0), (512, 2, 64.0), (256, 4, 64.0)] {
        let found = turn_cycles("h200", threads, resident);
        assert!((found - measured).abs() <= 1.0, "{resident} x {threads}: {found} cycles, {measured} measured");
    }
}

/// CUDA C Programming Guide 4.x, section 5.4.3: 8 threads a cycle, of each block by itself as far as is known.
#[test]
fn where_the_profile_has_no_unit_a_barrier_takes_what_its_own_threads_do() {
    let (one, two) = (turn_cycles("gtx280", 64, 1), turn_cycles("gtx280", 64, 2));
    assert!((one - two).abs() < 10.0, "{one} {two}");
    assert!(one > 20.0 + 64.0 / 8.0, "{one}");
}
