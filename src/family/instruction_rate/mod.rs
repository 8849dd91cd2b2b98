//! Latency and throughput of instructions: threads carry out chains of one instruction, each of which needs the result of the
//! one before.
//!
//! One chain of one warp shows the latency of the instruction: nothing else is there to do while it waits. Many chains under
//! way at once show its throughput: somebody always has an instruction for the unit.

use crate::family::{Conflict, FamilyPoint, declare_family};
use crate::kernel::{self, Ptx};
use crate::parameter::Named;
use crate::properties::Properties;
use crate::workload::Workload;

mod reference;
mod workload;

/// The numbers of chains that kernels are compiled for.
pub const CHAINS: [u32; 4] = [1, 2, 4, 8];

/// The kernels of `cuda/instruction_rate.cu`.
pub static PTX: Ptx = kernel::embedded("instruction_rate");

declare_family! {
    /// The family of chains of instructions.
    pub static FAMILY = {
        name: "instruction_rate",
        summary: "every instruction of a thread waits for the one before it, whose result it needs",
        ptx: PTX,
        size: instructions ^ 1,
        reads_clock: true,
    };

    struct Parameters {
        instruction: Instruction = Instruction::IntegerAdd, one of {
            IntegerAdd = "integer_add",
            IntegerMultiplyAdd = "integer_multiply_add",
            FloatMultiplyAdd = "float_multiply_add",
            DoubleMultiplyAdd = "double_multiply_add",
            Half2MultiplyAdd = "half2_multiply_add",
            SpecialFunction = "special_function",
            Conversion = "conversion",
            Shuffle = "shuffle",
            Vote = "vote",
            PopulationCount = "population_count",
            SharedLoad = "shared_load",
            SharedAtomic = "shared_atomic",
        }, "what the chains consist of; a special function is a reciprocal square root, a conversion one of a whole number to a float, a vote has a comparison before it";
        chains: u32 = 1, in 1..=8,
            "chains of each thread, which do not depend on each other: 1, 2, 4 or 8";
        instructions: u32 = 4096, in 1..=1 << 16,
            "instructions of each chain, one after another";
        block: u32 = 32, in 32..=1024, step 32,
            "threads per block";
        launched_blocks: u64 => sm_count, in 1..=1 << 16,
            "blocks of the launch; by default one for each multiprocessor";
    }

    enum Variant {
        InTurn = "in_turn":
            "one chain after another, so that every instruction waits for the one before it; this variant has the pattern";
        Interleaved = "interleaved": "an instruction of each chain in turn, so that those of different chains overlap";
    }

    struct Predictors {
        instructions_per_thread: "instructions of all chains of a thread", of [chains, instructions];
        chains_in_flight:
            "chains of warps that are under way at once on a multiprocessor",
            of [chains, block, launched_blocks] and registers;
    }
}

/// A block for each multiprocessor.
fn sm_count(properties: &Properties) -> u64 {
    u64::from(properties.sm_count).clamp(1, 1 << 16)
}

impl Instruction {
    /// The least compute capability that has it.
    pub fn since(self) -> (u32, u32) {
        match self {
            Self::IntegerAdd
            | Self::IntegerMultiplyAdd
            | Self::FloatMultiplyAdd
            | Self::SpecialFunction
            | Self::Conversion
            | Self::PopulationCount
            | Self::SharedLoad => (1, 0),
            Self::SharedAtomic => (1, 2),
            Self::DoubleMultiplyAdd => (1, 3),
            Self::Vote => (2, 0),
            Self::Shuffle => (3, 0),
            Self::Half2MultiplyAdd => (5, 3),
        }
    }
}

impl FamilyPoint for Parameters {
    fn check(&self) -> Result<(), Conflict> {
        if CHAINS.contains(&self.chains) {
            return Ok(());
        }
        Err(Conflict {
            parameters: &[Self::NAMES.chains],
            problem: format!("there is no kernel with {} chains of a thread", self.chains),
            help: "use one of 1, 2, 4, 8".to_owned(),
        })
    }

    fn device_bytes(&self) -> u64 {
        workload::device_bytes(self)
    }

    fn predictors(&self, variant: Variant, device: &Properties) -> Predictors {
        workload::predictors(self, variant, device)
    }

    fn workload(&self, variant: Variant, device: &Properties, _: u64) -> Workload<Predictors> {
        workload::build(self, variant, device)
    }

    /// Every instruction that the device has, with every number of chains; chains shorter than the kernels' loops, as long and longer.
    fn verification(device: &Properties) -> Vec<Self> {
        let mut points = Vec::new();
        for &instruction in Instruction::ALL.iter().filter(|own| own.since() <= device.capability()) {
            for (chains, instructions, block, launched_blocks) in
                [(1, 1, 32, 1), (1, 64, 96, 2), (2, 33, 64, 3), (4, 40, 32, 2), (8, 8, 128, 1), (8, 203, 64, 2)]
            {
                points.push(Self { instruction, chains, instructions, block, launched_blocks });
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::fixtures::defaults;

    #[test]
    fn numbers_of_chains_without_a_kernel_are_refused() {
        for chains in CHAINS {
            assert_eq!(Parameters { chains, ..defaults() }.check(), Ok(()));
        }
        let refused = Parameters { chains: 3, ..defaults() }.check().unwrap_err();
        assert_eq!(refused.parameters, ["chains"]);
        assert!(refused.problem.contains("3 chains"), "{refused:?}");
    }
}
