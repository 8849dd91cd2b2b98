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
use gpu_simulator::counters::Counters;
use gpu_simulator::execute::{Launch, Memory, run_all};
use gpu_simulator::profile::Profile;
use gpu_simulator::program::{Program, decode};
use gpu_simulator::timing::time_launch;

const WIDTH: u32 = 256;
const BRANCHES: u32 = 4;

struct Case {
    program: Program,
    grid: Launch,
    memory: Memory,
    profile: Profile,
}

impl Case {
    fn new(entry: &str, shared_bytes: u32) -> Self {
        let module = ptx_syntax::parse(branching::PTX).expect("the kernels are PTX");
        let program = decode(&module, entry).expect("the kernels are supported");
        let profile = Profile::load("h200").expect("the profile is embedded");
        let elements = WIDTH * WIDTH;
        let words = |value: fn(u32) -> u32| (0..elements).flat_map(|index| value(index).to_le_bytes()).collect();
        let mut memory = Memory::default();
        let operands = memory.add("operands", words(|index| index.wrapping_mul(2_654_435_761)));
        let map = memory.add("map", words(|index| index % BRANCHES));
        let output = memory.add("output", words(|_| 0));
        let addresses = [operands, map, output].into_iter().flat_map(u64::to_le_bytes);
        let parameters = addresses.chain([WIDTH, 16, 0].into_iter().flat_map(u32::to_le_bytes)).collect();
        let grid = Launch {
            grid: [WIDTH / 32, WIDTH / 8, 1],
            block: [32, 8, 1],
            dynamic_shared_bytes: shared_bytes,
            parameters,
            multiprocessors: profile.sm_count,
            nanoseconds_per_cycle: 1e3 / profile.sm_clock_mhz,
            workspace: 0,
            reconvergence: profile.reconvergence,
            step_limit: profile.step_limit,
        };
        Self { program, grid, memory, profile }
    }

    /// Executes all blocks and gives the warp instructions.
    fn execute(&self) -> u64 {
        let mut memory = self.memory.clone();
        let which: Vec<u64> = (0..self.grid.blocks()).collect();
        let observe = || Counters::new(&self.program, &self.profile);
        let observers =
            run_all(&self.program, &self.grid, &mut memory, &which, 1, observe).expect("the kernel does nothing wrong");
        let mut counters = observe();
        observers.iter().for_each(|other| counters.merge(other));
        counters.instructions(&self.program).ptx
    }

    /// Times the launch with 8 blocks resident and gives the warp instructions that were timed.
    fn time(&self) -> u64 {
        let timed = time_launch(&self.program, &self.grid, &self.profile, 8, &self.memory)
            .expect("the kernel does nothing wrong");
        (timed.instructions_per_block * timed.blocks_timed as f64) as u64
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
        group.throughput(Throughput::Elements(case.execute()));
        group.bench_function(format!("functional/{name}"), |bencher| {
            on_threads(1, || bencher.iter(|| black_box(case.execute())));
        });
        group.bench_function(format!("functional on two threads/{name}"), |bencher| {
            on_threads(2, || bencher.iter(|| black_box(case.execute())));
        });
        group.throughput(Throughput::Elements(case.time()));
        group.bench_function(format!("timing/{name}"), |bencher| bencher.iter(|| black_box(case.time())));
    }
    group.finish();
}

criterion_group!(benches, simulator);
criterion_main!(benches);
