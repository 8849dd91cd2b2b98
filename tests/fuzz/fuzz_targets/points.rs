//! No text is a panic as the points of a run, and no time that is not a number gets in.

#![no_main]

use std::path::Path;

use apbench::run::reader::parse_points;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(points) = parse_points(Path::new("points.csv"), text, &mut Vec::new()) {
        assert!(points.iter().all(|point| point.timing.as_ref().is_none_or(|timing| timing.median.time_us.is_finite())));
    }
});
