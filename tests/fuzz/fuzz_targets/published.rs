//! No text is a panic as a file of published figures, what gets in is a positive number, and every figure has a place in a table.

#![no_main]

use std::path::Path;

use apbench::published::printed::tables;
use apbench::published::parse_published;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(figures) = parse_published(Path::new("published.csv"), text) {
        assert!(figures.iter().all(|figure| figure.value.is_finite() && figure.value > 0.0));
        let printed: usize = tables(&figures).iter().flat_map(|table| &table.rows).map(|row| row.printed.len()).sum();
        assert!(printed >= figures.len());
    }
});
