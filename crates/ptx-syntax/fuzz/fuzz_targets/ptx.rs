//! No text is a panic as PTX, and a module that reads prints as text that reads the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ptx_syntax::{parse, parse_bytes};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(module) = parse_bytes(bytes) {
        let again = parse(&module.to_string()).map(|again| again.without_lines());
        assert_eq!(again, Ok(module.without_lines()));
    }
});
