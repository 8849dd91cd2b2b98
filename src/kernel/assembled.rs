//! What NVIDIA's assembler makes of the kernels of a module for one architecture, as `ptxas -v` says it.

use serde::{Deserialize, Serialize};

/// A module as ptxas assembles it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Assembled {
    /// The assembler, its version and the architecture, such as `ptxas 13.0.88 for sm_90`.
    pub assembler: String,
    /// The architecture's compute capability.
    pub capability: (u32, u32),
    /// The kernels.
    pub kernels: Vec<AssembledKernel>,
}

/// What ptxas gives the threads of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AssembledKernel {
    /// The entry point.
    pub name: String,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Local memory of a thread, registers that were spilled among it.
    pub local_bytes: u64,
    /// What a thread stores of registers that were spilled.
    pub spill_store_bytes: u64,
    /// What it loads of them.
    pub spill_load_bytes: u64,
}

impl Assembled {
    /// The kernel of this name on a GPU of this compute capability; `None` on any other.
    pub fn kernel(&self, name: &str, capability: (u32, u32)) -> Option<&AssembledKernel> {
        self.kernels.iter().find(|own| own.name == name).filter(|_| self.capability == capability)
    }
}

impl AssembledKernel {
    /// The kernels that `ptxas -v` speaks of, in its order. What it says of functions that are called is not theirs.
    pub fn all(said: &str) -> Vec<Self> {
        let mut all = Vec::new();
        let mut own: Option<Self> = None;
        let mut is_about_own = false;
        for line in said.lines() {
            let quoted = line.split('\'').nth(1);
            if let (true, Some(name)) = (line.contains("Compiling entry function"), quoted) {
                let name = name.to_owned();
                own = Some(Self { name, registers: 0, local_bytes: 0, spill_store_bytes: 0, spill_load_bytes: 0 });
            } else if let Some((_, name)) = line.split_once("Function properties for ") {
                is_about_own = own.as_ref().is_some_and(|own| own.name == name.trim());
            } else if let Some(bytes) = number(line, " bytes stack frame") {
                if let Some(own) = own.as_mut().filter(|_| is_about_own) {
                    own.local_bytes = bytes;
                    own.spill_store_bytes = number(line, " bytes spill stores").unwrap_or(0);
                    own.spill_load_bytes = number(line, " bytes spill loads").unwrap_or(0);
                }
            } else if line.contains("Used ")
                && let Some(registers) = number(line, " registers").and_then(|count| u32::try_from(count).ok())
            {
                all.extend(own.take().map(|own| Self { registers, ..own }));
            }
        }
        all
    }
}

/// The number that stands before these words.
fn number(line: &str, words: &str) -> Option<u64> {
    line.split_once(words)?.0.split_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ptxas 13.0.88 says of a kernel that calls a function, and of one that is bound to few registers.
    const SAID: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5callsPf' for 'sm_90'
ptxas info    : Function properties for _Z5callsPf
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compile time = 3.632 ms
ptxas info    : Function properties for _Z6calledf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_Z7boundedPf' for 'sm_90'
ptxas info    : Function properties for _Z7boundedPf
    264 bytes stack frame, 304 bytes spill stores, 304 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 264 bytes cumulative stack size
ptxas info    : Compile time = 13.818 ms
";

    #[test]
    fn registers_and_spills_are_those_of_each_kernel() {
        let kernel = |name: &str, registers, [local_bytes, spill_store_bytes, spill_load_bytes]: [u64; 3]| {
            AssembledKernel { name: name.to_owned(), registers, local_bytes, spill_store_bytes, spill_load_bytes }
        };
        let expected = [kernel("_Z5callsPf", 14, [16, 0, 0]), kernel("_Z7boundedPf", 32, [264, 304, 304])];
        assert_eq!(AssembledKernel::all(SAID), expected);
        for nothing in ["", "ptxas fatal   : Value 'sm_13' is not defined", "Used 12 registers", "Used x registers"] {
            assert_eq!(AssembledKernel::all(nothing), []);
        }
    }

    #[test]
    fn they_are_of_one_compute_capability() {
        let kernels = AssembledKernel::all(SAID);
        let own = Assembled { assembler: "ptxas 13.0.88 for sm_90".to_owned(), capability: (9, 0), kernels };
        assert_eq!(own.kernel("_Z7boundedPf", (9, 0)).map(|kernel| kernel.registers), Some(32));
        assert_eq!(own.kernel("_Z7boundedPf", (8, 0)), None);
        assert_eq!(own.kernel("_Z6calledf", (9, 0)), None);
    }
}
