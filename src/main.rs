//! The `apbench` program: everything is in the library's `cli` module.

use std::process::ExitCode;

fn main() -> ExitCode {
    apbench::cli::main()
}
