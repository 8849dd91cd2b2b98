//! No text is a panic as the conditions of `apbench diagnose --fail-on`, and what is refused is told with an example or what is allowed.

#![no_main]

use apbench::diagnosis::Gate;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problem) = text.parse::<Gate>() {
        assert!(problem.contains("for example") || problem.contains("llowed"), "{problem}");
    }
});
