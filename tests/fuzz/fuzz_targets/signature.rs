//! No text is a panic as the source of a kernel, and what is drafted of one is a scenario.

#![no_main]

use apbench::draft::{Request, draft};
use apbench::scenario::Scenario;
use apbench::signature::{Headers, kernels};
use apbench::kernel::Language;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for language in [Language::Cuda, Language::Ptx] {
        let Ok(all) = kernels(text, language) else { continue };
        let headers = Headers::default();
        let request = Request { kernels: &all, entries: &[], source: "fuzz.cu", language, headers: &headers };
        let drafted = draft(request).expect("all kernels may be meant");
        let scenario = Scenario::parse("fuzz.toml", &drafted.text, &[], 1000);
        assert!(scenario.is_ok() || !drafted.missing.is_empty(), "{}", drafted.text);
    }
});
