//! No text is a panic as the rounds that comparisons read, and no time that is not a number gets in.

#![no_main]

use std::path::Path;

use apbench::run::round_times::parse_round_times;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let is_whole = text.ends_with('\n');
    if let Ok(rounds) = parse_round_times(Path::new("rounds.csv"), text.as_bytes(), is_whole, &mut Vec::new()) {
        assert!(rounds.values().flatten().all(|round| round.time_us.is_finite() && round.trimmed_us.is_finite()));
    }
});
