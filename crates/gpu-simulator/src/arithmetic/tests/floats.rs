//! f32, f64, and the approximate functions.

use std::f32::consts::PI;

use proptest::prelude::*;

use super::{float, long, run, word};

/// Any f32, subnormals and infinities included, NaNs not.
fn any_float() -> impl Strategy<Value = f32> {
    any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |x| !x.is_nan())
}

/// An f32 of moderate size, so that sums round.
fn moderate() -> impl Strategy<Value = f32> {
    (0x3000_0000..0x5000_0000_u32, any::<bool>())
        .prop_map(|(bits, minus)| f32::from_bits(bits | u32::from(minus) << 31))
}

const NAN: u32 = 0x7fff_ffff;

#[test]
fn nans_are_canonical() {
    let (payload, one) = (0xffc1_2345, 1.0_f32.to_bits());
    assert_eq!(word("add.f32", &[payload, one]), NAN);
    assert_eq!(word("mul.f32", &[0, f32::INFINITY.to_bits()]), NAN);
    assert_eq!(word("fma.rn.f32", &[one, one, payload]), NAN);
    assert_eq!(word("sqrt.rn.f32", &[(-1.0_f32).to_bits()]), NAN);
    assert_eq!(word("neg.f32", &[payload]), NAN);
    assert_eq!(word("add.sat.f32", &[payload, one]), 0);
    assert_eq!(long("add.f64", &[0x7ff0_0000_0000_0007, 0]), 0x7ff8_0000_0000_0007);
    assert_eq!(long("sub.f64", &[f64::INFINITY.to_bits(); 2]), 0xfff8_0000_0000_0000);
}

#[test]
fn extremes_prefer_numbers_and_negative_zeros() {
    assert_eq!(float("min.f32", &[f32::NAN, 3.0]).to_bits(), 3.0_f32.to_bits());
    assert_eq!(float("max.f32", &[3.0, f32::NAN]).to_bits(), 3.0_f32.to_bits());
    assert_eq!(float("min.f32", &[0.0, -0.0]).to_bits(), (-0.0_f32).to_bits());
    assert_eq!(float("max.f32", &[-0.0, 0.0]).to_bits(), 0);
    assert_eq!(word("min.f32", &[NAN, 0xffc0_0000]), NAN);
    assert_eq!(word("max.NaN.f32", &[NAN, 0]), NAN);
    assert_eq!(long("min.f64", &[0, (-0.0_f64).to_bits()]), (-0.0_f64).to_bits());
}

#[test]
fn subnormals_are_flushed_only_when_asked() {
    let least = f32::from_bits(1);
    assert_eq!(float("add.f32", &[least, least]).to_bits(), 2);
    assert_eq!(float("add.ftz.f32", &[-least, -least]).to_bits(), 1 << 31);
    assert_eq!(float("mul.ftz.f32", &[f32::MIN_POSITIVE, 0.5]).to_bits(), 0);
    assert_eq!(run("setp.gt.f32", 1, &[1, 0]), Some(1));
    assert_eq!(run("setp.gt.ftz.f32", 1, &[1, 0]), Some(0));
}

#[test]
fn saturation_is_to_one() {
    assert_eq!(float("mul.sat.f32", &[3.0, 2.0]).to_bits(), 1.0_f32.to_bits());
    assert_eq!(float("fma.rn.sat.f32", &[-3.0, 2.0, 1.0]).to_bits(), 0);
    assert_eq!(float("add.sat.f32", &[0.25, 0.5]).to_bits(), 0.75_f32.to_bits());
}

#[test]
fn overflow_in_a_direction_stops_at_the_largest_number() {
    assert_eq!(float("add.rz.f32", &[f32::MAX, f32::MAX]).to_bits(), f32::MAX.to_bits());
    assert_eq!(float("mul.rp.f32", &[f32::MIN, 2.0]).to_bits(), f32::MIN.to_bits());
    assert_eq!(float("mul.rm.f32", &[f32::MIN, 2.0]).to_bits(), f32::NEG_INFINITY.to_bits());
    assert_eq!(float("add.rm.f32", &[1.0, -1.0]).to_bits(), (-0.0_f32).to_bits());
    assert_eq!(float("sub.rp.f32", &[1.0, 1.0]).to_bits(), 0);
}

