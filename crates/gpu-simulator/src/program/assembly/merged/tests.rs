//! Against what `ptxas -arch sm_90` of CUDA 13.0 makes of the same instructions, as `cuobjdump -sass` lists it.

use crate::program::{Merged, Operation};
use crate::snippet::{Snippet, compiled, kernel, program};

const MODULE: &str = ".shared .align 16 .b8 words[1024];";
/// Addresses: `%rd0` of all lanes, `%rd1` of each its own, `%rd2` of the block; `%r3` is loaded by each lane, `%r5` by all from one place.
const VALUES: &str = "mov.u32 %r1, %ctaid.x; mad.wide.u32 %rd2, %r1, 4, %rd0; ld.global.u32 %r3, [%rd1]; ld.global.u32 %r5, [%rd0];
    cvt.u64.u32 %rd3, %r3; mov.u32 %r6, words; shl.b32 %r7, %r0, 2; add.u32 %r8, %r6, %r7; mad.wide.u32 %rd4, %r5, 4, %rd0;
    cvt.rn.f32.u32 %f0, %r3; setp.gt.u32 %p0, %r3, 7; setp.eq.u32 %p1, %r0, 0; shfl.sync.idx.b32 %r9, %r3, 0, 31, -1;
    mad.wide.u32 %rd5, %r9, 4, %rd0;\n";
const STORE: &str = "st.global.u32 [%rd1], %r20;";

fn text(body: &str) -> String {
    kernel(MODULE, &format!("{VALUES}{body}"))
}

fn merged(body: &str) -> Merged {
    let program = compiled(&text(body));
    let found = program.code.iter().find_map(|own| match &own.operation {
        Operation::Atomic(atomic) => Some(atomic.merged),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("there is no atomic: {body}"))
}

#[test]
fn integers_at_an_address_of_all_lanes_are_added_up_first() {
    for body in [
        "red.global.add.u32 [%rd0], 1;",
        "red.global.add.u32 [%rd0], %r3;",
        "atom.global.add.u32 %r20, [%rd0], %r3;",
        "@%p0 atom.global.add.u32 %r20, [%rd0], 1;",
        "red.global.add.u32 [%rd2], 1;",
        "red.global.add.u32 [%rd4], 1;",
        "red.global.add.u32 [%rd5], 1;",
        "red.global.max.s32 [%rd0], %r3;",
        "red.global.min.u32 [%rd0], 5;",
        "red.global.and.b32 [%rd0], %r3;",
        "red.global.or.b32 [%rd0], %r3;",
        "red.global.xor.b32 [%rd0], %r3;",
        "red.global.add.u64 [%rd0], 1;",
        "red.shared.add.u32 [%r6], %r3;",
    ] {
        assert_eq!(merged(body), Merged::Warp, "{body}");
    }
    for body in ["atom.global.add.u32 %r20, [%rd0], 1;", "atom.shared.add.u32 %r20, [%r6], 1;"] {
        assert_eq!(merged(&format!("{body}{STORE}")), Merged::Warp, "{body}");
    }
    let body = "atom.global.add.u32 %r20, [%rd0], %r3;";
    assert_eq!(merged(&format!("{body}{STORE}")), Merged::WholeWarp);
}

#[test]
fn what_ptxas_leaves_to_each_lane_is_left() {
    for body in [
        "red.global.add.u32 [%rd1], 1;",
        "red.global.add.f32 [%rd0], %f0;",
        "red.global.inc.u32 [%rd0], 5;",
        "red.global.add.u64 [%rd0], %rd3;",
        "red.global.min.s64 [%rd0], %rd3;",
        "red.shared.add.u32 [%r8], 2;",
        "red.shared.add.u32 [%r8], %r3;",
    ] {
        assert_eq!(merged(body), Merged::No, "{body}");
    }
    for body in [
        "atom.global.exch.b32 %r20, [%rd0], %r3;",
        "atom.global.cas.b32 %r20, [%rd0], 0, %r3;",
        "atom.global.max.u32 %r20, [%rd0], %r3;",
        "atom.shared.add.u32 %r20, [%r8], 1;",
    ] {
        assert_eq!(merged(&format!("{body}{STORE}")), Merged::No, "{body}");
    }
}

#[test]
fn ones_are_counted_by_shared_memory() {
    for body in ["red.shared.add.u32 [%r8], 1;", "red.shared.add.u32 [%r6], 1;", "red.shared.inc.u32 [%r8], -1;"] {
        assert_eq!(merged(body), Merged::Ones, "{body}");
    }
}

#[test]
fn what_is_written_is_left_as_it_is() {
    let program = program(&text("red.global.add.u32 [%rd0], 1;"));
    let is_left = |atomic: &crate::program::Atomic| atomic.merged == Merged::No;
    assert!(program.code.iter().all(|own| !matches!(&own.operation, Operation::Atomic(own) if !is_left(own))));
}

/// Machine instructions of the whole kernel with the atomic, less those without it. They are whole numbers.
fn added(body: &str) -> i32 {
    let total = |body: &str| -> f32 {
        let program = compiled(&kernel(MODULE, body));
        program.code.iter().map(|own| own.cost_on((9, 0)).total()).sum()
    };
    (total(body) - total("")).round() as i32
}

/// `red_const`, `red_param`-like and `red_max` have 3, 4 and 5 instructions more than `red.f32` of the same operands, and S2R.
#[test]
fn lanes_choose_the_one_that_does_it() {
    let plain = added("red.global.inc.u32 [%rd0], 1;");
    assert_eq!(added("red.global.add.u32 [%rd0], 1;") - plain, 5);
    assert_eq!(added("red.global.xor.b32 [%rd0], %r0;") - added("red.global.inc.u32 [%rd0], %r0;"), 6);
    let alone = "setp.eq.u32 %p1, %r0, 0; @%p1 red.global";
    assert_eq!(added(&format!("{alone}.add.u32 [%rd0], 1;")), added(&format!("{alone}.inc.u32 [%rd0], 1;")));
}

/// What lanes compute does not depend on who tells memory of it.
#[test]
fn sums_and_old_values_are_the_same() {
    let body = format!(
        "{VALUES} setp.gt.u32 %p2, %r0, 20; red.global.add.u32 [%rd0+128], %r0; @%p2 red.global.max.u32 [%rd0+132], %r0;
        atom.global.add.u32 %r20, [%rd0+136], 1; @%p2 atom.global.add.u32 %r21, [%rd0+140], %r0; add.u32 %r20, %r20, %r21;
        st.global.u32 [%rd1], %r20;"
    );
    let snippet = Snippet::with(MODULE, &body);
    let (written, compiled) = (snippet.run().unwrap(), snippet.run_compiled().unwrap());
    assert_eq!(written.words, compiled.words);
    assert_eq!(written.words[32..36], [496, 31, 32, (21..32).sum::<u32>()]);
}
