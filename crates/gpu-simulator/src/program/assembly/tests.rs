//! Machine instructions of tiny kernels, against what `ptxas -arch sm_80` and `-arch sm_90` of CUDA 13.0 make of them, as `nvdisasm -c`
//! lists it: all instructions up to the last `EXIT`, but for the ways of lanes that come to a shuffle alone.

use crate::program::Program;
use crate::snippet::{kernel, program};

/// A snippet, and its machine instructions.
struct Case {
    name: &'static str,
    body: &'static str,
    /// On compute capability 8.0.
    ampere: u32,
    /// On compute capability 9.0.
    hopper: u32,
}

const CASES: &[Case] = &[
    Case {
        name: "an address is one multiply-add",
        body: "mul.wide.u32 %rd2, %r0, 8;\nadd.s64 %rd3, %rd0, %rd2;\nst.global.u32 [%rd3], %r0;",
        ampere: 7,
        hopper: 7,
    },
    Case {
        name: "an offset",
        body: "add.s64 %rd2, %rd1, 64;\nst.global.u32 [%rd2], %r0;\nst.global.u32 [%rd2+4], %r0;",
        ampere: 8,
        hopper: 9,
    },
    Case {
        name: "a shift that is added",
        body: "shl.b32 %r1, %r0, 3;\nadd.s32 %r2, %r1, %r0;\nst.global.u32 [%rd1], %r2;",
        ampere: 8,
        hopper: 9,
    },
    Case {
        name: "a product that is added",
        body: "ld.global.u32 %r1, [%rd1];\nmul.lo.s32 %r2, %r1, %r1;\nadd.s32 %r3, %r2, %r0;\nst.global.u32 [%rd1], %r3;",
        ampere: 9,
        hopper: 10,
    },
    Case {
        name: "three sums",
        body: "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r4, [%rd1+4];\nadd.s32 %r2, %r1, %r0;\nadd.s32 %r3, %r2, %r4;\nst.global.u32 [%rd1], %r3;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "five numbers that are added one after the other",
        body: "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nld.global.u32 %r3, [%rd1+8];\nld.global.u32 %r4, [%rd1+12];\nadd.s32 %r11, %r1, %r0;\nadd.s32 %r12, %r2, %r11;\nadd.s32 %r13, %r3, %r12;\nadd.s32 %r14, %r4, %r13;\nst.global.u32 [%rd1], %r14;",
        ampere: 13,
        hopper: 14,
    },
    Case {
        name: "logic of five",
        body: "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd1+4];\nld.global.u32 %r3, [%rd1+8];\nld.global.u32 %r4, [%rd1+12];\nxor.b32 %r11, %r1, %r0;\nand.b32 %r12, %r2, %r11;\nxor.b32 %r13, %r3, %r12;\nand.b32 %r14, %r4, %r13;\nst.global.u32 [%rd1], %r14;",
        ampere: 13,
        hopper: 14,
    },
    Case {
        name: "logic of three",
        body: "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r4, [%rd1+4];\nand.b32 %r2, %r1, %r0;\nxor.b32 %r3, %r2, %r4;\nst.global.u32 [%rd1], %r3;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "a comparison with a predicate",
        body: "ld.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p1, %r1, 7;\nsetp.gt.u32 %p2, %r0, 3;\nand.pred %p3, %p1, %p2;\nselp.b32 %r2, %r1, %r0, %p3;\nst.global.u32 [%rd1], %r2;",
        ampere: 11,
        hopper: 12,
    },
    Case {
        name: "a product of numbers",
        body: "ld.global.u32 %r1, [%rd1];\nmad.lo.s32 %r2, %r1, 1664525, 1013904223;\nst.global.u32 [%rd1], %r2;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "logic that is compared with zero",
        body: "ld.global.u32 %r1, [%rd1];\nand.b32 %r2, %r1, %r0;\nsetp.ne.s32 %p1, %r2, 0;\nselp.b32 %r3, %r0, 7, %p1;\nst.global.u32 [%rd1], %r3;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "logic that is compared with another number",
        body: "ld.global.u32 %r1, [%rd1];\nand.b32 %r2, %r1, %r0;\nsetp.ne.s32 %p1, %r2, 5;\nselp.b32 %r3, %r0, 7, %p1;\nst.global.u32 [%rd1], %r3;",
        ampere: 11,
        hopper: 12,
    },
    Case {
        name: "the upper half of a product",
        body: "ld.global.u32 %r1, [%rd1];\nmul.wide.u32 %rd2, %r1, %r0;\nshr.u64 %rd3, %rd2, 32;\ncvt.u32.u64 %r2, %rd3;\nst.global.u32 [%rd1], %r2;",
        ampere: 9,
        hopper: 10,
    },
    Case {
        name: "less than the upper half of a product",
        body: "ld.global.u32 %r1, [%rd1];\nmul.wide.u32 %rd2, %r1, %r0;\nshr.u64 %rd3, %rd2, 35;\ncvt.u32.u64 %r2, %rd3;\nst.global.u32 [%rd1], %r2;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "a shift to the right that is added",
        body: "ld.global.u32 %r1, [%rd1];\nshr.u32 %r2, %r1, 3;\nadd.s32 %r3, %r2, %r0;\nst.global.u32 [%rd1], %r3;",
        ampere: 9,
        hopper: 10,
    },
    Case {
        name: "a shift to the right that is taken away",
        body: "ld.global.u32 %r1, [%rd1];\nshr.u32 %r2, %r1, 3;\nsub.s32 %r3, %r0, %r2;\nst.global.u32 [%rd1], %r3;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "a product with a number that is taken away",
        body: "ld.global.u32 %r1, [%rd1];\nmul.lo.s32 %r2, %r1, 12;\nsub.s32 %r3, %r0, %r2;\nst.global.u32 [%rd1], %r3;",
        ampere: 9,
        hopper: 10,
    },
    Case {
        name: "a product of registers that is taken away",
        body: "ld.global.u32 %r1, [%rd1];\nmul.lo.s32 %r2, %r1, %r0;\nsub.s32 %r3, %r0, %r2;\nst.global.u32 [%rd1], %r3;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "a shift that is taken away",
        body: "ld.global.u32 %r1, [%rd1];\nshl.b32 %r2, %r1, 3;\nsub.s32 %r3, %r0, %r2;\nst.global.u32 [%rd1], %r3;",
        ampere: 9,
        hopper: 10,
    },
    Case {
        name: "shuffles that some lanes may leave out",
        body: "ld.global.u32 %r1, [%rd1];\nsetp.gt.u32 %p1, %r0, 31;\n@%p1 bra A;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nadd.s32 %r1, %r1, %r2;\nshfl.sync.bfly.b32 %r2, %r1, 2, 31, -1;\nadd.s32 %r1, %r1, %r2;\nA:\nst.global.u32 [%rd1], %r1;",
        ampere: 17,
        hopper: 19,
    },
    Case {
        name: "shuffles of all lanes",
        body: "ld.global.u32 %r1, [%rd1];\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nadd.s32 %r1, %r1, %r2;\nshfl.sync.bfly.b32 %r2, %r1, 2, 31, -1;\nadd.s32 %r1, %r1, %r2;\nst.global.u32 [%rd1], %r1;",
        ampere: 12,
        hopper: 13,
    },
    Case {
        name: "a number that is stored",
        body: "st.global.u32 [%rd1], 7;\nmov.u32 %r1, 0;\nst.global.u32 [%rd1+4], %r1;",
        ampere: 9,
        hopper: 10,
    },
    Case {
        name: "an index of 64 bits",
        body: "ld.global.u64 %rd2, [%rd1];\nshl.b64 %rd3, %rd2, 2;\nadd.s64 %rd4, %rd0, %rd3;\nst.global.u32 [%rd4], %r0;",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "a short branch",
        body: "ld.global.u32 %r1, [%rd1];\nsetp.gt.u32 %p1, %r0, 3;\n@%p1 bra A;\nadd.s32 %r1, %r1, 5;\nst.global.u32 [%rd1+8], %r1;\nA:\nst.global.u32 [%rd1], %r1;",
        ampere: 11,
        hopper: 12,
    },
    Case {
        name: "a long branch",
        body: "ld.global.u32 %r1, [%rd1];\nsetp.gt.u32 %p1, %r0, 3;\n@%p1 bra A;\nmul.lo.s32 %r1, %r1, %r1;\nxor.b32 %r1, %r1, 5;\nmul.lo.s32 %r1, %r1, %r1;\nxor.b32 %r1, %r1, 5;\nmul.lo.s32 %r1, %r1, %r1;\nxor.b32 %r1, %r1, 5;\nmul.lo.s32 %r1, %r1, %r1;\nxor.b32 %r1, %r1, 5;\nmul.lo.s32 %r1, %r1, %r1;\nxor.b32 %r1, %r1, 5;\nA:\nst.global.u32 [%rd1], %r1;",
        ampere: 22,
        hopper: 23,
    },
    Case {
        name: "a branch to the end",
        body: "ld.global.u32 %r1, [%rd1];\nsetp.gt.u32 %p1, %r0, 3;\n@%p1 bra A;\nst.global.u32 [%rd1], %r1;\nA:",
        ampere: 10,
        hopper: 11,
    },
    Case {
        name: "shared memory",
        body: "shl.b32 %r1, %r0, 2;\nmov.u32 %r2, tile;\nadd.s32 %r3, %r2, %r1;\nst.shared.u32 [%r3], %r0;\nbar.sync 0;\nld.shared.u32 %r4, [%r3+4];\nst.global.u32 [%rd1], %r4;",
        ampere: 11,
        hopper: 15,
    },
    Case {
        name: "extents",
        body: "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r3, %r1, %r2, %r0;\nst.global.u32 [%rd1], %r3;",
        ampere: 9,
        hopper: 11,
    },
    Case {
        name: "a loop",
        body: "mov.u32 %r1, 0;\nld.global.u32 %r2, [%rd1];\nA:\n.pragma \"nounroll\";\nmad.lo.s32 %r2, %r2, 1664525, 1013904223;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r0;\n@%p1 bra A;\nst.global.u32 [%rd1], %r2;",
        ampere: 16,
        hopper: 17,
    },
    Case {
        name: "a division",
        body: "ld.global.u32 %r1, [%rd1];\ndiv.u32 %r2, %r1, %r0;\nst.global.u32 [%rd1], %r2;",
        ampere: 26,
        hopper: 27,
    },
];

