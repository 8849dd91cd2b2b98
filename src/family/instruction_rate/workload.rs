//! Buffer, launch and expected output of chains of instructions.

use rayon::prelude::*;

use super::reference::{Lanes, SPECIAL_TOLERANCE, ends};
use super::{CHAINS, Instruction, PTX, Parameters, Predictors, Variant};
use crate::kernel::registers_per_thread;
use crate::properties::Properties;
use crate::workload::{Argument, Buffer, Contents, Element, Expected, Launch, Near, Step, Submission, Workload};
use gpu_simulator::hardware::lanes::LANES;
use gpu_simulator::hardware::occupancy::{Resources, resident_blocks};

const WORD_BYTES: u64 = 4;
/// Two addresses and two words.
const ARGUMENT_BYTES: u64 = 24;
/// Registers of a thread where the compiler's number is not known: about what the kernels with 8 chains have.
const REGISTERS: u32 = 32;
/// Shared memory that chains of loads go through: 8 rows of 32 words.
const LOADED_BYTES: u32 = 1024;

impl Parameters {
    fn threads(&self) -> u64 {
        u64::from(self.block) * self.launched_blocks
    }

    fn shared_bytes(&self) -> u32 {
        match self.instruction {
            Instruction::SharedLoad => LOADED_BYTES,
            Instruction::SharedAtomic => WORD_BYTES as u32 * self.block * self.chains,
            _ => 0,
        }
    }

    /// Warps of the launch that a multiprocessor holds at once.
    fn resident_warps(&self, entry: &str, device: &Properties) -> u32 {
        let resources = Resources {
            threads_per_block: self.block,
            registers_per_thread: registers_per_thread(entry, device.capability()).unwrap_or(REGISTERS),
            shared_bytes_per_block: self.shared_bytes().into(),
            argument_bytes: ARGUMENT_BYTES,
        };
        let resident = resident_blocks(&device.limits(), &resources).map_or(0, |residency| residency.blocks);
        let given = (self.launched_blocks as u32).div_ceil(device.sm_count.max(1));
        resident.min(given) * self.block.div_ceil(LANES as u32)
    }
}

/// A word for each chain of each thread, and one for the cycles of the loop.
pub(super) fn device_bytes(parameters: &Parameters) -> u64 {
    WORD_BYTES * (parameters.threads() * u64::from(parameters.chains) + 1)
}

/// A point's predictors.
pub(super) fn predictors(parameters: &Parameters, variant: Variant, device: &Properties) -> Predictors {
    let Parameters { instruction, chains, instructions, .. } = *parameters;
    let at_once = if variant == Variant::Interleaved { chains } else { 1 };
    let warps = parameters.resident_warps(entry(variant, instruction, chains), device);
    Predictors {
        instructions_per_thread: f64::from(chains) * f64::from(instructions),
        chains_in_flight: f64::from(at_once) * f64::from(warps),
    }
}

/// Builds a point's workload.
pub(super) fn build(parameters: &Parameters, variant: Variant, device: &Properties) -> Workload<Predictors> {
    let Parameters { instruction, chains, instructions, block, launched_blocks } = *parameters;
    let entry = entry(variant, instruction, chains);
    let numbers = if is_in_turn(variant, chains) { vec![chains, instructions] } else { vec![instructions] };
    let words = (parameters.threads() * u64::from(chains)) as usize;
    Workload {
        ptx: PTX,
        steps: vec![Step::Launch(Launch {
            entry,
            grid: [launched_blocks as u32, 1, 1],
            block: [block, 1, 1],
            cooperative: false,
            cluster_blocks: 1,
            shared_bytes: parameters.shared_bytes(),
            arguments: [0, 1]
                .map(Argument::Buffer)
                .into_iter()
                .chain(numbers.into_iter().map(Argument::Word))
                .collect(),
        })],
        submission: Submission::Stream,
        bytes: WORD_BYTES * words as u64,
        operations: operations_of(instruction) * words as u64 * u64::from(instructions),
        predictors: predictors(parameters, variant, device),
        buffers: vec![
            Buffer { name: "ends", contents: Contents::Poison { words }, expected: Some(expected(parameters)) },
            Buffer::of_cycles(),
        ],
    }
}

/// Where all chains end: those of a number one after another, by thread.
fn expected(parameters: &Parameters) -> Expected {
    let Parameters { instruction, chains, instructions, .. } = *parameters;
    let ends: Vec<Lanes> = (0..chains).into_par_iter().map(|chain| ends(instruction, chain, instructions)).collect();
    let warps = parameters.threads() as usize / LANES;
    let words: Vec<u32> = ends.iter().flat_map(|lanes| std::iter::repeat_n(lanes, warps).flatten().copied()).collect();
    if instruction == Instruction::SpecialFunction {
        let near = Near { element: Element::Float(32), words: words.into(), tolerance: SPECIAL_TOLERANCE };
        return Expected::Near(near);
    }
    words.into()
}

/// Operations of one lane's instruction; a multiply-add counts as two.
fn operations_of(instruction: Instruction) -> u64 {
    match instruction {
        Instruction::Half2MultiplyAdd => 4,
        Instruction::IntegerMultiplyAdd | Instruction::FloatMultiplyAdd | Instruction::DoubleMultiplyAdd => 2,
        _ => 1,
    }
}

/// Whether the kernel is that which carries out any number of chains, one after another.
fn is_in_turn(variant: Variant, chains: u32) -> bool {
    variant == Variant::InTurn || chains == 1
}

