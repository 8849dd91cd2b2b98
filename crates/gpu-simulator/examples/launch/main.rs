//! Runs a kernel of a PTX file on a simulated GPU, and tells its time, what bounds it and what was counted:
//!
//!     cargo run -p gpu-simulator --example launch -- crates/gpu-simulator/examples/copies.ptx warp_sums \
//!         --grid 2 --block 128 --profile h200 --argument buffer:32 --argument words:1,2,3,4*256 --print 0
//!
//! Arguments, in the order of the kernel's parameters: `u32:5`, `s32:-5`, `u64:5`, `f32:0.5`, `f64:0.5`, `buffer:BYTES` (zeros), and
//! `words:A,B,...`, a buffer of these 32-bit words; `*N` behind the last makes it N words, the given ones over and over.

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
