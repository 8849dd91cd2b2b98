//! What becomes of a file and of its kernels.

use std::collections::BTreeSet;

use gpu_simulator::{Argument, Extent, Grid, KeptL2, LaunchError, Machine, Memory, Problem};
use ptx_syntax::PtxError;
use ptx_syntax::module::{Function, Item, Type, Variable};

/// Bytes of a made-up buffer.
const BUFFER_BYTES: usize = 1 << 20;
/// Bytes of all buffers of a launch; what is beyond gets the last one again.
const BUFFERS_BYTES_MAX: usize = 16 << 20;
/// A made-up whole number.
const NUMBER: u64 = 64;
/// Threads of a block, unless the kernel asks for others.
const THREADS: u64 = 64;
/// Dynamic shared memory, where static memory leaves so much.
const DYNAMIC_SHARED_BYTES: u32 = 16 << 10;
/// Shared memory of a block without asking for more.
const SHARED_BYTES_MAX: u32 = 48 << 10;

/// How far a file or kernel came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// The file does not parse.
    NotParsed,
    /// The kernel does not decode.
    NotDecoded,
    /// The GPU does not have one of its instructions.
    Unsupported,
    /// The launch is refused.
    Refused,
    /// A thread went wrong, which arguments that are made up may bring about.
    Fault,
    /// Warps wait for each other and for nothing that comes.
    Deadlock,
    /// It was stopped after so many instructions.
    StepLimit,
    /// It came to its end.
    Ended,
}

impl Outcome {
    pub(crate) const ALL: [Self; 8] = [
        Self::NotParsed,
        Self::NotDecoded,
        Self::Unsupported,
        Self::Refused,
        Self::Fault,
        Self::Deadlock,
        Self::StepLimit,
        Self::Ended,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NotParsed => "not parsed",
            Self::NotDecoded => "not decoded",
            Self::Unsupported => "unsupported",
            Self::Refused => "refused",
            Self::Fault => "fault",
            Self::Deadlock => "deadlock",
            Self::StepLimit => "step limit",
            Self::Ended => "ended",
        }
    }
}

/// A kernel's outcome, or that of a file which does not parse.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) file: String,
    /// The kernel; empty of a file as a whole.
    pub(crate) kernel: String,
    pub(crate) outcome: Outcome,
    /// Why, each reason once.
    pub(crate) reasons: Vec<String>,
}

/// Judges a file's kernels. A file without any has one verdict, that it came to its end.
pub(crate) fn file(machine: &Machine, name: &str, text: &str, verdicts: &mut Vec<Verdict>) {
    let verdict =
        |kernel: &str, outcome, reasons| Verdict { file: name.to_owned(), kernel: kernel.to_owned(), outcome, reasons };
    let module = match ptx_syntax::parse(text) {
        Ok(module) => module,
        Err(errors) => {
            verdicts.push(verdict("", Outcome::NotParsed, each_once(errors.errors(), false)));
            return;
        }
    };
    let mut kernels = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.entry && function.body.is_some() => Some(function),
        _ => None,
    });
    let before = verdicts.len();
    for kernel in &mut kernels {
        let (outcome, reasons) = match launch(machine, &module, kernel) {
            Ok(()) => (Outcome::Ended, Vec::new()),
            Err(error) => explained(&error),
        };
        verdicts.push(verdict(&kernel.name, outcome, reasons));
    }
    if verdicts.len() == before {
        verdicts.push(verdict("", Outcome::Ended, Vec::new()));
    }
}

