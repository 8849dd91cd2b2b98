//! The compiled kernels that the build embedded, and where they came from.

mod assembled;
mod generation;
mod language;
mod source;
mod symbol;
mod text;

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex, PoisonError};

use ptx_requirements::{RequirementError, join};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use assembled::{Assembled, AssembledKernel};
pub use generation::{GENERATIONS, Generation, TOOLKITS};
pub use language::Language;
pub use source::{SourceLine, Sourced};
pub use symbol::{demangled, demangled_with_parameters, parameter_types, variable};
pub use text::{source_text, unreadable};

/// The modules of every file in `cuda/`, by the file's name: the build script writes the list.
static EMBEDDED: &[(&str, &[Module])] = include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Kernels as a PTX text, with the least that a driver and a GPU must have for it.
#[derive(Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name, such as `atomics.sm_70`.
    pub name: &'static str,
    /// Its PTX version, major and minor.
    pub version: (u32, u32),
    /// The compute capability of its target, major and minor.
    pub capability: (u32, u32),
    /// Names of its kernels.
    pub kernels: &'static [&'static str],
    /// The text.
    pub text: &'static str,
}

/// The PTX of a workload's kernels.
#[derive(Debug, Clone, Copy)]
pub enum Ptx {
    /// One text.
    Text(&'static str),
    /// One text, with the source that it was made of.
    Sourced(&'static Sourced),
    /// Modules of the program, from the least capability to the highest; one kernel may be in several.
    Modules(&'static [Module]),
}

impl Ptx {
    /// The text that a GPU of this compute capability loads a kernel from: of the modules with the kernel the one for the highest
    /// capability that the GPU has, else for the lowest: whether that loads, the device says. `None` where no module has the kernel.
    pub fn text_of(self, kernel: &str, capability: (u32, u32)) -> Option<&'static str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Sourced(own) => Some(own.ptx),
            Self::Modules(modules) => {
                let with_it = || modules.iter().filter(|module| module.kernels.contains(&kernel));
                let newest =
                    with_it().filter(|module| module.capability <= capability).max_by_key(|own| own.capability);
                newest.or_else(|| with_it().min_by_key(|own| own.capability)).map(|module| module.text)
            }
        }
    }

    /// The modules that a GPU of this compute capability loads kernels from, as [`Ptx::text_of`] chooses them.
    pub fn modules_of(self, capability: (u32, u32)) -> impl Iterator<Item = &'static Module> {
        let is_chosen = move |module: &&Module| {
            module.kernels.iter().any(|kernel| self.text_of(kernel, capability) == Some(module.text))
        };
        self.modules().iter().filter(is_chosen)
    }

    /// One text with every kernel as [`Ptx::text_of`] gives it for this compute capability.
    ///
    /// # Errors
    /// When the modules cannot be joined.
    pub fn joined(self, capability: (u32, u32)) -> Result<String, RequirementError> {
        match self {
            Self::Text(text) => Ok(text.to_owned()),
            Self::Sourced(own) => Ok(own.ptx.to_owned()),
            Self::Modules(_) => join(&self.modules_of(capability).map(|module| module.text).collect::<Vec<_>>()),
        }
    }

    /// All texts.
    pub fn texts(self) -> Vec<&'static str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Sourced(own) => vec![own.ptx],
            Self::Modules(modules) => modules.iter().map(|module| module.text).collect(),
        }
    }

    /// The source that it was made of, where that is known.
    pub fn source(self) -> Option<&'static Sourced> {
        match self {
            Self::Sourced(source) => Some(source),
            Self::Text(_) | Self::Modules(_) => None,
        }
    }

    /// The modules; none of a text.
    pub fn modules(self) -> &'static [Module] {
        match self {
            Self::Text(_) | Self::Sourced(_) => &[],
            Self::Modules(modules) => modules,
        }
    }
}

/// The kernels of `cuda/NAME.cu`, to be found by the compiler: the name of no file is an error of the constant.
///
/// # Panics
/// When there is no such file.
pub(crate) const fn embedded(name: &str) -> Ptx {
    let mut index = 0;
    while !is_same(EMBEDDED[index].0.as_bytes(), name.as_bytes()) {
        index += 1;
    }
    Ptx::Modules(EMBEDDED[index].1)
}

/// The embedded module with this text.
pub fn embedded_module(text: &str) -> Option<&'static Module> {
    EMBEDDED
        .iter()
        .flat_map(|(_, modules)| *modules)
        .find(|module| std::ptr::eq(module.text, text) || module.text == text)
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// The kernels of `cuda/harness.cu`.
pub static HARNESS: Ptx = embedded("harness");

