//! Unrolled loops compute what they computed before, and are unrolled where ptxas unrolls them.

use crate::Grid;
use crate::execute::Memory;
use crate::machine::{Kernel, Machine};
use crate::profile::Profile;
use crate::program::{Operation, Program, arranged_at, decode, with_loops_unrolled};
use crate::snippet::kernel;
use crate::windows::MODULE_BASE;
use proptest::prelude::*;
use ptx_syntax::{Module, parse};

fn module(body: &str) -> Module {
    parse(&kernel(".shared .align 4 .b8 tile[4096];", body)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Runs the kernel as it is written, as it is counted and as it is timed, which must leave the same in its buffer.
fn stays_the_same(body: &str) {
    let module = module(body);
    let machine = Machine::new(Profile::load("h200").expect("it is built in"));
    let load = || machine.load(&module, "k").unwrap_or_else(|errors| panic!("{errors}"));
    let run = |kernel: &Kernel| -> Vec<u8> {
        let mut memory = Memory::default();
        let bytes = (0..1024_u32).flat_map(|word| (word.wrapping_mul(2_654_435_761) >> 9).to_le_bytes()).collect();
        let address = memory.add("buffer", bytes);
        let ran = machine.execute(kernel, Grid::linear(1, 32), &[address.into()], &mut memory);
        ran.unwrap_or_else(|fault| panic!("{fault}\n{body}"));
        memory.bytes(address).expect("it is there").to_vec()
    };
    let written = run(&load().into_written());
    assert_eq!(written, run(&load()), "as it is counted: {body}");
    assert_eq!(written, run(&load().into_arranged()), "as it is timed: {body}");
}

fn arranged(body: &str) -> Program {
    let module = module(body);
    let module = with_loops_unrolled(&module, "k").unwrap_or(module);
    arranged_at(&module, "k", MODULE_BASE).expect("it is one function")
}

/// The instructions of a kind, as a compiler arranges the kernel, for each that is written.
fn copies(body: &str, is: fn(&Operation) -> bool) -> usize {
    let written = decode(&module(body), "k").unwrap_or_else(|errors| panic!("{errors}"));
    let count = |program: &Program| program.code.iter().filter(|own| is(&own.operation)).count();
    count(&arranged(body)) / count(&written)
}

fn is_load(operation: &Operation) -> bool {
    matches!(operation, Operation::Load { access, .. } if access.space == crate::program::Space::Global)
}

/// A loop of `turn` with a counter `%r9`.
fn looped(first: &str, turn: &str, step: i64, test: &str) -> String {
    format!(
        "mov.u32 %r8, 0; mov.u64 %rd2, %rd1;\nmov.u32 %r9, {first};\n$L:\n{turn}\nadd.s32 %r9, %r9, {step};\n{test};\n@%p0 bra $L;\n\
         mad.lo.u32 %r8, %r8, 31, %r9;\nst.global.u32 [%rd1], %r8;"
    )
}

/// A load through a pointer that moves, and another by the counter.
const TURN: &str = "ld.global.u32 %r5, [%rd2];\nadd.s64 %rd2, %rd2, 4;\nmad.lo.u32 %r8, %r8, 17, %r5;\n\
     and.b32 %r6, %r9, 63;\nmul.wide.u32 %rd3, %r6, 4;\nadd.s64 %rd4, %rd0, %rd3;\nld.global.u32 %r7, [%rd4+256];\nxor.b32 %r8, %r8, %r7;";

#[test]
fn every_lane_makes_its_own_number_of_turns() {
    // From 1 to 40 turns: signed and unsigned, up and down, by one and by three, to a bound and to zero.
    for (first, step, test) in [
        ("0", 1, "add.u32 %r4, %r0, 1; setp.lt.s32 %p0, %r9, %r4"),
        ("-9", 1, "setp.lt.s32 %p0, %r9, %r0"),
        ("0", 3, "setp.lt.u32 %p0, %r9, %r0"),
        ("%r0", -1, "setp.gt.s32 %p0, %r9, -4"),
        ("40", -2, "setp.gt.s32 %p0, %r9, %r0"),
        ("%r0", 1, "setp.ne.s32 %p0, %r9, 33"),
        ("0", 1, "setp.ne.u32 %p0, %r9, %r3"),
        ("%r2", -4, "setp.ne.s32 %p0, %r9, 0"),
        ("-2147483648", 1, "setp.lt.s32 %p0, %r9, %r1"),
        ("2147483640", 1, "setp.lt.s32 %p0, %r9, 2147483647"),
    ] {
        let before = "add.u32 %r3, %r0, 1; shl.b32 %r2, %r3, 2; add.u32 %r1, %r0, -2147483640; mov.u32 %r4, 7;\n";
        let test = test.trim_start_matches("add.u32 %r4, %r0, 1; ").replace("%r4", "%r3");
        let body = before.to_owned() + &looped(first, TURN, step, &test);
        stays_the_same(&body);
        assert_eq!(copies(&body, is_load), 7, "{first} {step} {test}");
    }
}

#[test]
fn known_turns_need_no_test_in_between() {
    for (turns, expected) in [(5, 5), (8, 8), (12, 12), (32, 16), (36, 12), (3, 3), (2, 2), (37, 7)] {
        let body = looped("0", TURN, 1, &format!("setp.ne.s32 %p0, %r9, {turns}"));
        stays_the_same(&body);
        assert_eq!(copies(&body, is_load), expected, "{turns}");
    }
    // A counter that jumps over its bound and wraps around makes more turns than three.
    assert_eq!(copies(&looped("12", TURN, -5, "setp.gt.u32 %p0, %r9, 0"), is_load), 7);
    assert_eq!(copies(&looped("12", TURN, -5, "setp.gt.s32 %p0, %r9, 0"), is_load), 3);
    // Where another way leads into the loop, the turns are not known.
    let other = "setp.gt.u32 %p1, %r0, 4; mov.u32 %r8, 0; mov.u64 %rd2, %rd1; mov.u32 %r9, 3; @%p1 bra $L;\n";
    let body = other.to_owned() + &looped("0", TURN, 1, "setp.ne.s32 %p0, %r9, 12");
    stays_the_same(&body);
    assert_eq!(copies(&body, is_load), 7);
}

#[test]
fn values_that_live_on_and_branches_inside_stay_right() {
    // Each lane has 32 words of its own, and makes 5 to 20 turns.
    let test = |turn: &str| {
        let body = looped("0", turn, 1, "setp.lt.u32 %p0, %r9, %r3")
            .replace("mov.u64 %rd2, %rd1;", "mul.wide.u32 %rd2, %r0, 128; add.s64 %rd2, %rd2, %rd0;");
        let body = format!("and.b32 %r3, %r0, 15; add.u32 %r3, %r3, 5;\n{body}");
        stays_the_same(&body);
        assert!(arranged(&body).code.len() > 30, "{turn}");
    };
    // A value of the turn before; one that only some lanes write; one that is read behind the loop; a place in shared memory.
    test("mov.u32 %r5, %r6;\nadd.u32 %r6, %r9, 3;\nmad.lo.u32 %r8, %r5, %r6, %r8;");
    test("and.b32 %r5, %r9, 3;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 add.u32 %r6, %r9, %r0;\nadd.u32 %r8, %r8, %r6;");
    test(
        "and.b32 %r5, %r9, %r0;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 bra $I;\nmad.lo.u32 %r8, %r8, 3, %r9;\nmov.u32 %r6, %r8;\n$I:\nxor.b32 %r8, %r8, %r6;",
    );
    test(
        "mov.u32 %r10, tile;\nmad.lo.u32 %r10, %r0, 4, %r10;\nst.shared.u32 [%r10], %r9;\nld.shared.u32 %r5, [%r10];\nadd.u32 %r8, %r8, %r5;",
    );
    test(
        "ld.global.u32 %r5, [%rd2];\nadd.u32 %r5, %r5, %r9;\nst.global.u32 [%rd2+4], %r5;\nadd.s64 %rd2, %rd2, 4;\nadd.u32 %r8, %r8, %r5;",
    );
}

#[test]
fn loops_stay_that_a_compiler_leaves() {
    let as_written = |body: &str| assert_eq!(copies(body, is_load), 1, "{body}");
    let until = "setp.lt.u32 %p0, %r9, %r0";
    as_written(&looped("0", TURN, 1, until).replace("$L:\n", "$L:\n.pragma \"nounroll\";\n"));
    // A second way out, a bound that moves, a step that is no number, a test of something else.
    as_written(
        &looped("0", &format!("{TURN}\nsetp.eq.u32 %p1, %r7, 5;\n@%p1 bra $E;"), 1, until)
            .replace("mad.lo.u32 %r8, %r8, 31", "$E:\nmad.lo.u32 %r8, %r8, 31"),
    );
    as_written(&looped("0", &format!("{TURN}\nsetp.lt.u32 %p1, %r9, 3;\n@%p1 add.u32 %r0, %r0, 1;"), 1, until));
    as_written(&looped("0", TURN, 1, "setp.lt.u32 %p0, %r8, %r0"));
    // As great a turn as one that ptxas leaves.
    let long = |count: usize| {
        looped("0", &format!("{TURN}\n{}", "xor.b32 %r8, %r8, %r9;\nshl.b32 %r8, %r8, 1;\n".repeat(count)), 1, until)
    };
    as_written(&long(20));
    assert_eq!(copies(&long(18), is_load), 7);
}

/// A loop of such turns up to a bound, as `tests/gpu/unrolling/limits.py` has it, with so many multiplications beside.
fn compiled(turn: &str, multiplications: usize, bound: &str) -> Module {
    let text = format!(
        ".version 8.0 .target sm_90 .address_size 64 .visible .entry k(.param .u32 n) {{ .reg .pred %p<9>; \
         .reg .b32 %r<60>; .reg .f32 %f<200>; .reg .b64 %rd<20>; .reg .f64 %d<5>; ld.param.u32 %r1, [n]; mov.u32 %r3, 0; \
         LOOP: {turn} {} add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, {bound}; @%p2 bra LOOP; ret; }}",
        "mul.rn.f32 %f1, %f1, %f1;".repeat(multiplications)
    );
    parse(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The greatest number of multiplications beside a turn with which ptxas unrolls a loop.
#[test]
fn loops_of_unknown_turns_are_unrolled_up_to_the_limits_of_ptxas() {
    let table = include_str!("../../../../../tests/gpu/unrolling/limits.csv");
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let (turn, greatest) = row.rsplit_once(',').expect("two columns");
        let greatest: usize = greatest.parse().expect("a number");
        let is_unrolled =
            |count: usize| with_loops_unrolled(&compiled(turn.trim_matches('"'), count, "%r1"), "k").is_some();
        assert_eq!((is_unrolled(greatest.max(1)), is_unrolled(greatest + 1)), (greatest > 0, false), "{row}");
        rows += 1;
    }
    assert_eq!(rows, 42);
}

/// No more copies of a turn than ptxas makes where it knows the turns, and no fewer than a third of them up to the 16 that are enough.
#[test]
fn loops_of_known_turns_are_unrolled_about_as_often_as_by_ptxas() {
    let table = include_str!("../../../../../tests/gpu/unrolling/known.csv");
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let [copies, turns, turn] = row.rsplitn(3, ',').collect::<Vec<_>>()[..] else { panic!("three columns: {row}") };
        let copies: usize = copies.parse().expect("a number");
        let unrolled = with_loops_unrolled(&compiled(turn.trim_matches('"'), 1, turns), "k");
        let own = unrolled.map_or(1, |module| module.to_string().matches("mul.rn.f32").count());
        assert!(own <= copies && 3 * own >= copies.min(16), "{own} copies, not {copies}: {row}");
        rows += 1;
    }
    assert_eq!(rows, 72);
}

#[test]
fn a_bound_that_a_barrier_counts_anew_is_no_fixed_one() {
    let turn = "setp.lt.u32 %p3, %r9, %r0;\nbarrier.sync.aligned 0;\nmad.lo.u32 %r8, %r8, 3, %r9;";
    let counted = turn.replace("barrier.sync.aligned 0;", "barrier.red.popc.aligned.u32 %r4, 0, %p3;");
    let is_unrolled =
        |turn: &str| with_loops_unrolled(&module(&looped("0", turn, 1, "setp.lt.u32 %p0, %r9, %r4")), "k").is_some();
    assert!(is_unrolled(turn) && !is_unrolled(&counted));
}

/// The turns of a loop of a 32-bit counter, as its comparison has them; `None` beyond 60.
fn turns(first: u32, step: i32, bound: u32, passes: fn(u32, u32) -> bool) -> Option<u32> {
    let mut counter = first;
    (1..=60).find(|_| {
        counter = counter.wrapping_add_signed(step);
        !passes(counter, bound)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Counters near the ends of their ranges, too: those that wrap around go on as they did.
    #[test]
    fn any_counted_loop_computes_what_it_computed(
        near in prop::sample::select(vec![0, 20, i32::MAX as u32 - 12, i32::MAX as u32, u32::MAX - 9]),
        offset in 0_u32..12,
        distance in 0_u32..40,
        step in prop::sample::select(vec![1_i32, -1, 2, -2, 3, -5]),
        comparison in 0_usize..6,
        lanes_differ in any::<bool>(),
        is_known in any::<bool>(),
        long in 0_usize..3,
    ) {
        type Passes = fn(u32, u32) -> bool;
        let comparisons: [(&str, &str, Passes); 6] = [
            ("lt.s32", "", |own, bound| (own as i32) < bound as i32),
            ("lt.u32", "", |own, bound| own < bound),
            ("gt.s32", "", |own, bound| own as i32 > bound as i32),
            ("gt.u32", "", |own, bound| own > bound),
            ("ne.s32", "", |own, bound| own != bound),
            ("eq.u32", "!", |own, bound| own != bound),
        ];
        let (words, negated, passes) = comparisons[comparison];
        let bound = near.wrapping_add(offset);
        let first = if step > 0 { bound.wrapping_sub(distance) } else { bound.wrapping_add(distance) };
        let per_lane = |lane: u32| first.wrapping_add(if lanes_differ { lane % 3 * step.unsigned_abs() } else { 0 });
        prop_assume!((0..32).all(|lane| turns(per_lane(lane), step, bound, passes).is_some()));
        let by_lane = if lanes_differ {
            format!("rem.u32 %r11, %r0, 3; mad.lo.u32 %r12, %r11, {}, %r12;", step.unsigned_abs())
        } else {
            String::new()
        };
        let limit = if is_known { (bound as i32).to_string() } else { "%r3".to_owned() };
        let begin = if is_known && !lanes_differ { (first as i32).to_string() } else { "%r12".to_owned() };
        let turn = TURN.to_owned() + &"xor.b32 %r8, %r8, %r9;\n".repeat(16 * long);
        let body = format!("mov.u32 %r3, {}; mov.u32 %r12, {}; {by_lane}\n", bound as i32, first as i32)
            + &looped(&begin, &turn, i64::from(step), &format!("setp.{words} %p0, %r9, {limit}"))
                .replace("@%p0 bra $L", &format!("@{negated}%p0 bra $L"));
        stays_the_same(&body);
    }
}
