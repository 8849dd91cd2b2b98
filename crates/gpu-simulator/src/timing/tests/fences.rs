//! Fences by their order and scope.

use super::{OPERATIONS, TimedLaunch, assert_near, repeated};

/// Of an H200 both halves of whose L2 are as far away.
fn launch() -> TimedLaunch {
    let mut launch = TimedLaunch::on("h200");
    launch.profile.global.slices.as_mut().unwrap().half_distance_cycles = 0.0;
    launch
}

fn cycles_of_turn(turn: &str) -> f64 {
    let body = format!("ld.param.u64 %rd1, [buffer];\n{}", repeated(turn));
    launch().cycles(&body) / OPERATIONS as f64
}

#[test]
fn a_fence_of_the_block_waits_for_loads_where_it_acquires_and_never_for_stores() {
    let fences = launch().profile.fences;
    // The second load is sent while the first is under way, or when it has come.
    let [sequential, acquiring] = ["sc", "acq_rel"].map(|order| {
        let loads = ["ld.volatile.global.u32 %r1, [%rd1];", "ld.volatile.global.u32 %r2, [%rd1+128];"];
        cycles_of_turn(&format!("{}\nfence.{order}.cta;\n{}\nadd.s32 %r1, %r1, %r2;", loads[0], loads[1]))
    });
    assert!(acquiring > 1.5 * sequential, "{acquiring} and {sequential} cycles");
    assert_near(cycles_of_turn("st.global.u32 [%rd1], %r1;\nfence.acq_rel.cta;"), fences.block_cycles, 30.0);
}

#[test]
fn loads_that_are_ordered_within_the_block_find_what_l1_has() {
    let turn =
        |scope: &str| cycles_of_turn(&format!("ld.relaxed.{scope}.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r2, %r1;"));
    let (block, device) = (turn("cta"), turn("gpu"));
    assert!(block < 0.3 * device, "{block} and {device} cycles");
}

#[test]
fn a_fence_of_the_system_takes_as_long_whatever_is_before_it() {
    let fences = launch().profile.fences;
    for turn in ["fence.sc.sys;", "fence.acq_rel.sys;", "st.global.u32 [%rd1], %r1;\nmembar.sys;"] {
        assert_near(cycles_of_turn(turn), fences.system_cycles, 3.0);
    }
}

#[test]
fn a_sequential_fence_goes_out_beside_loads_and_one_that_acquires_waits_for_them() {
    let launch = launch();
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
    for scope in ["gpu", "sys"] {
        let [both, one] = [
            format!("fence.acq_rel.{scope};\nst.relaxed.{scope}.global.u32 [%rd1], %r1;"),
            format!("st.release.{scope}.global.u32 [%rd1], %r1;"),
        ]
        .map(|turn| cycles_of_turn(&turn));
        assert_near(both, one, 4.0);
    }
    let [store, released] =
        ["relaxed", "release"].map(|order| cycles_of_turn(&format!("st.{order}.gpu.global.u32 [%rd1], %r1;")));
    let launch = launch();
    let fences = launch.profile.fences;
    let acknowledged = launch.profile.global.slices.unwrap().acknowledge_cycles;
    assert_near(
        released - store,
        acknowledged + fences.acquire_release_behind_store_cycles + fences.device_cycles,
        5.0,
    );
}