const TILE: &str = ".extern .shared .align 4 .b8 tile[];";

fn snippet(body: &str) -> Program {
    program(&kernel(TILE, body))
}

/// All machine instructions, each counted once. The `ret` that decoding adds is not reached.
fn machine_instructions(program: &Program, capability: (u32, u32)) -> f32 {
    let (_, reached) = program.code.split_last().expect("there is an end");
    reached.iter().map(|own| own.cost_on(capability).total()).sum()
}

#[test]
fn tiny_kernels_have_as_many_machine_instructions_as_ptxas_makes() {
    for case in CASES {
        let program = snippet(case.body);
        let counts = [(8, 0), (9, 0)].map(|capability| machine_instructions(&program, capability));
        assert_eq!(counts.map(|count| count as u32), [case.ampere, case.hopper], "{}", case.name);
    }
}

/// What `ptxas -arch sm_90` makes of exchanges that some lanes leave out: a lone one has a WARPSYNC and no place to meet, several have a branch
/// that checks (BRA.DIV), also behind that place; a barrier of the block behind them has a WARPSYNC, at which lanes that parted just before meet.
#[test]
fn exchanges_that_lanes_may_come_to_apart_are_checked_or_gathered_for() {
    let exchange =
        |distance: u32| format!("shfl.sync.bfly.b32 %r2, %r1, {distance}, 31, -1;\nadd.s32 %r1, %r1, %r2;\n");
    let (one, two) = (exchange(1), exchange(1) + &exchange(2));
    for (name, left_out, behind, hopper) in [
        ("a lone one", &one, String::new(), 14),
        ("another one behind it", &one, exchange(2), 21),
        ("a lone one and a barrier", &one, "bar.sync 0;\n".to_owned(), 16),
        ("two and a barrier", &two, "bar.sync 0;\n".to_owned(), 19),
    ] {
        let body = format!(
            "ld.global.u32 %r1, [%rd1];\nsetp.gt.u32 %p1, %r0, 31;\n@%p1 bra A;\n{left_out}A:\n{behind}st.global.u32 [%rd1], %r1;"
        );
        assert_eq!(machine_instructions(&snippet(&body), (9, 0)) as u32, hopper, "{name}");
    }
}

