//! Integer arithmetic and bits.

use proptest::prelude::*;

use super::{long, run, word};
use crate::class::Class;
use crate::program::table;

#[test]
fn divisions_by_zero_give_all_ones() {
    assert_eq!(word("div.u32", &[7, 0]), u32::MAX);
    assert_eq!(word("rem.u32", &[7, 0]), u32::MAX);
    assert_eq!(word("div.s16", &[7, 0]), 0xffff);
    assert_eq!(long("rem.s64", &[7, 0]), u64::MAX);
}

#[test]
fn the_smallest_number_has_no_opposite() {
    let least = 1 << 31;
    assert_eq!(word("div.s32", &[least, u32::MAX]), least);
    assert_eq!(word("rem.s32", &[least, u32::MAX]), 0);
    assert_eq!(word("abs.s32", &[least]), least);
    assert_eq!(word("neg.s32", &[least]), least);
    assert_eq!(long("div.s64", &[1 << 63, u64::MAX]), 1 << 63);
    assert_eq!(word("div.s16", &[0x8000, 0xffff]), 0x8000);
}

#[test]
fn saturation_is_at_the_ends() {
    assert_eq!(word("add.sat.s32", &[i32::MAX as u32, 1]), i32::MAX as u32);
    assert_eq!(word("sub.sat.s32", &[i32::MIN as u32, 1]), i32::MIN as u32);
}

#[test]
fn shifts_beyond_the_width_leave_zeros_or_the_sign() {
    for amount in [32, 33, 64, u32::MAX] {
        assert_eq!(word("shl.b32", &[u32::MAX, amount]), 0);
        assert_eq!(word("shr.u32", &[u32::MAX, amount]), 0);
        assert_eq!(word("shr.s32", &[1 << 31, amount]), u32::MAX);
    }
    assert_eq!(word("shl.b16", &[0xffff, 4]), 0xfff0);
    assert_eq!(word("shr.s16", &[0x8000, 15]), 0xffff);
    assert_eq!(long("shr.s64", &[1 << 63, 63]), u64::MAX);
}

#[test]
fn funnels_shift_two_words() {
    assert_eq!(word("shf.l.wrap.b32", &[0x8000_0000, 1, 1]), 3);
    assert_eq!(word("shf.r.clamp.b32", &[1, 0xabcd, 40]), 0xabcd);
    assert_eq!(word("shf.r.wrap.b32", &[0x10, 0, 36]), 1);
}

#[test]
fn fields_are_cut_and_put() {
    assert_eq!(word("bfe.u32", &[0xabcd_1234, 8, 8]), 0x12);
    assert_eq!(word("bfe.s32", &[0x0000_0f00, 8, 4]), u32::MAX);
    assert_eq!(word("bfe.s32", &[0x8000_0000, 40, 4]), u32::MAX);
    assert_eq!(word("bfe.u32", &[u32::MAX, 28, 8]), 0xf);
    assert_eq!(word("bfe.s32", &[u32::MAX, 3, 0]), 0);
    assert_eq!(word("bfi.b32", &[0xff, 0, 4, 8]), 0xff0);
    assert_eq!(word("bfi.b32", &[0, u32::MAX, 0, 32]), 0);
}

#[test]
fn leading_bits_are_found() {
    assert_eq!(word("bfind.u32", &[0]), u32::MAX);
    assert_eq!(word("bfind.u32", &[0x800]), 11);
    assert_eq!(word("bfind.s32", &[u32::MAX]), u32::MAX);
    assert_eq!(word("bfind.s32", &[-2_i32 as u32]), 0);
    assert_eq!(word("bfind.shiftamt.u32", &[0x800]), 20);
    assert_eq!(run("bfind.u64", 32, &[1 << 40]), Some(40));
    assert_eq!(run("clz.b64", 32, &[0]), Some(64));
}

#[test]
fn bytes_are_permuted() {
    let (a, b) = (0x0302_0100, 0x8706_0504);
    assert_eq!(word("prmt.b32", &[a, b, 0x3210]), a);
    assert_eq!(word("prmt.b32", &[a, b, 0x7654]), b);
    assert_eq!(word("prmt.b32", &[a, b, 0x7f80]), 0x87ff_0000);
    assert_eq!(word("prmt.b32.f4e", &[a, b, 1]), 0x0403_0201);
    assert_eq!(word("prmt.b32.b4e", &[a, b, 1]), 0x0687_0001);
    assert_eq!(word("prmt.b32.rc8", &[a, b, 2]), 0x0202_0202);
    assert_eq!(word("prmt.b32.ecl", &[a, b, 2]), 0x0302_0202);
    assert_eq!(word("prmt.b32.ecr", &[a, b, 1]), 0x0101_0100);
    assert_eq!(word("prmt.b32.rc16", &[a, b, 1]), 0x0302_0302);
}

#[test]
fn dot_products() {
    assert_eq!(word("dp4a.u32.u32", &[0x0102_0304, 0x0506_0708, 9]), 5 + 12 + 21 + 32 + 9);
    assert_eq!(word("dp4a.s32.u32", &[0xffff_ffff, 0x0101_0101, 0]), -4_i32 as u32);
    assert_eq!(word("dp2a.hi.s32.u32", &[0xffff_0002, 0x0304_0000, 0]), 5);
}

