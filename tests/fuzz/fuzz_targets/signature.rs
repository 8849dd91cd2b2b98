//! No text is a panic as the source of a kernel, and what is drafted of one is a scenario. Behind the first zero byte are headers that the
//! source may include as `a.h`, `b.h` and so on, with such bytes between them.

#![no_main]

use apbench::draft::{Request, draft};
use apbench::kernel::Language;
use apbench::scenario::Scenario;
use apbench::signature::{Headers, kernels};
use libfuzzer_sys::fuzz_target;

/// Families of kernels live as long as the program, which leak detection would take for a mistake.
#[unsafe(no_mangle)]
extern "C" fn __asan_default_options() -> *const std::ffi::c_char {
    c"detect_leaks=0".as_ptr()
}

fuzz_target!(|text: &str| {
    let mut parts = text.split('\0');
    let source = parts.next().unwrap_or_default();
    let headers: Vec<(String, &str)> = ('a'..='z').map(|letter| format!("{letter}.h")).zip(parts).collect();
    let headers = Headers::read(source, |path| {
        headers.iter().find(|(name, _)| name == path).map(|(_, text)| (*text).to_owned())
    });
    for language in [Language::Cuda, Language::Ptx] {
        let Ok(all) = kernels(source, language) else { continue };
        let request = Request { kernels: &all, entries: &[], source: "fuzz.cu", language, headers: &headers };
        let drafted = draft(request).expect("all kernels may be meant");
        let scenario = Scenario::parse("fuzz.toml", &drafted.text, &[], 1000);
        assert!(scenario.is_ok() || !drafted.missing.is_empty(), "{}", drafted.text);
    }
});
