#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::block_sync::{FAMILY, INTERVALS, PTX};

use super::{Simulated, count, entry, loops};

#[test]
fn the_loop_has_the_operations_of_one_interval_and_the_barrier() {
    for interval in INTERVALS {
        for (variant, barrier) in [("barrier", "bar.sync"), ("none", ""), ("warp_synchronous", "bar.warp.sync")] {
            let instructions = entry(PTX, &format!("block_sync_{variant}_{interval}"));
            let loops = loops(&instructions);
            // From point to point, and the operations after the last one.
            assert_eq!(loops.len(), 2, "{variant}");
            assert_eq!(count(&loops[0], "mad.lo.u32"), interval as usize, "{variant} {interval}: {:#?}", loops[0]);
            assert_eq!(count(&loops[1], "mad.lo.u32"), 1);
            let barriers = ["bar.sync", "bar.warp.sync"].map(|opcode| count(&loops[0], opcode));
            let expected = ["bar.sync", "bar.warp.sync"].map(|opcode| usize::from(opcode == barrier));
            assert_eq!(barriers, expected, "{variant} {interval}: {:#?}", loops[0]);
            let other = loops[0]
                .iter()
                .filter(|line| !["mad.lo.u32", "bar.", "//", "{", "}", "$"].iter().any(|start| line.starts_with(start)))
                .count();
            assert!(other <= 3, "bookkeeping drowns the pattern: {:#?}", loops[0]);
        }
    }
}

#[test]
fn barriers_are_what_the_simulated_devices_count() {
    for (profile, variants) in
        [("h200", &["barrier", "none", "warp_synchronous"][..]), ("gtx280", &["barrier", "none"][..])]
    {
        for (operations, interval) in [(100_i64, 10_i64), (100, 1), (47, 20)] {
            for variant in variants {
                let parameters = [
                    ("multiply_adds", operations.into()),
                    ("interval", interval.into()),
                    ("elements", 5000.into()),
                    ("block", 96.into()),
                ];
                let run = Simulated::run(profile, &FAMILY, variant, &parameters);
                let (blocks, warps_per_block) = (53.0, 3.0);
                assert_eq!(run.counter("blocks"), blocks);
                let barriers = run.predictor("barriers");
                assert_eq!(barriers, if *variant == "none" { 0.0 } else { (operations / interval) as f64 });
                assert_eq!(run.counter("barrier_instructions"), barriers * blocks * warps_per_block, "{variant}");
                let of_blocks = if *variant == "barrier" { barriers * blocks } else { 0.0 };
                assert_eq!(run.counter("block_barriers"), of_blocks, "{profile} {variant}");
            }
        }
    }
}

#[test]
fn resident_blocks_are_those_of_the_simulated_devices() {
    for (profile, resident) in [("h200", 4_i64), ("h200", 7), ("gtx280", 1), ("gtx280", 3)] {
        let parameters = [("resident_blocks", resident.into()), ("elements", 5000.into()), ("block", 64.into())];
        let run = Simulated::run(profile, &FAMILY, "barrier", &parameters);
        assert_eq!(run.counter("blocks_per_sm"), resident as f64, "{profile}");
        assert_eq!(run.predictor("resident_warps"), 2.0 * resident as f64, "{profile}");
    }
}

#[test]
fn barriers_cost_the_more_the_fewer_warps_hide_them() {
    let slowdown = |resident: i64| {
        let of = |variant| {
            let parameters = [("resident_blocks", resident.into()), ("elements", 20_000.into())];
            Simulated::run("gtx280", &FAMILY, variant, &parameters).time_us
        };
        of("barrier") / of("none")
    };
    let (alone, among_others) = (slowdown(1), slowdown(0));
    assert!(alone > 1.3, "{alone}");
    assert!(alone > among_others && among_others > 1.0, "{alone}, {among_others}");
}
