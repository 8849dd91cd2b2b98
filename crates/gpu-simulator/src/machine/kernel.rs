//! A kernel that is ready to be launched, and what a launch of it takes of a multiprocessor.

use ptx_syntax::{Module, PtxErrors};

use crate::execute::Memory;
use crate::hardware::occupancy::{Residency, Resources, resident_blocks, resident_blocks_spilled};
use crate::profile::Profile;
use crate::program::{
    Operation, Program, Special, arranged_at, compiled_at, decode_at, fingerprint, with_loops_unrolled,
};
use crate::what_if::threads_are_alike;
use crate::windows::MODULE_BASE;

/// 32-bit registers of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// How many.
    pub per_thread: u32,
    /// Whether that is an estimate, which may be too high for a block that runs on the GPU.
    pub is_estimate: bool,
}

/// What an instruction of a kernel becomes on a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lowered {
    /// Where it stands in the module.
    pub line: u32,
    /// Machine instructions, with moves and loads of constants that come before it.
    pub machine_instructions: f32,
    /// The line of the branch that became a predicate of it, if one did.
    pub predicated_by: Option<u32>,
}

/// A kernel, decoded: to be launched any number of times.
#[derive(Debug)]
pub struct Kernel {
    pub(crate) program: Program,
    /// The same with its loops unrolled and its accesses joined as a compiler does it, for counting; `None` where it does neither.
    compiled: Option<Program>,
    /// The same as a compiler arranges it, for timing.
    arranged: Option<Program>,
    registers: Registers,
}

impl Kernel {
    /// Decodes the kernel `entry` of a module for any GPU, and for a memory that holds the variables of no other module.
    /// [`crate::Machine::load`] checks besides that the GPU has its instructions.
    ///
    /// # Errors
    /// All instructions that are not supported or not right, each with its line; or that there is no such kernel.
    pub fn decode(module: &Module, entry: &str) -> Result<Self, PtxErrors> {
        Self::decode_from(module, entry, MODULE_BASE)
    }

    /// Decodes a kernel for this memory, which may hold variables of other modules.
    pub(super) fn decode_for(memory: &Memory, module: &Module, entry: &str) -> Result<Self, PtxErrors> {
        Self::decode_from(module, entry, memory.module_base(fingerprint(module)))
    }

    fn decode_from(module: &Module, entry: &str, base: u64) -> Result<Self, PtxErrors> {
        let program = decode_at(module, entry, base)?;
        let wanted = program.estimated_registers();
        let registers =
            Registers { per_thread: program.registers_max.map_or(wanted, |most| wanted.min(most)), is_estimate: true };
        let with_turns = with_loops_unrolled(module, entry);
        let unrolled = with_turns.as_ref().and_then(|module| decode_at(module, entry, base).ok());
        let source = with_turns.as_ref().filter(|_| unrolled.is_some()).unwrap_or(module);
        let arranged = arranged_at(source, entry, base);
        let compiled = compiled_at(source, entry, base).or(unrolled);
        Ok(Self { program, compiled, arranged, registers })
    }

    /// Whether threads may change places in their block: none tells others of its warp something, or does something else because of its lane.
    pub fn threads_are_alike(&self) -> bool {
        threads_are_alike(&self.program)
    }

    /// Whether threads ask how many blocks the grid has in x.
    pub fn asks_for_grid(&self) -> bool {
        let asks = |own: &Operation| matches!(own, Operation::ReadSpecial { special: Special::GridExtent(0), .. });
        self.program.code.iter().any(|instruction| asks(&instruction.operation))
    }

    /// What is executed where a launch is counted on a GPU of this compute capability.
    pub(super) fn counted(&self, capability: (u32, u32)) -> &Program {
        self.compiled.as_ref().filter(|_| capability.0 >= 7).unwrap_or(&self.program)
    }

    /// Whether it has a loop that goes on until others have written something.
    pub fn waits(&self) -> bool {
        self.program.code.iter().any(|instruction| instruction.spins)
    }

    /// What is executed where a launch is timed on a GPU of this compute capability.
    pub(super) fn timed(&self, capability: (u32, u32)) -> &Program {
        self.arranged.as_ref().filter(|_| capability.0 >= 7).unwrap_or(&self.program)
    }

