//! Tests across the functions: what is found, and what a GPU gives.

mod conversions;
mod floats;
mod halves;
mod integers;

use super::Function;
use crate::hardware::lanes::LANES;
use crate::program::table;

/// The function of an instruction, if it is one of registers alone.
fn find(opcode: &str, modifiers: &[&str], destination_bits: u8) -> Option<Function> {
    table::find(opcode, modifiers).find_map(|row| row.function(modifiers, destination_bits))
}

/// What the instruction gives of `operands`, the bits of registers; of a comparison, 1 where it holds. `None` where it
/// is not found. The operands lie in lane 5 alone, and in every lane: both must give the same.
fn run(instruction: &str, destination_bits: u8, operands: &[u64]) -> Option<u64> {
    let (opcode, modifiers) = instruction.split_once('.').expect("modifiers");
    let function = find(opcode, &modifiers.split('.').collect::<Vec<_>>(), destination_bits)?;
    let everywhere = call(function, operands, |_| true)[5];
    assert_eq!(call(function, operands, |lane| lane == 5)[5], everywhere, "{instruction} {operands:x?}");
    Some(everywhere)
}

/// The results of all lanes, of which the chosen ones have the operands.
fn call(function: Function, operands: &[u64], chosen: impl Fn(usize) -> bool) -> [u64; LANES] {
    let long = |index: usize| std::array::from_fn(|lane| if chosen(lane) { operands[index] } else { 0 });
    let word = |index: usize| std::array::from_fn(|lane| if chosen(lane) { operands[index] as u32 } else { 0 });
    let (mut words, mut longs) = ([0; LANES], [0; LANES]);
    let mut mask = 0;
    match function {
        Function::WW(f) => f(&word(0), &mut words),
        Function::WL(f) => f(&word(0), &mut longs),
        Function::LW(f) => f(&long(0), &mut words),
        Function::LL(f) => f(&long(0), &mut longs),
        Function::WWW(f) => f(&word(0), &word(1), &mut words),
        Function::WWL(f) => f(&word(0), &word(1), &mut longs),
        Function::LLL(f) => f(&long(0), &long(1), &mut longs),
        Function::LWL(f) => f(&long(0), &word(1), &mut longs),
        Function::WWWW(f) => f(&word(0), &word(1), &word(2), &mut words),
        Function::WWLL(f) => f(&word(0), &word(1), &long(2), &mut longs),
        Function::LLLL(f) => f(&long(0), &long(1), &long(2), &mut longs),
        Function::LWWL(f) => f(&long(0), &word(1), &word(2), &mut longs),
        Function::WWWWW(f) => f(&word(0), &word(1), &word(2), &word(3), &mut words),
        Function::LLWWL(f) => f(&long(0), &long(1), &word(2), &word(3), &mut longs),
        Function::EachLane(own) => {
            let sources = std::array::from_fn(|index| match own.sources().as_bytes().get(index) {
                None => [0; LANES],
                Some(b'L') => long(index),
                Some(_) => word(index).map(u64::from),
            });
            longs = own.call(&sources);
        }
        Function::WWP(f) => mask = f(&word(0), &word(1)),
        Function::LLP(f) => mask = f(&long(0), &long(1)),
    }
    std::array::from_fn(|lane| u64::from(words[lane]) | longs[lane] | u64::from((mask >> lane) & 1))
}

/// Of an instruction with a 32-bit result.
fn word(instruction: &str, operands: &[u32]) -> u32 {
    let operands: Vec<u64> = operands.iter().map(|operand| u64::from(*operand)).collect();
    run(instruction, 32, &operands).expect(instruction) as u32
}

/// Of an instruction with f32 operands and result.
fn float(instruction: &str, operands: &[f32]) -> f32 {
    f32::from_bits(word(instruction, &operands.iter().map(|operand| operand.to_bits()).collect::<Vec<_>>()))
}

/// Of an instruction with 64-bit operands and result.
fn long(instruction: &str, operands: &[u64]) -> u64 {
    run(instruction, 64, operands).expect(instruction)
}

/// Lines of `instruction destination-bits operand,operand=result ...` in hexadecimal, as an H200 with CUDA's driver 580
/// computed them for PTX 8.0, from operands drawn at random among edge values and random bits. Approximate functions
/// are left out, and bit fields beyond the 255th bit.
const GPU: &str = include_str!("tests/h200.txt");

#[test]
fn a_gpu_gives_the_same_bits() {
    let number = |digits: &str| u64::from_str_radix(digits, 16).expect("hexadecimal digits");
    let mut cases = 0;
    for line in GPU.lines() {
        let mut fields = line.split(' ');
        let (instruction, bits) = (fields.next().expect("an instruction"), fields.next().expect("a width"));
        for case in fields {
            let (operands, result) = case.split_once('=').expect("a result");
            let operands: Vec<u64> = operands.split(',').map(number).collect();
            let ours = run(instruction, bits.parse().expect("a width"), &operands);
            assert_eq!(ours.map(|bits| format!("{bits:x}")).as_deref(), Some(result), "{instruction} {case}");
            cases += 1;
        }
    }
    assert!(cases > 3000, "{cases}");
}

