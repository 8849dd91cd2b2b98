//! Runs a kernel of a PTX file on a simulated GPU, and tells its time, what bounds it and what was counted:
//!
//!     cargo run -p gpu-simulator --example launch -- crates/gpu-simulator/examples/copies.ptx warp_sums \
//!         --grid 2 --block 128 --gpu-profile h200 --argument buffer:32 --argument words:1,2,3,4*256 --print 0
//!
//! Arguments, in the order of the kernel's parameters: numbers (`u8:5` to `u64:5`, `s8:-5` to `s64:-5`, `f32:0.5`, `f64:0.5`),
//! structures (`struct:u32:5,f64:0.5`, each field at a multiple of its size), any bytes (`bytes:00FF`), `buffer:BYTES` (zeros; `4MiB` will do), `file:PATH`
//! (a buffer of what the file holds), and `words:A,B,...`, a buffer of these 32-bit words; `*N` behind the last makes it N words, the given
//! ones over and over. `--print INDEX` prints a buffer afterwards, `--save INDEX=FILE` writes it to a file.
//!
//! `--registers` says how many registers a thread has, as `ptxas -v` tells; without it they are estimated. With `--launches 2` the second
//! of two launches is the one that is told of: it finds in L2 what the first one left there.
//!
//! `--set NAME=TYPE:VALUE` writes to a variable of the module in global or constant memory before the launch, `--show NAME` prints one
//! afterwards.

mod advice;
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
