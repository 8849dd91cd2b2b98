//! Against what `ptxas -arch sm_90` of CUDA 13.0 makes of the same instructions, as `nvdisasm -c` lists it.

use crate::program::{Operation, Program, Space};
use crate::snippet::{Snippet, compiled, kernel};
use proptest::prelude::*;

const MODULE: &str = ".shared .align 16 .b8 tile[4096]; .shared .align 4 .b8 other[64];";
/// `%r3` is a multiple of 16.
const BY_16: &str = "mov.u32 %r1, tile; shl.b32 %r2, %r0, 4; add.u32 %r3, %r1, %r2;\n";

fn program_of(module: &str, body: &str) -> Program {
    compiled(&kernel(module, body))
}

/// The bytes of each access of shared memory.
fn widths_in(module: &str, body: &str) -> Vec<usize> {
    let program = program_of(module, body);
    let widths = program.code.iter().filter_map(|own| match &own.operation {
        Operation::Load { access, destinations } if access.space == Space::Shared => {
            Some(usize::from(access.element_bytes) * destinations.len())
        }
        Operation::Store { access, words, longs } if access.space == Space::Shared => {
            Some(usize::from(access.element_bytes) * (words.len() + longs.len()))
        }
        _ => None,
    });
    let mut widths: Vec<usize> = widths.collect();
    widths.sort_unstable();
    widths
}

fn widths(body: &str) -> Vec<usize> {
    widths_in(MODULE, &format!("{BY_16}{body}"))
}

fn loads_at(offsets: &[u32]) -> String {
    let load = |(place, offset): (usize, &u32)| format!("ld.shared.u32 %r{}, [%r3+{offset}];\n", 10 + place);
    offsets.iter().enumerate().map(load).collect()
}

fn stores_at(offsets: &[u32]) -> String {
    let store = |(place, offset): (usize, &u32)| format!("st.shared.u32 [%r3+{offset}], %r{};\n", 10 + place);
    offsets.iter().enumerate().map(store).collect()
}

#[test]
fn loads_of_a_line_are_one_where_three_words_or_a_half_are_asked_for() {
    for (offsets, joined) in [
        (&[0, 4][..], &[8][..]),
        (&[8, 12], &[8]),
        (&[0, 4, 8], &[16]),
        (&[4, 8, 12], &[16]),
        (&[0, 4, 12], &[16]),
        (&[0, 8, 12], &[16]),
        (&[12, 8, 4, 0], &[16]),
        (&[0, 4, 8, 12, 16, 20, 24, 28], &[16, 16]),
        (&[4, 8, 12, 16, 20, 24], &[16, 16]),
        (&[4, 8], &[4, 4]),
        (&[0, 8], &[4, 4]),
        (&[0, 12], &[4, 4]),
        (&[12, 16], &[4, 4]),
    ] {
        assert_eq!(widths(&loads_at(offsets)), joined, "{offsets:?}");
    }
}

#[test]
fn stores_are_one_where_all_of_a_line_or_of_a_half_is_written() {
    for (offsets, joined) in [
        (&[0, 4][..], &[8][..]),
        (&[8, 12], &[8]),
        (&[0, 4, 8], &[4, 8]),
        (&[4, 8, 12], &[4, 8]),
        (&[0, 8, 4], &[4, 8]),
        (&[0, 4, 8, 12], &[16]),
        (&[12, 8, 4, 0], &[16]),
        (&[0, 4, 8, 12, 16, 20], &[8, 16]),
        (&[4, 8], &[4, 4]),
        (&[0, 0, 4], &[4, 8]),
        (&[0, 64, 4], &[4, 4, 4]),
    ] {
        assert_eq!(widths(&stores_at(offsets)), joined, "{offsets:?}");
    }
}

#[test]
fn an_address_must_be_known_to_be_a_multiple() {
    let all = loads_at(&[0, 4, 8, 12]);
    for (address, joined) in [
        ("mov.u32 %r1, tile; shl.b32 %r2, %r0, 6; add.u32 %r3, %r1, %r2;", &[16][..]),
        ("mov.u32 %r1, tile; shl.b32 %r2, %r0, 3; add.u32 %r3, %r1, %r2;", &[8, 8]),
        ("mov.u32 %r1, tile; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;", &[4, 4, 4, 4]),
        ("mov.u32 %r1, tile; mad.lo.u32 %r3, %r0, 48, %r1;", &[16]),
        ("mov.u32 %r1, tile; mad.lo.u32 %r3, %r0, 20, %r1;", &[4, 4, 4, 4]),
        ("mov.u32 %r1, tile; and.b32 %r2, %r0, -16; add.u32 %r3, %r1, %r2;", &[16]),
        ("mov.u32 %r1, tile; shr.u32 %r4, %r0, 2; shl.b32 %r2, %r4, 4; add.u32 %r3, %r2, %r1;", &[16]),
        ("mov.u32 %r1, tile; shl.b32 %r2, %r0, 4; add.u32 %r4, %r1, 512; sub.u32 %r3, %r4, %r2;", &[16]),
        ("mov.u32 %r1, tile; shl.b32 %r2, %r0, 4; xor.b32 %r4, %r2, 32; add.u32 %r3, %r1, %r4;", &[16]),
        ("mov.u32 %r3, %r0;", &[4, 4, 4, 4]),
    ] {
        assert_eq!(widths_in(MODULE, &format!("{address}\n{all}")), joined, "{address}");
    }
}

