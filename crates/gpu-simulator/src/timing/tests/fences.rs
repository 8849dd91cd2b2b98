//! Fences by their order and scope.

use super::{OPERATIONS, TimedLaunch, assert_near, repeated};

fn cycles_of_turn(turn: &str) -> f64 {
    let body = format!("ld.param.u64 %rd1, [buffer];\n{}", repeated(turn));
    TimedLaunch::on("h200").cycles(&body) / OPERATIONS as f64
}

#[test]
fn a_fence_of_the_system_takes_as_long_whatever_is_before_it() {
    let fences = TimedLaunch::on("h200").profile.fences;
    for turn in ["fence.sc.sys;", "fence.acq_rel.sys;", "st.global.u32 [%rd1], %r1;\nmembar.sys;"] {
        assert_near(cycles_of_turn(turn), fences.system_cycles, 3.0);
    }
}

#[test]
fn a_sequential_fence_goes_out_beside_loads_and_one_that_acquires_waits_for_them() {
    let launch = TimedLaunch::on("h200");
    let fences = launch.profile.fences;
    let load = cycles_of_turn("ld.volatile.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r2, %r1;");
    let [sequential, acquiring] = ["sc", "acq_rel"].map(|order| {
        cycles_of_turn(&format!("ld.volatile.global.u32 %r1, [%rd1];\nfence.{order}.gpu;\nadd.s32 %r2, %r2, %r1;"))
    });
    assert_near(sequential, fences.behind_access_cycles + fences.device_cycles, 8.0);
    assert_near(acquiring, load + fences.device_cycles, 8.0);
}

#[test]
fn a_store_that_releases_takes_as_long_as_its_fence_and_a_store() {
    for scope in ["cta", "gpu", "sys"] {
        let [both, one] = [
            format!("fence.acq_rel.{scope};\nst.relaxed.{scope}.global.u32 [%rd1], %r1;"),
            format!("st.release.{scope}.global.u32 [%rd1], %r1;"),
        ]
        .map(|turn| cycles_of_turn(&turn));
        assert_near(both, one, 4.0);
    }
    let [store, released] =
        ["relaxed", "release"].map(|order| cycles_of_turn(&format!("st.{order}.gpu.global.u32 [%rd1], %r1;")));
    let launch = TimedLaunch::on("h200");
    let fences = launch.profile.fences;
    let acknowledged = launch.profile.global.slices.unwrap().acknowledge_cycles;
    assert_near(
        released - store,
        acknowledged + fences.acquire_release_behind_store_cycles + fences.device_cycles,
        5.0,
    );
}