#[test]
fn comparisons_with_a_nan() {
    for operator in ["eq", "ne", "lt", "le", "gt", "ge", "num"] {
        for ty in ["f32", "f64"] {
            let nan = if ty == "f32" { u64::from(NAN) } else { f64::NAN.to_bits() };
            assert_eq!(run(&format!("setp.{operator}.{ty}"), 1, &[nan, 0]), Some(0), "{operator}");
            let unordered = if operator == "num" { "nan".to_owned() } else { format!("{operator}u") };
            assert_eq!(run(&format!("setp.{unordered}.{ty}"), 1, &[0, nan]), Some(1), "{unordered}");
        }
    }
    assert_eq!(run("setp.eq.f32", 1, &[0, 1 << 31]), Some(1));
    assert_eq!(word("set.lt.f32.f32", &[0, 1.0_f32.to_bits()]), 1.0_f32.to_bits());
}

#[test]
fn special_values_of_approximations() {
    let bits = |instruction: &str, x: f32| float(instruction, &[x]).to_bits();
    let infinity = f32::INFINITY;
    assert_eq!(bits("rcp.approx.f32", -0.0), f32::NEG_INFINITY.to_bits());
    assert_eq!(bits("rsqrt.approx.f32", 0.0), infinity.to_bits());
    assert_eq!(bits("rsqrt.approx.f32", -0.0), f32::NEG_INFINITY.to_bits());
    assert_eq!(bits("rsqrt.approx.f32", -1.0), NAN);
    assert_eq!(bits("rsqrt.approx.ftz.f32", f32::from_bits(1)), infinity.to_bits());
    assert_eq!(bits("ex2.approx.f32", -infinity), 0);
    assert_eq!(bits("ex2.approx.f32", 10.0), 1024.0_f32.to_bits());
    assert_eq!(bits("ex2.approx.f32", -149.0), 1);
    assert_eq!(bits("ex2.approx.ftz.f32", -149.0), 0);
    assert_eq!(bits("lg2.approx.f32", 0.0), f32::NEG_INFINITY.to_bits());
    assert_eq!(bits("lg2.approx.f32", -1.0), NAN);
    assert_eq!(bits("lg2.approx.f32", 8.0), 3.0_f32.to_bits());
    assert_eq!(bits("sin.approx.f32", infinity), NAN);
    assert_eq!(bits("sin.approx.f32", -0.0), 1 << 31);
    assert_eq!(bits("cos.approx.f32", 0.0), 1.0_f32.to_bits());
    assert_eq!(bits("tanh.approx.f32", infinity), 1.0_f32.to_bits());
    assert_eq!(float("div.approx.f32", &[1.0, f32::MAX]).to_bits(), 0);
    assert_eq!(float("div.approx.f32", &[infinity, f32::MAX]).to_bits(), NAN);
    assert_eq!(float("div.full.f32", &[f32::MAX, f32::MAX]).to_bits(), 1.0_f32.to_bits());
}

#[test]
fn gross_approximations_have_no_lower_half() {
    let third = long("rcp.approx.ftz.f64", &[3.0_f64.to_bits()]);
    assert_eq!(third as u32, 0);
    assert!((f64::from_bits(third) * 3.0 - 1.0).abs() < 1e-6);
    assert_eq!(long("rsqrt.approx.f64", &[4.0_f64.to_bits()]), 0.5_f64.to_bits());
}