    /// The kernel that executes what is timed.
    #[cfg(test)]
    pub(crate) fn into_arranged(self) -> Self {
        Self { program: self.arranged.unwrap_or(self.program), compiled: None, arranged: None, ..self }
    }

    /// The kernel that executes what is written.
    #[cfg(test)]
    pub(crate) fn into_written(self) -> Self {
        Self { compiled: None, arranged: None, ..self }
    }

    /// Writes to the constant memory of all forms of the kernel.
    pub(super) fn write_constants(&mut self, offset: usize, bytes: &[u8]) {
        let others = self.compiled.iter_mut().chain(&mut self.arranged);
        for program in others.chain([&mut self.program]) {
            if let Some(target) = program.constants.get_mut(offset..offset + bytes.len()) {
                target.copy_from_slice(bytes);
            }
        }
    }

    /// The same kernel with registers that are known better than by the estimate.
    #[must_use]
    pub fn with_registers(self, registers: Registers) -> Self {
        Self { registers, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Registers of a thread. Unless others were given, an estimate: the values that the PTX has alive at once.
    pub fn registers(&self) -> Registers {
        self.registers
    }

    /// How many of the registers that a thread would have, by the estimate, it may not have, since the kernel bounds them (`__launch_bounds__`,
    /// `.maxnreg`): as many values are spilled to local memory, which is not simulated.
    pub fn registers_spilled(&self) -> u32 {
        self.program.estimated_registers().saturating_sub(self.program.registers_max.unwrap_or(u32::MAX))
    }

    /// What its instructions, and those of the functions that it calls, become on a GPU of this compute capability: in clusters, and of a bulk copy for
    /// one lane.
    pub fn lowered(&self, capability: (u32, u32)) -> impl Iterator<Item = Lowered> + '_ {
        self.program.code.iter().map(move |own| {
            let with = own.issued_with(capability).map(|with| &self.program.code[with as usize]);
            let within = own.within(capability);
            Lowered {
                line: own.line,
                machine_instructions: own.cost_on(capability).total() + within.of_warp(true) + within.of_lane,
                // An end may be issued with what stands before it, which is no branch.
                predicated_by: with.filter(|with| with.is_branch()).map(|branch| branch.line),
            }
        })
    }

    /// Static shared memory of a block, in bytes.
    pub fn static_shared_bytes(&self) -> u32 {
        self.program.shared_bytes
    }

    /// The bytes of each of its parameters, in their order.
    pub fn parameter_bytes(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.program.parameters.iter().map(|slice| slice.bytes)
    }

    /// Global memory that its module's variables take, in bytes.
    pub fn variable_bytes(&self) -> u64 {
        self.program.variables.bytes()
    }

    /// What a block of so many threads takes of a multiprocessor that asks for so much dynamic shared memory.
    pub fn resources(&self, threads_per_block: u32, dynamic_shared_bytes: u32) -> Resources {
        Resources {
            threads_per_block,
            registers_per_thread: self.registers.per_thread,
            shared_bytes_per_block: u64::from(self.program.shared_bytes) + u64::from(dynamic_shared_bytes),
            argument_bytes: u64::from(self.program.parameter_bytes),
        }
    }

    /// How many blocks that take `resources` a multiprocessor holds, and what a block takes then: where the registers are an
    /// estimate, no more than let one block run.
    pub(super) fn residency(&self, profile: &Profile, resources: Resources) -> Result<(Residency, Resources), String> {
        let static_bytes = u64::from(self.program.shared_bytes);
        if static_bytes > profile.shared.bytes_per_block {
            let most = profile.shared.bytes_per_block;
            return Err(format!("a block needs {static_bytes} bytes of static shared memory, {most} are allowed"));
        }
        if resources.shared_bytes_per_block > profile.shared.bytes_per_block_opt_in {
            let (asked, most) = (resources.shared_bytes_per_block, profile.shared.bytes_per_block_opt_in);
            return Err(format!("a block needs {asked} bytes of shared memory, {most} are allowed"));
        }
        let threads = resources.threads_per_block;
        if let Some(most) = self.program.threads_max.filter(|most| u64::from(threads) > *most) {
            return Err(format!("a block has {threads} threads, its .maxntid allows {most}"));
        }
        if self.registers.is_estimate {
            resident_blocks_spilled(&profile.limits(), &resources)
        } else {
            Ok((resident_blocks(&profile.limits(), &resources)?, resources))
        }
    }
}
