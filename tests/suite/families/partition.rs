use apbench::family::partition::{FAMILY, PTX};
use apbench::parameter::Value;

use super::{Simulated, count, entry, loops};

const ARITHMETICS: [(&str, &str); 2] = [("float", "fma.rn.f32"), ("integer", "mad.lo.u32")];
const REGISTERS: [usize; 8] = [32, 40, 64, 80, 96, 128, 168, 255];

#[test]
fn every_kernel_has_a_loop_of_sixteen_multiply_adds_and_one_for_the_rest() {
    for (arithmetic, opcode) in ARITHMETICS {
        let shapes = ["one_element_1d", "one_element_2d", "several_elements", "grid_stride"].map(str::to_owned);
        for shape in shapes.into_iter().chain(REGISTERS.map(|registers| format!("registers_{registers}"))) {
            let instructions = entry(PTX, &format!("partition_{shape}_{arithmetic}"));
            assert_eq!(count(&instructions, opcode), 17, "{shape} {arithmetic}");
            let mut loops = loops(&instructions);
            loops.sort_by_key(Vec::len);
            let [rest, unrolled, outer @ ..] = loops.as_slice() else { panic!("{} loops", loops.len()) };
            assert_eq!((count(rest, opcode), count(unrolled, opcode)), (1, 16), "{shape} {arithmetic}");
            let bookkeeping =
                |body: &[&str]| body.iter().filter(|line| line.ends_with(';') && !line.starts_with('.')).count();
            assert!(bookkeeping(unrolled) <= 16 + 5, "bookkeeping drowns the pattern: {unrolled:#?}");
            assert!(!rest.iter().chain(unrolled).any(|line| line.starts_with("ld.") || line.starts_with("st.")));
            // Where a thread has several elements, each is read and written in its turn, none ahead of it.
            let one_each = shape.starts_with("one_element");
            assert_eq!(outer.len(), usize::from(!one_each), "{shape} {arithmetic}");
            for body in outer {
                assert_eq!((count(body, "ld.global"), count(body, "st.global")), (1, 1), "{shape} {arithmetic}");
                assert_eq!(count(body, opcode), 17);
            }
        }
    }
}

/// All is read before anything is written, so that all is in registers at once; and a launch's 0 keeps threads away from it.
#[test]
fn kernels_of_many_registers_hold_many_values_at_once_where_no_thread_goes() {
    for (arithmetic, _) in ARITHMETICS {
        for registers in REGISTERS {
            let name = format!("partition_registers_{registers}_{arithmetic}");
            let instructions = entry(PTX, &name);
            assert!(instructions.contains(&format!(".maxnreg {registers}").as_str()), "{name}");
            let all = |opcode: &str| -> Vec<usize> {
                let lines = instructions.iter().enumerate();
                lines.filter(|(_, line)| line.starts_with(opcode)).map(|(index, _)| index).collect()
            };
            let (loads, stores) = (all("ld.global.v4.u32"), all("st.global.v4.u32"));
            assert_eq!(loads.len(), stores.len());
            assert!(loads.last() < stores.first(), "{name}");
            let held = 4 * loads.len();
            assert!(held < registers && held + 12 > registers, "{name} holds {held} values");
            let branch = instructions.iter().position(|line| line.starts_with('@')).expect("a branch");
            let condition =
                instructions[..branch].iter().rev().find(|line| line.starts_with("setp")).expect("a condition");
            assert!(condition.ends_with(", 0;"), "{name}: {condition}");
        }
    }
}

fn run(profile: &str, variant: &str, parameters: &[(&str, i64)]) -> Simulated {
    let parameters: Vec<(&str, Value)> =
        parameters.iter().map(|(name, value)| (*name, Value::Integer(*value))).collect();
    Simulated::run(profile, &FAMILY, variant, &parameters)
}

/// The predictors of a run are what the device counted. Waves are counted to two decimals.
#[track_caller]
fn assert_counted(run: &Simulated, warps_of_block: f64) {
    assert!((run.predictor("waves") - run.counter("waves_per_sm")).abs() <= 0.005 + 1e-9, "{}", run.predictor("waves"));
    assert!((run.predictor("resident_warps") - run.counter("blocks_per_sm") * warps_of_block).abs() < 1e-9);
    assert!((run.predictor("grid_blocks") - run.counter("blocks")).abs() < 1e-9);
    // A multiprocessor of an H200 holds 64 warps, one of a GTX 280 32.
    let most = run.counter("blocks_per_sm") * warps_of_block / run.predictor("occupancy");
    assert!([32.0, 64.0].iter().any(|warps| (most - warps).abs() < 1e-9), "{most}");
}

