//! How far the program's statistics keep what they promise, on times that were made up by known laws:
//!
//!     cargo run --release --example statistics [-- SEED [RUNS [TABLE]]]
//!
//! It prints how often intervals of estimates cover the true values, which verdicts wrong laws get, which forms `auto` chooses, and how
//! often the gate is crossed by equal kernels and by slower ones. The book has its tables.

mod study;
mod tables;

use std::process::ExitCode;

type Print = fn(u64, u64);

/// The tables by their names.
const TABLES: [(&str, Print); 4] = [
    ("coverage", tables::coverage),
    ("verdicts", tables::verdicts),
    ("choices", tables::choices),
    ("gates", tables::gates),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, usual: u64| words.get(place).map_or(Ok(usual), |word| word.parse::<u64>());
    let is_asked = |name: &str| words.get(2).is_none_or(|word| word == name);
    match (number(0, 1), number(1, 1000)) {
        (Ok(seed), Ok(runs)) if runs > 0 && words.len() <= 3 && TABLES.iter().any(|(name, _)| is_asked(name)) => {
            TABLES.iter().filter(|(name, _)| is_asked(name)).for_each(|(_, print)| print(seed, runs));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "usage: statistics [SEED [RUNS [coverage|verdicts|choices|gates]]]: RUNS of each case, from 1 on"
            );
            ExitCode::from(2)
        }
    }
}
