#![allow(clippy::float_cmp, reason = "counts are exact")]

use apbench::family::instruction_rate::{CHAINS, FAMILY, Instruction, PTX};
use apbench::parameter::Named;
use gpu_simulator::profile::Profile;

use super::{Simulated, count, entry, loops};

/// What a step of a chain consists of.
fn opcodes(instruction: Instruction) -> &'static [&'static str] {
    match instruction {
        Instruction::IntegerAdd => &["add.u32"],
        Instruction::IntegerMultiplyAdd => &["mad.lo.u32"],
        Instruction::FloatMultiplyAdd => &["fma.rn.f32"],
        Instruction::DoubleMultiplyAdd => &["fma.rn.f64"],
        Instruction::Half2MultiplyAdd => &["fma.rn.f16x2"],
        Instruction::SpecialFunction => &["rsqrt.approx.ftz.f32"],
        Instruction::Conversion => &["cvt.rn.f32.s32"],
        Instruction::Shuffle => &["shfl.sync.idx.b32"],
        Instruction::Vote => &["setp.gt.u32 more", "vote.sync.ballot.b32"],
        Instruction::PopulationCount => &["popc.b32"],
        Instruction::SharedLoad => &["ld.shared.u32"],
        Instruction::SharedAtomic => &["atom.shared.add.u32"],
    }
}

#[test]
fn loops_have_sixty_four_instructions_whatever_the_chains() {
    for &instruction in Instruction::ALL {
        let interleaved =
            CHAINS[1..].iter().map(|chains| (format!("interleaved_{}_{chains}", instruction.name()), *chains));
        let kernels = interleaved.chain([(format!("in_turn_{}", instruction.name()), 1)]);
        for (name, chains) in kernels {
            let instructions = entry(PTX, &format!("instruction_rate_{name}"));
            let loops = loops(&instructions);
            let of_all = |body: &[&str]| opcodes(instruction).iter().map(|own| count(body, own)).collect::<Vec<_>>();
            let has = |steps: usize| loops.iter().any(|body| of_all(body).iter().all(|own| *own == steps));
            assert!(has(64), "{name}: {:?}", loops.iter().map(|body| of_all(body)).collect::<Vec<_>>());
            assert!(has(chains as usize), "{name}: no loop of what is left");
        }
    }
}

/// What each further instruction of the chains takes, in cycles, on a simulated H200 with one block on each multiprocessor.
fn cycles_of_instruction(instruction: Instruction, variant: &str, chains: i64, block: i64) -> f64 {
    let time_us = |instructions: i64| {
        let parameters = [
            ("instruction", instruction.name().into()),
            ("chains", chains.into()),
            ("instructions", instructions.into()),
            ("block", block.into()),
            ("launched_blocks", 1.into()),
        ];
        Simulated::run("h200", &FAMILY, variant, &parameters).time_us
    };
    (time_us(768) - time_us(256)) / 512.0 * Profile::load("h200").unwrap().sm_clock_mhz
}

#[test]
fn one_chain_of_one_warp_shows_the_latency_of_each_unit() {
    let profile = Profile::load("h200").unwrap();
    let units = &profile.units;
    for (instruction, latency_cycles) in [
        (Instruction::IntegerMultiplyAdd, units.multiply.latency_cycles),
        (Instruction::FloatMultiplyAdd, units.float.latency_cycles),
        (Instruction::DoubleMultiplyAdd, units.double.latency_cycles),
        (Instruction::PopulationCount, units.special.latency_cycles),
        (Instruction::Shuffle, units.exchange.latency_cycles),
        (Instruction::SharedLoad, profile.shared.latency_cycles),
    ] {
        let cycles = cycles_of_instruction(instruction, "in_turn", 1, 32);
        let slack = 0.08 * latency_cycles + 0.2;
        assert!((cycles - latency_cycles).abs() < slack, "{instruction:?}: {cycles} cycles, not {latency_cycles}");
    }
}

/// Eight chains of each of 32 warps, of which a scheduler has eight: it is the unit that they wait for.
#[test]
fn many_chains_show_the_interval_of_each_unit() {
    let units = Profile::load("h200").unwrap().units;
    for (instruction, interval_cycles) in [
        (Instruction::FloatMultiplyAdd, units.float.interval_cycles),
        (Instruction::DoubleMultiplyAdd, units.double.interval_cycles),
        (Instruction::PopulationCount, units.special.interval_cycles),
        (Instruction::Shuffle, units.exchange.interval_cycles),
    ] {
        let cycles = cycles_of_instruction(instruction, "interleaved", 8, 1024) / 64.0;
        let slack = 0.12 * interval_cycles;
        assert!((cycles - interval_cycles).abs() < slack, "{instruction:?}: {cycles} cycles, not {interval_cycles}");
    }
}

#[test]
fn interleaving_helps_a_warp_alone_and_hardly_a_full_multiprocessor() {
    let gain = |block| {
        let of = |variant| cycles_of_instruction(Instruction::PopulationCount, variant, 8, block);
        of("in_turn") / of("interleaved")
    };
    let (alone, full) = (gain(32), gain(1024));
    assert!(alone > 1.8 && full < 1.15, "{alone}, {full}");
}