#[test]
fn the_place_of_a_variable_counts_and_not_its_declaration() {
    let body = format!(
        "st.shared.u8 [before], %r0; mov.u32 %r1, own; shl.b32 %r2, %r0, 4; add.u32 %r3, %r1, %r2;\n{}",
        loads_at(&[0, 4, 8, 12])
    );
    for (before, joined) in [(4, &[4, 4, 4, 4][..]), (8, &[8, 8]), (16, &[16]), (64, &[16])] {
        let module = format!(".shared .align 4 .b8 before[{before}]; .shared .align 4 .b8 own[4000];");
        assert_eq!(widths_in(&module, &body)[1..], *joined, "{before} bytes before it");
    }
}

#[test]
fn some_instructions_keep_accesses_apart() {
    let around = |between: &str| format!("{}{between}\n{}", loads_at(&[0]), "ld.shared.u32 %r11, [%r3+4];");
    for between in [
        "st.global.u32 [%rd1], %r0;",
        "red.global.add.u32 [%rd1], %r0;",
        "shfl.sync.idx.b32 %r20, %r0, 3, 31, -1;",
        "ld.shared.u32 %r20, [%r0];",
        "ld.volatile.shared.u32 %r20, [other];",
        "mov.u32 %r20, %clock;",
    ] {
        assert!(widths(&around(between)).contains(&8), "{between}");
    }
    for between in [
        "st.shared.u32 [%r3+32], %r0;",
        "st.shared.u32 [other], %r0;",
        "st.u32 [%rd1], %r0;",
        "atom.shared.add.u32 %r20, [other], %r0;",
        "bar.sync 0;",
        "bar.warp.sync -1;",
        "membar.cta;",
        "nanosleep.u32 20;",
        "cp.async.ca.shared.global [other], [%rd1], 4;",
    ] {
        assert!(!widths(&around(between)).contains(&8), "{between}");
    }
    let around = |between: &str| format!("{}{between}\n{}", stores_at(&[0]), "st.shared.u32 [%r3+4], %r11;");
    for between in ["ld.global.u32 %r11, [%rd1];", "shfl.sync.idx.b32 %r20, %r0, 3, 31, -1;"] {
        assert!(widths(&around(between)).contains(&8), "{between}");
    }
    for between in ["ld.shared.u32 %r20, [%r3+64];", "st.shared.u32 [other], %r0;", "bar.sync 0;"] {
        assert!(!widths(&around(between)).contains(&8), "{between}");
    }
}

#[test]
fn widths_and_ways_of_writing_matter() {
    for (body, joined) in [
        ("ld.shared.b64 %rd2, [%r3]; ld.shared.b64 %rd3, [%r3+8];", &[16][..]),
        ("ld.shared.b64 %rd2, [%r3]; ld.shared.f32 %f1, [%r3+8]; ld.shared.f32 %f2, [%r3+12];", &[8, 8]),
        ("ld.shared.v2.u32 {%r4, %r5}, [%r3]; ld.shared.v2.u32 {%r6, %r7}, [%r3+8];", &[16]),
        ("ld.shared.v2.u32 {%r4, %r5}, [%r3]; ld.shared.u32 %r6, [%r3+8];", &[16]),
        ("ld.shared.u32 %r4, [%r3]; ld.shared.f32 %f1, [%r3+4];", &[8]),
        ("ld.shared.u16 %h1, [%r3]; ld.shared.u16 %h2, [%r3+2];", &[4]),
        ("ld.shared.u16 %h1, [%r3]; ld.shared.u16 %h2, [%r3+2]; ld.shared.u16 %h3, [%r3+4];", &[8]),
        ("ld.shared.u16 %r4, [%r3]; ld.shared.u16 %r5, [%r3+2];", &[2, 2]),
        ("ld.shared.s16 %h1, [%r3]; ld.shared.s16 %h2, [%r3+2];", &[2, 2]),
        ("ld.shared.u8 %r4, [%r3]; ld.shared.u8 %r5, [%r3+1];", &[1, 1]),
        ("ld.volatile.shared.u32 %r4, [%r3]; ld.volatile.shared.u32 %r5, [%r3+4];", &[4, 4]),
        ("add.u32 %r9, %r3, 4; ld.shared.u32 %r4, [%r3]; ld.shared.u32 %r5, [%r9];", &[8]),
        ("ld.shared.u32 %r4, [tile]; ld.shared.u32 %r5, [tile+4];", &[8]),
        ("st.shared.v2.u32 [%r3], {%r4, %r5}; st.shared.v2.u32 [%r3+8], {%r6, %r7};", &[16]),
        ("st.shared.v2.u32 [%r3], {%r4, %r5}; st.shared.u32 [%r3+8], %r6; st.shared.u32 [%r3+12], %r7;", &[4, 4, 8]),
        ("st.shared.u16 [%r3], %h1; st.shared.u16 [%r3+2], %h2;", &[4]),
        ("st.shared.b64 [%r3], %rd2; st.shared.b64 [%r3+8], %rd3;", &[16]),
        ("st.volatile.shared.u32 [%r3], %r4; st.volatile.shared.u32 [%r3+4], %r5;", &[4, 4]),
    ] {
        assert_eq!(widths(body), joined, "{body}");
    }
}

