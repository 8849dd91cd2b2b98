//! Atomics of 16 bits, on pairs of them, and on vectors.

use crate::snippet::{Snippet, errors, kernel};

#[test]
fn halves_are_added_one_after_the_other() {
    // 32 lanes add 1 to 2046: from 2048 on the spacing is 2, and halves of it are rounded to even.
    let body = "mov.b16 %h1, 0x3C00;\nred.global.add.noftz.f16 [%rd0+2], %h1;";
    let words = Snippet::new(body).words(vec![0x67fe_1234; 64]).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!(words[0], 0x6800_1234);
    // Pairs: 1 and 2^-24, the least subnormal number, are added 32 times. The old values come back.
    let body =
        "mov.b32 %r2, 0x00013C00;\natom.global.add.noftz.f16x2 %r3, [%rd0], %r2;\nst.global.u32 [%rd1+128], %r3;";
    let words = Snippet::new(body).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!((words[0], words[32], words[33]), (0x0020_5000, 0, 0x0001_3c00));
    // bf16: 256 + 1 is 256, whose spacing is 2.
    let body = "mov.b32 %r2, 0x3F803F80;\nred.global.add.noftz.bf16x2 [%rd0], %r2;";
    let words = Snippet::new(body).words(vec![0x4380_0000; 64]).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!(words[0], 0x4380_4200);
}

#[test]
fn half_a_word_is_compared_and_swapped() {
    let body = "mov.b16 %h1, 7;\nmov.b16 %h2, 9;\natom.global.cas.b16 %h3, [%rd0+2], %h1, %h2;\ncvt.u32.u16 %r2, %h3;\n\
                st.global.u32 [%rd1+128], %r2;";
    let words = Snippet::new(body).words(vec![0x0007_0007; 64]).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!((words[0], words[32], words[33]), (0x0009_0007, 7, 9));
}

#[test]
fn a_vector_is_added_element_by_element_whichever_way_it_is_written() {
    // 32 lanes add 1, 2, 0.5 and 4. The last lane finds what the others left.
    let added =
        "mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0f3F000000;\nmov.f32 %f3, 0f40800000;\n";
    let body = |atomic: &str| {
        format!("{added}{atomic}\nsetp.eq.u32 %p1, %r0, 31;\n@%p1 st.global.v4.f32 [%rd0+16], {{%f4, %f5, %f6, %f7}};")
    };
    for atomic in [
        "atom.global.add.v4.f32 {%f4, %f5, %f6, %f7}, [%rd0], {%f0, %f1, %f2, %f3};",
        "atom.relaxed.gpu.global.v4.f32.add {%f4, %f5, %f6, %f7}, [%rd0], {%f0, %f1, %f2, %f3};",
    ] {
        let words = Snippet::new(&body(atomic)).run().unwrap_or_else(|fault| panic!("{atomic}: {fault}")).words;
        let floats: Vec<f32> = words[..8].iter().map(|word| f32::from_bits(*word)).collect();
        assert_eq!(floats, [32.0, 64.0, 16.0, 128.0, 31.0, 62.0, 15.5, 124.0], "{atomic}");
    }
    // Four pairs of halves: 1 and 2, 32 times each; eight halves of which two are left out.
    let body = "mov.b32 %r2, 0x40003C00;\nred.global.add.noftz.v4.f16x2 [%rd0], {%r2, %r2, %r2, %r2};\nmov.b16 %h1, 0x3C00;\n\
                red.global.add.noftz.v2.f16 [%rd0+16], {%h1, %h1};";
    let words = Snippet::new(body).run().unwrap_or_else(|fault| panic!("{fault}")).words;
    assert_eq!(words[..6], [0x5400_5000, 0x5400_5000, 0x5400_5000, 0x5400_5000, 0x5000_5000, 0]);
}

#[test]
fn a_vector_is_one_request_at_a_place_that_is_a_multiple_of_its_size() {
    let misplaced = "red.global.add.v2.f32 [%rd0+4], {%f0, %f1};";
    let fault = Snippet::new(misplaced).run().unwrap_err().to_string();
    assert!(fault.contains("8 bytes"), "{fault}");
    for (wrong, said) in [
        ("red.shared.add.v2.f32 [%rd0], {%f0, %f1};", "global memory"),
        ("red.global.add.v2.f64 [%rd0], {%rd1, %rd1};", "there is `.add` alone"),
        ("red.global.add.v8.f32 [%rd0], {%f0, %f1, %f2, %f3, %f0, %f1, %f2, %f3};", "16 bytes"),
        ("red.global.add.v4.f32 [%rd0], {%f0, %f1};", "4 registers"),
    ] {
        let error = errors(&kernel("", wrong));
        assert!(error.contains(said), "{wrong}: {error}");
    }
}
