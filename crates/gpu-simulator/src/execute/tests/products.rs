//! Products of matrices of other elements than f16, those of `wmma`, and those of four warps.

use crate::snippet::{Snippet, errors, kernel};

fn number(row: usize, column: usize) -> i32 {
    ((row * 7 + column * 3) % 11) as i32 - 5
}

fn expected(depth: usize, row: usize, column: usize) -> i32 {
    (0..depth).map(|along| number(row, along) * number(along + 1, column)).sum()
}

/// Registers from a lane's words, which are stored behind them when the instruction is done.
fn launch(instruction: &str, words_in: usize, words_out: usize, words: Vec<u32>) -> Vec<u32> {
    let load: String =
        (0..words_in).map(|word| format!("ld.global.u32 %r{}, [%rd5+{}];\n", 10 + word, 4 * word)).collect();
    let store: String = (0..words_out)
        .map(|word| format!("st.global.u32 [%rd5+{}], %r{};\n", 4 * (words_in + word), 30 + word))
        .collect();
    let zeros: String = (0..words_out).map(|word| format!("mov.u32 %r{}, 0;\n", 30 + word)).collect();
    let bytes = 4 * (words_in + words_out);
    let body = format!("mad.wide.u32 %rd5, %r0, {bytes}, %rd0;\n{load}{zeros}{instruction}\n{store}");
    Snippet::new(&body).words(words).run().unwrap_or_else(|fault| panic!("{instruction}: {fault}")).words
}

/// The bits of a small whole number as an e4m3 or an e5m2, of so many bits of fraction.
fn small(x: i32, fraction_bits: u32, bias: i32) -> u32 {
    if x == 0 {
        return 0;
    }
    let exponent = x.unsigned_abs().ilog2();
    let fraction = (x.unsigned_abs() - (1 << exponent)) << fraction_bits >> exponent;
    u32::from(x < 0) << 7 | ((exponent as i32 + bias) as u32) << fraction_bits | fraction
}

#[test]
fn products_of_bytes_are_those_of_their_elements() {
    type Bits = fn(i32) -> u32;
    let cases: [(&str, Bits); 3] = [
        ("s32.s8.s8.s32", |x| u32::from(x as u8)),
        ("f32.e4m3.e4m3.f32", |x| small(x, 3, 7)),
        ("f32.e5m2.e5m2.f32", |x| small(x.clamp(-4, 4), 2, 15)),
    ];
    for (types, to_bits) in cases {
        let is_wide = types.contains("e5m2");
        let cut = |x: i32| if is_wide { x.clamp(-4, 4) } else { x };
        // By the figures of the manual: group and member of a lane, four bytes of a register.
        let mut words = vec![0; 32 * 10];
        for lane in 0..32 {
            let (group, member) = (lane / 4, lane % 4);
            for place in 0..16 {
                let row = if place < 4 || (8..12).contains(&place) { group } else { group + 8 };
                let column = member * 4 + place % 4 + if place < 8 { 0 } else { 16 };
                words[lane * 10 + place / 4] |= to_bits(number(row, column)) << (8 * (place % 4));
            }
            for place in 0..8 {
                let row = member * 4 + place % 4 + if place < 4 { 0 } else { 16 };
                words[lane * 10 + 4 + place / 4] |= to_bits(number(row + 1, group)) << (8 * (place % 4));
            }
        }
        let instruction = format!(
            "mma.sync.aligned.m16n8k32.row.col.{types} {{%r30, %r31, %r32, %r33}}, {{%r10, %r11, %r12, %r13}}, {{%r14, %r15}}, \
             {{%r30, %r31, %r32, %r33}};"
        );
        let ran = launch(&instruction, 6, 4, words);
        for lane in 0..32 {
            for place in 0..4 {
                let (row, column) = (lane / 4 + place / 2 * 8, lane % 4 * 2 + place % 2);
                let sum: i32 = (0..32).map(|along| cut(number(row, along)) * cut(number(along + 1, column))).sum();
                let bits = if types.starts_with('s') { sum as u32 } else { (sum as f32).to_bits() };
                assert_eq!(ran[lane * 10 + 6 + place], bits, "{types}: row {row}, column {column}");
            }
        }
    }
}