fn launch(machine: &Machine, module: &ptx_syntax::Module, function: &Function) -> Result<(), LaunchError> {
    let mut memory = Memory::default();
    let kernel = machine.load_for(&mut memory, module, &function.name)?;
    let directive = |wanted: &str| function.directives.iter().find(|(name, _)| name == wanted).map(|(_, sizes)| sizes);
    let threads = match (directive("reqntid"), directive("maxntid")) {
        (Some(sizes), _) => [0, 1, 2].map(|axis| sizes.get(axis).copied().unwrap_or(1) as u32),
        (None, Some(sizes)) => [sizes.iter().product::<u64>().min(THREADS) as u32, 1, 1],
        (None, None) => [THREADS as u32, 1, 1],
    };
    let free = SHARED_BYTES_MAX.saturating_sub(kernel.static_shared_bytes());
    let grid = Grid {
        blocks: [2, 1, 1],
        threads,
        dynamic_shared_bytes: DYNAMIC_SHARED_BYTES.min(free),
        cooperative: false,
        cluster: None,
    };
    let mut buffers = Buffers::default();
    let arguments: Vec<Argument> = function
        .parameters
        .iter()
        .zip(kernel.parameter_bytes())
        .map(|(parameter, bytes)| Argument::from_bytes(buffers.argument(parameter, bytes as usize, &mut memory)))
        .collect();
    machine.run(&kernel, grid, &arguments, &mut memory, &mut KeptL2::default(), Extent::AllBlocks).map(|_| ())
}

/// Buffers that were made up for a launch.
#[derive(Default)]
struct Buffers {
    bytes: usize,
    last: u64,
}

impl Buffers {
    /// The bytes of an argument for this parameter: pointers and numbers cannot be told apart in 64 bits, so all of these are pointers,
    /// and a structure is full of numbers.
    fn argument(&mut self, parameter: &Variable, bytes: usize, memory: &mut Memory) -> Vec<u8> {
        let is_single = parameter.dimensions.is_empty();
        match parameter.ty {
            Type::Float(32) if is_single => 1_f32.to_le_bytes().to_vec(),
            Type::Float(64) if is_single => 1_f64.to_le_bytes().to_vec(),
            _ if is_single && bytes == 8 => self.address(memory).to_le_bytes().to_vec(),
            _ if is_single && bytes < 8 => NUMBER.to_le_bytes()[..bytes].to_vec(),
            _ => NUMBER.to_le_bytes().into_iter().cycle().take(bytes).collect(),
        }
    }

    fn address(&mut self, memory: &mut Memory) -> u64 {
        if self.bytes < BUFFERS_BYTES_MAX {
            self.bytes += BUFFER_BYTES;
            let words = (0..BUFFER_BYTES as u32 / 4).flat_map(|place| (place % 8).to_le_bytes());
            self.last = memory.add("a made-up buffer", words.collect());
        }
        self.last
    }
}

fn explained(error: &LaunchError) -> (Outcome, Vec<String>) {
    match error {
        LaunchError::Ptx(errors) => (Outcome::NotDecoded, each_once(errors.errors(), true)),
        LaunchError::Unsupported(problem) => (Outcome::Unsupported, vec![without_place(problem)]),
        LaunchError::Refused { problem, .. } => (Outcome::Refused, vec![problem.clone()]),
        LaunchError::Fault(fault) => match &fault.problem {
            Problem::Deadlock { .. } => (Outcome::Deadlock, vec!["deadlock".to_owned()]),
            Problem::StepLimit { .. } | Problem::LaunchLimit { .. } | Problem::MemoryLimit { .. } => {
                (Outcome::StepLimit, Vec::new())
            }
            Problem::Trap => (Outcome::Fault, vec!["trap".to_owned()]),
            Problem::Assertion(_) => (Outcome::Fault, vec!["assertion".to_owned()]),
            Problem::Memory(_) => (Outcome::Fault, vec!["memory".to_owned()]),
            other => (Outcome::Fault, vec![other.to_string()]),
        },
    }
}

/// What is wrong, with the opcode that it is about, each reason once.
fn each_once(errors: &[PtxError], with_opcode: bool) -> Vec<String> {
    let reason = |error: &PtxError| {
        let opcode = error.text.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default();
        if with_opcode { format!("{}: {opcode}", error.message) } else { error.message.clone() }
    };
    errors.iter().map(reason).collect::<BTreeSet<_>>().into_iter().collect()
}

/// A sentence without the line that it begins with.
fn without_place(sentence: &str) -> String {
    sentence.split_once(": ").map_or(sentence, |(_, rest)| rest).to_owned()
}
