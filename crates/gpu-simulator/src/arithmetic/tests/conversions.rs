//! `cvt`

use proptest::prelude::*;

use super::{call, find, run};
use crate::arithmetic::convert::converted;
use crate::arithmetic::{Function, Modifiers};

/// Into a register of the given width.
fn convert(types: &str, bits: u8, operand: u64) -> u64 {
    run(&format!("cvt.{types}"), bits, &[operand]).expect(types)
}

fn of_float(types: &str, bits: u8, x: f32) -> u64 {
    convert(types, bits, x.to_bits().into())
}

#[test]
fn floats_to_integers_are_rounded_and_clamped() {
    assert_eq!(of_float("rni.s32.f32", 32, 2.5), 2);
    assert_eq!(of_float("rzi.s32.f32", 32, -2.7), 0xffff_fffe);
    assert_eq!(of_float("rmi.s32.f32", 32, -2.1), 0xffff_fffd);
    assert_eq!(of_float("rpi.u32.f32", 32, 2.1), 3);
    assert_eq!(of_float("rzi.u32.f32", 32, -1.0), 0);
    assert_eq!(of_float("rzi.s32.f32", 32, 3e9), i32::MAX as u64);
    assert_eq!(of_float("rzi.u8.f32", 32, 300.0), 255);
    assert_eq!(of_float("rzi.s64.f32", 64, f32::NEG_INFINITY), 1 << 63);
    assert_eq!(of_float("rpi.s32.f32", 32, f32::from_bits(1)), 1);
    assert_eq!(of_float("rpi.ftz.s32.f32", 32, f32::from_bits(1)), 0);
}

#[test]
fn nans_become_zero_or_the_top_bit() {
    assert_eq!(of_float("rzi.s32.f32", 32, f32::NAN), 0);
    assert_eq!(of_float("rzi.s64.f32", 64, f32::NAN), 1 << 63);
    assert_eq!(convert("rzi.s32.f64", 32, f64::NAN.to_bits()), 1 << 31);
    assert_eq!(of_float("sat.f32.f32", 32, f32::NAN), 0);
    assert_eq!(of_float("rn.f16.f32", 16, f32::NAN), 0x7fff);
}

#[test]
fn integers_are_cut_extended_and_clamped() {
    assert_eq!(convert("s64.s32", 64, 0xffff_fffe), u64::MAX - 1);
    assert_eq!(convert("u64.u32", 64, 0xffff_fffe), 0xffff_fffe);
    assert_eq!(convert("u16.u32", 16, 0x0001_2345), 0x2345);
    assert_eq!(convert("s8.s32", 16, 0x80), 0xff80);
    assert_eq!(convert("s8.s32", 32, 0x80), 0xffff_ff80);
    assert_eq!(convert("s8.s32", 64, 0x80), 0xffff_ffff_ffff_ff80);
    assert_eq!(convert("u8.s32", 64, 0x1ff), 0xff);
    assert_eq!(convert("s32.s8", 32, 0xaa80), 0xffff_ff80);
    assert_eq!(convert("sat.u8.s32", 16, 0xffff_fffb), 0);
    assert_eq!(convert("sat.s8.s32", 32, 1000), 127);
    assert_eq!(convert("sat.s32.u64", 32, u64::MAX), i32::MAX as u64);
}

#[test]
fn integers_to_floats_are_rounded_in_the_direction() {
    let exact = (1_u64 << 24) + 1;
    let of = |rounding: &str| f32::from_bits(convert(&format!("{rounding}.f32.u32"), 32, exact) as u32);
    assert_eq!(of("rn").to_bits(), 16_777_216_f32.to_bits());
    assert_eq!(of("rz").to_bits(), 16_777_216_f32.to_bits());
    assert_eq!(of("rp").to_bits(), 16_777_218_f32.to_bits());
    assert_eq!(convert("rm.f64.u64", 64, u64::MAX), 18_446_744_073_709_549_568_f64.to_bits());
    assert_eq!(convert("rn.f16.u32", 16, 65_519), 0x7bff);
    assert_eq!(convert("rn.f16.u32", 16, 65_520), 0x7c00);
    assert_eq!(convert("rz.f16.u64", 16, u64::MAX), 0x7bff);
    assert_eq!(convert("rn.sat.f32.s32", 32, 7), u64::from(1.0_f32.to_bits()));
}

