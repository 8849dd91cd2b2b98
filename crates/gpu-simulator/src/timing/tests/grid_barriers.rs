//! Barriers of the whole grid and their parts, against `results/nvidia-h200/constants/grid.csv`.

use super::{TimedLaunch, assert_near};

/// A loop of so many turns of a body, whose word is at `%rd1`.
fn turns(count: u32, turn: &str) -> String {
    format!(
        "ld.param.u64 %rd1, [buffer];\nmov.u32 %r7, %tid.x;\nmov.u32 %r10, %tid.y;\nadd.u32 %r11, %r7, %r10;\n\
         mov.u32 %r8, %ctaid.x;\nmov.u32 %r12, %nctaid.x;\n\
         sub.u32 %r13, 0x80000001, %r12;\nsetp.eq.u32 %p1, %r8, 0;\nselp.u32 %r6, %r13, 1, %p1;\nsetp.ne.u32 %p0, %r11, 0;\n\
         mov.u32 %r9, 0;\nTURN:\n{turn}\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p3, %r9, {count};\n@%p3 bra TURN;"
    )
}

/// What a turn takes of `blocks` blocks, spread evenly over the multiprocessors.
fn cycles_of_turn(blocks: u32, threads: u32, turn: &str) -> f64 {
    let mut launch = TimedLaunch::on("h200").blocks(blocks, threads, blocks.div_ceil(132));
    launch.is_arranged = true;
    let [few, many] = [5, 25].map(|count| launch.cycles(&turns(count, turn)));
    (many - few) / 20.0
}

const BARRIER: &str = "barrier.sync 0;\n@%p0 bra MET;\natom.add.release.gpu.u32 %r1, [%rd1], %r6;\nLOOK:\n\
                       ld.acquire.gpu.u32 %r2, [%rd1];\nxor.b32 %r3, %r2, %r1;\nsetp.gt.s32 %p2, %r3, -1;\n@%p2 bra LOOK;\n\
                       MET:\nbarrier.sync 0;";

#[test]
fn a_barrier_of_the_grid_takes_as_long_as_on_the_gpu() {
    let rows = [
        (1, 1448.9),
        (2, 1421.7),
        (16, 1941.7),
        (66, 1897.8),
        (132, 1919.6),
        (264, 1910.1),
        (528, 2366.1),
        (1056, 4279.5),
    ];
    for (blocks, measured) in rows {
        let simulated = cycles_of_turn(blocks, 32, BARRIER);
        println!("{blocks} blocks: {simulated:.0} cycles, {measured} measured");
        assert_near(simulated, measured, 15.0);
    }
}

#[test]
fn an_atomic_that_is_answered_before_a_fence_takes_as_long_as_on_the_gpu() {
    // The mean of `fence_behind`, access=atomic fenced=1: half of the 16 words are in the near half of L2, where that of `returning` is.
    let measured = 887.0;
    let turn = "atom.global.add.u32 %r1, [%rd1], %r2;\nadd.u32 %r2, %r2, %r1;\nmembar.gl;";
    assert_near(cycles_of_turn(1, 1, turn), measured, 15.0);
    // `returning`: so many blocks at one word take 784 cycles a turn where one takes 771.
    assert_near(cycles_of_turn(132, 1, turn), measured * 784.0 / 771.0, 15.0);
}
