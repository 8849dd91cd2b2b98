//! No text is a panic as the noise floors that are kept of devices, and no floor that is not a number gets in.

#![no_main]

use apbench::selfcheck::noise_floor::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(floors) = parse(text) {
        assert!(floors.values().all(|floor| floor.floor_pct.is_finite() && floor.floor_pct >= 0.0));
    }
});
