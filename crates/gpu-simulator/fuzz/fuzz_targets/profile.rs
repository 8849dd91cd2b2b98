//! No text is a panic as a profile of a simulated device, and no constant of a valid one is out of range.

#![no_main]

use gpu_simulator::Profile;
use libfuzzer_sys::fuzz_target;
use located_toml::ReportStyle;

fuzz_target!(|text: &str| {
    match Profile::parse("fuzz.toml", text) {
        Ok(profile) => {
            assert!(profile.sm_count > 0 && profile.sm_clock_mhz > 0.0 && profile.global.gb_per_s > 0.0);
            assert!(profile.occupancy.threads_per_block <= profile.occupancy.threads_per_sm);
        }
        Err(errors) => assert!(!errors.report(ReportStyle::Plain, 60).is_empty()),
    }
});
