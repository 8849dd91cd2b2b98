//! Branches and predicates, and what works on floats: against what an H200 took (results/nvidia-h200/constants/float_units.csv).

use super::*;

/// Cycles of a turn of a loop that counts, does this, compares and branches back.
fn turn_cycles(body: &str, before_branch: &str) -> f64 {
    let launch = TimedLaunch { is_arranged: true, ..TimedLaunch::on("h200") };
    let turns = |count: u32| {
        launch.cycles(&format!(
            "ld.param.u64 %rd0, [buffer];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\nTURN:\n{body}add.s32 %r1, %r1, 1;\n{before_branch}\
             setp.lt.s32 %p0, %r1, {count};\n.pragma \"nounroll\";\n@%p0 bra TURN;\nadd.s32 %r0, %r2, %r3;\nadd.s32 %r0, %r0, %r4;\n\
             st.global.u32 [%rd0], %r0;"
        ))
    };
    (turns(600) - turns(200)) / 400.0
}

#[test]
fn a_turn_of_a_short_loop_takes_what_its_branch_takes() {
    let fused = |count: u32| -> String {
        (0..count).map(|index| format!("fma.rn.f32 %r{}, %r{0}, %r8, %r8;\n", 2 + index % 4)).collect()
    };
    // `turn`, loop=apart, floats=2, 4 and 8, warps=1.
    for (floats, cycles) in [(2, 28.0), (4, 27.0), (8, 27.0)] {
        let found = turn_cycles(&fused(floats), "");
        assert!((found - cycles).abs() <= 3.0, "{floats} floats: {found} cycles, {cycles} measured");
    }
}

/// The rounds of cuda/fences.cu without a fence: ptxas compares for the outer loop before the branch around the inner one, which all lanes take alike.
#[test]
fn a_block_that_only_counts_comes_at_the_begin_of_a_turn() {
    let around = "setp.eq.s32 %p1, %r8, 40;\n@!%p1 bra NEXT;\nmad.lo.u32 %r2, %r2, %r2, 3;\nst.shared.u32 [%r2], %r2;\nbar.sync 0;\nNEXT:\n";
    let (only_counts, more) = (turn_cycles(around, ""), turn_cycles(around, "mad.lo.s32 %r3, %r3, %r3, %r3;\n"));
    assert!((only_counts - 33.0).abs() <= 5.0, "{only_counts} cycles, 33 measured");
    assert!(more > only_counts + 10.0, "{more} {only_counts}");
}

#[test]
fn an_approximate_function_takes_its_unit_once_and_others_beside_it() {
    let one_warp = TimedLaunch::on("h200");
    let many_warps = TimedLaunch::on("h200").blocks(1, 1024, 1);
    let operations = OPERATIONS as f64;
    for (form, latency_cycles, interval_cycles) in [
        ("rsqrt.approx.f32", 39.8, 8.02),
        ("sqrt.approx.f32", 39.6, 8.02),
        ("lg2.approx.f32", 39.7, 8.02),
        ("sin.approx.f32", 22.8, 8.03),
        ("rcp.approx.f32", 41.5, 8.96),
        ("cvt.rzi.s32.f32", 17.0, 8.01),
        ("cvt.rni.f32.f32", 17.0, 8.01),
        ("cvt.rn.f32.s32", 4.5, 2.08),
    ] {
        let latency = one_warp.cycles(&repeated(&format!("{form} %r1, %r1;"))) / operations;
        let interval = many_warps.cycles(&repeated(&format!("{form} %r{{i}}, %r{{i}};"))) / operations / 8.0;
        assert!((latency / latency_cycles - 1.0).abs() < 0.13, "{form}: {latency}, {latency_cycles} measured");
        assert!((interval / interval_cycles - 1.0).abs() < 0.13, "{form}: {interval}, {interval_cycles} measured");
    }
}

#[test]
fn comparisons_and_extrema_of_floats_take_as_long_as_those_of_integers() {
    let many_warps = TimedLaunch::on("h200").blocks(1, 1024, 1);
    for (instruction, interval_cycles) in [
        ("fma.rn.f32 %r{i}, %r{i}, %r9, %r9;", 1.09),
        ("min.f32 %r{i}, %r{i}, %r9;", 2.03),
        ("max.f32 %r{i}, %r{i}, %r9;", 2.03),
        ("setp.lt.f32 %p1, %r{i}, %r9;\nselp.b32 %r{i}, %r9, %r{i}, %p1;", 2.0 * 2.03),
    ] {
        let interval = many_warps.cycles(&repeated(instruction)) / OPERATIONS as f64 / 8.0;
        assert!(
            (interval / interval_cycles - 1.0).abs() < 0.1,
            "{instruction}: {interval}, {interval_cycles} measured"
        );
    }
}
