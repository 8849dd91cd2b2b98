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
fn a_fence_of_the_block_waits_for_loads_where_it_acquires_and_never_for_stores_to_arrive() {
    // The second load is sent while the first is under way, or when it has come.
    let [sequential, acquiring] = ["sc", "acq_rel"].map(|order| {
        let loads = ["ld.volatile.global.u32 %r1, [%rd1];", "ld.volatile.global.u32 %r2, [%rd1+128];"];
        cycles_of_turn(&format!("{}\nfence.{order}.cta;\n{}\nadd.s32 %r1, %r1, %r2;", loads[0], loads[1]))
    });
    assert!(acquiring > 1.5 * sequential, "{acquiring} and {sequential} cycles");
    let profile = launch().profile;
    let handed_cycles = 3.0 * profile.load_store.operand_cycles;
    let turn = cycles_of_turn("st.global.u32 [%rd1], %r1;\nfence.acq_rel.cta;");
    assert_near(turn, handed_cycles + profile.fences.block_cycles, 2.0);
}

/// Against `order=fence`, 4 and 16 stores, 66 and 138 cycles, in results/nvidia-h200/constants/fence_rounds.csv: 6 for each further store.
#[test]
fn a_fence_of_the_block_follows_stores_on_their_way() {
    let turn = |stores: usize| {
        let all: String = (0..stores).map(|place| format!("st.global.u32 [%rd1+{}], %r1;\n", 128 * place)).collect();
        cycles_of_turn(&format!("{all}fence.acq_rel.cta;"))
    };
    assert_near(turn(16) - turn(4), 72.0, 1.0);
}

/// The same file: `fence_and_store` takes 11 cycles more than `release_store`, whatever is before.
#[test]
fn a_store_that_releases_within_the_block_goes_behind_its_fence_while_the_warp_goes_on() {
    let chain = "add.s32 %r2, %r2, %r3;\n".repeat(10);
    let [both, one] = ["fence.acq_rel.cta;\nst.relaxed.cta", "st.release.cta"]
        .map(|order| cycles_of_turn(&format!("{order}.global.u32 [%rd1], %r1;\n{chain}")));
    let more = both - one;
    assert!((5.0..=11.0).contains(&more), "{more} cycles more");
}

/// The same file: `acquire_load` takes 66 cycles, `load` 45.
#[test]
fn a_load_that_acquires_holds_up_what_does_not_need_it() {
    let chain = "add.s32 %r2, %r2, %r3;\n".repeat(6);
    let [relaxed, acquiring] = ["relaxed", "acquire"]
        .map(|order| cycles_of_turn(&format!("ld.{order}.cta.global.u32 %r1, [%rd1];\n{chain}add.s32 %r2, %r2, %r1;")));
    assert_near(acquiring - relaxed, 24.0, 4.0);
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

/// The same file: 549.5 and 549.4 cycles behind a load, 551.2 and 551.2 behind a store.
#[test]
fn fences_of_both_orders_go_out_beside_loads_and_stores() {
    let fences = launch().profile.fences;
    for access in ["ld.volatile.global.u32 %r1, [%rd1];", "st.global.u32 [%rd1], %r1;"] {
        let [sequential, acquiring] = ["sc", "acq_rel"]
            .map(|order| cycles_of_turn(&format!("{access}\nfence.{order}.gpu;\nadd.s32 %r2, %r2, %r1;")));
        assert_near(sequential, acquiring, 0.1);
        assert_near(sequential, fences.behind_access_cycles + fences.device_cycles, 24.0);
    }
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
    assert_near(released - store, acknowledged + fences.device_cycles, 5.0);
}
