//! No text that reads as PTX is a panic where it is decoded and executed, or runs for ever.

#![no_main]

use gpu_simulator::{Argument, Extent, Grid, KeptL2, Machine, Memory, Profile};
use libfuzzer_sys::fuzz_target;
use ptx_syntax::{Item, Module, parse_bytes};

/// Shared memory that a block may ask for.
const SHARED_BYTES_MAX: u32 = 1 << 16;

fn run(module: &Module, name: &str, machine: &Machine) {
    let mut memory = Memory::default();
    let address = memory.add("out", vec![0; 1024]);
    let Ok(kernel) = machine.load_for(&mut memory, module, name) else { return };
    if kernel.static_shared_bytes() > SHARED_BYTES_MAX {
        return;
    }
    let argument = |bytes: u32| match bytes {
        8 => Argument::from(address),
        other => Argument::from_bytes(vec![0; other as usize]),
    };
    let arguments: Vec<Argument> = kernel.parameter_bytes().map(argument).collect();
    let grid = Grid { dynamic_shared_bytes: 64, ..Grid::linear(1, 64) };
    let _ = machine.run(&kernel, grid, &arguments, &mut memory, &mut KeptL2::default(), Extent::AllBlocks);
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = parse_bytes(bytes) else { return };
    for name in ["h200", "gtx280"] {
        let Ok(profile) = Profile::load(name) else { continue };
        let machine = Machine::new(Profile { step_limit: 10_000, ..profile });
        for item in &module.items {
            if let Item::Function(function) = item {
                run(&module, &function.name, &machine);
            }
        }
    }
});