#[test]
fn halves() {
    for (bits, value) in [(0x3c00, 1.0), (0x0001, 2_f32.powi(-24)), (0x8400, -(2_f32.powi(-14))), (0x7bff, 65_504.0)] {
        assert_eq!(convert("f32.f16", 32, bits), u64::from(value.to_bits()));
        assert_eq!(of_float("rn.f16.f32", 16, value), bits);
    }
    assert_eq!(of_float("rn.f16.f32", 16, 1e9), 0x7c00);
    assert_eq!(of_float("rz.f16.f32", 16, 1e9), 0x7bff);
    assert_eq!(of_float("rm.f16.f32", 16, -1e9), 0xfc00);
    assert_eq!(of_float("rn.f16.f32", 16, 2_f32.powi(-25)), 0);
    assert_eq!(of_float("rp.f16.f32", 16, 1e-30), 1);
}

#[test]
fn registers_that_cannot_hold_the_type() {
    for (types, bits) in [("u32.u64", 16), ("f64.f32", 32), ("rn.f32.f64", 64), ("u64.u32", 32)] {
        assert_eq!(run(&format!("cvt.{types}"), bits, &[0]), None, "{types}");
    }
}

/// The conversions that are compiled on their own give what the one for all does: a step aside from it is a step in speed
/// alone.
#[test]
fn often_used_conversions_are_those_of_the_general_function() {
    let values: Vec<u64> = (0..64)
        .flat_map(|shift| {
            [1_u64 << shift, (1 << shift) - 1, u64::MAX << shift, 0x9e37_79b9_7f4a_7c15_u64.rotate_left(shift)]
        })
        .chain([f32::NAN, f32::INFINITY, -0.0, 0.5, 1.5, -2.5, 3e9, -3e9].map(|x| x.to_bits().into()))
        .chain([f64::NAN, f64::INFINITY, -0.0, 0.5, 1.5, -2.5, 3e9, -3e9, 1e19].map(f64::to_bits))
        .collect();
    let types = ["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"];
    let mut compiled = 0;
    for rounding in ["", "rn.", "rz.", "rni.", "rzi.", "rmi.", "rpi."] {
        for (target, source) in types.iter().flat_map(|target| types.map(|source| (*target, source))) {
            for bits in [16, 32, 64] {
                let words = format!("{rounding}{target}.{source}");
                let words: Vec<&str> = words.split('.').collect();
                let Some(function) = find("cvt", &words, bits) else { continue };
                let own = Modifiers::read(&words, bits).expect("types");
                compiled += u32::from(!matches!(function, Function::EachLane(_)));
                for value in &values {
                    let value = if source.ends_with("64") { *value } else { value & 0xffff_ffff };
                    let general = converted(&own, value);
                    assert_eq!(call(function, &[value], |_| true)[7], general, "cvt.{words:?} {bits} {value:x}");
                }
            }
        }
    }
    assert!(compiled > 50, "{compiled}");
}

proptest! {
    #[test]
    fn between_floats_as_in_rust(x: u32, y: u64) {
        let (single, double) = (f32::from_bits(x), f64::from_bits(y));
        prop_assume!(!single.is_nan() && !double.is_nan());
        prop_assert_eq!(convert("f64.f32", 64, x.into()), f64::from(single).to_bits());
        prop_assert_eq!(convert("rn.f32.f64", 32, y), u64::from((double as f32).to_bits()));
        prop_assert_eq!(convert("rmi.f64.f64", 64, y), double.floor().to_bits());
        let [down, up] = ["rm", "rp"].map(|r| f32::from_bits(convert(&format!("{r}.f32.f64"), 32, y) as u32));
        prop_assert!(f64::from(down) <= double && double <= f64::from(up));
    }

    #[test]
    fn every_half_survives(bits in 0_u64..0x7c00, sign: bool) {
        let bits = bits | u64::from(sign) << 15;
        for rounding in ["rn", "rz", "rm", "rp"] {
            prop_assert_eq!(convert(&format!("{rounding}.f16.f32"), 16, convert("f32.f16", 32, bits)), bits);
        }
    }

    #[test]
    fn integers_and_back(x: u64) {
        prop_assert_eq!(convert("rn.f64.s64", 64, x), ((x as i64) as f64).to_bits());
        prop_assert_eq!(convert("rn.f32.u64", 32, x), u64::from((x as f32).to_bits()));
        prop_assert_eq!(convert("rzi.s32.f64", 32, convert("rn.f64.s32", 64, x & 0xffff_ffff)), x & 0xffff_ffff);
    }
}
