//! Products of matrices, and their rows in shared memory.

use crate::snippet::Snippet;

/// The element of a matrix of small whole numbers.
fn number(row: usize, column: usize) -> f32 {
    ((row * 7 + column * 3) % 11) as f32 - 5.0
}

/// An instruction on a product of so many columns and rows, of elements of so many bits.
struct Case {
    modifiers: &'static str,
    depth: usize,
    bits: usize,
    to_bits: fn(f32) -> u32,
    half_sum: bool,
}

/// Whole numbers of one digit as an f16.
fn half(x: f32) -> u32 {
    if x == 0.0 {
        return 0;
    }
    let exponent = x.abs().log2().floor();
    let fraction = ((x.abs() / exponent.exp2() - 1.0) * 1024.0) as u32;
    u32::from(x < 0.0) << 15 | ((exponent as i32 + 15) as u32) << 10 | fraction
}

const CASES: [Case; 6] = [
    Case { modifiers: "m16n8k16.row.col.f32.f16.f16.f32", depth: 16, bits: 16, to_bits: half, half_sum: false },
    Case { modifiers: "m16n8k8.row.col.f32.f16.f16.f32", depth: 8, bits: 16, to_bits: half, half_sum: false },
    Case { modifiers: "m16n8k16.row.col.f16.f16.f16.f16", depth: 16, bits: 16, to_bits: half, half_sum: true },
    Case {
        modifiers: "m16n8k16.row.col.f32.bf16.bf16.f32",
        depth: 16,
        bits: 16,
        to_bits: |x| x.to_bits() >> 16,
        half_sum: false,
    },
    Case { modifiers: "m16n8k8.row.col.f32.tf32.tf32.f32", depth: 8, bits: 32, to_bits: f32::to_bits, half_sum: false },
    Case { modifiers: "m16n8k4.row.col.f32.tf32.tf32.f32", depth: 4, bits: 32, to_bits: f32::to_bits, half_sum: false },
];

/// Where the elements of the first factor are, by the figures of the manual: row and column for each lane, register and place.
fn place_in_first(lane: usize, register: usize, place: usize, bits: usize) -> (usize, usize) {
    let (group, member) = (lane / 4, lane % 4);
    let row = if register.is_multiple_of(2) { group } else { group + 8 };
    let column = if bits == 16 { member * 2 + place } else { member };
    let further = if bits == 16 { 8 } else { 4 };
    (row, if register < 2 { column } else { column + further })
}

#[test]
fn products_of_matrices_are_those_of_their_elements() {
    for Case { modifiers, depth, bits, to_bits, half_sum } in &CASES {
        let per_register = 32 / bits;
        let (in_second, in_sum) = (depth * 8 / 32 / per_register, if *half_sum { 2 } else { 4 });
        let in_first = 2 * in_second;
        let mut words = vec![0; 32 * 16];
        for lane in 0..32 {
            for register in 0..in_first {
                for place in 0..per_register {
                    let (row, column) = place_in_first(lane, register, place, *bits);
                    words[lane * 16 + register] |= to_bits(number(row, column)) << (bits * place);
                }
            }
            for register in 0..in_second {
                for place in 0..per_register {
                    // The second factor's columns lie as the first one's rows do.
                    let (column, row) = place_in_first(lane, 2 * register, place, *bits);
                    words[lane * 16 + 4 + register] |= to_bits(number(row + 1, column + 2)) << (bits * place);
                }
            }
        }
        let list = |first: usize, count: usize| {
            let all: Vec<String> = (first..first + count).map(|register| format!("%r{register}")).collect();
            format!("{{{}}}", all.join(", "))
        };
        let load: String =
            (0..6).map(|word| format!("ld.global.u32 %r{}, [%rd5+{}];\n", 10 + word, 4 * word)).collect();
        let store: String =
            (0..in_sum).map(|word| format!("st.global.u32 [%rd5+{}], %r{};\n", 32 + 4 * word, 20 + word)).collect();
        let zeros: String = (0..in_sum).map(|word| format!("mov.u32 %r{}, 0;\n", 20 + word)).collect();
        let body = format!(
            "mad.wide.u32 %rd5, %r0, 64, %rd0;\n{load}{zeros}mma.sync.aligned.{modifiers} {}, {}, {}, {};\n{store}",
            list(20, in_sum),
            list(10, in_first),
            list(14, in_second),
            list(20, in_sum)
        );
        let ran = Snippet::new(&body).words(words).run().unwrap_or_else(|fault| panic!("{modifiers}: {fault}"));
        for lane in 0..32 {
            for place in 0..4 {
                let (row, column) = (lane / 4 + place / 2 * 8, lane % 4 * 2 + place % 2);
                let expected: f32 = (0..*depth).map(|own| number(row, own) * number(own + 1, column + 2)).sum();
                let word = |register: usize| ran.words[lane * 16 + 8 + register];
                if *half_sum {
                    let found = word(place / 2) >> (16 * (place % 2)) & 0xffff;
                    assert_eq!(found, half(expected), "{modifiers}: row {row}, column {column}");
                } else {
                    assert_eq!(word(place), expected.to_bits(), "{modifiers}: row {row}, column {column}");
                }
            }
        }
    }
}

#[test]
fn rows_of_matrices_are_loaded_and_stored() {
    // Element i of shared memory is i, rows have 8 elements, so matrix m begins at 64 * m.
    let fill = "{ .shared .align 16 .b8 s[512]; mov.u32 %r9, s; }\nmad.lo.u32 %r1, %r0, 16, %r9;\nmul.lo.u32 %r2, %r0, 8;\n\
                mov.u32 %r3, 0;\nL:\nadd.u32 %r4, %r2, %r3;\ncvt.u16.u32 %h1, %r4;\nmad.lo.u32 %r5, %r3, 2, %r1;\n\
                st.shared.u16 [%r5], %h1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 8;\n@%p1 bra L;\n";
    let load = |trans: &str| {
        let body = format!(
            "{fill}ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r10, %r11, %r12, %r13}}, [%r1];\n\
             mad.wide.u32 %rd5, %r0, 16, %rd0;\nst.global.v4.u32 [%rd5], {{%r10, %r11, %r12, %r13}};"
        );
        Snippet::new(&body).words(vec![0; 128]).run().unwrap_or_else(|fault| panic!("{fault}")).words
    };
    let (plain, transposed) = (load(""), load(".trans"));
    for (place, (plain, transposed)) in plain.iter().zip(transposed).enumerate() {
        let (lane, matrix) = (place as u32 / 4, place as u32 % 4);
        let (row, column) = (lane / 4, lane % 4 * 2);
        let at = |row: u32, column: u32| 64 * matrix + 8 * row + column;
        assert_eq!(*plain, at(row, column) | at(row, column + 1) << 16);
        assert_eq!(transposed, at(column, row) | at(column + 1, row) << 16);
    }
    // What is loaded and stored with rows as columns twice is where it was.
    let body = format!(
        "{fill}ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {{%r10, %r11}}, [%r1];\n\
         stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r1], {{%r11, %r10}};\nld.shared.u32 %r5, [%r1+4];\nst.global.u32 [%rd1], %r5;"
    );
    let words = Snippet::new(&body).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    for row in 0..16_u32 {
        let other = 8 * ((row + 8) % 16) + 2;
        assert_eq!(words[row as usize], other | (other + 1) << 16);
    }
    let beyond = format!("{fill}ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r10}}, [%r1+512];");
    assert!(Snippet::new(&beyond).fault().contains("reads 16 bytes at 0x200, beyond the 512 bytes"), "beyond");
}