/// What ptxas says of the embedded kernels, from the snapshot: the build script writes it.
const COMPILED: &str = include_str!(concat!(env!("OUT_DIR"), "/registers.csv"));

/// The lowest compute capability for which what today's compiler does stands for what runs there.
const COMPILED_SINCE: (u32, u32) = (5, 0);

/// What ptxas makes of a kernel for an architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// The architecture's compute capability.
    pub capability: (u32, u32),
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Static shared memory of a block.
    pub static_shared_bytes: u64,
    /// Local memory of a thread, registers that were spilled among it.
    pub local_bytes: u64,
}

/// Where a number of registers comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RegistersFrom {
    /// The driver, of the kernel that it has loaded.
    Driver,
    /// NVIDIA's assembler, for this architecture or the one nearest to it.
    Ptxas,
    /// The values that the PTX has alive at once, or for an old GPU what [`registers_per_thread`] says.
    Estimate,
    /// Nothing: a number to have one.
    Assumed,
}

impl RegistersFrom {
    /// The words for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Ptxas => "ptxas",
            Self::Estimate => "estimate",
            Self::Assumed => "assumed",
        }
    }
}

/// Registers of a thread of the embedded kernel `entry`: those that ptxas gives for this compute capability, else for the nearest
/// lower one, else for the lowest. GPUs before 5.0 had a compiler of their own, which nobody has any more; theirs is the smaller of
/// two numbers that are rather too high: what ptxas gives for the oldest architecture that it knows, whose addresses are twice as
/// long, and the values that the PTX has alive at once, before anything is put in a better order. `None` of a kernel that is
/// not embedded.
pub fn registers_per_thread(entry: &str, capability: (u32, u32)) -> Option<u32> {
    let compiled = row(entry, capability).map(|compiled| compiled.registers);
    if capability >= COMPILED_SINCE {
        return compiled;
    }
    estimate(entry).map(|registers| registers.min(compiled.unwrap_or(registers)))
}

/// What ptxas makes of the embedded kernel `entry` for this compute capability, or the nearest as [`registers_per_thread`] has
/// it; `None` before 5.0, and of a kernel that ptxas has not seen.
pub fn compiled(entry: &str, capability: (u32, u32)) -> Option<Compiled> {
    row(entry, capability).filter(|_| capability >= COMPILED_SINCE)
}

fn row(entry: &str, capability: (u32, u32)) -> Option<Compiled> {
    static TABLE: LazyLock<HashMap<&str, Vec<Compiled>>> = LazyLock::new(|| table(COMPILED));
    nearest(TABLE.get(entry)?, capability)
}

/// Rows of a kernel, in the table's order, which is that of the architectures.
fn table(text: &'static str) -> HashMap<&'static str, Vec<Compiled>> {
    let mut table: HashMap<&str, Vec<Compiled>> = HashMap::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split(',');
        let row =
            cells.next().zip(cells.next().and_then(|architecture| architecture.strip_prefix("sm_")?.parse().ok()));
        let mut number = || cells.next().and_then(|cell| cell.parse::<u64>().ok());
        if let (Some((kernel, architecture)), Some(registers), Some(static_shared_bytes), Some(local_bytes)) =
            (row, number(), number(), number())
        {
            let architecture: u32 = architecture;
            let capability = (architecture / 10, architecture % 10);
            let registers = u32::try_from(registers).unwrap_or(u32::MAX);
            let compiled = Compiled { capability, registers, static_shared_bytes, local_bytes };
            table.entry(kernel).or_default().push(compiled);
        }
    }
    table
}

fn nearest(rows: &[Compiled], capability: (u32, u32)) -> Option<Compiled> {
    let lower = rows.iter().filter(|row| row.capability <= capability).max_by_key(|row| row.capability);
    lower.or_else(|| rows.iter().min_by_key(|row| row.capability)).copied()
}

/// The estimate for an embedded kernel. Kept, since it takes reading the PTX.
fn estimate(entry: &str) -> Option<u32> {
    static KNOWN: Mutex<BTreeMap<String, Option<u32>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(registers) = known.get(entry) {
        return *registers;
    }
    let of_entry = |(_, modules): &(&str, &'static [Module])| Ptx::Modules(modules).text_of(entry, COMPILED_SINCE);
    let registers = EMBEDDED.iter().find_map(of_entry).and_then(|ptx| {
        let module = ptx_syntax::parse(ptx).ok()?;
        gpu_simulator::Kernel::decode(&module, entry).ok().map(|kernel| kernel.registers().per_thread)
    });
    known.insert(entry.to_owned(), registers);
    registers
}

/// Where kernels came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The compiler and its version, such as `nvcc 13.0.88`.
    pub compiler: String,
    /// The virtual architecture compiled for.
    pub target: String,
    /// SHA-256 of the family's PTX, module after module, in hexadecimal.
    pub ptx_sha256: String,
    /// What says the registers of a user's kernel on a simulated device, such as `ptxas 13.0.88 for sm_90`; `None` where they are estimated,
    /// and of the program's own kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembler: Option<String>,
}

