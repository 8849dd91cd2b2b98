//! f16 and bf16, against their values on paper and against f32.

use proptest::prelude::*;

use super::run;

fn of(instruction: &str, operands: &[u64]) -> u64 {
    run(instruction, 32, operands).expect(instruction)
}

/// 1, 2, 1/3 to nearest, the greatest number, infinity and the least number of each format.
const HALF: [u64; 6] = [0x3c00, 0x4000, 0x3555, 0x7bff, 0x7c00, 0x0001];
const BRAIN: [u64; 6] = [0x3f80, 0x4000, 0x3eab, 0x7f7f, 0x7f80, 0x0001];

#[test]
fn sums_and_products_are_rounded_once() {
    for (ty, [one, two, third, most, infinity, least]) in [("f16", HALF), ("bf16", BRAIN)] {
        assert_eq!(of(&format!("add.{ty}"), &[one, one]), two, "{ty}");
        assert_eq!(of(&format!("sub.{ty}"), &[two, one]), one, "{ty}");
        assert_eq!(of(&format!("mul.{ty}"), &[third, one]), third, "{ty}");
        assert_eq!(of(&format!("add.{ty}"), &[most, most]), infinity, "{ty}");
        assert_eq!(of(&format!("mul.rn.{ty}"), &[least, least]), 0, "{ty}");
        assert_eq!(of(&format!("sub.{ty}"), &[infinity, infinity]), 0x7fff, "{ty}");
        assert_eq!(of(&format!("sub.{ty}"), &[one, one]), 0, "{ty}");
        // 1 + least is 1, but the product's lower half decides a tie.
        assert_eq!(of(&format!("fma.rn.{ty}"), &[one, one, least]), one, "{ty}");
        assert_eq!(of(&format!("fma.rn.relu.{ty}"), &[one, 0x8000 | one, least]), 0, "{ty}");
    }
    // (1 + 2^-10)^2 + 2^-24: above the tie by the last term alone.
    assert_eq!(of("fma.rn.f16", &[0x3c01, 0x3c01, 0x0001]), 0x3c02);
    // 2048 + 1 is a tie to even; with 2^-24 more it is none.
    assert_eq!(of("add.f16", &[0x6800, 0x3c00]), 0x6800);
    assert_eq!(of("fma.rn.f16", &[0x3c00, 0x6800, 0x3c01]), 0x6801);
}

#[test]
fn results_are_flushed_and_clamped() {
    assert_eq!(of("add.ftz.f16", &[0x0001, 0x0001]), 0);
    assert_eq!(of("add.ftz.f16", &[0x8001, 0x8001]), 0x8000);
    assert_eq!(of("add.f16", &[0x0001, 0x0001]), 2);
    assert_eq!(of("add.sat.f16", &[0x3c00, 0x3c00]), 0x3c00);
    assert_eq!(of("sub.sat.f16", &[0x3c00, 0x4000]), 0);
    assert_eq!(of("add.sat.f16", &[0x7e00, 0x3c00]), 0);
}

#[test]
fn pairs_are_two_numbers() {
    assert_eq!(of("add.f16x2", &[0x3c00_4000, 0x3c00_3c00]), 0x4000_4200);
    assert_eq!(of("mul.bf16x2", &[0x4000_bf80, 0x4000_3f80]), 0x4080_bf80);
    assert_eq!(of("fma.rn.f16x2", &[0x4000_3c00, 0x4000_3c00, 0x3c00_0000]), 0x4500_3c00);
    assert_eq!(of("neg.f16x2", &[0x3c00_8000]), 0xbc00_0000);
    assert_eq!(of("abs.bf16x2", &[0xbf80_8000]), 0x3f80_0000);
    assert_eq!(of("min.f16x2", &[0x3c00_8000, 0x4000_0000]), 0x3c00_8000);
    assert_eq!(of("max.f16x2", &[0x7e00_7e00, 0x4000_7e00]), 0x4000_7fff);
    assert_eq!(of("max.NaN.bf16x2", &[0x7fc0_3f80, 0x4000_4000]), 0x7fff_4000);
}

