//! No text is a panic: as a scenario, as an override, or as the points of what did parse.

#![no_main]

use gpu_simulator::profile::Profile;
use located_toml::ReportStyle;
use apbench::properties::Properties;
use apbench::scenario::Scenario;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (scenario, setting) = text.split_once('\0').unwrap_or((text, ""));
    let overrides: Vec<String> = if setting.is_empty() { Vec::new() } else { vec![setting.to_owned()] };
    match Scenario::parse("fuzz.toml", scenario, &overrides, 1000) {
        Ok(scenario) => {
            let again = Scenario::parse("fuzz.toml", &scenario.text, &[], 1000);
            assert!(again.is_ok(), "the scenario as it ran must read back");
            let device = Properties::simulated(&Profile::load("h200").expect("an embedded profile"));
            let _ = scenario.points(&device);
        }
        Err(errors) => assert!(!errors.report(ReportStyle::Plain, 60).is_empty()),
    }
});
