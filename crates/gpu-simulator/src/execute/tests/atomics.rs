//! Atomics of 16 bits, and on pairs of them.

use crate::snippet::Snippet;

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
