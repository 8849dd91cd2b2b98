//! Runs snippets of PTX on profiles, for tests.

use super::counters::{Counters, InstructionCounts};
use super::execute::{Fault, Launch, Memory, run_all};
use super::profile::Profile;
use super::program::{Conduct, Given, Program, compiled_at, decode};
use super::windows::MODULE_BASE;
use super::{Cluster, Grid, LaunchError, Machine, Report};

/// What stands before a snippet, in line 1: `%rd0` is the buffer, `%r0` the thread's index, `%rd1` its word of the buffer.
const PRELUDE: &str = ".visible .entry k(.param .u64 out) { .reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<32>; \
     .reg .f32 %f<16>; .reg .b16 %h<8>; ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; \
     mad.wide.u32 %rd1, %r0, 4, %rd0;";

/// The kernel `k` around a snippet, which begins in line 2. `module` stands before it.
pub(super) fn kernel(module: &str, body: &str) -> String {
    format!(".version 8.0 .target sm_80 .address_size 64 {module} {PRELUDE}\n{body}\nret; }}\n")
}

/// Decodes the kernel `k`.
pub(super) fn program(text: &str) -> Program {
    let module = ptx_syntax::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    decode(&module, "k").unwrap_or_else(|errors| panic!("{errors}"))
}

/// The kernel `k` with the accesses to memory that a compiler leaves of it.
pub(super) fn compiled(text: &str) -> Program {
    let module = ptx_syntax::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    compiled_at(&module, "k", MODULE_BASE).unwrap_or_else(|| program(text))
}

/// Decodes the kernel `k`, which must have errors.
pub(super) fn errors(text: &str) -> String {
    let module = ptx_syntax::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    decode(&module, "k").err().map(|errors| errors.to_string()).expect("the text has errors")
}

/// A launch of a snippet with one buffer.
pub(super) struct Snippet {
    pub(super) text: String,
    pub(super) profile: Profile,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared_bytes: u32,
    pub(super) cooperative: bool,
    /// Blocks of a cluster.
    pub(super) cluster: u32,
    /// What the buffer holds at first.
    pub(super) words: Vec<u32>,
    /// Bytes of another buffer behind it, of which the kernel gets no address; none where there are 0.
    pub(super) bytes_behind: usize,
}

/// What a snippet did.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) words: Vec<u32>,
    pub(super) counters: Counters,
    pub(super) instructions: InstructionCounts,
}

impl Snippet {
    /// One warp on the H200, with a buffer of 64 zeros.
    pub(super) fn new(body: &str) -> Self {
        Self::with("", body)
    }

    /// The same with variables or functions before the kernel.
    pub(super) fn with(module: &str, body: &str) -> Self {
        Self {
            text: kernel(module, body),
            profile: Profile::load("h200").expect("the profile is right"),
            grid: [1; 3],
            block: [32, 1, 1],
            shared_bytes: 0,
            cooperative: false,
            cluster: 1,
            words: vec![0; 64],
            bytes_behind: 0,
        }
    }

    /// On another profile, with its step limit cut.
    pub(super) fn on(mut self, profile: &str) -> Self {
        let step_limit = self.profile.step_limit;
        self.profile = Profile::load(profile).expect("the profile is right");
        self.profile.step_limit = self.profile.step_limit.min(step_limit);
        self
    }

    pub(super) fn step_limit(mut self, steps: u64) -> Self {
        self.profile.step_limit = steps;
        self
    }

    pub(super) fn blocks(mut self, blocks: u32) -> Self {
        self.grid = [blocks, 1, 1];
        self
    }

    /// In clusters of so many blocks.
    pub(super) fn in_clusters(mut self, blocks: u32) -> Self {
        self.cluster = blocks;
        self
    }

    pub(super) fn threads(mut self, threads: u32) -> Self {
        self.block = [threads, 1, 1];
        self
    }