impl Provenance {
    /// The provenance of embedded kernels.
    pub fn of(ptx: Ptx) -> Self {
        Self {
            compiler: env!("APBENCH_PTX_COMPILER").to_owned(),
            target: env!("APBENCH_PTX_TARGET").to_owned(),
            ptx_sha256: sha256(ptx.texts().concat().as_bytes()),
            assembler: None,
        }
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kernel,architecture,registers,static_shared_bytes,local_bytes,spill_bytes\n\
                        a,sm_75,20,0,0,0\na,sm_90,24,1024,8,16\na,sm_120,28,1024,0,0\nb,sm_86,9,0,0,0\n";

    #[test]
    fn the_nearest_architecture_below_is_taken_else_the_lowest() {
        let table = table(TEXT);
        let registers = |kernel: &str, capability| nearest(&table[kernel], capability).unwrap().registers;
        for (capability, expected) in
            [((5, 0), 20), ((7, 5), 20), ((8, 9), 20), ((9, 0), 24), ((10, 3), 24), ((12, 0), 28), ((13, 0), 28)]
        {
            assert_eq!(registers("a", capability), expected, "{capability:?}");
        }
        assert_eq!((registers("b", (7, 5)), registers("b", (9, 0))), (9, 9));
        let hopper = nearest(&table["a"], (9, 0)).unwrap();
        assert_eq!((hopper.static_shared_bytes, hopper.local_bytes), (1024, 8));
        assert_eq!(nearest(&[], (9, 0)), None);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let rows: usize = table(COMPILED).values().map(Vec::len).sum();
        assert_eq!(rows, COMPILED.lines().count() - 1);
    }

    #[test]
    fn old_devices_have_the_estimate_and_others_what_ptxas_says() {
        let entry = "branching_compute_integer";
        assert_eq!(registers_per_thread(entry, (1, 3)), registers_per_thread(entry, (3, 5)));
        assert!(registers_per_thread(entry, (1, 3)).is_some_and(|registers| (4..=32).contains(&registers)));
        assert_eq!(compiled(entry, (1, 3)), None);
        assert_eq!(registers_per_thread("no_such_kernel", (1, 3)), None);
        assert_eq!(registers_per_thread("no_such_kernel", (9, 0)), None);
        assert!(HARNESS.texts().into_iter().all(|text| embedded_module(text).is_some()));
        assert_eq!(embedded_module(".version 7.8"), None);
    }

    #[test]
    fn a_gpu_gets_the_module_for_the_highest_capability_that_it_has() {
        const MODULES: &[Module] = &[
            Module { name: "a", version: (4, 1), capability: (5, 2), kernels: &["old", "both"], text: "a" },
            Module { name: "b", version: (6, 0), capability: (7, 0), kernels: &["new", "both"], text: "b" },
        ];
        let ptx = Ptx::Modules(MODULES);
        for (kernel, capability, text) in [
            ("old", (9, 0), "a"),
            ("both", (6, 1), "a"),
            ("both", (7, 0), "b"),
            ("both", (9, 0), "b"),
            ("new", (6, 1), "b"),
            ("both", (1, 3), "a"),
        ] {
            assert_eq!(ptx.text_of(kernel, capability), Some(text), "{kernel} {capability:?}");
        }
        assert_eq!(ptx.text_of("none", (9, 0)), None);
    }

    #[test]
    fn no_kernel_has_two_modules_for_the_same_capability() {
        for (name, modules) in EMBEDDED {
            let mut all: Vec<_> = modules
                .iter()
                .flat_map(|module| module.kernels.iter().map(|kernel| (*kernel, module.capability)))
                .collect();
            let kernels = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), kernels, "{name}");
            // What those drivers load for GPUs that they know; conditional nodes need later ones, whatever the kernel is.
            let for_known = modules
                .iter()
                .filter(|module| module.capability <= (8, 7) && module.kernels != ["launch_overlap_conditional_step"]);
            assert!(
                for_known.into_iter().all(|module| module.version <= (7, 4)),
                "{name}: drivers of 2021 do not load it"
            );
        }
    }
}