/// What CUDA's compiler was seen to emit for kernels in scope.
const EMITTED: &str = "add.s16 add.s32 add.s64 add.u32 sub.s32 mul.lo.s16 mul.lo.s32 mul.lo.s64 mul.hi.u32 mul.hi.s32 \
    mul.hi.u64 mul.wide.u16 mul.wide.s32 mul.wide.u32 mad.lo.s32 mad.lo.s64 mad.wide.u32 mad.wide.s32 div.s32 div.u32 \
    div.s64 div.u64 rem.s32 rem.u32 rem.u64 abs.s32 abs.s64 neg.s32 neg.s16 min.s32 max.u32 sad.u32 not.b32 and.b16 \
    or.b32 xor.b64 shl.b16 shl.b32 shl.b64 shr.s32 shr.u32 shr.u64 shr.b32 shf.l.wrap.b32 shf.r.wrap.b32 bfe.u32 bfi.b32 \
    bfi.b64 bfind.u32 bfind.shiftamt.u32 bfind.shiftamt.u64 brev.b32 popc.b32 popc.b64 clz.b32 clz.b64 prmt.b32 \
    dp4a.s32.s32 dp4a.u32.u32 dp4a.u32.s32 lop3.b32 add.f32 add.rn.f32 add.ftz.f32 sub.f32 mul.f32 mul.rn.f32 fma.rn.f32 \
    fma.rn.ftz.f32 fma.rz.f32 neg.f32 abs.f32 min.f32 max.f32 copysign.f32 div.rn.f32 rcp.rn.f32 sqrt.rn.f32 \
    div.approx.f32 div.full.f32 div.approx.ftz.f32 rcp.approx.f32 rcp.approx.ftz.f32 sqrt.approx.f32 rsqrt.approx.f32 \
    rsqrt.approx.ftz.f32 ex2.approx.f32 ex2.approx.ftz.f32 lg2.approx.f32 lg2.approx.ftz.f32 sin.approx.f32 \
    cos.approx.f32 sin.approx.ftz.f32 tanh.approx.f32 add.f64 sub.f64 mul.f64 fma.rn.f64 neg.f64 abs.f64 min.f64 \
    max.f64 copysign.f64 div.rn.f64 rcp.rn.f64 sqrt.rn.f64 rcp.approx.ftz.f64 rsqrt.approx.ftz.f64 rsqrt.approx.f64 \
    setp.ne.s16 setp.lt.s32 setp.gt.u32 setp.eq.s64 setp.hs.u64 setp.eq.b32 setp.lt.f32 setp.ltu.f32 setp.gtu.ftz.f32 \
    setp.geu.f64 setp.num.f64 setp.nan.f32 set.eq.u32.u32 set.lt.f32.f32 slct.s32.f32 mov.u16 mov.b32 mov.f32 mov.u64 \
    mov.f64 cvt.rn.f32.s32 cvt.rzi.s32.f32 cvt.rmi.f32.f32 cvt.rni.s32.f32 cvt.u16.u32 cvt.s64.s32 cvt.u64.u32 \
    cvt.u32.u64 cvt.s32.s8 cvt.f64.f32 cvt.rn.f32.f64 cvt.rn.f64.s32 cvt.rn.f16.f32 cvt.f32.f16 cvt.sat.f32.f32";

#[test]
fn what_compilers_emit_is_found() {
    for instruction in EMITTED.split_whitespace() {
        let (opcode, modifiers) = instruction.split_once('.').expect("modifiers");
        let modifiers: Vec<&str> = modifiers.split('.').collect();
        assert!(table::find(opcode, &modifiers).next().is_some(), "{instruction}");
    }
}

#[test]
fn what_ptx_lacks_is_not_found() {
    for instruction in "add.b32 add.u8 add.sat.u32 mul.u32 mul.wide.u64 mad.wide.s64 \
        and.u32 and.pred shl.s32 shl.sat.b32 neg.u32 abs.u32 brev.b16 popc.u32 bfe.b32 bfe.u16 shf.l.b32 shf.wrap.b32 \
        shf.l.wrap.b64 prmt.b64 dp4a.s32 dp2a.s32.s32 fma.f32 div.f32 div.sat.rn.f32 sqrt.f32 rcp.f32 rsqrt.f32 sin.f32 \
        tanh.approx.ftz.f32 add.ftz.f64 add.rz.f64 min.rn.f32 copysign.ftz.f32 div.approx.f64 add.rz.f16 add.f8 add.ftz.bf16 \
        setp.lo.s32 setp.lt.b32 setp.ltu.u32 setp.hi.f32 setp.eq.ftz.u32 set.eq.u16.u32 cvt.f32.s32 cvt.rni.f32.s32 \
        cvt.s32.f32 cvt.rn.s32.f32 cvt.rn.f32.f16 cvt.f16.f32 cvt.ftz.s32.s16 cvt.b32.u32 mov.pred mov.u32.u32 \
        frobnicate.u32 add ld.u32 lop3.b64 lop3.and.b32 add.u32.u32 add.é"
        .split_whitespace()
    {
        let mut words = instruction.split('.');
        let opcode = words.next().expect("an opcode");
        assert!(find(opcode, &words.collect::<Vec<_>>(), 32).is_none(), "{instruction}");
    }
    assert!(find("", &[], 0).is_none());
}