    pub(super) fn words(mut self, words: Vec<u32>) -> Self {
        self.words = words;
        self
    }

    /// Executes it, and counts.
    pub(super) fn run(&self) -> Result<Ran, Fault> {
        let (program, mut memory, address) = self.load();
        let counters = self.run_on(&program, &mut memory, address)?;
        Ok(Ran { words: words_at(&memory, address), instructions: counters.instructions(&program), counters })
    }

    /// The same of what a compiler leaves.
    pub(super) fn run_compiled(&self) -> Result<Ran, Fault> {
        let (_, mut memory, address) = self.load();
        let program = compiled(&self.text);
        let counters = self.run_on(&program, &mut memory, address)?;
        Ok(Ran { words: words_at(&memory, address), instructions: counters.instructions(&program), counters })
    }

    /// What the buffer holds after a launch that failed.
    pub(super) fn words_after_fault(&self) -> Vec<u32> {
        let (program, mut memory, address) = self.load();
        assert!(self.run_on(&program, &mut memory, address).is_err());
        words_at(&memory, address)
    }

    /// The program, memory with the buffer, and the buffer's address.
    fn load(&self) -> (Program, Memory, u64) {
        let program = program(&self.text);
        let mut memory = Memory::default();
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let address = memory.add("out", bytes);
        if self.bytes_behind > 0 {
            memory.add("behind", vec![0; self.bytes_behind]);
        }
        memory.place(&program.variables).expect("nothing else is there");
        (program, memory, address)
    }

    fn run_on(&self, program: &Program, memory: &mut Memory, address: u64) -> Result<Counters, Fault> {
        let grid = Launch {
            grid: self.grid,
            block: self.block,
            cluster: [self.cluster, 1, 1],
            has_cluster: self.cluster > 1,
            clusters_abreast: 1,
            dynamic_shared_bytes: self.shared_bytes,
            conduct: Conduct::of(
                program,
                &Given { parameters: &address.to_le_bytes(), grid: self.grid, block: self.block },
            ),
            parameters: address.to_le_bytes().to_vec(),
            multiprocessors: self.profile.sm_count,
            nanoseconds_per_cycle: 1.0,
            workspace: 0,
            reconvergence: self.profile.reconvergence,
            step_limit: self.profile.step_limit,
        };
        let which: Vec<u64> = (0..grid.blocks()).collect();
        let observe = || Counters::new(program, &self.profile);
        let observers = run_all(program, &grid, memory, &which, 64, observe)?;
        let mut counters = observe();
        observers.iter().for_each(|other| counters.merge(other));
        Ok(counters)
    }

    /// The text of what goes wrong.
    pub(super) fn fault(&self) -> String {
        self.run().expect_err("something goes wrong").to_string()
    }

    /// What its lanes print.
    pub(super) fn printed(&self) -> String {
        let (program, mut memory, address) = self.load();
        self.run_on(&program, &mut memory, address).unwrap_or_else(|fault| panic!("{fault}"));
        memory.printed()
    }

    /// Launches it on a machine: the buffer and what the launch came to, or the error.
    pub(super) fn launch(&self) -> Result<(Vec<u32>, Report), LaunchError> {
        let (_, mut memory, address) = self.load();
        let module = ptx_syntax::parse(&self.text).unwrap_or_else(|errors| panic!("{errors}"));
        let grid = Grid {
            blocks: self.grid,
            threads: self.block,
            dynamic_shared_bytes: self.shared_bytes,
            cooperative: self.cooperative,
            cluster: (self.cluster > 1).then_some(Cluster { blocks: [self.cluster, 1, 1], is_not_portable: true }),
        };
        let machine = Machine::new(self.profile.clone());
        let report = machine.launch(&module, "k", grid, &[address.into()], &mut memory)?;
        Ok((words_at(&memory, address), report))
    }
}

fn words_at(memory: &Memory, address: u64) -> Vec<u32> {
    let bytes = memory.bytes(address).expect("it is allocated");
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}
