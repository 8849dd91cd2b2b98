//! Runs a kernel of a PTX file on a simulated GPU, and tells its time, what bounds it and what was counted:
//!
//!     cargo run -p gpu-simulator --example launch -- crates/gpu-simulator/examples/copies.ptx warp_sums \
//!         --grid 2 --block 128 --gpu-profile h200 --argument buffer:32 --argument words:1,2,3,4*256 --print 0
//!
//! Arguments, in the order of the kernel's parameters: numbers (`u8:5` to `u64:5`, `s8:-5` to `s64:-5`, `f32:0.5`, `f64:0.5`),
//! structures (`struct:u32:5,f64:0.5`, each field at a multiple of its size), any bytes (`bytes:00FF`), `buffer:BYTES` (zeros), and
//! `words:A,B,...`, a buffer of these 32-bit words; `*N` behind the last makes it N words, the given ones over and over.
//!
//! `--set NAME=TYPE:VALUE` writes to a variable of the module in global or constant memory before the launch, `--show NAME` prints one
//! afterwards.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    match command::run(std::env::args().skip(1)) {
        Ok(told) => {
            print!("{told}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