#[test]
fn weights_and_classes() {
    let cost =
        |opcode, modifiers: &[&str]| table::find(opcode, modifiers).next().map(|row| (row.cost.class, row.cost.weight));
    assert_eq!(cost("add", &["u32"]), Some((Class::Integer, 1)));
    assert_eq!(cost("add", &["s64"]), Some((Class::Integer, 2)));
    assert_eq!(cost("mul", &["lo", "s64"]), Some((Class::Multiply, 4)));
    assert_eq!(cost("div", &["u32"]), Some((Class::Multiply, 20)));
    assert_eq!(cost("rem", &["u64"]), Some((Class::Multiply, 80)));
    assert_eq!(cost("setp", &["lt", "u64"]), Some((Class::Integer, 2)));
    assert_eq!(cost("mov", &["b32"]), Some((Class::Move, 0)));
    assert_eq!(cost("ex2", &["approx", "f32"]), Some((Class::Special, 1)));
    assert_eq!(cost("div", &["rn", "f64"]), Some((Class::Double, 20)));
}

proptest! {
    #[test]
    fn as_in_wider_numbers(a: u64, b: u64, c: u64) {
        let (x, y) = (i128::from(a), i128::from(b));
        prop_assert_eq!(long("add.u64", &[a, b]), (x + y) as u64);
        prop_assert_eq!(long("mad.lo.s64", &[a, b, c]), a.wrapping_mul(b).wrapping_add(c));
        prop_assert_eq!(long("mul.hi.u64", &[a, b]), ((u128::from(a) * u128::from(b)) >> 64) as u64);
        prop_assert_eq!(long("mul.hi.s64", &[a, b]), ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64);
        let (p, q) = (i64::from(a as i32), i64::from(b as i32));
        prop_assert_eq!(long("mad.wide.s32", &[a, b, c]), (p * q).wrapping_add(c as i64) as u64);
        prop_assert_eq!(word("mul.hi.s32", &[a as u32, b as u32]), ((p * q) >> 32) as u32);
        prop_assert_eq!(word("sad.s32", &[a as u32, b as u32, c as u32]), (c as u32).wrapping_add((p - q).unsigned_abs() as u32));
        prop_assert_eq!(word("mul.lo.u16", &[a as u32 & 0xffff, b as u32 & 0xffff]), u32::from((a as u16).wrapping_mul(b as u16)));
    }

    #[test]
    fn tables_are_looked_up(a: u32, b: u32, c: u32) {
        prop_assert_eq!(word("lop3.b32", &[a, b, c, 0x96]), a ^ b ^ c);
        prop_assert_eq!(word("lop3.b32", &[a, b, c, 0xca]), (a & b) | (!a & c));
        prop_assert_eq!(word("lop3.b32", &[a, b, c, 0x80]), a & b & c);
    }

    #[test]
    fn fields_by_the_manuals_loop(a: u64, position in 0_u32..80, length in 0_u32..80) {
        let bit = |index: u32| u64::from(index < 64) & (a >> (index & 63));
        let of = |sign: u64| (0..64).fold(0, |sum, i| sum | (if i < length && position + i < 64 { bit(position + i) } else { sign } << i));
        let operands = [a, position.into(), length.into()];
        prop_assert_eq!(run("bfe.u64", 64, &operands), Some(of(0)));
        let sign = if length == 0 { 0 } else { bit((position + length - 1).min(63)) };
        prop_assert_eq!(run("bfe.s64", 64, &operands), Some(of(sign)));
    }

    #[test]
    fn comparisons_of_integers(a: u64, b: u64) {
        for (a, b) in [(a, b), (a, a)] {
            prop_assert_eq!(run("setp.lt.s64", 1, &[a, b]), Some(u64::from((a as i64) < b as i64)));
            prop_assert_eq!(run("setp.hs.u64", 1, &[a, b]), Some(u64::from(a >= b)));
            prop_assert_eq!(run("setp.gt.s16", 1, &[a & 0xffff, b & 0xffff]), Some(u64::from(a as i16 > b as i16)));
            prop_assert_eq!(run("setp.ne.b32", 1, &[a, b]), Some(u64::from(a as u32 != b as u32)));
            prop_assert_eq!(word("set.le.s32.s32", &[a as u32, b as u32]) != 0, a as i32 <= b as i32);
        }
    }
}

#[test]
fn masks_are_those_of_the_manual() {
    let of = |mode: &str, position: u64, count: u64| run(&format!("bmsk.{mode}.b32"), 32, &[position, count]);
    // The manual's example.
    assert_eq!(of("wrap", 1, 2), Some(6));
    for mode in ["clamp", "wrap"] {
        assert_eq!(of(mode, 30, 5), Some(0xc000_0000));
        assert_eq!(of(mode, 4, 0), Some(0));
        assert_eq!(of(mode, 0, 31), Some(0x7fff_ffff));
    }
    assert_eq!((of("clamp", 0, 32), of("wrap", 0, 32)), (Some(0xffff_ffff), Some(0)));
    assert_eq!((of("clamp", 33, 1), of("wrap", 33, 1)), (Some(0), Some(2)));
    assert_eq!((of("clamp", 8, 64), of("wrap", 8, 66)), (Some(0xffff_ff00), Some(0x300)));
}

#[test]
fn numbers_of_any_width_are_extended() {
    let of = |form: &str, value: u64, bits: u64| run(&format!("szext.{form}"), 32, &[value, bits]);
    assert_eq!(of("wrap.s32", 0xf8, 4), Some(0xffff_fff8));
    assert_eq!(of("wrap.u32", 0xf8, 4), Some(8));
    assert_eq!(of("clamp.s32", 0x8000_0000, 40), Some(0x8000_0000));
    assert_eq!(of("wrap.s32", 0x8000_0080, 40), Some(0xffff_ff80));
    assert_eq!((of("clamp.s32", 0xff, 0), of("wrap.s32", 0xff, 32)), (Some(0), Some(0)));
}