#[test]
fn blocks_of_a_row_are_resident_as_predicted() {
    for (profile, blocks) in [("h200", &[16, 48, 256, 704, 1024][..]), ("gtx280", &[16, 48, 256, 512])] {
        for &block in blocks {
            let run = run(profile, "one_element_1d", &[("elements", 40_001), ("block", block)]);
            let warps_of_block = block.unsigned_abs().div_ceil(32) as f64;
            assert_counted(&run, warps_of_block);
            // The lanes of the last block that have no element still have a thread.
            let lanes_used = block as f64 / (32.0 * warps_of_block);
            assert!((run.predictor("lanes_used") - lanes_used).abs() < 1e-12, "{block}");
        }
    }
}

#[test]
fn blocks_of_a_matrix_are_resident_as_predicted() {
    for (profile, blocks) in
        [("h200", &[(4, 4), (22, 22), (64, 16), (1, 32)][..]), ("gtx280", &[(4, 4), (22, 22), (16, 16)])]
    {
        for &(width, height) in blocks {
            let parameters = [("elements", 40_001), ("block_width", width), ("block_height", height)];
            let run = run(profile, "one_element_2d", &parameters);
            assert_counted(&run, (width * height).unsigned_abs().div_ceil(32) as f64);
        }
    }
}

#[test]
fn elements_in_blocked_order_are_read_with_more_transactions_than_in_striped_order() {
    let transactions = |profile: &str, ordering: &str, elements_per_thread: i64| {
        let parameters = [
            ("elements", Value::Integer(1 << 14)),
            ("ordering", Value::Text(ordering.to_owned())),
            ("elements_per_thread", Value::Integer(elements_per_thread)),
        ];
        let run = Simulated::run(profile, &FAMILY, "several_elements", &parameters);
        assert!((run.predictor("grid_blocks") - run.counter("blocks")).abs() < 1e-9);
        run.counter("global_load_transactions")
    };
    // Lanes 32 bytes apart: a warp's read has 32 sectors instead of 4; on the GTX 280, a half-warp's has 4 segments of 128
    // bytes instead of one of 64.
    for (profile, factor) in [("h200", 8.0), ("gtx280", 4.0)] {
        let striped = transactions(profile, "striped", 8);
        assert!((transactions(profile, "blocked", 1) - striped).abs() < 1e-9, "{profile}");
        assert!((transactions(profile, "blocked", 8) - factor * striped).abs() < 1e-9, "{profile}: {striped}");
    }
}

#[test]
fn shared_memory_limits_the_warps_that_are_resident() {
    let run = |profile: &str, warp_limit: i64| {
        run(profile, "limited_by_shared", &[("elements", 20_001), ("block", 64), ("warp_limit", warp_limit)])
    };
    for (profile, limits) in [("h200", [8, 20, 48, 64]), ("gtx280", [2, 4, 10, 16])] {
        for warps in limits {
            let run = run(profile, warps);
            assert_counted(&run, 2.0);
            assert!((run.predictor("resident_warps") - warps as f64).abs() < 1e-12, "{profile}: {warps}");
        }
    }
}

#[test]
fn fewer_resident_warps_take_longer() {
    let time_us = |warp_limit: i64| {
        let parameters = [
            ("elements", 1 << 17),
            ("block", 64),
            ("elements_per_thread", 1),
            ("multiply_adds", 64),
            ("warp_limit", warp_limit),
        ];
        run("h200", "limited_by_shared", &parameters).time_us
    };
    assert!(time_us(8) > time_us(64));
}

#[test]
fn registers_limit_the_warps_that_are_resident() {
    for (profile, limits) in [("h200", &[8, 16, 32, 64][..]), ("gtx280", &[4, 8, 16])] {
        for &warp_limit in limits {
            let parameters = [("elements", 20_001), ("block", 64), ("warp_limit", warp_limit)];
            let run = run(profile, "limited_by_registers", &parameters);
            assert_counted(&run, 2.0);
            assert!((run.predictor("resident_warps") - warp_limit as f64).abs() < 1e-12, "{profile}: {warp_limit}");
        }
    }
}
