//! What atomics take, by whether somebody reads their answer and by how many lanes meet at a word.

use super::{OPERATIONS, TimedLaunch, assert_near, repeated};
use crate::timing::Bound;

#[test]
fn atomics_on_one_address_take_turns() {
    let launch = TimedLaunch::on("h200").blocks(1, 1024, 1);
    let body = format!("ld.param.u64 %rd1, [buffer];\n{}", repeated("atom.global.add.u32 %r1, [%rd1], %r1;"));
    let timed = launch.time(&body);
    let atomics = 1024.0 * OPERATIONS as f64;
    let expected = atomics * launch.profile.atomics.same_address_integer_cycles;
    assert_near((timed.time_us - launch.profile.launch_us) * launch.profile.sm_clock_mhz, expected, 10.0);
    assert_eq!(timed.bound, Bound::Atomics);
    let hammered = timed.at_least_atomics(1e10, &launch.profile);
    assert!(hammered.time_us > 1e6 && hammered.bound == Bound::Atomics);
}

#[test]
fn atomics_on_one_word_of_shared_memory_take_turns() {
    let body = format!("mov.u32 %r9, shared;\n{}", repeated("atom.shared.add.u32 %r1, [%r9], 1;"));
    // constants/atomics.csv, shared_atomic of u32: cycles of a warp with one warp, and with four.
    for (warps, each) in [(1_u32, 63.5), (4, 31.5)] {
        let cycles = TimedLaunch::on("h200").blocks(1, 32 * warps, 1).cycles(&body);
        assert_near(cycles / (OPERATIONS as f64 * f64::from(warps)), each, 3.0);
    }
}

#[test]
fn adding_floats_in_shared_memory_is_a_loop() {
    let launch = TimedLaunch::on("h200");
    let float = launch.profile.atomics.shared_float.unwrap();
    let of_one_word =
        launch.cycles(&format!("mov.u32 %r9, shared;\n{}", repeated("atom.shared.add.f32 %r1, [%r9], %r1;")));
    assert_near(of_one_word / OPERATIONS as f64, 32.0 * float.turn_cycles, 3.0);
    let lanes = "mov.u32 %r9, %tid.x;\nshl.b32 %r9, %r9, 2;\nmov.u32 %r8, shared;\nadd.u32 %r9, %r9, %r8;";
    let of_own_words = launch.cycles(&format!("{lanes}\n{}", repeated("atom.shared.add.f32 %r1, [%r9], %r1;")));
    assert_near(of_own_words / OPERATIONS as f64, float.turn_cycles, 3.0);
    // The loop reads what it is answered, also where nobody else does.
    let unread = launch.cycles(&format!("{lanes}\n{}", repeated("atom.shared.add.f32 %r2, [%r9], %r1;")));
    assert_near(unread, of_own_words, 0.1);
}

/// Global and shared addresses of a word of each lane's own in `%rd1` and `%r9`.
const OWN_WORDS: &str = "ld.param.u64 %rd1, [buffer];\nmov.u32 %r8, %tid.x;\nmul.wide.u32 %rd2, %r8, 4;\nadd.u64 %rd1, %rd1, %rd2;\n\
                         shl.b32 %r8, %r8, 2;\nmov.u32 %r9, shared;\nadd.u32 %r9, %r9, %r8;\nmov.u32 %r10, %ntid.x;";

/// What one more of these instructions takes at words of the lanes' own.
fn each(launch: &TimedLaunch, instruction: &str) -> f64 {
    let cycles =
        |times: usize| launch.cycles(&format!("{OWN_WORDS}\n{}", vec![repeated(instruction); times].join("\n")));
    (cycles(2) - cycles(1)) / OPERATIONS as f64
}

