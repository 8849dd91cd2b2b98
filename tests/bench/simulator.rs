//! How fast the simulated device is, in warp instructions of the PTX a second, on one thread:
//!
//!     cargo bench --bench simulator
//!
//! `functional` executes the blocks with counters, `timing` runs the timing model, both on the kernels of the branching
//! scenario with 4 branches. `functional on two threads` is for how it scales.

use std::hint::black_box;
use std::time::Duration;

use apbench::family::branching;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gpu_simulator::{Argument, Grid, Kernel, Machine, Memory, Profile, Registers};

const WIDTH: u32 = 256;
const BRANCHES: u32 = 4;

struct Case {
    machine: Machine,
    kernel: Kernel,
    grid: Grid,
    arguments: Vec<Argument>,
    memory: Memory,
}

impl Case {
    fn new(entry: &str, shared_bytes: u32) -> Self {
        let module = ptx_syntax::parse(branching::PTX.texts()[0]).expect("the kernels are PTX");
        let machine = Machine::new(Profile::load("h200").expect("the profile is built in"));
        let kernel = machine.load(&module, entry).expect("the kernels are supported");
        let elements = WIDTH * WIDTH;
        let words = |value: fn(u32) -> u32| (0..elements).flat_map(|index| value(index).to_le_bytes()).collect();
        let mut memory = Memory::default();
        let operands = memory.add("operands", words(|index| index.wrapping_mul(2_654_435_761)));
        let map = memory.add("map", words(|index| index % BRANCHES));
        let output = memory.add("output", words(|_| 0));
        let addresses = [operands, map, output].map(Argument::from);
        let arguments = addresses.into_iter().chain([WIDTH, 16, 0].map(Argument::from)).collect();
        let blocks = [WIDTH / 32, WIDTH / 8, 1];
        let grid =
            Grid { blocks, threads: [32, 8, 1], dynamic_shared_bytes: shared_bytes, cooperative: false, cluster: None };
        // So few registers that threads alone limit the blocks of a multiprocessor: to 8.
        let kernel = kernel.with_registers(Registers { per_thread: 32, is_estimate: false });
        Self { machine, kernel, grid, arguments, memory }
    }

    /// Executes all blocks and gives the warp instructions.
    fn execute(&self) -> f64 {
        let mut memory = self.memory.clone();
        let counts = self.machine.execute(&self.kernel, self.grid, &self.arguments, &mut memory);
        counts.expect("the kernel does nothing wrong").get("ptx_instructions").expect("it is counted")
    }

    /// Times the launch with 8 blocks resident and gives the warp instructions that were timed.
    fn time(&self) -> f64 {
        // The memory is not written to; only the variables of a module would be placed.
        let mut memory = self.memory.clone();
        let timed = self.machine.time(&self.kernel, self.grid, &self.arguments, &mut memory);
        let timed = timed.expect("the kernel does nothing wrong");
        timed.instructions_timed as f64
    }
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had").install(work)
}

fn simulator(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("simulator");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for (name, entry, shared_bytes) in [
        ("compute", "branching_compute_integer", 0),
        ("compute float", "branching_compute_float", 0),
        ("convolution", "branching_convolution_integer", 4 * 34 * 10),
    ] {
        let case = Case::new(entry, shared_bytes);
        group.throughput(Throughput::Elements(case.execute() as u64));
        group.bench_function(format!("functional/{name}"), |bencher| {
            on_threads(1, || bencher.iter(|| black_box(case.execute())));
        });
        group.bench_function(format!("functional on two threads/{name}"), |bencher| {
            on_threads(2, || bencher.iter(|| black_box(case.execute())));
        });
        group.throughput(Throughput::Elements(case.time() as u64));
        group.bench_function(format!("timing/{name}"), |bencher| bencher.iter(|| black_box(case.time())));
    }
    group.finish();
}

criterion_group!(benches, simulator);
criterion_main!(benches);