#[test]
fn what_is_known_goes_through_loops() {
    let around = |step: u32| {
        format!(
            "mov.u32 %r5, 0;\nL: .pragma \"nounroll\";\n{}add.u32 %r3, %r3, {step}; add.u32 %r5, %r5, 1;\n\
             setp.lt.u32 %p1, %r5, 9;\n@%p1 bra L;",
            loads_at(&[0, 4, 8, 12])
        )
    };
    assert_eq!(widths(&around(16)), [16]);
    assert_eq!(widths(&around(8)), [8, 8]);
    assert_eq!(widths(&around(4)), [4, 4, 4, 4]);
}

#[test]
fn the_line_is_that_of_the_first() {
    let program = program_of(MODULE, &format!("{BY_16}{}", loads_at(&[4, 0])));
    let line = program
        .code
        .iter()
        .find(|own| matches!(&own.operation, Operation::Load { destinations, .. } if destinations.len() == 2));
    assert_eq!(line.map(|own| own.line), Some(3));
}

#[test]
fn a_joined_load_may_go_beyond_the_end_where_nobody_asks() {
    let module = ".shared .align 16 .b8 small[12];";
    let body = "st.shared.u32 [small], 1; st.shared.u32 [small+4], 2; st.shared.u32 [small+8], 3;\nbar.sync 0;\n\
                ld.shared.u32 %r3, [small]; ld.shared.u32 %r4, [small+4]; ld.shared.u32 %r5, [small+8];\n\
                add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; st.global.u32 [%rd1], %r3;";
    assert_eq!(widths_in(module, body), [4, 8, 16]);
    let ran = Snippet::with(module, body).run_compiled().unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(ran.words[..32], [6; 32]);
}

/// Stores, loads and arithmetic on a few registers and words.
fn instructions() -> impl Strategy<Value = String> {
    let register = || 4..9_u32;
    let base = || prop_oneof![Just("%r3"), Just("%r9")];
    prop_oneof![
        (register(), base(), 0..8_u32)
            .prop_map(|(to, base, at)| format!("ld.shared.u32 %r{to}, [{base}+{}];\n", 4 * at)),
        (register(), base(), 0..8_u32)
            .prop_map(|(from, base, at)| format!("st.shared.u32 [{base}+{}], %r{from};\n", 4 * at)),
        (register(), base(), 0..4_u32).prop_map(|(to, base, at)| {
            format!("ld.shared.v2.u32 {{%r{to}, %r{}}}, [{base}+{}];\n", 9 - to + 4, 8 * at)
        }),
        (register(), register()).prop_map(|(to, from)| format!("add.u32 %r{to}, %r{from}, %r{to};\n")),
        Just("add.u32 %r9, %r3, 16;\n".to_owned()),
        Just("sub.u32 %r9, %r9, 4;\n".to_owned()),
    ]
    .prop_filter("the registers of a vector differ", |own| !own.contains("{%r") || !own.contains("{%r6, %r7"))
}

proptest! {
    #[test]
    fn a_kernel_computes_the_same(body in prop::collection::vec(instructions(), 1..40)) {
        let text = format!(
            "mov.u32 %r1, tile; mad.lo.u32 %r3, %r0, 128, %r1; add.u32 %r3, %r3, 32; add.u32 %r9, %r3, 32;\n\
             mov.u32 %r4, 1; mov.u32 %r5, %r0; mov.u32 %r6, 77; mov.u32 %r7, 5; mov.u32 %r8, 99;\n{}\
             mad.lo.u32 %r4, %r4, 31, %r5; mad.lo.u32 %r4, %r4, 31, %r6; mad.lo.u32 %r4, %r4, 31, %r7;\n\
             mad.lo.u32 %r4, %r4, 31, %r8; st.global.u32 [%rd1], %r4;",
            body.concat()
        );
        let written = Snippet::with(MODULE, &text).run();
        let compiled = Snippet::with(MODULE, &text).run_compiled();
        match (written, compiled) {
            (Ok(written), Ok(compiled)) => prop_assert_eq!(written.words, compiled.words),
            // The bases may have gone where pairs are not aligned, or beyond the memory.
            (Err(_), _) => {}
            (Ok(_), Err(fault)) => prop_assert!(false, "{}", fault),
        }
    }
}