proptest! {
    #[test]
    fn nearest_as_in_rust(a in any_float(), b in any_float(), c in any_float()) {
        let same = |instruction, operands: &[f32], expected: f32| {
            let result = float(instruction, operands);
            result.to_bits() == expected.to_bits() || (result.to_bits() == NAN && expected.is_nan())
        };
        prop_assert!(same("add.f32", &[a, b], a + b));
        prop_assert!(same("sub.rn.f32", &[a, b], a - b));
        prop_assert!(same("mul.f32", &[a, b], a * b));
        prop_assert!(same("fma.rn.f32", &[a, b, c], a.mul_add(b, c)));
        prop_assert!(same("div.rn.f32", &[a, b], a / b));
        prop_assert!(same("rcp.rn.f32", &[a], 1.0 / a));
        prop_assert!(same("sqrt.rn.f32", &[a], a.sqrt()));
        prop_assert!(same("copysign.f32", &[a, b], b.copysign(a)));
    }

    /// Products and sums of near terms are exact in f64: the rounded ones must enclose them tightly.
    #[test]
    fn directed_results_enclose_exact_ones(a in moderate(), b in moderate(), c in moderate()) {
        for (opcode, operands, exact) in [
            ("mul", vec![a, b], f64::from(a) * f64::from(b)),
            ("add", vec![a, 1.0], f64::from(a) + 1.0),
            ("sub", vec![a, 1.0], f64::from(a) - 1.0),
            ("fma", vec![a, b, 0.0], f64::from(a) * f64::from(b)),
        ] {
            let of = |rounding: &str| float(&format!("{opcode}.{rounding}.f32"), &operands);
            let (down, up, zero) = (of("rm"), of("rp"), of("rz"));
            prop_assert!(f64::from(down) <= exact && exact <= f64::from(up));
            prop_assert!(down.to_bits() == up.to_bits() || down.next_up().to_bits() == up.to_bits());
            prop_assert_eq!(zero.to_bits(), if exact > 0.0 { down } else { up }.to_bits());
        }
        // Where the sum is inexact in f64 too, the nearest is an end of the interval.
        let nearest = float("fma.rn.f32", &[a, b, c]);
        let (down, up) = (float("fma.rm.f32", &[a, b, c]), float("fma.rp.f32", &[a, b, c]));
        prop_assert!(down <= up && (nearest.to_bits() == down.to_bits() || nearest.to_bits() == up.to_bits()));
        prop_assert!(down.to_bits() == up.to_bits() || down.next_up().to_bits() == up.to_bits() || up == 0.0);
    }

    #[test]
    fn doubles_as_in_rust(a in -1e300..1e300, b in -1e300..1e300, c in -1e300..1e300) {
        let double = |instruction, operands: &[f64]| {
            f64::from_bits(long(instruction, &operands.iter().map(|x| x.to_bits()).collect::<Vec<_>>()))
        };
        prop_assert_eq!(double("add.f64", &[a, b]).to_bits(), (a + b).to_bits());
        prop_assert_eq!(double("mul.rn.f64", &[a, b]).to_bits(), (a * b).to_bits());
        prop_assert_eq!(double("div.rn.f64", &[a, b]).to_bits(), (a / b).to_bits());
        prop_assert_eq!(double("fma.rn.f64", &[a, b, c]).to_bits(), a.mul_add(b, c).to_bits());
        prop_assert_eq!(double("max.f64", &[a, b]).to_bits(), a.max(b).to_bits());
    }

    /// The manual's tables: 2 to the -20.5 in -pi to pi for sin and cos, 2 ulp for the others.
    #[test]
    fn approximations_are_within_bounds(x in 1e-30_f32..1e30, angle in -PI..PI) {
        let close = |instruction, x: f32, exact: f64| (f64::from(float(instruction, &[x])) / exact - 1.0).abs() < 2.4e-7;
        prop_assert!(close("rsqrt.approx.f32", x, f64::from(x).sqrt().recip()));
        prop_assert!(close("sqrt.approx.f32", x, f64::from(x).sqrt()));
        prop_assert!(close("rcp.approx.f32", x, f64::from(x).recip()));
        prop_assert!(close("ex2.approx.f32", angle, f64::from(angle).exp2()));
        prop_assert!((f64::from(float("lg2.approx.f32", &[x])) - f64::from(x).log2()).abs() < 4e-6);
        prop_assert!((f64::from(float("sin.approx.f32", &[angle])) - f64::from(angle).sin()).abs() < 6.7e-7);
        prop_assert!((f64::from(float("cos.approx.f32", &[angle])) - f64::from(angle).cos()).abs() < 6.7e-7);
    }
}
