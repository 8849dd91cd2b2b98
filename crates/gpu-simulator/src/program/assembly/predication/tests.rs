//! Branches that are left of tiny kernels, against what `ptxas -arch sm_80` and `-arch sm_90` of CUDA 13.0 leave, as `nvdisasm -c` lists it.

use crate::snippet::program;

/// What stands before each case: three buffers, two words that were loaded, and a comparison.
const HEAD: &str = ".version 8.0 .target sm_80 .address_size 64
    .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 t) {
    .reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .shared .b8 places[4096];
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [t];
    mov.u32 %r3, %tid.x; mul.wide.u32 %rd4, %r3, 8;
    add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; add.s64 %rd7, %rd3, %rd4;
    ld.global.u32 %r4, [%rd5]; ld.global.u32 %r5, [%rd5+8];
    mov.u32 %r10, 0; mov.u32 %r11, %r4; mov.u32 %r50, %r4; setp.ge.u32 %p1, %r4, %r2;";
const LOAD: &str = "ld.global.u32 %r10, [%rd6];";
const HIDING: &str = "mul.lo.s32 %r50, %r50, %r4; xor.b32 %r50, %r50, %r1; st.global.u32 [%rd7+80], %r50;";
const STORE: &str = "st.global.u32 [%rd7], %r10;";
const STORE_BOTH: &str = "st.global.u32 [%rd7], %r10; st.global.u32 [%rd7+8], %r11;";

/// So many instructions of arithmetic, each of which waits for the one before.
fn arithmetic(count: usize) -> String {
    let each = ["xor.b32 %r11, %r11, %r3; ", "mul.lo.s32 %r11, %r11, %r5; "];
    (0..count).map(|place| each[place % 2]).collect()
}

fn branches_left(body: &str) -> [usize; 2] {
    let program = program(&format!("{HEAD}\n{body}\nret; }}"));
    [(8, 0), (9, 0)].map(|capability| {
        let is_left = |own: &&crate::program::Instruction| own.is_branch() && own.cost_on(capability).weight > 0.0;
        program.code.iter().filter(is_left).count()
    })
}

#[track_caller]
fn assert_left(body: &str, expected: usize) {
    assert_eq!(branches_left(body), [expected; 2], "{body}");
}

#[test]
fn a_load_is_put_under_a_predicate_where_something_else_can_be_issued_meanwhile() {
    assert_left(&format!("@%p1 bra A; {LOAD} A: {STORE}"), 1);
    assert_left(&format!("@%p1 bra A; {LOAD} A: {HIDING} {STORE}"), 0);
    let waiting = "mul.lo.s32 %r10, %r10, %r4; xor.b32 %r10, %r10, %r1;";
    assert_left(&format!("@%p1 bra A; {LOAD} A: {waiting} {STORE}"), 1);
}

#[test]
fn more_is_put_under_a_predicate_with_a_load_than_without() {
    for (count, left) in [(18, 0), (22, 1)] {
        assert_left(&format!("@%p1 bra A; {LOAD} {} A: {HIDING} {STORE_BOTH}", arithmetic(count)), left);
    }
    for (count, left) in [(8, 0), (9, 1)] {
        assert_left(&format!("@%p1 bra A; {} A: {STORE_BOTH}", arithmetic(count)), left);
    }
}

/// Each of two ways may be as long as one alone. The jump counts on the first of them, in the order of the machine code: where a branch leads around
/// another one, ptxas has the way first that the PTX leads around.
#[test]
fn each_of_two_ways_is_as_short_as_one_alone() {
    for (first, second, left) in [(7, 8, 0), (8, 1, 2), (1, 9, 2)] {
        let ways = format!("{} bra B; A: {} B: {STORE_BOTH}", arithmetic(first), arithmetic(second));
        assert_left(&format!("@%p1 bra A; {ways}"), left);
    }
}

#[test]
fn a_sum_of_two_halves_that_is_stored_counts_for_three() {
    let sum = "add.s64 %rd33, %rd5, %rd6; st.shared.u64 [%r3], %rd33;";
    for (count, left) in [(4, 0), (5, 1)] {
        assert_left(&format!("@%p1 bra A; {} {sum} A: {STORE_BOTH}", arithmetic(count)), left);
    }
}

#[test]
fn a_second_branch_behind_a_load_stays_a_branch() {
    let first = "setp.lt.u32 %p3, %r3, %r1; @%p3 bra A; ld.global.u32 %r12, [%rd5+4]; setp.gt.u32 %p2, %r12, %r2;";
    assert_left(&format!("{first} @%p2 bra A; {LOAD} A: {HIDING} {STORE}"), 2);
}

#[test]
fn a_branch_around_a_predicate_of_its_own_stays_a_branch() {
    let inner = "mul.lo.s32 %r30, %r4, %r4; setp.ge.u32 %p2, %r30, %r1; @%p2 bra B; xor.b32 %r10, %r4, %r1; B:";
    assert_left(&format!("@%p1 bra A; {inner} add.s32 %r10, %r10, 1; A: {STORE}"), 1);
}

#[test]
fn atomics_stay_behind_a_branch() {
    assert_left(&format!("@%p1 bra A; red.global.add.u32 [%rd7], %r4; A: {HIDING} {STORE}"), 1);
}

#[test]
fn the_turn_of_a_loop_hides_nothing() {
    let turn = |more: &str| {
        format!(
            "mov.u32 %r37, 2; B: .pragma \"nounroll\"; bar.sync 0; xor.b32 %r61, %r37, %r3; setp.ne.s32 %p1, %r61, %r2; \
             @%p1 bra A; ld.global.u32 %r60, [%rd6+4]; st.global.u32 [%rd7+64], %r60; A: {more} \
             shl.b32 %r37, %r37, 1; setp.le.u32 %p5, %r37, %r1; @%p5 bra B; st.global.u32 [%rd7+8], %r50; {STORE_BOTH}"
        )
    };
    assert_left(&turn(""), 2);
    assert_left(&turn("xor.b32 %r50, %r50, %r3;"), 1);
}

/// As in the machine code of a loop in which one thread arrives (`@!P1 SYNCS.ARRIVE`).
#[test]
fn an_arrival_is_put_under_a_predicate() {
    let arrival = "mbarrier.arrive.shared.b64 %rd40, [places];";
    assert_left(&format!("@%p1 bra A; {arrival} A: {STORE}"), 0);
}