/// Lanes need no place to meet where all have what one of them has (`ptxas -arch sm_90`).
#[test]
fn what_all_lanes_have_from_one_is_alike() {
    for (mode, hopper) in [("idx.b32 %r2, %r1, 0", 13), ("idx.b32 %r2, %r1, %r3", 13), ("bfly.b32 %r2, %r1, 1", 15)] {
        let body = format!(
            "mov.u32 %r3, 0;\nld.global.u32 %r1, [%rd1];\nshfl.sync.{mode}, 31, -1;\nsetp.gt.u32 %p1, %r2, 31;\n@%p1 bra A;\n\
             red.global.add.u32 [%rd1+128], %r1;\nA:\nst.global.u32 [%rd1], %r1;"
        );
        assert_eq!(machine_instructions(&snippet(&body), (9, 0)) as u32, hopper, "{mode}");
    }
}

/// A register that others than the number come to holds it where it was moved there just before (R2UR in the machine code).
#[test]
fn what_all_lanes_have_from_one_is_alike_where_its_number_was_written_just_before() {
    let count = |before: &str| {
        let body = format!(
            "ld.global.u32 %r1, [%rd1];\nmov.u32 %r3, 0;\n{before}shfl.sync.idx.b32 %r2, %r1, %r3, 31, -1;\nsetp.gt.u32 %p1, %r2, 31;\n\
             @%p1 bra A;\nred.global.add.u32 [%rd1+128], %r1;\nA:\nxor.b32 %r3, %r1, %r0;\nst.global.u32 [%rd1], %r3;"
        );
        machine_instructions(&snippet(&body), (9, 0)) as u32
    };
    let alike = count("");
    assert_eq!(count("xor.b32 %r3, %r0, 3;\n"), alike + 3, "two for the place to meet, and the lane's number");
}

