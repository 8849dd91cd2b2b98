//! No text that reads as PTX is a panic where it is decoded and executed, or runs for ever.

#![no_main]

use gpu_simulator::counters::Counters;
use gpu_simulator::execute::{Launch, Memory, run_all};
use gpu_simulator::profile::Profile;
use gpu_simulator::program::{Program, decode};
use gpu_simulator::timing::time_launch;
use ptx_syntax::module::Item;
use ptx_syntax::parse_bytes;
use libfuzzer_sys::fuzz_target;

/// Shared memory that a block may ask for.
const SHARED_BYTES_MAX: u32 = 1 << 16;

fn run(program: &Program, profile: &Profile) {
    let mut memory = Memory::default();
    let address = memory.add("out", vec![0; 1024]);
    program.globals.iter().for_each(|image| memory.add_at(&image.name, image.address, image.bytes.clone()));
    let mut parameters = vec![0; program.parameter_bytes as usize];
    for slice in program.parameters.iter().filter(|slice| slice.bytes == 8) {
        parameters[slice.offset as usize..][..8].copy_from_slice(&address.to_le_bytes());
    }
    let grid = Launch {
        grid: [1; 3],
        block: [64, 1, 1],
        dynamic_shared_bytes: 64,
        parameters,
        multiprocessors: profile.sm_count,
        nanoseconds_per_cycle: 1.0,
        workspace: 0,
        reconvergence: profile.reconvergence,
        step_limit: profile.step_limit,
    };
    let _ = time_launch(program, &grid, profile, 1, &memory);
    let _ = run_all(program, &grid, &mut memory, &[0], 1, || Counters::new(program, profile));
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = parse_bytes(bytes) else { return };
    for name in ["h200", "gtx280"] {
        let Ok(profile) = Profile::load(name) else { continue };
        let profile = Profile { step_limit: 10_000, ..profile };
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            if let Ok(program) = decode(&module, &function.name)
                && program.shared_bytes <= SHARED_BYTES_MAX
            {
                run(&program, &profile);
            }
        }
    }
});