#[test]
fn an_atomic_whose_answer_nobody_reads_is_issued_like_a_store() {
    let launch = TimedLaunch::on("h200");
    let atomics = launch.profile.atomics;
    // One warp hands over an address of two registers, and a value.
    let handed_cycles = 3.0 * launch.profile.load_store.operand_cycles;
    for own in [
        "red.global.add.u32 [%rd1], %r10;",
        "atom.global.add.u32 %r1, [%rd1], %r10;",
        "atom.global.add.f32 %r1, [%rd1], %r10;",
        "atom.global.inc.u32 %r{i}, [%rd1], %r10;",
        "atom.global.exch.b32 %r1, [%rd1], %r10;",
        "atom.global.cas.b32 _, [%rd1], %r10, %r10;",
        "atom.add.u32 %r1, [%rd1], %r10;",
    ] {
        assert_near(each(&launch, own), atomics.unit_cycles.max(handed_cycles), 1.0);
    }
    // Whoever reads the answer waits for it, and so does what acquires.
    for own in [
        "atom.global.add.u32 %r10, [%rd1], %r10;",
        "atom.acquire.gpu.global.add.u32 %r1, [%rd1], %r10;",
        "atom.global.exch.b32 %r1, [%rd1], %r1;",
    ] {
        assert_near(each(&launch, own), atomics.latency_cycles.unwrap(), 1.0);
    }
}

#[test]
fn an_atomic_of_shared_memory_whose_answer_nobody_reads_takes_its_passes() {
    let launch = TimedLaunch::on("h200");
    let shared = launch.profile.shared.clone();
    let unread = each(&launch, "atom.shared.add.u32 %r1, [%r9], %r10;");
    // An address and a value; constants/operands.csv, add_shared, has 4.06 cycles for four warps of a scheduler.
    assert_near(unread, shared.scheduler_pass_cycles.max(2.0 * launch.profile.load_store.operand_cycles), 1.0);
    assert_near(each(&launch, "red.shared.add.u32 [%r9], %r10;"), unread, 0.1);
    assert_near(each(&launch, "atom.shared.add.u32 %r10, [%r9], %r10;"), shared.latency_cycles, 1.0);
    // Lanes that meet take turns, however long a turn is.
    let mut slower = TimedLaunch::on("h200");
    slower.profile.atomics.shared_same_address_cycles = 4.0;
    let of_one_word = |count: usize| {
        slower.cycles(&format!(
            "mov.u32 %r9, shared;\n{}",
            vec![repeated("atom.shared.add.u32 %r1, [%r9], %r9;"); count].join("\n")
        ))
    };
    assert_near((of_one_word(2) - of_one_word(1)) / OPERATIONS as f64, 32.0 * 4.0, 1.0);
}

#[test]
fn fences_and_the_end_of_the_kernel_wait_for_what_no_warp_waits_for() {
    let launch = TimedLaunch::on("h200");
    let atomics = launch.profile.atomics;
    let done = atomics.latency_cycles.unwrap() + 31.0 * atomics.same_address_integer_cycles;
    let address = "ld.param.u64 %rd1, [buffer];\nmov.u32 %r10, %ntid.x;";
    for turn in [
        "atom.global.add.u32 %r1, [%rd1], %r10;\nmembar.gl;",
        "red.global.add.u32 [%rd1], %r10;\nmembar.gl;",
        // The fence is before it.
        "atom.add.release.gpu.global.u32 %r1, [%rd1], %r10;",
    ] {
        let cycles = launch.cycles(&format!("{address}\n{}", repeated(turn)));
        let fence = launch.profile.fences.behind_access_cycles + launch.profile.fences.device_cycles;
        assert_near(cycles / OPERATIONS as f64, done + fence, 3.0);
    }
    // Of lanes at one word a multiprocessor sends one in a cycle.
    let once = |count: usize| {
        launch.cycles(&format!("{address}\n{}", vec!["atom.global.add.u32 %r1, [%rd1], %r10;"; count].join("\n")))
    };
    assert!(once(0) < 50.0 && once(1) > atomics.latency_cycles.unwrap(), "{} and {} cycles", once(0), once(1));
    assert_near(once(201) - once(101), 100.0 * 32.0, 1.0);
}
