//! What one warp has under way at once.

use super::{TimedLaunch, assert_near};

#[test]
fn shuffles_of_one_step_are_under_way_at_once() {
    let launch = TimedLaunch::on("h200");
    let step = |count: usize| {
        let shuffles: String =
            (1..=count).map(|own| format!("shfl.sync.bfly.b32 %r{own}|%p{own}, %r9, 16, 31, -1;\n")).collect();
        let sums: String = (1..=count).map(|own| format!("add.s32 %r9, %r9, %r{own};\n")).collect();
        launch.cycles(&vec![format!("{shuffles}{sums}"); 100].join("")) / 100.0
    };
    // Each further one is ready when the sum before it is.
    assert_near(step(3) - step(1), 2.0 * launch.profile.units.exchange.interval_cycles, 10.0);
}

#[test]
fn loads_go_out_before_what_adds_up_the_words_of_the_first() {
    let launch = TimedLaunch { memory_bytes: 1 << 20, ..TimedLaunch::on("h200") };
    let turn = |loads: usize| {
        let wide: String = (0..loads)
            .map(|own| {
                let [a, b, c, d] = [1, 2, 3, 4].map(|word| 4 * own + word);
                format!("ld.global.cg.v4.u32 {{%r{a}, %r{b}, %r{c}, %r{d}}}, [%rd1+{}];\n", 512 * own)
            })
            .collect();
        let sums: String = (1..=4 * loads).map(|word| format!("add.s32 %r0, %r0, %r{word};\n")).collect();
        launch.cycles(&format!("ld.param.u64 %rd1, [buffer];\n{wide}{sums}"))
    };
    // The latency of device memory differs from piece to piece.
    let (one, three) = (turn(1), turn(3));
    assert!(three < 1.5 * one, "{one} and {three} cycles");
}