#[test]
fn comparisons_know_nans() {
    for (ty, one, two) in [("f16", 0x3c00, 0x4000), ("bf16", 0x3f80, 0x4000)] {
        assert_eq!(run(&format!("setp.lt.{ty}"), 1, &[one, two]), Some(1));
        assert_eq!(run(&format!("setp.gt.{ty}"), 1, &[one, two]), Some(0));
        assert_eq!(run(&format!("setp.eq.{ty}"), 1, &[0x8000, 0]), Some(1));
        assert_eq!(run(&format!("setp.ltu.{ty}"), 1, &[0x7fff, one]), Some(1));
        assert_eq!(run(&format!("setp.num.{ty}"), 1, &[0x7fff, one]), Some(0));
    }
    assert_eq!(run("setp.ne.ftz.f16", 1, &[1, 2]), Some(0));
    assert_eq!(of("set.lt.f16x2.f16x2", &[0x3c00_4000, 0x4000_3c00]), 0x3c00_0000);
    assert_eq!(of("set.ge.bf16x2.bf16x2", &[0x3f80_4000, 0x4000_3f80]), 0x3f80);
    assert_eq!(of("set.lt.u32.f16x2", &[0x3c00_4000, 0x4000_3c00]), 0xffff_0000);
    assert_eq!(of("set.lt.u32.bf16", &[0x3f80, 0x4000]), 0xffff_ffff);
    assert_eq!(of("set.lt.u16.f16", &[0x3c00, 0x4000]), 0xffff);
}

#[test]
fn conversions_of_bf16_and_tf32() {
    let bits = |x: f32| u64::from(x.to_bits());
    assert_eq!(of("cvt.rn.bf16.f32", &[bits(1.0)]), 0x3f80);
    // 1 + 2^-8 is a tie to even.
    assert_eq!(of("cvt.rn.bf16.f32", &[0x3f80_8000]), 0x3f80);
    assert_eq!(of("cvt.rn.bf16.f32", &[0x3f80_8001]), 0x3f81);
    assert_eq!(of("cvt.rz.bf16.f32", &[0x3f80_ffff]), 0x3f80);
    assert_eq!(of("cvt.rn.bf16.f32", &[0x7f7f_ffff]), 0x7f80);
    assert_eq!(of("cvt.rn.relu.bf16.f32", &[bits(-1.0)]), 0);
    assert_eq!(of("cvt.rn.bf16x2.f32", &[bits(2.0), bits(1.0)]), 0x4000_3f80);
    assert_eq!(of("cvt.rn.f16x2.f32", &[bits(2.0), bits(1.0)]), 0x4000_3c00);
    assert_eq!(of("cvt.f32.bf16", &[0xc040]), bits(-3.0));
    assert_eq!(of("cvt.rzi.s32.bf16", &[0xc040]), u64::from((-3_i32).cast_unsigned()));
    assert_eq!(of("cvt.rn.bf16.s32", &[257]), 0x4380);
    assert_eq!(of("cvt.rp.bf16.u32", &[257]), 0x4381);
    assert_eq!(of("cvt.rn.bf16.f16", &[0x3c00]), 0x3f80);
    // 257 * 2^55 is a tie to even, and one more none, which an f64 does not tell apart.
    assert_eq!(of("cvt.rn.bf16.u64", &[257 << 55]), 0x5f00);
    assert_eq!(of("cvt.rn.bf16.u64", &[(257 << 55) + 1]), 0x5f01);
    assert_eq!(of("cvt.rn.bf16.s64", &[(-257_i64).cast_unsigned()]), 0xc380);
    assert_eq!(of("cvt.rn.bf16.f64", &[(-3.0_f64).to_bits()]), 0xc040);
    assert_eq!(run("cvt.f64.bf16", 64, &[0xc040]), Some((-3.0_f64).to_bits()));
    assert_eq!(of("cvt.rn.f16.bf16", &[0x3f80]), 0x3c00);
    assert_eq!(of("cvt.rna.tf32.f32", &[0x3f80_1000]), 0x3f80_2000);
    assert_eq!(of("cvt.rn.tf32.f32", &[0x3f80_1000]), 0x3f80_0000);
    assert_eq!(of("cvt.rz.tf32.f32", &[0x3f80_1fff]), 0x3f80_0000);
    assert_eq!(of("cvt.rna.tf32.f32", &[0x7f80_0000]), 0x7f80_0000);
}

proptest! {
    /// An f32 is wide enough for one operation of bf16 to be rounded a second time without harm, but for subnormal numbers.
    #[test]
    fn bf16_is_f32_rounded(a in 0_u32..0x1_0000, b in 0_u32..0x1_0000) {
        let [x, y] = [a, b].map(|bits| f32::from_bits(bits << 16));
        for (name, result) in [("add", x + y), ("sub", x - y), ("mul", x * y)] {
            prop_assume!(result.is_nan() || result == 0.0 || result.abs() >= f32::MIN_POSITIVE);
            let expected = of("cvt.rn.bf16.f32", &[result.to_bits().into()]);
            prop_assert_eq!(of(&format!("{name}.bf16"), &[a.into(), b.into()]), expected, "{} {:x} {:x}", name, a, b);
        }
    }
}