/// The kernel of a variant, for a number of chains that there is one for.
fn entry(variant: Variant, instruction: Instruction, chains: u32) -> &'static str {
    macro_rules! kernels {
        ($name:literal) => {
            [
                concat!("instruction_rate_in_turn_", $name),
                concat!("instruction_rate_interleaved_", $name, "_2"),
                concat!("instruction_rate_interleaved_", $name, "_4"),
                concat!("instruction_rate_interleaved_", $name, "_8"),
            ]
        };
    }
    let kernels = match instruction {
        Instruction::IntegerAdd => kernels!("integer_add"),
        Instruction::IntegerMultiplyAdd => kernels!("integer_multiply_add"),
        Instruction::FloatMultiplyAdd => kernels!("float_multiply_add"),
        Instruction::DoubleMultiplyAdd => kernels!("double_multiply_add"),
        Instruction::Half2MultiplyAdd => kernels!("half2_multiply_add"),
        Instruction::SpecialFunction => kernels!("special_function"),
        Instruction::Conversion => kernels!("conversion"),
        Instruction::Shuffle => kernels!("shuffle"),
        Instruction::Vote => kernels!("vote"),
        Instruction::PopulationCount => kernels!("population_count"),
        Instruction::SharedLoad => kernels!("shared_load"),
        Instruction::SharedAtomic => kernels!("shared_atomic"),
    };
    let place = if is_in_turn(variant, chains) { 0 } else { CHAINS.iter().position(|&own| own == chains).unwrap_or(0) };
    kernels[place]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "counts are exact")]

    use super::*;
    use crate::family::fixtures::{bytes_of_buffers, defaults, properties, workload};
    use crate::parameter::Named;

    fn point(instruction: Instruction) -> Parameters {
        Parameters { instruction, chains: 4, instructions: 10, block: 64, launched_blocks: 3 }
    }

    #[test]
    fn every_kernel_that_is_named_is_there() {
        for &instruction in Instruction::ALL {
            for (variant, chains) in Variant::ALL.iter().flat_map(|variant| CHAINS.map(|chains| (*variant, chains))) {
                let entry = entry(variant, instruction, chains);
                let named = match variant {
                    Variant::Interleaved if chains > 1 => {
                        format!("instruction_rate_interleaved_{}_{chains}", instruction.name())
                    }
                    _ => format!("instruction_rate_in_turn_{}", instruction.name()),
                };
                assert_eq!(entry, named);
                assert!(PTX.text_of(entry, (9, 0)).is_some(), "{entry}");
            }
        }
    }

    #[test]
    fn chains_end_the_same_in_both_variants_and_in_every_warp() {
        for &instruction in Instruction::ALL {
            let ends = |variant| workload(variant, &point(instruction)).buffers[0].expected.clone().unwrap();
            assert_eq!(ends(Variant::InTurn), ends(Variant::Interleaved));
            let words = ends(Variant::InTurn).words().unwrap().to_vec();
            assert_eq!(words.len(), 4 * 3 * 64);
            assert_eq!(words[..32], words[160..192], "{instruction:?}");
        }
    }

    #[test]
    fn interleaved_chains_are_in_flight_together_and_chains_in_turn_are_not() {
        let one = |variant, point: &Parameters| workload(variant, point).predictors;
        let float = point(Instruction::FloatMultiplyAdd);
        // The mock has one multiprocessor, which holds three blocks of two warps.
        assert_eq!(one(Variant::InTurn, &float).chains_in_flight, 6.0);
        assert_eq!(one(Variant::Interleaved, &float).chains_in_flight, 24.0);
        assert_eq!(one(Variant::InTurn, &float).instructions_per_thread, 40.0);
        let many = Parameters { launched_blocks: 1000, block: 1024, ..float };
        assert_eq!(one(Variant::InTurn, &many).chains_in_flight, 64.0);
        let two = Properties { sm_count: 2, ..properties() };
        assert_eq!(predictors(&float, Variant::InTurn, &two).chains_in_flight, 4.0);
    }

    #[test]
    fn arguments_are_in_the_kernels_order_and_shared_memory_is_what_they_use() {
        let launch = |variant, point: &Parameters| workload(variant, point).launches().next().unwrap().clone();
        let atomic = point(Instruction::SharedAtomic);
        let in_turn = launch(Variant::InTurn, &atomic);
        assert_eq!(in_turn.arguments[1..], [Argument::Buffer(1), Argument::Word(4), Argument::Word(10)]);
        let interleaved = launch(Variant::Interleaved, &atomic);
        assert_eq!(interleaved.arguments[1..], [Argument::Buffer(1), Argument::Word(10)]);
        assert_eq!((interleaved.shared_bytes, in_turn.shared_bytes), (1024, 1024));
        assert_eq!(launch(Variant::InTurn, &point(Instruction::SharedLoad)).shared_bytes, 1024);
        assert_eq!(launch(Variant::InTurn, &point(Instruction::Vote)).shared_bytes, 0);
    }

    #[test]
    fn device_bytes_are_those_of_the_buffer() {
        let point = Parameters { launched_blocks: 7, ..defaults() };
        assert_eq!(bytes_of_buffers(&workload(Variant::InTurn, &point)), 4 * (7 * 32 + 1));
        assert_eq!(device_bytes(&point), 4 * (7 * 32 + 1));
    }
}