#[test]
fn whole_numbers_wrap_or_stay_the_largest() {
    for (saturates, sum) in [("", (i32::MAX as u32).wrapping_add(64)), (".satfinite", i32::MAX as u32)] {
        // All elements are 2, of which 16 pairs are added to the largest number.
        let instruction = format!(
            "mov.u32 %r30, 0x7fffffff;\nmov.u32 %r31, 1;\nmma.sync.aligned.m8n8k16.row.col{saturates}.s32.s8.u8.s32 {{%r30, %r31}}, {{%r10}}, {{%r11}}, \
             {{%r30, %r31}};"
        );
        let words = (0..32).flat_map(|_| [0x0202_0202, 0x0202_0202, 0, 0]).collect();
        let ran = launch(&instruction, 2, 2, words);
        assert!(ran.chunks(4).all(|lane| lane[2..] == [sum, 65]), "{saturates}: {ran:?}");
    }
}

#[test]
fn products_of_doubles_are_rounded_with_each_sum() {
    // a[i][k] = 1 + 2^-30 and b[k][j] = 1 - 2^-30: a product is 1 - 2^-60, and rounded with what is there already.
    let body = "mov.f64 %rd5, 0d3FF0000000400000;\nmov.f64 %rd6, 0d3FEFFFFFFF800000;\nmov.u64 %rd7, 0;\nmov.u64 %rd8, 0;\n\
                mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd7, %rd8}, {%rd5}, {%rd6}, {%rd7, %rd8};\n\
                mad.wide.u32 %rd2, %r0, 8, %rd0;\nst.global.u64 [%rd2], %rd8;";
    let ran = Snippet::new(body).run().unwrap_or_else(|fault| panic!("{fault}"));
    let (a, b) = (f64::from_bits(0x3ff0_0000_0040_0000), f64::from_bits(0x3fef_ffff_ff80_0000));
    let sum = (0..4).fold(0.0, |all, _| a.mul_add(b, all));
    for lane in 0..32 {
        let bits = u64::from(ran.words[2 * lane]) | u64::from(ran.words[2 * lane + 1]) << 32;
        assert_eq!(bits, sum.to_bits());
    }
}

#[test]
fn matrices_of_wmma_come_from_memory_and_go_there() {
    for (rows, columns, name) in [(16, 16, "m16n16k16"), (32, 8, "m32n8k16"), (8, 32, "m8n32k16")] {
        // The first factor lies by rows, the second one by columns, with strides; bytes, four in a word.
        let mut bytes = vec![0_u8; 4096];
        for along in 0..16 {
            (0..rows).for_each(|row| bytes[row * 32 + along] = number(row, along) as u8);
            (0..columns).for_each(|column| bytes[1024 + column * 16 + along] = number(along + 1, column) as u8);
        }
        let (words, _) = bytes.as_chunks::<4>();
        let vector = |first: usize, bytes: usize| {
            let all: Vec<String> = (0..bytes / 128).map(|place| format!("%r{}", first + place)).collect();
            format!("{{{}}}", all.join(", "))
        };
        let (a, b, d) = (vector(10, rows * 16), vector(20, columns * 16), vector(30, 1024));
        let body = format!(
            "mov.u32 %r1, 32;\nwmma.load.a.sync.aligned.row.{name}.global.s8 {a}, [%rd0], %r1;\n\
             wmma.load.b.sync.aligned.col.{name}.global.s8 {b}, [%rd0+1024];\n\
             wmma.load.c.sync.aligned.row.{name}.global.s32 {d}, [%rd0+2048];\n\
             wmma.mma.sync.aligned.row.col.{name}.s32.s8.s8.s32 {d}, {a}, {b}, {d};\n\
             wmma.store.d.sync.aligned.col.{name}.global.s32 [%rd0+3072], {d};"
        );
        let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let ran = Snippet::new(&body).words(words).run().unwrap_or_else(|fault| panic!("{name}: {fault}")).words;
        for row in 0..rows {
            for column in 0..columns {
                let found = ran[768 + column * rows + row] as i32;
                assert_eq!(found, expected(16, row, column), "{name}: row {row}, column {column}");
            }
        }
    }
}

