//! No text is a panic as the diagnosis that a run keeps, and what is read is shown on a page.

#![no_main]

use apbench::diagnosis::Document;
use apbench::report::diagnosis::section;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(document) = Document::parse(text) {
        assert!(section(&document).into_string().contains("Diagnosis"));
    }
});
