//! No text is a panic as the estimates of a ladder, and what gets in is a positive time.

#![no_main]

use std::path::Path;

use apbench::ladder::estimates::parse_estimates;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(estimates) = parse_estimates(Path::new("estimate.csv"), text) {
        assert!(estimates.iter().all(|estimate| estimate.time_us.is_finite() && estimate.time_us > 0.0));
    }
});