#[test]
fn matrices_that_lanes_cannot_share_are_refused() {
    for (shape, types) in [("m16n16k8", "s8"), ("m8n8k4", "f16"), ("m16n16k8", "u8")] {
        for part in ["a", "b"] {
            let body =
                format!("wmma.load.{part}.sync.aligned.row.{shape}.global.{types} {{%r1, %r2, %r3, %r4}}, [%rd0];");
            assert!(errors(&kernel("", &body)).contains("not supported"), "{body}");
        }
    }
}

#[test]
fn four_warps_multiply_what_is_in_shared_memory() {
    // Halves of small whole numbers, 64 rows of 16 and 16 rows of 8 columns: pieces of 8 rows of 16 bytes, the two of a row 1024 and 128 bytes apart.
    let body = "{ .shared .align 128 .b8 s[2304]; mov.u32 %r9, s; }\n\
         mov.u32 %r1, 0;\n\
         L:\n\
         mul.lo.u32 %r2, %r0, 7;\nmad.lo.u32 %r2, %r1, 3, %r2;\nrem.u32 %r2, %r2, 11;\nsub.s32 %r2, %r2, 5;\ncvt.rn.f16.s32 %h1, %r2;\n\
         shr.u32 %r3, %r0, 3;\nmul.lo.u32 %r3, %r3, 128;\nand.b32 %r4, %r0, 7;\nmad.lo.u32 %r3, %r4, 16, %r3;\n\
         shr.u32 %r4, %r1, 3;\nmad.lo.u32 %r5, %r4, 1024, %r3;\nand.b32 %r6, %r1, 7;\nmad.lo.u32 %r5, %r6, 2, %r5;\n\
         add.u32 %r5, %r5, %r9;\nsetp.lt.u32 %p1, %r0, 64;\n@%p1 st.shared.b16 [%r5], %h1;\n\
         add.u32 %r2, %r1, 1;\nmul.lo.u32 %r2, %r2, 7;\nmad.lo.u32 %r2, %r0, 3, %r2;\nrem.u32 %r2, %r2, 11;\nsub.s32 %r2, %r2, 5;\ncvt.rn.f16.s32 %h1, %r2;\n\
         mad.lo.u32 %r5, %r4, 128, 2048;\nmad.lo.u32 %r5, %r0, 16, %r5;\nmad.lo.u32 %r5, %r6, 2, %r5;\nadd.u32 %r5, %r5, %r9;\n\
         setp.lt.u32 %p1, %r0, 8;\n@%p1 st.shared.b16 [%r5], %h1;\n\
         add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\n\
         bar.sync 0;\nwgmma.fence.sync.aligned;\n\
         mov.u64 %rd5, DESCRIPTOR_A;\nmov.u64 %rd6, DESCRIPTOR_B;\n\
         mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\nsetp.eq.u32 %p2, 0, 0;\n\
         wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd5, %rd6, %p2, 1, SIGN, 0, 0;\n\
         wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n\
         mad.wide.u32 %rd2, %r0, 16, %rd0;\nst.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4};";
    // Addresses and distances in units of 16 bytes: the beginning, that along, that across.
    let descriptor =
        |start: u64, along: u64, across: u64| (start >> 4 | along >> 4 << 16 | across >> 4 << 32).to_string();
    for (sign, factor) in [("1", 1), ("-1", -1)] {
        let body = body
            .replace("DESCRIPTOR_A", &descriptor(0, 1024, 128))
            .replace("DESCRIPTOR_B", &descriptor(2048, 128, 128))
            .replace("SIGN", sign);
        let snippet = Snippet::new(&body).threads(128).words(vec![0; 512]);
        let ran = snippet.run().unwrap_or_else(|fault| panic!("{fault}")).words;
        for thread in 0..128 {
            for place in 0..4 {
                let (lane, warp) = (thread % 32, thread / 32);
                let (row, column) = (warp * 16 + lane / 4 + place / 2 * 8, lane % 4 * 2 + place % 2);
                let sum = 1 + factor * expected(16, row, column);
                assert_eq!(ran[4 * thread + place], (sum as f32).to_bits(), "row {row}, column {column}");
            }
        }
    }
}
