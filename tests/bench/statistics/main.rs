//! How far the program's statistics keep what they promise, on times that were made up by known laws:
//!
//!     cargo run --release --example statistics [-- SEED [RUNS]]
//!
//! It prints how often intervals of estimates cover the true values, which verdicts wrong laws get, which forms `auto` chooses, and how
//! often the gate is crossed by equal kernels and by slower ones. The book has its tables.

mod study;
mod tables;

use std::process::ExitCode;

fn main() -> ExitCode {
    let numbers: Result<Vec<u64>, _> = std::env::args().skip(1).map(|own| own.parse()).collect();
    match numbers.as_deref() {
        Ok([]) => print(1, 2000),
        Ok([seed]) => print(*seed, 2000),
        Ok([seed, runs]) if *runs > 0 => print(*seed, *runs),
        _ => {
            eprintln!("usage: statistics [SEED [RUNS]]: a seed, and runs of each case from 1 on");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Prints all tables, of so many runs of each case.
fn print(seed: u64, runs: u64) {
    tables::coverage(seed, runs);
    tables::verdicts(seed, runs);
    tables::choices(seed, runs);
}
