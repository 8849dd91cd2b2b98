//! No text is a panic as the rounds or samples of a run, and no time that is not a number gets in.

#![no_main]

use std::path::Path;

use apbench::run::observations::{parse_rounds, parse_samples};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(rounds) = parse_rounds(Path::new("rounds.csv"), text, &mut Vec::new()) {
        assert!(rounds.iter().all(|(_, round)| round.time_us.is_finite() && round.trimmed_us.is_finite()));
    }
    if let Ok(samples) = parse_samples(Path::new("samples.csv"), text, &mut Vec::new()) {
        assert!(samples.iter().all(|(_, record)| record.sample.time_us.is_finite()));
    }
});