/// As in the machine code of `atomics_warp_aggregated`: BSSY, WARPSYNC.EXCLUSIVE, MATCH and BSYNC.
#[test]
fn a_match_of_computed_members_brings_them_together_first() {
    let of = |members: &str| {
        let body = format!("match.any.sync.b32 %r2, %r0, {members};\nst.global.u32 [%rd1], %r2;");
        machine_instructions(&snippet(&body), (9, 0))
    };
    assert_eq!((of("%r0") - of("-1")) as u32, 3);
}

#[test]
fn old_gpus_keep_the_costs_of_the_rows() {
    for case in CASES {
        for instruction in snippet(case.body).code {
            let (cost, row) = (instruction.cost_on((1, 3)), instruction.row.cost_on((1, 3)));
            assert_eq!((cost.class, cost.total()), (row.class, f32::from(row.weight)), "{}", case.name);
        }
    }
}

/// What brings subnormal numbers into the range of the unit, and back, is left out where they are taken to be zero.
#[test]
fn functions_that_flush_subnormal_numbers_need_less() {
    for (form, ampere, hopper) in [
        ("rsqrt.approx.f32", 12, 13),
        ("rsqrt.approx.ftz.f32", 9, 10),
        ("sqrt.approx.ftz.f32", 9, 10),
        ("ex2.approx.ftz.f32", 9, 10),
        ("lg2.approx.ftz.f32", 9, 10),
        ("rcp.approx.f32", 16, 17),
        ("rcp.approx.ftz.f32", 9, 10),
        ("div.approx.ftz.f32", 11, 12),
        ("div.full.ftz.f32", 14, 15),
    ] {
        let (second, operands) =
            if form.starts_with("div") { ("ld.global.f32 %f3, [%rd1+4];\n", "%f1, %f3") } else { ("", "%f1") };
        let body = format!("ld.global.f32 %f1, [%rd1];\n{second}{form} %f2, {operands};\nst.global.f32 [%rd1], %f2;");
        let program = snippet(&body);
        let counts = [(8, 0), (9, 0)].map(|capability| machine_instructions(&program, capability) as u32);
        assert_eq!(counts, [ampere, hopper], "{form}");
    }
}
